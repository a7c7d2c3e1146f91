import { useSubmit } from '@remix-run/react'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { ButtonLink } from '#app/ui/button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import type { QuoteView } from '../payment-answer.ts'
import { type SubscriptionAccount, subscriptionAddress } from '../subscription-address.ts'
import type { PaymentsOfPage } from './payment-provider.tsx'

interface QuotePanelProps {
  quote: QuoteView
  payments: PaymentsOfPage
  account: SubscriptionAccount
  /** The account has access to the provider's own pages. */
  portal: boolean
  onClose: () => void
}

/** Loaded with all of the provider's code when the user is about to pay. */
async function loadCardForm() {
  return (await import('./card-form.tsx')).CardForm
}

/** Shows the payment and the card form. Nothing has happened yet, and leaving changes nothing. */
export function QuotePanel({ quote, payments, account, portal, onClose }: QuotePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { part: CardForm, failed } = useOnDemand(loadCardForm, true)
  const submit = useSubmit()
  const settling = useIsSending({ intent: 'settle' })
  return (
    <section aria-labelledby="quote-title" className="grid gap-4 rounded-control border border-line-strong p-4">
      <div className="grid gap-1.5">
        <div className="flex items-center justify-between gap-3">
          <h3 id="quote-title" ref={heading} tabIndex={-1} className="font-semibold">
            Pay {quote.amount}
          </h3>
          <ButtonLink
            to={subscriptionAddress(account)}
            variant="quiet"
            className="-mr-2"
            icon={X}
            onClick={(event) => {
              event.preventDefault()
              onClose()
            }}
          >
            Not now
          </ButtonLink>
        </div>
        <p className="text-label">{quote.sentence}</p>
      </div>
      <div className="without-script">
        <Notice tone="attention" title="Entering a card needs JavaScript">
          <p>
            Stripe provides the card fields: your card number never reaches us. Switch JavaScript on and choose again.
            Nothing has been charged.
          </p>
          {portal ? <p>You can also pay open invoices with “Manage billing”.</p> : null}
        </Notice>
      </div>
      <div className="needs-script">
        {CardForm ? (
          <CardForm
            quote={quote}
            payments={payments}
            settling={settling}
            onConfirmed={(paymentId) =>
              submit({ intent: 'settle', payment_intent: paymentId }, { method: 'post', preventScrollReset: true })
            }
          />
        ) : failed ? (
          <NotLoaded />
        ) : null}
      </div>
    </section>
  )
}

function NotLoaded() {
  return (
    <Notice tone="failing" title="The card form could not be loaded">
      <p>Nothing was charged. Check your connection and load the page again.</p>
    </Notice>
  )
}

import { clsx } from 'clsx'
import { CreditCard, ExternalLink, FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { buttonLook } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { SubscriptionAnswer } from '../payment-answer.ts'
import { PLAN_WORDS, type PlanView } from '../plan-view.ts'
import { type SubscriptionAccount, subscriptionAddress } from '../subscription-address.ts'
import { useFramed } from './framed.tsx'
import { IntentButton } from './intent-button.tsx'
import type { PaymentsOfPage } from './payment-provider.tsx'
import { QuotePanel } from './quote-panel.tsx'

interface PaymentCardProps {
  account: SubscriptionAccount
  plan: PlanView
  payments: PaymentsOfPage
  answer: SubscriptionAnswer | null
}

/** What can be paid, the card form once it is asked for, and the ways to change or end what was bought. */
export function PaymentCard({ account, plan, payments, answer }: PaymentCardProps) {
  const framed = useFramed()
  const [closed, setClosed] = useState<SubscriptionAnswer | null>(null)
  const quote = answer?.kind === 'quote' && answer !== closed ? answer.quote : null
  return (
    <CardSection id="payment" title="Payment">
      <div className="grid gap-4">
        {payments.mode === 'sandbox' && quote === null ? <SandboxBanner /> : null}
        {answer?.kind === 'refused' ? <Notice tone="failing">{answer.message}</Notice> : null}
        {plan.paymentsOff === null ? null : (
          <Notice tone="accent" title={plan.paymentsOff}>
            <p id="payments-off">{PLAN_WORDS.nothingLimited}</p>
          </Notice>
        )}
        {quote !== null && !framed ? (
          <QuotePanel
            quote={quote}
            payments={payments}
            account={account}
            portal={plan.portal}
            onClose={() => setClosed(answer)}
          />
        ) : (
          <Offers account={account} plan={plan} framed={framed} />
        )}
        {quote === null || plan.portal ? (
          <Changes plan={plan} divided={quote !== null || plan.offers.length > 0} />
        ) : null}
      </div>
    </CardSection>
  )
}

function SandboxBanner() {
  return (
    <p className="flex items-start gap-2.5 rounded-control border border-held border-dashed bg-held-soft px-3.5 py-2.5 text-held text-label">
      <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0" />
      <strong className="font-semibold">Sandbox: no real payment</strong>
    </p>
  )
}

type OffersProps = Pick<PaymentCardProps, 'account' | 'plan'> & { framed: boolean }

function Offers(props: OffersProps) {
  const { offers, phase } = props.plan
  if (offers.length === 0) return null
  // Who has paid need not press anything.
  if (phase !== 'active') return <OfferList {...props} urged />
  return (
    <Disclosure summary="Start a new month early">
      <div className="grid gap-4">
        <p className="text-label text-ink-soft">
          Your plan renews by itself every month. Need more operations sooner? Start the next month today.
        </p>
        <OfferList {...props} urged={false} />
      </div>
    </Disclosure>
  )
}

function OfferList({ account, plan, framed, urged }: OffersProps & { urged: boolean }) {
  const { offers, paymentsOff } = plan
  return (
    <>
      <ul className="grid gap-4">
        {offers.map((offer, index) => (
          <li key={offer.label} className="grid gap-2">
            <p id={`offer-${offer.offer}`} className="text-label">
              {offer.sentence}
            </p>
            {framed ? null : (
              <IntentButton
                intent={offer.offer}
                look={index === 0 && urged ? 'primary' : 'secondary'}
                size="wide"
                icon={<CreditCard aria-hidden className="size-4" />}
                pendingLabel="Processing..."
                disabled={paymentsOff !== null}
                aria-describedby={paymentsOff === null ? `offer-${offer.offer}` : 'payments-off'}
              >
                {offer.label}
              </IntentButton>
            )}
          </li>
        ))}
      </ul>
      {paymentsOff === null ? <OwnTab account={account} framed={framed} /> : null}
    </>
  )
}

/** Cards are never entered inside another page. Without scripts nobody knows whether this is one: the way out is told. */
function OwnTab({ account, framed }: { account: SubscriptionAccount; framed: boolean }) {
  const to = subscriptionAddress(account)
  if (framed) {
    return (
      <div className="grid gap-2">
        <a href={to} target="_blank" rel="noopener" className={buttonLook({ look: 'primary', size: 'wide' })}>
          Open the payment page
          <ExternalLink aria-hidden className="size-4" />
          <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
        </a>
        <p className="text-dense text-ink-soft">
          Cards are entered in a tab of their own, never inside ServiceM8. You may have to sign in once more there.
        </p>
      </div>
    )
  }
  return (
    <p className="without-script text-dense text-ink-soft">
      Do you see this page inside ServiceM8?{' '}
      <a href={to} target="_blank" rel="noopener" className="font-medium text-accent underline underline-offset-4">
        Open it in a tab of its own
      </a>{' '}
      to enter a card.
    </p>
  )
}

/** Ending it, taking that back, and the provider's own page for card and invoices. */
function Changes({ plan, divided }: { plan: PlanView; divided: boolean }) {
  const { cancellation, portal } = plan
  if (cancellation === null && !portal) return null
  return (
    <div className={clsx('grid gap-1', divided && 'border-line border-t pt-3')}>
      {cancellation?.kind === 'keep' ? (
        <div className="mb-2 grid gap-2">
          <p id="keep-sentence" className="text-label">
            {cancellation.sentence}
          </p>
          <IntentButton
            intent="keep"
            look="primary"
            size="wide"
            pendingLabel="Keeping…"
            aria-describedby="keep-sentence"
          >
            Keep subscription
          </IntentButton>
        </div>
      ) : null}
      {portal ? (
        <div className="flex flex-wrap items-center">
          <IntentButton intent="portal" look="quiet" className="-ml-4" newTab>
            Manage billing
            <ExternalLink aria-hidden className="size-4" />
            <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
          </IntentButton>
          <p className="text-dense text-ink-soft">Change the card, see invoices and receipts.</p>
        </div>
      ) : null}
      {cancellation?.kind === 'cancel' ? (
        <Disclosure summary="Cancel subscription…">
          <div className="grid gap-3 rounded-control bg-sunken p-3.5">
            <p className="text-label">{cancellation.sentence}</p>
            <div>
              <IntentButton intent="cancel" look="danger" pendingLabel="Canceling…">
                Cancel subscription
              </IntentButton>
            </div>
          </div>
        </Disclosure>
      ) : null}
    </div>
  )
}

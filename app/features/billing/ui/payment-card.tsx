import { useNavigation, useSubmit } from '@remix-run/react'
import { clsx } from 'clsx'
import { CreditCard, ExternalLink, FlaskConical, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { seconds } from '#app/lib/duration.ts'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { useFramed } from '#app/ui/framed.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { PROCESSING, type QuoteView, type SubscriptionAnswer } from '../payment-answer.ts'
import { PLAN_TEXTS, type PlanView } from '../plan-view.ts'
import { subscriptionAddress } from '../subscription-address.ts'
import type { PaymentsOfPage } from './payment-provider.tsx'

export interface PaymentCardProps {
  /** Only owners can pay; members see who the owners are. */
  rights: OwnerRights
  account: AccountLink
  plan: PlanView
  payments: PaymentsOfPage
  /** The result of the button that was just pressed, otherwise null. */
  answer: SubscriptionAnswer | null
}

/** Shows the offers, the card form after choosing one, and how to change or end the subscription. */
export function PaymentCard({ rights, account, plan, payments, answer }: PaymentCardProps) {
  const framed = useFramed()
  const [closed, setClosed] = useState<SubscriptionAnswer | null>(null)
  const open = answer === closed ? null : answer
  const quote = open?.kind === 'quote' && !framed ? open.quote : null
  const ticket = open?.kind === 'own_tab' ? open.ticket : null
  return (
    <CardSection id="payment" title="Payment">
      <div className="grid gap-4">
        {payments.mode === 'sandbox' && quote === null ? <SandboxBanner /> : null}
        {answer?.kind === 'refused' ? <Notice tone="failing">{answer.message}</Notice> : null}
        {plan.paymentsOff === null ? null : (
          <Notice tone="accent" title={plan.paymentsOff}>
            <p id="payments-off">{PLAN_TEXTS.nothingLimited}</p>
          </Notice>
        )}
        {ticket === null ? null : <TabDoor ticket={ticket} onUsed={() => setClosed(answer)} />}
        {quote !== null ? (
          <QuotePanel
            quote={quote}
            payments={payments}
            account={account}
            portal={plan.portal}
            onClose={() => setClosed(answer)}
          />
        ) : (
          <Offers plan={plan} framed={framed} leaving={ticket !== null} rights={rights} answer={answer} />
        )}
        {/* The answer to another button would take the place of what is being processed. */}
        {rights.refusal === null && (quote === null || plan.portal) && answer?.kind !== 'processing' ? (
          <Changes plan={plan} divided={quote !== null || plan.offers.length > 0} framed={framed} />
        ) : null}
      </div>
    </CardSection>
  )
}

const ASK_AGAIN_MS = seconds(5)

/** Instead of the offers, which would take a second payment. */
function Processing({ paymentId }: { paymentId: string }) {
  const submit = useSubmit()
  const { state } = useNavigation()
  const announce = useAnnounce()
  // Once, not each time it is asked about.
  useEffect(() => announce(`${PROCESSING.title}. ${PROCESSING.description}`), [announce])
  useEffect(() => {
    // It would cut off whatever is under way, also its own question.
    if (state !== 'idle') return
    const timer = setInterval(() => {
      // A failed answer would replace the page.
      if (document.hidden || !navigator.onLine) return
      submit({ intent: 'settle', payment_intent: paymentId }, { method: 'post', preventScrollReset: true })
    }, ASK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [paymentId, submit, state])
  return (
    <Notice tone="accent" title={PROCESSING.title}>
      <p>{PROCESSING.description}</p>
      <PostButton values={{ intent: 'settle', payment_intent: paymentId }} variant="quiet" className="-ml-4">
        Check payment
      </PostButton>
    </Notice>
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

interface OffersProps {
  plan: PlanView
  framed: boolean
  /** The link to the new tab is already shown. */
  leaving: boolean
  rights: OwnerRights
}

function Offers({ answer, ...props }: OffersProps & Pick<PaymentCardProps, 'answer'>) {
  const { plan, rights } = props
  const { offers, phase } = plan
  if (answer?.kind === 'processing') return <Processing key={answer.paymentId} paymentId={answer.paymentId} />
  const note = ownerNote(rights, phase === 'ending' ? 'keep the subscription' : 'pay')
  if (note !== null) return <ForOwners plan={plan} note={note} />
  if (offers.length === 0) return null
  // A paying customer need not press anything.
  if (phase !== 'active') return <OfferList {...props} urged />
  return (
    <Disclosure summary="Start a new month early">
      <div className="grid gap-4">
        <p className="text-label text-ink-soft">Your plan renews every month. You can start the next month today.</p>
        <OfferList {...props} urged={false} />
      </div>
    </Disclosure>
  )
}

/** Shows the offers to people who cannot pay, without buttons that would be refused. */
function ForOwners({ plan, note }: { plan: PlanView; note: string }) {
  const due = plan.phase === 'active' ? [] : plan.offers
  return (
    <>
      {due.map(({ offer, sentence }) => (
        <p key={offer} className="text-label">
          {sentence}
        </p>
      ))}
      <p className="text-label text-ink-soft">{note}</p>
    </>
  )
}

function OfferList({ plan, framed, leaving, urged }: OffersProps & { urged: boolean }) {
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
              <PostButton
                values={{ intent: offer.offer }}
                variant={index === 0 && urged ? 'primary' : 'secondary'}
                size="wide"
                icon={CreditCard}
                pendingLabel="Processing..."
                disabled={paymentsOff !== null}
                aria-describedby={paymentsOff === null ? `offer-${offer.offer}` : 'payments-off'}
              >
                {offer.label}
              </PostButton>
            )}
          </li>
        ))}
      </ul>
      {paymentsOff === null && !leaving ? <OwnTab framed={framed} /> : null}
    </>
  )
}

/** Cards are never entered in a frame. Without scripts the frame is not detected, so always offer the new tab. */
function OwnTab({ framed }: { framed: boolean }) {
  if (framed) {
    return (
      <div className="grid gap-2">
        <PostButton values={{ intent: 'own_tab' }} variant="primary" size="wide" pendingLabel="Opening…">
          Open the payment page
        </PostButton>
        <p className="text-dense text-ink-soft">{OWN_TAB_TEXTS}</p>
      </div>
    )
  }
  return (
    <div className="without-script grid justify-items-start gap-2">
      <p className="text-dense text-ink-soft">Do you see this page inside ServiceM8?</p>
      <PostButton values={{ intent: 'own_tab' }}>Open it in a tab of its own</PostButton>
    </div>
  )
}

const OWN_TAB_TEXTS = 'Cards are entered in a tab of their own, never inside ServiceM8.'

/**
 * The new tab has none of the frame's cookies: it gets a ticket, in a form instead of a URL, and asks for its own
 * confirmation. A plain form, because the answer belongs to the new tab.
 */
function TabDoor({ ticket, onUsed }: { ticket: string; onUsed: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  return (
    <form
      method="post"
      action="/launch"
      target="_blank"
      rel="noopener"
      // Remove the form only after it was sent: a removed form is not submitted.
      onSubmit={() => setTimeout(onUsed)}
      className="grid gap-2"
    >
      <input type="hidden" name="ticket" value={ticket} />
      <input type="hidden" name="to" value="subscription" />
      <Button ref={button} type="submit" variant="primary" size="wide">
        Continue in a new tab
        <ExternalLink aria-hidden className="size-4" />
      </Button>
      <p className="text-dense text-ink-soft">
        Press it within 5 minutes. The new tab asks you to confirm the account.
      </p>
    </form>
  )
}

/** Ends the subscription, undoes that, and links to the provider's page for card and invoices. */
function Changes({ plan, divided, framed }: { plan: PlanView; divided: boolean; framed: boolean }) {
  const { cancellation, portal } = plan
  if (cancellation === null && !portal) return null
  return (
    <div className={clsx('grid gap-1', divided && 'border-line border-t pt-3')}>
      {cancellation?.kind === 'keep' ? (
        <div className="mb-2 grid gap-2">
          <p id="keep-sentence" className="text-label">
            {cancellation.sentence}
          </p>
          <PostButton
            values={{ intent: 'keep' }}
            variant={divided ? 'secondary' : 'primary'}
            size="wide"
            pendingLabel="Keeping…"
            aria-describedby="keep-sentence"
          >
            Keep subscription
          </PostButton>
        </div>
      ) : null}
      {portal ? (
        <div className="flex flex-wrap items-center">
          {framed ? (
            <PostButton values={{ intent: 'own_tab' }} variant="quiet" className="-ml-4">
              Manage billing
            </PostButton>
          ) : (
            <PostButton values={{ intent: 'portal' }} variant="quiet" className="-ml-4" newTab>
              Manage billing
              <ExternalLink aria-hidden className="size-4" />
              <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
            </PostButton>
          )}
          <p className="text-dense text-ink-soft">Change the card, see invoices and receipts.</p>
        </div>
      ) : null}
      {cancellation?.kind === 'cancel' ? (
        <Disclosure summary="Cancel subscription…">
          <div className="grid gap-3 rounded-control bg-sunken p-3.5">
            <p className="text-label">{cancellation.sentence}</p>
            <div>
              <PostButton values={{ intent: 'cancel' }} variant="danger" pendingLabel="Canceling…">
                Cancel subscription
              </PostButton>
            </div>
          </div>
        </Disclosure>
      ) : null}
    </div>
  )
}

interface QuotePanelProps {
  quote: QuoteView
  payments: PaymentsOfPage
  account: AccountLink
  /** The account has access to the provider's own pages. */
  portal: boolean
  onClose: () => void
}

/** Loaded with all of the provider's code when the user is about to pay. */
const loadCardForm = async () => (await import('./card-form.tsx')).CardForm

/** Shows the payment and the card form. Nothing is charged yet. */
function QuotePanel({ quote, payments, account, portal, onClose }: QuotePanelProps) {
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

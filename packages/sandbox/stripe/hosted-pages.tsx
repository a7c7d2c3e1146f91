// The pages that the real provider hosts: the bank's authentication, and the customer's billing portal.
import { Landmark } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import { Badge, Card, Choice, Empty, Table, TextField } from '../console/parts.tsx'
import { StageFrame } from '../console/stage-frame.tsx'
import { moneyWords, type Tone } from '../console/words.ts'
import type { InvoiceStatus, SubscriptionStatus } from './ledger.ts'
import { TEST_CARDS } from './test-cards.ts'

function HostedPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <StageFrame
      title={title}
      owner="Pretend payment provider"
      curtain={
        <p className="brand">
          <span className="home">
            <Landmark aria-hidden size={22} />
            Pretend payment provider
          </span>
          <span className="motto">Sandbox: no real payment</span>
        </p>
      }
    >
      {children}
    </StageFrame>
  )
}

interface AuthenticationView {
  /** The address both buttons post to. */
  action: string
  clientSecret: string
  amount: number
  currency: string
  last4: string
}

export function AuthenticationPage({ action, clientSecret, amount, currency, last4 }: AuthenticationView) {
  return (
    <HostedPage title="Is it you?">
      <h1>Is it you?</h1>
      <p className="lead">
        A bank would now ask whether you are the owner of the card ending in {last4} and want to pay{' '}
        {moneyWords(amount / 100, currency.toUpperCase())}. Nothing real happens here.
      </p>
      <form method="post" action={action} className="buttons">
        <input type="hidden" name="client_secret" value={clientSecret} />
        <button type="submit" name="answer" value="complete" className="primary">
          Complete
        </button>
        <button type="submit" name="answer" value="fail">
          Fail
        </button>
      </form>
    </HostedPage>
  )
}

export function NoticePage({ title, words }: { title: string; words: string }) {
  return (
    <HostedPage title={title}>
      <h1>{title}</h1>
      <p className="lead">{words}</p>
    </HostedPage>
  )
}

interface PortalSubscription {
  id: string
  name: string
  status: SubscriptionStatus
  /** When the paid period ends. */
  periodEnd: Millis
  endsThen: boolean
  /** `visa ending in 4242`, or ''. */
  card: string
}

interface PortalInvoice {
  id: string
  number: string
  at: Millis
  amount: number
  currency: string
  status: InvoiceStatus
}

export interface PortalView {
  /** `/sandbox/stripe/portal/{session}` */
  base: string
  returnUrl: string | null
  headline: string | null
  subscriptions: PortalSubscription[]
  invoices: PortalInvoice[]
  may: { cancel: boolean; changeCard: boolean; seeInvoices: boolean }
  said: { tone: 'working' | 'failing'; text: string } | null
}

export function PortalPage({ base, returnUrl, headline, subscriptions, invoices, may, said }: PortalView) {
  return (
    <HostedPage title="Your billing">
      {said ? (
        <p className={`said ${said.tone}`} role={said.tone === 'failing' ? 'alert' : 'status'}>
          {said.text}
        </p>
      ) : null}
      <h1>Your billing</h1>
      {headline ? <p className="lead">{headline}</p> : null}
      {returnUrl === null ? null : (
        <p>
          <a className="button" href={returnUrl}>
            Return to Fieldhook
          </a>
        </p>
      )}
      <Card id="plan" title="Subscription">
        {subscriptions.length === 0 ? <Empty>There is no subscription.</Empty> : null}
        {subscriptions.map((sub) => (
          <div key={sub.id} className="stack">
            <p>
              <strong>{sub.name}</strong>{' '}
              <Badge tone={SUBSCRIPTION_TONES[sub.status]}>{SUBSCRIPTION_TEXTS[sub.status]}</Badge>
            </p>
            <p>
              {sub.endsThen ? 'Ends on ' : 'Renews on '}
              {dayOf(sub.periodEnd)}.{sub.card === '' ? '' : ` Paid by ${sub.card}.`}
            </p>
            {may.cancel ? (
              <form method="post" action={`${base}/${sub.endsThen ? 'resume' : 'cancel'}`}>
                <input type="hidden" name="subscription" value={sub.id} />
                <button type="submit" className={sub.endsThen ? 'primary' : undefined}>
                  {sub.endsThen ? 'Do not cancel' : 'Cancel subscription'}
                </button>
              </form>
            ) : null}
          </div>
        ))}
      </Card>
      {may.changeCard ? (
        <Card id="card" title="Card" about="The card that renewals are charged to. Only test cards are taken.">
          <form method="post" action={`${base}/card`} className="stack">
            <Choice
              id="number"
              name="number"
              label="Card"
              options={TEST_CARDS.filter((one) => one.refuses === null).map((one) => [
                one.number,
                `${one.number.replace(/(\d{4})(?=\d)/g, '$1 ')}: ${one.words}`,
              ])}
            />
            <div className="pair">
              <TextField id="expiry" name="expiry" label="Expiry (MM / YY)" value="12 / 40" required />
              <TextField id="cvc" name="cvc" label="CVC" value="123" required />
            </div>
            <button type="submit">Use this card</button>
          </form>
        </Card>
      ) : null}
      {may.seeInvoices ? (
        <Card id="invoices" title="Invoices">
          {invoices.length === 0 ? (
            <Empty>There is no invoice yet.</Empty>
          ) : (
            <Table
              caption="Invoices"
              heads={['Date', 'Number', 'Amount', 'State']}
              rows={invoices.map((one) => ({
                key: one.id,
                cells: [
                  dayOf(one.at),
                  one.number,
                  moneyWords(one.amount / 100, one.currency.toUpperCase()),
                  <div key="state" className="buttons">
                    <Badge tone={INVOICE_TONES[one.status]}>{INVOICE_TEXTS[one.status]}</Badge>
                    {one.status === 'open' ? (
                      <form method="post" action={`${base}/pay`}>
                        <input type="hidden" name="invoice" value={one.id} />
                        <button type="submit">Pay now</button>
                      </form>
                    ) : null}
                  </div>,
                ],
              }))}
            />
          )}
        </Card>
      ) : null}
    </HostedPage>
  )
}

export const SUBSCRIPTION_TONES: Record<SubscriptionStatus, Tone> = {
  incomplete: 'attention',
  incomplete_expired: 'neutral',
  active: 'working',
  past_due: 'failing',
  paused: 'held',
  canceled: 'neutral',
  unpaid: 'failing',
}

export const SUBSCRIPTION_TEXTS: Record<SubscriptionStatus, string> = {
  incomplete: 'Waiting for the first payment',
  incomplete_expired: 'Never paid',
  active: 'Active',
  past_due: 'Payment failed',
  paused: 'Paused',
  canceled: 'Canceled',
  unpaid: 'Unpaid',
}

export const INVOICE_TONES: Record<InvoiceStatus, Tone> = {
  draft: 'neutral',
  open: 'attention',
  paid: 'working',
  void: 'neutral',
  uncollectible: 'failing',
}

export const INVOICE_TEXTS: Record<InvoiceStatus, string> = {
  draft: 'Draft',
  open: 'Open',
  paid: 'Paid',
  void: 'Void',
  uncollectible: 'Given up',
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function dayOf(at: Millis): string {
  const day = new Date(at)
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`
}

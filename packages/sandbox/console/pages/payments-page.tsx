// The pretend payment provider's view of one account: customers, subscriptions, payments, and fault switches.
import type { Millis } from '#app/lib/clock.ts'
import { INVOICE_TEXTS, INVOICE_TONES, SUBSCRIPTION_TEXTS, SUBSCRIPTION_TONES } from '../../stripe/hosted-pages.tsx'
import type { InvoiceStatus, PaymentSwitches, SubscriptionStatus } from '../../stripe/ledger.ts'
import { TEST_CARDS } from '../../stripe/test-cards.ts'
import type { AccountView, FaultRule } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { At, Badge, Card, Choice, Code, Empty, Form, Table, TextField, Tick } from '../parts.tsx'
import { countWords, faultWords, moneyWords, type Tone } from '../words.ts'

interface PaymentSubscriptionView {
  id: string
  status: SubscriptionStatus
  periodStart: Millis
  periodEnd: Millis
  /** '' when the subscription continues. */
  ends: '' | 'with the period' | 'on a day'
  card: string
}

interface PaymentInvoiceView {
  id: string
  at: Millis
  reason: string
  amountDue: number
  amountPaid: number
  currency: string
  status: InvoiceStatus
  attempts: number
  nextAttempt: Millis | null
}

interface PaymentEventView {
  id: string
  at: Millis
  type: string
  /** Empty when no endpoint is subscribed to the event. */
  posts: { state: 'held' | 'waiting' | 'delivered' | 'given_up'; attempts: number; lastStatus: number | null }[]
  body: string
}

export interface PaymentCustomerView {
  id: string
  declineNext: boolean
  /** Negative for credit. */
  balance: number
  subscriptions: PaymentSubscriptionView[]
  invoices: PaymentInvoiceView[]
  /** Reported operations, newest first. */
  usage: { identifier: string; at: Millis; value: string; canceled: boolean }[]
  /** Newest first. */
  events: PaymentEventView[]
}

export interface PaymentsView {
  account: AccountView
  customers: PaymentCustomerView[]
  switches: PaymentSwitches
  held: number
  waiting: number
  faults: FaultRule[]
  clock: ClockView
  said: Said | null
}

export const STRIPE_FAULTS: readonly (readonly [value: string, words: string])[] = [
  ['status=500', 'Answer 500'],
  ['status=503', 'Answer 503'],
  ['status=429', 'Answer 429: too many calls'],
  ['status=401', 'Answer 401: wrong key'],
  ['drop', 'Hang up before doing anything'],
  ['lose_answer', 'Do what was asked, then hang up'],
  ['hang', 'Take the call and never answer'],
  ['delay=5000', 'Answer after 5 s'],
]

export function PaymentsPage(view: PaymentsView) {
  const { account, customers, clock, said } = view
  const back = `/sandbox/console/accounts/${account.uuid}/payments`
  return (
    <Page title={`Payments of ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="payments" />
      {customers.length === 0 ? (
        <Card id="customer" title="Customer">
          <Empty>
            The pretend payment provider does not know this account yet. It becomes a customer when somebody opens the
            card form on Fieldhook’s subscription page.
          </Empty>
        </Card>
      ) : null}
      {customers.map((customer, index) => (
        <Customer key={customer.id} customer={customer} order={index + 1} view={view} back={back} />
      ))}
      <Switches view={view} back={back} />
      <Cards />
    </Page>
  )
}

interface CustomerProps {
  customer: PaymentCustomerView
  order: number
  view: PaymentsView
  back: string
}

function Customer({ customer, order, view, back }: CustomerProps) {
  const { account, clock } = view
  const zone = account.timezone
  const at = (moment: Millis) => <At key={moment} at={moment} zone={zone} now={clock.now} begin />
  return (
    <>
      <Card
        id={`customer-${order}`}
        title={order === 1 ? 'Customer' : `Customer ${order}`}
        about={<code>{customer.id}</code>}
      >
        {customer.balance === 0 ? null : (
          <p>
            {customer.balance < 0 ? 'Credit' : 'Owed on the next invoice'}:{' '}
            {moneyWords(Math.abs(customer.balance) / 100, 'GBP')}
          </p>
        )}
        {customer.subscriptions.length === 0 ? (
          <Empty>No subscription was begun.</Empty>
        ) : (
          <Table
            caption="Subscriptions"
            heads={['Subscription', 'State', 'Period', 'Card']}
            rows={customer.subscriptions.map((sub) => ({
              key: sub.id,
              cells: [
                <code key="id">{sub.id}</code>,
                <div key="state" className="buttons">
                  <Badge tone={SUBSCRIPTION_TONES[sub.status]}>{SUBSCRIPTION_TEXTS[sub.status]}</Badge>
                  {sub.ends === '' ? null : <Badge tone="attention">Ends {sub.ends}</Badge>}
                </div>,
                <span key="period">
                  {at(sub.periodStart)} to {at(sub.periodEnd)}
                </span>,
                sub.card === '' ? 'None' : sub.card,
              ],
            }))}
          />
        )}
        <Form to={`accounts/${account.uuid}/payments/decline`} back={back}>
          <input type="hidden" name="customer" value={customer.id} />
          <Tick
            id={`decline-${order}`}
            name="decline"
            label="Decline the next renewal"
            hint="The next charge that nobody is present for is declined, once."
            checked={customer.declineNext}
          />
          <button type="submit">Save</button>
        </Form>
      </Card>
      <Card id={`invoices-${order}`} title="Invoices">
        {customer.invoices.length === 0 ? (
          <Empty>There is no invoice yet.</Empty>
        ) : (
          <Table
            caption="Invoices"
            heads={['Made', 'Why', 'Due', 'State', 'Next attempt']}
            rows={customer.invoices.map((one) => ({
              key: one.id,
              cells: [
                at(one.at),
                one.reason,
                moneyWords(one.amountDue / 100, one.currency.toUpperCase()),
                <Badge key="state" tone={INVOICE_TONES[one.status]}>
                  {INVOICE_TEXTS[one.status]}
                  {one.attempts > 1 ? `, ${one.attempts} attempts` : ''}
                </Badge>,
                one.nextAttempt === null ? '–' : at(one.nextAttempt),
              ],
            }))}
          />
        )}
      </Card>
      <Usage customer={customer} order={order} zone={zone} now={clock.now} />
      <Events customer={customer} order={order} view={view} back={back} />
    </>
  )
}

function Usage({
  customer,
  order,
  zone,
  now,
}: {
  customer: PaymentCustomerView
  order: number
  zone: string
  now: Millis
}) {
  if (customer.usage.length === 0) return null
  return (
    <Card id={`usage-${order}`} title="Reported operations" about="The last twenty reports, newest first.">
      <Table
        caption="Reported operations"
        heads={['For', 'Operations', 'Identifier']}
        rows={customer.usage.map((one) => ({
          key: one.identifier,
          cells: [
            <At key="at" at={one.at} zone={zone} now={now} begin />,
            one.canceled ? `${one.value}, taken back` : one.value,
            <code key="id">{one.identifier}</code>,
          ],
        }))}
      />
    </Card>
  )
}

const POST_TEXTS: Record<PaymentEventView['posts'][number]['state'], { tone: Tone; words: string }> = {
  held: { tone: 'held', words: 'Held back' },
  waiting: { tone: 'accent', words: 'On its way' },
  delivered: { tone: 'working', words: 'Delivered' },
  given_up: { tone: 'failing', words: 'Given up' },
}

function Events({ customer, order, view, back }: CustomerProps) {
  const { account, clock } = view
  return (
    <Card id={`events-${order}`} title="Events" about="What the provider told, newest first.">
      {customer.events.length === 0 ? (
        <Empty>Nothing has happened yet.</Empty>
      ) : (
        <ul className="entries">
          {customer.events.map((event) => (
            <li key={event.id}>
              <details className="entry">
                <summary>
                  <span className="entry-title">
                    <strong>{event.type}</strong>
                  </span>
                  <span className="entry-facts">
                    {event.posts.length === 0 ? <Badge tone="neutral">Nobody listens</Badge> : null}
                    {event.posts.map((post, index) => (
                      <Badge key={index} tone={POST_TEXTS[post.state].tone}>
                        {POST_TEXTS[post.state].words}
                        {post.attempts > 1 ? `, ${post.attempts} attempts` : ''}
                      </Badge>
                    ))}
                    <At at={event.at} zone={account.timezone} now={clock.now} begin />
                  </span>
                </summary>
                <div className="entry-body">
                  <Form to={`accounts/${account.uuid}/payments/resend`} back={back}>
                    <input type="hidden" name="event" value={event.id} />
                    <button type="submit">Send it again</button>
                  </Form>
                  <Code text={event.body} />
                </div>
              </details>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Switches({ view, back }: { view: PaymentsView; back: string }) {
  const { account, switches, held, waiting, faults } = view
  const to = `accounts/${account.uuid}/payments`
  return (
    <Card id="payment-switches" title="How the provider behaves" about="These count for every account.">
      <Form to={`${to}/switches`} back={back} label="Switches">
        <Tick
          id="duplicateEvents"
          name="duplicateEvents"
          label="Send every event twice"
          checked={switches.duplicateEvents}
        />
        <Tick
          id="shuffleEvents"
          name="shuffleEvents"
          label="Send events in disorder"
          hint="One by one, in an order that has nothing to do with theirs."
          checked={switches.shuffleEvents}
        />
        <Tick
          id="holdEvents"
          name="holdEvents"
          label="Hold events back"
          hint="They wait until you let them go."
          checked={switches.holdEvents}
        />
        <Tick
          id="unpaidAfterRetries"
          name="unpaidAfterRetries"
          label="After the last failed attempt, leave the subscription unpaid"
          hint="Otherwise it is canceled."
          checked={switches.afterRetries === 'unpaid'}
        />
        <button type="submit">Save the switches</button>
      </Form>
      {held === 0 ? null : (
        <Form to={`${to}/release`} back={back}>
          <button type="submit" className="primary">
            Let {countWords(held, 'event', 'events')} go
          </button>
        </Form>
      )}
      {waiting === 0 ? null : (
        <Form to={`${to}/retry`} back={back}>
          <button type="submit">Try {countWords(waiting, 'waiting event', 'waiting events')} now</button>
        </Form>
      )}
      <Form to={`${to}/fault`} back={back} label="Spoil the next calls">
        <div className="forms">
          <Choice id="effect" name="effect" label="The next calls to the provider" options={STRIPE_FAULTS} />
          <TextField
            id="times"
            name="times"
            label="How many"
            type="number"
            min={1}
            max={1000}
            step="1"
            value={1}
            required
          />
        </div>
        <button type="submit">Spoil the next calls</button>
      </Form>
      {faults.length === 0 ? null : (
        <>
          <ul>
            {faults.map((fault) => (
              <li key={fault.id}>
                {faultWords(fault.effect)}: {countWords(fault.left, 'call', 'calls')}
              </li>
            ))}
          </ul>
          <Form to={`${to}/clear-faults`} back={back}>
            <button type="submit">Let every call work again</button>
          </Form>
        </>
      )}
    </Card>
  )
}

function Cards() {
  return (
    <Card id="cards" title="Test cards" about="Any future date, any CVC, any postcode. Every other number is refused.">
      <Table
        caption="Test cards"
        heads={['Number', 'What it does']}
        rows={TEST_CARDS.map((card) => ({
          key: card.number,
          cells: [<code key="number">{card.number.replace(/(\d{4})(?=\d)/g, '$1 ')}</code>, card.words],
        }))}
      />
    </Card>
  )
}

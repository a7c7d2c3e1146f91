// The payments part of the stage: the data of its page and the actions of its buttons.
import { faultOfHeader } from '../servicem8/faults.ts'
import { findIn } from '../stripe/ledger.ts'
import { FAULT_PREFIX } from '../stripe/stripe-options.ts'
import type { AccountView, FaultRule } from '../world.ts'
import { fieldOf, numberOf } from './form.ts'
import { type PaymentCustomerView, type PaymentsView, STRIPE_FAULTS } from './pages/payments-page.tsx'
import type { ConsoleStage } from './stage.server.ts'
import { countWords } from './words.ts'

const EVENTS_SHOWN = 60
const USAGE_SHOWN = 20
const EVERY_CALL = `${FAULT_PREFIX}/*`

const REASONS: Record<string, string> = {
  subscription_create: 'First month',
  subscription_cycle: 'Renewal',
  subscription_update: 'Early renewal',
  upcoming: 'To come',
}

export function paymentsView(stage: ConsoleStage, account: AccountView): Omit<PaymentsView, 'clock' | 'said'> {
  const { payments } = stage.world
  const { posts } = payments.ledger()
  return {
    account,
    customers: payments.customers(account.uuid).map((customer) => customerOf(stage, customer.id)),
    switches: payments.switches(),
    held: posts.filter((one) => one.state === 'held').length,
    waiting: posts.filter((one) => one.state === 'waiting' && one.attempts.length > 0).length,
    faults: stripeFaults(stage),
  }
}

function customerOf(stage: ConsoleStage, id: string): PaymentCustomerView {
  const { payments } = stage.world
  const ledger = payments.ledger()
  const customer = findIn(ledger.customers, id)
  const mine = <T extends { customer: string }>(table: Record<string, T>) =>
    Object.values(table)
      .filter((one) => one.customer === id)
      .reverse()
  const cardOf = (methodId: string | null) => {
    const method = findIn(ledger.paymentMethods, methodId)
    return method ? `ends in ${method.number.slice(-4)}` : ''
  }
  return {
    id,
    declineNext: customer?.declineNext ?? false,
    balance: customer?.balance ?? 0,
    subscriptions: mine(ledger.subscriptions).map((sub) => ({
      id: sub.id,
      status: sub.status,
      periodStart: sub.periodStart * 1000,
      periodEnd: sub.periodEnd * 1000,
      ends: sub.cancelAtPeriodEnd ? 'with the period' : sub.cancelAt !== null ? 'on a day' : '',
      card: cardOf(sub.defaultPaymentMethod ?? customer?.defaultPaymentMethod ?? null),
    })),
    invoices: mine(ledger.invoices).map((one) => ({
      id: one.id,
      at: one.created * 1000,
      reason: REASONS[one.billingReason] ?? one.billingReason,
      amountDue: one.amountDue,
      amountPaid: one.amountPaid,
      currency: one.currency,
      status: one.status,
      attempts: one.attemptCount,
      nextAttempt: one.nextPaymentAttempt === null ? null : one.nextPaymentAttempt * 1000,
    })),
    usage: ledger.meterEvents
      .filter((one) => Object.values(one.payload).includes(id))
      .slice(-USAGE_SHOWN)
      .reverse()
      .map((one) => ({
        identifier: one.identifier,
        at: one.timestamp * 1000,
        value: one.payload.value ?? '',
        canceled: one.canceled,
      })),
    events: payments
      .events(id)
      .slice(0, EVENTS_SHOWN)
      .map((event) => ({
        id: event.id,
        at: event.created * 1000,
        type: event.type,
        posts: payments.posts(event.id).map((post) => ({
          state: post.state,
          attempts: post.attempts.length,
          lastStatus: post.attempts.at(-1)?.status ?? null,
        })),
        body: JSON.stringify(withoutSecrets(event.object), null, 2),
      })),
  }
}

/** Removes client secrets, because they open a payment. */
function withoutSecrets(object: Record<string, unknown>): Record<string, unknown> {
  return 'client_secret' in object ? { ...object, client_secret: '…' } : object
}

function stripeFaults(stage: ConsoleStage): FaultRule[] {
  return stage.world.faults().filter((one) => one.path.startsWith(FAULT_PREFIX))
}

type PaymentsDone = { outcome: 'said'; tone: 'working' | 'failing' | 'attention'; text: string }

/** @param action the part after `payments/`. Null when the button is unknown, or its object no longer exists. */
export function doToPayments(stage: ConsoleStage, action: string, form: URLSearchParams): PaymentsDone | null {
  const { payments } = stage.world
  const well = (text: string): PaymentsDone => ({ outcome: 'said', tone: 'working', text })
  switch (action) {
    case 'decline': {
      const decline = form.has('decline')
      if (!payments.declineNextRenewal(fieldOf(form, 'customer'), decline)) return null
      return well(decline ? 'The next renewal will be declined.' : 'The next renewal goes as its card does.')
    }
    case 'switches':
      payments.setSwitches({
        duplicateEvents: form.has('duplicateEvents'),
        shuffleEvents: form.has('shuffleEvents'),
        holdEvents: form.has('holdEvents'),
        afterRetries: form.has('unpaidAfterRetries') ? 'unpaid' : 'cancel',
      })
      return well('The switches are saved.')
    case 'release':
      return well(`${countWords(payments.releaseEvents(), 'event is', 'events are')} on the way.`)
    case 'retry':
      return well(`${countWords(payments.retryEvents(), 'event is', 'events are')} being sent again.`)
    case 'resend':
      return payments.resendEvent(fieldOf(form, 'event')) ? well('The event is sent once more.') : null
    case 'fault': {
      const chosen = STRIPE_FAULTS.find(([value]) => value === fieldOf(form, 'effect'))
      const effect = chosen ? faultOfHeader(chosen[0]) : null
      const times = numberOf(form, 'times', { min: 1, max: 1000 })
      if (!effect || times === null) {
        return { outcome: 'said', tone: 'failing', text: 'That fault is not one of the choices. Nothing was changed.' }
      }
      stage.world.addFault({ path: EVERY_CALL, effect, times })
      return well(`${countWords(times, 'call', 'calls')} to the payment provider will go wrong.`)
    }
    case 'clear-faults': {
      const others = stage.world.faults().filter((one) => !one.path.startsWith(FAULT_PREFIX))
      stage.world.clearFaults()
      for (const { accountUuid, method, path, effect, left } of others) {
        stage.world.addFault({ accountUuid, method, path, effect, times: left })
      }
      return well('Every call to the payment provider works again.')
    }
    default:
      return null
  }
}

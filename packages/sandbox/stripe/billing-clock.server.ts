// Scheduled billing: first invoices expire, periods end, drafts become final, failed payments are retried.
import type { Millis } from '#app/lib/clock.ts'
import { invoiceView } from './billing-views.ts'
import type { Books } from './books.server.ts'
import { collectInvoice, markPastDue, methodFor } from './collecting.server.ts'
import { changeSubscription, draftInvoice, finalizeInvoice, stopCollecting } from './invoicing.server.ts'
import { allOf, getIn, type Invoice, type Seconds, type Subscription } from './ledger.ts'
import { endSubscription, expireSubscription, numbered } from './subscribing.server.ts'
import { linesAhead, linesBehind, nextPeriodEnd } from './subscription-lines.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const FIRST_PAYMENT_WITHIN = 23 * HOUR
const DRAFT_FOR = HOUR
/** Delays after each failed attempt; after the last one there are no more attempts. */
const RETRY_AFTER = [3 * DAY, 5 * DAY, 7 * DAY]

interface Due {
  at: Seconds
  run: () => void
}

/** Performs everything due, each at its own time, oldest first. Returns whether anything was due. */
export function catchUp(books: Books, until: Seconds): boolean {
  let did = false
  for (;;) {
    const next = firstDue(books)
    if (!next || next.at > until) return did
    did = true
    books.at(next.at, next.run)
  }
}

/** The next due time, in ms; null when nothing is scheduled. */
export function nextDueAt(books: Books): Millis | null {
  const next = firstDue(books)
  return next ? next.at * 1000 : null
}

function firstDue(books: Books): Due | null {
  let first: Due | null = null
  for (const one of dueOf(books)) if (!first || one.at < first.at) first = one
  return first
}

function* dueOf(books: Books): Generator<Due> {
  const { ledger } = books
  for (const sub of allOf(ledger.subscriptions)) {
    if (sub.status === 'incomplete') {
      yield { at: sub.created + FIRST_PAYMENT_WITHIN, run: () => expireSubscription(books, sub) }
    } else if (sub.endedAt === null && sub.status !== 'paused') {
      if (sub.cancelAt !== null && sub.cancelAt < sub.periodEnd) {
        yield { at: sub.cancelAt, run: () => endSubscription(books, sub, 'cancellation_requested') }
      }
      yield { at: sub.periodEnd, run: () => endPeriod(books, sub) }
    }
  }
  for (const invoice of allOf(ledger.invoices)) {
    if (invoice.status === 'draft' && invoice.automaticallyFinalizesAt !== null) {
      yield { at: invoice.automaticallyFinalizesAt, run: () => finalizeAndCollect(books, invoice) }
    }
    if (invoice.status === 'open' && invoice.nextPaymentAttempt !== null) {
      yield { at: invoice.nextPaymentAttempt, run: () => collectAgain(books, invoice) }
    }
  }
}

function endPeriod(books: Books, sub: Subscription): void {
  const { ledger } = books
  const last = sub.cancelAtPeriodEnd || (sub.cancelAt !== null && sub.cancelAt <= sub.periodEnd)
  const behind = linesBehind(ledger, sub, sub.periodStart, sub.periodEnd)
  const [periodStart, periodEnd] = [sub.periodStart, sub.periodEnd]
  if (last) {
    // Usage is still owed after the end.
    if (behind.some((line) => line.amount > 0)) {
      const lines = numbered(books, behind)
      const invoice = draftInvoice(books, sub, { reason: 'subscription_cycle', lines, periodStart, periodEnd })
      finalizeAndCollect(books, invoice)
    }
    endSubscription(books, sub, 'cancellation_requested')
    return
  }
  changeSubscription(books, sub, () => {
    sub.periodEnd = nextPeriodEnd(ledger, sub)
    sub.periodStart = periodEnd
    const lines = numbered(books, [...behind, ...linesAhead(ledger, sub, periodEnd, sub.periodEnd)])
    const invoice = draftInvoice(books, sub, { reason: 'subscription_cycle', lines, periodStart, periodEnd })
    if (sub.status === 'unpaid') stopCollecting(invoice)
    else invoice.automaticallyFinalizesAt = books.now() + DRAFT_FOR
  })
}

function finalizeAndCollect(books: Books, invoice: Invoice): void {
  finalizeInvoice(books, invoice)
  if (invoice.status === 'open') collect(books, invoice)
}

function collectAgain(books: Books, invoice: Invoice): void {
  invoice.attemptCount++
  collect(books, invoice)
}

function collect(books: Books, invoice: Invoice): void {
  const { ledger } = books
  const sub = getIn(ledger.subscriptions, invoice.subscription)
  const attempts = Math.max(1, invoice.attemptCount)
  const wait = RETRY_AFTER[attempts - 1]
  // Set before the attempt, so that the failure event contains the next attempt's time.
  invoice.nextPaymentAttempt = wait === undefined ? null : books.now() + wait
  if (collectInvoice(books, invoice, methodFor(books, sub))) return
  if (invoice.nextPaymentAttempt !== null) {
    markPastDue(books, sub, invoice)
    return
  }
  if (ledger.switches.afterRetries === 'cancel') {
    endSubscription(books, sub, 'payment_failed')
    return
  }
  stopCollecting(invoice)
  books.emit('invoice.updated', invoiceView(ledger, invoice))
  changeSubscription(books, sub, () => {
    sub.status = 'unpaid'
  })
}

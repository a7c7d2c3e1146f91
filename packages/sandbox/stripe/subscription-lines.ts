// The lines of a subscription's invoices: the month ahead, the usage of the past month, and prorated months.
import { periodEndAfter, priceOf, unusedShare } from './billing-months.ts'
import {
  type Customer,
  getIn,
  type InvoiceLine,
  type Ledger,
  type MeterEvent,
  type Price,
  type Seconds,
  type Subscription,
  type SubscriptionItem,
} from './ledger.ts'

type NewLine = Omit<InvoiceLine, 'id' | 'metadata' | 'invoiceItem'>

/** The first period of a subscription that begins at `start`. */
export function firstPeriodEnd(ledger: Ledger, items: readonly SubscriptionItem[], start: Seconds): Seconds {
  const { interval, intervalCount } = recurringOf(ledger, items)
  return periodEndAfter(start, start, interval, intervalCount)
}

/** The end of the period that follows the running one. */
export function nextPeriodEnd(ledger: Ledger, sub: Subscription): Seconds {
  const { interval, intervalCount } = recurringOf(ledger, sub.items)
  return periodEndAfter(sub.anchor, sub.periodEnd, interval, intervalCount)
}

function recurringOf(ledger: Ledger, items: readonly SubscriptionItem[]): NonNullable<Price['recurring']> {
  const first = items[0]
  const recurring = first ? getIn(ledger.prices, first.price).recurring : null
  if (!recurring) throw new Error('a subscription without a recurring price was kept')
  return recurring
}

/** Paid in advance: one line for each item that has a quantity. */
export function linesAhead(ledger: Ledger, sub: Subscription, start: Seconds, end: Seconds): NewLine[] {
  return sub.items.flatMap((item) => {
    const price = getIn(ledger.prices, item.price)
    if (item.quantity === null) return []
    const amount = priceOf(price, item.quantity)
    return [itemLine(ledger, item, { amount, quantity: item.quantity, periodStart: start, periodEnd: end })]
  })
}

/** Paid in arrears: the customer's reported usage between two times (the first included). */
export function linesBehind(ledger: Ledger, sub: Subscription, start: Seconds, end: Seconds): NewLine[] {
  return sub.items.flatMap((item) => {
    const price = getIn(ledger.prices, item.price)
    if (price.recurring?.usageType !== 'metered') return []
    const quantity = usageOf(ledger, price, getIn(ledger.customers, sub.customer), start, end)
    const amount = priceOf(price, quantity)
    return [itemLine(ledger, item, { amount, quantity, periodStart: start, periodEnd: end })]
  })
}

/** Refunds the rest of the paid period: by the second, from the given time. */
export function creditLines(ledger: Ledger, sub: Subscription, from: Seconds): NewLine[] {
  return linesAhead(ledger, sub, sub.periodStart, sub.periodEnd).map((line) => ({
    ...line,
    amount: -unusedShare(line.amount, sub.periodStart, sub.periodEnd, from),
    description: `Unused time on ${line.description}`,
    periodStart: from,
    proration: true,
  }))
}

function itemLine(
  ledger: Ledger,
  item: SubscriptionItem,
  rest: Pick<NewLine, 'amount' | 'quantity' | 'periodStart' | 'periodEnd'>,
): NewLine {
  const price = getIn(ledger.prices, item.price)
  const { name } = getIn(ledger.products, price.product)
  return {
    description: `${rest.quantity} × ${name}`,
    price: price.id,
    product: price.product,
    unitAmount: price.unitAmount,
    proration: false,
    subscriptionItem: item.id,
    ...rest,
  }
}

/** A customer's usage of a metered price between two times. */
function usageOf(ledger: Ledger, price: Price, customer: Customer, start: Seconds, end: Seconds): number {
  const meter = price.recurring?.meter ? getIn(ledger.meters, price.recurring.meter) : null
  if (!meter) return 0
  const events = ledger.meterEvents.filter(
    (one) =>
      one.eventName === meter.eventName &&
      !one.canceled &&
      one.payload[meter.customerKey] === customer.id &&
      one.timestamp >= start &&
      one.timestamp < end,
  )
  return aggregate(events, meter.formula, meter.valueKey)
}

export function aggregate(events: readonly MeterEvent[], formula: 'sum' | 'count' | 'last', valueKey: string): number {
  const numberOf = (event: MeterEvent | undefined) => Number(event?.payload[valueKey] ?? 0)
  switch (formula) {
    case 'sum':
      return events.reduce((sum, event) => sum + numberOf(event), 0)
    case 'count':
      return events.length
    case 'last':
      return numberOf([...events].sort((a, b) => a.timestamp - b.timestamp).at(-1))
  }
}

// Periods and sums of a subscription: months of different lengths, prorated by the second, prices with decimals.
import type { Interval, Price, Seconds } from './ledger.ts'

const DAY = 86_400

/**
 * The time `count` periods after the anchor. A month keeps the anchor's day, or uses its last day if it is shorter: 31
 * January → 28 February → 31 March.
 */
export function afterPeriods(anchor: Seconds, count: number, interval: Interval, intervalCount = 1): Seconds {
  const steps = count * intervalCount
  switch (interval) {
    case 'day':
      return anchor + steps * DAY
    case 'week':
      return anchor + steps * 7 * DAY
    case 'month':
      return addMonths(anchor, steps)
    case 'year':
      return addMonths(anchor, steps * 12)
  }
}

function addMonths(at: Seconds, months: number): Seconds {
  const from = new Date(at * 1000)
  const month = from.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Math.min(from.getUTCDate(), lastDay)
  const time = at - Math.floor(at / DAY) * DAY
  return Date.UTC(from.getUTCFullYear(), month, day) / 1000 + time
}

/** The end of the period that contains `at`, counted from the anchor. */
export function periodEndAfter(anchor: Seconds, at: Seconds, interval: Interval, intervalCount = 1): Seconds {
  let count = 1
  while (afterPeriods(anchor, count, interval, intervalCount) <= at) count++
  return afterPeriods(anchor, count, interval, intervalCount)
}

/** The value of the rest of a paid period, in whole pence. Outside of the period: 0 after it, all of it before. */
export function unusedShare(amount: number, start: Seconds, end: Seconds, from: Seconds): number {
  const left = Math.min(Math.max(end - from, 0), end - start)
  return end > start ? Math.round((amount * left) / (end - start)) : 0
}

const SCALE = 12

/** Converts decimal text in pence to units of 10^-12 pence. */
function scaled(text: string): bigint {
  const negative = text.startsWith('-')
  const [whole = '0', part = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole) * 10n ** BigInt(SCALE) + BigInt(part.padEnd(SCALE, '0').slice(0, SCALE))
  return negative ? -value : value
}

function rounded(value: bigint): number {
  const one = 10n ** BigInt(SCALE)
  const half = value < 0n ? -one / 2n : one / 2n
  return Number((value + half) / one)
}

/** Whether the text is a number with at most twelve decimals. */
export function isDecimal(text: string): boolean {
  return /^-?\d{1,15}(\.\d{1,12})?$/.test(text)
}

/** The price of the quantity, in whole pence, rounded once. */
export function priceOf(price: Pick<Price, 'unitAmount' | 'tiers' | 'tiersMode'>, quantity: number): number {
  if (!price.tiers) return rounded(scaled(price.unitAmount ?? '0') * BigInt(quantity))
  if (price.tiersMode === 'volume') {
    const tier = price.tiers.find((one) => one.upTo === null || quantity <= one.upTo)
    return tier ? rounded(scaled(tier.unitAmount) * BigInt(quantity) + scaled(tier.flatAmount ?? '0')) : 0
  }
  let sum = 0n
  let from = 0
  for (const tier of price.tiers) {
    const upTo = Math.min(tier.upTo ?? quantity, quantity)
    if (upTo <= from) break
    sum += scaled(tier.unitAmount) * BigInt(upTo - from) + scaled(tier.flatAmount ?? '0')
    from = upTo
  }
  return rounded(sum)
}

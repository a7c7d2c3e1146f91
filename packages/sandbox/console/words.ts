// Formats times, sums and states for the stage's pages.
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { localText, UNSET_TIME } from '../servicem8/local-time.ts'
import type { DeliveryView, FaultEffect, JobStatus, SubscriptionView } from '../world.ts'

export type Tone = 'neutral' | 'accent' | 'working' | 'attention' | 'failing' | 'held'

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const WALL = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d:\d\d)(?::\d\d)?)?/

/** `Europe/London` → `London`. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/**
 * Formats a local time of the platform: `today 09:14`, `Tue 6 Jan, 09:14`; `–` when unset.
 * @param now the current time of the same clock, to determine today
 */
export function wallWords(text: string, now: string): string {
  const match = WALL.exec(text)
  if (!match || text.startsWith(UNSET_TIME.slice(0, 10))) return '–'
  const [, year = '', month = '', day = '', at] = match
  const noon = Date.parse(`${year}-${month}-${day}T12:00:00Z`)
  if (Number.isNaN(noon)) return '–'
  const apart = Math.round((noon - Date.parse(`${now.slice(0, 10)}T12:00:00Z`)) / days(1))
  const close = new Map([
    [-1, 'yesterday'],
    [0, 'today'],
    [1, 'tomorrow'],
  ]).get(apart)
  if (close) return at ? `${close} ${at}` : close
  const date = `${WEEKDAYS[new Date(noon).getUTCDay()]} ${Number(day)} ${MONTHS[Number(month) - 1]}`
  const far = year === now.slice(0, 4) ? date : `${date} ${year}`
  return at ? `${far}, ${at}` : far
}

/** Formats the clock: `Tue 6 Jan 2026, 09:14`. */
export function clockWords(at: Millis, zone: string): string {
  const text = localText(at, zone)
  const day = new Date(Date.parse(`${text.slice(0, 10)}T12:00:00Z`))
  const date = `${WEEKDAYS[day.getUTCDay()]} ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`
  return `${date}, ${text.slice(11, 16)}`
}

/** Formats a duration: `3 days 2 h`, `5 min`. */
export function spanText(ms: Millis): string {
  if (ms < minutes(1)) return `${Math.max(1, Math.round(ms / 1000))} s`
  const wholeDays = Math.floor(ms / days(1))
  const wholeHours = Math.floor((ms % days(1)) / hours(1))
  const wholeMinutes = Math.floor((ms % hours(1)) / minutes(1))
  const parts = [
    wholeDays > 0 ? `${wholeDays} ${wholeDays === 1 ? 'day' : 'days'}` : '',
    wholeHours > 0 ? `${wholeHours} h` : '',
    wholeMinutes > 0 ? `${wholeMinutes} min` : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

/** Money text of a record in the account's currency: `£1,180.00`. */
export function moneyWords(amount: unknown, currency: string): string {
  const value = Number(amount)
  if (!Number.isFinite(value)) return '–'
  try {
    return new Intl.NumberFormat('en-GB', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }).format(
      value,
    )
  } catch {
    return `${value.toFixed(2)} ${currency}`
  }
}

export function statusTone(status: string): Tone {
  const tones: Record<JobStatus, Tone> = {
    Quote: 'held',
    'Work Order': 'accent',
    Completed: 'working',
    Unsuccessful: 'neutral',
  }
  return tones[status as JobStatus] ?? 'neutral'
}

interface StateWords {
  tone: Tone
  words: string
}

export function deliveryWords(delivery: DeliveryView): StateWords {
  switch (delivery.state) {
    case 'waiting':
      return delivery.attempts.length === 0
        ? { tone: 'accent', words: 'On its way' }
        : { tone: 'attention', words: 'Failing, will be tried again' }
    case 'delivered':
      return { tone: 'working', words: 'Delivered' }
    case 'given_up':
      return { tone: 'failing', words: 'Given up' }
    case 'dropped':
      return { tone: 'held', words: 'Lost on purpose' }
    case 'unsubscribed':
      return { tone: 'neutral', words: 'Subscription ended' }
    default:
      return assertNever(delivery.state)
  }
}

export function subscriptionWords(subscription: SubscriptionView): StateWords {
  if (subscription.deleted) return { tone: 'neutral', words: 'Ended' }
  if (!subscription.active) return { tone: 'failing', words: 'Switched off by the platform' }
  return subscription.failingSince === null
    ? { tone: 'working', words: 'Active' }
    : { tone: 'attention', words: 'Active, but failing' }
}

export function faultWords(effect: FaultEffect): string {
  switch (effect.kind) {
    case 'status':
      return `Answers ${effect.status}`
    case 'hang':
      return 'Takes the call and never answers'
    case 'drop':
      return 'Hangs up before doing anything'
    case 'lose_answer':
      return 'Does what was asked, then hangs up'
    case 'delay':
      return `Answers after ${effect.ms / 1000} s`
    default:
      return assertNever(effect)
  }
}

/** The end of an address that holds a capability: enough to recognise it, too little to use it. */
export function shortAddress(address: string): string {
  return address.replace(/\/([\w-]{16,})(?=$|[/?])/g, (_, token: string) => `/${token.slice(0, 4)}…${token.slice(-4)}`)
}

export function countWords(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`
}

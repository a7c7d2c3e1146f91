// Formats money, dates and times for the account's customers. Implements the formats itself, because a runtime's locale
// output changes with its version, and the text sent must be exactly the text that was checked.
import type { Wall } from '#app/lib/zone.ts'
import { type Country, readCountry } from '../country.ts'
import { dateOf, dayOf, MONTHS, WEEKDAYS, wallOfDay, weekdayOf } from './local-time.ts'
import { grouped } from './moments.ts'

/** How an account writes amounts and dates: codes, or the country in words; empty = unknown. */
export interface WritingHabits {
  currency: string
  country: string
}

const SIGNS: Readonly<Record<string, string>> = {
  GBP: '£',
  EUR: '€',
  AUD: '$',
  NZD: '$',
  USD: '$',
  CAD: '$',
}

const CURRENCY_OF: Readonly<Record<Country, string>> = {
  GB: 'GBP',
  AU: 'AUD',
  NZ: 'NZD',
  US: 'USD',
  IE: 'EUR',
  CA: 'CAD',
}

/** `£1,234.50`; a currency without a known symbol: `SGD 1,234.50`; unknown currency: `1,234.50`. */
export function moneyText(amount: number, { currency, country }: WritingHabits): string {
  const home = readCountry(country)
  const code = currency.trim().toUpperCase() || (home ? CURRENCY_OF[home] : '')
  const sign = SIGNS[code] ?? (code === '' ? '' : `${code} `)
  const cents = Math.round(Math.abs(amount) * 100)
  const text = `${sign}${grouped(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`
  return amount < 0 && cents > 0 ? `-${text}` : text
}

/** `1,234.5`: thousands separators, no trailing zeros. */
export function numberText(value: number): string {
  const [whole = '0', part = ''] = String(Math.abs(Math.round(value * 1e6) / 1e6)).split('.')
  const text = part === '' ? grouped(Number(whole)) : `${grouped(Number(whole))}.${part}`
  return value < 0 && Number(text.replaceAll(',', '')) !== 0 ? `-${text}` : text
}

/** `21 Nov 2026`; in North America `Nov 21, 2026`. */
export function dateText(wall: Wall, { country }: WritingHabits): string {
  const { year, month, date } = dateOf(dayOf(wall))
  const name = (MONTHS[month - 1] ?? '').slice(0, 3)
  return writesMonthFirst(country) ? `${name} ${date}, ${year}` : `${date} ${name} ${year}`
}

/** `14:30`; in countries with a 12-hour clock `2:30 pm`. */
export function timeText(wall: Wall, { country }: WritingHabits): string {
  const minutes = Math.floor((wall - wallOfDay(dayOf(wall))) / 60_000)
  const hour = Math.floor(minutes / 60)
  const minute = String(minutes % 60).padStart(2, '0')
  if (!hasTwelveHours(country)) return `${String(hour).padStart(2, '0')}:${minute}`
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'am' : 'pm'}`
}

/** `Saturday`. */
export function weekdayText(wall: Wall): string {
  return WEEKDAYS[weekdayOf(dayOf(wall)) - 1] ?? ''
}

/** `November 2026`. */
export function monthText(day: number): string {
  const { year, month } = dateOf(day)
  return `${MONTHS[month - 1]} ${year}`
}

function writesMonthFirst(country: string): boolean {
  const home = readCountry(country)
  return home === 'US' || home === 'CA'
}

function hasTwelveHours(country: string): boolean {
  const home = readCountry(country)
  return home === 'US' || home === 'CA' || home === 'AU' || home === 'NZ'
}

const TITLES = /^(?:mr|mrs|ms|miss|mx|dr|prof|sir|dame|lady|lord|rev)\.?$/i

/**
 * The name for a greeting: `Margaret` from `Mrs Margaret Smith`, `SMITH, MARGARET` and `margaret`. If only a title and
 * a surname are known, both.
 */
export function firstName(text: string): string {
  const [before = '', after = ''] = text.split(',')
  const words = (after.trim() === '' ? before : `${after} ${before}`).trim().split(/\s+/).filter(Boolean)
  const titled = TITLES.test(words[0] ?? '')
  const names = titled ? words.slice(1) : words
  if (titled && names.length === 1) return [words[0], capitalised(names[0] ?? '')].join(' ')
  return capitalised(names[0] ?? '')
}

/** Fixes names in all capitals or all lower case; a name in mixed case stays unchanged. */
function capitalised(name: string): string {
  if (name !== name.toUpperCase() && name !== name.toLowerCase()) return name
  // "JP" and "Al" may be real names.
  if (name.length <= 2 && name === name.toUpperCase()) return name
  return name
    .toLowerCase()
    .replace(/(^|[-'’])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())
}

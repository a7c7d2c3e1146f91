// Formats a value ("as money") and makes it safe for its destination.
import {
  dateText,
  firstName,
  moneyText,
  numberText,
  timeText,
  type WritingHabits,
  weekdayText,
} from '#app/domain/time/local-format.ts'
import { dayOf, isoDate, localStamp, readLocal, readToday, todayOf, wallOfDay } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { isBlank, readNumber } from '../../records/field-value.ts'
import { toE164 } from '../../records/phone.ts'
import type { Format } from './placeholder-syntax.ts'

/**
 * The destination of a text. `plain`: e-mail or note without markup · `html` · `subject`: one line · `sms` · `json`: in
 * a JSON string · `phone`: a receiver's number · `date`: a date field of the platform · `field`: any other.
 */
export type Destination = 'plain' | 'html' | 'subject' | 'sms' | 'json' | 'phone' | 'date' | 'field'

interface FormatAccount extends WritingHabits {
  /** IANA. */
  zone: string
}

/** The formatted value; null when it does not fit the format (the value is then best left unchanged). */
export function formatted(value: string, format: Format, account: FormatAccount): string | null {
  switch (format) {
    case 'date':
    case 'time':
    case 'weekday': {
      const reading = readLocal(value.trim(), account.zone)
      if (reading === null || (format === 'time' && !reading.hasTime)) return null
      if (format === 'date') return dateText(reading.wall, account)
      return format === 'time' ? timeText(reading.wall, account) : weekdayText(reading.wall)
    }
    case 'money':
    case 'number': {
      const number = readNumber(value)
      if (number === null) return null
      return format === 'money' ? moneyText(number, account) : numberText(number)
    }
    case 'phone': {
      const phone = toE164(value, account.country)
      return phone.outcome === 'ok' ? phone.number : null
    }
    case 'first name':
      return firstName(value)
    case 'upper':
      return value.toUpperCase()
    default:
      return assertNever(format)
  }
}

/** Forbidden in texts: control characters but tab and line break, lone surrogates, marks that change direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const UNWANTED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/gu

export function cleaned(text: string): string {
  return text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replace(UNWANTED, '')
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * A cleaned value, made safe for its destination. Inside an HTML tag (a link's address) line breaks become spaces and
 * addresses that would run a script become `#`.
 */
export function escaped(value: string, destination: Destination, isInTag: boolean): string {
  switch (destination) {
    case 'html': {
      // Browsers ignore spaces, tabs and line breaks within a scheme.
      const isScript = isInTag && /^(?:javascript|vbscript|data):/i.test(value.replace(/\s+/g, ''))
      const safe = (isScript ? '#' : value).replace(/[&<>"']/g, (character) => HTML[character] ?? '')
      return safe.replaceAll('\n', isInTag ? ' ' : '<br>\n')
    }
    case 'json':
      return JSON.stringify(value).slice(1, -1)
    case 'subject':
      return value.replace(/\s+/g, ' ').trim()
    case 'phone':
    case 'date':
      return value.trim()
    case 'plain':
    case 'sms':
    case 'field':
      return value
    default:
      return assertNever(destination)
  }
}

/** The whole text in its destination's form: one line for a subject, E.164 for a number, `2026-11-21` for a date. */
export function finished(text: string, destination: Destination, account: FormatAccount, now: number): string {
  switch (destination) {
    case 'subject':
      return text.replace(/\s+/g, ' ').trim()
    case 'phone': {
      const phone = toE164(text, account.country)
      return phone.outcome === 'ok' ? phone.number : text.trim()
    }
    case 'date':
      return dateField(text.trim(), account, now)
    case 'plain':
    case 'sms':
    case 'field':
    case 'html':
    case 'json':
      return text
    default:
      return assertNever(destination)
  }
}

/** `TODAY`, `TODAY+7` and dates with or without a time of day; any other text stays, for the step to refuse. */
function dateField(text: string, { zone }: FormatAccount, now: number): string {
  if (isBlank(text)) return ''
  const days = readToday(text)
  if (days !== null) return isoDate(todayOf({ now, zone }) + days)
  const reading = readLocal(text, zone)
  if (reading === null) return text
  const day = dayOf(reading.wall)
  return reading.wall === wallOfDay(day) ? isoDate(day) : localStamp(reading.wall)
}

// Reads the text of a field as a number, an amount, a flag or a list. The platform writes flags as 1, "1" or true,
// amounts as text, and lists as JSON inside a text (servicem8 facts 5.1).

/** True for an empty text and for a date the platform never set. */
export function isBlank(text: string): boolean {
  return text.trim() === '' || text.startsWith('0000-00-00')
}

/** Also true for the words that faulty programs write for an empty value; they are never shown. */
export function isNothing(text: string): boolean {
  return isBlank(text) || text === 'undefined' || text === 'null'
}

const PLAIN = /^[+-]?\d+(\.\d+)?$/
const AMOUNT = /^([+-])?\s*(?:[A-Z]{2,3}\$?|[A-Z]?\p{Sc})?\s*([+-])?((?:\d[\d.,' ]*)?\d)\s*(?:[A-Z]{3}|\p{Sc})?$/u

/**
 * `1234.5`, `1,234.50`, `£1,234.50`, `1.234,50`, `-$12`, `AUD 40`; null when it is not one. A lone comma followed by
 * three digits separates thousands, otherwise decimals.
 */
export function readNumber(text: string): number | null {
  const trimmed = text.trim()
  if (PLAIN.test(trimmed)) return Number(trimmed)
  const match = AMOUNT.exec(trimmed.replace(/[\u00a0\u202f\u2009]/g, ' ').replace(/\u2212/g, '-'))
  if (!match) return null
  const [, outer, inner, digits = ''] = match
  if (outer && inner) return null
  const plain = withoutSeparators(digits.replace(/[' ]/g, ''))
  if (plain === null) return null
  return (outer ?? inner) === '-' ? 0 - Number(plain) : Number(plain)
}

function withoutSeparators(digits: string): string | null {
  const comma = digits.lastIndexOf(',')
  const dot = digits.lastIndexOf('.')
  if (comma < 0 && dot < 0) return digits
  if (comma >= 0 && dot >= 0) {
    const [decimal, thousands] = comma > dot ? [',', '.'] : ['.', ',']
    const [whole = '', part = '', ...more] = digits.split(decimal)
    return more.length === 0 && isGrouped(whole, thousands) ? `${whole.replaceAll(thousands, '')}.${part}` : null
  }
  if (comma >= 0 && isGrouped(digits, ',')) return digits.replaceAll(',', '')
  const parts = digits.split(comma >= 0 ? ',' : '.')
  if (parts.length === 2) return parts.join('.')
  return dot >= 0 && isGrouped(digits, '.') ? digits.replaceAll('.', '') : null
}

function isGrouped(digits: string, separator: string): boolean {
  const [first = '', ...groups] = digits.split(separator)
  return /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group))
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['yes', true],
  ['on', true],
  ['', false],
  ['0', false],
  ['false', false],
  ['no', false],
  ['off', false],
])

/** `1`, `true`, `Yes` → true; `0`, `false`, `no` and an empty text → false; null for anything else. */
export function readFlag(text: string): boolean | null {
  return FLAGS.get(text.trim().toLowerCase()) ?? null
}

/** More entries than any record has; the rest is ignored. */
const MOST_ENTRIES = 1_000

/** `["a","b"]` (the form of badges) or `a, b`, as its first thousand entries; none for an empty text. */
export function readList(text: string): string[] {
  return entriesOf(text.trim()).slice(0, MOST_ENTRIES)
}

function entriesOf(trimmed: string): string[] {
  if (trimmed === '') return []
  if (trimmed.startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(trimmed)
      if (Array.isArray(parsed))
        return parsed.slice(0, MOST_ENTRIES).map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
    } catch {
      // Not valid JSON: read it as a plain list.
    }
  }
  return trimmed
    .split(',', MOST_ENTRIES)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text.trim())
}

/** A form for comparing texts: ignores case, outer spaces and the encoding of accents. */
export function folded(text: string): string {
  if (text.length < LONG) return foldedAnew(text)
  // Fifty conditions at thirty moments compare the same text of one record.
  if (lastLong.text !== text) lastLong = { text, folded: foldedAnew(text) }
  return lastLong.folded
}

const LONG = 1_500
let lastLong = { text: '', folded: '' }

function foldedAnew(text: string): string {
  const plain = text.trim().toLowerCase()
  return ONLY_ASCII.test(plain) ? plain : plain.normalize('NFC')
}

const ONLY_ASCII = /^[\x20-\x7e]*$/

const WITH_UNIT = /(?<!\d)(\d{1,3})[\s-]*(?:(?:calendar|working|business)\s*)?(day|week|month)/i
const NET = /\bnet\s*(\d{1,3})(?!\d)/i
/** No part of an amount, a percentage or a number of hours. */
const ALONE = /(?<![\d.,\p{Sc}])(\d{1,3})(?![.,]?\d|\s*(?:%|h(?:ou)?rs?\b))/u
const AFTER_MONTH = /\beom\b|\b(?:end of|following|next)(?: the)? month|\bmonth end\b|\d(?:st|nd|rd|th) (?:day )?of/i
const UNIT_DAYS: Readonly<Record<string, number>> = { week: 7, month: 30 }

/**
 * Days a customer has to pay, from free text: `14`, `14 days from the date of invoice`, `Net 30`, `Due on receipt`.
 * Days counted from the end of a month count from the latest such day: nobody is reminded too early. Null when unreadable.
 */
export function readPaymentDays(text: string): number | null {
  const [, count, unit = ''] = WITH_UNIT.exec(text) ?? NET.exec(text) ?? ALONE.exec(text) ?? []
  const days = count === undefined ? 0 : Number(count) * (UNIT_DAYS[unit.toLowerCase()] ?? 1)
  if (AFTER_MONTH.test(text)) return 31 + (count === undefined && /following|next/i.test(text) ? 30 : days)
  if (count !== undefined) return days
  return /\b(receipt|immediate(ly)?|completion|cod|cash on delivery|upfront)\b/i.test(text) ? 0 : null
}

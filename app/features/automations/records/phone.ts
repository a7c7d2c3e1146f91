// Phone numbers in the format of the platform's text messages: E.164, `+447700900123`. Owners and their customers write
// them in their national format.
import { type Country, readCountry } from '#app/domain/country.ts'

type PhoneNumber =
  | { outcome: 'ok'; number: string }
  /** `sentence` tells a person what is wrong with it. */
  | {
      outcome: 'refused'
      why: 'empty' | 'letters' | 'too_short' | 'too_long' | 'not_a_number' | 'needs_plus'
      sentence: string
    }

interface Dialling {
  name: string
  /** Calling code. */
  code: string
  /** Dialled before a national number, left out from abroad. */
  trunk: string
  /** Prefixes dialled before a foreign number. */
  abroad: readonly string[]
  /** The number without trunk and calling code. */
  national: RegExp
  shortest: number
  longest: number
}

const NORTH_AMERICA = {
  code: '1',
  trunk: '1',
  abroad: ['011'],
  national: /^[2-9]\d{2}[2-9]\d{6}$/,
  shortest: 10,
  longest: 10,
} as const

const DIALLING: Readonly<Record<Country, Dialling>> = {
  GB: {
    name: 'a UK',
    code: '44',
    trunk: '0',
    abroad: ['00'],
    national: /^(?:[1-35789]\d{9}|1\d{8}|800\d{6})$/,
    shortest: 9,
    longest: 10,
  },
  AU: {
    name: 'an Australian',
    code: '61',
    trunk: '0',
    abroad: ['0011'],
    national: /^(?:[23478]\d{8}|1[38]00\d{6}|13\d{4})$/,
    shortest: 9,
    longest: 10,
  },
  NZ: {
    name: 'a New Zealand',
    code: '64',
    trunk: '0',
    abroad: ['00'],
    national: /^(?:2\d{7,9}|[34679]\d{7}|[58]\d{7,9})$/,
    shortest: 8,
    longest: 10,
  },
  IE: {
    name: 'an Irish',
    code: '353',
    trunk: '0',
    abroad: ['00'],
    national: /^(?:8\d{8}|[1-79]\d{6,8})$/,
    shortest: 7,
    longest: 9,
  },
  US: { name: 'a US', ...NORTH_AMERICA },
  CA: { name: 'a Canadian', ...NORTH_AMERICA },
}

/** The most digits E.164 allows, including the calling code. */
const LONGEST = 15
const SHORTEST = 8
/** Characters, including everything people write around a number. */
const LONGEST_WRITTEN = 200

/**
 * `07700 900123` with `GB` → `+447700900123`. `country` is a code or a name; without a known one only numbers with `+`
 * (or `00`) are accepted. Ignores `(0)` after a calling code, spaces, dots, dashes, brackets and an extension.
 */
export function toE164(text: string, country: string): PhoneNumber {
  if (text.length > LONGEST_WRITTEN) {
    return refused('not_a_number', `${shown(text.slice(0, LONGEST_WRITTEN))} cannot be read as one phone number.`)
  }
  const home = readCountry(country)
  const written = plainDigits(text)
  if (typeof written !== 'string') return written
  const abroad = asAbroad(written, home)
  if (abroad !== null) return international(abroad, text)
  if (home === null) {
    return refused('needs_plus', `The number ${shown(text)} needs its country code, such as +44 or +61.`)
  }
  return national(written, home, text)
}

/** At most one leading `+`, then only digits; or the problem. */
function plainDigits(text: string): string | Extract<PhoneNumber, { outcome: 'refused' }> {
  const cleaned = text
    .normalize('NFKC')
    // Invisible marks that are copied along with a number from an address book.
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/^tel:\s*/i, '')
    .replace(/[,;\s]*(?:ext|extn|extension|x|#)\.?\s*\d{1,6}$/i, '')
  if (cleaned === '') return refused('empty', 'There is no phone number.')
  if (/\p{L}/u.test(cleaned)) return refused('letters', `${shown(text)} is not a phone number.`)
  const digits = cleaned.replace(/\(0\)/g, '').replace(/[\s.\-\u2010-\u2015\u2212()[\]/]/g, '')
  if (/^\+?\d+$/.test(digits)) return digits
  return refused('not_a_number', `${shown(text)} cannot be read as one phone number.`)
}

/** The digits from the calling code on; null if the number has no calling code. */
function asAbroad(written: string, home: Country | null): string | null {
  if (written.startsWith('+')) return written.slice(1)
  const prefixes = home === null ? ['00'] : DIALLING[home].abroad
  const prefix = prefixes.find((one) => written.startsWith(one) && written.length > one.length + 6)
  return prefix === undefined ? null : written.slice(prefix.length)
}

function international(digits: string, text: string): PhoneNumber {
  const dialling = Object.values(DIALLING).find(({ code }) => digits.startsWith(code))
  if (dialling) {
    const bare = withoutTrunk(digits.slice(dialling.code.length), dialling)
    const wrong = wrongLength(bare, dialling, text)
    return wrong ?? { outcome: 'ok', number: `+${dialling.code}${bare}` }
  }
  if (digits.startsWith('0')) return refused('not_a_number', `${shown(text)} cannot be read as one phone number.`)
  if (digits.length < SHORTEST) return refused('too_short', `The number ${shown(text)} is too short.`)
  if (digits.length > LONGEST) return refused('too_long', `The number ${shown(text)} is too long.`)
  return { outcome: 'ok', number: `+${digits}` }
}

function national(written: string, home: Country, text: string): PhoneNumber {
  const dialling = DIALLING[home]
  const bare = withoutTrunk(written, dialling)
  if (dialling.national.test(bare)) return { outcome: 'ok', number: `+${dialling.code}${bare}` }
  // The plus is missing: 447700900123.
  const afterCode = written.startsWith(dialling.code) ? withoutTrunk(written.slice(dialling.code.length), dialling) : ''
  if (dialling.national.test(afterCode)) return { outcome: 'ok', number: `+${dialling.code}${afterCode}` }
  return (
    wrongLength(bare, dialling, text) ??
    refused('not_a_number', `The number ${shown(text)} is not ${dialling.name} number.`)
  )
}

function withoutTrunk(digits: string, { trunk, longest, national: shape }: Dialling): string {
  if (!digits.startsWith(trunk)) return digits
  const bare = digits.slice(trunk.length)
  if (shape.test(bare)) return bare
  // No number starts with 0 after the trunk; a 1 may also be a typing mistake.
  return shape.test(digits) || (trunk !== '0' && digits.length <= longest) ? digits : bare
}

function wrongLength(bare: string, { shortest, longest, national: shape }: Dialling, text: string): PhoneNumber | null {
  if (shape.test(bare)) return null
  if (bare.length < shortest) return refused('too_short', `The number ${shown(text)} is too short.`)
  if (bare.length > longest) return refused('too_long', `The number ${shown(text)} is too long.`)
  return refused('not_a_number', `${shown(text)} is not a phone number.`)
}

function refused(
  why: Extract<PhoneNumber, { outcome: 'refused' }>['why'],
  sentence: string,
): Extract<PhoneNumber, { outcome: 'refused' }> {
  return { outcome: 'refused', why, sentence }
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 30 ? `"${line.slice(0, 30)}…"` : `"${line}"`
}

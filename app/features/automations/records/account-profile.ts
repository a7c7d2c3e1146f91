// The account's own facts for messages and schedules: name, zone, currency and country.
import { readCountry } from '#app/domain/country.ts'
import { isZone } from '#app/lib/zone.ts'
import type { PlaceholderAccount } from '../rules/placeholders/placeholders.ts'

interface VendorFacts extends PlaceholderAccount {
  /** As typed by the owner: `14 days from the date of invoice`. */
  paymentTerms: string
}

/** From `vendor.json` (facts: 2.3). `default_region` is the account's country, by name or code. */
export function readVendorFacts(record: Readonly<Record<string, unknown>>): VendorFacts {
  const text = (name: string) => (typeof record[name] === 'string' ? record[name].trim() : '')
  const named = text('timezone_name')
  const zone = named !== '' && isZone(named) ? named : 'UTC'
  const code = text('currency').toUpperCase()
  const currency = /^[A-Z]{3}$/.test(code) ? code : ''
  return {
    name: text('name'),
    email: text('email'),
    zone,
    currency,
    country: countryOf(text('default_region'), zone, currency),
    paymentTerms: text('invoice_terms'),
  }
}

/** Zones that identify their country; the first match wins. */
const ZONES: readonly (readonly [RegExp, string])[] = [
  [/^Australia\//, 'AU'],
  [/^Pacific\/(Auckland|Chatham)$/, 'NZ'],
  [/^Europe\/(London|Belfast|Jersey|Guernsey|Isle_of_Man)$/, 'GB'],
  [/^Europe\/Dublin$/, 'IE'],
  [/^America\/(Toronto|Vancouver|Edmonton|Winnipeg|Halifax|Regina|St_Johns|Moncton|Whitehorse|Montreal)$/, 'CA'],
  [
    /^(America\/(New_York|Chicago|Denver|Los_Angeles|Phoenix|Anchorage|Detroit|Boise|Indiana\/.+)|Pacific\/Honolulu)$/,
    'US',
  ],
]

const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ['AUD', 'AU'],
  ['NZD', 'NZ'],
  ['GBP', 'GB'],
  ['USD', 'US'],
  ['CAD', 'CA'],
])

function countryOf(region: string, zone: string, currency: string): string {
  const named = readCountry(region)
  if (named) return named
  // Keep the code of a country that Fieldhook does not know.
  if (/^[A-Z]{2}$/.test(region)) return region
  return ZONES.find(([pattern]) => pattern.test(zone))?.[1] ?? CURRENCIES.get(currency) ?? ''
}

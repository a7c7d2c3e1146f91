// What the account says about itself: name, zone, currency and country, as messages and schedules need them.
import { readCountry } from '#app/domain/country.ts'
import { isZone } from '#app/lib/zone.ts'

interface VendorFacts {
  name: string
  email: string
  zone: string
  /** ISO 4217; '' when the platform does not say. */
  currency: string
  /** ISO 3166, two letters; '' when nothing tells. */
  country: string
  /** As typed by the owner: `14 days from the date of invoice`. */
  paymentTerms: string
}

/** From `vendor.json` (facts: 2.3). `default_region` is a country by name or code, as the account has it. */
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

/** Zones that name their country; the first that fits counts. */
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
  // A country without customs known here still has its code.
  if (/^[A-Z]{2}$/.test(region)) return region
  return ZONES.find(([pattern]) => pattern.test(zone))?.[1] ?? CURRENCIES.get(currency) ?? ''
}

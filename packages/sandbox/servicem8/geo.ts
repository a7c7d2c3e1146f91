// A pretend address book: splits an address into the parts the platform computes and gives it a map position.
import type { Values } from './record-values.ts'

/**
 * `12 Example Street, Newtown NSW 2042, Australia` → the `geo_*` fields, `lat` and `lng`. The position is invented but
 * always the same for the same text. An empty address clears the fields.
 */
export function geoOf(address: string): Values {
  const parts = address
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length === 0) {
    return {
      geo_is_valid: 0,
      geo_number: '',
      geo_street: '',
      geo_city: '',
      geo_state: '',
      geo_postcode: '',
      geo_country: '',
      lat: 0,
      lng: 0,
    }
  }
  const [first = '', second = ''] = parts
  const number = /^[\d/-]+[A-Za-z]?(?=\s)/.exec(first)?.[0] ?? ''
  const postcode = /\b(\d{4,6})\b(?!.*\b\d{4,6}\b)/.exec(parts.slice(1).join(' '))?.[1] ?? ''
  const state = /\b([A-Z]{2,3})\b/.exec(parts.slice(1).join(' '))?.[1] ?? ''
  const city = second
    .replace(postcode, '')
    .replace(new RegExp(`\\b${state || '\\u0000'}\\b`), '')
    .trim()
  const last = parts.at(-1) ?? ''
  const country = parts.length > 2 && !/\d/.test(last) ? last : ''
  const spot = hash(address)
  return {
    geo_is_valid: 1,
    geo_number: number,
    geo_street: first.slice(number.length).trim(),
    geo_city: city,
    geo_state: state,
    geo_postcode: postcode,
    geo_country: country,
    lat: Math.round((-33.9 + (spot % 1000) / 5000) * 1e6) / 1e6,
    lng: Math.round((151.1 + ((spot >>> 10) % 1000) / 5000) * 1e6) / 1e6,
  }
}

/** A small, stable number from a text. */
export function hash(text: string): number {
  let value = 2166136261
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 16777619)
  }
  return value >>> 0
}

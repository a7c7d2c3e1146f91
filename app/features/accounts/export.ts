// The export of all data stored about an account, for its owner: how much history it has, and what is never in it.
import { isoDate, todayOf } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** How far back events, deliveries and runs go; everything else is complete. */
export const EXPORT_HISTORY = days(90)

/** Our own addresses and keys, removed from every text: a holder of the file must not be able to use them. */
const CAPABILITIES: readonly (readonly [RegExp, string])[] = [
  [/(\/hooks\/platform\/)[\w-]{16,}/g, '$1[left out]'],
  [/(\/documents\/)[\w.-]{16,}/g, '$1[left out]'],
  [/(\/trigger\?key=)[\w-]{16,}/g, '$1[left out]'],
  [/whsec_[A-Za-z0-9+/=_-]{8,}/g, '[left out]'],
  // Not \b: in -eyJ-eyJ-eyJ… each would start a search to the end.
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, '[left out]'],
  [/\b(Bearer\s+)[\w.~+/=-]{8,}/gi, '$1[left out]'],
]

export function withoutCapabilities(text: string): string {
  let clean = text
  for (const [shape, instead] of CAPABILITIES) clean = clean.replace(shape, instead)
  return clean
}

/** `fieldhook-leeds-electrical-2026-01-05.json`, with the account's day. */
export function exportFileName(name: string, at: { now: Millis; zone: string }): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return `fieldhook-${plain || 'account'}-${isoDate(todayOf(at))}.json`
}

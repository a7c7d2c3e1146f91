// The contact for reporting a vulnerability, in RFC 9116 format.
import type { Millis } from './clock.ts'
import { days } from './duration.ts'

/** Expires after this time, because an old contact may no longer be valid. */
const VALID_FOR = days(180)

/** The file, or null where no contact is configured. `contact` = an address that starts with https: or mailto:. */
export function securityText(
  { securityContact, origin }: { securityContact?: string | null; origin: string },
  now: Millis,
): string | null {
  if (!securityContact) return null
  // Whole days, so every request of a day gets the same file.
  const expires = new Date(Math.floor((now + VALID_FOR) / days(1)) * days(1)).toISOString()
  return [
    `Contact: ${securityContact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    '',
  ].join('\n')
}

export function isSecurityContact(text: string): boolean {
  return /^mailto:[^\s@]+@[^\s@]+$/.test(text) || (/^https:\/\/\S+$/.test(text) && URL.canParse(text))
}

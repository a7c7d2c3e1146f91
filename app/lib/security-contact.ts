// Whom to tell about a weakness, as RFC 9116 writes it down for programs and people.
import type { Millis } from './clock.ts'
import { days } from './duration.ts'

/** Asked for again before that: the contact of a year ago may be nobody's. */
const VALID_FOR = days(180)

/** The file, or null where nobody is named. `contact` = an address that begins with https: or mailto:. */
export function securityText(
  { securityContact, origin }: { securityContact?: string | null; origin: string },
  now: Millis,
): string | null {
  if (!securityContact) return null
  // Whole days: who asks twice a day gets the same.
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

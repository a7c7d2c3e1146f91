// The accepted certificate of a server, to show when it expires.
import type { Millis } from '#app/lib/clock.ts'

export interface SeenCertificate {
  validUntil: Millis
  /** Organisation, else name. */
  issuer: string | null
}

/** As `getPeerCertificate` returns it: empty for a closed connection. A name may occur several times. */
interface ShownCertificate {
  valid_to?: string | undefined
  issuer?: { O?: string | string[] | undefined; CN?: string | string[] | undefined } | undefined
}

const LONGEST_NAME = 100

/** Null = no certificate, or none with an expiry. */
export function seenCertificate({ valid_to: validTo, issuer }: ShownCertificate): SeenCertificate | null {
  const validUntil = Date.parse(validTo ?? '')
  if (Number.isNaN(validUntil)) return null
  return { validUntil, issuer: firstName(issuer?.O) ?? firstName(issuer?.CN) }
}

function firstName(name: string | string[] | undefined): string | null {
  const [first = ''] = typeof name === 'string' ? [name] : (name ?? [])
  return first === '' ? null : first.slice(0, LONGEST_NAME)
}

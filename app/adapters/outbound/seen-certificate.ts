// What a server showed of itself and what was accepted, for whoever wants to know when it ends.
import type { Millis } from '#app/lib/clock.ts'

export interface SeenCertificate {
  validUntil: Millis
  /** Organisation, else name. */
  issuer: string | null
}

/** As `getPeerCertificate` tells it: of a connection that is gone it tells nothing. A name may occur several times. */
interface ShownCertificate {
  valid_to?: string | undefined
  issuer?: { O?: string | string[] | undefined; CN?: string | string[] | undefined } | undefined
}

const LONGEST_NAME = 100

/** Null = there is none, or none that says when it ends. */
export function seenCertificate({ valid_to: validTo, issuer }: ShownCertificate): SeenCertificate | null {
  const validUntil = Date.parse(validTo ?? '')
  if (Number.isNaN(validUntil)) return null
  return { validUntil, issuer: firstName(issuer?.O) ?? firstName(issuer?.CN) }
}

function firstName(name: string | string[] | undefined): string | null {
  const [first = ''] = typeof name === 'string' ? [name] : (name ?? [])
  return first === '' ? null : first.slice(0, LONGEST_NAME)
}

// What whoever watches over the process is told: may it get requests, and, with the operator's token, how it does.
import type { Millis } from '#app/lib/clock.ts'

export interface Readiness {
  ready: boolean
  /** Sentences; empty = ready. */
  reasons: string[]
}

/** For the operator alone: none of it decides whether the process gets requests. */
export interface ReadinessDetails {
  version: string
  startedAt: Millis
  /** Does this process do the work, and how many seconds ago did it renew its claim to it? Null = never yet. */
  deliveries: { owner: boolean; lastSignSecondsAgo: number | null; inFlight: number }
  automations: { owner: boolean; lastSignSecondsAgo: number | null; inFlight: number }
  /** The one number, seconds; null = it could not be read. */
  oldestDueDeliverySeconds: number | null
  space: string
}

/** How a request that wants more than yes or no stands to the operator's token. */
export type OperatorAccess =
  /** It carries the token. */
  | 'allowed'
  /** There is a token, and this is not it. */
  | 'refused'
  /** No token is configured: nobody is the operator, and nothing is kept from anybody. */
  | 'open'

/** The token of an `Authorization: Bearer …` header; null = it has none. */
export function bearerOf(authorization: string | null): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null
}

// The readiness response for monitors: may the process get requests, and, with the operator's token, its health.
import type { Millis } from '#app/lib/clock.ts'

export interface Readiness {
  ready: boolean
  /** Sentences; empty = ready. */
  reasons: string[]
}

/** Null = the database does not answer. `clockAhead`: seconds. */
interface Instances {
  members: number | null
  sharesOwned: number
  sharesUnowned: number | null
  clockAhead: number | null
}

/** Only for the operator: none of it decides whether the process gets requests. */
export interface ReadinessDetails {
  version: string
  startedAt: Millis
  /** Does this process own the work, and how many seconds ago did it renew its lease? Null = never yet. */
  deliveries: { owner: boolean; lastSignSecondsAgo: number | null; inFlight: number }
  automations: { owner: boolean; lastSignSecondsAgo: number | null; inFlight: number }
  /** Instances that live, the shares of this one, and those of nobody; null = one process does all the work. */
  instances: Instances | null
  /** The key metric, in seconds; null = it could not be read. */
  oldestDueDeliverySeconds: number | null
  space: string
}

/** A detailed request's access, by the operator's token. */
export type OperatorAccess =
  /** It has the token. */
  | 'allowed'
  /** A token is configured, and the request has a different one or none. */
  | 'refused'
  /** No token is configured: there is no operator, and the details are public. */
  | 'open'

/** The token of an `Authorization: Bearer …` header; null = no token. */
export function bearerOf(authorization: string | null): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null
}

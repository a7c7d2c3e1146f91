// The platform as a sender: its event rhythm, what it was asked to send, and the result of comparing its webhook list with ours.
import type { Millis } from '#app/lib/clock.ts'

export interface EventRhythm {
  /** The latest event of the object, without tests; null = none known. */
  lastEventAt: Millis | null
  /** Events per hour (hours since 1970, UTC) in the two weeks up to the latest one. Empty hours may be missing. */
  hours: readonly { hour: number; events: number }[]
}

/** Stored with the webhook and shown on its card for a week. */
export interface UpstreamNote {
  verdict: 'ok' | 'warn' | 'fail'
  sentence: string
  at: Millis
}

/** What we asked the platform to send. */
export interface KnownSubscription {
  id: number
  /** Normalized object name. */
  object: string
  platformUuid: string | null
  state: 'pending' | 'active' | 'replaced' | 'deleted'
  /** Active: why no events arrive. Replaced or deleted: the platform may still have it. Null = no problem. */
  stateReason: string | null
  /** Replaced: accepted until this time. */
  endsAt: Millis | null
}

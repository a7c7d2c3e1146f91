// What is known of the platform as a sender: its rhythm, and what a comparison with it found.
import type { Millis } from '#app/lib/clock.ts'

export interface EventRhythm {
  /** The latest event of the object, samples aside; null = none is known. */
  lastEventAt: Millis | null
  /** Events per hour (hours since 1970, UTC) in the two weeks up to the latest one. Hours without any may be absent. */
  hours: readonly { hour: number; events: number }[]
}

/** Kept with the webhook and shown on its card for a week. */
export interface UpstreamNote {
  verdict: 'ok' | 'warn' | 'fail'
  sentence: string
  at: Millis
}

/** Keeping what automations leave behind bounded: in steps so small that nobody notices. */
import type { Millis } from '#app/lib/clock.ts'

/** Each kind in its own table. */
export type Leftover = 'verdict' | 'ledger' | 'own_write' | 'message' | 'trigger_call' | 'mute'

export interface RunUpkeepStore {
  /** Looks at up to `limit` runs from `fromId` on and removes those that ended before `before`, with their journals. */
  forgetRunsStep(before: Millis, fromId: number, limit: number): Promise<{ removed: number; nextId: number | null }>
  /**
   * Removes up to `limit` rows: verdicts, own writes and messages from before that moment; ledger rows, keys and mutes that
   * expired before it. Answers how many.
   */
  forgetLeftoversStep(kind: Leftover, before: Millis, limit: number): Promise<number>
}

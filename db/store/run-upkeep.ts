/** Deletes old data of automations, in steps small enough not to slow anything down. */
import type { Millis } from '#app/lib/clock.ts'

/** Each kind has its own table. */
export type Leftover = 'verdict' | 'ledger' | 'own_write' | 'message' | 'trigger_call' | 'reply' | 'mute'

export interface RunUpkeepStore {
  /** Scans up to `limit` runs from `fromId` on and removes those that ended before `before`, with their journals. */
  forgetRunsStep(before: Millis, fromId: number, limit: number): Promise<{ removed: number; nextId: number | null }>
  /**
   * Removes up to `limit` rows: verdicts, own writes, messages and answers older than `before`; ledger rows, keys and mutes that
   * expired before it. Returns how many.
   */
  forgetLeftoversStep(kind: Leftover, before: Millis, limit: number): Promise<number>
}

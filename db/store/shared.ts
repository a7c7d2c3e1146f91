/** What all instances of one database do one at a time. With SQLite there is one process, which keeps it in memory. */
import type { CallCount } from '#app/domain/call-budget.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { InTurn } from '#app/lib/in-turn.server.ts'
import type { TakenToken } from '#app/lib/rate-limiter.ts'

export interface SharedStore {
  /**
   * Runs `work` when no other instance and no earlier call here works under the same key. Rejects with a sentence when
   * another instance does not come to an end within half a minute: nothing was done then.
   */
  inTurn: InTurn
  /** Takes one of the trigger calls that a rule may receive in a minute. */
  takeTriggerCall(automationId: number, perMinute: number): Promise<TakenToken>
}

export interface CallLimits {
  inWindow: number
  inDay: number
}

/** A count, and the moment at the database: all its times are of that clock. */
export type CountedCalls = CallCount & { now: Millis }

/** The calls that accounts have made, counted over all instances. The rules of the budget are the caller's. */
export interface CallRows {
  /** Counts one call now. False = a limit is reached, the platform asked for a pause, or no count was begun. */
  takeCall(accountUuid: string, limits: CallLimits): Promise<boolean>
  /** Null = no count was begun. */
  findCalls(accountUuid: string): Promise<CountedCalls | null>
  /** Begins the count of an account with calls made earlier, unless it was begun. `at` = their times. */
  beginCalls(accountUuid: string, known: { at: readonly Millis[]; inDay: number }): Promise<void>
  /** The account makes no call for `ms`. */
  pauseCalls(accountUuid: string, ms: number): Promise<void>
  /** The counts of accounts that made calls within the window. */
  recentCounts(): Promise<CountedCalls[]>
}

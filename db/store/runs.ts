/** Runs, their journal, the ledger of what was done, and the verdicts that answer "why not?". */
import type { RunWish, StartedRun } from '#app/features/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface RunStore {
  /**
   * Each wish on its own: its run row and all of its ledger rows, or neither. One transaction for all. Counts the execution
   * of the rule. Answers in the order asked.
   */
  startRuns(accountUuid: string, wishes: readonly RunWish[], now: Millis): Promise<StartedRun[]>
}

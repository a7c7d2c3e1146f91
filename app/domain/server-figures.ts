// What the doctor reads of a PostgreSQL server.
import type { Millis } from '../lib/clock.ts'

/** Figures of a PostgreSQL server. Null = its user may not read it, or there is none. */
export interface ServerFigures {
  /** `18.4` */
  version: string
  /** Why Fieldhook refuses it, as a sentence. */
  refused: string | null
  synchronousCommit: string
  /** `synchronous_standby_names`; '' = a commit waits for this server only. */
  standbyNames: string
  /** Connected now, and how many of them confirm commits. */
  standbys: { all: number; confirming: number | null }
  archive: {
    /** `off`, `on`, `always` */
    mode: string
    lastAt: Millis | null
    /** Of the last failure, when nothing was archived since. */
    failedAt: Millis | null
    baseBackupAt: Millis | null
  }
  /** Transactions longer than a minute. `longestMs`: of the oldest. */
  longTransactions: { count: number; longestMs: number }
  /** Tables with many dead rows, the worst first. `share`: 0 to 1. */
  bloated: { table: string; share: number; vacuumedAt: Millis | null }[]
  connections: { used: number; most: number }
  /** The server's clock minus ours, and what the question took. ms */
  clock: { offsetMs: number; tookMs: number }
  /** Of the database. `free`: about how much of it takes new rows. */
  bytes: { whole: number; free: number }
  /** Null = this release knows no members. */
  members: { shares: number; unowned: number; members: { id: string; version: string; shares: number }[] } | null
}

import type { Step } from './database.ts'
import type { OperationsStore } from './store/operations.ts'

/** What each engine does in its own way: its file or server, not its rows. */
export interface Housekeeping
  extends Pick<OperationsStore, 'changedElsewhere' | 'vacuumStep' | 'checkpoint' | 'spaceUsed'> {
  /** Like `checkpoint('truncate')`, but waits for readers at most this long. ms. True = the log is empty. */
  emptyLog(waitMs: number): Promise<boolean>
  /** Runs a deletion so that what it removed cannot be read from the free space afterwards. */
  erase<T>(work: () => Promise<T>): Promise<T>
  /**
   * Call in the transaction that removed that many of the bodies from `fromSeq` to below `toSeq`: makes the space they
   * leave usable again, where the engine does not do so by itself.
   */
  pack(fromSeq: number, toSeq: number, removed: number): Step<void>
  /** The engine's own estimate of a table whose rows have no number; null = its rows are numbered anyway. Bytes. */
  estimate(table: string): Promise<{ rows: number; bytes: number } | null>
  /** `schema`: migrations that were applied. `diskFreeBytes`: null = the disk is not this machine's. */
  machine(): Promise<{ database: string; schema: number; diskFreeBytes: number | null }>
}

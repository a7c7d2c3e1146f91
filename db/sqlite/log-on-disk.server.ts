// Puts commits on disk without stopping the event loop: SQLite appends them to its log and does not wait
// (synchronous=NORMAL), a thread of the pool syncs the log, and whoever wrote waits for that. Commits made meanwhile
// share the next sync. Decision 0056 says why this is as durable as synchronous=FULL.
import { closeSync, fdatasync, openSync } from 'node:fs'
import type { Sql } from './sql.ts'

export interface LogOnDisk {
  /**
   * Resolves when everything committed on this connection so far is on disk; at once when it already is. Rejects with
   * `SQLITE_IOERR_FSYNC` when the disk refuses: whether a power cut takes it back is then unknown.
   */
  synced(): Promise<void>
  close(): void
}

class NotSyncedError extends Error {
  override name = 'NotSyncedError'
  readonly code = 'SQLITE_IOERR_FSYNC'
  constructor(cause: unknown) {
    super('The disk refused to sync the log of the database.', { cause })
  }
}

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

type Sync = (file: number, done: (error: Error | null) => void) => void

/** `sql`: in WAL mode, and its log exists. `sync`: of a file, beside the event loop. */
export function logOnDisk(sql: Sql, sync: Sync = fdatasync): LogOnDisk {
  const log = openSync(`${sql.name}-wal`, 'r+')
  const rowsChanged = sql.prepare<[], number>('SELECT total_changes()').pluck()
  const changes = () => rowsChanged.get() ?? 0
  let onDisk = changes()
  /** A sync failed: nothing appended since the last checkpoint is known to be on disk. */
  let doubtful = false
  let syncing = false
  let closed = false
  let waiting: Waiter[] = []

  function begin(): void {
    if (syncing || waiting.length === 0) return
    syncing = true
    const sharing = waiting
    waiting = []
    const covered = changes()
    sync(log, (error) => {
      syncing = false
      if (closed) return end(sharing)
      if (error) {
        doubtful = true
        for (const { reject } of [...sharing, ...waiting.splice(0)]) reject(new NotSyncedError(error))
        return
      }
      onDisk = covered
      for (const { resolve } of sharing) resolve()
      begin()
    })
  }

  /** The connection was closed meanwhile, which put everything on disk. */
  function end(sharing: Waiter[]): void {
    closeSync(log)
    for (const { resolve } of [...sharing, ...waiting]) resolve()
  }

  /** After a failed sync, a later one that succeeds proves nothing: the kernel may have dropped what it could not write. */
  function writeEverythingAgain(): void {
    const [state] = sql.pragma('wal_checkpoint(PASSIVE)') as { busy: number; log: number; checkpointed: number }[]
    if (state?.busy !== 0 || state.log !== state.checkpointed) throw new NotSyncedError('the log is in use')
    onDisk = changes()
    doubtful = false
  }

  return {
    async synced() {
      if (closed) return
      if (doubtful) writeEverythingAgain()
      if (changes() === onDisk) return
      await new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject })
        begin()
      })
    },
    close() {
      if (closed) return
      closed = true
      if (!syncing) end([])
    },
  }
}

// The file of SQLite: its log, its free pages, and whether somebody else writes to it.
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from '../database.ts'
import type { Housekeeping } from '../housekeeping.ts'
import { sqliteDatabase } from './database.server.ts'
import type { Sql } from './sql.ts'

export function sqliteHousekeeping(sql: Sql): Housekeeping {
  const pragma = (text: string) => sql.pragma(text, { simple: true })
  const numberOf = (text: string) => pragma(text) as number
  // Changes only when another process commits; our own other connections only read.
  let seenVersion = numberOf('data_version')
  const pageSize = numberOf('page_size')
  /** Does not wait for readers longer than this. ms */
  const waiting = <T>(ms: number, work: () => T): T => {
    const usual = numberOf('busy_timeout')
    sql.pragma(`busy_timeout = ${Math.trunc(ms)}`)
    try {
      return work()
    } finally {
      sql.pragma(`busy_timeout = ${usual}`)
    }
  }
  const emptyLog = (waitMs: number) => waiting(waitMs, () => pragma('wal_checkpoint(TRUNCATE)') === 0)

  return {
    async changedElsewhere() {
      const before = seenVersion
      seenVersion = numberOf('data_version')
      return seenVersion !== before
    },
    async vacuumStep(pages) {
      sql.pragma(`incremental_vacuum(${Math.trunc(pages)})`)
    },
    async checkpoint(kind) {
      sql.pragma(kind === 'truncate' ? 'wal_checkpoint(TRUNCATE)' : 'wal_checkpoint(PASSIVE)')
    },
    async emptyLog(waitMs) {
      return emptyLog(waitMs)
    },
    async spaceUsed() {
      return {
        fileBytes: numberOf('page_count') * pageSize,
        freeBytes: numberOf('freelist_count') * pageSize,
        walBytes: statSync(`${sql.name}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      }
    },
    /** A deleted row stays readable in the file's free space and in the WAL unless both are cleaned. */
    async erase(work) {
      sql.pragma('secure_delete = ON')
      try {
        return await work()
      } finally {
        sql.pragma('secure_delete = OFF')
        // Does not wait for readers: the WAL is emptied every few minutes anyway.
        emptyLog(0)
      }
    },
    pack: packing(sqliteDatabase(sql)),
    async estimate() {
      return null
    },
    async machine() {
      const applied = sql.prepare<[], number>('SELECT count(*) FROM __drizzle_migrations').pluck()
      const version = sql.prepare<[], string>('SELECT sqlite_version()').pluck()
      const disk = statfsSync(dirname(sql.name))
      return {
        database: `SQLite ${version.get() ?? ''}`,
        schema: applied.get() ?? 0,
        diskFreeBytes: disk.bavail * disk.bsize,
      }
    },
  }
}

// Removing one account's bodies between those of others leaves half-empty pages, which are neither free nor reused.
// The remaining bodies of the range are rewritten side by side.

/** Bytes of bodies rewritten in one step. Longer bodies have their own pages and gain nothing from it. */
const PACKED_AT_ONCE = 256 * 1024

interface Range {
  fromSeq: number
  toSeq: number
}

function packing(db: Pick<Database, 'prepare'>): Housekeeping['pack'] {
  const packed = db.prepare<Range, { count: number; bytes: number }>(
    `SELECT count(*) AS count, coalesce(sum(octet_length(body)), 0) AS bytes FROM event_body
     WHERE seq >= @fromSeq AND seq < @toSeq`,
  )
  const readRange = db.prepare<Range, { seq: number; body: Buffer }>(
    'SELECT seq, CAST(body AS BLOB) AS body FROM event_body WHERE seq >= @fromSeq AND seq < @toSeq ORDER BY seq',
  )
  const deleteRange = db.prepare<Range>('DELETE FROM event_body WHERE seq >= @fromSeq AND seq < @toSeq')
  const writeBody = db.prepare('INSERT INTO event_body (seq, body) VALUES (@seq, CAST(@body AS TEXT))')

  return function* (fromSeq, toSeq, removed) {
    // Skips long ranges with few removals: there is little to gain.
    if (toSeq - fromSeq > removed * 10) return
    const { count, bytes } = (yield* packed.get({ fromSeq, toSeq })) ?? { count: 0, bytes: 0 }
    if (count === 0 || count > removed * 3 || bytes > PACKED_AT_ONCE) return
    const kept = yield* readRange.all({ fromSeq, toSeq })
    yield* deleteRange.run({ fromSeq, toSeq })
    for (const { seq, body } of kept) yield* writeBody.run({ seq, body })
  }
}

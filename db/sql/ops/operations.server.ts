// The owner's lease, keeping the file small, and checking that it can be written.
import { statSync } from 'node:fs'
import type { Clock } from '#app/lib/clock.ts'
import type { LeaseRow, OperationsStore, RetentionStep } from '../../store/operations.ts'
import type { Client } from '../../sqlite/client.server.ts'

export function operationsStore(client: Client, _clock: Clock): OperationsStore {
  const { sql } = client
  const findLease = sql.prepare<{ name: string }, LeaseRow>(
    'SELECT owner, expires_at AS expiresAt FROM lease WHERE name = @name',
  )
  const takeLease = sql.prepare(
    `INSERT INTO lease (name, owner, expires_at) VALUES (@name, @owner, @expiresAt)
     ON CONFLICT (name) DO UPDATE SET owner = @owner, expires_at = @expiresAt
     WHERE owner = @owner OR expires_at <= @now OR owner = @takeFrom`,
  )
  const releaseLease = sql.prepare('DELETE FROM lease WHERE name = @name AND owner = @owner')

  const NOBODY_WAITS = "NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.state = 'pending')"
  const oldestEvents = sql.prepare<
    { fromSeq: number; limit: number },
    { seq: number; receivedAt: number; free: 0 | 1 }
  >(
    `SELECT e.seq, e.received_at AS receivedAt, ${NOBODY_WAITS} AS free FROM event e WHERE e.seq >= @fromSeq
     ORDER BY e.seq LIMIT @limit`,
  )
  // Deletes its body, deliveries and attempts too.
  const deleteEvent = sql.prepare('DELETE FROM event WHERE seq = @seq')
  const oldestBodies = sql.prepare<
    { fromSeq: number; limit: number },
    { seq: number; receivedAt: number; free: 0 | 1; delivered: 0 | 1 }
  >(
    `SELECT b.seq, e.received_at AS receivedAt, ${NOBODY_WAITS} AS free,
       NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.state <> 'delivered') AS delivered
     FROM event_body b JOIN event e ON e.seq = b.seq WHERE b.seq >= @fromSeq ORDER BY b.seq LIMIT @limit`,
  )
  const deleteBody = sql.prepare('DELETE FROM event_body WHERE seq = @seq')
  const deleteHours = sql.prepare('DELETE FROM endpoint_hour WHERE hour < @beforeHour')

  const oldEvents = sql.transaction((before: number, fromSeq: number, limit: number): RetentionStep => {
    const rows = oldestEvents.all({ fromSeq, limit })
    const old = rows.filter((row) => row.receivedAt < before)
    let removed = 0
    for (const row of old) if (row.free === 1) removed += deleteEvent.run({ seq: row.seq }).changes
    return { removed, nextSeq: nextAfter(old, rows, limit) }
  })
  const oldBodies = sql.transaction(
    (deliveredBefore: number, before: number, fromSeq: number, limit: number): RetentionStep => {
      const rows = oldestBodies.all({ fromSeq, limit })
      const old = rows.filter((row) => row.receivedAt < Math.max(deliveredBefore, before))
      let removed = 0
      for (const row of old) {
        const limitOfRow = row.delivered === 1 ? deliveredBefore : before
        if (row.free === 1 && row.receivedAt < limitOfRow) removed += deleteBody.run({ seq: row.seq }).changes
      }
      return { removed, nextSeq: nextAfter(old, rows, limit) }
    },
  )
  // Changes only when another process commits; our own other connections only read.
  const dataVersion = () => sql.pragma('data_version', { simple: true }) as number
  let seenVersion = dataVersion()
  const pageSize = sql.pragma('page_size', { simple: true }) as number
  const { turn } = client
  const touch = sql.prepare("INSERT INTO lease (name, owner, expires_at) VALUES ('trial', '', 0)")
  const untouch = sql.prepare("DELETE FROM lease WHERE name = 'trial'")

  return {
    async findLease(name) {
      return findLease.get({ name }) ?? null
    },
    async acquireLease(name, owner, now, expiresAt, takeFrom) {
      return takeLease.run({ name, owner, now, expiresAt, takeFrom }).changes === 1
    },
    async releaseLease(name, owner) {
      releaseLease.run({ name, owner })
    },
    async changedElsewhere() {
      const before = seenVersion
      seenVersion = dataVersion()
      return seenVersion !== before
    },
    async deleteOldEventsStep(before, fromSeq, limit) {
      return oldEvents.immediate(before, fromSeq, limit)
    },
    async deleteOldBodiesStep(deliveredBefore, before, fromSeq, limit) {
      return oldBodies.immediate(deliveredBefore, before, fromSeq, limit)
    },
    async deleteOldHours(beforeHour) {
      return deleteHours.run({ beforeHour }).changes
    },
    async vacuumStep(pages) {
      sql.pragma(`incremental_vacuum(${Math.trunc(pages)})`)
    },
    async checkpoint(kind) {
      sql.pragma(kind === 'truncate' ? 'wal_checkpoint(TRUNCATE)' : 'wal_checkpoint(PASSIVE)')
    },
    async trialWrite() {
      // Commits, because only that detects a full or failing disk. Concurrent calls share one commit.
      await turn.run(() => {
        touch.run()
        untouch.run()
      })
    },
    async spaceUsed() {
      const pages = sql.pragma('page_count', { simple: true }) as number
      const free = sql.pragma('freelist_count', { simple: true }) as number
      return { fileBytes: pages * pageSize, freeBytes: free * pageSize, walBytes: fileBytes(`${sql.name}-wal`) }
    },
  }
}

/** Continues after the last old row, as long as the whole page was old. */
function nextAfter(old: { seq: number }[], rows: unknown[], limit: number): number | null {
  const last = old.at(-1)
  return last && old.length === rows.length && rows.length === limit ? last.seq + 1 : null
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

// The owner's lease, keeping the file small, and checking that it can be written.
import { randomUUID } from 'node:crypto'
import type { Clock } from '#app/lib/clock.ts'
import type { LeaseRow, OperationsStore } from '../../store/operations.ts'
import type { Connections } from '../connections.ts'

export function operationsStore({ db, turn, housekeeping }: Connections, _clock: Clock): OperationsStore {
  const findLease = db.prepare<{ name: string }, LeaseRow>(
    'SELECT owner, expires_at AS expiresAt FROM lease WHERE name = @name',
  )
  const takeLease = db.prepare(
    `INSERT INTO lease (name, owner, expires_at) VALUES (@name, @owner, @expiresAt)
     ON CONFLICT (name) DO UPDATE SET owner = @owner, expires_at = @expiresAt
     WHERE lease.owner = @owner OR lease.expires_at <= @now OR lease.owner = @takeFrom`,
  )
  const releaseLease = db.prepare('DELETE FROM lease WHERE name = @name AND owner = @owner')

  const NOBODY_WAITS = "NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.state = 'pending')"
  const oldestEvents = db.prepare<{ fromSeq: number; limit: number }, { seq: number; receivedAt: number; free: 0 | 1 }>(
    `SELECT e.seq, e.received_at AS receivedAt, ${NOBODY_WAITS} AS free FROM event e WHERE e.seq >= @fromSeq
     ORDER BY e.seq LIMIT @limit`,
  )
  // Deletes its body, deliveries and attempts too.
  const deleteEvent = db.prepare('DELETE FROM event WHERE seq = @seq')
  const oldestBodies = db.prepare<
    { fromSeq: number; limit: number },
    { seq: number; receivedAt: number; free: 0 | 1; delivered: 0 | 1 }
  >(
    `SELECT b.seq, e.received_at AS receivedAt, ${NOBODY_WAITS} AS free,
       NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.state <> 'delivered') AS delivered
     FROM event_body b JOIN event e ON e.seq = b.seq WHERE b.seq >= @fromSeq ORDER BY b.seq LIMIT @limit`,
  )
  const deleteBody = db.prepare('DELETE FROM event_body WHERE seq = @seq')
  const deleteHours = db.prepare('DELETE FROM endpoint_hour WHERE hour < @beforeHour')

  // A row of its own each time: two instances that try at once do not wait for each other.
  const touch = db.prepare("INSERT INTO lease (name, owner, expires_at) VALUES (@name, '', 0)")
  const untouch = db.prepare('DELETE FROM lease WHERE name = @name')
  const { changedElsewhere, vacuumStep, checkpoint, spaceUsed } = housekeeping

  return {
    ...{ changedElsewhere, vacuumStep, checkpoint, spaceUsed },
    findLease: db.read(function* (name) {
      return (yield* findLease.get({ name })) ?? null
    }),
    acquireLease: db.write(function* (name, owner, now, expiresAt, takeFrom) {
      return (yield* takeLease.run({ name, owner, now, expiresAt, takeFrom })).changes === 1
    }),
    releaseLease: db.write(function* (name, owner) {
      yield* releaseLease.run({ name, owner })
    }),
    deleteOldEventsStep: db.write(function* (before, fromSeq, limit) {
      const rows = yield* oldestEvents.all({ fromSeq, limit })
      const old = rows.filter((row) => row.receivedAt < before)
      let removed = 0
      for (const { seq, free } of old) if (free === 1) removed += (yield* deleteEvent.run({ seq })).changes
      return { removed, nextSeq: nextAfter(old, rows, limit) }
    }),
    deleteOldBodiesStep: db.write(function* (deliveredBefore, before, fromSeq, limit) {
      const rows = yield* oldestBodies.all({ fromSeq, limit })
      const old = rows.filter((row) => row.receivedAt < Math.max(deliveredBefore, before))
      let removed = 0
      for (const { seq, receivedAt, free, delivered } of old) {
        const limitOfRow = delivered === 1 ? deliveredBefore : before
        if (free === 1 && receivedAt < limitOfRow) removed += (yield* deleteBody.run({ seq })).changes
      }
      return { removed, nextSeq: nextAfter(old, rows, limit) }
    }),
    deleteOldHours: db.write(function* (beforeHour) {
      return (yield* deleteHours.run({ beforeHour })).changes
    }),
    /** Commits, because only that detects a full or failing disk. Concurrent calls share one commit. */
    trialWrite: () =>
      turn.run(function* () {
        const name = `trial|${randomUUID()}`
        yield* touch.run({ name })
        yield* untouch.run({ name })
      }),
  }
}

/** Continues after the last old row, as long as the whole page was old. */
function nextAfter(old: { seq: number }[], rows: unknown[], limit: number): number | null {
  const last = old.at(-1)
  return last && old.length === rows.length && rows.length === limit ? last.seq + 1 : null
}

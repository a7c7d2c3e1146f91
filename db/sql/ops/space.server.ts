// The space each account uses, and freeing space in small steps.

import type { ShortenStep, SpaceStore } from '../../store/space.ts'
import type { Connections } from '../connections.ts'

/** Rows scanned in one step without anything to remove: about a millisecond. */
const PASSED_AT_ONCE = 500

/** Bytes of a row with its index entries, without long texts. Measured on a file of 50,000 events. */
const EVENT_ROW = 360
const BODY_ROW = 16
const DELIVERY_ROW = 160
const ATTEMPT_ROW = 110

/** For a SELECT from `event e LEFT JOIN event_body b`. `octet_length` reads no overflow pages. */
const BODY_BYTES = `coalesce(octet_length(b.body) + ${BODY_ROW}, 0)`
export const EVENT_BYTES = `${EVENT_ROW} + octet_length(e.changed_fields) + ${BODY_BYTES} + coalesce((
    SELECT sum(${DELIVERY_ROW} + coalesce(octet_length(d.state_reason), 0) + coalesce((
      SELECT sum(${ATTEMPT_ROW} + octet_length(a.url) + octet_length(a.sentence) + coalesce(octet_length(a.response_body), 0))
      FROM attempt a WHERE a.delivery_id = d.id), 0))
    FROM delivery d WHERE d.event_seq = e.seq), 0)`

/** Every delivery of the event succeeded, or it has none: none is pending or failed. */
const DELIVERED = "NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.state <> 'delivered')"

interface OldRow {
  seq: number
  receivedAt: number
  /** May it be removed? */
  free: 0 | 1
  bytes: number
}

export function spaceStore({ db, reader, housekeeping }: Connections): SpaceStore {
  const weigh = reader.prepare<{ fromSeq: number; limit: number }, { seq: number; accountUuid: string; bytes: number }>(
    `SELECT e.seq, e.account_uuid AS accountUuid, ${EVENT_BYTES} AS bytes
     FROM event e LEFT JOIN event_body b ON b.seq = e.seq WHERE e.seq >= @fromSeq ORDER BY e.seq LIMIT @limit`,
  )
  // Selects the range from the index first, so rows without anything to remove also count as scanned.
  const stretch = (free: string, bytes: string) =>
    db.prepare<{ accountUuid: string; fromSeq: number }, OldRow>(
      `SELECT e.seq, e.received_at AS receivedAt, ${free} AS free, ${bytes} AS bytes
       FROM (SELECT seq, received_at, changed_fields FROM event INDEXED BY events_of_an_account_newest_first
             WHERE account_uuid = @accountUuid AND seq >= @fromSeq ORDER BY seq LIMIT ${PASSED_AT_ONCE}) e
         LEFT JOIN event_body b ON b.seq = e.seq
       ORDER BY e.seq`,
    )
  const bodies = stretch(`b.seq IS NOT NULL AND ${DELIVERED}`, BODY_BYTES)
  const events = stretch(DELIVERED, EVENT_BYTES)
  const deleteBody = db.prepare('DELETE FROM event_body WHERE seq = @seq')
  const deleteEvent = db.prepare('DELETE FROM event WHERE seq = @seq')

  function* removeOld(
    rows: OldRow[],
    remove: typeof deleteBody,
    { before, fromSeq, limit }: { before: number; fromSeq: number; limit: number },
  ): Generator<unknown, ShortenStep> {
    let removed = 0
    let bytes = 0
    for (const row of rows) {
      if (row.receivedAt >= before) return { removed, bytes, nextSeq: row.seq, done: true }
      if (row.free === 0) continue
      if (removed === limit) return { removed, bytes, nextSeq: row.seq, done: false }
      yield* remove.run({ seq: row.seq })
      removed++
      bytes += row.bytes
    }
    const last = rows.at(-1)
    return { removed, bytes, nextSeq: last ? last.seq + 1 : fromSeq, done: rows.length < PASSED_AT_ONCE }
  }

  return {
    weighEventsStep: reader.read(function* (fromSeq, limit) {
      const rows = yield* weigh.all({ fromSeq, limit })
      const sums = new Map<string, number>()
      for (const { accountUuid, bytes } of rows) sums.set(accountUuid, (sums.get(accountUuid) ?? 0) + bytes)
      const last = rows.at(-1)
      return {
        bytes: [...sums].map(([accountUuid, bytes]) => ({ accountUuid, bytes })),
        nextSeq: last && rows.length === limit ? last.seq + 1 : null,
      }
    }),
    shortenBodiesStep: db.write(function* (accountUuid, before, fromSeq, limit) {
      const rows = yield* bodies.all({ accountUuid, fromSeq })
      const step = yield* removeOld(rows, deleteBody, { before, fromSeq, limit })
      if (step.removed > 0) yield* housekeeping.pack(rows[0]?.seq ?? fromSeq, step.nextSeq, step.removed)
      return step
    }),
    shortenLogStep: db.write(function* (accountUuid, before, fromSeq, limit) {
      return yield* removeOld(yield* events.all({ accountUuid, fromSeq }), deleteEvent, { before, fromSeq, limit })
    }),
    emptyLog: housekeeping.emptyLog,
  }
}

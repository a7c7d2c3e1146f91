// Ends pending deliveries without sending them: sets state and reason, adds a log row, updates the counters.
import type { WaitingRow } from '../../acts.ts'
import type { Step } from '../../database.ts'
import type { Connections } from '../connections.ts'
import type { Tally } from '../hot/tally.server.ts'

interface WaitingEnder {
  /** Ends these deliveries. Call inside a transaction. */
  end(rows: readonly WaitingRow[], state: 'expired' | 'stopped', reason: string, now: number, tally: Tally): Step<void>
  /** Up to `limit` deliveries of an ended endpoint, without untried manual ones of stopped endpoints. */
  ofEndpoint(endpointId: number, endpointState: 'stopped' | 'deleted', limit: number): Step<WaitingRow[]>
  /** Adds the log row for a delivery that was not sent. */
  note(deliveryId: number, outcome: 'expired' | 'stopped', sentence: string, now: number): Step<unknown>
  countReplay(replayId: number, delivered: boolean, count: number): Step<unknown>
}

/** For a SELECT from `delivery d LEFT JOIN event_body b`. */
export const WAITING_COLUMNS = `d.id, d.account_uuid AS accountUuid, d.endpoint_id AS endpointId, d.cause,
  d.cause_no AS causeNo, d.event_seq AS eventSeq, coalesce(length(b.body), 0) AS bytes`

export function waitingEnder({ db }: Pick<Connections, 'db'>): WaitingEnder {
  const waitingOf = (which: string) =>
    db.prepare<{ endpointId: number; limit: number }, WaitingRow>(
      `SELECT ${WAITING_COLUMNS}
       FROM delivery d INDEXED BY due_deliveries_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
       WHERE d.endpoint_id = @endpointId AND d.state = 'pending' ${which} ORDER BY d.due_at, d.id LIMIT @limit`,
    )
  const ofStopped = waitingOf("AND (d.cause IN ('live', 'replay') OR d.cause = 'retry' AND d.attempts > 0)")
  const ofDeleted = waitingOf('')
  const setEnded = db.prepare(
    "UPDATE delivery SET state = @state, state_reason = @reason, settled_at = @now WHERE id = @id AND state = 'pending'",
  )
  // Numbered after the last attempt; it does not count as an attempt.
  const insertNote = db.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, outcome, sentence)
     SELECT d.id, d.account_uuid, d.endpoint_id, p.url, d.attempts + 1, CAST(@now AS bigint), 0,
       CAST(@outcome AS text), CAST(@sentence AS text)
     FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id WHERE d.id = @deliveryId`,
  )
  const addDelivered = db.prepare('UPDATE replay SET delivered = delivered + @count WHERE id = @replayId')
  const addUndelivered = db.prepare('UPDATE replay SET undelivered = undelivered + @count WHERE id = @replayId')

  const ender: WaitingEnder = {
    *end(rows, state, reason, now, tally) {
      for (const row of rows) {
        if ((yield* setEnded.run({ state, reason, now, id: row.id })).changes === 0) continue
        yield* ender.note(row.id, state, reason, now)
        tally.waiting(row.accountUuid, row.endpointId, -1, -row.bytes)
        if (row.cause === 'replay') yield* ender.countReplay(row.causeNo, false, 1)
      }
    },
    ofEndpoint: (endpointId, endpointState, limit) =>
      (endpointState === 'deleted' ? ofDeleted : ofStopped).all({ endpointId, limit }),
    note: (deliveryId, outcome, sentence, now) => insertNote.run({ now, outcome, sentence, deliveryId }),
    countReplay: (replayId, delivered, count) => (delivered ? addDelivered : addUndelivered).run({ count, replayId }),
  }
  return ender
}

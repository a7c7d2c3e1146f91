// Housekeeping of pending deliveries: after a restart, for ended endpoints, and past the deadline of held ones.
import { expireHeldStep, type HeldRows, type WaitingRow } from '../../acts.ts'
import type { Step } from '../../database.ts'
import type { DeliveryStore, Ending } from '../../store/deliveries.ts'
import type { Connections } from '../connections.ts'
import { ENDPOINT_AND_PLAN, HEALTH_COLUMNS, type HealthRow, healthOf } from '../endpoints/endpoint-rows.server.ts'
import { type Tally, tallies } from '../hot/tally.server.ts'
import { WAITING_COLUMNS, waitingEnder } from './waiting.server.ts'

/** Rows scanned in one step: other writers of their endpoint wait for it. */
const STRETCH = 100

/** Nobody sends a sample this long after its deadline: whoever wanted to has ended. ms */
const SAMPLE_GRACE = 5 * 60_000
const FOREVER = Number.MAX_SAFE_INTEGER

/** The state of the endpoint that ends them; null = whatever it is. */
const ENDED_AS = {
  ...{ stopped: 'stopped', deleted: 'deleted', rule_deleted: 'deleted' },
  ...{ sample: null, cancelled: null },
} as const satisfies Record<Ending['because'], 'stopped' | 'deleted' | null>

export function heldDeliveryStore(connections: Connections) {
  const { db, patient, mine, taken, lock } = connections
  const newTally = tallies(db)
  const ender = waitingEnder(connections)

  const recountEndpoints = db.prepare(
    `UPDATE endpoint SET pending_count = coalesce(w.waiting, 0)
     FROM endpoint AS p LEFT JOIN
       (SELECT endpoint_id, count(*) AS waiting FROM delivery WHERE state = 'pending' GROUP BY endpoint_id) AS w
       ON w.endpoint_id = p.id
     WHERE endpoint.id = p.id AND endpoint.pending_count <> coalesce(w.waiting, 0)`,
  )
  const forgetLoads = db.prepare('DELETE FROM account_load')
  const recountLoads = db.prepare(
    `INSERT INTO account_load (account_uuid, pending_count, pending_bytes)
     SELECT d.account_uuid, count(*), coalesce(sum(length(b.body)), 0)
     FROM delivery d INDEXED BY due_deliveries_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.state = 'pending' GROUP BY d.account_uuid`,
  )
  // Ids that follow each other come nearly eight seconds apart: as good as chance, and the same on every engine.
  const spreadOverdue = db.prepare(
    `UPDATE delivery SET due_at = min(deadline_at, @from + (id * 7919) % @width)
     WHERE id IN (SELECT id FROM delivery INDEXED BY due_deliveries_of_an_endpoint WHERE state = 'pending' AND due_at < @now)
       AND attempts > 0 AND deadline_at > @now AND ${taken('delivery')}`,
  )
  const forgiveUntried = db.prepare(
    `UPDATE delivery SET deadline_at = @until
     WHERE id IN (SELECT id FROM delivery INDEXED BY due_deliveries_of_an_endpoint WHERE state = 'pending')
       AND attempts = 0 AND deadline_at < @until AND cause <> 'test' AND ${taken('delivery')}`,
  )
  const leftSamples = db.prepare<{ until: number; endpointId: number | null }, WaitingRow>(
    `SELECT ${WAITING_COLUMNS}
     FROM delivery d INDEXED BY due_again_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.state = 'pending' AND d.cause <> 'live' AND d.cause = 'test' AND d.deadline_at <= @until
       AND (CAST(@endpointId AS bigint) IS NULL OR d.endpoint_id = @endpointId) AND ${mine('d')}`,
  )

  const lockEndpoint = db.prepare<{ id: number; state: string | null }>(
    `SELECT p.id FROM endpoint p WHERE p.id = @id AND (CAST(@state AS text) IS NULL OR p.state = @state) ${lock('p')}`,
  )
  const endedEndpoints = db.prepare<
    { deletedBefore: number },
    { id: number; state: 'stopped' | 'deleted'; ruleId: number | null }
  >(
    `SELECT p.id, p.state, p.forwarding_rule_id AS ruleId FROM endpoint p WHERE p.state IN ('stopped', 'deleted') AND ${mine('p')}
       AND (p.state = 'stopped' OR p.state_since < @deletedBefore)
       AND EXISTS (SELECT 1 FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')`,
  )
  const cancelledReplays = db.prepare<[], { id: number; endpointId: number }>(
    `SELECT id, endpoint_id AS endpointId FROM replay
     WHERE state = 'cancelled' AND made > delivered + undelivered AND ${mine('replay')}`,
  )
  const ofReplay = db.prepare<{ endpointId: number; replayId: number; limit: number }, WaitingRow>(
    `SELECT ${WAITING_COLUMNS}
     FROM delivery d INDEXED BY due_again_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.endpoint_id = @endpointId AND d.state = 'pending' AND d.cause <> 'live' AND d.cause = 'replay'
       AND d.cause_no = @replayId LIMIT @limit`,
  )

  // Its health is of the moment when it is locked: a success or "Start again" before it counts.
  const heldEndpoint = db.prepare<{ fromId: number; now: number }, HealthRow>(
    `SELECT ${HEALTH_COLUMNS} FROM ${ENDPOINT_AND_PLAN}
     WHERE p.id >= @fromId AND (p.state IN ('paused', 'failing', 'stopped') OR p.breaker = 'open' OR p.hold_until > @now
         OR p.url = '' OR own.id IS NOT NULL)
       AND ${mine('p')} AND EXISTS (SELECT 1 FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')
     ORDER BY p.id LIMIT 1 ${lock('p')}`,
  )
  const stretch = db.prepare<
    { endpointId: number; dueAt: number; id: number; limit: number },
    WaitingRow & { dueAt: number; deadlineAt: number; createdAt: number }
  >(
    `SELECT ${WAITING_COLUMNS}, d.due_at AS dueAt, d.deadline_at AS deadlineAt, d.created_at AS createdAt
     FROM delivery d INDEXED BY due_deliveries_of_an_endpoint LEFT JOIN event_body b ON b.seq = d.event_seq
     WHERE d.endpoint_id = @endpointId AND d.state = 'pending' AND (d.due_at, d.id) > (@dueAt, @id)
     ORDER BY d.due_at, d.id LIMIT @limit`,
  )
  const fail = db.prepare<{ id: number; failingSince: number | null; failureEvents: string }>(
    'UPDATE endpoint SET failing_since = @failingSince, failure_events = @failureEvents WHERE id = @id',
  )
  const rowsOf = (tally: Tally): HeldRows => ({
    *heldStretch(now, cursor) {
      const row = yield* heldEndpoint.get({ fromId: cursor?.endpointId ?? 0, now })
      if (!row) return null
      const { endpointId, accountHold } = row
      const goesOn = cursor?.endpointId === endpointId
      const waiting = yield* stretch.all({
        endpointId,
        dueAt: goesOn ? cursor.dueAt : -1,
        id: goesOn ? cursor.id : -1,
        limit: STRETCH,
      })
      const last = waiting.at(-1)
      const next =
        waiting.length === STRETCH && last
          ? { endpointId, dueAt: last.dueAt, id: last.id }
          : { endpointId: endpointId + 1, dueAt: -1, id: -1 }
      return { health: { ...healthOf(row), hasAddress: row.url !== '' }, accountHold, waiting, next }
    },
    expire: (waiting, reason, now) => ender.end(waiting, 'expired', reason, now, tally),
    writeFailure: (id, { failingSince, failureEvents }) =>
      fail.run({ id, failingSince, failureEvents: JSON.stringify(failureEvents) }),
  })

  function waitingOf(ending: Ending, now: number, limit: number): Step<WaitingRow[]> {
    const { endpointId } = ending
    switch (ending.because) {
      case 'sample':
        return leftSamples.all({ until: now - SAMPLE_GRACE, endpointId })
      case 'cancelled':
        return ofReplay.all({ endpointId, replayId: ending.replayId, limit })
      default:
        return ender.ofEndpoint(endpointId, ENDED_AS[ending.because], limit)
    }
  }

  return {
    tidyAfterRestart: db.write(function* (now, { alone, spreadMs, graceMs, sampleReason }) {
      if (alone) {
        // Every counter is counted anew below, so what this tally gathers is not written.
        const samples = yield* leftSamples.all({ until: FOREVER, endpointId: null })
        yield* ender.end(samples, 'expired', sampleReason, now, newTally())
        yield* recountEndpoints.run()
        yield* forgetLoads.run()
        yield* recountLoads.run()
      }
      yield* forgiveUntried.run({ until: now + graceMs })
      const width = Math.max(1, spreadMs.to - spreadMs.from)
      const { changes } = yield* spreadOverdue.run({ now, from: now + spreadMs.from, width })
      return { spread: changes }
    }),

    listEndings: db.read(function* (now, deletedBefore) {
      const samples = yield* leftSamples.all({ until: now - SAMPLE_GRACE, endpointId: null })
      const tested = new Set(samples.map(({ endpointId }) => endpointId))
      const found: Ending[] = [...tested].map((endpointId) => ({ endpointId, because: 'sample' }))
      for (const { id, state, ruleId } of yield* endedEndpoints.all({ deletedBefore }))
        found.push({ endpointId: id, because: state === 'deleted' && ruleId !== null ? 'rule_deleted' : state })
      for (const { id, endpointId } of yield* cancelledReplays.all())
        found.push({ endpointId, because: 'cancelled', replayId: id })
      return found
    }),

    endStoppedStep: patient.write(function* (ending, reason, now, limit) {
      const tally = newTally()
      // It may have been started again since it was listed.
      if (!(yield* lockEndpoint.get({ id: ending.endpointId, state: ENDED_AS[ending.because] }))) return 0
      const rows = yield* waitingOf(ending, now, limit)
      yield* ender.end(rows, ending.because === 'sample' ? 'expired' : 'stopped', reason, now, tally)
      yield* tally.write()
      return rows.length
    }),

    expireHeldStep: patient.write(function* (now, cursor, options) {
      const tally = newTally()
      const step = yield* expireHeldStep(rowsOf(tally), now, cursor, options)
      yield* tally.write()
      return step
    }),
  } satisfies Partial<DeliveryStore>
}

// The engine's reads: endpoints with pending deliveries, due deliveries, and everything an attempt needs.

import type { DeliveryJob, DeliveryStore, DueDelivery, DueLane, EndpointLane } from '../../store/deliveries.ts'
import type { Connections } from '../connections.ts'
import { ENDPOINT_AND_PLAN, HEALTH_COLUMNS, type HealthRow, laneOf } from '../endpoints/endpoint-rows.server.ts'
import { shapeOf } from '../shape.server.ts'

export const JOB = shapeOf<DeliveryJob>({
  id: 'd.id',
  endpointId: 'd.endpoint_id',
  accountUuid: 'd.account_uuid',
  eventSeq: 'd.event_seq',
  // A test that is sent again is still a test: no answer changes the address.
  cause: "CASE WHEN e.source = 'test' THEN 'test' ELSE d.cause END",
  causeNo: 'd.cause_no',
  dueAt: 'd.due_at',
  deadlineAt: 'd.deadline_at',
  attempts: 'd.attempts',
  steps: 'd.steps',
  eventId: 'e.id',
  receivedAt: 'e.received_at',
  body: 'b.body',
  url: 'p.url',
  secretSealed: 'p.secret_sealed',
  previousSecretSealed: 'p.previous_secret_sealed',
  previousSecretUntil: 'p.previous_secret_until',
})

/** Values are in the order of `JOB`. */
export const SENDABLE_JOBS = `SELECT ${JOB.columns}
  FROM delivery d JOIN event e ON e.seq = d.event_seq JOIN endpoint p ON p.id = d.endpoint_id
    LEFT JOIN event_body b ON b.seq = d.event_seq
  WHERE d.state = 'pending' AND p.url <> ''
    AND (p.state = 'active' OR p.state <> 'deleted' AND d.cause IN ('retry', 'test'))`

/** What waited for an endpoint that was away until `since`, and would be given up before `until`. */
export function waitedFor(endpointId: string, since: string, until: string): string {
  return `endpoint_id = ${endpointId} AND state = 'pending' AND cause <> 'test' AND deadline_at < ${until} AND created_at < ${since}`
}
export const EXTEND_DEADLINES = `UPDATE delivery SET deadline_at = @until WHERE ${waitedFor('@endpointId', '@since', '@until')}`

const LANES: Record<DueLane, { index: string; only: string }> = {
  live: { index: 'due_deliveries_of_an_endpoint', only: "cause IN ('live', 'retry')" },
  replay: { index: 'due_again_of_an_endpoint', only: "cause <> 'live' AND cause = 'replay'" },
  by_hand: {
    index: 'due_again_of_an_endpoint',
    only: `cause <> 'live' AND cause = 'retry' AND attempts = 0
      AND EXISTS (SELECT 1 FROM ${ENDPOINT_AND_PLAN} WHERE p.id = endpoint_id AND p.url <> '' AND own.id IS NULL)`,
  },
}

/** Names the index, so no statistics can make SQLite scan all other pending deliveries. */
export function selectDue(kind: DueLane, endpointId: string, limit: string): string {
  const { index, only } = LANES[kind]
  return `SELECT id, object_uuid AS record, due_at AS dueAt, cause FROM delivery INDEXED BY ${index}
    WHERE endpoint_id = ${endpointId} AND state = 'pending' AND ${only} ORDER BY due_at, id LIMIT ${limit}`
}

export function dueDeliveryStore({ db, patient, mine, lock }: Connections) {
  const lockEndpoint = db.prepare<{ id: number }>(`SELECT p.id FROM endpoint p WHERE p.id = @id ${lock('p')}`)
  const withWork = db.prepare<[], HealthRow>(
    `SELECT ${HEALTH_COLUMNS} FROM ${ENDPOINT_AND_PLAN}
     WHERE p.state <> 'deleted' AND ${mine('p')}
       AND EXISTS (SELECT 1 FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending') ORDER BY p.id`,
  )
  const findLane = db.prepare<[number], HealthRow>(
    `SELECT ${HEALTH_COLUMNS} FROM ${ENDPOINT_AND_PLAN} WHERE p.id = ? AND p.state <> 'deleted' AND ${mine('p')}`,
  )
  // The reason of a wait that is over is no reason of this one. `hold_since` of a rest: the end of another one within it.
  const rest = db.prepare<{ id: number; until: number; now: number }>(
    `UPDATE endpoint SET hold_until = max(coalesce(hold_until, 0), @until),
       hold_reason = CASE WHEN hold_until > @now THEN hold_reason END,
       hold_since = CASE WHEN hold_until <= @now THEN NULL WHEN hold_reason IS NULL THEN min(hold_until, @until)
         ELSE hold_since END WHERE id = @id`,
  )
  const restDelivery = db.prepare<{ id: number; until: number }>(
    "UPDATE delivery SET due_at = max(due_at, @until) WHERE id = @id AND state = 'pending'",
  )
  // A receiver that asked us to wait has a reason.
  const endRest = db.prepare<{ id: number; until: number }>(
    `UPDATE endpoint SET hold_until = CASE hold_until WHEN @until THEN hold_since ELSE hold_until END, hold_since = NULL
     WHERE id = @id AND @until IN (hold_until, hold_since) AND hold_reason IS NULL`,
  )
  const dueNow = db.prepare<{ id: number; now: number; limit: number }>(
    `UPDATE delivery SET due_at = CAST(@now AS bigint) WHERE id IN (
       SELECT id FROM delivery
       WHERE endpoint_id = @id AND state = 'pending' AND due_at > @now AND cause <> 'test' ORDER BY due_at, id LIMIT @limit)`,
  )
  const probeNow = db.prepare<{ id: number; now: number }>(
    "UPDATE endpoint SET next_probe_at = CAST(@now AS bigint) WHERE id = @id AND breaker = 'open' AND next_probe_at > @now",
  )
  const extendDeadlines = db.prepare<object>(EXTEND_DEADLINES)
  const dueOf = (kind: DueLane) => db.prepare<[number, number], DueDelivery>(selectDue(kind, '?', '?'))
  const due = { live: dueOf('live'), replay: dueOf('replay'), by_hand: dueOf('by_hand') }

  const loadOne = db.prepare<[number], unknown[]>(`${SENDABLE_JOBS} AND d.id = ?`).raw()
  const totals = db.prepare<[], { deliveries: number; bytes: number }>(
    'SELECT coalesce(sum(pending_count), 0) AS deliveries, coalesce(sum(pending_bytes), 0) AS bytes FROM account_load',
  )

  return {
    endpointsWithWork: db.read(function* () {
      return (yield* withWork.all()).map(laneOf)
    }),
    // The extension is right whenever it comes, so nobody has to wait for anybody.
    adoptEndpoints: db.single(function* (endpointIds, graceMs) {
      const lanes: (EndpointLane | null)[] = []
      for (const endpointId of endpointIds) {
        const row = yield* findLane.get(endpointId)
        if (row?.state === 'active')
          yield* extendDeadlines.run({ endpointId, until: row.stateSince + graceMs, since: row.stateSince })
        lanes.push(row ? laneOf(row) : null)
      }
      return lanes
    }),
    restEndpoints: db.write(function* (attempts, now, until) {
      const endpointIds = new Set(attempts.map(({ endpointId }) => endpointId))
      for (const id of [...endpointIds].sort((a, b) => a - b)) yield* rest.run({ id, until, now })
      for (const { id } of attempts) yield* restDelivery.run({ id, until })
    }),
    endRest: db.single(function* (id, until) {
      yield* endRest.run({ id, until })
    }),
    bringForward: patient.write(function* (id, now, limit) {
      yield* lockEndpoint.get({ id })
      yield* probeNow.run({ id, now })
      return (yield* dueNow.run({ id, now, limit })).changes
    }),
    // Sent without writing first: what a power cut takes back would come again under another id.
    dueDeliveries: db.readKept(function* (lists) {
      const found: DueDelivery[][] = []
      for (const { endpointId, kind, limit } of lists) found.push(yield* due[kind].all(endpointId, limit))
      return found
    }),
    // One snapshot and one lock for all of them.
    loadDeliveries: db.snapshot(function* (ids) {
      const jobs: (DeliveryJob | null)[] = []
      for (const id of ids) {
        const values = yield* loadOne.get(id)
        jobs.push(values ? JOB.rowOf(values) : null)
      }
      return jobs
    }),
    waitingTotals: db.read(function* () {
      return (yield* totals.get()) ?? { deliveries: 0, bytes: 0 }
    }),
  } satisfies Partial<DeliveryStore>
}

// The Store on PostgreSQL: the common one, with what each event needs done for whole batches at once.
import type { Clock } from '#app/lib/clock.ts'
import { ENDPOINT_AND_PLAN, HEALTH_COLUMNS, type HealthRow, laneOf } from '../sql/endpoints/endpoint-rows.server.ts'
import { EXTEND_DEADLINES, JOB, SENDABLE_JOBS, selectDue, waitedFor } from '../sql/hot/claim.server.ts'
import { sqlStore } from '../sql/store.server.ts'
import { isStorageFailure } from '../storage-failure.ts'
import type { DeliveryJob, DeliveryStore, DueDelivery, DueLane, EndpointLane } from '../store/deliveries.ts'
import type { Store } from '../store.ts'
import type { PostgresConnections } from './client.server.ts'
import { together } from './database.server.ts'
import { intakeSet } from './intake.server.ts'
import { settleSet } from './settle.server.ts'

export function postgresStore(connections: PostgresConnections, clock: Clock): Store {
  const rowByRow = sqlStore(connections, clock)
  const { events, deliveries } = rowByRow
  return {
    ...rowByRow,
    events: {
      ...events,
      acceptEvents: orElse(intakeSet(connections).acceptEvents, events.acceptEvents),
      findIngress: (tokenHash) => soon(events.findIngress(tokenHash)),
    },
    deliveries: {
      ...deliveries,
      ...dueSet(connections),
      settleAttempts: orElse(settleSet(connections).settleAttempts, deliveries.settleAttempts),
    },
  }
}

/** Reads in one round trip, for many endpoints and deliveries, what `db/sql` reads one by one. */
function dueSet({ db, mine }: PostgresConnections) {
  const lanesOf = db.prepare<object, HealthRow & { waited: 0 | 1 }>(
    `SELECT ${HEALTH_COLUMNS}, CASE WHEN p.state = 'active' AND EXISTS
       (SELECT 1 FROM delivery WHERE ${waitedFor('p.id', 'p.state_since', 'p.state_since + @graceMs')})
       THEN 1 ELSE 0 END AS waited
     FROM ${ENDPOINT_AND_PLAN} WHERE p.id = ANY(@ids::bigint[]) AND p.state <> 'deleted' AND ${mine('p')}`,
  )
  const extend = db.prepare<object>(EXTEND_DEADLINES)
  // Because of their limits, the planner can only go from list to list.
  const listsOf = (kind: DueLane) =>
    db.prepare<object, DueDelivery & { n: number }>(
      `SELECT g.n, d.* FROM unnest(@ids::bigint[], @limits::bigint[]) WITH ORDINALITY AS g(id, most, n)
       CROSS JOIN LATERAL (${selectDue(kind, 'g.id', 'g.most')}) d ORDER BY g.n, d.dueAt, d.id`,
    )
  const due = { live: listsOf('live'), replay: listsOf('replay'), by_hand: listsOf('by_hand') }
  // One statement sees one state of the data, so it needs no transaction.
  const load = db.prepare<{ ids: number[] }, unknown[]>(`${SENDABLE_JOBS} AND d.id = ANY(@ids::bigint[])`).raw()

  return {
    adoptEndpoints: db.single(function* (ids, graceMs) {
      const lanes = new Map<number, EndpointLane>()
      for (const { waited, ...row } of yield* lanesOf.all({ ids, graceMs })) {
        const { endpointId, stateSince: since } = row
        if (waited) yield* extend.run({ endpointId, since, until: since + graceMs })
        lanes.set(endpointId, laneOf(row))
      }
      return ids.map((id) => lanes.get(id) ?? null)
    }),
    dueDeliveries: db.readKept(function* (lists) {
      const groups = [...Map.groupBy(lists.entries(), ([, { kind }]) => kind)]
      const answers = yield* together(
        groups.map(([kind, some]) => {
          const [ids, limits] = [some.map(([, { endpointId }]) => endpointId), some.map(([, { limit }]) => limit)]
          return due[kind].all({ ids, limits })
        }),
      )
      const found: DueDelivery[][] = lists.map(() => [])
      for (const [index, rows] of answers.entries())
        for (const { n, ...row } of rows) found[groups[index]?.[1][n - 1]?.[0] ?? 0]?.push(row)
      return found
    }),
    loadDeliveries: db.read(function* (ids): Generator<unknown, (DeliveryJob | null)[]> {
      const found = (yield* load.all({ ids })).map(JOB.rowOf)
      const jobs = new Map(found.map((job) => [job.id, job]))
      return ids.map((id) => jobs.get(id) ?? null)
    }),
  } satisfies Partial<DeliveryStore>
}

/** Whoever sends an event is answered within this time, also when the network swallows everything. ms */
const ANSWER_WITHIN = 5_000

/** Rejects with the failure of a connection when the work takes longer; it goes on unheard. */
function soon<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(Object.assign(new Error('the database does not answer'), { code: '08006' }))
    const timer = setTimeout(late, ANSWER_WITHIN)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** A row that cannot be stored breaks its whole batch: row by row, it is refused alone. */
function orElse<A extends unknown[], T>(
  batch: (...args: A) => Promise<T>,
  rowByRow: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    try {
      return await batch(...args)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return rowByRow(...args)
    }
  }
}

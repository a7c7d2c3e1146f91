// The Store on PostgreSQL: the common one, with the three acts of each event done for whole batches at once.
import type { Clock } from '#app/lib/clock.ts'
import { JOB, SENDABLE_JOBS } from '../sql/hot/claim.server.ts'
import { sqlStore } from '../sql/store.server.ts'
import { isStorageFailure } from '../storage-failure.ts'
import type { DeliveryJob, DeliveryStore } from '../store/deliveries.ts'
import type { Store } from '../store.ts'
import type { PostgresConnections } from './client.server.ts'
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

/** One statement sees one state of the data, so it needs no transaction. */
function dueSet({ db }: PostgresConnections): Pick<DeliveryStore, 'loadDeliveries'> {
  const load = db.prepare<{ ids: number[] }, unknown[]>(`${SENDABLE_JOBS} AND d.id = ANY(@ids::bigint[])`).raw()
  return {
    loadDeliveries: db.read(function* (ids: number[]): Generator<unknown, (DeliveryJob | null)[]> {
      const jobs = new Map<number, DeliveryJob>()
      for (const values of yield* load.all({ ids })) {
        const job = JOB.rowOf(values)
        jobs.set(job.id, job)
      }
      return ids.map((id) => jobs.get(id) ?? null)
    }),
  }
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

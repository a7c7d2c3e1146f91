// What attempts need, for all deliveries of a batch at once.

import { JOB, SENDABLE_JOBS } from '../sql/hot/claim.server.ts'
import type { DeliveryJob, DeliveryStore } from '../store/deliveries.ts'
import type { PostgresConnections } from './client.server.ts'

/** One statement sees one state of the data, so it needs no transaction. */
export function dueSet({ db }: PostgresConnections): Pick<DeliveryStore, 'loadDeliveries'> {
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

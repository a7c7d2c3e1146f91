// Counters of a batch, one statement for each table. Rows are in the order of their keys, so that two instances that
// count for the same accounts wait for each other and never both.
import type { Database, Step } from '../database.ts'
import type { Gathered } from '../sql/hot/tally.server.ts'
import { rowsAsLists } from './rows-as-lists.ts'

type Hour = Record<
  'endpointId' | 'hour' | 'events' | 'delivered' | 'failed' | 'durationSumMs' | 'durationMaxMs',
  number
>
const HOURS = rowsAsLists<Hour>({
  endpointId: 'bigint',
  hour: 'bigint',
  events: 'bigint',
  delivered: 'bigint',
  failed: 'bigint',
  durationSumMs: 'bigint',
  durationMaxMs: 'bigint',
})

type Usage = Gathered['usage'] extends Map<string, infer Row> ? Row : never
const USAGE = rowsAsLists<Usage>({ accountUuid: 'text', day: 'bigint', kind: 'text', count: 'bigint' })

/**
 * The statements that write what was gathered, in the order in which every act takes these tables. The operation holds
 * its endpoints already.
 */
export function tallyWriter(db: Database): (gathered: Gathered) => Step<unknown>[] {
  const addWaiting = db.prepare<{ ids: number[]; counts: number[] }>(
    `UPDATE endpoint SET pending_count = max(0, pending_count + g.added)
     FROM unnest(@ids::bigint[], @counts::bigint[]) AS g(id, added) WHERE endpoint.id = g.id`,
  )
  const added = (counts: string) =>
    `(CAST(@${counts} AS bigint[]))[array_position(@accounts::text[], account_load.account_uuid)]`
  // A row is never below zero, the change may be: `excluded` would know only what a new row gets.
  const addLoad = db.prepare<{ accounts: string[]; deliveries: number[]; bytes: number[] }>(
    `INSERT INTO account_load (account_uuid, pending_count, pending_bytes)
     SELECT account_uuid, max(0, deliveries), max(0, bytes)
     FROM unnest(@accounts::text[], @deliveries::bigint[], @bytes::bigint[]) AS g(account_uuid, deliveries, bytes)
     ON CONFLICT (account_uuid) DO UPDATE SET pending_count = max(0, account_load.pending_count + ${added('deliveries')}),
       pending_bytes = max(0, account_load.pending_bytes + ${added('bytes')})`,
  )
  const addUsage = db.prepare<object>(
    `INSERT INTO usage_day (${USAGE.columns}) SELECT * FROM ${USAGE.rows}
     ON CONFLICT (account_uuid, day, kind) DO UPDATE SET count = usage_day.count + excluded.count`,
  )
  const addHour = db.prepare<object>(
    `INSERT INTO endpoint_hour (${HOURS.columns}) SELECT * FROM ${HOURS.rows}
     ON CONFLICT (endpoint_id, hour) DO UPDATE SET events = endpoint_hour.events + excluded.events,
       delivered = endpoint_hour.delivered + excluded.delivered, failed = endpoint_hour.failed + excluded.failed,
       duration_sum_ms = endpoint_hour.duration_sum_ms + excluded.duration_sum_ms,
       duration_max_ms = max(endpoint_hour.duration_max_ms, excluded.duration_max_ms)`,
  )

  return ({ endpoints, accounts, usage, hours }) => {
    const waiting = [...endpoints].filter(([, count]) => count !== 0)
    const loads = [...accounts]
      .filter(([, { deliveries, bytes }]) => deliveries !== 0 || bytes !== 0)
      .sort(([a], [b]) => compare(a, b))
    const uses = [...usage.values()].sort(
      (a, b) => compare(a.accountUuid, b.accountUuid) || a.day - b.day || compare(a.kind, b.kind),
    )
    const sums = [...hours.values()]
      .sort((a, b) => a.endpointId - b.endpointId || a.hour - b.hour)
      .map(({ sum, max, ...hour }) => ({ ...hour, durationSumMs: sum, durationMaxMs: max }))
    return [
      ...(waiting.length > 0
        ? [addWaiting.run({ ids: waiting.map(([id]) => id), counts: waiting.map(([, count]) => count) })]
        : []),
      ...(loads.length > 0
        ? [
            addLoad.run({
              accounts: loads.map(([account]) => account),
              deliveries: loads.map(([, { deliveries }]) => deliveries),
              bytes: loads.map(([, { bytes }]) => bytes),
            }),
          ]
        : []),
      ...(uses.length > 0 ? [addUsage.run(USAGE.of(uses))] : []),
      ...(sums.length > 0 ? [addHour.run(HOURS.of(sums))] : []),
    ]
  }
}

/** The order in which every act takes rows that have a text as key. */
export function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

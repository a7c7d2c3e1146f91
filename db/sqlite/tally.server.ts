// Counters that are kept with the rows they count. Within one transaction they are summed up first and written once.
import type { Sql } from './client.server.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

export type UsageKind = 'api_call' | 'webhook_received' | 'webhook_forwarded' | 'duplicate'

export interface HourChange {
  events?: number
  delivered?: number
  failed?: number
  durationMs?: number
}

export interface Tally {
  /** What waits: for the endpoint and for its account. */
  waiting(accountUuid: string, endpointId: number, deliveries: number, bytes: number): void
  usage(accountUuid: string, at: number, kind: UsageKind): void
  hour(endpointId: number, at: number, change: HourChange): void
  /** Deliveries and bytes added to the account's load so far, not yet written. */
  addedTo(accountUuid: string): { deliveries: number; bytes: number }
  /** Call inside the transaction, once, at its end. */
  write(): void
}

/** Returns a maker of tallies: one per transaction. */
export function tallies(sql: Sql): () => Tally {
  const addWaiting = sql.prepare('UPDATE endpoint SET pending_count = max(0, pending_count + ?) WHERE id = ?')
  const addLoad = sql.prepare(
    `INSERT INTO account_load (account_uuid, pending_count, pending_bytes) VALUES (@uuid, max(0, @deliveries), max(0, @bytes))
     ON CONFLICT (account_uuid) DO UPDATE SET pending_count = max(0, pending_count + @deliveries), pending_bytes = max(0, pending_bytes + @bytes)`,
  )
  const addUsage = sql.prepare(
    `INSERT INTO usage_day (account_uuid, day, kind, count) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_uuid, day, kind) DO UPDATE SET count = count + excluded.count`,
  )
  const addHour = sql.prepare(
    `INSERT INTO endpoint_hour (endpoint_id, hour, events, delivered, failed, duration_sum_ms, duration_max_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (endpoint_id, hour) DO UPDATE SET events = events + excluded.events,
       delivered = delivered + excluded.delivered, failed = failed + excluded.failed,
       duration_sum_ms = duration_sum_ms + excluded.duration_sum_ms,
       duration_max_ms = max(duration_max_ms, excluded.duration_max_ms)`,
  )
  return () => {
    const endpoints = new Map<number, number>()
    const accounts = new Map<string, { deliveries: number; bytes: number }>()
    const usage = new Map<string, { accountUuid: string; day: number; kind: UsageKind; count: number }>()
    const hours = new Map<
      string,
      { endpointId: number; hour: number; events: number; delivered: number; failed: number; sum: number; max: number }
    >()
    return {
      waiting(accountUuid, endpointId, deliveries, bytes) {
        endpoints.set(endpointId, (endpoints.get(endpointId) ?? 0) + deliveries)
        const load = accounts.get(accountUuid)
        if (load) {
          load.deliveries += deliveries
          load.bytes += bytes
        } else {
          accounts.set(accountUuid, { deliveries, bytes })
        }
      },
      usage(accountUuid, at, kind) {
        const day = Math.floor(at / DAY)
        const key = `${kind}|${day}|${accountUuid}`
        const row = usage.get(key)
        if (row) row.count++
        else usage.set(key, { accountUuid, day, kind, count: 1 })
      },
      hour(endpointId, at, change) {
        const hour = Math.floor(at / HOUR)
        const key = `${endpointId}|${hour}`
        const row = hours.get(key) ?? { endpointId, hour, events: 0, delivered: 0, failed: 0, sum: 0, max: 0 }
        row.events += change.events ?? 0
        row.delivered += change.delivered ?? 0
        row.failed += change.failed ?? 0
        row.sum += change.durationMs ?? 0
        row.max = Math.max(row.max, change.durationMs ?? 0)
        hours.set(key, row)
      },
      addedTo: (accountUuid) => accounts.get(accountUuid) ?? NOTHING,
      write() {
        for (const [id, count] of endpoints) if (count !== 0) addWaiting.run(count, id)
        for (const [uuid, { deliveries, bytes }] of accounts) {
          if (deliveries !== 0 || bytes !== 0) addLoad.run({ uuid, deliveries, bytes })
        }
        for (const { accountUuid, day, kind, count } of usage.values()) addUsage.run(accountUuid, day, kind, count)
        for (const row of hours.values()) {
          addHour.run(row.endpointId, row.hour, row.events, row.delivered, row.failed, row.sum, row.max)
        }
      },
    }
  }
}

const NOTHING = { deliveries: 0, bytes: 0 }

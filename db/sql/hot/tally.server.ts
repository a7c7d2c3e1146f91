// Counters stored with the rows they count. Within a transaction they are summed first and written once.
import type { Database, Step } from '../../database.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** `free_call`: a call to the platform outside automations. Counts for the platform's limits, not as used. */
type UsageKind = 'api_call' | 'free_call' | 'webhook_received' | 'webhook_forwarded' | 'duplicate'

interface HourChange {
  events?: number
  delivered?: number
  failed?: number
  /** Of what was delivered only: a failure says nothing about how long a working address takes. */
  durationMs?: number
}

export interface Tally {
  /** Pending deliveries of the endpoint and its account. */
  waiting(accountUuid: string, endpointId: number, deliveries: number, bytes: number): void
  /** Takes the endpoint's pending count for a caller that writes the row anyway; it is not written again. */
  takeWaiting(endpointId: number): number
  usage(accountUuid: string, at: number, kind: UsageKind): void
  hour(endpointId: number, at: number, change: HourChange): void
  /** Deliveries and bytes added to the account's load but not yet written, including its parent's. */
  addedTo(accountUuid: string): { deliveries: number; bytes: number }
  /** Endpoints for which more deliveries wait than before. */
  moreWaiting(): { accountUuid: string; endpointId: number }[]
  /** Adds the counts of another tally. */
  absorb(other: Tally): void
  gathered(): Gathered
  /** Call once at the end of the transaction, inside it. */
  write(): Step<void>
}

export interface Gathered {
  endpoints: Map<number, number>
  /** The account of each endpoint that got a delivery. */
  accountOf: Map<number, string>
  accounts: Map<string, { deliveries: number; bytes: number }>
  usage: Map<string, { accountUuid: string; day: number; kind: UsageKind; count: number }>
  hours: Map<number, HourSum>
}

interface HourSum {
  endpointId: number
  hour: number
  events: number
  delivered: number
  failed: number
  sum: number
  max: number
}

/** Returns a factory for tallies: one per transaction, or one per part of it with the whole as its parent. */
export function tallies(db: Database): (parent?: Tally) => Tally {
  const addWaiting = db.prepare('UPDATE endpoint SET pending_count = max(0, pending_count + ?) WHERE id = ?')
  const addLoad = db.prepare(
    `INSERT INTO account_load (account_uuid, pending_count, pending_bytes) VALUES (?, max(0, ?), max(0, ?))
     ON CONFLICT (account_uuid) DO UPDATE SET pending_count = max(0, account_load.pending_count + ?),
       pending_bytes = max(0, account_load.pending_bytes + ?)`,
  )
  // The row is nearly always there: the UPDATE takes half as long as the INSERT that ends as one (measured).
  const raise = db.prepare('UPDATE usage_day SET count = count + ? WHERE account_uuid = ? AND day = ? AND kind = ?')
  const addUsage = db.prepare(
    `INSERT INTO usage_day (account_uuid, day, kind, count) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_uuid, day, kind) DO UPDATE SET count = usage_day.count + excluded.count`,
  )
  const addHour = db.prepare(
    `INSERT INTO endpoint_hour (endpoint_id, hour, events, delivered, failed, duration_sum_ms, duration_max_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (endpoint_id, hour) DO UPDATE SET events = endpoint_hour.events + excluded.events,
       delivered = endpoint_hour.delivered + excluded.delivered, failed = endpoint_hour.failed + excluded.failed,
       duration_sum_ms = endpoint_hour.duration_sum_ms + excluded.duration_sum_ms,
       duration_max_ms = max(endpoint_hour.duration_max_ms, excluded.duration_max_ms)`,
  )
  function* writeUsage(usage: Gathered['usage']): Generator<unknown, void> {
    for (const { accountUuid, day, kind, count } of usage.values()) {
      const { changes } = yield* raise.run(count, accountUuid, day, kind)
      if (changes === 0) yield* addUsage.run(accountUuid, day, kind, count)
    }
  }
  function* write({ endpoints, accounts, usage, hours }: Gathered): Generator<unknown, void> {
    for (const [id, count] of endpoints) if (count !== 0) yield* addWaiting.run(count, id)
    for (const [uuid, { deliveries, bytes }] of accounts) {
      if (deliveries !== 0 || bytes !== 0) yield* addLoad.run(uuid, deliveries, bytes, deliveries, bytes)
    }
    yield* writeUsage(usage)
    for (const row of hours.values()) {
      yield* addHour.run(row.endpointId, row.hour, row.events, row.delivered, row.failed, row.sum, row.max)
    }
  }
  return (parent) => createTally(write, parent)
}

function createTally(write: (gathered: Gathered) => Step<void>, parent?: Tally): Tally {
  const gathered: Gathered = {
    endpoints: new Map(),
    accountOf: new Map(),
    accounts: new Map(),
    usage: new Map(),
    hours: new Map(),
  }
  const { endpoints, accountOf, accounts, usage, hours } = gathered

  function addLoad(accountUuid: string, deliveries: number, bytes: number): void {
    const load = accounts.get(accountUuid)
    if (load) {
      load.deliveries += deliveries
      load.bytes += bytes
    } else {
      accounts.set(accountUuid, { deliveries, bytes })
    }
  }
  function addUsage(accountUuid: string, day: number, kind: UsageKind, count: number): void {
    const key = `${kind}|${day}|${accountUuid}`
    const row = usage.get(key)
    if (row) row.count += count
    else usage.set(key, { accountUuid, day, kind, count })
  }
  function addHour({ endpointId, hour, events, delivered, failed, sum, max }: HourSum): void {
    const key = endpointId * HOURS_OF_AN_ENDPOINT + hour
    const row = hours.get(key)
    if (!row) {
      hours.set(key, { endpointId, hour, events, delivered, failed, sum, max })
      return
    }
    row.events += events
    row.delivered += delivered
    row.failed += failed
    row.sum += sum
    row.max = Math.max(row.max, max)
  }

  return {
    waiting(accountUuid, endpointId, deliveries, bytes) {
      endpoints.set(endpointId, (endpoints.get(endpointId) ?? 0) + deliveries)
      if (deliveries > 0) accountOf.set(endpointId, accountUuid)
      addLoad(accountUuid, deliveries, bytes)
    },
    takeWaiting(endpointId) {
      const count = endpoints.get(endpointId) ?? 0
      if (count !== 0) endpoints.set(endpointId, 0)
      return count
    },
    usage: (accountUuid, at, kind) => addUsage(accountUuid, Math.floor(at / DAY), kind, 1),
    hour(endpointId, at, { events = 0, delivered = 0, failed = 0, durationMs = 0 }) {
      addHour({ endpointId, hour: Math.floor(at / HOUR), events, delivered, failed, sum: durationMs, max: durationMs })
    },
    addedTo(accountUuid) {
      const own = accounts.get(accountUuid) ?? NOTHING
      const above = parent?.addedTo(accountUuid) ?? NOTHING
      return { deliveries: own.deliveries + above.deliveries, bytes: own.bytes + above.bytes }
    },
    moreWaiting: () => [...accountOf].map(([endpointId, accountUuid]) => ({ accountUuid, endpointId })),
    absorb(other) {
      const { endpoints: counts, accountOf: owners, accounts: loads, usage: uses, hours: sums } = other.gathered()
      for (const [id, uuid] of owners) accountOf.set(id, uuid)
      for (const [id, count] of counts) endpoints.set(id, (endpoints.get(id) ?? 0) + count)
      for (const [uuid, { deliveries, bytes }] of loads) addLoad(uuid, deliveries, bytes)
      for (const { accountUuid, day, kind, count } of uses.values()) addUsage(accountUuid, day, kind, count)
      for (const sum of sums.values()) addHour(sum)
    },
    gathered: () => gathered,
    write: () => write(gathered),
  }
}

/** More hours than will ever occur: combines endpoint and hour into one number. */
const HOURS_OF_AN_ENDPOINT = 2 ** 22

const NOTHING = { deliveries: 0, bytes: 0 }

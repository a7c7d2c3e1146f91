// The operator's view of all accounts. Uses the reader connection; never scans events, deliveries or attempts, however
// many there are.
import type { FailingAddress } from '#app/domain/operations.ts'
import type { Database, Step } from '../../database.ts'
import type { AccountOutline, AuditCount, KeptCount, OperatorStore, RoomKind, RoomTaken } from '../../store/operator.ts'
import type { Connections } from '../connections.ts'
import { seqFinder } from '../deliveries/replays.server.ts'
import { EVENT_BYTES } from './space.server.ts'

/** An endpoint `p` whose sending fails, also while it goes on. */
export const FAILING = "(p.state = 'failing' OR p.state = 'active' AND p.failing_since IS NOT NULL)"
const FAILING_SINCE = 'coalesce(p.failing_since, p.state_since)'

/** Leaves out what an erasure may leave: a bare uuid that nobody has opened since. */
const OUTLINES = `
  SELECT a.uuid, a.name, a.created_at AS createdAt, c.state AS connection,
    own.status, own.trial_ends_at AS trialEndsAt, own.cancel_at_period_end AS ending, own.held_since AS heldSince,
    coalesce(l.pending_count, 0) AS waiting, coalesce(e.endpoints, 0) AS endpoints, coalesce(e.failing, 0) AS failing,
    e.failingSince, coalesce(e.stopped, 0) AS stopped
  FROM account a
    LEFT JOIN credential c ON c.account_uuid = a.uuid
    LEFT JOIN plan own ON own.account_uuid = a.uuid
    LEFT JOIN account_load l ON l.account_uuid = a.uuid
    LEFT JOIN (
      SELECT p.account_uuid, count(*) AS endpoints, sum(CASE WHEN ${FAILING} THEN 1 ELSE 0 END) AS failing,
        min(CASE WHEN ${FAILING} THEN ${FAILING_SINCE} END) AS failingSince,
        sum(CASE WHEN p.state = 'stopped' THEN 1 ELSE 0 END) AS stopped
      FROM endpoint p WHERE p.state <> 'deleted' GROUP BY p.account_uuid
    ) e ON e.account_uuid = a.uuid
  WHERE a.name <> '' OR c.account_uuid IS NOT NULL
    OR EXISTS (SELECT 1 FROM account_person o WHERE o.account_uuid = a.uuid)
  ORDER BY a.created_at, a.uuid`

const FAILING_ONES = `
  SELECT p.id, p.account_uuid AS accountUuid, a.name AS accountName, ${FAILING_SINCE} AS since,
    p.state = 'failing' AS switchedOff, p.last_code AS code
  FROM endpoint p JOIN account a ON a.uuid = p.account_uuid
  WHERE ${FAILING} ORDER BY since, p.id LIMIT @limit`

/** The last attempt's outcome of the first pending delivery of an endpoint. */
const LATEST_OUTCOME = `
  SELECT t.outcome FROM (
    SELECT id FROM delivery INDEXED BY due_deliveries_of_an_endpoint
    WHERE endpoint_id = @endpointId AND state = 'pending' ORDER BY due_at, id LIMIT 20
  ) few JOIN attempt t ON t.delivery_id = few.id ORDER BY t.at DESC LIMIT 1`

const SPLIT = `
  SELECT
    coalesce(sum(CASE WHEN held THEN waiting END), 0) AS held,
    coalesce(sum(CASE WHEN NOT held AND later THEN waiting END), 0) AS backingOff
  FROM (
    SELECT p.pending_count AS waiting, p.state <> 'active' OR p.url = '' OR own.id IS NOT NULL AS held,
      p.failing_since IS NOT NULL OR p.breaker = 'open' OR coalesce(p.hold_until, 0) > @now AS later
    FROM endpoint p LEFT JOIN plan own ON own.account_uuid = p.account_uuid AND own.held_since IS NOT NULL
    WHERE p.pending_count > 0
  ) AS parts`

/** An entry for several requests stores their number. */
const AUDIT_COUNTS = `
  SELECT action, outcome, sum(CASE action WHEN 'calls.refused' THEN coalesce(CAST(json_extract(detail, '$.count') AS bigint), 1) ELSE 1 END) AS count,
    max(at) AS latestAt
  FROM (
    SELECT action, outcome, detail, at FROM audit_entry INDEXED BY audit_by_age WHERE at >= @since
    ORDER BY at DESC LIMIT @atMost
  ) AS latest
  WHERE outcome = 'refused' OR action IN (SELECT value FROM json_each(@actions))
  GROUP BY action, outcome ORDER BY count DESC`

/** By account, in index order: the first row is the oldest. */
const KEPT = {
  events: ['event INDEXED BY events_of_an_account_newest_first', 'seq', 'received_at'],
  runs: ['run INDEXED BY runs_of_an_account_newest_first', 'id', 'created_at'],
  exchanges: ['api_activity INDEXED BY api_activity_newest_first', 'id', 'created_at'],
  audit: ['audit_entry INDEXED BY audit_of_an_account', 'id', 'at'],
} as const

interface OutlineRow extends Omit<AccountOutline, 'plan'> {
  status: string | null
  trialEndsAt: number
  ending: 0 | 1
  heldSince: number | null
}

/** For the test that no query scans a big table. */
export const OPERATOR_QUERIES = { OUTLINES, FAILING_ONES, LATEST_OUTCOME, SPLIT, AUDIT_COUNTS }

export function operatorStore({ reader, housekeeping }: Connections): OperatorStore {
  const outlines = reader.prepare<[], OutlineRow>(OUTLINES)
  const failing = reader.prepare<
    { limit: number },
    Omit<FailingAddress, 'switchedOff' | 'outcome'> & { id: number; switchedOff: 0 | 1 }
  >(FAILING_ONES)
  const latestOutcome = reader.prepare<{ endpointId: number }, string>(LATEST_OUTCOME).pluck()
  const split = reader.prepare<{ now: number }, { held: number; backingOff: number }>(SPLIT)
  const auditCounts = reader.prepare<{ since: number; atMost: number; actions: string }, AuditCount>(AUDIT_COUNTS)
  const auditSize = reader
    .prepare<{ since: number; limit: number }, number>(
      'SELECT count(*) FROM (SELECT 1 FROM audit_entry INDEXED BY audit_by_age WHERE at >= @since LIMIT @limit) AS few',
    )
    .pluck()
  const meter = roomMeter(reader)
  const oldestEvent = reader.prepare<[], number>('SELECT received_at FROM event ORDER BY seq LIMIT 1').pluck()
  const kept = {
    events: keptCounter(reader, 'events'),
    runs: keptCounter(reader, 'runs'),
    exchanges: keptCounter(reader, 'exchanges'),
    audit: keptCounter(reader, 'audit'),
  }
  const roomTaken = reader.read(meter.taken)

  return {
    accountOutlines: reader.read(function* () {
      return (yield* outlines.all()).map(({ status, trialEndsAt, ending, heldSince, ...row }) => ({
        ...row,
        plan: status === null ? null : { status, trialEndsAt, cancelAtPeriodEnd: ending === 1, heldSince },
      }))
    }),
    troubledEndpoints: reader.read(function* (limit) {
      const found: FailingAddress[] = []
      for (const { id, switchedOff, ...row } of yield* failing.all({ limit })) {
        const outcome = row.code === null ? ((yield* latestOutcome.get({ endpointId: id })) ?? null) : null
        found.push({ ...row, switchedOff: switchedOff === 1, outcome })
      }
      return found
    }),
    waitingSplit: reader.read(function* (now) {
      return (yield* split.get({ now })) ?? { held: 0, backingOff: 0 }
    }),
    async roomTaken() {
      const snapshots = await housekeeping.estimate('record_snapshot')
      return roomTaken(snapshots ? { snapshots: { ...snapshots, estimated: true } } : {})
    },
    roomSince: reader.read(function* (since) {
      let bytes = 0
      for (const table of ['event', 'run'] as const) {
        const first = yield* firstSince(reader, table, since)
        if (first !== null) bytes += yield* meter.takenFrom(`${table}s`, first)
      }
      return { bytes, oldestEventAt: (yield* oldestEvent.get()) ?? null }
    }),
    countAudit: reader.read(function* (since, actions, atMost) {
      const counts = yield* auditCounts.all({ since, atMost, actions: JSON.stringify(actions) })
      return { counts, all: ((yield* auditSize.get({ since, limit: atMost + 1 })) ?? 0) <= atMost }
    }),
    machineFacts: housekeeping.machine,
    countKept: reader.read(function* (accountUuid, atMost) {
      return {
        events: yield* kept.events(accountUuid, atMost),
        runs: yield* kept.runs(accountUuid, atMost),
        exchanges: yield* kept.exchanges(accountUuid, atMost),
        audit: yield* kept.audit(accountUuid, atMost),
      }
    }),
  }
}

function keptCounter(db: Database, kind: keyof typeof KEPT): (accountUuid: string, atMost: number) => Step<KeptCount> {
  const [table, id, at] = KEPT[kind]
  const count = db
    .prepare<{ accountUuid: string; atMost: number }, number>(
      `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE account_uuid = @accountUuid LIMIT @atMost) AS few`,
    )
    .pluck()
  const oldest = db
    .prepare<{ accountUuid: string }, number>(
      `SELECT ${at} FROM ${table} WHERE account_uuid = @accountUuid ORDER BY ${id} LIMIT 1`,
    )
    .pluck()
  return function* (accountUuid, atMost) {
    return {
      count: (yield* count.get({ accountUuid, atMost })) ?? 0,
      oldestAt: (yield* oldest.get({ accountUuid })) ?? null,
    }
  }
}

// Estimates each kind of data's space without reading it all: counts small tables, samples large ones at even distances
// of the ids. Ids are assigned in order, deletions leave gaps: each sample measures its part's density.

/** With fewer ids, everything is counted. */
const COUNTED = 2_000
const SAMPLES = 32
const ROWS_OF_A_SAMPLE = 8

interface Source {
  kind: RoomKind
  from: string
  /** Alias and name of the increasing column. */
  id: string
  /** Approximate bytes of a row with its index entries and all child rows. */
  bytes: string
}

type Statements = Pick<Database, 'prepare'>

const STEP_BYTES = '180 + octet_length(s.effect) + coalesce(octet_length(s.result), 0)'

export const ROOM_SOURCES: readonly Source[] = [
  { kind: 'events', from: 'event e LEFT JOIN event_body b ON b.seq = e.seq', id: 'e.seq', bytes: EVENT_BYTES },
  {
    kind: 'runs',
    from: 'run r',
    id: 'r.id',
    bytes: `300 + octet_length(r.trigger_data) + octet_length(r.record_uuids)
      + coalesce((SELECT sum(${STEP_BYTES}) FROM run_step s WHERE s.run_id = r.id), 0)`,
  },
  {
    kind: 'exchanges',
    from: 'api_activity x',
    id: 'x.id',
    bytes:
      '160 + octet_length(x.endpoint) + coalesce(octet_length(x.request_data), 0) + coalesce(octet_length(x.response_data), 0)',
  },
  { kind: 'snapshots', from: 'record_snapshot n', id: 'n.rowid', bytes: '200 + octet_length(n.fields)' },
  { kind: 'audit', from: 'audit_entry a', id: 'a.id', bytes: '190 + octet_length(a.target) + octet_length(a.detail)' },
]

type Measured = Omit<RoomTaken, 'kind'>

function roomMeter(db: Statements) {
  const meters = ROOM_SOURCES.map((source) => ({ kind: source.kind, measure: meterOf(db, source) }))
  return {
    /** `known`: what the engine estimates by itself. */
    *taken(known: Partial<Record<RoomKind, Measured>> = {}): Generator<unknown, RoomTaken[]> {
      const taken: RoomTaken[] = []
      for (const { kind, measure } of meters) taken.push({ kind, ...(known[kind] ?? (yield* measure(null))) })
      return taken
    },
    /** Approximate bytes of rows of a kind with this id and higher ones. */
    *takenFrom(kind: 'events' | 'runs', fromId: number): Generator<unknown, number> {
      const meter = meters.find((one) => one.kind === kind)
      return meter ? (yield* meter.measure(fromId)).bytes : 0
    },
  }
}

function meterOf(db: Statements, { from, id, bytes }: Source): (fromId: number | null) => Step<Measured> {
  const table = from.split(' LEFT ')[0]
  const lowest = db.prepare<[], number | null>(`SELECT min(${id}) FROM ${table}`).pluck()
  const highest = db.prepare<[], number | null>(`SELECT max(${id}) FROM ${table}`).pluck()
  const rowsFrom = db.prepare<{ start: number; limit: number }, { id: number; bytes: number }>(
    `SELECT ${id} AS id, ${bytes} AS bytes FROM ${from} WHERE ${id} >= @start ORDER BY ${id} LIMIT @limit`,
  )
  return function* (fromId) {
    const first = fromId ?? (yield* lowest.get())
    const last = yield* highest.get()
    if (first == null || last == null || first > last) return { rows: 0, bytes: 0, estimated: false }
    const ids = last - first + 1
    if (ids <= COUNTED) {
      const all = yield* rowsFrom.all({ start: first, limit: COUNTED })
      return { rows: all.length, bytes: sum(all), estimated: false }
    }
    let density = 0
    let bytesOfAnId = 0
    for (let n = 0; n < SAMPLES; n++) {
      const start = first + Math.floor((ids * (n + 0.5)) / SAMPLES)
      const rows = yield* rowsFrom.all({ start, limit: ROWS_OF_A_SAMPLE })
      const full = rows.length === ROWS_OF_A_SAMPLE
      const span = (full ? (rows.at(-1)?.id ?? last) : last) - start + 1
      density += rows.length / span
      bytesOfAnId += sum(rows) / span
    }
    return {
      rows: Math.round((density / SAMPLES) * ids),
      bytes: Math.round((bytesOfAnId / SAMPLES) * ids),
      estimated: true,
    }
  }
}

function sum(rows: readonly { bytes: number }[]): number {
  return rows.reduce((total, row) => total + row.bytes, 0)
}

/** The first id of a table whose time is `since` or later; null = none. Clock changes make it slightly inexact. */
export function* firstSince(db: Statements, table: 'event' | 'run', since: number): Generator<unknown, number | null> {
  const id = table === 'event' ? 'seq' : 'id'
  const next = db.prepare<{ from: number }, number | null>(`SELECT min(${id}) FROM ${table} WHERE ${id} >= @from`)
  return (yield* next.pluck().get({ from: yield* seqFinder(db, table)(since) })) ?? null
}

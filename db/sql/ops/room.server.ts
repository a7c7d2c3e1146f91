// Estimates each kind of data's space without reading it all: counts small tables, samples large ones at even distances
// of the ids. Ids are assigned in order, deletions leave gaps: each sample measures its part's density.
import type { Database, Step } from '../../database.ts'
import type { RoomKind, RoomTaken } from '../../store/operator.ts'
import { EVENT_BYTES } from './space.server.ts'

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

interface Measured {
  rows: number
  bytes: number
  estimated: boolean
}

interface RoomMeter {
  /** `known`: what the engine estimates by itself. */
  taken(known?: Partial<Record<RoomKind, Measured>>): Step<RoomTaken[]>
  /** Approximate bytes of rows of a kind with this id and higher ones. */
  takenFrom(kind: 'events' | 'runs', fromId: number): Step<number>
}

export function roomMeter(db: Statements): RoomMeter {
  const meters = ROOM_SOURCES.map((source) => ({ kind: source.kind, measure: meterOf(db, source) }))
  return {
    *taken(known = {}) {
      const taken: RoomTaken[] = []
      for (const { kind, measure } of meters) taken.push({ kind, ...(known[kind] ?? (yield* measure(null))) })
      return taken
    },
    *takenFrom(kind, fromId) {
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

/**
 * The first id of a table whose time is `since` or later; null = none. Ids are assigned in order of arrival, so a
 * binary search needs few reads; clock changes make it slightly inexact.
 */
export function* firstSince(db: Statements, table: 'event' | 'run', since: number): Generator<unknown, number | null> {
  const [id, at] = table === 'event' ? ['seq', 'received_at'] : ['id', 'created_at']
  const next = db.prepare<{ from: number }, { id: number; at: number }>(
    `SELECT ${id} AS id, ${at} AS at FROM ${table} WHERE ${id} >= @from ORDER BY ${id} LIMIT 1`,
  )
  const last = db.prepare<[], number | null>(`SELECT max(${id}) FROM ${table}`).pluck()
  let low = 0
  let high = ((yield* last.get()) ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = yield* next.get({ from: middle })
    if (!row || row.at >= since) high = middle
    else low = row.id + 1
  }
  return (yield* next.get({ from: low }))?.id ?? null
}

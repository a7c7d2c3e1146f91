// Estimates each kind of data's space without reading it all: counts small tables, samples large ones at even distances
// of the ids. Ids are assigned in order, deletions leave gaps: each sample measures its part's density.
import type { RoomKind, RoomTaken } from '../../store/operator.ts'
import type { Sql } from '../../sqlite/sql.ts'
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
  taken(): RoomTaken[]
  /** Approximate bytes of rows of a kind with this id and higher ones. */
  takenFrom(kind: RoomKind, fromId: number): number
}

export function roomMeter(sql: Sql): RoomMeter {
  const meters = new Map(ROOM_SOURCES.map((source) => [source.kind, meterOf(sql, source)]))
  const meter = (kind: RoomKind) => meters.get(kind) ?? (() => ({ rows: 0, bytes: 0, estimated: false }))
  return {
    taken: () => ROOM_SOURCES.map(({ kind }) => ({ kind, ...meter(kind)(null) })),
    takenFrom: (kind, fromId) => meter(kind)(fromId).bytes,
  }
}

function meterOf(sql: Sql, { from, id, bytes }: Source): (fromId: number | null) => Measured {
  const table = from.split(' LEFT ')[0]
  const lowest = sql.prepare<[], number | null>(`SELECT min(${id}) FROM ${table}`).pluck()
  const highest = sql.prepare<[], number | null>(`SELECT max(${id}) FROM ${table}`).pluck()
  const rowsFrom = sql.prepare<{ start: number; limit: number }, { id: number; bytes: number }>(
    `SELECT ${id} AS id, ${bytes} AS bytes FROM ${from} WHERE ${id} >= @start ORDER BY ${id} LIMIT @limit`,
  )
  return (fromId) => {
    const first = fromId ?? lowest.get()
    const last = highest.get()
    if (first == null || last == null || first > last) return { rows: 0, bytes: 0, estimated: false }
    const ids = last - first + 1
    if (ids <= COUNTED) {
      const all = rowsFrom.all({ start: first, limit: COUNTED })
      return { rows: all.length, bytes: sum(all), estimated: false }
    }
    let density = 0
    let bytesOfAnId = 0
    for (let n = 0; n < SAMPLES; n++) {
      const start = first + Math.floor((ids * (n + 0.5)) / SAMPLES)
      const rows = rowsFrom.all({ start, limit: ROWS_OF_A_SAMPLE })
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
export function firstSince(sql: Sql, table: 'event' | 'run', since: number): number | null {
  const [id, at] = table === 'event' ? ['seq', 'received_at'] : ['id', 'created_at']
  const next = sql.prepare<{ from: number }, { id: number; at: number }>(
    `SELECT ${id} AS id, ${at} AS at FROM ${table} WHERE ${id} >= @from ORDER BY ${id} LIMIT 1`,
  )
  const last = sql.prepare<[], number | null>(`SELECT max(${id}) FROM ${table}`).pluck().get() ?? 0
  let low = 0
  let high = last + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = next.get({ from: middle })
    if (!row || row.at >= since) high = middle
    else low = row.id + 1
  }
  return next.get({ from: low })?.id ?? null
}

// Records that rules watch, as the events of a batch leave them: queued in the transaction that stores the events.
import type { Database, Step } from '../database.ts'
import { touchOf } from '../sql/hot/accept.server.ts'
import { type Touched, touchedBy, type Watching } from '../sql/hot/touched-rows.server.ts'
import type { IncomingEvent } from '../store/events.ts'
import type { TouchedRecord } from '../store/triggers.ts'
import { rowsAsLists } from './rows-as-lists.ts'
import { compare } from './tally.server.ts'

/** An event of the batch that is new, under the number it gets. */
export interface Stored {
  event: IncomingEvent
  seq: number
}

interface TouchedRow
  extends Touched,
    Pick<TouchedRecord, 'accountUuid' | 'object' | 'recordUuid' | 'eventSeq' | 'dueAt'> {
  /** How many events of the batch changed it. */
  turn: number
}
const TOUCHED = rowsAsLists<TouchedRow>({
  accountUuid: 'text',
  object: 'text',
  recordUuid: 'text',
  changedFields: 'text',
  created: 'bigint',
  eventSeq: 'bigint',
  firstAt: 'bigint',
  dueAt: 'bigint',
  turn: 'bigint',
})

interface QueuedRecords {
  added: TouchedRow[]
  changed: TouchedRow[]
}

/** `changedBy` and then, with everything else of the batch, `writes`. Call both inside one transaction. */
export function recordQueue(db: Database) {
  const find = db.prepare<object, Touched & Pick<TouchedRow, 'accountUuid' | 'object' | 'recordUuid'>>(
    `SELECT t.account_uuid AS accountUuid, t.object, t.record_uuid AS recordUuid, t.changed_fields AS changedFields,
       t.created, t.first_at AS firstAt
     FROM touched_record t JOIN unnest(@accounts::text[], @objects::text[], @records::text[]) AS g(account_uuid, object, record_uuid)
       USING (account_uuid, object, record_uuid)
     ORDER BY t.account_uuid, t.object, t.record_uuid FOR NO KEY UPDATE OF t`,
  )
  // A record that another instance queues meanwhile refuses this one: the batch runs again and finds it.
  const insert = db.prepare<object>(
    `INSERT INTO touched_record (${TOUCHED.columns}, tries) SELECT g.*, 0 FROM ${TOUCHED.rows}`,
  )
  const update = db.prepare<object>(
    `UPDATE touched_record t SET changed_fields = g.changed_fields, created = g.created,
       event_seq = coalesce(g.event_seq, t.event_seq), due_at = g.due_at, turn = t.turn + g.turn
     FROM ${TOUCHED.rows}
     WHERE t.account_uuid = g.account_uuid AND t.object = g.object AND t.record_uuid = g.record_uuid`,
  )
  const keyOf = ({ accountUuid, object, recordUuid }: Pick<TouchedRow, 'accountUuid' | 'object' | 'recordUuid'>) =>
    `${accountUuid}|${object}|${recordUuid}`

  return {
    /** Locks what is queued already. */
    *changedBy(stored: readonly (Stored & { watching: Watching })[]): Generator<unknown, QueuedRecords> {
      const events = [...new Map(stored.map(({ event }) => [`${pairOf(event)}|${event.objectUuid}`, event])).values()]
      const queued = yield* find.all({
        accounts: events.map(({ accountUuid }) => accountUuid),
        objects: events.map(({ object }) => object),
        records: events.map(({ objectUuid }) => objectUuid),
      })
      const before = new Map(queued.map((row) => [keyOf(row), row]))
      const rows = new Map<string, TouchedRow>()
      for (const { event, seq, watching } of stored) {
        const touch = touchOf(event, seq, watching)
        const key = keyOf(touch)
        const known = rows.get(key)
        const { accountUuid, object, recordUuid, eventSeq } = touch
        const after = touchedBy(touch, known ?? before.get(key))
        rows.set(key, { accountUuid, object, recordUuid, eventSeq, ...after, turn: (known?.turn ?? 0) + 1 })
      }
      const all = [...rows].sort(([a], [b]) => compare(a, b))
      return {
        added: all.flatMap(([key, row]) => (before.has(key) ? [] : [row])),
        changed: all.flatMap(([key, row]) => (before.has(key) ? [row] : [])),
      }
    },
    writes: ({ added, changed }: QueuedRecords): Step<unknown>[] => [
      ...(added.length > 0 ? [insert.run(TOUCHED.of(added))] : []),
      ...(changed.length > 0 ? [update.run(TOUCHED.of(changed))] : []),
    ],
  }
}

/** Account and object of an event: what endpoints and rules are asked for. */
export function pairOf({ accountUuid, object }: Pick<IncomingEvent, 'accountUuid' | 'object'>): string {
  return `${object}|${accountUuid}`
}

// Changed records that rules watch: stored in the transaction that stores the event, so none is lost.
import type { Database } from '../../database.ts'
import type { TouchedRecord } from '../../store/triggers.ts'

/** A record is evaluated this long after its last change … ms */
const SETTLES = 2_000
/** … and at most this long after its first, so a busy record is evaluated too. ms */
const AT_LATEST = 20_000

/** Watched on purpose: the platform names this field when a record is created, and never again (facts: 4.4). */
export const CREATED_MARK = 'uuid'

export interface Touch extends Pick<TouchedRecord, 'accountUuid' | 'object' | 'recordUuid' | 'created' | 'eventSeq'> {
  changedFields: readonly string[]
  at: number
  /** True: no rule that watches it waits for more changes. */
  atOnce: boolean
}

export interface Touched {
  /** A JSON list; an empty one = the whole record. */
  changedFields: string
  created: number
  firstAt: number
}

/** The record as one more change leaves it. `before`: undefined = it was not queued. */
export function touchedBy(
  { changedFields, created, at, atOnce }: Touch,
  before: Touched | undefined,
): Touched & { dueAt: number } {
  const firstAt = before?.firstAt ?? at
  const known = before ? (JSON.parse(before.changedFields) as string[]) : []
  // If any event omits its changed fields, the whole record is evaluated.
  const isWhole = before !== undefined && (known.length === 0 || changedFields.length === 0)
  return {
    changedFields: JSON.stringify(isWhole ? [] : [...new Set([...known, ...changedFields])]),
    created: created || before?.created === 1 ? 1 : 0,
    firstAt,
    dueAt: atOnce ? at : Math.max(at, Math.min(at + SETTLES, firstAt + AT_LATEST)),
  }
}

/** Does an active rule watch the object? `at_once`: none of them waits for more changes. */
export type Watching = 'no' | 'settling' | 'at_once'

/** `atOnce`: the least of their `at_once`; null or missing = no rule. */
export function watchingOf(atOnce: number | null | undefined): Watching {
  return atOnce == null ? 'no' : atOnce === 1 ? 'at_once' : 'settling'
}

/** Call both inside a transaction. */
export function touchedRows(db: Database) {
  const watched = db
    .prepare<[string, string], number | null>(
      'SELECT min(at_once) FROM automation WHERE account_uuid = ? AND watched_object = ? AND active = 1 AND deleted_at IS NULL',
    )
    .pluck()
  const find = db.prepare<[string, string, string], Touched>(
    `SELECT changed_fields AS changedFields, created, first_at AS firstAt FROM touched_record
     WHERE account_uuid = ? AND object = ? AND record_uuid = ?`,
  )
  const insert = db.prepare(
    `INSERT INTO touched_record (account_uuid, object, record_uuid, changed_fields, created, event_seq, first_at, due_at, turn, tries)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 0)`,
  )
  const update = db.prepare(
    `UPDATE touched_record SET changed_fields = ?, created = ?, event_seq = coalesce(?, event_seq), due_at = ?, turn = turn + 1
     WHERE account_uuid = ? AND object = ? AND record_uuid = ?`,
  )

  return {
    *watching(accountUuid: string, object: string): Generator<unknown, Watching> {
      return watchingOf(yield* watched.get(accountUuid, object))
    },

    *touch(given: Touch): Generator<unknown, void> {
      const { accountUuid, object, recordUuid, eventSeq } = given
      const before = yield* find.get(accountUuid, object, recordUuid)
      const { changedFields, created, firstAt, dueAt } = touchedBy(given, before)
      if (before) yield* update.run(changedFields, created, eventSeq, dueAt, accountUuid, object, recordUuid)
      else yield* insert.run(accountUuid, object, recordUuid, changedFields, created, eventSeq, firstAt, dueAt)
    },
  }
}

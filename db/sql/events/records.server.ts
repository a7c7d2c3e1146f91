// Records read from the platform's lists: cursors, snapshots, and storing changes.
import type { KnownOfRecord } from '#app/domain/record-name.ts'
import { foldedForSearch } from '#app/lib/plain-text.ts'
import { nextTurn } from '#app/lib/turns.server.ts'
import { UNDO_KEPT } from '#app/lib/undo.ts'
import { type AcceptLimits, type PlannedEvent, takeInPolled } from '../../acts.ts'
import type { AcceptedEvent } from '../../store/events.ts'
import type { PollCursorRow, PolledTake, PollTarget, RecordStore, SnapshotRow, TakenIn } from '../../store/records.ts'
import type { Connections } from '../connections.ts'
import { eventWriter, newBatch } from '../hot/accept.server.ts'
import type { Tally } from '../hot/tally.server.ts'
import { contains, likeText } from '../search-text.server.ts'

const CURSOR = `account_uuid AS accountUuid, source, watermark, last_ok_at AS lastOkAt, last_error AS lastError, next_at AS nextAt`

const OBJECT = 'substr(c.source, length(@purpose) + 2)'
const WATCHES = `SELECT 1 FROM automation r WHERE r.account_uuid = c.account_uuid AND r.watched_object = ${OBJECT}`
/**
 * Does any address want the object, or any automation (off or paused too), or one deleted after @undoFrom, which may come
 * back? For a row `c` of cursors.
 */
const NEEDED = `CASE WHEN @purpose IN ('sweep', 'partial')
  THEN EXISTS (${WATCHES} AND r.deleted_at IS NULL) OR EXISTS (${WATCHES} AND r.deleted_at > @undoFrom)
  ELSE EXISTS (SELECT 1 FROM endpoint e WHERE e.account_uuid = c.account_uuid
    AND (e.state <> 'deleted' OR e.state_since > @undoFrom) AND e.object_type = ${OBJECT}) END`

export const INSERT_SNAPSHOT = `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
  VALUES (@accountUuid, @object, @recordUuid, @editDate, @fields, @at, @at)`
export const KEEP_SNAPSHOT = `${INSERT_SNAPSHOT}
  ON CONFLICT (account_uuid, object, record_uuid) DO UPDATE SET edit_date = @editDate, fields = @fields, updated_at = @at`

/** An address for a polled object, with the object's cursor if it has one. */
interface AddressRow extends Omit<PollCursorRow, 'source'> {
  object: string
  timezone: string
  fieldFilter: string
  source: string | null
}

const ADDRESSES = `SELECT e.account_uuid AS accountUuid, e.object_type AS object, a.timezone, e.field_filter AS fieldFilter,
    c.source, c.watermark, c.last_ok_at AS lastOkAt, c.last_error AS lastError, c.next_at AS nextAt
  FROM endpoint e JOIN account a ON a.uuid = e.account_uuid
    LEFT JOIN poll_cursor c ON c.account_uuid = e.account_uuid AND c.source = @purpose || ':' || e.object_type
  WHERE e.state <> 'deleted'`

export function recordStore(connections: Connections): RecordStore {
  const { db, turn, lock } = connections
  const writer = eventWriter(connections)

  const dueAddresses = db.prepare<[{ purpose: string; objects: string; now: number }], AddressRow>(
    `${ADDRESSES} AND e.object_type IN (SELECT value FROM json_each(@objects)) AND coalesce(c.next_at, 0) <= @now
     ORDER BY coalesce(c.next_at, 0), e.account_uuid, e.object_type, e.id`,
  )
  const addressesOf = db.prepare<[{ purpose: string; accountUuid: string; object: string }], AddressRow>(
    `${ADDRESSES} AND e.account_uuid = @accountUuid AND e.object_type = @object ORDER BY e.id`,
  )
  const findCursor = db.prepare<{ accountUuid: string; source: string }, PollCursorRow>(
    `SELECT ${CURSOR} FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source`,
  )
  const cursorsOf = db.prepare<{ source: string }, PollCursorRow>(
    `SELECT ${CURSOR} FROM poll_cursor WHERE source LIKE @source ORDER BY account_uuid, source`,
  )
  const makeCursor = db.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, last_ok_at, last_error, next_at)
     VALUES (@accountUuid, @source, '', NULL, NULL, @until) ON CONFLICT DO NOTHING`,
  )
  const claimCursor = db.prepare(
    `UPDATE poll_cursor SET next_at = @until
     WHERE account_uuid = @accountUuid AND source = @source AND next_at = @seenNextAt`,
  )
  const failCursor = db.prepare(
    `UPDATE poll_cursor SET last_error = @sentence, next_at = @nextAt
     WHERE account_uuid = @accountUuid AND source = @source AND next_at = @claimedUntil`,
  )
  const endpointsToLock = db.prepare<{ accountUuid: string; object: string }>(
    `SELECT p.id FROM endpoint p WHERE p.account_uuid = @accountUuid AND p.object_type = @object ORDER BY p.id ${lock('p')}`,
  )
  const loadToLock = db.prepare<{ accountUuid: string }>(
    `SELECT 1 FROM account_load l WHERE l.account_uuid = @accountUuid ${lock('l')}`,
  )
  const moveCursor = db.prepare(
    `UPDATE poll_cursor SET watermark = @watermark, last_ok_at = @at, last_error = NULL, next_at = @nextAt
     WHERE account_uuid = @accountUuid AND source = @source`,
  )
  const dropUnread = db.prepare(
    `DELETE FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source AND next_at = @claimedUntil
     AND watermark = ''`,
  )
  const snapshotsOf = db.prepare<
    { accountUuid: string; object: string; recordUuids: string },
    { recordUuid: string; editDate: string; fields: string; takenAt: number }
  >(
    `SELECT record_uuid AS recordUuid, edit_date AS editDate, fields, updated_at AS takenAt FROM record_snapshot
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid IN (SELECT value FROM json_each(@recordUuids))
     ORDER BY record_uuid`,
  )
  const putSnapshot = db.prepare(KEEP_SNAPSHOT)
  const endCursor = db.prepare(
    `UPDATE poll_cursor AS c SET watermark = '', last_ok_at = NULL, last_error = NULL, next_at = @at
     WHERE c.account_uuid = @accountUuid AND c.source = @source AND NOT ${NEEDED}`,
  )
  const unneeded = db.prepare<
    [{ purpose: string; pattern: string; at: number; undoFrom: number }],
    { accountUuid: string; source: string; object: string }
  >(
    `SELECT c.account_uuid AS accountUuid, c.source, ${OBJECT} AS object FROM poll_cursor c
     WHERE c.source LIKE @pattern AND c.next_at <= @at AND NOT ${NEEDED}`,
  )
  const dropEnded = db.prepare(
    `DELETE FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source AND watermark = '' AND next_at <= @now`,
  )
  const forgetSnapshots = db.prepare(
    `DELETE FROM record_snapshot WHERE rowid IN (
       SELECT rowid FROM record_snapshot
       WHERE account_uuid = @accountUuid AND object = @object AND updated_at < @before LIMIT @limit)`,
  )
  const countSnapshots = db
    .prepare<{ accountUuid: string; object: string }, number>(
      'SELECT count(*) FROM record_snapshot WHERE account_uuid = @accountUuid AND object = @object',
    )
    .pluck()
  const trimSnapshots = db.prepare(
    `DELETE FROM record_snapshot WHERE rowid IN (
       SELECT rowid FROM record_snapshot
       WHERE account_uuid = @accountUuid AND object = @object AND edit_date < @editedBefore ORDER BY edit_date LIMIT @limit)`,
  )

  function* insertPolled(
    take: PolledTake,
    planned: readonly PlannedEvent[],
    limits: AcceptLimits,
    tally: Tally,
  ): Generator<unknown, TakenIn> {
    const { accountUuid, source, object, records, cursor, at } = take
    const known = yield* findCursor.get({ accountUuid, source })
    if (known?.nextAt !== take.claimedUntil) return { outcome: 'overtaken' }
    const batch = newBatch(tally)
    const accepted: AcceptedEvent[] = []
    for (const { record, event } of records) {
      const plan = event && planned[accepted.length]
      if (plan) {
        const answer = yield* writer.accept(plan, batch, limits)
        // Keeps its snapshot, so the next poll finds the change again.
        if (answer.outcome === 'over_limit') return { outcome: 'over_limit', accepted }
        accepted.push(answer)
      }
      yield* putSnapshot.run({ accountUuid, object, at, ...record, fields: JSON.stringify(record.fields) })
    }
    if (cursor) yield* moveCursor.run({ watermark: cursor.watermark, at, nextAt: cursor.nextAt, accountUuid, source })
    return { outcome: 'taken', accepted }
  }

  return {
    duePolls: db.read(function* ({ purpose, objects, now }) {
      return targetsOf(yield* dueAddresses.all({ purpose, objects: JSON.stringify(objects), now }))
    }),
    findPollTarget: db.read(function* (accountUuid, { purpose, object }) {
      return targetsOf(yield* addressesOf.all({ purpose, accountUuid, object }))[0] ?? null
    }),
    findPollCursor: db.read(function* (accountUuid, source) {
      return (yield* findCursor.get({ accountUuid, source })) ?? null
    }),
    claimPoll: db.write(function* (accountUuid, source, seenNextAt, until) {
      if (seenNextAt === null) return (yield* makeCursor.run({ accountUuid, source, until })).changes === 1
      return (yield* claimCursor.run({ until, accountUuid, source, seenNextAt })).changes === 1
    }),
    failPoll: db.write(function* (accountUuid, source, claimedUntil, { sentence, nextAt }) {
      return (yield* failCursor.run({ sentence, nextAt, accountUuid, source, claimedUntil })).changes === 1
    }),
    dropUnreadPoll: db.write(function* (accountUuid, source, claimedUntil) {
      yield* dropUnread.run({ accountUuid, source, claimedUntil })
    }),

    loadSnapshots: db.read(function* (accountUuid, object, recordUuids) {
      const rows = yield* snapshotsOf.all({ accountUuid, object, recordUuids: JSON.stringify(recordUuids) })
      return rows.map((row): SnapshotRow => ({ ...row, fields: JSON.parse(row.fields) as Record<string, string> }))
    }),
    ...nameStore(connections),
    takeInPolled: (input, options) =>
      turn.run(function* (own) {
        // What is written last is locked first: whoever meets another writer runs again before it has stored records.
        yield* endpointsToLock.all({ accountUuid: input.accountUuid, object: input.object })
        yield* loadToLock.get({ accountUuid: input.accountUuid })
        const rows = {
          ...writer.rows(own),
          insertPolled: (take: PolledTake, planned: readonly PlannedEvent[], limits: AcceptLimits) =>
            insertPolled(take, planned, limits, own.tally),
        }
        return yield* takeInPolled(rows, input, options)
      }),

    endPollUnlessNeeded: db.write(function* (accountUuid, { purpose, object, at, anew }) {
      const undoFrom = anew ? at : at - UNDO_KEPT
      yield* endCursor.run({ accountUuid, purpose, source: `${purpose}:${object}`, at, undoFrom })
    }),
    unneededPolls: db.read((purpose, at) =>
      unneeded.all({ purpose, pattern: `${purpose}:%`, at, undoFrom: at - UNDO_KEPT }),
    ),
    forgetSnapshotsStep: db.write(function* (accountUuid, object, before, limit) {
      return (yield* forgetSnapshots.run({ accountUuid, object, before, limit })).changes
    }),
    dropEndedPoll: db.write(function* (accountUuid, source, now) {
      yield* dropEnded.run({ accountUuid, source, now })
    }),
    listPolls: db.read((purpose) => cursorsOf.all({ source: `${purpose}:%` })),
    trimSnapshotsStep: db.write(function* (accountUuid, object, { keep, editedBefore, limit }) {
      const over = ((yield* countSnapshots.get({ accountUuid, object })) ?? 0) - keep
      if (over <= 0) return 0
      return (yield* trimSnapshots.run({ accountUuid, object, editedBefore, limit: Math.min(over, limit) })).changes
    }),
  }
}

/** Groups address rows by object; rows of one object may not be adjacent. */
function targetsOf(rows: readonly AddressRow[]): PollTarget[] {
  const groups = Map.groupBy(rows, ({ object, accountUuid }) => `${object}|${accountUuid}`)
  return [...groups.values()].flatMap((group) => {
    const fieldFilters = group.map(({ fieldFilter }) => fieldFilter)
    return group.slice(0, 1).map(({ accountUuid, object, timezone, fieldFilter: _one, source, ...rest }) => {
      const cursor = source === null ? null : { accountUuid, source, ...rest }
      return { accountUuid, object, timezone, fieldFilters, cursor }
    })
  })
}

// ---- names: on the read-only connection ----

/** Snapshots or runs looked through between two turns of the event loop: a few milliseconds. */
const WINDOW = 2_000

const RECORD_UUID = /^[\da-f-]{36}$/

type Fields = Record<string, string>
type KnownRow = Record<'object' | 'recordUuid', string> & Record<'own' | 'job' | 'company' | 'customer', string | null>

interface Walked {
  recordUuid: string | null
  hit: 0 | 1
}

/** The first `most` hits; other work gets its turn between two windows. Each row is the place from where to go on. */
async function walk<P extends object>(
  start: P,
  read: (after: P) => Promise<(P & Walked)[]>,
  most: number,
): Promise<string[]> {
  const found = new Set<string>()
  let rows: (P & Walked)[] = []
  do {
    if (rows.length > 0) await nextTurn()
    rows = await read(rows.at(-1) ?? start)
    for (const { hit, recordUuid } of rows) if (hit === 1 && recordUuid !== null) found.add(recordUuid)
  } while (rows.length === WINDOW && found.size < most)
  return [...found]
}

function nameStore({ db, reader }: Connections) {
  // Rules keep a snapshot of their own (`rules:job`), polled objects are under their plain name, and what was read for
  // its name alone is under `names:job`.
  const snapshot = (alias: string, object: string, uuid: string) =>
    `LEFT JOIN record_snapshot ${alias} ON ${alias}.account_uuid = @accountUuid AND ${alias}.object = ${object}
       AND ${alias}.record_uuid = ${uuid} AND ${alias}.first_seen_at <= @at`
  const known = reader.prepare<{ accountUuid: string; records: string; at: number }, KnownRow>(
    `WITH asked AS (
       SELECT json_extract(value, '$[0]') AS object, json_extract(value, '$[1]') AS uuid FROM json_each(@records)
     ), own AS (
       SELECT a.object, a.uuid, coalesce(r.fields, p.fields, n.fields) AS fields
       FROM asked a ${snapshot('r', "'rules:' || a.object", 'a.uuid')} ${snapshot('p', 'a.object', 'a.uuid')}
         ${snapshot('n', "'names:' || a.object", 'a.uuid')}
     ), placed AS (
       SELECT own.*, CASE object WHEN 'job' THEN uuid
         ELSE coalesce(json_extract(fields, '$.job_uuid'), json_extract(fields, '$.related_object_uuid')) END AS job_uuid
       FROM own
     ), worked AS (
       SELECT placed.*, coalesce(j.fields, nj.fields) AS job
       FROM placed ${snapshot('j', "'rules:job'", 'placed.job_uuid')} ${snapshot('nj', "'names:job'", 'placed.job_uuid')}
     ), owned AS (
       SELECT worked.*, CASE worked.object WHEN 'company' THEN uuid
         ELSE coalesce(json_extract(job, '$.company_uuid'), json_extract(fields, '$.company_uuid')) END AS company_uuid
       FROM worked
     )
     SELECT owned.object, uuid AS recordUuid, owned.fields AS own, job, coalesce(c.fields, nc.fields) AS company,
       (SELECT json_extract(r.trigger_data, '$.conditionMatching.matchedRecords[0].companyName') FROM run r
        WHERE r.account_uuid = @accountUuid AND r.record_uuid = owned.job_uuid AND r.created_at <= @at ORDER BY r.id DESC LIMIT 1) AS customer
     FROM owned ${snapshot('c', "'rules:company'", 'owned.company_uuid')}
       ${snapshot('nc', "'names:company'", 'owned.company_uuid')}`,
  )
  const ran = reader.prepare<object, Walked & { id: number }>(
    `SELECT id, record_uuid AS recordUuid,
       CASE WHEN ${contains("json_extract(trigger_data, '$.conditionMatching.matchedRecords[0].companyName')")}
         THEN 1 ELSE 0 END AS hit
     FROM run INDEXED BY runs_of_an_account_newest_first
     WHERE account_uuid = @accountUuid AND id < @id ORDER BY id DESC LIMIT @window`,
  )
  const readRan = reader.read((values: object) => ran.all(values))

  /** Walks over an account's snapshots, and gives the records that fit. */
  function walker(fits: string) {
    const statement = reader.prepare<object, Walked & { object: string; recordUuid: string }>(
      `SELECT object, record_uuid AS recordUuid, CASE WHEN ${fits} THEN 1 ELSE 0 END AS hit FROM record_snapshot
       WHERE account_uuid = @accountUuid AND (object, record_uuid) > (@object, @recordUuid)
       ORDER BY object, record_uuid LIMIT @window`,
    )
    const read = reader.read((values: object) => statement.all(values))
    return (accountUuid: string, values: object, most: number) =>
      walk({ object: '', recordUuid: '' }, (place) => read({ ...values, ...place, accountUuid, window: WINDOW }), most)
  }
  const called = walker(
    `CASE WHEN object IN ('rules:job', 'names:job') THEN lower(json_extract(fields, '$.generated_job_id')) = @exact
         OR ${contains("json_extract(fields, '$.job_address')")}
       WHEN object IN ('rules:company', 'names:company') THEN ${contains("json_extract(fields, '$.name')")}
       ELSE 1 = 0 END`,
  )
  const OWNERS = 'IN (SELECT value FROM json_each(@owners))'
  const belonging = walker(
    `json_extract(fields, '$.company_uuid') ${OWNERS} OR json_extract(fields, '$.job_uuid') ${OWNERS}
       OR json_extract(fields, '$.related_object_uuid') ${OWNERS}`,
  )

  // Account by account, along the key: the table may be large.
  const forgetNames = db.prepare(
    `DELETE FROM record_snapshot WHERE rowid IN (
       SELECT s.rowid FROM account a JOIN record_snapshot s
         ON s.account_uuid = a.uuid AND s.object >= 'names:' AND s.object < 'names;'
       WHERE s.updated_at < @before LIMIT @limit)`,
  )
  const putName = db.prepare(KEEP_SNAPSHOT)

  return {
    forgetNamesStep: db.write(function* (before, limit) {
      return (yield* forgetNames.run({ before, limit })).changes
    }),

    keepNames: db.write(function* (accountUuid, records, at) {
      for (const { object, recordUuid, fields } of records) {
        const name = { accountUuid, object: `names:${object}`, recordUuid, editDate: '' }
        yield* putName.run({ ...name, fields: JSON.stringify(fields), at })
      }
    }),

    knownOf: reader.read(function* (accountUuid, records, at = Number.MAX_SAFE_INTEGER) {
      const asked = [...new Map(records.map((one) => [`${one.object}|${one.recordUuid}`, one])).values()]
      if (asked.length === 0) return []
      const pairs = JSON.stringify(asked.map(({ object, recordUuid }) => [object, recordUuid]))
      const rows = yield* known.all({ accountUuid, records: pairs, at })
      return rows.filter(({ own, job, customer }) => own ?? job ?? customer).map(readKnown)
    }),

    async listRecordsCalled(accountUuid, text, most) {
      const exact = foldedForSearch(text)
      if (exact === '') return { uuids: [], more: false }
      // A number is that of a job: it would be part of many addresses.
      const part = /^\d+$/.test(exact) ? null : likeText(exact)
      const named = await called(accountUuid, { exact, text: part }, most + 1)
      const ofRuns = ({ id }: { id: number }) => readRan({ accountUuid, text: part, id, window: WINDOW })
      const seen = part === null ? [] : await walk({ id: Number.MAX_SAFE_INTEGER }, ofRuns, most + 1)
      const found = new Set([...named, ...seen])
      if (RECORD_UUID.test(exact)) found.add(exact)
      // A customer's jobs, then what belongs to those.
      for (let depth = 0; depth < 2 && found.size > 0 && found.size <= most; depth += 1) {
        for (const uuid of await belonging(accountUuid, { owners: JSON.stringify([...found]) }, most + 1))
          found.add(uuid)
      }
      return { uuids: [...found].slice(0, most), more: found.size > most }
    },
  } satisfies Partial<RecordStore>
}

function readKnown({ object, recordUuid, own, job, company, customer }: KnownRow): KnownOfRecord {
  const fields = (text: string | null) => (text === null ? null : (JSON.parse(text) as Fields))
  return {
    object,
    recordUuid,
    own: fields(own),
    job: fields(job),
    company: fields(company),
    customer: customer || null,
  }
}

// Records read from the platform's lists: cursors, snapshots, and storing changes.
import { type AcceptLimits, type PlannedEvent, takeInPolled } from '../../acts.ts'
import type { AcceptedEvent } from '../../store/events.ts'
import type { PollCursorRow, PolledTake, PollTarget, RecordStore, SnapshotRow, TakenIn } from '../../store/records.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { eventWriter, newBatch } from '../hot/accept.server.ts'
import { done, finish } from '../hot/step.server.ts'
import type { Tally } from '../hot/tally.server.ts'

const CURSOR = `account_uuid AS accountUuid, source, watermark, last_ok_at AS lastOkAt, last_error AS lastError, next_at AS nextAt`

/** Does any address want the object? For a row `c` of cursors. */
const NEEDED = `EXISTS (SELECT 1 FROM endpoint e WHERE e.account_uuid = c.account_uuid AND e.state <> 'deleted'
  AND e.object_type = substr(c.source, length(@purpose) + 2))`

/** An address for a polled object, with the object's cursor if it has one. */
interface AddressRow {
  accountUuid: string
  object: string
  timezone: string
  fieldFilter: string
  source: string | null
  watermark: string
  lastOkAt: number | null
  lastError: string | null
  nextAt: number
}

const ADDRESSES = `SELECT e.account_uuid AS accountUuid, e.object_type AS object, a.timezone, e.field_filter AS fieldFilter,
    c.source, c.watermark, c.last_ok_at AS lastOkAt, c.last_error AS lastError, c.next_at AS nextAt
  FROM endpoint e JOIN account a ON a.uuid = e.account_uuid
    LEFT JOIN poll_cursor c ON c.account_uuid = e.account_uuid AND c.source = @purpose || ':' || e.object_type
  WHERE e.state <> 'deleted'`

export function recordStore(client: Client): RecordStore {
  const { sql } = client
  const writer = eventWriter(client)

  const dueAddresses = sql.prepare<[{ purpose: string; objects: string; now: number }], AddressRow>(
    `${ADDRESSES} AND e.object_type IN (SELECT value FROM json_each(@objects)) AND coalesce(c.next_at, 0) <= @now
     ORDER BY coalesce(c.next_at, 0), e.account_uuid, e.object_type, e.id`,
  )
  const addressesOf = sql.prepare<[{ purpose: string; accountUuid: string; object: string }], AddressRow>(
    `${ADDRESSES} AND e.account_uuid = @accountUuid AND e.object_type = @object ORDER BY e.id`,
  )
  const findCursor = sql.prepare<{ accountUuid: string; source: string }, PollCursorRow>(
    `SELECT ${CURSOR} FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source`,
  )
  const cursorsOf = sql.prepare<{ source: string }, PollCursorRow>(
    `SELECT ${CURSOR} FROM poll_cursor WHERE source LIKE @source ORDER BY account_uuid, source`,
  )
  const makeCursor = sql.prepare(
    `INSERT INTO poll_cursor (account_uuid, source, watermark, last_ok_at, last_error, next_at)
     VALUES (@accountUuid, @source, '', NULL, NULL, @until) ON CONFLICT DO NOTHING`,
  )
  const claimCursor = sql.prepare(
    `UPDATE poll_cursor SET next_at = @until
     WHERE account_uuid = @accountUuid AND source = @source AND next_at = @seenNextAt`,
  )
  const failCursor = sql.prepare(
    `UPDATE poll_cursor SET last_error = @sentence, next_at = @nextAt
     WHERE account_uuid = @accountUuid AND source = @source AND next_at = @claimedUntil`,
  )
  const moveCursor = sql.prepare(
    `UPDATE poll_cursor SET watermark = @watermark, last_ok_at = @at, last_error = NULL, next_at = @nextAt
     WHERE account_uuid = @accountUuid AND source = @source`,
  )
  const dropUnread = sql.prepare(
    `DELETE FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source AND next_at = @claimedUntil
     AND watermark = ''`,
  )
  const snapshotsOf = sql.prepare<
    { accountUuid: string; object: string; recordUuids: string },
    { recordUuid: string; editDate: string; fields: string; takenAt: number }
  >(
    `SELECT record_uuid AS recordUuid, edit_date AS editDate, fields, updated_at AS takenAt FROM record_snapshot
     WHERE account_uuid = @accountUuid AND object = @object AND record_uuid IN (SELECT value FROM json_each(@recordUuids))`,
  )
  const putSnapshot = sql.prepare(
    `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
     VALUES (@accountUuid, @object, @recordUuid, @editDate, @fields, @at, @at)
     ON CONFLICT (account_uuid, object, record_uuid) DO UPDATE SET edit_date = @editDate, fields = @fields, updated_at = @at`,
  )
  const endCursor = sql.prepare(
    `UPDATE poll_cursor AS c SET watermark = '', last_ok_at = NULL, last_error = NULL, next_at = @at
     WHERE c.account_uuid = @accountUuid AND c.source = @source AND NOT ${NEEDED}`,
  )
  const unneeded = sql.prepare<
    [{ purpose: string; pattern: string; now: number }],
    { accountUuid: string; source: string; object: string }
  >(
    `SELECT c.account_uuid AS accountUuid, c.source, substr(c.source, length(@purpose) + 2) AS object FROM poll_cursor c
     WHERE c.source LIKE @pattern AND c.next_at <= @now AND NOT ${NEEDED}`,
  )
  const dropEnded = sql.prepare(
    `DELETE FROM poll_cursor WHERE account_uuid = @accountUuid AND source = @source AND watermark = '' AND next_at <= @now`,
  )
  const forgetSnapshots = sql.prepare(
    `DELETE FROM record_snapshot WHERE rowid IN (
       SELECT rowid FROM record_snapshot
       WHERE account_uuid = @accountUuid AND object = @object AND updated_at < @before LIMIT @limit)`,
  )
  const countSnapshots = sql
    .prepare<{ accountUuid: string; object: string }, number>(
      'SELECT count(*) FROM record_snapshot WHERE account_uuid = @accountUuid AND object = @object',
    )
    .pluck()
  const trimSnapshots = sql.prepare(
    `DELETE FROM record_snapshot WHERE rowid IN (
       SELECT rowid FROM record_snapshot
       WHERE account_uuid = @accountUuid AND object = @object AND edit_date < @editedBefore ORDER BY edit_date LIMIT @limit)`,
  )

  function insert(take: PolledTake, planned: readonly PlannedEvent[], limits: AcceptLimits, tally: Tally): TakenIn {
    const { accountUuid, source, object, records, cursor, at } = take
    if (findCursor.get({ accountUuid, source })?.nextAt !== take.claimedUntil) return { outcome: 'overtaken' }
    const batch = newBatch(tally)
    const accepted: AcceptedEvent[] = []
    for (const { record, event } of records) {
      const plan = event && planned[accepted.length]
      if (plan) {
        const answer = writer.accept(plan, batch, limits)
        // Keeps its snapshot, so the next poll finds the change again.
        if (answer.outcome === 'over_limit') return { outcome: 'over_limit', accepted }
        accepted.push(answer)
      }
      putSnapshot.run({ accountUuid, object, at, ...record, fields: JSON.stringify(record.fields) })
    }
    if (cursor) moveCursor.run({ watermark: cursor.watermark, at, nextAt: cursor.nextAt, accountUuid, source })
    return { outcome: 'taken', accepted }
  }

  return {
    async duePolls({ purpose, objects, now }) {
      return targetsOf(dueAddresses.all({ purpose, objects: JSON.stringify(objects), now }))
    },
    async findPollTarget(accountUuid, { purpose, object }) {
      return targetsOf(addressesOf.all({ purpose, accountUuid, object }))[0] ?? null
    },
    async findPollCursor(accountUuid, source) {
      return findCursor.get({ accountUuid, source }) ?? null
    },
    async claimPoll(accountUuid, source, seenNextAt, until) {
      if (seenNextAt === null) return makeCursor.run({ accountUuid, source, until }).changes === 1
      return claimCursor.run({ until, accountUuid, source, seenNextAt }).changes === 1
    },
    async failPoll(accountUuid, source, claimedUntil, { sentence, nextAt }) {
      return failCursor.run({ sentence, nextAt, accountUuid, source, claimedUntil }).changes === 1
    },
    async dropUnreadPoll(accountUuid, source, claimedUntil) {
      dropUnread.run({ accountUuid, source, claimedUntil })
    },

    async loadSnapshots(accountUuid, object, recordUuids) {
      const rows = snapshotsOf.all({ accountUuid, object, recordUuids: JSON.stringify(recordUuids) })
      return rows.map((row): SnapshotRow => ({ ...row, fields: JSON.parse(row.fields) as Record<string, string> }))
    },
    async takeInPolled(input, options) {
      return client.turn.run((turn) => {
        const insertPolled = (...given: [PolledTake, readonly PlannedEvent[], AcceptLimits]) =>
          done(insert(...given, turn.tally))
        return finish(takeInPolled({ ...writer.rows(turn), insertPolled }, input, options))
      })
    },

    async endPollUnlessNeeded(accountUuid, { purpose, object, at }) {
      endCursor.run({ accountUuid, purpose, source: `${purpose}:${object}`, at })
    },
    async unneededPolls(purpose, now) {
      return unneeded.all({ purpose, pattern: `${purpose}:%`, now })
    },
    async forgetSnapshotsStep(accountUuid, object, before, limit) {
      return forgetSnapshots.run({ accountUuid, object, before, limit }).changes
    },
    async dropEndedPoll(accountUuid, source, now) {
      dropEnded.run({ accountUuid, source, now })
    },
    async listPolls(purpose) {
      return cursorsOf.all({ source: `${purpose}:%` })
    },
    async trimSnapshotsStep(accountUuid, object, { keep, editedBefore, limit }) {
      const over = (countSnapshots.get({ accountUuid, object }) ?? 0) - keep
      if (over <= 0) return 0
      return trimSnapshots.run({ accountUuid, object, editedBefore, limit: Math.min(over, limit) }).changes
    },
  }
}

/** Groups address rows by object; rows of one object may not be adjacent. */
function targetsOf(rows: readonly AddressRow[]): PollTarget[] {
  const targets = new Map<string, PollTarget>()
  for (const { accountUuid, object, timezone, fieldFilter, source, ...rest } of rows) {
    const key = `${object}|${accountUuid}`
    const known = targets.get(key)
    if (known) known.fieldFilters.push(fieldFilter)
    else {
      const cursor = source === null ? null : { accountUuid, source, ...rest }
      targets.set(key, { accountUuid, object, timezone, fieldFilters: [fieldFilter], cursor })
    }
  }
  return [...targets.values()]
}

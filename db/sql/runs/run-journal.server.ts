// The journal's writes. Each is refused unless the run is still the writer's and the row unchanged since its read, so
// late writers (stalled process, old read) change nothing. Only "it was sent" is accepted from anyone.
import type { ToldByRun } from '#app/domain/notices/notice.ts'
import { days } from '#app/lib/duration.ts'
import type { Database } from '../../database.ts'
import type { MessageNote } from '../../store/run-guards.ts'
import type { FieldWrite, ParkedRun, RowWrite, RunFence, RunStore } from '../../store/runs.ts'
import type { Connections } from '../connections.ts'
import { troubleRows } from '../notices/trouble-rows.server.ts'
import {
  clearReason,
  PAUSE_REASON,
  RUN_REASON,
  readReason,
  reasonNames,
  reasonValues,
  STEP_REASON,
  selectReason,
  setReason,
  storedReason,
} from '../reasons.server.ts'
import {
  IS_PLACEHOLDER,
  IS_PUT_OFF,
  JOURNAL_COLUMNS,
  journalRow,
  SKIP_OPEN,
  type StoredRow,
  storedEffect,
  storedResult,
} from './run-rows.server.ts'

/** All rows in order, in a form that changes when any row does. */
const STAMP = `(SELECT coalesce(string_agg(step_id || '/' || item_key || '/' || state || '/' || CAST(attempt AS text)
      || '/' || coalesce(CAST(next_attempt_at AS text), ''), ' ' ORDER BY step_id, item_key), '')
    FROM run_step WHERE run_id = @runId)`
const OURS = "run.id = @runId AND run.account_uuid = @accountUuid AND lease_owner = @owner AND state = 'running'"
const OF_RULE = 'JOIN automation a ON a.id = run.automation_id'

const TOLD = "json_extract(effect, '$.told')"

/** Nothing was done for these records: when it happens again, the rule has not acted on it yet. */
const FORGET = `DELETE FROM seen_ledger WHERE automation_id = (SELECT automation_id FROM run WHERE id = @runId)
    AND record_uuid IN (SELECT value FROM json_each(@records)) AND run_id = @runId
    AND NOT EXISTS (SELECT 1 FROM run_step WHERE run_id = @runId AND sending_at IS NOT NULL)`

export function runJournalStore(connections: Connections) {
  return { ...planStore(connections), ...sendStore(connections), ...parkStore(connections) }
}

interface OurRun {
  outcome: string | null
  reason: string
  stamp: string
  active: number
  deletedAt: number | null
  pausedReason: string
}

/** Is the run still ours and still active? */
function fenceOf({ db }: Connections) {
  const isOurs = db.prepare<[RunFence], OurRun>(
    `SELECT outcome, ${selectReason(RUN_REASON, 'run')} AS reason, ${STAMP} AS stamp, a.active, a.deleted_at AS deletedAt,
       ${selectReason(PAUSE_REASON, 'a')} AS pausedReason
     FROM run ${OF_RULE} WHERE ${OURS}`,
  )
  const goesOn = db.prepare<[RunFence], 1>(`SELECT 1 FROM run WHERE ${OURS} AND outcome IS NULL`).pluck()
  return { isOurs, goesOn }
}

function planStore(connections: Connections): Pick<RunStore, 'planEffects'> {
  const { db, turn } = connections
  const { goesOn } = fenceOf(connections)
  const OF_STEP = 'run_id = @runId AND step_id = @stepId'
  /** A placeholder, and what was put off; of the latter all or none. */
  const forgetWaiting = db
    .prepare<object, string | null>(
      `DELETE FROM run_step WHERE ${OF_STEP} AND ((${IS_PLACEHOLDER}) OR NOT EXISTS (
         SELECT 1 FROM run_step WHERE ${OF_STEP} AND NOT coalesce(${IS_PUT_OFF}, FALSE))) RETURNING ${TOLD}`,
    )
    .pluck()
  const isPlanned = db
    .prepare<{ runId: number; stepId: string }, 1>('SELECT 1 FROM run_step WHERE run_id = @runId AND step_id = @stepId')
    .pluck()
  const nextSeq = db
    .prepare<{ runId: number }, number>('SELECT coalesce(max(seq), 0) + 1 FROM run_step WHERE run_id = @runId')
    .pluck()
  const insertRow = db.prepare(
    `INSERT INTO run_step (run_id, step_id, item_key, seq, state, attempt, client_uuid, effect, error_class,
       ${reasonNames(STEP_REASON)}, next_attempt_at, planned_at, ended_at)
     VALUES (@runId, @stepId, @itemKey, @seq, @state, @attempt, @clientUuid, @effect, @errorClass, ${reasonValues()},
       @nextAttemptAt, @plannedAt, @endedAt)`,
  )

  const forget = db.prepare(FORGET)

  return {
    planEffects(fence, stepId, rows) {
      return turn.run(function* () {
        if ((yield* goesOn.get(fence)) === undefined) return false
        const { runId } = fence
        const told = (yield* forgetWaiting.all({ runId, stepId })).find((row) => row !== null)
        if ((yield* isPlanned.get({ runId, stepId })) !== undefined) return false
        let seq = (yield* nextSeq.get({ runId })) ?? 1
        for (const row of rows) {
          const effect = storedEffect(row.effect, row.notes, told)
          yield* insertRow.run({ ...row, runId, stepId, seq, effect, reason: storedReason(row.sentence) })
          seq++
          if (row.notes?.dropped) yield* forget.run({ runId, records: JSON.stringify(row.notes.dropped) })
        }
        return true
      })
    },
  }
}

function sendStore(connections: Connections): Pick<RunStore, 'beginSending' | 'endSending' | 'setRow'> {
  const { db, turn } = connections
  const { isOurs, goesOn } = fenceOf(connections)
  const isOff = db
    .prepare<{ runId: number }, 1>(
      `SELECT 1 FROM run ${OF_RULE} WHERE run.id = @runId AND (a.active = 0 OR a.deleted_at IS NOT NULL)`,
    )
    .pluck()
  const ROW = 'run_id = @runId AND step_id = @stepId AND item_key = @itemKey'
  const markSending = db.prepare(
    `UPDATE run_step SET state = 'sending', attempt = attempt + 1, sending_at = @at, next_attempt_at = NULL,
       error_class = NULL, ${clearReason(STEP_REASON)}, ended_at = NULL
     WHERE ${ROW} AND state = @state AND attempt = @attempt`,
  )
  const saveWrite = db.prepare(
    `INSERT INTO own_write (account_uuid, object, record_uuid, field, value, run_id, automation_id, hop, at)
     VALUES (@accountUuid, @object, @recordUuid, @field, @value, @runId, @automationId, @hop, @at)
     ON CONFLICT (account_uuid, object, record_uuid, field) DO UPDATE SET value = excluded.value, run_id = excluded.run_id,
       automation_id = excluded.automation_id, hop = excluded.hop, at = excluded.at`,
  )
  const remember = db.prepare(
    `INSERT INTO seen_ledger (automation_id, record_uuid, occurrence, run_id, at, expires_at)
     VALUES (@automationId, @recordUuid, @occurrence, @runId, @at, @expiresAt) ON CONFLICT DO NOTHING`,
  )
  const ofAccount = db
    .prepare<{ runId: number; accountUuid: string }, 1>(
      'SELECT 1 FROM run WHERE id = @runId AND account_uuid = @accountUuid',
    )
    .pluck()
  const CHANGES = `state = @newState, attempt = @newAttempt, error_class = @errorClass, ${setReason(STEP_REASON)},
       next_attempt_at = @nextAttemptAt, result = @result, ended_at = @endedAt`
  const markEnded = db.prepare(
    `UPDATE run_step SET ${CHANGES} WHERE ${ROW} AND ((attempt = @attempt AND state IN ('sending', 'unknown'))
       OR (@newState = 'sent' AND state <> 'sent'))`,
  )
  const stateOf = db
    .prepare<{ runId: number; stepId: string; itemKey: string }, string>(
      'SELECT state FROM run_step WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey',
    )
    .pluck()
  const changeRow = db.prepare(`UPDATE run_step SET ${CHANGES} WHERE ${ROW} AND state = @state AND attempt = @attempt`)
  const insertMessage = db.prepare(
    `INSERT INTO customer_message (account_uuid, automation_id, run_id, channel, receiver_hash, at)
     VALUES (@accountUuid, @automationId, @runId, @channel, @receiverHash, @at)`,
  )

  const expect = expectReceipt(db)

  function* saveWrites(
    accountUuid: string,
    runId: number,
    writes: readonly FieldWrite[],
    at: number,
  ): Generator<unknown, void> {
    for (const { object, recordUuid, field, value, automationId, hop, occurrence } of writes) {
      yield* saveWrite.run({ accountUuid, object, recordUuid, field, value, runId, automationId, hop, at })
      // Not for good: what it made may be due itself the year after.
      const expiresAt = at + days(300)
      if (occurrence) yield* remember.run({ automationId, recordUuid, occurrence, runId, at, expiresAt })
    }
  }

  return {
    beginSending(fence, row, { onlyWhileOn, writes, at }) {
      return turn.run(function* () {
        if ((yield* goesOn.get(fence)) === undefined) return false
        if (onlyWhileOn && (yield* isOff.get({ runId: fence.runId })) !== undefined) return false
        if ((yield* markSending.run({ runId: fence.runId, ...row, at })).changes === 0) return false
        yield* saveWrites(fence.accountUuid, fence.runId, writes, at)
        return true
      })
    },

    endSending(accountUuid, runId, row, write, { message, writes }) {
      return turn.run(function* () {
        if ((yield* ofAccount.get({ runId, accountUuid })) === undefined) return false
        const before = yield* stateOf.get({ runId, stepId: row.stepId, itemKey: row.itemKey })
        if ((yield* markEnded.run({ runId, ...row, ...changesOf(write) })).changes === 0) return false
        // A message that may have been sent was already counted when that was recorded.
        if (message && before !== 'unknown') {
          const { sent, ...counted } = message
          yield* insertMessage.run({ ...counted, accountUuid, runId, at: write.at })
        }
        if (message?.sent) yield* expect(accountUuid, { ...row, ...message, ...message.sent, runId }, write.at)
        yield* saveWrites(accountUuid, runId, writes, write.at)
        return true
      })
    },

    setRow(fence, row, write) {
      return turn.run(function* () {
        if (!(yield* isOurs.get(fence))) return false
        return (yield* changeRow.run({ runId: fence.runId, ...row, ...changesOf(write) })).changes === 1
      })
    },
  }
}

function changesOf(write: RowWrite) {
  return {
    newState: write.state,
    newAttempt: write.attempt,
    errorClass: write.errorClass,
    reason: storedReason(write.sentence),
    nextAttemptAt: write.nextAttemptAt,
    result: storedResult(write.result, write.tries, write.released),
    endedAt: write.state === 'planned' || write.state === 'sending' ? null : write.at,
  }
}

function parkStore(connections: Connections): Pick<RunStore, 'readJournal' | 'sentForEvent' | 'parkRun' | 'finishRun'> {
  const { db, turn } = connections
  const { isOurs } = fenceOf(connections)
  const rowsOf = db.prepare<{ runId: number }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run_step s WHERE s.run_id = @runId ORDER BY s.seq, s.step_id, s.item_key`,
  )
  const ofEvent = db.prepare<{ accountUuid: string; runId: number }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run own JOIN run r USING (account_uuid, record_uuid, created_at, source)
     JOIN run_step s ON s.run_id = r.id
     WHERE own.id = @runId AND own.account_uuid = @accountUuid AND s.state = 'sent'
     ORDER BY s.ended_at, s.run_id, s.seq, s.item_key`,
  )
  const park = db.prepare(
    `UPDATE run SET state = @newState, wake_at = @wakeAt, ${setReason(RUN_REASON)}, lease_owner = NULL
     WHERE ${OURS} AND outcome IS NULL AND ${STAMP} = @stamp`,
  )
  const finish = db.prepare(
    `UPDATE run SET state = 'done', outcome = @outcome, ${setReason(RUN_REASON)}, ended_at = @at, lease_owner = NULL
     WHERE ${OURS} AND (outcome IS NULL OR outcome = 'cancelled') AND ${STAMP} = @stamp`,
  )
  const ruleOf = db.prepare<{ runId: number }, number>('SELECT automation_id FROM run WHERE id = @runId').pluck()
  const recordsOf = db.prepare<{ runId: number }, string>('SELECT record_uuids FROM run WHERE id = @runId').pluck()
  const forget = db.prepare(FORGET)
  const forgetPlaceholders = db.prepare(`DELETE FROM run_step WHERE run_id = @runId AND ${IS_PLACEHOLDER}`)
  const troubles = troubleRows(db)
  const toldBefore = db
    .prepare<object, string>(
      `SELECT fingerprint FROM run_step s JOIN notice n ON n.id = CAST(${TOLD} AS bigint)
       WHERE s.run_id = @runId AND s.step_id = @stepId AND n.ended_at IS NULL LIMIT 1`,
    )
    .pluck()
  const noteTold = db.prepare(
    `UPDATE run_step SET effect = '{"told":"' || n.id || '",' || substr(json_remove(effect, '$.told'), 2) FROM notice n
     WHERE run_step.run_id = @runId AND step_id = @stepId AND state IN ('failed', 'sending') AND n.account_uuid = @accountUuid
       AND subject_kind = 'rule' AND subject_id = @ruleId AND fingerprint = @fingerprint AND n.ended_at IS NULL`,
  )
  const skipOpen = db.prepare(SKIP_OPEN)

  /** Why nothing was written: the run is no longer ours, or the journal changed. */
  function* refusedBecause(fence: RunFence): Generator<unknown, ParkedRun> {
    return (yield* isOurs.get(fence)) ? 'changed' : 'lost'
  }

  function* tell({ accountUuid, runId }: RunFence, told: ToldByRun, at: number): Generator<unknown, void> {
    const rule = { kind: 'rule', id: (yield* ruleOf.get({ runId })) ?? 0 } as const
    if (told === 'works') return void (yield* troubles.end(accountUuid, rule, null, { at, say: { code: 'run_works' } }))
    for (const { stepId, ...one } of told) {
      const before = yield* toldBefore.get({ runId, stepId })
      // A step that fails in another way by now is the same trouble.
      const [fingerprint, count] = before === undefined ? [one.fingerprint, 1] : [before, 0]
      const trouble = { ...one, fingerprint, kind: 'failing', since: at, count, runId, total: false } as const
      yield* troubles.raise(accountUuid, rule, trouble, at)
      if (before === undefined) yield* noteTold.run({ accountUuid, runId, stepId, ruleId: rule.id, fingerprint })
    }
    yield* troubles.giveUp(accountUuid, runId, at)
  }

  return {
    readJournal: db.snapshot(function* (fence) {
      const run = yield* isOurs.get(fence)
      if (!run) return null
      const rows = yield* rowsOf.all({ runId: fence.runId })
      return {
        rows: rows.map(journalRow),
        stamp: run.stamp,
        rule: {
          active: run.active === 1,
          deleted: run.deletedAt !== null,
          pausedReason: readReason(run.pausedReason),
        },
        cancelled: run.outcome === 'cancelled' ? { reason: readReason(run.reason) } : null,
      }
    }),

    sentForEvent: db.read(function* (accountUuid, runId) {
      return (yield* ofEvent.all({ accountUuid, runId })).map(journalRow)
    }),

    parkRun(fence, stamp, { state, wakeAt, reason, told, at }) {
      return turn.run(function* (): Generator<unknown, ParkedRun> {
        const values = { ...fence, stamp, newState: state, wakeAt, reason: storedReason(reason) }
        if ((yield* park.run(values)).changes === 0) return yield* refusedBecause(fence)
        yield* tell(fence, told, at)
        return 'parked'
      })
    },

    finishRun(fence, stamp, { outcome, reason, cancelledReason, told, forgets, at }) {
      return turn.run(function* (): Generator<unknown, ParkedRun> {
        const ended = yield* finish.run({ ...fence, stamp, outcome, reason: storedReason(reason), at })
        if (ended.changes === 0) return yield* refusedBecause(fence)
        if (outcome === 'cancelled') {
          yield* skipOpen.run({ reason: storedReason(cancelledReason), at, runId: fence.runId })
        }
        if (forgets) {
          yield* forget.run({ runId: fence.runId, records: (yield* recordsOf.get({ runId: fence.runId })) ?? '[]' })
          yield* forgetPlaceholders.run({ runId: fence.runId })
        }
        yield* tell(fence, told, at)
        return 'parked'
      })
    },
  }
}

// A message to a customer went out, or may have: its receipt is looked for, and its job is listened to.
type Sent = Pick<MessageNote, 'channel' | 'receiverHash'> &
  NonNullable<MessageNote['sent']> & { runId: number; stepId: string; itemKey: string }

/** Prepared once per connection; call inside the transaction that stores the sending. The same sending counts once. */
function expectReceipt(
  db: Pick<Database, 'prepare'>,
): (accountUuid: string, sent: Sent, at: number) => Generator<unknown, void> {
  const insert = db.prepare(
    `INSERT INTO message_receipt (account_uuid, run_id, step_id, item_key, channel, job_uuid, receiver_hash, state, sent_at,
       next_look_at)
     VALUES (@accountUuid, @runId, @stepId, @itemKey, @channel, @jobUuid, @receiverHash, @state, @sentAt, @nextLookAt)
     ON CONFLICT (run_id, step_id, item_key, sent_at) DO NOTHING`,
  )
  const open = db.prepare(
    `INSERT INTO conversation (account_uuid, job_uuid, channel, company_uuid, opened_at, last_message_at, tries, next_look_at)
     VALUES (@accountUuid, @jobUuid, @channel, @companyUuid, @sentAt, @at, 0, @nextLookAt)
     ON CONFLICT (account_uuid, job_uuid, channel) DO UPDATE SET
       company_uuid = coalesce(excluded.company_uuid, conversation.company_uuid),
       opened_at = CASE WHEN conversation.last_message_at < @overBefore THEN excluded.opened_at ELSE conversation.opened_at END,
       last_message_at = max(conversation.last_message_at, excluded.last_message_at),
       next_look_at = min(conversation.next_look_at, excluded.next_look_at)`,
  )
  return function* (
    accountUuid,
    { runId, stepId, itemKey, channel, receiverHash, jobUuid, companyUuid, sentAt, firstLookAt, overBefore },
    at,
  ) {
    const state = jobUuid === null ? 'none' : 'open'
    const receipt = { accountUuid, runId, stepId, itemKey, channel, jobUuid, receiverHash, state, sentAt }
    const isNew = (yield* insert.run({ ...receipt, nextLookAt: jobUuid === null ? null : firstLookAt })).changes === 1
    if (jobUuid === null || !isNew) return
    yield* open.run({ accountUuid, jobUuid, channel, companyUuid, sentAt, at, nextLookAt: firstLookAt, overBefore })
  }
}

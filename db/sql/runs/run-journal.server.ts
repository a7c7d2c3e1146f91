// The journal's writes. Each is refused unless the run is still the writer's and the row unchanged since its read, so
// late writers (stalled process, old read) change nothing. Only "it was sent" is accepted from anyone.
import type { MessageNote } from '../../store/run-guards.ts'
import type { FieldWrite, ParkedRun, RowWrite, RunFence, RunStore } from '../../store/runs.ts'
import type { Client } from '../../sqlite/client.server.ts'
import {
  clearReason,
  RUN_REASON,
  readReason,
  reasonNames,
  reasonValues,
  STEP_REASON,
  selectReason,
  setReason,
  storedReason,
} from '../reasons.server.ts'
import { JOURNAL_COLUMNS, journalRow, type StoredRow, storedEffect, storedResult } from './run-rows.server.ts'

type JournalStore = Pick<
  RunStore,
  'readJournal' | 'planEffects' | 'beginSending' | 'endSending' | 'setRow' | 'parkRun' | 'finishRun'
>

/** All rows in order, in a form that changes when any row does. */
const STAMP = `(SELECT coalesce(group_concat(key, ' '), '') FROM (
    SELECT step_id || '/' || item_key || '/' || state || '/' || attempt || '/' || coalesce(next_attempt_at, '') AS key
    FROM run_step WHERE run_id = @runId ORDER BY step_id, item_key))`
const OURS = "id = @runId AND account_uuid = @accountUuid AND lease_owner = @owner AND state = 'running'"

export function runJournalStore(client: Client): JournalStore {
  return { ...planStore(client), ...sendStore(client), ...parkStore(client) }
}

/** Is the run still ours and still active? */
function fenceOf({ sql }: Client) {
  const isOurs = sql.prepare<[RunFence], { outcome: string | null; reason: string; stamp: string }>(
    `SELECT outcome, ${selectReason(RUN_REASON)} AS reason, ${STAMP} AS stamp FROM run WHERE ${OURS}`,
  )
  const goesOn = sql.prepare<[RunFence], 1>(`SELECT 1 FROM run WHERE ${OURS} AND outcome IS NULL`).pluck()
  return { isOurs, goesOn }
}

function planStore(client: Client): Pick<JournalStore, 'planEffects'> {
  const { sql, turn } = client
  const { goesOn } = fenceOf(client)
  const forgetPlaceholders = sql.prepare(
    `DELETE FROM run_step WHERE run_id = @runId AND step_id = @stepId AND json_extract(effect, '$.effect.kind') = 'none'
       AND (state = 'planned' OR (state = 'failed' AND next_attempt_at IS NOT NULL))`,
  )
  const isPlanned = sql
    .prepare<{ runId: number; stepId: string }, 1>('SELECT 1 FROM run_step WHERE run_id = @runId AND step_id = @stepId')
    .pluck()
  const nextSeq = sql
    .prepare<{ runId: number }, number>('SELECT coalesce(max(seq), 0) + 1 FROM run_step WHERE run_id = @runId')
    .pluck()
  const insertRow = sql.prepare(
    `INSERT INTO run_step (run_id, step_id, item_key, seq, state, attempt, client_uuid, effect, error_class,
       ${reasonNames(STEP_REASON)}, next_attempt_at, planned_at, ended_at)
     VALUES (@runId, @stepId, @itemKey, @seq, @state, @attempt, @clientUuid, @effect, @errorClass, ${reasonValues()},
       @nextAttemptAt, @plannedAt, @endedAt)`,
  )

  return {
    async planEffects(fence, stepId, rows) {
      return turn.run(() => {
        if (goesOn.get(fence) === undefined) return false
        const { runId } = fence
        forgetPlaceholders.run({ runId, stepId })
        if (isPlanned.get({ runId, stepId }) !== undefined) return false
        let seq = nextSeq.get({ runId }) ?? 1
        for (const row of rows) {
          const effect = storedEffect(row.effect, row.notes)
          insertRow.run({ ...row, runId, stepId, seq, effect, reason: storedReason(row.sentence) })
          seq++
        }
        return true
      })
    },
  }
}

function sendStore(client: Client): Pick<JournalStore, 'beginSending' | 'endSending' | 'setRow'> {
  const { sql, turn } = client
  const { isOurs, goesOn } = fenceOf(client)
  const ROW = 'run_id = @runId AND step_id = @stepId AND item_key = @itemKey'
  const markSending = sql.prepare(
    `UPDATE run_step SET state = 'sending', attempt = attempt + 1, sending_at = @at, next_attempt_at = NULL,
       error_class = NULL, ${clearReason(STEP_REASON)}, ended_at = NULL
     WHERE ${ROW} AND state = @state AND attempt = @attempt`,
  )
  const saveWrite = sql.prepare(
    `INSERT INTO own_write (account_uuid, object, record_uuid, field, value, run_id, automation_id, hop, at)
     VALUES (@accountUuid, @object, @recordUuid, @field, @value, @runId, @automationId, @hop, @at)
     ON CONFLICT (account_uuid, object, record_uuid, field) DO UPDATE SET value = excluded.value, run_id = excluded.run_id,
       automation_id = excluded.automation_id, hop = excluded.hop, at = excluded.at`,
  )
  const ofAccount = sql
    .prepare<{ runId: number; accountUuid: string }, 1>(
      'SELECT 1 FROM run WHERE id = @runId AND account_uuid = @accountUuid',
    )
    .pluck()
  const CHANGES = `state = @newState, attempt = @newAttempt, error_class = @errorClass, ${setReason(STEP_REASON)},
       next_attempt_at = @nextAttemptAt, result = @result, ended_at = @endedAt`
  const markEnded = sql.prepare(
    `UPDATE run_step SET ${CHANGES} WHERE ${ROW} AND ((attempt = @attempt AND state IN ('sending', 'unknown'))
       OR (@newState = 'sent' AND state <> 'sent'))`,
  )
  const stateOf = sql
    .prepare<{ runId: number; stepId: string; itemKey: string }, string>(
      'SELECT state FROM run_step WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey',
    )
    .pluck()
  const changeRow = sql.prepare(`UPDATE run_step SET ${CHANGES} WHERE ${ROW} AND state = @state AND attempt = @attempt`)
  const insertMessage = sql.prepare(
    `INSERT INTO customer_message (account_uuid, automation_id, run_id, channel, receiver_hash, at)
     VALUES (@accountUuid, @automationId, @runId, @channel, @receiverHash, @at)`,
  )

  function saveWrites(accountUuid: string, runId: number, writes: readonly FieldWrite[], at: number): void {
    for (const { object, recordUuid, field, value, automationId, hop } of writes) {
      saveWrite.run({ accountUuid, object, recordUuid, field, value, runId, automationId, hop, at })
    }
  }

  function noteMessage(accountUuid: string, runId: number, message: MessageNote, at: number): void {
    insertMessage.run({ ...message, accountUuid, runId, at })
  }

  return {
    async beginSending(fence, row, { writes, at }) {
      return turn.run(() => {
        if (goesOn.get(fence) === undefined) return false
        if (markSending.run({ runId: fence.runId, ...row, at }).changes === 0) return false
        saveWrites(fence.accountUuid, fence.runId, writes, at)
        return true
      })
    },

    async endSending(accountUuid, runId, row, write, { message, writes }) {
      return turn.run(() => {
        if (ofAccount.get({ runId, accountUuid }) === undefined) return false
        const before = stateOf.get({ runId, stepId: row.stepId, itemKey: row.itemKey })
        if (markEnded.run({ runId, ...row, ...changesOf(write) }).changes === 0) return false
        // A message that may have been sent was already counted when that was recorded.
        if (message && before !== 'unknown') noteMessage(accountUuid, runId, message, write.at)
        saveWrites(accountUuid, runId, writes, write.at)
        return true
      })
    },

    async setRow(fence, row, write) {
      return turn.run(() => {
        if (!isOurs.get(fence)) return false
        return changeRow.run({ runId: fence.runId, ...row, ...changesOf(write) }).changes === 1
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

function parkStore(client: Client): Pick<JournalStore, 'readJournal' | 'parkRun' | 'finishRun'> {
  const { sql, turn } = client
  const { isOurs } = fenceOf(client)
  const rowsOf = sql.prepare<{ runId: number }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run_step s WHERE s.run_id = @runId ORDER BY s.seq, s.step_id, s.item_key`,
  )
  const park = sql.prepare(
    `UPDATE run SET state = @newState, wake_at = @wakeAt, ${setReason(RUN_REASON)}, lease_owner = NULL
     WHERE ${OURS} AND outcome IS NULL AND ${STAMP} = @stamp`,
  )
  const finish = sql.prepare(
    `UPDATE run SET state = 'done', outcome = @outcome, ${setReason(RUN_REASON)}, ended_at = @at, lease_owner = NULL
     WHERE ${OURS} AND (outcome IS NULL OR outcome = 'cancelled') AND ${STAMP} = @stamp`,
  )
  const skipOpen = sql.prepare(
    `UPDATE run_step SET state = 'skipped', error_class = 'cancelled', ${setReason(STEP_REASON)}, next_attempt_at = NULL,
       ended_at = @at
     WHERE run_id = @runId AND (state IN ('planned', 'held') OR (state = 'failed' AND next_attempt_at IS NOT NULL))`,
  )

  /** Why nothing was written: the run is no longer ours, or the journal changed. */
  function refusedBecause(fence: RunFence): ParkedRun {
    return isOurs.get(fence) ? 'changed' : 'lost'
  }

  return {
    async readJournal(fence) {
      const run = isOurs.get(fence)
      if (!run) return null
      return {
        rows: rowsOf.all({ runId: fence.runId }).map(journalRow),
        stamp: run.stamp,
        cancelled: run.outcome === 'cancelled' ? { reason: readReason(run.reason) } : null,
      }
    },

    async parkRun(fence, stamp, { state, wakeAt, reason }) {
      return turn.run((): ParkedRun => {
        const parked =
          park.run({ ...fence, stamp, newState: state, wakeAt, reason: storedReason(reason) }).changes === 1
        return parked ? 'parked' : refusedBecause(fence)
      })
    },

    async finishRun(fence, stamp, { outcome, reason, cancelledReason, at }) {
      return turn.run((): ParkedRun => {
        const ended = finish.run({ ...fence, stamp, outcome, reason: storedReason(reason), at }).changes === 1
        if (!ended) return refusedBecause(fence)
        if (outcome === 'cancelled') skipOpen.run({ reason: storedReason(cancelledReason), at, runId: fence.runId })
        return 'parked'
      })
    },
  }
}

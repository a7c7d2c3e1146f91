// A person's decisions about a run: cancel it, release it, settle an unclear message, repeat failed steps.
import type { Reason } from '#app/domain/reason.ts'
import type { CancelledRun, RerunFailed, RunStore, SettledByPerson } from '../../store/runs.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { clearReason, RUN_REASON, STEP_REASON, setReason, storedReason } from '../reasons.server.ts'
import { JOURNAL_COLUMNS, journalRow, type StoredRow, storedResult } from './run-rows.server.ts'

type DecisionStore = Pick<
  RunStore,
  'cancelRun' | 'heldRuns' | 'releaseRuns' | 'settleUnknown' | 'findJournalRow' | 'rerunFailed'
>

export function runDecisionStore(client: Client): DecisionStore {
  return { ...cancelStore(client), ...releaseStore(client), ...unknownStore(client), ...rerunStore(client) }
}

function cancelStore(client: Client): Pick<RunStore, 'cancelRun'> {
  const { sql, turn } = client
  const stateOf = stateFinder(client)
  const cancelNow = sql.prepare(
    `UPDATE run SET state = 'done', outcome = 'cancelled', ${setReason(RUN_REASON)}, ended_at = @at, lease_owner = NULL
     WHERE id = @runId AND state IN ('queued', 'waiting', 'held')`,
  )
  const cancelSoon = sql.prepare(
    `UPDATE run SET outcome = 'cancelled', ${setReason(RUN_REASON)}
     WHERE id = @runId AND state = 'running' AND outcome IS NULL`,
  )
  const isUnclear = sql
    .prepare<{ runId: number }, 1>("SELECT 1 FROM run_step WHERE run_id = @runId AND state = 'sending'")
    .pluck()
  const askForVerdict = sql.prepare(
    `UPDATE run SET state = 'queued', outcome = 'cancelled', ${setReason(RUN_REASON)}, wake_at = @at WHERE id = @runId`,
  )
  const skipOpen = sql.prepare(
    `UPDATE run_step SET state = 'skipped', error_class = 'cancelled', ${setReason(STEP_REASON)}, next_attempt_at = NULL,
       ended_at = @at
     WHERE run_id = @runId AND (state IN ('planned', 'held') OR (state = 'failed' AND next_attempt_at IS NOT NULL))`,
  )

  return {
    async cancelRun(accountUuid, runId, { reason: given, rowReason, at }) {
      const reason = storedReason(given)
      return turn.run((): CancelledRun => {
        const state = stateOf(runId, accountUuid)
        if (state === undefined) return { outcome: 'not_found' }
        if (state === 'done') return { outcome: 'done_already' }
        if (state === 'running') {
          cancelSoon.run({ reason, runId })
          return { outcome: 'cancelling' }
        }
        // An effect may or may not be done: the engine checks it, then the run ends.
        if (isUnclear.get({ runId }) !== undefined) {
          askForVerdict.run({ reason, at, runId })
          return { outcome: 'cancelling' }
        }
        cancelNow.run({ reason, at, runId })
        skipOpen.run({ reason: storedReason(rowReason), at, runId })
        return { outcome: 'cancelled' }
      })
    },
  }
}

function releaseStore(client: Client): Pick<RunStore, 'heldRuns' | 'releaseRuns'> {
  const { sql, turn } = client
  const stateOf = stateFinder(client)
  const held = sql
    .prepare<{ accountUuid: string; automationId: number }, number>(
      `SELECT r.id FROM run r WHERE r.account_uuid = @accountUuid AND r.automation_id = @automationId
         AND (r.state = 'held' OR (r.state = 'waiting'
           AND EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = r.id AND s.state = 'held')))
       ORDER BY r.id`,
    )
    .pluck()
  const heldRows = sql.prepare<{ runId: number }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run_step s WHERE s.run_id = @runId AND s.state = 'held'`,
  )
  const freeRow = sql.prepare(
    `UPDATE run_step SET state = 'planned', error_class = NULL, ${clearReason(STEP_REASON)}, next_attempt_at = NULL,
       ended_at = NULL, planned_at = @at, result = @result
     WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey AND state = 'held'`,
  )
  const goOn = sql.prepare(
    `UPDATE run SET state = 'queued', wake_at = @at, ${setReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting')`,
  )

  /** Returns whether the run continues because of this call. */
  function release(accountUuid: string, runId: number, reason: Reason, at: number): boolean {
    const state = stateOf(runId, accountUuid)
    if (state === undefined || state === 'done') return false
    const rows = heldRows.all({ runId })
    for (const row of rows.map(journalRow)) {
      const { stepId, itemKey } = row
      freeRow.run({ at, result: storedResult(row.result, row.tries, true), runId, stepId, itemKey })
    }
    if (state === 'running') return rows.length > 0
    if (state !== 'held' && rows.length === 0) return false
    return goOn.run({ at, reason: storedReason(reason), runId }).changes === 1
  }

  return {
    async heldRuns(accountUuid, automationId) {
      return held.all({ accountUuid, automationId })
    },

    async releaseRuns(accountUuid, runIds, { reason, at }) {
      return turn.run(() => runIds.filter((runId) => release(accountUuid, runId, reason, at)).length)
    },
  }
}

function unknownStore(client: Client): Pick<RunStore, 'settleUnknown' | 'findJournalRow'> {
  const { sql, turn } = client
  const findRow = sql.prepare<{ runId: number; stepId: string; itemKey: string; accountUuid: string }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run_step s JOIN run r ON r.id = s.run_id
     WHERE s.run_id = @runId AND s.step_id = @stepId AND s.item_key = @itemKey AND r.account_uuid = @accountUuid`,
  )
  const settle = sql.prepare(
    `UPDATE run_step SET state = @state, attempt = @attempt, error_class = NULL, ${setReason(STEP_REASON)},
       planned_at = @plannedAt, ended_at = @endedAt, result = @result
     WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey AND state = 'unknown'`,
  )
  const takeBack = sql.prepare(
    `DELETE FROM customer_message WHERE id = (SELECT max(id) FROM customer_message
       WHERE run_id = @runId AND automation_id = @automationId AND channel = @channel AND receiver_hash = @receiverHash)`,
  )
  const reopen = sql.prepare(
    `UPDATE run SET state = 'queued', outcome = NULL, wake_at = @at, ${clearReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting', 'done') AND (@send = 1 OR outcome IS NOT 'cancelled')`,
  )

  return {
    async settleUnknown(accountUuid, runId, { stepId, itemKey }, input) {
      return turn.run((): SettledByPerson => {
        const row = findRow.get({ runId, stepId, itemKey, accountUuid })
        if (!row) return { outcome: 'not_found' }
        if (row.state !== 'unknown') return { outcome: 'not_open' }
        const { result, tries, released } = journalRow(row)
        const { at } = input
        const place = { runId, stepId, itemKey }
        if (input.decision === 'went_out') {
          const { attempt, plannedAt } = row
          const reason = storedReason(input.reason)
          const stored = storedResult(result ?? {}, tries, released)
          settle.run({ ...place, state: 'sent', attempt, reason, plannedAt, endedAt: at, result: stored })
        } else {
          const planned = { state: 'planned', attempt: 0, reason: storedReason(null), plannedAt: at, endedAt: null }
          settle.run({ ...place, ...planned, result: storedResult(result, tries, true) })
          const { message } = input
          if (message) takeBack.run({ ...message, runId })
        }
        reopen.run({ at, runId, send: input.decision === 'send' ? 1 : 0 })
        return { outcome: 'settled' }
      })
    },

    async findJournalRow(accountUuid, runId, { stepId, itemKey }) {
      const row = findRow.get({ runId, stepId, itemKey, accountUuid })
      return row ? journalRow(row) : null
    },
  }
}

function rerunStore(client: Client): Pick<RunStore, 'rerunFailed'> {
  const { sql, turn } = client
  const stateOf = stateFinder(client)
  const failedRows = sql
    .prepare<{ runId: number }, number>(
      `SELECT count(*) FROM run_step WHERE run_id = @runId
         AND (state = 'failed' OR (state = 'skipped' AND error_class = 'previous_failed'))`,
    )
    .pluck()
  const forgetUnplanned = sql.prepare(
    `DELETE FROM run_step WHERE run_id = @runId AND json_extract(effect, '$.effect.kind') = 'none'
       AND (state = 'failed' OR (state = 'skipped' AND error_class = 'previous_failed'))`,
  )
  const planAgain = sql.prepare(
    `UPDATE run_step SET state = 'planned', attempt = 0, error_class = NULL, ${clearReason(STEP_REASON)},
       next_attempt_at = NULL, ended_at = NULL, planned_at = @at
     WHERE run_id = @runId AND (state = 'failed' OR (state = 'skipped' AND error_class = 'previous_failed'))`,
  )
  const wakeRun = sql.prepare(
    `UPDATE run SET state = 'queued', outcome = NULL, wake_at = @at, ${setReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting', 'done')`,
  )

  return {
    async rerunFailed(accountUuid, runId, { reason, at }) {
      return turn.run((): RerunFailed => {
        const state = stateOf(runId, accountUuid)
        if (state === undefined) return { outcome: 'not_found' }
        const rows = failedRows.get({ runId }) ?? 0
        // While the run is in progress, its own retries count.
        if (rows === 0 || state === 'running') return { outcome: 'nothing_failed' }
        forgetUnplanned.run({ runId })
        planAgain.run({ at, runId })
        wakeRun.run({ at, reason: storedReason(reason), runId })
        return { outcome: 'again', rows }
      })
    },
  }
}

function stateFinder({ sql }: Client): (runId: number, accountUuid: string) => string | undefined {
  const stateOf = sql
    .prepare<{ runId: number; accountUuid: string }, string>(
      'SELECT state FROM run WHERE id = @runId AND account_uuid = @accountUuid',
    )
    .pluck()
  return (runId, accountUuid) => stateOf.get({ runId, accountUuid })
}

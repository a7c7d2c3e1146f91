// A person's decisions about a run: cancel it, release it, settle an unclear message, repeat failed steps.
import type { Reason } from '#app/domain/reason.ts'
import type { Step } from '../../database.ts'
import type { CancelledRun, RerunFailed, RunStore, SettledByPerson } from '../../store/runs.ts'
import type { Connections } from '../connections.ts'
import { troubleRows } from '../notices/trouble-rows.server.ts'
import { clearReason, RUN_REASON, STEP_REASON, setReason, storedReason } from '../reasons.server.ts'
import { JOURNAL_COLUMNS, journalRow, SKIP_OPEN, type StoredRow, storedResult } from './run-rows.server.ts'

export function runDecisionStore(connections: Connections) {
  return {
    ...cancelStore(connections),
    ...releaseStore(connections),
    ...unknownStore(connections),
    ...rerunStore(connections),
  }
}

function cancelStore(connections: Connections): Pick<RunStore, 'cancelRun'> {
  const { db, turn } = connections
  const stateOf = stateFinder(connections)
  const cancelNow = db.prepare(
    `UPDATE run SET state = 'done', outcome = 'cancelled', ${setReason(RUN_REASON)}, ended_at = @at, lease_owner = NULL
     WHERE id = @runId AND state IN ('queued', 'waiting', 'held')`,
  )
  const cancelSoon = db.prepare(
    `UPDATE run SET outcome = 'cancelled', ${setReason(RUN_REASON)}
     WHERE id = @runId AND state = 'running' AND outcome IS NULL`,
  )
  const isUnclear = db
    .prepare<{ runId: number }, 1>("SELECT 1 FROM run_step WHERE run_id = @runId AND state = 'sending'")
    .pluck()
  const askForVerdict = db.prepare(
    `UPDATE run SET state = 'queued', outcome = 'cancelled', ${setReason(RUN_REASON)}, wake_at = @at WHERE id = @runId`,
  )
  const skipOpen = db.prepare(SKIP_OPEN)
  const troubles = troubleRows(db)

  return {
    cancelRun(accountUuid, runId, { reason: given, rowReason, at }) {
      const reason = storedReason(given)
      return turn.run(function* (): Generator<unknown, CancelledRun> {
        const state = yield* stateOf(runId, accountUuid)
        if (state === undefined) return { outcome: 'not_found' }
        if (state === 'done') return { outcome: 'done_already' }
        if (state === 'running') {
          yield* cancelSoon.run({ reason, runId })
          return { outcome: 'cancelling' }
        }
        // An effect may or may not be done: the engine checks it, then the run ends.
        if ((yield* isUnclear.get({ runId })) !== undefined) {
          yield* askForVerdict.run({ reason, at, runId })
          return { outcome: 'cancelling' }
        }
        yield* cancelNow.run({ reason, at, runId })
        yield* skipOpen.run({ reason: storedReason(rowReason), at, runId })
        yield* troubles.giveUp(accountUuid, runId, at)
        return { outcome: 'cancelled' }
      })
    },
  }
}

function releaseStore(connections: Connections): Pick<RunStore, 'heldRuns' | 'releaseRuns'> {
  const { db, turn } = connections
  const stateOf = stateFinder(connections)
  const held = db
    .prepare<{ accountUuid: string; automationId: number }, number>(
      `SELECT r.id FROM run r WHERE r.account_uuid = @accountUuid AND r.automation_id = @automationId
         AND (r.state = 'held' OR (r.state = 'waiting'
           AND EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = r.id AND s.state = 'held')))
       ORDER BY r.id`,
    )
    .pluck()
  const heldRows = db.prepare<{ runId: number }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run_step s WHERE s.run_id = @runId AND s.state = 'held'`,
  )
  const freeRow = db.prepare(
    `UPDATE run_step SET state = 'planned', error_class = NULL, ${clearReason(STEP_REASON)}, next_attempt_at = NULL,
       ended_at = NULL, planned_at = @at, result = @result
     WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey AND state = 'held'`,
  )
  const goOnThen = db.prepare(
    `UPDATE run SET state = 'queued', ${setReason(RUN_REASON)} WHERE id = @runId AND state = 'held' AND wake_at > @at`,
  )
  const goOn = db.prepare(
    `UPDATE run SET state = 'queued', wake_at = @at, ${setReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting')`,
  )

  /** Returns whether the run continues because of this call. */
  function* release(accountUuid: string, runId: number, reason: Reason, at: number): Generator<unknown, boolean> {
    const state = yield* stateOf(runId, accountUuid)
    if (state === undefined || state === 'done') return false
    const rows = yield* heldRows.all({ runId })
    for (const row of rows.map(journalRow)) {
      const { stepId, itemKey } = row
      yield* freeRow.run({ at, result: storedResult(row.result, row.tries, true), runId, stepId, itemKey })
    }
    if (state === 'running') return rows.length > 0
    if (state !== 'held' && rows.length === 0) return false
    // Until its time comes, the rule may be switched off.
    const ahead = typeof reason === 'string' ? reason : { ...reason, params: { ...reason.params, ahead: 1 } }
    if ((yield* goOnThen.run({ at, reason: storedReason(ahead), runId })).changes === 1) return true
    return (yield* goOn.run({ at, reason: storedReason(reason), runId })).changes === 1
  }

  return {
    heldRuns: db.read((accountUuid, automationId) => held.all({ accountUuid, automationId })),

    releaseRuns(accountUuid, runIds, { reason, at }) {
      return turn.run(function* () {
        let released = 0
        for (const runId of runIds) if (yield* release(accountUuid, runId, reason, at)) released++
        return released
      })
    },
  }
}

function unknownStore(connections: Connections): Pick<RunStore, 'settleUnknown' | 'findJournalRow'> {
  const { db, turn } = connections
  const findRow = db.prepare<{ runId: number; stepId: string; itemKey: string; accountUuid: string }, StoredRow>(
    `SELECT ${JOURNAL_COLUMNS} FROM run_step s JOIN run r ON r.id = s.run_id
     WHERE s.run_id = @runId AND s.step_id = @stepId AND s.item_key = @itemKey AND r.account_uuid = @accountUuid`,
  )
  const settle = db.prepare(
    `UPDATE run_step SET state = @state, attempt = @attempt, error_class = NULL, ${setReason(STEP_REASON)},
       planned_at = @plannedAt, ended_at = @endedAt, result = @result
     WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey AND state = 'unknown'`,
  )
  const takeBack = db.prepare(
    `DELETE FROM customer_message WHERE id = (SELECT max(id) FROM customer_message
       WHERE run_id = @runId AND automation_id = @automationId AND channel = @channel AND receiver_hash = @receiverHash)`,
  )
  const reopen = db.prepare(
    `UPDATE run SET state = 'queued', outcome = NULL, wake_at = @at, ${clearReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting', 'done') AND (@send = 1 OR outcome IS DISTINCT FROM 'cancelled')`,
  )

  return {
    settleUnknown(accountUuid, runId, { stepId, itemKey }, input) {
      return turn.run(function* (): Generator<unknown, SettledByPerson> {
        const row = yield* findRow.get({ runId, stepId, itemKey, accountUuid })
        if (!row) return { outcome: 'not_found' }
        if (row.state !== 'unknown') return { outcome: 'not_open' }
        const { result, tries, released } = journalRow(row)
        const { at } = input
        const place = { runId, stepId, itemKey }
        if (input.decision === 'went_out') {
          const { attempt, plannedAt } = row
          const reason = storedReason(input.reason)
          const stored = storedResult(result ?? {}, tries, released)
          yield* settle.run({ ...place, state: 'sent', attempt, reason, plannedAt, endedAt: at, result: stored })
        } else {
          const planned = { state: 'planned', attempt: 0, reason: storedReason(null), plannedAt: at, endedAt: null }
          yield* settle.run({ ...place, ...planned, result: storedResult(result, tries, true) })
          const { message } = input
          if (message) yield* takeBack.run({ ...message, runId })
        }
        yield* reopen.run({ at, runId, send: input.decision === 'send' ? 1 : 0 })
        return { outcome: 'settled' }
      })
    },

    findJournalRow: db.read(function* (accountUuid, runId, { stepId, itemKey }) {
      const row = yield* findRow.get({ runId, stepId, itemKey, accountUuid })
      return row ? journalRow(row) : null
    }),
  }
}

/** Not done, with what was left out after it. Where anything was, also what an empty value left out: the press says so. */
const FAILED = `(state = 'failed' OR (state = 'skipped' AND (error_class = 'previous_failed' OR (error_class = 'value_missing'
  AND EXISTS (SELECT 1 FROM run_step p WHERE p.run_id = @runId AND p.error_class = 'previous_failed')))))`

function rerunStore(connections: Connections): Pick<RunStore, 'rerunFailed'> {
  const { db, turn } = connections
  const stateOf = stateFinder(connections)
  const failedRows = db
    .prepare<{ runId: number }, number>(`SELECT count(*) FROM run_step WHERE run_id = @runId AND ${FAILED}`)
    .pluck()
  const forgetUnplanned = db.prepare(
    `DELETE FROM run_step WHERE run_id = @runId AND json_extract(effect, '$.effect.kind') = 'none'
       AND ${FAILED}`,
  )
  const planAgain = db.prepare(
    `UPDATE run_step SET state = 'planned', attempt = 0, error_class = NULL, ${clearReason(STEP_REASON)},
       next_attempt_at = NULL, ended_at = NULL, planned_at = @at
     WHERE run_id = @runId AND ${FAILED}`,
  )
  // What fails once more is told once more.
  const forgetTold = db.prepare(
    `UPDATE run_step SET effect = json_remove(effect, '$.told')
     WHERE run_id = @runId AND json_extract(effect, '$.told') IS NOT NULL`,
  )
  const wakeRun = db.prepare(
    `UPDATE run SET state = 'queued', outcome = NULL, wake_at = @at, ${setReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting', 'done')`,
  )

  return {
    rerunFailed(accountUuid, runId, { reason, at }) {
      return turn.run(function* (): Generator<unknown, RerunFailed> {
        const state = yield* stateOf(runId, accountUuid)
        if (state === undefined) return { outcome: 'not_found' }
        const rows = (yield* failedRows.get({ runId })) ?? 0
        // While the run is in progress, its own retries count.
        if (rows === 0 || state === 'running') return { outcome: 'nothing_failed' }
        yield* forgetUnplanned.run({ runId })
        yield* planAgain.run({ at, runId })
        yield* forgetTold.run({ runId })
        yield* wakeRun.run({ at, reason: storedReason(reason), runId })
        return { outcome: 'again', rows }
      })
    },
  }
}

function stateFinder({ db }: Connections): (runId: number, accountUuid: string) => Step<string | undefined> {
  const stateOf = db
    .prepare<{ runId: number; accountUuid: string }, string>(
      'SELECT state FROM run WHERE id = @runId AND account_uuid = @accountUuid',
    )
    .pluck()
  return (runId, accountUuid) => stateOf.get({ runId, accountUuid })
}

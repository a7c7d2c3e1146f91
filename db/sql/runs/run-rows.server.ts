// Runs as rows: creating them together with their ledger rows, and reading them.
import type { JournalEffect, JournalRow, PlanNotes, Try } from '#app/domain/automations/journal-row.ts'
import type { RunRequest, RunState, StartedRun } from '#app/domain/automations/run.ts'
import type { Database, Step } from '../../database.ts'
import {
  RUN_REASON,
  readReason,
  reasonNames,
  reasonValues,
  STEP_REASON,
  selectReason,
  setReason,
  storedReason,
} from '../reasons.server.ts'

/** What a cancelled run has not sent is left out. */
export const SKIP_OPEN = `UPDATE run_step SET state = 'skipped', error_class = 'cancelled', ${setReason(STEP_REASON)},
     next_attempt_at = NULL, ended_at = @at
   WHERE run_id = @runId AND (state IN ('planned', 'held') OR (state = 'failed' AND next_attempt_at IS NOT NULL))`

type InsertRuns = (accountUuid: string, requests: readonly RunRequest[], now: number) => Step<StartedRun[]>

/**
 * Prepared once per connection; call inside a transaction. Each request stores its run row and all of its
 * ledger rows, or nothing. Throws for a rule of another account or a deleted one: that is a bug.
 */
export function insertRuns(db: Pick<Database, 'prepare'>): InsertRuns {
  const findLedger = db.prepare<
    { automationId: number; recordUuid: string; occurrence: string; now: number },
    { at: number }
  >(
    `SELECT at FROM seen_ledger
     WHERE automation_id = @automationId AND record_uuid = @recordUuid AND occurrence = @occurrence
       AND (expires_at IS NULL OR expires_at > @now)`,
  )
  const takeLedger = db.prepare(
    `INSERT INTO seen_ledger (automation_id, record_uuid, occurrence, run_id, at, expires_at)
     VALUES (@automationId, @recordUuid, @occurrence, @runId, @now, @expiresAt)
     ON CONFLICT (automation_id, record_uuid, occurrence) DO UPDATE SET run_id = excluded.run_id, at = excluded.at,
       expires_at = excluded.expires_at`,
  )
  const insert = db
    .prepare<object, number>(
      `INSERT INTO run (account_uuid, automation_id, version, source, occurrence, object, record_uuid, record_uuids, group_key,
       trigger_data, state, ${reasonNames(RUN_REASON)}, wake_at, replay_of, hop, created_at)
     VALUES (@accountUuid, @automationId, @version, @source, @occurrence, @object, @recordUuid, @recordUuids, @groupKey,
       @triggerData, @state, ${reasonValues()}, @wakeAt, @replayOf, @hop, @now)
     RETURNING id`,
    )
    .pluck()
  const count = db.prepare(
    `UPDATE automation SET execution_count = execution_count + 1, last_executed_at = max(coalesce(last_executed_at, 0), @now)
     WHERE id = @id AND account_uuid = @accountUuid`,
  )

  function* doneBefore(request: RunRequest, now: number): Generator<unknown, StartedRun | undefined> {
    for (const { recordUuid, occurrence } of request.ledger) {
      const before = yield* findLedger.get({ automationId: request.automationId, recordUuid, occurrence, now })
      if (before) return { outcome: 'done_before', recordUuid, occurrence }
    }
    return undefined
  }

  function* start(accountUuid: string, request: RunRequest, now: number): Generator<unknown, StartedRun> {
    const { automationId } = request
    const before = request.again ? undefined : yield* doneBefore(request, now)
    if (before) return before
    if ((yield* count.run({ now, id: automationId, accountUuid })).changes === 0) {
      throw new Error(`account ${accountUuid} has no automation ${automationId}`)
    }
    const runId = yield* insert.get({
      ...{ ...request, accountUuid, now },
      occurrence: request.ledger[0]?.occurrence ?? null,
      recordUuid: request.recordUuids[0] ?? null,
      recordUuids: JSON.stringify(request.recordUuids),
      triggerData: JSON.stringify(request.triggerData),
      ...firstState(request, now),
      reason: storedReason(request.held ?? request.waits ?? null),
    })
    if (runId === undefined) throw new Error('a run was stored without an id')
    for (const entry of request.ledger) yield* takeLedger.run({ ...entry, automationId, runId, now })
    return { outcome: 'started', runId }
  }

  return function* (accountUuid, requests, now) {
    const started: StartedRun[] = []
    for (const request of requests) started.push(yield* start(accountUuid, request, now))
    return started
  }
}

/** Without a schedule, what waits for a person starts when they say so. */
function firstState({ held, waits, wakeAt }: RunRequest, now: number): { state: RunState; wakeAt: number } {
  if (held !== null) return { state: 'held', wakeAt: waits === undefined ? now : wakeAt }
  return { state: waits === undefined ? 'queued' : 'waiting', wakeAt }
}

/** A row of `run_step` that only waits until its step can be prepared. */
export const IS_PLACEHOLDER = `json_extract(effect, '$.effect.kind') = 'none'
  AND (state = 'planned' OR (state = 'failed' AND next_attempt_at IS NOT NULL))`

/** A row of `run_step` that was postponed before any attempt: see `wasPutOff` in journal.ts. */
export const IS_PUT_OFF = `(state = 'planned' AND error_class = 'moved' AND attempt = 0 AND sending_at IS NULL)`

/** The columns of a journal row, from `run_step` under the alias `s`. */
export const JOURNAL_COLUMNS = `s.step_id AS stepId, s.item_key AS itemKey, s.seq, s.state, s.attempt,
  s.client_uuid AS clientUuid, s.effect, s.result, s.error_class AS errorClass, ${selectReason(STEP_REASON, 's')} AS sentence,
  s.next_attempt_at AS nextAttemptAt, s.planned_at AS plannedAt, s.sending_at AS sendingAt, s.ended_at AS endedAt`

/** A journal row as the database returns it. `effect` and `result` hold JSON: `StoredEffect`, `StoredResult`. */
export interface StoredRow
  extends Omit<JournalRow, 'effect' | 'notes' | 'result' | 'tries' | 'released' | 'sentence' | 'receipt'> {
  effect: string
  result: string | null
  sentence: string
}

interface StoredEffect {
  effect: JournalEffect
  notes: PlanNotes | null
  /** The id of the notice in which the run counts while it goes on failing. Once that ended, it tells anew. */
  told?: string
}

interface StoredResult {
  value: JournalRow['result']
  tries: Try[]
  /** A person released it. */
  released?: true
}

export function storedEffect(effect: JournalEffect, notes: PlanNotes | null, told?: string | null): string {
  const stored: StoredEffect = { ...(told && { told }), effect, notes }
  return JSON.stringify(stored)
}

/** Null when there is nothing to store. */
export function storedResult(value: JournalRow['result'], tries: Try[], released: boolean): string | null {
  if (value === null && tries.length === 0 && !released) return null
  const stored: StoredResult = { value, tries, ...(released && { released }) }
  return JSON.stringify(stored)
}

export function journalRow({ effect, result, ...row }: StoredRow): JournalRow {
  const planned = JSON.parse(effect) as StoredEffect
  const answered: StoredResult = result === null ? { value: null, tries: [] } : (JSON.parse(result) as StoredResult)
  return {
    ...row,
    sentence: readReason(row.sentence),
    effect: planned.effect,
    notes: planned.notes,
    result: answered.value,
    tries: answered.tries,
    released: answered.released === true,
  }
}

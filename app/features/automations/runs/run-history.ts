// The history of runs for API and pages: the execution of the specification, plus the actual journal.
import type { z } from 'zod'
import { isPlainNote } from '#app/domain/automations/effect.ts'
import type { JournalEffect, JournalRow } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { reasonCode } from '#app/domain/reason.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { iso, isoOrNull } from '#app/lib/clock.ts'
import type { executionAnswer } from '../api/api-answers.ts'
import { isDeliberate } from '../rules/journal.ts'
import { resultOfStep, rowsOf, standingOf } from './run-order.ts'

/** True when the run needs a person's decision. */
export function needsPerson(run: Pick<RunRecord, 'state' | 'journal'>): boolean {
  return run.state === 'held' || run.journal.some((row) => row.state === 'unknown' || row.state === 'held')
}

/** Status as the specification names it; null until the run is done. */
export function executionStatus(
  run: Pick<RunRecord, 'state' | 'outcome' | 'journal'>,
): 'success' | 'partial' | 'failure' | null {
  if (run.state !== 'done') return null
  switch (run.outcome) {
    case 'success':
    case 'nothing':
      return 'success'
    case 'cancelled':
      return run.journal.some((row) => row.state === 'sent') ? 'partial' : 'failure'
    default:
      return run.outcome
  }
}

/** One execution, as returned by `GET /api/automation-logs` and the run call. */
export type Execution = z.output<typeof executionAnswer>
export type ExecutedAction = Execution['actionsExecuted'][number]
export type HistoryStep = Execution['steps'][number]
export type HistoryItem = HistoryStep['items'][number]

/** While the account is on hold, only that hold decides what the run waits for. */
function asHeld(run: RunRecord): RunRecord {
  return run.accountHold ? { ...run, state: 'waiting', reason: planHoldText(run.accountHold) } : run
}

export function executionOf(record: RunRecord): Execution {
  const run = asHeld(record)
  const steps = stepsOf(run)
  const status = executionStatus(run)
  const reason = run.reason && runReasonText(run.reason)
  const { description, object, manualTrigger, conditionMatching, bypassedConditions, changes, values } = run.triggerData
  return {
    id: run.id,
    automationRuleId: run.automationId,
    accountUUID: run.accountUuid,
    triggerData: { description, object, manualTrigger, conditionMatching, bypassedConditions, changes, values },
    actionsExecuted: steps.flatMap((step, index) => {
      const rows = rowsOf(run.journal, step.id)
      return rows.length === 0 ? [] : [executedAction(step, index, rows)]
    }),
    executionStatus: status,
    errorMessage: status === 'success' ? null : reason,
    createdAt: iso(run.createdAt),
    executedAt: iso(run.startedAt ?? run.createdAt),
    automationName: run.ruleName,
    automationVersion: run.version,
    source: run.source,
    state: run.state,
    outcome: run.outcome,
    reason,
    reasonCode: record.accountHold ?? reasonCode(run.reason),
    needsYou: needsPerson(run),
    object: run.object,
    recordUuids: run.recordUuids,
    groupKey: run.groupKey,
    replayOf: run.replayOf,
    startedAt: isoOrNull(run.startedAt),
    endedAt: isoOrNull(run.endedAt),
    nextAttemptAt: (run.state === 'waiting' && !run.accountHold) || run.state === 'queued' ? iso(run.wakeAt) : null,
    steps: steps.map((step, index) => historyStep(step, index, rowsOf(run.journal, step.id))),
  }
}

/** The steps of the rule; if its definition is gone, those in the journal. */
function stepsOf(run: RunRecord): Step[] {
  if (run.definition) return run.definition.steps
  const ids = [...new Set(run.journal.map((row) => row.stepId))]
  return ids.map((id) => ({ id, type: 'update_job_field', parameters: {}, waitForPrevious: false }))
}

function executedAction(step: Step, index: number, rows: JournalRow[]): ExecutedAction {
  const state = standingOf(rows)
  const bad = rows.find((row) => row.state !== 'sent' && !isDeliberate(row))
  const resolved = rows.map((row) => resolvedFields(row.effect))
  return {
    action: step.type,
    success: bad === undefined,
    parameters: step.parameters,
    result: {
      ...resultOfStep(rows),
      message: messageOf(rows),
      templateReplacements: rows.flatMap((row) =>
        (row.notes?.replacements ?? []).map((one) => ({ ...one, written: one.written ?? `{${one.variable}}` })),
      ),
      resolvedFields: Object.assign({}, ...resolved.reverse()) as Record<string, string>,
    },
    context: { stepId: step.id, sequenceOrder: index + 1, state, waitForPrevious: step.waitForPrevious },
    error: bad?.sentence ? runReasonText(bad.sentence) : null,
    errorStack: null,
  }
}

function messageOf(rows: readonly JournalRow[]): string {
  return rows
    .map((row) => (row.state === 'sent' || row.sentence === null ? row.effect.summary : runReasonText(row.sentence)))
    .filter((text, index, all) => text !== '' && all.indexOf(text) === index)
    .join(' ')
}

function historyStep(step: Step, index: number, rows: JournalRow[]): HistoryStep {
  const said = rows.flatMap((row) => row.notes?.warnings ?? [])
  return {
    stepId: step.id,
    sequenceOrder: index + 1,
    action: step.type,
    state: standingOf(rows),
    warnings: said.filter((one) => !isPlainNote(one)).map(({ sentence }) => sentence),
    notes: said.filter(isPlainNote).map(({ sentence }) => sentence),
    items: rows.map(historyItem),
  }
}

function historyItem(row: JournalRow): HistoryItem {
  return {
    key: row.itemKey,
    kind: row.effect.kind,
    effectClass: row.effect.class,
    summary: row.effect.summary,
    state: row.state,
    resolved: resolvedFields(row.effect),
    result: row.result,
    error: row.sentence && runReasonText(row.sentence),
    reasonCode: reasonCode(row.sentence),
    errorClass: row.errorClass,
    attempts: row.attempt,
    tries: row.tries.map(({ at, endedAt, outcome, sentence }) => ({
      at: iso(at),
      endedAt: iso(endedAt),
      outcome,
      sentence: sentence && runReasonText(sentence),
    })),
    plannedAt: iso(row.plannedAt),
    sendingAt: isoOrNull(row.sendingAt),
    endedAt: isoOrNull(row.endedAt),
    nextAttemptAt: isoOrNull(row.nextAttemptAt),
    receipt: row.receipt
      ? { state: row.receipt.state, at: isoOrNull(row.receipt.stateAt), lookedAt: isoOrNull(row.receipt.lookedAt) }
      : null,
    settle: row.state === 'unknown',
  }
}

/** Returns the final values of an effect by name: what was sent, and to whom. */
export function resolvedFields(effect: JournalEffect): Record<string, string> {
  switch (effect.kind) {
    case 'none':
      return {}
    case 'create_record':
    case 'update_record':
      return { ...effect.fields }
    case 'send_sms':
      return { to: effect.to, message: effect.message }
    case 'send_email': {
      const { to, cc, replyTo, subject, textBody, htmlBody, fileNames = [] } = effect
      const filled = { to, cc, replyTo, subject, textBody, htmlBody, attachments: fileNames.join(', ') }
      return Object.fromEntries(Object.entries(filled).filter(([name, value]) => name === 'to' || value !== ''))
    }
    case 'produce_document':
      return { fileName: effect.fileName, templateType: effect.templateType, outputFormat: effect.outputFormat }
    case 'post_webhook':
      return { url: effect.url, body: effect.body }
    case 'post_feed':
      return { message: effect.message }
    default:
      return assertNever(effect)
  }
}

// One run with all its events, and the actions a person can take.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import type { Execution, HistoryItem, HistoryStep } from '../runs/run-history.ts'
import { type ExecutedView, executedView, type MatchedView, matchedView, type NamedText } from './executed-view.ts'
import { type KnownRecord, type RunLine, runLine } from './run-list-view.ts'

export type StepMark = 'done' | 'failed' | 'skipped' | 'waits' | 'held' | 'unknown' | 'not_begun'

export const MARK_TEXTS: Readonly<Record<StepMark, string>> = {
  done: 'Done',
  failed: 'Failed',
  skipped: 'Skipped',
  waits: 'Waits',
  held: 'Waits for you',
  unknown: 'May have been sent',
  not_begun: 'Not begun',
}

export interface ItemView {
  key: string
  mark: StepMark
  summary: string
  /** Explains the state; null = nothing to add. */
  sentence: string | null
  /** Final texts with receivers, sent or planned. */
  went: NamedText[]
  /** The response. */
  came: NamedText[]
  tries: { at: number; ms: number; words: string; sentence: string | null }[]
  /** Next attempt, epoch ms; null = none on its own. */
  nextAt: number | null
  /** True when a person has to report the outcome. */
  settle: boolean
}

export interface StepView {
  stepId: string
  number: number
  label: string
  mark: StepMark
  warnings: string[]
  /** Useful notes that are not problems. */
  notes: string[]
  /** The step's parameters, and the values of its placeholders; null = the run has not reached this step. */
  executed: ExecutedView | null
  items: ItemView[]
}

/** Each value says what the action will do; null = not offered. */
export interface RunOffers {
  failedAgain: string | null
  allAgain: string | null
  /** With the current rule, if it has changed since. */
  today: string | null
  release: string | null
  discard: string | null
  cancel: string | null
}

export interface RunView {
  line: RunLine
  version: number
  /** The trigger, as a sentence without its end. */
  source: string
  groupKey: string | null
  changes: Execution['triggerData']['changes']
  matched: MatchedView | null
  recordUuids: string[]
  object: string
  replayOf: number | null
  startedAt: number | null
  endedAt: number | null
  steps: StepView[]
  offers: RunOffers
  /** True while the run changes on its own: keep refreshing. */
  isLive: boolean
}

/** What a repeat of the run involves: see `findRunToRepeat`. */
export interface Repeatable {
  version: number
  customerMessages: number
  rule: { version: number; deleted: boolean }
}

/** A run by hand says so in its own text. */
const SOURCES: Readonly<Record<Execution['source'], string>> = {
  webhook: 'An event at ServiceM8',
  poll: 'A look by the clock',
  manual: 'A call of its address',
  person: '',
}

function sourceText({ source, replayOf, triggerData }: Execution): string {
  const who = replayOf === null ? SOURCES[source] : 'A person asked for it once more. The first time'
  return [who, triggerData.description].filter(Boolean).join(': ') || 'A person'
}

/** Maximum records shown per list. */
const MOST_RECORDS = 20

export function runView(execution: Execution, repeatable: Repeatable | null, known: KnownRecord | null): RunView {
  const { triggerData } = execution
  return {
    line: runLine(execution, known),
    version: execution.automationVersion,
    source: sourceText(execution),
    groupKey: execution.groupKey,
    changes: triggerData.changes,
    matched: matchedView(execution),
    recordUuids: execution.recordUuids.slice(0, MOST_RECORDS),
    object: execution.object,
    replayOf: execution.replayOf,
    startedAt: moment(execution.startedAt),
    endedAt: moment(execution.endedAt),
    steps: execution.steps.map((step) => stepView(step, execution)),
    offers: offersOf(execution, repeatable),
    isLive: execution.state === 'queued' || execution.state === 'running',
  }
}

function stepView(step: HistoryStep, { actionsExecuted }: Execution): StepView {
  const executed = actionsExecuted.find(({ context }) => context.stepId === step.stepId)
  return {
    stepId: step.stepId,
    number: step.sequenceOrder,
    label: actionLabel(step.action),
    mark: step.state === 'sent' ? 'done' : step.state === 'open' ? 'waits' : step.state,
    warnings: step.warnings,
    notes: step.notes,
    executed: executed ? executedView(executed) : null,
    items: step.items.map(itemView),
  }
}

const MARKS: Readonly<Record<HistoryItem['state'], StepMark>> = {
  planned: 'waits',
  sending: 'waits',
  sent: 'done',
  failed: 'failed',
  unknown: 'unknown',
  skipped: 'skipped',
  held: 'held',
}

const TRY_TEXTS: Readonly<Record<string, string>> = {
  sent: 'Sent',
  failed: 'Failed',
  unknown: 'No clear answer',
  wait: 'Had to wait',
  verified: 'Looked, and it was done',
}

const FIELD_TEXTS: Readonly<Record<string, string>> = {
  to: 'To',
  cc: 'Copy to',
  replyTo: 'Reply to',
  subject: 'Subject',
  message: 'Message',
  textBody: 'Text',
  htmlBody: 'HTML',
  url: 'Address',
  body: 'Body',
  fileName: 'File',
  templateType: 'Template',
  outputFormat: 'Format',
}

function itemView(item: HistoryItem): ItemView {
  return {
    key: item.key,
    mark: item.state === 'failed' && item.nextAttemptAt !== null ? 'waits' : MARKS[item.state],
    summary: item.summary,
    sentence: item.error,
    went: named(item.resolved),
    came: named(item.result ?? {}),
    tries: item.tries.map(({ at, endedAt, outcome, sentence }) => ({
      at: Date.parse(at),
      ms: Date.parse(endedAt) - Date.parse(at),
      words: TRY_TEXTS[outcome] ?? outcome,
      sentence,
    })),
    nextAt: moment(item.nextAttemptAt),
    settle: item.settle,
  }
}

function named(values: Readonly<Record<string, string>>): NamedText[] {
  return Object.entries(values)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => ({ name: FIELD_TEXTS[name] ?? name, text }))
}

function offersOf(execution: Execution, repeatable: Repeatable | null): RunOffers {
  const { state, steps } = execution
  const items = steps.flatMap((step) => step.items)
  const isOver = state === 'done'
  const failed = items.filter(
    ({ state: row, errorClass }) => row === 'failed' || (row === 'skipped' && errorClass === 'previous_failed'),
  )
  const wasSent = items.some((item) => item.state === 'sent')
  const isHeld = state === 'held' || items.some((item) => item.state === 'held')
  const repeat = isOver && repeatable !== null && !repeatable.rule.deleted ? repeatable : null
  // A run held by an unclear message is settled there, not released.
  const isClear = !items.some((item) => item.state === 'unknown')
  return {
    failedAgain: failed.length > 0 && state !== 'running' ? failedAgainText(failed, wasSent) : null,
    allAgain: repeat && repeatText(repeat.customerMessages),
    today:
      repeat && repeat.rule.version !== repeat.version
        ? `${repeatText(repeat.customerMessages)} The automation was changed since (version ${repeat.version} then, ${repeat.rule.version} now): what it says today counts, and it may send other texts.`
        : null,
    release: isHeld && isClear ? releaseText(items) : null,
    discard: isHeld && isClear ? discardText(wasSent) : null,
    cancel: !isOver && !(isHeld && isClear) ? cancelText(wasSent) : null,
  }
}

function failedAgainText(failed: readonly HistoryItem[], wasSent: boolean): string {
  const what = listed(failed.map((item) => item.summary))
  const again = what === '' ? 'What failed is tried again.' : `Tried again: ${what}.`
  return wasSent ? `${again} What was done is not done again.` : again
}

function releaseText(items: readonly HistoryItem[]): string {
  const what = listed(items.filter((item) => item.state === 'held').map((item) => item.summary))
  return what === '' ? 'It begins now.' : `Goes out now: ${what}.`
}

function discardText(wasSent: boolean): string {
  return wasSent ? 'What is left is not done. What was done stays done.' : 'Nothing of it is done.'
}

function cancelText(wasSent: boolean): string {
  return wasSent ? 'Nothing more of it begins. What was done stays done.' : 'Nothing of it is done.'
}

const MOST_NAMED = 5

function listed(summaries: readonly string[]): string {
  const said = [...new Set(summaries.filter((text) => text !== ''))]
  const more = said.length - MOST_NAMED
  return `${said.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function moment(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso)
}

/** The question before a whole run is repeated. */
export function repeatText(messages: number): string {
  if (messages === 0) return 'Everything is done once more. No customer gets a message again.'
  const times = messages === 1 ? '1 message' : `${messages} messages`
  return `Everything is done once more: ${times} to customers will be sent again.`
}

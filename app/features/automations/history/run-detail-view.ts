// One run with all its events, and the actions a person can take.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import type { MessageView } from '#app/domain/automations/message-view.ts'
import { type RuleDefinition, writesToCustomers } from '#app/domain/automations/rule.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import type { RecordName } from '#app/domain/record-name.ts'
import { plural } from '#app/domain/time/moments.ts'
import { plainText } from '#app/lib/plain-text.ts'
import type { PreviewStepView } from '../preview/preview-view.ts'
import { fieldLabel, holdsIds } from '../records/fields.ts'
import { jobValueText } from '../rules/conditions/condition-text.ts'
import type { Execution, HistoryItem, HistoryStep } from '../runs/run-history.ts'
import { type ExecutedView, executedView, type MatchedView, matchedView, type NamedText } from './executed-view.ts'
import { isLive } from './log-line.ts'
import { type ReceiptView, receiptView } from './receipt-view.ts'
import { type RunLine, runLine } from './run-list-view.ts'
import type { RunStanding, StepMark } from './run-marks.ts'

export interface ItemView {
  key: string
  mark: StepMark
  summary: string
  message: MessageView | null
  /** Explains the state; null = nothing to add. */
  sentence: string | null
  /** Final texts with receivers, sent or planned. */
  went: NamedText[]
  /** The response. */
  came: NamedText[]
  tries: { at: number; ms: number; words: string; sentence: string | null }[]
  /** Next attempt, epoch ms; null = none on its own. */
  nextAt: number | null
  /** What became of a message; null = nothing was sent. */
  receipt: ReceiptView | null
  /** True when a person has to report the outcome. */
  settle: boolean
}

export interface StepView extends Pick<PreviewStepView, 'label' | 'warnings' | 'notes'> {
  stepId: string
  number: number
  mark: StepMark
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

export interface RunView extends Pick<RunRecord, 'recordUuids' | 'replayOf' | 'startedAt' | 'endedAt'> {
  line: RunLine
  /** What happened, with names: `Texted Joan Hartley · job 3128`. */
  title: string
  version: number
  /** The trigger, as a sentence without its end. */
  source: string
  groupKey: string | null
  /** `Status: "Quote" → "Completed"`; without fields that only hold ids. */
  changes: string[]
  matched: MatchedView | null
  object: string
  steps: StepView[]
  offers: RunOffers
  /** True while the run changes on its own: keep refreshing. */
  isLive: boolean
}

/** What a repeat of the run involves: see `findRunToRepeat`. `today`: the rule as it is now. */
export interface Repeatable {
  version: number
  customerMessages: number
  rule: { version: number; deleted: boolean; definition: RuleDefinition | null }
  today: RuleDefinition | null
}

/** A run by hand says so in its own text. */
const SOURCES: Readonly<Record<Execution['source'], string>> = {
  webhook: 'ServiceM8',
  poll: 'its schedule',
  manual: 'another program',
  person: '',
}

function sourceText({ source, replayOf, triggerData }: Execution): string {
  const who = replayOf === null ? SOURCES[source] : 'a person, once more'
  if (who === '') return triggerData.description || 'a person'
  return triggerData.changes.length > 0 || triggerData.description === '' ? who : `${who}: ${triggerData.description}`
}

/** Maximum records shown per list. */
const MOST_RECORDS = 20

/** `isAhead` = its scheduled time is still to come. */
export function runView(
  execution: Execution,
  repeatable: Repeatable | null,
  known: RecordName | null,
  isAhead?: boolean,
): RunView {
  const { triggerData, object } = execution
  const line = runLine(execution, known)
  return {
    line,
    title: runTitle(line, deedsOf(execution, known)),
    version: execution.automationVersion,
    source: sourceText(execution),
    groupKey: execution.groupKey,
    changes: triggerData.changes.filter(({ field }) => !holdsIds(field)).map((one) => changeText(object, one)),
    matched: matchedView(execution),
    recordUuids: execution.recordUuids.slice(0, MOST_RECORDS),
    object: execution.object,
    replayOf: execution.replayOf,
    startedAt: moment(execution.startedAt),
    endedAt: moment(execution.endedAt),
    steps: execution.steps.map((step) => stepView(step, execution)),
    offers: offersOf(execution, repeatable, isAhead),
    isLive: isLive(execution),
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
  verified: 'Checked: it was done',
}

const FIELD_TEXTS: Readonly<Record<string, string>> = {
  to: 'To',
  cc: 'Copy to',
  replyTo: 'Reply to',
  subject: 'Subject',
  message: 'Message',
  textBody: 'Text',
  htmlBody: 'HTML',
  attachments: 'Attachments',
  url: 'Address',
  body: 'Body',
  fileName: 'File',
  templateType: 'Template',
  outputFormat: 'Format',
}

function changeText(object: string, { field, from, to }: Execution['triggerData']['changes'][number]): string {
  const said = (value: string | null) => jobValueText(field, value ?? '', {}, object) ?? 'another one'
  return `${fieldLabel(object, field)}: ${said(from)} → ${said(to)}`
}

/** What the steps did or did not do, with the customer's name where the rule wrote to the record's own customer. */
function deedsOf({ steps, actionsExecuted, triggerData }: Execution, known: RecordName | null): Deed[] {
  const names = new Set(triggerData.conditionMatching?.matchedRecords.map(({ companyName }) => companyName) ?? [])
  const [only = ''] = names.size > 1 ? [] : [...names]
  return steps.map(({ stepId, action, state, items }) => {
    const receivers = new Set(items.flatMap(({ resolved }) => resolved.to ?? []))
    const [to = ''] = receivers
    const written = String(actionsExecuted.find(({ context }) => context.stepId === stepId)?.parameters.to ?? '')
    const isCustomer = items[0]?.effectClass === 'customer' && (written === '' || written.includes('{'))
    const customer = isCustomer ? only || (known?.customer ?? '') : ''
    const isEmpty = items.some(({ errorClass }) => errorClass === 'value_missing')
    return { action, state, isEmpty, to: receivers.size > 1 ? `${receivers.size} people` : customer || to }
  })
}

function messageOf({ kind, resolved }: HistoryItem): MessageView | null {
  const { subject = '', message = '', textBody = '', htmlBody = '' } = resolved
  if (kind === 'send_sms') return { channel: 'sms', subject: '', text: message }
  return kind === 'send_email' ? { channel: 'email', subject, text: textBody || plainText(htmlBody) } : null
}

function itemView(item: HistoryItem): ItemView {
  return {
    key: item.key,
    mark: item.state === 'failed' && item.nextAttemptAt !== null ? 'waits' : MARKS[item.state],
    summary: item.summary,
    message: messageOf(item),
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
    receipt: receiptView(item),
    settle: item.settle,
  }
}

function named(values: Readonly<Record<string, string>>): NamedText[] {
  return Object.entries(values)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => ({ name: FIELD_TEXTS[name] ?? name, text }))
}

function offersOf(execution: Execution, repeatable: Repeatable | null, isAhead?: boolean): RunOffers {
  const { state, steps } = execution
  const items = steps.flatMap((step) => step.items)
  const isOver = state === 'done'
  // The store has the same condition: what an empty value left out counts where a step did not begin.
  const waited = items.some(({ errorClass }) => errorClass === 'previous_failed')
  const isLeft = ({ errorClass: why }: HistoryItem) => why === 'previous_failed' || (waited && why === 'value_missing')
  const failed = items.filter((item) => item.state === 'failed' || (item.state === 'skipped' && isLeft(item)))
  const wasSent = items.some((item) => item.state === 'sent')
  const isHeld = state === 'held' || items.some((item) => item.state === 'held')
  const repeat = isOver && repeatable !== null && !repeatable.rule.deleted ? repeatable : null
  // A run held by an unclear message is settled there, not released.
  const isClear = !items.some((item) => item.state === 'unknown')
  return {
    failedAgain: failed.length > 0 && state !== 'running' ? failedAgainText(failed, wasSent) : null,
    allAgain: repeat && repeatText(repeat.customerMessages, repeat.rule.definition),
    today:
      repeat && repeat.rule.version !== repeat.version
        ? `${repeatText(repeat.customerMessages, repeat.today)} Uses version ${repeat.rule.version} of the automation instead of ${repeat.version}. Texts may differ.`
        : null,
    release: isHeld && isClear ? releaseText(items, isAhead) : null,
    discard: isHeld && isClear ? discardText(wasSent) : null,
    cancel: !isOver && !(isHeld && isClear) ? cancelText(wasSent) : null,
  }
}

function failedAgainText(failed: readonly HistoryItem[], wasSent: boolean): string {
  const leftOut = failed.some(({ errorClass }) => errorClass === 'value_missing') ? 'what an empty value left out' : ''
  const what = listed([...failed.map((item) => item.summary), leftOut])
  const again = what === '' ? 'Tries what failed again.' : `Tries again: ${what}.`
  return wasSent ? `${again} Nothing is done twice.` : again
}

function releaseText(items: readonly HistoryItem[], isAhead?: boolean): string {
  const what = listed(items.filter((item) => item.state === 'held').map((item) => item.summary))
  if (what !== '') return `Goes out now: ${what}.`
  return isAhead ? 'It starts at its scheduled time.' : 'It starts now.'
}

function discardText(wasSent: boolean): string {
  return wasSent ? 'Drops what is left. What was done stays.' : 'Drops the whole run.'
}

function cancelText(wasSent: boolean): string {
  return wasSent ? 'Stops here. What was done stays.' : 'Stops before anything is done.'
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

/** The question before a whole run is repeated. What kept its messages back then may not do so again. */
function repeatText(messages: number, definition: RuleDefinition | null): string {
  if (definition && !writesToCustomers(definition)) return 'Repeats every step. No customer gets a message again.'
  if (messages === 0) return 'Repeats every step. Customers may get a message.'
  const times = messages === 1 ? '1 message' : `${messages} messages`
  return `Repeats every step: ${times} to customers will be sent again.`
}

// ---- the title: what happened, with names ----

/** One step of the run. */
interface Deed {
  /** The action's type. */
  action: string
  state: HistoryStep['state']
  /** Left out for an empty value. */
  isEmpty?: boolean
  /** The customer, the receiver, or `3 people`; '' = nobody. */
  to: string
}

/** Each as it was done, and as it was to be done; `{to}` = the receiver. */
const DEEDS: Readonly<Record<string, readonly [string, string]>> = {
  send_sms: ['texted {to}', 'text {to}'],
  send_email: ['e-mailed {to}', 'e-mail {to}'],
  send_staff_message: ['messaged a colleague', 'message a colleague'],
  post_activity_feed: ['posted to the feed', 'post to the feed'],
  send_notification: ['notified another system', 'notify another system'],
  create_job: ['created a job', 'create a job'],
  create_task: ['created a task', 'create a task'],
  update_job_status: ['changed the status', 'change the status'],
  update_job_field: ['changed a field', 'change a field'],
  assign_to_queue: ['moved it to a queue', 'move it to a queue'],
  generate_document: ['made a document', 'make a document'],
}

/** A run in which nothing was done begins with this; the first step that did not follow. */
const OPENINGS: Readonly<Record<RunStanding, string>> = {
  failure: 'could not {deed}',
  partial: 'could not {deed}',
  unknown: 'may have {done}',
  held: 'waits for you to {deed}',
  waiting: 'waits to {deed}',
  working: 'about to {deed}',
  success: 'nothing to do',
  nothing: 'nothing to do',
  cancelled: 'cancelled',
}

export function runTitle({ job, customer, standing }: RunLine, deeds: readonly Deed[]): string {
  const done = deeds.filter(({ state }) => state === 'sent').map((deed) => wordsOf(deed, 0))
  const open = deeds.find(({ state }) => state !== 'sent' && state !== 'skipped')
  const said = done.length > 0 ? joined(done) : ''
  const isEmpty = standing === 'nothing' && deeds.some((deed) => deed.isEmpty)
  const opening = isEmpty ? 'left out: a value is empty' : openingOf(standing, open)
  const rest = done.length > 0 && standing !== 'partial' && standing !== 'unknown' ? '' : opening
  const what = [said, rest].filter(Boolean).join(', ')
  const about = deeds.some(({ to }) => to !== '' && to === customer) || customer === '' ? '' : ` · ${customer}`
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${about} · ${job.charAt(0).toLowerCase()}${job.slice(1)}`
}

function openingOf(standing: RunStanding, open: Deed | undefined): string {
  const opening = OPENINGS[standing]
  if (open === undefined) return opening.includes('{') ? 'nothing done' : opening
  return opening.replace('{deed}', () => wordsOf(open, 1)).replace('{done}', () => wordsOf(open, 0))
}

function wordsOf({ action, to }: Deed, form: 0 | 1): string {
  const label = actionLabel(action)
  const words = DEEDS[action]?.[form] ?? (form === 0 ? `did "${label}"` : `do "${label}"`)
  return words.replace('{to}', () => to || 'the customer')
}

function joined(deeds: readonly string[]): string {
  const [first = '', second] = new Set(deeds)
  if (second === undefined) return first
  const more = deeds.length - 2
  return more === 0 ? `${first} and ${second}` : `${first}, ${second} and ${plural(more, 'more step')}`
}

// One execution in "Recent Automation Logs": the customer's job first, then the result.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { objectNoun } from '../records/fields.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import type { ExecutedAction, Execution } from '../runs/run-history.ts'
import { type ExecutedView, executedView, type MatchedView, matchedView } from './executed-view.ts'
import { type ReceiptView, receiptOfRun } from './receipt-view.ts'
import { type RunStanding, STANDING_TEXTS } from './run-marks.ts'

export type LogStatus = Exclude<RunStanding, 'unknown' | 'held'> | 'needs_you'

export interface LogLine {
  id: number
  name: string
  status: LogStatus
  /** `Job 4411 · Margaret Smith`, several records counted; the trigger when no record is known. */
  about: string
  /** Explains the status; null = nothing to add. */
  reason: string | null
  /** The trigger. */
  because: string
  /** When it was set off, epoch ms. */
  at: Millis
  /** Epoch ms; null = at once when it was set off (`at`), or not yet. */
  startedAt: Millis | null
  /** The engine is at it now, or within the minute; false also for a run that waits. */
  isLive: boolean
  matched: MatchedView | null
  actions: (ExecutedView & {
    label: string
    success: boolean
    /** Before the label: `Done`, `Not done`, `Waits`, `Unclear`. */
    word: string
    message: string
    receipt: ReceiptView | null
  })[]
}

const STANDING_WORDS: Partial<Record<ExecutedAction['context']['state'], string>> = {
  unknown: 'Unclear',
  held: 'Waits',
  open: 'Waits',
  not_begun: 'Waits',
}

export const LOG_STATUS_TEXTS: Readonly<Record<LogStatus, string>> = {
  ...STANDING_TEXTS,
  needs_you: 'Needs you',
  waiting: 'Waiting',
}

export function logLine(execution: Execution, names: KnownNames = {}): LogLine {
  return {
    id: execution.id,
    name: execution.automationName,
    status: statusOf(execution),
    about: aboutOf(execution),
    reason: execution.errorMessage ?? (execution.outcome === 'success' ? null : execution.reason),
    because: execution.triggerData.description,
    ...timesOf(execution),
    isLive: isLive(execution),
    matched: matchedView(execution),
    actions: execution.actionsExecuted.map((executed) => {
      const { action, success, result, error } = executed
      return {
        ...executedView(executed, names),
        label: actionLabel(action),
        success,
        word: STANDING_WORDS[executed.context.state] ?? (success ? 'Done' : 'Not done'),
        message: success ? result.message : (error ?? result.message),
        receipt: receiptOfRun(execution.steps.find(({ stepId }) => stepId === executed.context.stepId)?.items ?? []),
      }
    }),
  }
}

export function timesOf({ createdAt, executedAt }: Execution): Pick<LogLine, 'at' | 'startedAt'> {
  const [at, startedAt] = [Date.parse(createdAt), Date.parse(executedAt)]
  return { at, startedAt: startedAt < at + minutes(1) ? null : startedAt }
}

/** The engine is at this run now, or within the minute. */
export function isLive(execution: Execution): boolean {
  return execution.state === 'running' || (execution.state === 'queued' && !startsLater(execution))
}

/** A run that collects changes, or waits for its time, is queued for up to a day. */
export function startsLater({
  state,
  nextAttemptAt,
  executedAt,
}: Pick<Execution, 'state' | 'nextAttemptAt' | 'executedAt'>) {
  return state === 'queued' && nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.parse(executedAt) + minutes(1)
}

function statusOf(execution: Execution): LogStatus {
  const { needsYou, state, outcome } = execution
  if (needsYou) return 'needs_you'
  if (state === 'waiting' || state === 'held' || startsLater(execution)) return 'waiting'
  if (state !== 'done' || outcome === null) return 'working'
  return outcome
}

function aboutOf({ triggerData, recordUuids, object }: Execution): string {
  const matched = triggerData.conditionMatching?.matchedRecords ?? []
  const [first] = matched
  const count = Math.max(recordUuids.length, matched.length)
  if (count > 1) return plural(count, objectNoun(object, 'record'))
  if (!first) return triggerData.description
  const who = [first.companyName, first.jobAddress].find((text) => text !== '')
  const what = object === 'job' ? `Job ${first.jobId}` : first.companyName || first.jobId
  return who && who !== what ? `${what} · ${who}` : what
}

// One execution in "Recent Automation Logs": the customer's job first, then the result.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import type { Execution } from '../runs/run-history.ts'
import { type ExecutedView, executedView, type MatchedView, matchedView } from './executed-view.ts'
import { type ReceiptView, receiptOfRun } from './receipt-view.ts'

export type LogStatus =
  | 'success'
  | 'partial'
  | 'failure'
  | 'nothing'
  | 'cancelled'
  | 'needs_you'
  | 'waiting'
  | 'working'

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
  /** Epoch ms. */
  at: number
  /** The engine is at it now, or will be at once; false also for a run that waits. */
  isLive: boolean
  matched: MatchedView | null
  actions: (ExecutedView & { label: string; success: boolean; message: string; receipt: ReceiptView | null })[]
}

export const LOG_STATUS_TEXTS: Readonly<Record<LogStatus, string>> = {
  success: 'Success',
  partial: 'Partial',
  failure: 'Failure',
  nothing: 'Nothing to do',
  cancelled: 'Cancelled',
  needs_you: 'Needs you',
  waiting: 'Waiting',
  working: 'Running',
}

export function logLine(execution: Execution): LogLine {
  return {
    id: execution.id,
    name: execution.automationName,
    status: statusOf(execution),
    about: aboutOf(execution),
    reason: execution.errorMessage ?? (execution.outcome === 'success' ? null : execution.reason),
    because: execution.triggerData.description,
    at: Date.parse(execution.executedAt),
    isLive: isLive(execution),
    matched: matchedView(execution),
    actions: execution.actionsExecuted.map((executed) => {
      const { action, success, result, error } = executed
      return {
        ...executedView(executed),
        label: actionLabel(action),
        success,
        message: success ? result.message : (error ?? result.message),
        receipt: receiptOfRun(execution.steps.find(({ stepId }) => stepId === executed.context.stepId)?.items ?? []),
      }
    }),
  }
}

/** The engine is at this run now, or will be at once. */
export function isLive({ state }: Execution): boolean {
  return state === 'queued' || state === 'running'
}

function statusOf({ needsYou, state, outcome }: Execution): LogStatus {
  if (needsYou) return 'needs_you'
  if (state === 'waiting' || state === 'held') return 'waiting'
  if (state !== 'done' || outcome === null) return 'working'
  return outcome
}

function aboutOf({ triggerData, recordUuids, object }: Execution): string {
  const matched = triggerData.conditionMatching?.matchedRecords ?? []
  const [first] = matched
  const count = Math.max(recordUuids.length, matched.length)
  if (count > 1) return `${count} records`
  if (!first) return triggerData.description
  const who = [first.companyName, first.jobAddress].find((text) => text !== '')
  const what = object === 'job' ? `Job ${first.jobId}` : first.companyName || first.jobId
  return who && who !== what ? `${what} · ${who}` : what
}

// Messages shown after "Run Now".
import type { Execution } from '../runs/run-history.ts'

export const NOT_RUN_YET = 'Automation not run yet'

/** True when the run has not started and will not on its own: the account is on hold, and the reason says why. */
export function isHeldBack({ state, startedAt, nextAttemptAt, reason }: Execution): boolean {
  return state === 'waiting' && startedAt === null && nextAttemptAt === null && reason !== null
}

/** Result of "Run Now". */
export interface RanNowFacts {
  /** New and existing runs, at most a few of each. */
  executions: Execution[]
  started: number
  /** Runs the same press made a moment ago; they are the result. */
  repeated: number
  /** Matching records that were skipped; null = none. */
  handled: { count: number; why: string } | null
}

/** Why matching records are skipped: `runId` null = matched already when the rule was switched on. */
export function handledText(handled: readonly { runId: number | null }[]): string {
  const before = handled.filter(({ runId }) => runId !== null).length
  const present = handled.length - before
  const said = [
    before > 0 ? `${records(before)} handled before` : '',
    present > 0 ? `${records(present)} there when the automation was switched on` : '',
  ].filter((part) => part !== '')
  return `${said.join(', and ')}.`
}

/** The same, in the question whether to run it again. */
export function ranBeforeText(handled: readonly { runId: number | null }[], object: string): string {
  if (handled.some(({ runId }) => runId === null)) return handledText(handled)
  const noun = object === 'job' ? 'job' : 'record'
  return handled.length === 1 ? `Already ran for this ${noun}.` : `Already ran for these ${handled.length} ${noun}s.`
}

function records(count: number): string {
  return count === 1 ? '1 record was' : `${count} records were`
}

const RAN_A_MOMENT_AGO = 'This ran a moment ago. It was not run again.'

export function ranNowText({ executions, started, repeated, handled }: RanNowFacts): string {
  if (started === 0) {
    if (repeated > 0) return RAN_A_MOMENT_AGO
    return handled ? `Nothing new: ${handled.why}` : 'Nothing new: there was nothing left to do.'
  }
  const first = executions[0]
  if (first && isHeldBack(first)) {
    return `${NOT_RUN_YET}: ${started === 1 ? 'the run waits' : `${started} runs wait`}. ${first.reason}.`
  }
  return started > 1
    ? `Automation executed: ${started} runs started. The logs show what each of them did.`
    : onlyRunWords(first)
}

function onlyRunWords(run: Execution | undefined): string {
  switch (run?.executionStatus) {
    case 'success':
      return run.outcome === 'nothing' ? 'Automation executed: there was nothing to do.' : 'Automation executed'
    case 'partial':
      return `Automation executed in part: ${run.errorMessage ?? 'one of its actions failed.'}`
    case 'failure':
      return `The automation failed: ${run.errorMessage ?? 'no action could be done.'}`
    default:
      return run?.reason ? `Automation started: ${run.reason}` : 'Automation started. It is still at work.'
  }
}

// What a person reads after "Run Now".
import type { Execution } from './run-history.ts'

export const NOT_RUN_YET = 'Automation not run yet'

/** Not begun, and nothing that would go on by itself: nothing is done for the account at all, and its reason says why. */
export function isHeldBack({ state, startedAt, nextAttemptAt, reason }: Execution): boolean {
  return state === 'waiting' && startedAt === null && nextAttemptAt === null && reason !== null
}

export function ranNowWords(ran: { executions: readonly Execution[]; started: number; doneBefore: number }): string {
  const { executions, started, doneBefore } = ran
  if (started === 0) {
    return doneBefore > 0
      ? 'Nothing new: every record that matches was handled before.'
      : 'Nothing new: there was nothing left to do.'
  }
  const first = executions[0]
  if (first && isHeldBack(first)) {
    return `${NOT_RUN_YET}: ${started === 1 ? 'the run waits' : `${started} runs wait`}. ${first.reason}.`
  }
  if (started > 1) return `Automation executed: ${started} runs started. The logs show what each of them did.`
  switch (first?.executionStatus) {
    case 'success':
      return first.outcome === 'nothing' ? 'Automation executed: there was nothing to do.' : 'Automation executed'
    case 'partial':
      return `Automation executed in part: ${first.errorMessage ?? 'one of its actions failed.'}`
    case 'failure':
      return `The automation failed: ${first.errorMessage ?? 'no action could be done.'}`
    default:
      return first?.reason ? `Automation started: ${first.reason}` : 'Automation started. It is still at work.'
  }
}

// What a person reads after "Run Now".
import type { Execution } from './run-history.ts'

export function ranNowWords(ran: { executions: readonly Execution[]; started: number; doneBefore: number }): string {
  const { executions, started, doneBefore } = ran
  if (started === 0) {
    return doneBefore > 0
      ? 'Nothing new: every record that matches was handled before.'
      : 'Nothing new: there was nothing left to do.'
  }
  const first = executions[0]
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

// The options the store needs to record attempts, and the feedback for the scheduler.
import type { AttemptOutcome } from '#app/domain/deliveries/delivery.ts'
import type { AttemptReport, SettledAttempt, SettleOptions } from '#db/store/deliveries.ts'
import { DELIVERED_BY_ANOTHER, nextStep, STOPPED_BY_RECEIVER } from './delivery.ts'
import { type Gate, gateOf } from './endpoint-health.ts'

/** `random`: 0 to below 1, for the jitter of retries. */
export function settleOptions(random: () => number): SettleOptions {
  return {
    decide: (report: AttemptReport, verdict, endpoint, moved) =>
      nextStep(report.job, endpoint, verdict, { now: report.endedAt, random, probe: report.probe, moved }),
    reasons: { deliveredByAnother: DELIVERED_BY_ANOTHER, stopped: STOPPED_BY_RECEIVER },
  }
}

/** Removes the receivers' answers from reports: when storage is nearly full, the sentence must be enough. */
export function withoutSnippets(reports: AttemptReport[]): AttemptReport[] {
  return reports.map((report) =>
    report.result.kind === 'sent' && report.result.responseBody !== null
      ? { ...report, result: { ...report.result, responseBody: null } }
      : report,
  )
}

/** Tells the scheduler whether the attempt succeeded, and whether and when more may follow. */
export function paceOf(settled: SettledAttempt): { id: number; dueAt: number | null; result: Pace; gate: Gate } {
  const { deliveryId, dueAt, outcome, moved, endpoint } = settled
  return { id: deliveryId, dueAt, result: resultOf(outcome, moved), gate: gateOf(endpoint) }
}

type Pace = 'success' | 'failure' | 'slow_down' | 'none' | 'unsent'

/** `outcome` is null when nothing was tried. */
function resultOf(outcome: AttemptOutcome | null, moved: boolean): Pace {
  if (outcome === null) return 'unsent'
  if (moved || outcome === 'internal') return 'none'
  if (outcome === 'delivered') return 'success'
  return outcome === 'rate_limited' ? 'slow_down' : 'failure'
}

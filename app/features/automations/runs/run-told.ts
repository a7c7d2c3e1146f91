// What the end of a run tells its owner: a trouble, or that the rule works. The same step that fails for the same reason
// is the same trouble, however often.
import { actionSpec } from '#app/domain/automations/action-parameters.ts'
import type { JournalRow } from '#app/domain/automations/journal-row.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import type { RunOutcome } from '#app/domain/automations/run.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { ToldByRun } from '#app/domain/notices/notice.ts'
import { type Reason, reasonCode } from '#app/domain/reason.ts'
import { noticeReason } from '#app/features/notices/notice-reasons.ts'

/** `reason`: why the run as a whole ended, for one without steps. What may have been sent waits for a person instead. */
export function toldByRun(
  outcome: RunOutcome,
  reason: Reason | null,
  steps: readonly Step[],
  journal: readonly JournalRow[],
): ToldByRun {
  if (outcome === 'success') return 'works'
  if (outcome !== 'failure' && outcome !== 'partial') return null
  const row = journal.find(({ state }) => state === 'failed')
  if (!row) return journal.length === 0 ? trouble(0, '', 'run', reason) : null
  const place = steps.findIndex(({ id }) => id === row.stepId)
  const step = steps[place]
  return trouble(place + 1, step ? actionSpec(step.type).label : row.stepId, row.errorClass ?? 'other', row.sentence)
}

function trouble(step: number, action: string, errorClass: string, reason: Reason | null): ToldByRun {
  const why = reasonCode(reason) ?? errorClass
  const said = reason === null ? null : runReasonText(reason).slice(0, 500)
  return {
    fingerprint: `failing:${step}:${why}`,
    reason: noticeReason('run_failed', { step, action, why: errorClass, said }),
  }
}

// Encodes what a person saw before "Run for real" as a text. The button sends it back, so the run does only what was
// shown.
import type { App } from '#app/context/app-context.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { todayOf } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { type Execution, executionOf } from '../runs/run-history.ts'
import { APPROVED_PARTS, type ApprovedPart } from './ask-run.ts'
import { type PreviewApp, previewRun } from './preview.server.ts'
import type { PreviewedStep } from './preview.ts'

type ApprovalApp = PreviewApp & Pick<App, 'planning'>

export interface RequestShown {
  request: RunRequest
  execution: Execution
  preview: { steps: PreviewedStep[]; customerMessages: number; credits: number }
}

type Shown<Of> = { outcome: 'shown'; shown: Of } | { outcome: 'not_possible'; message: string }

/** Runs shown with their texts; the rest are only counted. */
const MOST_SHOWN = 10

/** Previews one run; `at` = as of another time than now. */
export async function showRequest(
  app: ApprovalApp,
  rule: AutomationRow,
  request: RunRequest,
  at: Millis | null = null,
): Promise<Shown<RequestShown>> {
  const { clock } = app
  const then = at === null ? app : { ...app, clock: { now: () => at, wake: clock.wake.bind(clock) } }
  const preview = await previewRun(then, app.planning, {
    accountUuid: rule.accountUuid,
    automation: { id: rule.id, name: rule.name, version: rule.version },
    definition: rule.definition,
    object: request.object,
    recordUuids: [...request.recordUuids],
    groupKey: request.groupKey,
    triggerData: request.triggerData,
  })
  if (preview.outcome === 'not_possible')
    return { outcome: 'not_possible', message: runReasonText(preview.why.sentence) }
  const { steps, customerMessages, credits, run } = preview
  return {
    outcome: 'shown',
    shown: { request, execution: executionOf(run), preview: { steps, customerMessages, credits } },
  }
}

/** Previews the first runs, all as of one moment, and returns the approval text for all of them. */
export async function showRequests(
  app: ApprovalApp,
  rule: AutomationRow,
  requests: readonly RunRequest[],
  at: Millis = app.clock.now(),
): Promise<Shown<{ runs: RequestShown[]; approval: string }>> {
  const runs: RequestShown[] = []
  for (const request of requests.slice(0, MOST_SHOWN)) {
    const one = await showRequest(app, rule, request, at)
    if (one.outcome === 'not_possible') return one
    runs.push(one.shown)
  }
  return { outcome: 'shown', shown: { runs, approval: approvalOf(rule, requests, runs, at) } }
}

/** Returns the first part that differs from what was shown; null = none. `not_possible` as in `showRequests`. */
export async function changedSince(
  app: ApprovalApp,
  rule: AutomationRow,
  requests: readonly RunRequest[],
  seen: string,
): Promise<Shown<ApprovedPart | null>> {
  const now = await showRequests(app, rule, requests, await shownAt(app, rule, seen))
  if (now.outcome === 'not_possible') return now
  const [before, after] = [seen.split('.'), now.shown.approval.split('.')]
  return { outcome: 'shown', shown: APPROVED_PARTS.find((_, index) => before[index + 1] !== after[index + 1]) ?? null }
}

/**
 * Returns when it was shown, if that was today: times to the second ("until", "date") are no change, another day is.
 * Otherwise now.
 */
async function shownAt(app: ApprovalApp, { accountUuid }: AutomationRow, seen: string): Promise<Millis> {
  const at = Number(seen.split('.')[0])
  const now = app.clock.now()
  if (!Number.isSafeInteger(at) || at <= 0 || at > now) return now
  const zone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  return todayOf({ now: at, zone }) === todayOf({ now, zone }) ? at : now
}

/** The time, then a hash for each of `APPROVED_PARTS`. Leaves out guard verdicts, as every message changes them. */
function approvalOf(
  { version }: AutomationRow,
  requests: readonly RunRequest[],
  runs: readonly RequestShown[],
  at: Millis,
): string {
  const messages: unknown[] = []
  const others: unknown[] = []
  for (const { stepId, action, outcome, effects } of runs.flatMap(({ preview }) => preview.steps)) {
    others.push([stepId, action, outcome])
    for (const { guard: _, ...effect } of effects) (effect.channel === null ? others : messages).push([stepId, effect])
  }
  const records = requests.map(({ groupKey, recordUuids }) => [groupKey, recordUuids])
  return [at, ...[records, messages, others, version].map((part) => hashToken(JSON.stringify(part)))].join('.')
}

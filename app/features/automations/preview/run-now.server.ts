// "Run Now", "Run Anyway", Check Mode and Preview: runs that a person requests by hand.
import type { App } from '#app/context/app-context.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { DoneFiring } from '#db/store/triggers.ts'
import type { RecordFacts } from '../records/facts.ts'
import type { FailedCondition } from '../rules/conditions/conditions.ts'
import { findExecution } from '../runs/run-history.server.ts'
import type { EvaluateApp } from '../triggers/evaluate.server.ts'
import { type MatchedNow, matchNow, type NowPlan, planNow, type RunNowRequest } from '../triggers/plan-now.server.ts'
import { changedSince, showRequest } from './approval.server.ts'
import type { ApprovedPart } from './ask-run.ts'
import type { Previewed } from './preview-view.ts'
import { handledText, type RanNowFacts } from './run-now-text.ts'

export type RunNowApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'secrets' | 'settings' | 'callAsAccount' | 'planning' | 'wakeRuns' | 'whenRunSettles'
>

interface RunRequested extends RunNowRequest {
  /** Only previews the run. */
  pretend: boolean
  /** The preview a person approved, as in `showRequests`; null = nothing was shown. */
  seen: string | null
}

type Matched = Extract<MatchedNow, { outcome: 'matched' }>

export interface NotMet {
  outcome: 'conditions_not_met'
  message: string
  failed: FailedCondition[]
  /** The requested record; null = none requested, this is the newest that fails. */
  record: RecordFacts | null
}

/** `message` of `unavailable`: the platform's own words, or ours. */
export type NothingToRun = { outcome: 'no_record' | 'unavailable'; message: string }

type RanNow =
  | ({ outcome: 'ran' } & RanNowFacts)
  /** The run would differ from the preview the person saw. */
  | { outcome: 'changed'; part: ApprovedPart }
  | ({ outcome: 'previewed' } & Previewed)
  | NotMet
  | NothingToRun

const CONDITIONS_NOT_MET = 'No record meets the conditions of this automation.'
export const NO_RECORDS = 'There is no record to act on.'

/** How long a person waits for the result; a longer run continues and is in the history. */
const WAITS = seconds(10)
/** Two clicks within this time count as one. */
const SAME_WISH = seconds(10)
/** Runs to wait for and show; the others are in the history. */
const MOST_SHOWN = 5

export async function runNow(app: RunNowApp, rule: AutomationRow, requested: RunRequested): Promise<RanNow> {
  const parts: EvaluateApp = { ...app, facts: app.planning.facts }
  const matched = await matchedFor(parts, rule, requested)
  if (matched.outcome !== 'matched') return matched
  if (requested.pretend) return pretend(app, rule, matched, await firstOf(parts, rule, matched, requested))
  const plan = await planNow(parts, rule, matched, requested)
  const { seen } = requested
  // With nothing left to do, it was a double click, or another person was faster: report that instead.
  if (seen !== null && !(await isPressedAgain(app, rule, plan, requested))) {
    const since = await changedSince(app, rule, plan.requests, seen)
    if (since.outcome === 'not_possible') return { outcome: 'unavailable', message: since.message }
    if (since.shown !== null) return { outcome: 'changed', part: since.shown }
  }
  return start(app, rule, plan, requested)
}

/** Returns what the rule would act on now, or why it would not. */
export async function matchedFor(
  app: EvaluateApp,
  rule: AutomationRow,
  requested: RunNowRequest,
): Promise<Matched | NotMet | NothingToRun> {
  const matched = await matchNow(app, rule, requested)
  if (matched.outcome === 'failed') return { outcome: 'unavailable', message: matched.failure.message }
  if (matched.outcome !== 'nothing') return matched
  const { total, failed, record } = matched
  return requested.bypassConditions || total === 0
    ? { outcome: 'no_record', message: NO_RECORDS }
    : { outcome: 'conditions_not_met', message: CONDITIONS_NOT_MET, failed, record }
}

/** True when the same press started all of it a moment ago: then its changes do not count. */
async function isPressedAgain(
  app: RunNowApp,
  rule: AutomationRow,
  plan: NowPlan,
  requested: RunRequested,
): Promise<boolean> {
  for (const request of plan.requests) {
    const { accountUuid, id } = rule
    if ((await app.store.runs.findStartedRun(accountUuid, id, keyOf(request, requested), app.clock.now())) === null)
      return false
  }
  return true
}

/** A preview shows the first run, even for records handled before. */
async function firstOf(
  app: EvaluateApp,
  rule: AutomationRow,
  matched: Matched,
  requested: RunRequested,
): Promise<RunRequest | null> {
  const { requests } = await planNow(app, rule, matched, requested)
  const [first] =
    requests.length > 0
      ? requests
      : (await planNow(app, rule, matched, { ...requested, includeHandled: true })).requests
  return first ?? null
}

async function start(app: RunNowApp, rule: AutomationRow, plan: NowPlan, requested: RunRequested): Promise<RanNow> {
  const { accountUuid, id } = rule
  const now = app.clock.now()
  const started: number[] = []
  const repeated = new Set<number>()
  const handled = [...plan.handled]
  for (const { request, answer } of await startEach(app, accountUuid, plan.requests, requested, now)) {
    if (answer.outcome === 'started') started.push(answer.runId)
    else if (answer.outcome === 'repeated') repeated.add(answer.runId)
    // Another request was faster: find the runs of these records.
    else handled.push(...(await app.store.triggers.doneBefore(accountUuid, id, request.ledger)).values())
  }
  // A press a moment ago counts as the same one.
  const isSamePress = ({ runId, at }: DoneFiring) => runId !== null && now - at < SAME_WISH
  for (const { runId } of handled.filter(isSamePress)) if (runId !== null) repeated.add(runId)
  const before = handled.filter((one) => !isSamePress(one))
  app.log.info({ account: accountUuid, automation: id, started: started.length }, 'automation.run_now')
  app.wakeRuns()
  const shown = [...started, ...repeated].slice(0, MOST_SHOWN)
  await Promise.all(shown.map((runId) => app.whenRunSettles(accountUuid, runId, WAITS)))
  const executions = await Promise.all(shown.map((runId) => findExecution(app, accountUuid, runId)))
  return {
    outcome: 'ran',
    executions: executions.filter((one) => one !== null),
    started: started.length,
    repeated: repeated.size,
    handled: before.length === 0 ? null : { count: before.length, why: handledText(before) },
  }
}

/** Starts several runs of a tick in one write; the ledger catches repeats. Others go first, each with a key. */
async function startEach(
  { store }: RunNowApp,
  accountUuid: string,
  requests: readonly RunRequest[],
  requested: RunRequested,
  now: Millis,
): Promise<{ request: RunRequest; answer: Awaited<ReturnType<typeof store.runs.startRunOnce>> }[]> {
  const ticked = requests.filter(({ ledger, again }) => ledger.length > 0 && !again)
  const batch = ticked.length > 1 ? ticked : []
  const started = []
  for (const request of requests.filter((one) => !batch.includes(one))) {
    const keys = [{ key: keyOf(request, requested), expiresAt: now + SAME_WISH }]
    started.push({ request, answer: await store.runs.startRunOnce(accountUuid, request, keys, now) })
  }
  const answers = await store.runs.startRuns(accountUuid, batch, now)
  return [
    ...started,
    ...batch.flatMap((request, index) => (answers[index] ? [{ request, answer: answers[index] }] : [])),
  ]
}

function keyOf(request: RunRequest, { bypassConditions, includeHandled }: RunRequested): string {
  const how = `${bypassConditions ? 'any' : 'met'}${includeHandled ? ':again' : ''}`
  return `person:${how}|${request.groupKey ?? ''}|${request.recordUuids.join(',')}`.slice(0, 500)
}

async function pretend(
  app: RunNowApp,
  rule: AutomationRow,
  matched: Matched,
  request: RunRequest | null,
): Promise<RanNow> {
  if (!request) return { outcome: 'no_record', message: NO_RECORDS }
  const one = await showRequest(app, rule, request)
  if (one.outcome === 'not_possible') return { outcome: 'unavailable', message: one.message }
  const { execution, preview } = one.shown
  return {
    outcome: 'previewed',
    execution,
    preview: { ...preview, matched: matched.records.length, total: matched.total },
  }
}

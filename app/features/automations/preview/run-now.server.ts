// "Run Now", "Run Anyway", Check Mode and Preview: what a person asks of a rule by hand.
import type { App } from '#app/context/app-context.ts'
import type { RunWish } from '#app/domain/automations/run.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { DoneFiring } from '#db/store/triggers.ts'
import type { RecordFacts } from '../records/facts.ts'
import type { FailedCondition } from '../rules/conditions/conditions.ts'
import { findExecution } from '../runs/run-history.server.ts'
import type { Execution } from '../runs/run-history.ts'
import type { LookApp } from '../triggers/evaluate.server.ts'
import { type MatchedNow, matchNow } from '../triggers/match-now.server.ts'
import { type NowPlan, type NowWished, planNow } from '../triggers/plan-now.server.ts'
import { changedSince, showWish } from './approval.server.ts'
import type { ApprovedPart } from './ask-run.ts'
import type { Preview } from './preview.server.ts'
import { handledWords, type RanNowFacts } from './run-now-text.ts'

export type RunNowApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'secrets' | 'settings' | 'callAsAccount' | 'planning' | 'wakeRuns' | 'whenRunSettles'
>

interface RunWished extends NowWished {
  /** Only shows what would happen. */
  pretend: boolean
  /** What a person was shown and agreed to, as `showWishes` has it; null = nobody was shown anything. */
  seen: string | null
}

interface Previewed {
  steps: Extract<Preview, { outcome: 'previewed' }>['steps']
  customerMessages: number
  credits: number
  /** Records the rule would act on, and of how many. */
  matched: number
  total: number
}

type Matched = Extract<MatchedNow, { outcome: 'matched' }>

export interface NotMet {
  outcome: 'conditions_not_met'
  message: string
  failed: FailedCondition[]
  /** The record that was asked for; null = none was, it is the newest that fails. */
  record: RecordFacts | null
}

/** `message` of `unavailable`: the platform's own words, or ours. */
export type NothingToRun = { outcome: 'no_record' | 'unavailable'; message: string }

type RanNow =
  | ({ outcome: 'ran' } & RanNowFacts)
  /** What would be done is no longer what the person was shown. */
  | { outcome: 'changed'; part: ApprovedPart }
  | { outcome: 'previewed'; execution: Execution; preview: Previewed }
  | NotMet
  | NothingToRun

const CONDITIONS_NOT_MET = 'No record meets the conditions of this automation.'
export const NO_RECORDS = 'There is no record to act on.'

/** A person waits this long for the outcome; what takes longer goes on and is in the history. */
const WAITS = seconds(10)
/** A click twice is one wish. */
const SAME_WISH = seconds(10)
/** Runs whose outcome is waited for and shown; the others are in the history. */
const MOST_SHOWN = 5

export async function runNow(app: RunNowApp, rule: AutomationRow, wished: RunWished): Promise<RanNow> {
  const look: LookApp = { ...app, facts: app.planning.facts }
  const matched = await matchedFor(look, rule, wished)
  if (matched.outcome !== 'matched') return matched
  if (wished.pretend) return pretend(app, rule, matched, await firstOf(look, rule, matched, wished))
  const plan = await planNow(look, rule, matched, wished)
  const { seen } = wished
  // With nothing left to do it was pressed twice, or somebody was quicker: that is told as it is.
  if (seen !== null && !(await isPressedAgain(app, rule, plan, wished))) {
    const since = await changedSince(app, rule, plan.wishes, seen)
    if (since.outcome === 'not_possible') return { outcome: 'unavailable', message: since.message }
    if (since.shown !== null) return { outcome: 'changed', part: since.shown }
  }
  return start(app, rule, plan, wished)
}

/** What the rule would act on at this moment, or why it would not. */
export async function matchedFor(
  app: LookApp,
  rule: AutomationRow,
  wished: NowWished,
): Promise<Matched | NotMet | NothingToRun> {
  const matched = await matchNow(app, rule, wished)
  if (matched.outcome === 'failed') return { outcome: 'unavailable', message: matched.failure.message }
  if (matched.outcome !== 'nothing') return matched
  const { total, failed, record } = matched
  return wished.bypassConditions || total === 0
    ? { outcome: 'no_record', message: NO_RECORDS }
    : { outcome: 'conditions_not_met', message: CONDITIONS_NOT_MET, failed, record }
}

/** True when all of it was begun by the same press a moment ago: what that changed is no news. */
async function isPressedAgain(app: RunNowApp, rule: AutomationRow, plan: NowPlan, wished: RunWished): Promise<boolean> {
  for (const wish of plan.wishes) {
    const { accountUuid, id } = rule
    if ((await app.store.runs.findStartedRun(accountUuid, id, keyOf(wish, wished), app.clock.now())) === null)
      return false
  }
  return true
}

/** A preview shows the first run that would be made, whatever was handled before. */
async function firstOf(
  app: LookApp,
  rule: AutomationRow,
  matched: Matched,
  wished: RunWished,
): Promise<RunWish | null> {
  const { wishes } = await planNow(app, rule, matched, wished)
  const [first] =
    wishes.length > 0 ? wishes : (await planNow(app, rule, matched, { ...wished, includeHandled: true })).wishes
  return first ?? null
}

async function start(app: RunNowApp, rule: AutomationRow, plan: NowPlan, wished: RunWished): Promise<RanNow> {
  const { accountUuid, id } = rule
  const now = app.clock.now()
  const started: number[] = []
  const repeated = new Set<number>()
  const handled = [...plan.handled]
  for (const { wish, answer } of await startEach(app, accountUuid, plan.wishes, wished, now)) {
    if (answer.outcome === 'started') started.push(answer.runId)
    else if (answer.outcome === 'repeated') repeated.add(answer.runId)
    // Somebody was quicker: which run has its records.
    else handled.push(...(await app.store.triggers.doneBefore(accountUuid, id, wish.ledger)).values())
  }
  // A press a moment ago is the same one.
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
    handled: before.length === 0 ? null : { count: before.length, why: handledWords(before) },
  }
}

/** Many of a tick are written at once: the ledger knows them. The others are known by the wish itself, and come first. */
async function startEach(
  { store }: RunNowApp,
  accountUuid: string,
  wishes: readonly RunWish[],
  wished: RunWished,
  now: Millis,
): Promise<{ wish: RunWish; answer: Awaited<ReturnType<typeof store.runs.startRunOnce>> }[]> {
  const ticked = wishes.filter(({ ledger, again }) => ledger.length > 0 && !again)
  const batch = ticked.length > 1 ? ticked : []
  const started = []
  for (const wish of wishes.filter((one) => !batch.includes(one))) {
    const keys = [{ key: keyOf(wish, wished), expiresAt: now + SAME_WISH }]
    started.push({ wish, answer: await store.runs.startRunOnce(accountUuid, wish, keys, now) })
  }
  const answers = await store.runs.startRuns(accountUuid, batch, now)
  return [...started, ...batch.flatMap((wish, index) => (answers[index] ? [{ wish, answer: answers[index] }] : []))]
}

function keyOf(wish: RunWish, { bypassConditions, includeHandled }: RunWished): string {
  const how = `${bypassConditions ? 'any' : 'met'}${includeHandled ? ':again' : ''}`
  return `person:${how}|${wish.groupKey ?? ''}|${wish.recordUuids.join(',')}`.slice(0, 500)
}

async function pretend(app: RunNowApp, rule: AutomationRow, matched: Matched, wish: RunWish | null): Promise<RanNow> {
  if (!wish) return { outcome: 'no_record', message: NO_RECORDS }
  const one = await showWish(app, rule, wish)
  if (one.outcome === 'not_possible') return { outcome: 'unavailable', message: one.message }
  const { execution, preview } = one.shown
  return {
    outcome: 'previewed',
    execution,
    preview: { ...preview, matched: matched.records.length, total: matched.total },
  }
}

// "Run Now", "Run Anyway", Check Mode and Preview: what a person asks of a rule by hand.
import type { App } from '#app/app-context.ts'
import { seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { namedRecord } from './changes.ts'
import type { FailedCondition } from './conditions.ts'
import type { RecordFacts } from './facts.ts'
import { askFirst, type LookApp } from './look.server.ts'
import { type MatchedNow, matchNow, wishesNow } from './match-now.server.ts'
import { type Preview, previewRun } from './preview.server.ts'
import type { RunWish, TriggerData } from './run.ts'
import { findExecution } from './run-history.server.ts'
import { type Execution, executionOf } from './run-history.ts'

export type RunNowApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'secrets' | 'settings' | 'callAsAccount' | 'planning' | 'wakeRuns' | 'whenRunSettles'
>

export interface RunWished {
  bypassConditions: boolean
  /** Only shows what would happen. */
  pretend: boolean
  recordUuid: string | null
}

export interface Previewed {
  steps: Extract<Preview, { outcome: 'previewed' }>['steps']
  customerMessages: number
  credits: number
  /** Records the rule would act on, and of how many. */
  matched: number
  total: number
}

export type RanNow =
  | { outcome: 'ran'; executions: Execution[]; started: number; doneBefore: number }
  | { outcome: 'previewed'; execution: Execution; preview: Previewed }
  | { outcome: 'conditions_not_met'; message: string; failed: FailedCondition[] }
  | { outcome: 'no_record'; message: string }
  /** The platform's own words, or ours. */
  | { outcome: 'unavailable'; message: string }

const NOT_MET = 'No record meets the conditions of this automation.'
const NO_RECORDS = 'There is no record to act on.'

/** A person waits this long for the outcome; what takes longer goes on and is in the history. */
const WAITS = seconds(10)
/** A click twice is one wish. */
const SAME_WISH = seconds(10)
/** Runs whose outcome is waited for and shown; the others are in the history. */
const MOST_SHOWN = 5

export async function runNow(app: RunNowApp, rule: AutomationRow, wished: RunWished): Promise<RanNow> {
  const look: LookApp = { ...app, facts: app.planning.facts }
  const matched = await matchNow(look, rule, wished)
  if (matched.outcome === 'failed') return { outcome: 'unavailable', message: matched.failure.message }
  if (matched.outcome === 'no_record') return matched
  if (matched.outcome === 'nothing') {
    return wished.bypassConditions || matched.total === 0
      ? { outcome: 'no_record', message: NO_RECORDS }
      : { outcome: 'conditions_not_met', message: NOT_MET, failed: matched.failed }
  }
  const wishes = await wishesFor(look, rule, matched, wished)
  return wished.pretend ? pretend(app, rule, matched, wishes) : start(app, rule, wishes, wished, matched.records.length)
}

async function wishesFor(
  app: LookApp,
  rule: AutomationRow,
  matched: Extract<MatchedNow, { outcome: 'matched' }>,
  wished: RunWished,
): Promise<RunWish[]> {
  const { trigger } = rule.definition
  const byHand = wished.bypassConditions || wished.recordUuid !== null || wished.pretend
  if (trigger.source === 'api_polling' && !byHand) return wishesNow(app, rule, trigger, matched)
  // A preview shows the first run that would be made; a person's own choice of a record is held back by no ledger.
  if (trigger.source === 'api_polling' && wished.pretend && wished.recordUuid === null && !wished.bypassConditions) {
    const all = await wishesNow(app, rule, trigger, matched)
    const first = all[0] ?? (await oneWish(app, rule, matched, matched.records.slice(0, 1), wished))
    return [{ ...first, ledger: [] }]
  }
  return [await oneWish(app, rule, matched, matched.records.slice(0, 1), wished)]
}

async function oneWish(
  app: Pick<LookApp, 'clock' | 'facts'>,
  rule: AutomationRow,
  matched: Extract<MatchedNow, { outcome: 'matched' }>,
  records: readonly RecordFacts[],
  wished: RunWished,
): Promise<RunWish> {
  const customers = await app.facts.customerNames(rule.accountUuid, records)
  return {
    automationId: rule.id,
    version: rule.version,
    source: 'person',
    object: matched.object,
    recordUuids: records.map((facts) => facts.recordUuid),
    groupKey: null,
    triggerData: {
      description: wished.bypassConditions ? 'Run by a person, past the conditions' : 'Run by a person',
      object: matched.object,
      manualTrigger: true,
      conditionMatching: {
        totalRecords: matched.total,
        matchedRecords: records.map((facts) => namedRecord(facts, customers)),
      },
      values: manualValues(rule, records[0]),
      bypassedConditions: wished.bypassConditions,
      changes: [],
    } satisfies TriggerData,
    ledger: [],
    hop: 0,
    wakeAt: app.clock.now(),
    // Whoever presses the button has been asked.
    held: null,
    replayOf: null,
  }
}

/** What an outside caller would have sent. */
function manualValues(rule: AutomationRow, facts: RecordFacts | undefined): Record<string, string> {
  if (rule.triggerSource !== 'manual_endpoint' || !facts) return {}
  return { job_uuid: facts.recordUuid, date: (facts.values.date ?? '').slice(0, 10) }
}

async function start(
  app: RunNowApp,
  rule: AutomationRow,
  wishes: readonly RunWish[],
  wished: RunWished,
  matched: number,
): Promise<RanNow> {
  const { accountUuid } = rule
  const now = app.clock.now()
  const runIds: number[] = []
  // What the ledger knows has left no wish.
  const byHand = wished.bypassConditions || wished.recordUuid !== null || rule.triggerSource !== 'api_polling'
  const wishedFor = wishes.reduce((sum, wish) => sum + wish.recordUuids.length, 0)
  let doneBefore = byHand ? 0 : Math.max(0, matched - wishedFor)
  const chosen = wishes.filter((wish) => wish.ledger.length === 0)
  const held = askFirst(rule.definition)
  for (const wish of chosen) {
    const key = `person:${wished.bypassConditions ? 'any' : 'met'}|${wish.groupKey ?? ''}|${wish.recordUuids.join(',')}`
    const started = await app.store.startRunOnce(
      accountUuid,
      { ...wish, held: null },
      [{ key: key.slice(0, 500), expiresAt: now + SAME_WISH }],
      now,
    )
    if (started.outcome !== 'done_before') runIds.push(started.runId)
  }
  const ticked = wishes
    .filter((wish) => wish.ledger.length > 0)
    .map((wish) => ({ ...wish, held: held === null ? null : wish.held }))
  for (const one of await app.store.startRuns(accountUuid, ticked, now)) {
    if (one.outcome === 'started') runIds.push(one.runId)
    else doneBefore += 1
  }
  app.log.info({ account: accountUuid, automation: rule.id, started: runIds.length }, 'automation.run_now')
  app.wakeRuns()
  const shown = runIds.slice(0, MOST_SHOWN)
  await Promise.all(shown.map((runId) => app.whenRunSettles(accountUuid, runId, WAITS)))
  const executions: Execution[] = []
  for (const runId of shown) {
    const execution = await findExecution(app, accountUuid, runId)
    if (execution) executions.push(execution)
  }
  return { outcome: 'ran', executions, started: runIds.length, doneBefore }
}

async function pretend(
  app: RunNowApp,
  rule: AutomationRow,
  matched: Extract<MatchedNow, { outcome: 'matched' }>,
  wishes: readonly RunWish[],
): Promise<RanNow> {
  const wish = wishes[0]
  if (!wish) return { outcome: 'no_record', message: NO_RECORDS }
  const preview = await previewRun(app, app.planning, {
    accountUuid: rule.accountUuid,
    automation: { id: rule.id, name: rule.name, version: rule.version },
    definition: rule.definition,
    object: wish.object,
    recordUuids: [...wish.recordUuids],
    groupKey: wish.groupKey,
    triggerData: wish.triggerData,
  })
  if (preview.outcome === 'not_possible') return { outcome: 'unavailable', message: preview.why.sentence }
  const { steps, customerMessages, credits } = preview
  return {
    outcome: 'previewed',
    execution: executionOf(preview.run),
    preview: { steps, customerMessages, credits, matched: matched.records.length, total: matched.total },
  }
}

// "In the last 30 days this automation would have …": finds the records it would have acted on, and the messages. Limits its
// reads, writes nothing.
import type { PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import {
  checksAgain,
  isOfMany,
  type RuleDefinition,
  startsOnAnswers,
  startsOnMessages,
} from '#app/domain/automations/rule.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { dayOf } from '#app/domain/time/local-time.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { Draft } from '../form/form-check.ts'
import type { Backtest, BacktestRow, PreviewTrouble } from '../form/form-preview.ts'
import type { FormState } from '../form/form-state.ts'
import { matchedRecord } from '../records/changes.ts'
import type { FactPart, JudgedAt, RecordFacts } from '../records/facts.ts'
import { objectNoun } from '../records/fields.ts'
import { type Reads, rememberedReads } from '../records/remembered-reads.server.ts'
import { judge, neededParts, objectOfRule, readsDeleted } from '../rules/conditions/conditions.ts'
import { groupRecords, partsForGrouping } from '../rules/grouping.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { onceText } from '../rules/timing/once-text.ts'
import { listExecutions } from '../runs/run-history.server.ts'
import { partsOfSteps } from '../runs/run-parts.ts'
import { type Answered, jobsAnswered, matchingAnswers } from './answered-jobs.server.ts'
import {
  actedAtTicks,
  BACKTEST_DAYS,
  basisOf,
  checksBetween,
  doneBy,
  MOST_BACKTESTED,
  runsByDay,
  ticksOf,
  wouldHaveActed,
} from './backtest.ts'
import type { PreviewParts } from './preview.server.ts'
import { type DraftApp, draftParts, readDraft, runOfDraft, troubleOf } from './preview-draft.server.ts'
import { partsToShow, presentRecords, recentRecords, sinceOf } from './preview-records.server.ts'
import { recordLabel } from './preview-view.ts'

/** Maximum platform calls of one backtest, cached reads not counted. */
const MOST_CALLS = 40
const AT_A_TIME = 250
/** Maximum records planned in all, but the newest run is planned whole: a run of many has each record at every check. */
const MOST_PLANNED = 5_000
/** Maximum real runs read from the period. */
const MOST_RUNS = 100

/** Backtests the rule in the form. */
export async function backtestDraft(
  app: DraftApp,
  accountUuid: string,
  state: FormState,
): Promise<Backtest | PreviewTrouble> {
  const read = await readDraft(app, accountUuid, state)
  return read.outcome === 'read' ? backtest(app, accountUuid, read.draft) : read.trouble
}

/** Backtests a stored rule, for its card. */
export function backtestRule(app: DraftApp, rule: AutomationRow): Promise<Backtest | PreviewTrouble> {
  const { definition, id, name } = rule
  return backtest(app, rule.accountUuid, {
    name,
    ruleId: id,
    object: objectOfRule(definition),
    definition,
    unfinished: new Map(),
    tooLong: null,
  })
}

/** The records of one hypothetical run. */
interface Unit {
  key: string
  groupKey: string | null
  label: string | null
  records: RecordFacts[]
  on: Millis | null
  values?: Record<string, string>
}

async function backtest(app: DraftApp, accountUuid: string, draft: Draft): Promise<Backtest | PreviewTrouble> {
  const { definition, object } = draft
  const at = await judgedAt(app, accountUuid)
  const ran = await runsOf(app, accountUuid, draft.ruleId, at)
  const reallyRan = { ran: ran.count, ranMore: !ran.complete }
  const { trigger } = definition
  if (trigger.source === 'manual_endpoint' || (startsOnMessages(trigger) && !startsOnAnswers(trigger))) {
    const basis = basisOf(definition, object, false)
    const headline = `We cannot estimate the last ${BACKTEST_DAYS} days.`
    const nothing = { rows: [], count: 0, days: null, sent: { texts: 0, emails: 0 } }
    return { kind: 'backtest', headline, basis, ...nothing, ...reallyRan }
  }
  const reads = rememberedReads(app, MOST_CALLS)
  const answered = startsOnAnswers(definition.trigger) ? await matchingAnswers(app, accountUuid, draft, at) : null
  const found = answered
    ? await jobsAnswered(reads, accountUuid, answered)
    : await recordsToLookThrough(reads, accountUuid, draft, at)
  if (found.outcome === 'failed') return troubleOf(found.failure)
  const acted = await actedOn(reads, accountUuid, draft, { records: found.records, answered }, at)
  if (acted.outcome !== 'ok') return troubleOf(acted)
  const basis = [
    `How often for the same ${objectNoun(object)}: ${onceText(definition, object)}.`,
    ...basisOf(definition, object, found.all, acted.thinned),
  ]
  const units = unitsOf(definition, acted.acted)
  let planned = 0
  const shown = units.slice(0, MOST_BACKTESTED).filter(({ records }, index) => {
    planned += records.length
    return index === 0 || planned <= MOST_PLANNED
  })
  const whole = await wholeRecords(reads, accountUuid, draft, shown)
  const rows: BacktestRow[] = []
  const sums = { messages: 0, credits: 0, texts: 0, emails: 0 }
  const parts = draftParts(app, reads, draft)
  const turn = takingTurns()
  for (const unit of shown) {
    rows.push(await rowOf(app, parts, { accountUuid, draft, unit, whole, ran, zone: at.zone, sums }))
    await turn()
  }
  const moments = units.map(({ on }) => on)
  const days = runsByDay(moments, at.now, at.zone)
  const onDays = acted.thinned && days ? days.filter((count) => count > 0).length : null
  return {
    kind: 'backtest',
    headline: headlineOf({ definition, object, found, units: units.length, onDays, shown: rows, sums }),
    rows,
    count: units.length,
    days,
    sent: { texts: sums.texts, emails: sums.emails },
    basis: [...basis, ...notLookedThrough(definition, found, reallyRan.ranMore, acted.thinned)],
    ...reallyRan,
  }
}

/** `all` = includes every record, not only recently changed ones. */
async function recordsToLookThrough(reads: Reads, accountUuid: string, { definition, object }: Draft, at: JudgedAt) {
  if (definition.trigger.source === 'api_polling') {
    return presentRecords(reads, accountUuid, object, at, readsDeleted(definition.trigger))
  }
  const recent = await recentRecords(reads, accountUuid, object, at, { orOlder: false, withDeleted: false })
  return { ...recent, all: false }
}

/** Lists what the backtest skips because there is too much of it. */
function notLookedThrough(
  { trigger }: RuleDefinition,
  found: { records: readonly unknown[]; all: boolean; complete: boolean },
  ranMore: boolean,
  thinned: boolean,
): string[] {
  return [
    thinned ? 'One check a day is shown and counted. This automation checks more often.' : '',
    trigger.source === 'api_polling' && !found.all
      ? 'There are too many to check all. Records without a recent change are missing.'
      : '',
    ranMore ? `We checked only the newest ${MOST_RUNS} real runs.` : '',
    found.complete ? '' : `More than ${found.records.length} changed. We checked only that many.`,
  ].filter((text) => text !== '')
}

/** Reads everything the steps need for all records at once; each plan then hits the cache. */
async function wholeRecords(
  reads: Reads,
  accountUuid: string,
  { definition, object }: Draft,
  units: readonly Unit[],
): Promise<Map<string, RecordFacts>> {
  const parts = [...partsToShow(object, definition.conditions), ...partsOfSteps(definition, object)]
  const records = [...new Set(units.flatMap(({ records }) => records))].map(rawOf)
  const joined = await reads.facts.join(accountUuid, object, records, [...new Set(parts)])
  return new Map((joined.outcome === 'ok' ? joined.facts : []).map((facts) => [facts.recordUuid, facts]))
}

/** The record as read: joining it again only fills the cache. */
function rawOf({ values, recordUuid }: RecordFacts) {
  return { ...values, uuid: recordUuid }
}

interface Acted {
  facts: RecordFacts
  on: Millis | null
  /** What the customer answered. */
  values?: Record<string, string>
}

async function actedOn(
  reads: Reads,
  accountUuid: string,
  { definition, object }: Draft,
  { records, answered }: { records: readonly PlatformRecord[]; answered: Answered | null },
  at: JudgedAt,
) {
  const { trigger } = definition
  const from = sinceOf(at.now)
  const isPolled = trigger.source === 'api_polling'
  const ticks = isPolled ? ticksOf(trigger, from, at.now, at.zone) : []
  // Without every check, the runs of a rule of many cannot be counted.
  const thinned = isPolled && checksBetween(ticks, trigger, at.now, at.zone)
  const parts = partsToJudge(definition, object)
  // A rule that polls once has no known past date.
  const dated = !isPolled || checksAgain(trigger)
  const acts = (facts: RecordFacts) =>
    answered
      ? answeredIn(definition, facts, answered, at)
      : actedIn(definition, facts, { from, now: at.now, zone: at.zone, ticks })
  const acted: Acted[] = []
  const turn = takingTurns()
  for (let start = 0; start < records.length; start += AT_A_TIME) {
    const joined = await reads.facts.join(accountUuid, object, records.slice(start, start + AT_A_TIME), parts)
    if (joined.outcome !== 'ok') return joined
    for (const facts of joined.facts) {
      for (const found of acts(facts)) acted.push(dated ? found : { ...found, on: null })
      await turn()
    }
  }
  acted.sort((a, b) => (b.on ?? 0) - (a.on ?? 0))
  return { outcome: 'ok', acted, thinned } as const
}

function actedIn(
  definition: RuleDefinition,
  facts: RecordFacts,
  window: Parameters<typeof wouldHaveActed>[2],
): Acted[] {
  if (isOfMany(definition)) return actedAtTicks(definition, facts, window).map((on) => ({ facts, on }))
  const on = wouldHaveActed(definition, facts, window)
  return on === null ? [] : [{ facts, on }]
}

/** The answer of this job that would have set it off. */
function answeredIn({ conditions }: RuleDefinition, facts: RecordFacts, answered: Answered, at: JudgedAt): Acted[] {
  const answer = answered.get(facts.recordUuid)
  if (!answer || !judge(conditions, facts, at).matched) return []
  return [{ facts, on: answer.writtenAt, values: { reply: answer.words } }]
}

function partsToJudge({ conditions, grouping }: RuleDefinition, object: string): FactPart[] {
  const forGroups = grouping.enabled && grouping.field ? partsForGrouping(grouping.field, object) : []
  return [...new Set([...neededParts(conditions, object), ...forGroups])]
}

/** `acted`: newest first. */
function unitsOf(definition: RuleDefinition, acted: readonly Acted[]): Unit[] {
  const { grouping } = definition
  if (!isOfMany(definition)) {
    return acted.map(({ facts, ...one }) => {
      return { key: facts.recordUuid, groupKey: null, label: null, records: [facts], ...one }
    })
  }
  const checks = new Map<Millis | null, RecordFacts[]>()
  for (const { on, facts } of acted) {
    const all = checks.get(on)
    if (all) all.push(facts)
    else checks.set(on, [facts])
  }
  return [...checks].flatMap(([on, all]) => {
    const groups =
      grouping.enabled && grouping.field
        ? groupRecords(all, grouping.field)
        : [{ key: null, label: 'All of them', records: all }]
    return groups.map(({ key, label, records }) => {
      return { key: `${key ?? 'all'} ${on ?? ''}`, groupKey: key, label: label || 'No name', records, on }
    })
  })
}

interface RowRequest {
  accountUuid: string
  draft: Draft
  unit: Unit
  /** With names and contacts, as far as they were readable. */
  whole: ReadonlyMap<string, RecordFacts>
  ran: RealRuns
  zone: string
  sums: { messages: number; credits: number; texts: number; emails: number }
}

async function rowOf(
  app: DraftApp,
  parts: PreviewParts,
  { accountUuid, draft, unit, whole, ran, zone, sums }: RowRequest,
): Promise<BacktestRow> {
  const { object } = draft
  const records = unit.records.map((facts) => whole.get(facts.recordUuid) ?? facts)
  const [first] = records
  const told = first ? matchedRecord(first) : null
  const row: BacktestRow = {
    key: unit.key,
    title: unit.label === null ? (told ? titleOf(object, told) : '') : `${unit.label} (${unit.records.length})`,
    // The title of any other record begins with the customer.
    customer: unit.label === null && object === 'job' ? (told?.companyName ?? '') : '',
    on: unit.on,
    ran:
      unit.label === null
        ? records.some(({ recordUuid }) => ran.records.has(recordUuid))
        : ran.groups.has(groupOnDay(unit.groupKey, unit.on, zone)),
    does: [],
    trouble: null,
  }
  const preview = await runOfDraft(app, parts, accountUuid, draft, {
    records,
    groupKey: unit.groupKey,
    ...(unit.values && { values: unit.values }),
    ...(unit.label !== null && unit.on !== null && { saidAt: unit.on }),
  })
  if (preview.outcome === 'not_possible') return { ...row, trouble: runReasonText(preview.why.sentence) }
  sums.messages += preview.customerMessages
  sums.credits += preview.credits
  const effects = preview.steps.flatMap((step) => step.effects)
  sums.texts += effects.filter(({ channel }) => channel === 'sms').length
  sums.emails += effects.filter(({ channel }) => channel === 'email').length
  const troubles = preview.steps.flatMap((step) => (step.effects.length === 0 && step.sentence ? [step.sentence] : []))
  return {
    ...row,
    does: preview.steps.flatMap(doneBy),
    trouble: troubles.length > 0 ? [...new Set(troubles)].join(' ') : null,
  }
}

function titleOf(object: string, told: ReturnType<typeof matchedRecord>): string {
  return object === 'job' ? `Job ${told.jobId}` : recordLabel(object, told)
}

interface RealRuns {
  /** Without held, waiting and cancelled runs that never started. Null = the rule is not stored yet. */
  count: number | null
  /** False = more runs exist than were read. */
  complete: boolean
  records: ReadonlySet<string>
  /** Which group ran on which day, and at all. */
  groups: ReadonlySet<string>
}

/** `at`: null = on any day. */
function groupOnDay(groupKey: string | null, at: Millis | null, zone: string): string {
  return `${at === null ? 'any' : dayOf(wallAt(at, zone))} ${groupKey ?? ''}`
}

/** Real runs of the period. */
async function runsOf(
  app: Pick<App, 'store'>,
  accountUuid: string,
  ruleId: number | null,
  { now, zone }: JudgedAt,
): Promise<RealRuns> {
  if (ruleId === null) return { count: null, records: new Set(), groups: new Set(), complete: true }
  const runs = await listExecutions(app, accountUuid, { automationId: ruleId, since: sinceOf(now), limit: MOST_RUNS })
  const begun = runs.filter(({ startedAt }) => startedAt !== null)
  return {
    count: begun.length,
    records: new Set(begun.flatMap(({ recordUuids }) => recordUuids)),
    // A run that waited over midnight is of the day of its check.
    groups: new Set(
      begun.flatMap((run) => [Date.parse(run.createdAt), null].map((at) => groupOnDay(run.groupKey, at, zone))),
    ),
    complete: runs.length < MOST_RUNS,
  }
}

interface Headline {
  definition: RuleDefinition
  object: string
  /** The records examined. */
  found: { records: readonly unknown[]; all: boolean }
  units: number
  /** The days with a run, when not every check is counted. */
  onDays: number | null
  shown: readonly BacktestRow[]
  sums: { messages: number; credits: number }
}

function headlineOf({ definition, object, found, units, onDays, shown, sums }: Headline): string {
  const noun = objectNoun(object, 'record')
  const time = `In the last ${BACKTEST_DAYS} days this automation would have`
  if (units === 0 && startsOnAnswers(definition.trigger)) {
    return `${time} done nothing: no answer of a customer fits.`
  }
  if (units === 0) {
    const looked = plural(found.records.length, noun)
    return `${time} done nothing: of ${found.all ? looked : `the ${looked} changed in that time`}, none matches.`
  }
  const times = onDays === null ? `${units} times` : `on ${plural(onDays, 'day')}`
  const acted = isOfMany(definition)
    ? `run ${units === 1 && onDays === null ? 'once' : times}`
    : `acted on ${plural(units, noun)}`
  const messages = [`${plural(sums.messages, 'message')} to customers`, plural(sums.credits, 'SMS credit')].join(', ')
  const costs = sums.messages === 0 ? ', without a message to a customer' : `: ${messages}`
  const first = shown.length === 1 ? 'Only the first entry is' : `The first ${shown.length} entries are`
  const of = shown.length < units ? ` ${first} below and counted.` : ''
  return `${time} ${acted}${costs}.${of}`
}

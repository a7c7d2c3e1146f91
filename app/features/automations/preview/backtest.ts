// "In the last 30 days this automation would have …": estimates from its current values when a record would have triggered
// the rule, and how sure that is. The platform keeps no record history, so most of it is an estimate; the page says
// which.
import {
  checksAgain,
  isOfMany,
  type PollTrigger,
  type RuleDefinition,
  startsOnAnswers,
  startsOnMessages,
  type WebhookTrigger,
} from '#app/domain/automations/rule.ts'
import { dayOf, readLocal } from '#app/domain/time/local-time.ts'
import { plural } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours } from '#app/lib/duration.ts'
import { momentOfWall, wallAt } from '#app/lib/zone.ts'
import type { BacktestRow } from '../form/form-preview.ts'
import type { RecordFacts } from '../records/facts.ts'
import { objectNoun, readField } from '../records/fields.ts'
import { judge } from '../rules/conditions/conditions.ts'
import { occurrenceOf } from '../rules/timing/once.ts'
import { lastRun, nextRun } from '../rules/timing/schedule.ts'
import type { PreviewedStep } from './preview.ts'

export const BACKTEST_DAYS = 30
/** Maximum records shown with their messages. */
export const MOST_BACKTESTED = 50

interface BacktestWindow {
  from: Millis
  now: Millis
  zone: string
  /** When a polling rule would have checked; empty for others. */
  ticks: readonly Millis[]
}

/** How many of the moments fall on each day of the account, oldest first; null = the moments are unknown. */
export function runsByDay(moments: readonly (Millis | null)[], now: Millis, zone: string): number[] | null {
  const known = moments.filter((at) => at !== null)
  if (known.length === 0) return null
  const today = dayOf(wallAt(now, zone))
  const days = Array.from({ length: BACKTEST_DAYS }, () => 0)
  for (const at of known) {
    // The window begins within the oldest day.
    const place = Math.max(0, BACKTEST_DAYS - 1 - (today - dayOf(wallAt(at, zone))))
    days[place] = (days[place] ?? 0) + 1
  }
  return days
}

/** True when it acts on unchanged records again. */
function actsAgain({ once }: RuleDefinition): boolean {
  return once === 'day' || once === 'week' || once === 'month' || once === 'period'
}

/** Ticks of a polling rule within the window; one a day, and the latest, for rules that poll more often. */
export function ticksOf(trigger: PollTrigger, from: Millis, now: Millis, zone: string): Millis[] {
  if (!checksAgain(trigger)) return [now]
  const always = alwaysOn(trigger)
  const ticks: Millis[] = []
  let after = from
  while (ticks.length <= BACKTEST_DAYS) {
    const next = nextRun(always, zone, after)
    if (next === null || next > now) break
    ticks.push(next)
    after = Math.max(next, after + days(1) - 1)
  }
  const latest = lastRun(always, zone, from + 1, now)
  if (latest !== null && latest !== ticks.at(-1)) ticks.push(latest)
  return ticks
}

/** As if the rule had always been on, whatever its start date. */
function alwaysOn(trigger: PollTrigger): PollTrigger {
  return trigger.scheduleType === 'scheduled' ? { ...trigger, scheduleType: 'immediate', scheduleDate: null } : trigger
}

/** True when the rule also checked between these ticks. The shortest day has 23 hours. */
export function checksBetween(ticks: readonly Millis[], trigger: PollTrigger, now: Millis, zone: string): boolean {
  const always = alwaysOn(trigger)
  return ticks.some((tick) => {
    const next = nextRun(always, zone, tick)
    return next !== null && next <= now && next - tick < hours(23) && !ticks.includes(next)
  })
}

/** When the rule would have acted on the record; null = never. Uses the current values: older ones are unknown. */
export function wouldHaveActed(definition: RuleDefinition, facts: RecordFacts, window: BacktestWindow): Millis | null {
  const { trigger } = definition
  switch (trigger.source) {
    case 'api_polling':
      return actedAtTick({ ...definition, trigger }, facts, window)
    case 'webhook':
      if (startsOnMessages(trigger)) return null
      return actedOnEvent(definition, trigger, facts, window)
    case 'manual_endpoint':
      return null
    default:
      return assertNever(trigger)
  }
}

/** Returns the first matching tick after the last change, when the values are certain; else the last one before it. */
function actedAtTick(
  definition: RuleDefinition & { trigger: PollTrigger },
  facts: RecordFacts,
  window: BacktestWindow,
): Millis | null {
  const { zone, ticks } = window
  const edited = momentOf(facts.editDate, zone) ?? window.from
  const created = momentOf(readField(facts, 'created_date', { now: window.now, zone }) ?? '', zone) ?? 0
  const matches = (tick: Millis) => tick >= created && judge(definition.conditions, facts, { now: tick, zone }).matched
  // Unchanged since before the window and already matching then: the rule had acted on it, or found it when it started.
  if (checksAgain(definition.trigger) && !actsAgain(definition) && edited < window.from && matches(window.from))
    return null
  return (
    ticks.find((tick) => tick >= edited && matches(tick)) ??
    ticks.findLast((tick) => tick < edited && matches(tick)) ??
    null
  )
}

/** Every check at which a rule of many would have had the record in its run. */
export function actedAtTicks(definition: RuleDefinition, facts: RecordFacts, window: BacktestWindow): Millis[] {
  const on = wouldHaveActed(definition, facts, window)
  if (on === null || !actsAgain(definition)) return on === null ? [] : [on]
  const { zone } = window
  const created = momentOf(readField(facts, 'created_date', { now: window.now, zone }) ?? '', zone) ?? 0
  const done = new Set<string>()
  return window.ticks.filter((tick) => {
    const at = { now: tick, zone }
    if (tick < created || !judge(definition.conditions, facts, at).matched) return false
    const occurrence = occurrenceOf(definition.once, { facts, changes: [], at, groupKey: null, tick })
    return done.size < done.add(occurrence).size
  })
}

function actedOnEvent(
  definition: RuleDefinition,
  trigger: WebhookTrigger,
  facts: RecordFacts,
  window: BacktestWindow,
): Millis | null {
  const { from, now, zone } = window
  if (trigger.jobUuid !== null && facts.jobUuid !== trigger.jobUuid) return null
  if (trigger.type === 'job_queue') {
    const queue = facts.values.queue_uuid ?? ''
    if (queue === '' || (trigger.queueUuid !== null && queue !== trigger.queueUuid)) return null
  }
  const known = momentOf(stampOf(trigger, facts, { now, zone }), zone)
  // Without a stamp, only the time of the last change is known.
  const at = known ?? momentOf(facts.editDate, zone)
  if (at === null || at < from || at > now) return null
  return judge(definition.conditions, facts, { now: at, zone }).matched ? at : null
}

/** The platform stamps when a job reached its status, and when a record was created (facts: 5.8). */
const STATUS_STAMPS: Readonly<Record<string, string>> = {
  Quote: 'quote_date',
  'Work Order': 'work_order_date',
  Completed: 'completion_date',
  Unsuccessful: 'unsuccessful_date',
}

function stampOf(trigger: WebhookTrigger, facts: RecordFacts, at: { now: Millis; zone: string }): string {
  if (trigger.type === 'job_created') return readField(facts, 'created_date', at) ?? ''
  if (trigger.type !== 'job_status') return ''
  const field = STATUS_STAMPS[facts.values.status ?? '']
  return field === undefined ? '' : (facts.values[field] ?? '')
}

function momentOf(text: string, zone: string): Millis | null {
  const reading = text === '' ? null : readLocal(text, zone)
  return reading === null ? null : momentOfWall(reading.wall, zone).at
}

/** What the estimate is based on, and what is missing. `all`: unchanged records too; `thinned`: not every check. */
export function basisOf(definition: RuleDefinition, object: string, all: boolean, thinned = false): string[] {
  const { trigger, once } = definition
  const noun = objectNoun(object)
  const which = all ? '' : ` changed in the last ${BACKTEST_DAYS} days`
  const from = startsOnAnswers(trigger)
    ? `Based on the answers to your automations in the last ${BACKTEST_DAYS} days.`
    : `Based on every ${noun}${which}, with its current values.`
  switch (trigger.source) {
    case 'manual_endpoint':
      return ['This automation runs when another program calls it. We cannot know when.']
    case 'api_polling': {
      if (!checksAgain(trigger))
        return [from, 'This automation does not repeat its check. This is what one check finds now.']
      // A run of many has the same record again at later checks.
      const again = once === 'period' || (isOfMany(definition) && actsAgain(definition))
      return [
        from,
        `Estimate${thinned ? '' : ' for every check in that time'}${again ? '' : ', each record once'}. Records may have had other values then.`,
      ]
    }
    case 'webhook': {
      const isReceipt = startsOnMessages(trigger) && !startsOnAnswers(trigger)
      return isReceipt ? [eventBasis(trigger, noun)] : [from, eventBasis(trigger, noun)]
    }
    default:
      return assertNever(trigger)
  }
}

function eventBasis(trigger: WebhookTrigger, noun: string): string {
  switch (trigger.type) {
    case 'job_created':
      return `ServiceM8 keeps the day each ${noun} was created. The conditions use its current values.`
    case 'job_status':
      return `ServiceM8 keeps the day a job reached its current status. Jobs that have moved on since are missing${
        trigger.fromValue ? ', and the status before is unknown' : ''
      }.`
    case 'message_opened':
    case 'message_failed':
      return 'ServiceM8 keeps no list of receipts.'
    case 'customer_replied':
      return 'Each job counts once, with its current values.'
    case 'job_queue':
    case 'job_field':
    case 'job_updated':
      return 'An estimate: ServiceM8 says when a record last changed, not what changed. Some of these changes may not start the automation.'
    default:
      return assertNever(trigger.type)
  }
}

/** Maximum effects listed of one step of a run. */
const MOST_DONE = 10

/** What one step would have done, a line for each effect. */
export function doneBy({ effects }: PreviewedStep): BacktestRow['does'] {
  const does = effects.slice(0, MOST_DONE).map(({ summary, to, fields, credits }) => {
    return { summary, to, text: textOf(fields), credits }
  })
  const more = effects.length - does.length
  if (more === 0) return does
  const noun = effects[0]?.channel === null ? 'more change' : 'more message'
  return [...does, { summary: `And ${plural(more, noun)}.`, to: null, text: null, credits: 0 }]
}

const LONGEST_TEXT = 200

/** The message text; a change has none, its summary is enough. */
function textOf(fields: Readonly<Record<string, string>>): string | null {
  const text = (fields.message || fields.textBody || fields.subject || '').replace(/\s+/g, ' ').trim()
  if (text === '') return null
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}

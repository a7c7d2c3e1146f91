// How often a rule may fire for one record, as the key stored in the ledger: the same key means the same firing.
import type { OncePolicy, RuleDefinition } from '#app/domain/automations/rule.ts'
import { dateOf, isoDate, localStamp, todayOf, weekOf } from '#app/domain/time/local-time.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { FieldChange, JudgedAt, RecordFacts } from '../../records/facts.ts'
import { folded } from '../../records/field-value.ts'
import { readField } from '../../records/fields.ts'

export interface Firing {
  facts: RecordFacts
  /** The changes; empty for a schedule or a manual run. */
  changes: readonly FieldChange[]
  at: JudgedAt
  /** Grouped runs: the group's key; null = the record alone. */
  groupKey: string | null
  /** The schedule's tick, epoch ms; null = no schedule. */
  tick: number | null
  /** Changes are collected until then, epoch ms, and those of one record count as one. Missing = not collected. */
  collectedUntil?: number | null
}

/**
 * The ledger's key for a firing. Two firings with the same key (for the same rule and record, or group) are one: the
 * second is "done before". Every report of the same change has the same key.
 */
export function occurrenceOf(once: OncePolicy, firing: Firing): string {
  const key = keyOf(once, firing)
  return firing.groupKey === null ? key : `${key}|${shortText(firing.groupKey)}`
}

/**
 * The ledger's key for a call from outside, which is about one job and a date; null = every call is a separate firing.
 * `date`: `YYYY-MM-DD`, as the caller sent it.
 */
export function occurrenceOfCall(once: OncePolicy, date: string, at: JudgedAt): string | null {
  switch (once) {
    case 'change':
    case 'period':
      return null
    case 'record':
    case 'day':
    case 'week':
    case 'month':
      return calendarKey(once, at)
    default:
      return `called ${date}`
  }
}

/** The ledger's key for an answer or a receipt: each `happening` is a separate firing, unless the rule says otherwise. */
export function occurrenceOfMessage(
  once: OncePolicy,
  happening: string,
  firing: Pick<Firing, 'facts' | 'at' | 'collectedUntil'>,
): string {
  if (once === 'change' || once === 'period') return happening
  return keyOf(once, { ...firing, changes: [], groupKey: null, tick: null })
}

function calendarKey(once: 'record' | 'day' | 'week' | 'month', at: JudgedAt): string {
  switch (once) {
    case 'record':
      return '-'
    case 'day':
      return isoDate(todayOf(at))
    case 'week': {
      const { year, week } = weekOf(todayOf(at))
      return `${year}-W${String(week).padStart(2, '0')}`
    }
    case 'month': {
      const { year, month } = dateOf(todayOf(at))
      return `${year}-${String(month).padStart(2, '0')}`
    }
  }
}

function keyOf(once: OncePolicy, { facts, changes, at, tick, collectedUntil = null }: Firing): string {
  switch (once) {
    case 'record':
    case 'day':
    case 'week':
    case 'month':
      // The day counts on which it runs.
      return calendarKey(once, { ...at, now: collectedUntil ?? at.now })
    case 'change':
      return collectedUntil === null ? changeKey(facts, changes, at) : `until ${localMinute(collectedUntil, at.zone)}`
    case 'period':
      return `tick ${localMinute(tick ?? at.now, at.zone)}`
    default: {
      const field = once.slice('value:'.length)
      return `${field}=${shortText(folded(readField(facts, field, at) ?? ''))}`
    }
  }
}

/** The platform updates `edit_date` with every save; a record without it is identified by its changed values. */
function changeKey(facts: RecordFacts, changes: readonly FieldChange[], at: JudgedAt): string {
  const values = changes.map(({ field, to }) => `${field}=${to}`).sort()
  const to = values.length > 0 ? `to ${shortText(values.join('\n'))}` : ''
  // Two saves within a second have one date.
  if (facts.editDate !== '') return `edit ${facts.editDate} ${to}`.trim()
  return to || `day ${isoDate(todayOf(at))}`
}

function localMinute(at: number, zone: string): string {
  return localStamp(wallAt(at, zone)).slice(0, 16)
}

const LONGEST = 80

/** Shortens a long text to its beginning and a checksum of the whole. */
function shortText(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 20)}#${checksum(text)}`
}

/** 53 bits of a text, the same on every machine. */
function checksum(text: string): string {
  let high = 0x9e3779b9
  let low = 0x85ebca6b
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low + code, 0x27d4eb2f) ^ (low >>> 15)
  }
  return ((high >>> 0) * 2 ** 21 + ((low >>> 0) & 0x1fffff)).toString(36)
}

/** Days to keep a key after it can no longer recur by itself; null = for good. */
export function daysToRemember({ once, trigger }: Pick<RuleDefinition, 'once' | 'trigger'>): number | null {
  switch (once) {
    case 'day':
      return 3
    case 'week':
      return 14
    case 'month':
    case 'period':
      return 62
    case 'change':
      // A check finds the record again, unchanged, however late.
      return trigger.source === 'api_polling' ? null : 400
    default:
      return null
  }
}

// Field names, and which fields of an object the platform has to watch.
import { findObjectKind } from '../object-catalog.ts'

/** Comma-separated text (or a list) as field names: trimmed, lower case, without blanks and repeats, in the order given. */
export function parseFields(value: string | readonly string[]): string[] {
  const parts = typeof value === 'string' ? value.split(',') : value.flatMap((part) => part.split(','))
  return [...new Set(parts.map((part) => part.trim().toLowerCase()).filter((part) => part !== ''))]
}

/** Somebody who needs an object's events, and of which fields. Empty = all. Webhooks, forwarding rules, automations. */
export interface FieldNeed {
  fields: readonly string[]
  /** Must be told when a record is made: the platform names `uuid` then, and never again (facts: 4.4). */
  created?: boolean
}

/** The fields of a need that the platform can report; null when that leaves none of those chosen. */
export function reportable(objectType: string, fields: readonly string[]): string[] | null {
  const never = findObjectKind(objectType)?.neverReported ?? []
  const left = fields.filter((field) => !never.includes(field))
  return left.length === 0 ? null : left
}

/**
 * "All fields" of an object outside the catalogue: the platform refuses an empty list and publishes none, but every
 * record has these, and `edit_date` moves with every change.
 */
const COMMON_FIELDS = ['active', 'edit_date', 'uuid']

/**
 * The one list of fields to have the platform watch, so that everybody gets what they need. Sorted. Empty only when
 * nobody needs the object: then there is nothing to subscribe to.
 */
export function fieldsToWatch(objectType: string, needs: readonly FieldNeed[]): string[] {
  if (needs.length === 0) return []
  const all = findObjectKind(objectType)?.watchFields ?? COMMON_FIELDS
  const union = needs.flatMap((need) => reportable(objectType, need.fields) ?? all)
  if (needs.some((need) => need.created)) union.push('uuid')
  return [...new Set(union)].sort()
}

// Field names, and the fields of an object that the platform must watch.
import { findObjectKind } from '../object-catalog.ts'

/** Comma-separated text (or a list) as field names: trimmed, lower case, no blanks or duplicates, order kept. */
export function parseFields(value: string | readonly string[]): string[] {
  const parts = typeof value === 'string' ? value.split(',') : value.flatMap((part) => part.split(','))
  return [...new Set(parts.map((part) => part.trim().toLowerCase()).filter((part) => part !== ''))]
}

/** A webhook, forwarding rule or automation that needs an object's events, and the fields it needs. Empty = all. */
export interface FieldNeed {
  fields: readonly string[]
  /** Needs to know about new records: the platform names `uuid` then, and never again (facts: 4.4). */
  created?: boolean
}

/** The needed fields that the platform can report; null when it can report none of them. */
export function reportable(objectType: string, fields: readonly string[]): string[] | null {
  const never = findObjectKind(objectType)?.neverReported ?? []
  const left = fields.filter((field) => !never.includes(field))
  return left.length === 0 ? null : left
}

/**
 * "All fields" for an object outside the catalog: the platform refuses an empty list and publishes none, but every
 * record has these, and `edit_date` changes with every edit.
 */
const COMMON_FIELDS = ['active', 'edit_date', 'uuid']

/**
 * The union of the fields that the platform must watch, sorted. Empty only when nothing needs the object: then no
 * subscription is needed.
 */
export function fieldsToWatch(objectType: string, needs: readonly FieldNeed[]): string[] {
  if (needs.length === 0) return []
  const all = findObjectKind(objectType)?.watchFields ?? COMMON_FIELDS
  const union = needs.flatMap((need) => reportable(objectType, need.fields) ?? all)
  if (needs.some((need) => need.created)) union.push('uuid')
  return [...new Set(union)].sort()
}

// Date conditions in the platform's own filter: local times sort as text, so "after" and "before this day" are safe.
import type { Operator } from '#app/domain/automations/rule.ts'
import { dayOf, isoDate, readLocal, readToday, todayOf } from '#app/domain/time/local-time.ts'
import type { JudgedAt } from '../../records/facts.ts'
import type { Field } from '../../records/fields.ts'

/** Ages counted from one field of the record itself, with direction. Not `days_since_quote`: it has two fields. */
const COUNTED: Readonly<Record<string, { base: string; direction: 1 | -1 }>> = {
  days_since_completion: { base: 'completion_date', direction: 1 },
  days_since_change: { base: 'edit_date', direction: 1 },
  days_until_booking: { base: 'start_date', direction: -1 },
}

/** Clauses that never exclude a match of the condition; empty if there are none. */
export function dateFilters(field: Field, operator: Operator, value: string, at: JudgedAt): string[] {
  if (field.type === 'date') return field.own === null ? [] : dayClauses(field.own, operator, wantedDay(value, at))
  const counted = COUNTED[field.name]
  const age = /^-?\d{1,6}$/.test(value.trim()) ? Number(value) : null
  // A field joined from the job is not a field of the list that is read.
  if (!counted || age === null || field.part !== null) return []
  const day = todayOf(at) - age * counted.direction
  return dayClauses(counted.base, counted.direction === 1 ? mirrored(operator) : operator, { day, time: null })
}

function wantedDay(value: string, at: JudgedAt): { day: number; time: string | null } | null {
  const today = readToday(value)
  if (today !== null) return { day: todayOf(at) + today, time: null }
  const reading = readLocal(value.trim(), at.zone)
  if (!reading) return null
  const time = reading.hasTime ? new Date(reading.wall).toISOString().slice(11, 19) : null
  return { day: dayOf(reading.wall), time }
}

/** A greater age means an earlier day. */
function mirrored(operator: Operator): Operator {
  if (operator === 'greater_than') return 'less_than'
  return operator === 'less_than' ? 'greater_than' : operator
}

function dayClauses(name: string, operator: Operator, wanted: { day: number; time: string | null } | null): string[] {
  if (wanted === null) return []
  const { day, time } = wanted
  const after = (text: string) => `${name} gt '${text}'`
  const before = (text: string) => `${name} lt '${text}'`
  // Some records have only a date, so a value with a time still includes its whole day.
  switch (operator) {
    case 'greater_than':
      return [after(time === null ? `${isoDate(day)} 23:59:59` : `${isoDate(day - 1)} 23:59:59`)]
    case 'less_than':
      return [before(time === null ? isoDate(day) : isoDate(day + 1))]
    case 'equals':
      return [after(`${isoDate(day - 1)} 23:59:59`), before(isoDate(day + 1))]
    default:
      return []
  }
}

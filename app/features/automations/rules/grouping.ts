// Groups matched records by a common value: one run per group.
import type { GroupingField } from '#app/domain/automations/rule.ts'
import type { FactPart, RecordFacts } from '../records/facts.ts'
import { folded } from '../records/field-value.ts'
import { partsFor } from '../records/fields.ts'

interface RecordGroup {
  /** The same on every poll, because the ledger stores it. */
  key: string
  /** The readable name: of the customer, the status, the queue, the staff member. */
  label: string
  /** In the order given; never empty. */
  records: RecordFacts[]
}

/** Per grouping: the key fields (the first with a value wins), the label fields, and the label without a value. */
const HOW: Readonly<Record<GroupingField, { keys: string[]; label: string[]; without: string | null }>> = {
  company_uuid: { keys: ['company_uuid'], label: ['company_name'], without: null },
  status: { keys: ['status'], label: ['status'], without: 'No status' },
  queue: { keys: ['queue_uuid'], label: ['queue_name'], without: 'Not in a queue' },
  // The platform has no priority: each record is a group of its own, so no receiver gets another's message.
  priority: { keys: ['priority'], label: ['priority'], without: null },
  staff_uuid: {
    keys: ['staff_uuid', 'assigned_staff', 'queue_assigned_staff_uuid'],
    label: ['staff_name'],
    without: 'Nobody assigned',
  },
}

/**
 * Groups in the order of their first record. Each record without a customer (or priority) is a group of its own; all
 * records without a queue, a staff member or a status form one group.
 */
export function groupRecords(records: readonly RecordFacts[], field: GroupingField): RecordGroup[] {
  const { label, without } = HOW[field]
  const groups = new Map<string, RecordGroup>()
  for (const facts of records) {
    const value = groupValue(facts, field)
    const key = value === '' && without === null ? `record ${facts.recordUuid}` : folded(value)
    const group = groups.get(key)
    if (group) group.records.push(facts)
    else groups.set(key, { key, label: firstOf(facts, label) || (without ?? value), records: [facts] })
  }
  return [...groups.values()]
}

/** The record's value of the grouping field; '' = none. */
function groupValue(facts: RecordFacts, field: GroupingField): string {
  const value = firstOf(facts, HOW[field].keys)
  if (value !== '' || field !== 'company_uuid') return value
  return facts.companyUuid ?? (facts.object === 'company' ? facts.recordUuid : '')
}

function firstOf(facts: RecordFacts, names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(facts.values, name) ? (facts.values[name] ?? '').trim() : ''
    if (value !== '') return value
  }
  return ''
}

/** The parts to load to group records of the object. */
export function partsForGrouping(field: GroupingField, object: string): FactPart[] {
  const { keys, label } = HOW[field]
  return partsFor([keys[0] ?? '', ...label], object)
}

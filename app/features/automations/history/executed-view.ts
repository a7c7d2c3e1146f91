// Input and result of an execution, as the log and the run page show them: the matching records, and for each step its
// parameters and placeholder values.
import { ACTION_SPECS } from '#app/domain/automations/action-parameters.ts'
import type { ParameterValue } from '#app/domain/automations/rule.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import type { ExecutedAction, Execution } from '../runs/run-history.ts'

export interface NamedText {
  name: string
  text: string
}

interface ReplacementView {
  /** The placeholder as written in the rule: `{entry.0.total as money}`. */
  written: string
  /** Its replacement; '' = empty. */
  resolved: string
  /** The value before a format or fallback changed it, '' = it was empty; null = unchanged. */
  value: string | null
}

export interface ExecutedView {
  parameters: NamedText[]
  replacements: ReplacementView[]
}

export interface MatchedView {
  /** Number of matching records, and of all checked. */
  matched: number
  total: number
  /** The first matching records. */
  records: { title: string; facts: NamedText[] }[]
}

/** Maximum records shown per list. */
const MOST_RECORDS = 20

/** `names` = what the account calls its queues, staff and customers, by uuid. */
export function executedView({ action, parameters, result }: ExecutedAction, names: KnownNames = {}): ExecutedView {
  const spec = ACTION_SPECS.find(({ type }) => type === action)
  return {
    parameters: Object.entries(parameters).flatMap(([name, value]) => {
      const plain = written(value)
      const text = Object.hasOwn(names, plain) ? (names[plain] ?? plain) : plain
      return text === '' ? [] : [{ name: spec?.parameters.find((one) => one.name === name)?.label ?? name, text }]
    }),
    replacements: result.templateReplacements.map(({ written, originalValue, resolvedValue }) => ({
      written,
      resolved: resolvedValue,
      value: originalValue === resolvedValue ? null : originalValue,
    })),
  }
}

/** Null = no matching took place: the call or event named its record. */
export function matchedView({ triggerData, object, recordUuids }: Execution): MatchedView | null {
  const found = triggerData.conditionMatching
  if (!found) return null
  return {
    matched: Math.max(found.matchedRecords.length, recordUuids.length),
    total: found.totalRecords,
    records: found.matchedRecords.slice(0, MOST_RECORDS).map((record) => ({
      title: object === 'job' ? `Job ${record.jobId}` : record.companyName || record.jobId,
      facts: [
        { name: 'Status', text: record.status },
        { name: 'Description', text: record.jobDescription },
        { name: 'Company', text: record.companyName },
        { name: 'Address', text: record.jobAddress },
        { name: 'Total invoice amount', text: record.totalInvoiceAmount },
      ].filter(({ text }) => text !== ''),
    })),
  }
}

function written(value: ParameterValue): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (value === null) return ''
  if (!Array.isArray(value)) return String(value)
  return value
    .map((one) =>
      typeof one === 'string'
        ? one
        : Object.entries(one)
            .map(([name, part]) => `${name}: ${part}`)
            .join(', '),
    )
    .join('\n')
}

// What an execution was given and what it made of it, as the log and the page of a run show it: the records that matched, and of each
// step its parameters and what its placeholders became.
import { ACTION_SPECS } from '#app/domain/automations/action-parameters.ts'
import type { ParameterValue } from '#app/domain/automations/rule.ts'
import type { ExecutedAction, Execution } from '../runs/run-history.ts'

export interface NamedText {
  name: string
  text: string
}

interface ReplacementView {
  /** The placeholder as it stands in the rule: `{entry.0.total as money}`. */
  written: string
  /** What stands in its place; '' = nothing. */
  resolved: string
  /** The value before a format or fallback made something else of it, '' = it had none; null = it is what stands there. */
  value: string | null
}

export interface ExecutedView {
  parameters: NamedText[]
  replacements: ReplacementView[]
}

export interface MatchedView {
  /** Records that matched, and all that were checked. */
  matched: number
  total: number
  /** The first of those that matched. */
  records: { title: string; facts: NamedText[] }[]
}

/** More of one list is not drawn. */
const MOST_RECORDS = 20

export function executedView({ action, parameters, result }: ExecutedAction): ExecutedView {
  const spec = ACTION_SPECS.find(({ type }) => type === action)
  return {
    parameters: Object.entries(parameters).flatMap(([name, value]) => {
      const text = written(value)
      return text === '' ? [] : [{ name: spec?.parameters.find((one) => one.name === name)?.label ?? name, text }]
    }),
    replacements: result.templateReplacements.map(({ written, originalValue, resolvedValue }) => ({
      written,
      resolved: resolvedValue,
      value: originalValue === resolvedValue ? null : originalValue,
    })),
  }
}

/** Null = nothing was matched: the call or the event named its record. */
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

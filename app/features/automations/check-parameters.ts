// Reads the parameters of one action as they came from a call, a form or an import, and tells everything that is wrong with them.
import { type ActionType, actionSpec, type ParameterSpec } from './action-parameters.ts'
import { openBlanks, placeholdersIn } from './placeholder-syntax.ts'
import { type ActionParameters, JOB_STATUSES, type ParameterValue } from './rule.ts'

const MOST_LINES = 100

/** Rows of materials and bundles: which numbers and ids each may carry. */
const ROW_FIELDS = {
  materials: { ids: ['material_uuid'], numbers: ['quantity', 'unit_cost'] },
  bundles: { ids: ['bundle_uuid'], numbers: ['quantity'] },
} as const

export type ReadParameters =
  | { outcome: 'read'; parameters: ActionParameters }
  | { outcome: 'invalid'; issues: { name: string; message: string }[] }

/**
 * Parameters of one action as they came, checked and put into shape. Absent and empty ones are left out; numbers may come as
 * text. Everything that is wrong is told, in the order of the table.
 */
export function readParameters(type: ActionType, given: Readonly<Record<string, unknown>>): ReadParameters {
  const { parameters: specs } = actionSpec(type)
  const issues: { name: string; message: string }[] = []
  const read: ActionParameters = {}
  for (const name of Object.keys(given)) {
    if (!specs.some((spec) => spec.name === name)) issues.push({ name, message: 'Not allowed' })
  }
  for (const spec of specs) {
    const value = Object.hasOwn(given, spec.name) ? given[spec.name] : undefined
    if (isEmpty(spec, value)) {
      if (spec.required) issues.push({ name: spec.name, message: `${spec.label} is required` })
      continue
    }
    const one = readValue(spec, value)
    if (typeof one === 'object' && one !== null && 'message' in one && !Array.isArray(one)) {
      issues.push({ name: spec.name, message: String(one.message) })
    } else read[spec.name] = one as ParameterValue
  }
  if (issues.length === 0) issues.push(...togetherIssues(type, read))
  return issues.length > 0 ? { outcome: 'invalid', issues } : { outcome: 'read', parameters: read }
}

/** Placeholders count as they are written; null = it fits. */
export function lengthProblemOf({ label, most = 2_000 }: ParameterSpec, text: string): string | null {
  return text.length > most ? `${label} has at most ${most} characters` : null
}

/** Blanks alone are nothing where something is required. */
function isEmpty(spec: ParameterSpec, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return spec.required === true && typeof value === 'string' && value.trim() === ''
}

function readValue(spec: ParameterSpec, value: unknown): ParameterValue | { message: string } {
  switch (spec.kind) {
    case 'text': {
      if (typeof value !== 'string' && typeof value !== 'number') return { message: 'Invalid input' }
      const written = String(value)
      const message = lengthProblemOf(spec, written)
      return message === null ? written : { message }
    }
    case 'flag':
      if (typeof value === 'boolean') return value
      return value === 'true' || value === 'on' ? true : value === 'false' ? false : { message: 'Invalid input' }
    case 'number': {
      const number = Number(value)
      const usable = (typeof value === 'number' || typeof value === 'string') && Number.isFinite(number)
      return usable ? number : { message: `${spec.label} is a number` }
    }
    case 'choice':
      return spec.choices?.includes(String(value))
        ? String(value)
        : { message: `${spec.label}: choose ${spec.choices?.join(', ')}` }
    case 'materials':
    case 'bundles':
      return readRows(spec, spec.kind, value)
  }
}

function readRows(
  spec: ParameterSpec,
  kind: 'materials' | 'bundles',
  value: unknown,
): Record<string, string | number>[] | { message: string } {
  if (!Array.isArray(value)) return { message: 'Invalid input' }
  if (value.length > MOST_LINES) return { message: `${spec.label}: at most ${MOST_LINES} lines` }
  const { ids, numbers } = ROW_FIELDS[kind]
  const rows: Record<string, string | number>[] = []
  for (const [index, line] of value.entries()) {
    if (typeof line !== 'object' || line === null || Array.isArray(line)) return { message: 'Invalid input' }
    const given = line as Record<string, unknown>
    const row: Record<string, string | number> = {}
    for (const name of ids) {
      const uuid = given[name]
      if (typeof uuid !== 'string' || uuid === '' || uuid.length > 200) {
        return { message: `${spec.label}, line ${index + 1}: choose what it is` }
      }
      row[name] = uuid
    }
    for (const name of numbers) {
      const raw = given[name]
      if (raw === undefined || raw === null || raw === '') {
        if (name === 'quantity') row[name] = 1
        continue
      }
      const number = Number(raw)
      if (!Number.isFinite(number) || number < 0 || number > 1_000_000 || (name === 'quantity' && number === 0)) {
        const least = name === 'quantity' ? 'above 0' : 'from 0'
        return { message: `${spec.label}, line ${index + 1}: ${name.replace('_', ' ')} is a number ${least}` }
      }
      row[name] = number
    }
    rows.push(row)
  }
  return rows
}

/** What only several parameters together can get wrong: sources that exclude each other, content that is missing. */
function togetherIssues(type: ActionType, parameters: ActionParameters): { name: string; message: string }[] {
  const on = (name: string) => parameters[name] === true
  const has = (name: string) => parameters[name] !== undefined && parameters[name] !== ''
  const issues: { name: string; message: string }[] = []
  if (type === 'update_job_status' || type === 'create_job') {
    const status = String(parameters.status)
    if (
      !JOB_STATUSES.some((one) => one === status) &&
      placeholdersIn(status).length === 0 &&
      openBlanks(status).length === 0
    ) {
      issues.push({ name: 'status', message: `Job Status: choose ${JOB_STATUSES.join(', ')}` })
    }
  }
  if (type === 'create_job') {
    const materials = [
      has('materials'),
      on('copyMaterialsFromJob') || on('copyFromAllJobs'),
      on('updateExistingMaterials') || on('transferFromAllJobs'),
    ]
    const bundles = [
      has('material_bundles'),
      on('copyBundlesFromJob') || on('copyBundlesFromAllJobs'),
      on('transferBundles') || on('transferBundlesFromAllJobs'),
    ]
    const one = 'Choose one source: typed in, copied, or moved'
    if (materials.filter(Boolean).length > 1) issues.push({ name: 'materials', message: one })
    if (bundles.filter(Boolean).length > 1) issues.push({ name: 'material_bundles', message: one })
  }
  if (type === 'send_sms') {
    if (on('useSmsTemplate') ? !has('smsTemplateId') && !has('message') : !has('message')) {
      issues.push({ name: 'message', message: 'Message is required' })
    }
  }
  if (type === 'send_email') {
    const content = parameters.contentType ?? 'manual'
    const missing =
      content === 'template'
        ? !has('emailTemplateId')
        : content === 'html'
          ? !has('customHtmlBody') && !has('htmlBody')
          : !has('customBody') && !has('customSubject')
    if (missing) {
      const name = content === 'template' ? 'emailTemplateId' : content === 'html' ? 'customHtmlBody' : 'customBody'
      issues.push({ name, message: content === 'template' ? 'Email Template is required' : 'Message is required' })
    }
  }
  return issues
}

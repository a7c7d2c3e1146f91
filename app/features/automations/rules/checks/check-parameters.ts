// Reads the parameters of one action as they came from a call, a form or an import, and tells everything that is wrong with them.
import { type ActionType, actionSpec, type ParameterSpec } from '#app/domain/automations/action-parameters.ts'
import { type ActionParameters, JOB_STATUSES, type ParameterValue } from '#app/domain/automations/rule.ts'
import { openBlanks, placeholdersIn } from '../placeholders/placeholder-syntax.ts'

const MOST_LINES = 100

/** Rows of materials and bundles: which numbers and ids each may carry. */
const ROW_FIELDS = {
  materials: { id: 'material_uuid', numbers: ['quantity', 'unit_cost'] },
  bundles: { id: 'bundle_uuid', numbers: ['quantity'] },
} as const

/** What is said at a cell of a line, by its name. */
export const CELL_WORDS = {
  material_uuid: 'Choose a material from the list',
  bundle_uuid: 'Choose a bundle from the list',
  quantity: 'Quantity is a number above 0',
  unit_cost: 'Unit cost is a number from 0',
} as const

type ReadParameters =
  | { outcome: 'read'; parameters: ActionParameters }
  /** `name` = the parameter; of a line of a list, its cell: `materials.0.quantity`. */
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
    if (typeof one !== 'object' || one === null || Array.isArray(one)) read[spec.name] = one
    else if ('message' in one) issues.push({ name: spec.name, message: one.message })
    else issues.push(...one.lines.map(({ at, message }) => ({ name: `${spec.name}.${at}`, message })))
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

/** The whole value is wrong, or cells of its lines are (`at` = `0.quantity`). */
type Unread = { message: string } | { lines: { at: string; message: string }[] }

function readValue(spec: ParameterSpec, value: unknown): ParameterValue | Unread {
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
): Record<string, string | number>[] | Unread {
  if (!Array.isArray(value)) return { message: 'Invalid input' }
  if (value.length > MOST_LINES) return { message: `${spec.label}: at most ${MOST_LINES} lines` }
  const { id, numbers } = ROW_FIELDS[kind]
  const rows: Record<string, string | number>[] = []
  const lines: { at: string; message: string }[] = []
  for (const [index, line] of value.entries()) {
    if (typeof line !== 'object' || line === null || Array.isArray(line)) return { message: 'Invalid input' }
    const given = line as Record<string, unknown>
    const row: Record<string, string | number> = {}
    const wrong = (name: keyof typeof CELL_WORDS) => lines.push({ at: `${index}.${name}`, message: CELL_WORDS[name] })
    const uuid = given[id]
    if (typeof uuid !== 'string' || uuid === '' || uuid.length > 200) wrong(id)
    else row[id] = uuid
    for (const name of numbers) {
      const raw = given[name]
      if (raw === undefined || raw === null || raw === '') {
        if (name === 'quantity') row[name] = 1
        continue
      }
      const number = Number(raw)
      if (!Number.isFinite(number) || number < 0 || number > 1_000_000 || (name === 'quantity' && number === 0)) {
        wrong(name)
      } else row[name] = number
    }
    rows.push(row)
  }
  return lines.length > 0 ? { lines } : rows
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

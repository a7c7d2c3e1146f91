// Reads the parameters of one action from a call, a form or an import, and reports every problem.
import { type ActionType, actionSpec, type ParameterSpec } from '#app/domain/automations/action-parameters.ts'
import { type ActionParameters, JOB_STATUSES, type ParameterValue } from '#app/domain/automations/rule.ts'
import { WANTED, yesOrNo } from '#app/domain/wanted.ts'
import { isRecord } from '#app/lib/json.ts'
import { LINE_SOURCES } from '../../actions/job-lines.ts'
import { lengthProblemOf } from '../message-limits.ts'
import { isLiteral } from '../placeholders/placeholder-syntax.ts'

const MOST_LINES = 100

/** The cells of a line of materials or bundles: the record and its amount. */
const CELLS = {
  materials: ['material_uuid', 'quantity', 'unit_cost'],
  bundles: ['bundle_uuid', 'quantity'],
} as const

/** The message for a wrong cell of a line, by the cell's name. */
export const CELL_TEXTS = {
  material_uuid: 'Choose a material from the list',
  bundle_uuid: 'Choose a bundle from the list',
  quantity: 'Quantity is a number above 0',
  unit_cost: 'Unit cost is a number from 0 with at most two decimals',
} as const

/** `name` = the parameter; for a line of a list its cell: `materials.0.quantity`. */
interface ParameterIssue {
  name: string
  message: string
}

type ReadParameters =
  | { outcome: 'read'; parameters: ActionParameters }
  | { outcome: 'invalid'; issues: ParameterIssue[] }

/**
 * Checks and normalizes the parameters of one action. Leaves out missing and empty ones; accepts numbers as text.
 * Reports every problem, in the order of the table.
 */
export function readParameters(type: ActionType, given: Readonly<Record<string, unknown>>): ReadParameters {
  const { parameters: specs } = actionSpec(type)
  const strange = Object.keys(given).filter((name) => !specs.some((spec) => spec.name === name))
  const issues: ParameterIssue[] = strange.map((name) => ({ name, message: 'Not allowed' }))
  const parameters: ActionParameters = {}
  for (const spec of specs) {
    const reading = readParameter(spec, Object.hasOwn(given, spec.name) ? given[spec.name] : undefined)
    if ('issues' in reading) issues.push(...reading.issues)
    else if (reading.value !== undefined) parameters[spec.name] = reading.value
  }
  if (issues.length === 0) issues.push(...(TOGETHER[type]?.(parameters) ?? []))
  return issues.length > 0 ? { outcome: 'invalid', issues } : { outcome: 'read', parameters }
}

/** No value: none was given, and none is required. */
type Reading = { value?: ParameterValue } | { issues: ParameterIssue[] }

function readParameter(spec: ParameterSpec, given: unknown): Reading {
  if (isEmpty(spec, given)) return spec.required ? wrong(spec, `${spec.label} is required`) : {}
  return READERS[spec.kind](spec, given)
}

function wrong({ name }: ParameterSpec, message: string): Reading {
  return { issues: [{ name, message }] }
}

const READERS: Record<ParameterSpec['kind'], (spec: ParameterSpec, given: unknown) => Reading> = {
  text(spec, given) {
    if (typeof given !== 'string' && typeof given !== 'number') return wrong(spec, WANTED.text)
    const value = String(given)
    const problem = lengthProblemOf(spec, value)
    return problem === null ? { value } : wrong(spec, problem)
  },
  flag(spec, given) {
    const { data: value } = yesOrNo.safeParse(given)
    return value === undefined ? wrong(spec, WANTED.flag) : { value }
  },
  number(spec, given) {
    const isNumber = (typeof given === 'number' || typeof given === 'string') && Number.isFinite(Number(given))
    return isNumber ? { value: Number(given) } : wrong(spec, `${spec.label} is a number`)
  },
  choice(spec, given) {
    const value = spec.choices?.find((choice) => choice === String(given))
    return value === undefined ? wrong(spec, `${spec.label}: choose ${spec.choices?.join(', ')}`) : { value }
  },
  materials: (spec, given) => readLines(spec, CELLS.materials, given),
  bundles: (spec, given) => readLines(spec, CELLS.bundles, given),
}

/** Spaces alone count as empty for a required parameter. */
function isEmpty(spec: ParameterSpec, value: unknown): boolean {
  if (isAbsent(value)) return true
  return spec.required === true && typeof value === 'string' && value.trim() === ''
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function readLines(spec: ParameterSpec, cells: readonly (keyof typeof CELL_TEXTS)[], given: unknown): Reading {
  if (!Array.isArray(given)) return wrong(spec, WANTED.list)
  if (given.length > MOST_LINES) return wrong(spec, `${spec.label}: at most ${MOST_LINES} lines`)
  if (!given.every(isRecord)) return wrong(spec, 'Must be a list of objects')
  const issues: ParameterIssue[] = []
  const value = given.map((line, index) => {
    const row: Record<string, string | number> = {}
    for (const name of cells) {
      const cell = readCell(name, line[name])
      if (cell === 'wrong') issues.push({ name: `${spec.name}.${index}.${name}`, message: CELL_TEXTS[name] })
      else if (cell !== null) row[name] = cell.value
    }
    return row
  })
  return issues.length > 0 ? { issues } : { value }
}

/** Null = the cell is empty. A missing quantity means 1. */
function readCell(name: keyof typeof CELL_TEXTS, given: unknown): { value: string | number } | null | 'wrong' {
  if (name === 'material_uuid' || name === 'bundle_uuid') {
    return typeof given === 'string' && given !== '' && given.length <= 200 ? { value: given } : 'wrong'
  }
  if (isAbsent(given)) return name === 'quantity' ? { value: 1 } : null
  const value = Number(given)
  const isAmount = Number.isFinite(value) && value >= 0 && value <= 1_000_000
  const isFit = name === 'quantity' ? value > 0 : Number(value.toFixed(2)) === value
  return isAmount && isFit ? { value } : 'wrong'
}

/** Checks of several parameters together: sources that exclude each other, missing content. */
const TOGETHER: Partial<Record<ActionType, (parameters: ActionParameters) => ParameterIssue[]>> = {
  create_job: (parameters) => [...statusIssues(parameters), ...sourceIssues(parameters)],
  update_job_status: statusIssues,
  send_sms: ({ message, useSmsTemplate, smsTemplateId }) => {
    const fromTemplate = useSmsTemplate === true && smsTemplateId !== undefined
    return message !== undefined || fromTemplate ? [] : [{ name: 'message', message: 'Message is required' }]
  },
  send_email: (parameters) => {
    const { at, oneOf, message } = EMAIL_CONTENT[String(parameters.contentType)] ?? TYPED_EMAIL
    return oneOf.some((name) => parameters[name] !== undefined) ? [] : [{ name: at, message }]
  },
}

const TYPED_EMAIL = { at: 'customBody', oneOf: ['customBody', 'customSubject'], message: 'Message is required' }

/** By the kind of content: the parameters of which one is required, and the parameter that shows the error. */
const EMAIL_CONTENT: Readonly<Record<string, typeof TYPED_EMAIL>> = {
  html: { at: 'customHtmlBody', oneOf: ['customHtmlBody', 'htmlBody'], message: 'Message is required' },
  template: { at: 'emailTemplateId', oneOf: ['emailTemplateId'], message: 'Email Template is required' },
}

function statusIssues({ status }: ActionParameters): ParameterIssue[] {
  const text = String(status)
  if (!isLiteral(text) || JOB_STATUSES.some((known) => known === text)) return []
  return [{ name: 'status', message: `Job Status: choose ${JOB_STATUSES.join(', ')}` }]
}

function sourceIssues(parameters: ActionParameters): ParameterIssue[] {
  const isOn = (name: string) => parameters[name] === true
  return Object.entries(LINE_SOURCES).flatMap(([name, { copy, copyAll, transfer, transferAll }]) => {
    const copies = isOn(copy) || isOn(copyAll)
    const moves = isOn(transfer) || isOn(transferAll)
    const used = [parameters[name] !== undefined, copies, moves].filter(Boolean).length
    return used > 1 ? [{ name, message: 'Choose one source: typed in, copied, or moved' }] : []
  })
}

// The rule form as shown on screen: all values are texts, rows have stable keys, nothing is validated yet. The page
// without scripts (one round trip per button) and the browser use the same functions.
import { ACTION_SPECS, isActionType, type ParameterSpec } from '#app/domain/automations/action-parameters.ts'
import { intervalInForce } from '#app/domain/automations/rule.ts'
import { isRecord } from '#app/lib/json.ts'

export const TOP_FIELDS = [
  'name',
  'description',
  'active',
  'triggerSource',
  'events',
  'triggerType',
  'triggerJobUuid',
  'triggerQueueUuid',
  'triggerFieldName',
  'triggerFromValue',
  'settleMinutes',
  'atOnce',
  'replyMatch',
  'replyWords',
  'apiEndpoint',
  'apiMethod',
  'pollInterval',
  'runTime',
  'weekday',
  'dayOfMonth',
  'workingDays',
  'scheduleType',
  'scheduleDate',
  'scheduleRecurrence',
  'enableGrouping',
  'groupingField',
  'digest',
  'once',
  'cooldownDays',
  'dailyCap',
  'respectQuietHours',
  'askFirst',
  'recheckBeforeSending',
  'includeExisting',
] as const
export type TopField = (typeof TOP_FIELDS)[number]

export const CONDITION_PARTS = ['field', 'operator', 'value', 'logicalOperator'] as const
type ConditionPart = (typeof CONDITION_PARTS)[number]
export type ConditionRow = Record<ConditionPart, string> & { key: string }

export const LINE_PARTS = ['uuid', 'quantity', 'unit_cost'] as const
export type LinePart = (typeof LINE_PARTS)[number]
/** A line of materials (`uuid` of the material) or of bundles. */
export type LineRow = Record<LinePart, string> & { key: string }

export const LINE_LISTS = ['materials', 'material_bundles'] as const
export type LineList = (typeof LINE_LISTS)[number]

export interface StepRow {
  key: string
  /** Id of the stored step; empty = not stored yet. */
  id: string
  /** Empty = no action chosen. */
  type: string
  /** `true` when ticked, else ''. */
  wait: string
  /** By parameter name; empty values are left out. */
  parameters: Record<string, string>
  materials: LineRow[]
  material_bundles: LineRow[]
}

/** Ticked boxes are `true`, unticked ones ''. */
export interface FormState {
  /** Id of the rule being edited; null = a new rule. */
  ruleId: number | null
  /** Number for the next row key. */
  next: number
  values: Record<TopField, string>
  conditions: ConditionRow[]
  steps: StepRow[]
  /** What a person fills into the blanks of a template, by label. The texts keep their blanks until the rule is saved. */
  answers: Record<string, string>
  /** What was typed beside the form, by name; missing = nothing. See `TYPED_BESIDE`. */
  beside?: Record<string, string> | undefined
  /** Of a stored rule, its version and its switch as they were opened; missing = nothing is stored. */
  opened?: { version: number; active: string } | undefined
}

/** A rule's switch follows what was pressed elsewhere, as the stored rule has it. */
export function withSwitchOf({ opened: now }: FormState, state: FormState): FormState {
  if (!now || !state.opened || now.active === state.opened.active) return state
  const { active } = now
  return { ...state, values: { ...state.values, active }, opened: { ...state.opened, active } }
}

/** The same content, whatever its rows are called: true = nothing was changed. */
export function isSameForm(one: FormState, other: FormState): boolean {
  return contentOf(one) === contentOf(other)
}

function contentOf({ values, conditions, steps, answers }: FormState): string {
  const plain = <Row extends { key: string }>({ key: _key, ...row }: Row) => row
  const given = Object.entries(answers).filter(([, text]) => text !== '')
  return JSON.stringify([
    TOP_FIELDS.map((name) => values[name]),
    conditions.map(plain),
    steps.map(({ key: _key, parameters, materials, material_bundles, ...step }) => ({
      ...step,
      parameters: Object.entries({ ...SHOWN_FIRST[step.type], ...parameters }).sort(([a], [b]) => (a < b ? -1 : 1)),
      materials: materials.map(plain),
      bundles: material_bundles.map(plain),
    })),
    given,
  ])
}

/** A form as a browser kept it; null = it is none, or another version wrote it. */
export function readKeptForm(kept: unknown): FormState | null {
  if (!isRecord(kept) || !isRecord(kept.values)) return null
  const { ruleId, next, values, answers, opened } = kept
  if (!(ruleId === null || typeof ruleId === 'number') || typeof next !== 'number') return null
  const empty = emptyForm()
  const texts = (given: unknown) =>
    Object.fromEntries(Object.entries(isRecord(given) ? given : {}).filter(([, text]) => typeof text === 'string'))
  const conditions = recordsIn(kept.conditions).filter((row) =>
    ['key', ...CONDITION_PARTS].every((part) => typeof row[part] === 'string'),
  ) as ConditionRow[]
  const lines = (given: unknown) =>
    recordsIn(given).filter((row) => ['key', ...LINE_PARTS].every((part) => typeof row[part] === 'string')) as LineRow[]
  const steps = recordsIn(kept.steps).map(
    (row): StepRow => ({
      key: written(row, 'key'),
      id: written(row, 'id'),
      type: written(row, 'type'),
      wait: written(row, 'wait'),
      parameters: texts(row.parameters) as Record<string, string>,
      materials: lines(row.materials),
      material_bundles: lines(row.material_bundles),
    }),
  )
  return {
    ruleId,
    next,
    values: { ...empty.values, ...(texts(values) as FormState['values']) },
    conditions,
    steps: steps.filter(({ key, type }) => key !== '' && (type === '' || isActionType(type))),
    answers: texts(answers) as Record<string, string>,
    ...(isRecord(opened) && { opened: { version: Number(opened.version), active: written(opened, 'active') } }),
  }
}

/** Name of the hidden field with the state the form was drawn from. */
export const STATE_FIELD = 'state'

/** Returns the hidden fields of the form. */
export function toForm(state: FormState): [name: string, value: string][] {
  return [[STATE_FIELD, JSON.stringify({ ...state, beside: undefined })]]
}

/** `events`: `webhook:12:job` = a webhook of the account and its object; `object:job` = an object without a webhook. */
export function emptyForm(): FormState {
  const values = Object.fromEntries(TOP_FIELDS.map((name) => [name, ''])) as FormState['values']
  return {
    ruleId: null,
    next: 1,
    values: {
      ...values,
      active: 'true',
      triggerSource: 'webhook',
      replyMatch: 'any',
      apiEndpoint: '/api_1.0/job.json',
      apiMethod: 'GET',
      pollInterval: 'daily',
      runTime: '09:00',
      weekday: '1',
      dayOfMonth: '1',
      scheduleType: 'immediate',
    },
    conditions: [],
    steps: [],
    answers: {},
  }
}

/** Returns the parameters of an action, without lists of lines. */
export function plainParameters(type: string): ParameterSpec[] {
  const spec = ACTION_SPECS.find((one) => one.type === type)
  return spec ? spec.parameters.filter(({ kind }) => kind !== 'materials' && kind !== 'bundles') : []
}

type Fields = Readonly<Record<string, unknown>>

/** Reads the documented flat fields (import, copied template, stored rule), always as a new rule. */
export function formOfFields(fields: Fields): FormState {
  let next = 1
  const key = (letter: string) => `${letter}${next++}`
  const conditions = recordsIn(fields.conditions ?? fields.triggerConditions).map((one) => ({
    key: key('c'),
    field: written(one, 'field'),
    operator: written(one, 'operator') || 'equals',
    value: written(one, 'value'),
    logicalOperator: written(one, 'logicalOperator') === 'OR' ? 'OR' : 'AND',
  }))
  const inOrder = recordsIn(fields.actions).sort((a, b) => Number(a.sequenceOrder ?? 0) - Number(b.sequenceOrder ?? 0))
  const steps = inOrder.map((one) => stepOf(one, key))
  return { ruleId: null, next, values: valuesOf(fields), conditions, steps, answers: {} }
}

function valuesOf(fields: Fields): FormState['values'] {
  const { values } = emptyForm()
  for (const name of TOP_FIELDS) {
    const given = written(fields, name)
    if (given !== '' || typeof fields[name] === 'boolean') values[name] = given
  }
  const guards = isRecord(fields.guards) ? fields.guards : {}
  for (const name of ['cooldownDays', 'dailyCap', 'respectQuietHours', 'askFirst', 'recheckBeforeSending'] as const) {
    values[name] = written(guards, name)
  }
  if (values.cooldownDays === '0') values.cooldownDays = ''
  if (values.settleMinutes === '0') values.settleMinutes = ''
  if (values.triggerSource === 'webhook') values.events = eventsOf(fields)
  return values
}

function eventsOf(fields: Fields): string {
  const webhook = written(fields, 'webhookSubscriptionId')
  // Empty on purpose: the user has to choose.
  const object = written(fields, 'object') || (fields.object === '' ? '' : 'job')
  if (object === '') return ''
  return webhook === '' ? `object:${object}` : `webhook:${webhook}:${object}`
}

function stepOf(fields: Fields, key: (letter: string) => string): StepRow {
  const given = isRecord(fields.parameters) ? fields.parameters : {}
  const type = written(fields, 'type')
  const own = key('s')
  const parameters: Record<string, string> = {}
  for (const { name } of plainParameters(type)) {
    const value = written(given, name)
    if (value !== '') parameters[name] = value
  }
  const lines = (list: LineList, id: string) =>
    recordsIn(given[list]).map((line) => ({
      key: key('l'),
      uuid: written(line, id),
      quantity: written(line, 'quantity') || '1',
      unit_cost: written(line, 'unit_cost'),
    }))
  return {
    key: own,
    id: written(fields, 'id'),
    type: isActionType(type) ? type : '',
    wait: written(fields, 'waitForPrevious'),
    parameters: asDrawn(type, parameters),
    materials: lines('materials', 'material_uuid'),
    material_bundles: lines('material_bundles', 'bundle_uuid'),
  }
}

/** What a list or choice without an empty one shows for a parameter that is left out. */
const SHOWN_FIRST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  send_email: { contentType: 'manual' },
  generate_document: { objectType: 'Job', outputFormat: 'pdf' },
  send_notification: { notificationType: 'webhook' },
  update_job_field: { badgeChange: 'replace' },
}

/**
 * Renames parameters to the names the form uses. Actions also accept a second name for some: a subject, a text, the job
 * that bundles come from; and they attach files even if the outer checkbox is off.
 */
function asDrawn(type: string, given: Record<string, string>): Record<string, string> {
  const parameters = { ...given }
  const instead = (name: string, other: string) => {
    const value = parameters[other]
    if (!parameters[name] && value) parameters[name] = value
  }
  const on = (name: string) => parameters[name] === 'true'
  if (type === 'send_email') {
    const content = parameters.contentType || 'manual'
    if (content === 'manual') instead('customSubject', 'subject')
    if (content === 'html') {
      instead('customHtmlSubject', 'subject')
      instead('customHtmlBody', 'htmlBody')
    }
    // Attaching files needs no outer box; the outer one alone means the job's files.
    if (['includeAllJobAttachments', 'includeJobAttachments', 'includeGeneratedDocument'].some(on))
      parameters.includeAttachments = 'true'
    if (on('includeAttachments') && (on('includeAllJobAttachments') || !on('includeGeneratedDocument')))
      parameters.includeJobAttachments = 'true'
  }
  if (type === 'create_job' && (on('copyBundlesFromJob') || on('transferBundles'))) {
    instead('sourceBundleJobUuid', 'sourceJobUuid')
  }
  return parameters
}

function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The value as the text of a control. */
function written(from: Fields, name: string): string {
  const value = Object.hasOwn(from, name) ? from[name] : null
  if (typeof value === 'boolean') return value ? 'true' : ''
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Returns the object of the rule: that of the chosen events, or of the polled list. */
export function objectOfForm({ values }: FormState): string {
  if (values.triggerSource === 'webhook') return values.events.split(':').at(-1) || 'job'
  if (values.triggerSource !== 'api_polling') return 'job'
  const object = /^\/api_1\.0\/([a-z]+)\.json/.exec(values.apiEndpoint)?.[1] ?? 'job'
  return object
}

/** How often the rule runs by schedule, as far as the form knows: `line` = a cron line; null = never. */
export function intervalInForm({ values }: FormState): string | null {
  const interval = values.triggerSource === 'api_polling' ? values.pollInterval : ''
  return intervalInForce({ ...values, interval }) || null
}

/** Decides which parts of the form are visible. Each part appears once the previous one is filled in. */
export function partsShown(state: FormState): { trigger: boolean; rest: boolean; submit: boolean } {
  const trigger = state.values.name.trim() !== ''
  const rest = trigger && isTriggerReady(state)
  return { trigger, rest, submit: rest && state.steps.every(({ type }) => type !== '') }
}

function isTriggerReady({ values }: FormState): boolean {
  switch (values.triggerSource) {
    case 'webhook':
      return values.events !== ''
    case 'api_polling':
      return values.apiEndpoint !== '' && values.pollInterval !== ''
    case 'manual_endpoint':
      return true
    default:
      return false
  }
}

export const CONTACT = "the job's contact"

/** Null = it messages nobody outside. */
export function receiverWords({ type, parameters }: Pick<StepRow, 'type' | 'parameters'>): string | null {
  if (type !== 'send_sms' && type !== 'send_email') return null
  const text = (parameters.to ?? '').trim()
  if (text === '') return CONTACT
  // As the list of placeholders writes them, and by their long names.
  if (/^\{(?:entry\.0\.contact_\w+|mobile|phone|email)(?: [^{}]*)?\}$/i.test(text)) return CONTACT
  return /^\{[\w.]*staff[\w ]*\}$/i.test(text) ? 'the assigned staff member' : text
}

// A rule as it is sent: the form's flat fields, checked and turned into what a rule is. One schema for the call, the page's form,
// the import and the templates. Texts are the specification's.
import { z } from 'zod'
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import {
  type Condition,
  DEFAULT_GUARDS,
  GROUPING_FIELDS,
  type OncePolicy,
  OPERATORS,
  onceOf,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  type RuleDefinition,
  SCHEDULE_TYPES,
  type Schedule,
  type Step,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
  type Trigger,
} from '#app/domain/automations/rule.ts'
import { readParameters } from './checks/check-parameters.ts'
import { ruleTooLong, TOO_LONG_MARK } from './checks/rule-size.ts'
import { DATE_WANTED, recurrenceProblem } from './timing/schedule.ts'

export const NAME_REQUIRED = 'Automation name is required'
export const FIELD_REQUIRED = 'Field is required'
export const ACTION_REQUIRED = 'At least one action is required'
export const GROUPING_ACTS = 'Grouping works only with a Scheduled API Check. Send enableGrouping as false.'
export const DIGEST_ACTS = 'One run over everything works only with a Scheduled API Check. Send digest as false.'
export const AUTHENTICATE_FIRST = 'Please authenticate with the platform first.'

export const MOST_CONDITIONS = 50
export const MOST_ACTIONS = 20

/** Null, absent and blank are the same: not chosen. */
const text = z
  .union([z.string(), z.number()], { error: 'Invalid input' })
  .nullish()
  .transform((value) => String(value ?? '').trim())
const limited = (most: number) => text.refine((value) => value.length <= most, `At most ${most} characters`)
const flag = z
  .union([z.boolean(), z.enum(['true', 'false', 'on', ''])], { error: 'Invalid input' })
  .nullish()
  .transform((value) =>
    value === null || value === undefined ? undefined : value === true || value === 'true' || value === 'on',
  )
const choice = <const T extends readonly string[]>(values: T) =>
  z
    .union([z.enum(values, { error: 'Invalid input' }), z.literal('')], { error: 'Invalid input' })
    .nullish()
    .transform((value): T[number] | undefined => (value === null || value === '' ? undefined : value))
const whole = (least: number, most: number) =>
  z
    .union([z.number(), z.string().regex(/^\d{0,15}$/, 'Invalid input')], { error: 'Invalid input' })
    .nullish()
    .transform((value) => (value === null || value === undefined || value === '' ? undefined : Number(value)))
    .refine((value) => value === undefined || (Number.isInteger(value) && value >= least && value <= most), {
      message: `A whole number from ${least} to ${most}`,
    })

const condition = z.strictObject({
  field: text
    .refine((value) => value !== '', FIELD_REQUIRED)
    .refine((value) => value === '' || /^[a-z][a-z0-9_.]{0,99}$/i.test(value), 'Invalid input'),
  operator: z.enum(OPERATORS, { error: 'Invalid input' }),
  value: limited(1_000),
  logicalOperator: choice(['AND', 'OR']).transform((value) => value ?? 'AND'),
})

const action = z
  .strictObject({
    id: text.refine((value) => value === '' || /^[a-z][a-z0-9_]{0,29}$/.test(value), 'Invalid input'),
    type: z.string({ error: 'Invalid input' }).refine(isActionType, 'Choose what to do'),
    parameters: z.record(z.string(), z.unknown(), { error: 'Invalid input' }).nullish(),
    sequenceOrder: whole(1, 1_000),
    waitForPrevious: flag,
  })
  .transform((given, context) => {
    const type = given.type as Step['type']
    const read = readParameters(type, given.parameters ?? {})
    if (read.outcome === 'read') return { ...given, type, parameters: read.parameters }
    for (const { name, message } of read.issues) {
      context.addIssue({ code: 'custom', path: ['parameters', name], message })
    }
    return z.NEVER
  })

const guards = z.strictObject({
  cooldownDays: whole(0, 3_650),
  dailyCap: whole(1, 10_000),
  respectQuietHours: flag,
  askFirst: flag,
  recheckBeforeSending: flag,
})

const ONCE = /^(record|change|day|week|month|period|value:[a-z][a-z0-9_]{0,99})$/

/** Every field a client may send. What the server owns (counts, dates, address) is not among them, and so is refused. */
const fields = {
  name: limited(200).refine((value) => value !== '', NAME_REQUIRED),
  description: limited(2_000),
  active: flag,
  triggerSource: z.enum(TRIGGER_SOURCES, { error: 'Choose what starts it' }),
  webhookSubscriptionId: whole(1, Number.MAX_SAFE_INTEGER),
  triggerType: choice(TRIGGER_TYPES),
  triggerJobUuid: limited(100),
  triggerQueueUuid: limited(100),
  object: limited(64).refine((value) => /^[a-z]*$/.test(value), 'Invalid input'),
  triggerFieldName: limited(100),
  triggerFromValue: limited(500),
  settleMinutes: whole(0, 1_440),
  apiEndpoint: choice(POLL_ENDPOINTS),
  apiMethod: choice(['GET']),
  pollInterval: choice(POLL_INTERVALS),
  runTime: text.refine((value) => value === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(value), 'A time like 09:30'),
  weekday: whole(1, 7),
  dayOfMonth: whole(1, 31),
  workingDays: flag,
  scheduleType: choice(SCHEDULE_TYPES),
  scheduleDate: text.refine(isScheduleDate, 'A date like 2026-03-31'),
  scheduleRecurrence: limited(200),
  conditions: z
    .array(condition, { error: 'Invalid input' })
    .max(MOST_CONDITIONS, `At most ${MOST_CONDITIONS} conditions`)
    .nullish(),
  triggerConditions: z.array(condition, { error: 'Invalid input' }).max(MOST_CONDITIONS).nullish(),
  enableGrouping: flag,
  groupingField: choice(GROUPING_FIELDS),
  digest: flag,
  once: text.refine((value) => value === '' || ONCE.test(value), 'Invalid input'),
  guards: guards.nullish(),
  /** Switching on also acts on what matches already. */
  includeExisting: flag,
  actions: z
    .array(action, { error: ACTION_REQUIRED })
    .min(1, ACTION_REQUIRED)
    .max(MOST_ACTIONS, `At most ${MOST_ACTIONS} actions`),
}

/** `accountUUID` selects the account and is checked by the caller; it says nothing about the rule. */
export const ruleForm = z.strictObject({ ...fields, accountUUID: text }).superRefine((form, context) => {
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  switch (form.triggerSource) {
    case 'webhook':
      if (form.webhookSubscriptionId === undefined && form.object === '') {
        issue('webhookSubscriptionId', 'Choose which events start it')
      }
      if (form.triggerType === undefined) issue('triggerType', 'Choose what has to happen')
      break
    case 'api_polling':
      if (form.apiEndpoint === undefined) issue('apiEndpoint', 'Choose what to look through')
      if (form.pollInterval === undefined) issue('pollInterval', 'Choose how often')
      break
    case 'manual_endpoint':
      break
  }
  if (form.triggerSource !== 'api_polling') {
    if (form.scheduleType === 'scheduled' && form.scheduleDate === '') issue('scheduleDate', DATE_WANTED)
    if (form.scheduleType === 'recurring') {
      const unread = recurrenceProblem(form.scheduleRecurrence)
      if (form.scheduleRecurrence === '') issue('scheduleRecurrence', 'Choose how often')
      else if (unread !== null) issue('scheduleRecurrence', unread)
    }
  }
  if (form.enableGrouping && form.triggerSource !== 'api_polling') issue('enableGrouping', GROUPING_ACTS)
  else if (form.enableGrouping && form.groupingField === undefined) issue('groupingField', 'Choose what to group by')
  if (form.digest && form.triggerSource !== 'api_polling') issue('digest', DIGEST_ACTS)
  const tooLong = ruleTooLong(definitionOf(form, null))
  if (tooLong !== null) context.addIssue({ code: 'custom', path: ['actions'], message: tooLong, params: TOO_LONG_MARK })
})

export type RuleForm = z.output<typeof ruleForm>

/** The id of a rule in an address or a form; null for anything that cannot be one. */
export function parseRuleId(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}

/** Errors by field, as every answer carries them: `actions.0.parameters.to`. */
export type FieldErrors = Record<string, string[]>

export interface FormIssue {
  path: readonly PropertyKey[]
  message: string
  /** Names that are not allowed, of a form that takes certain fields only. */
  keys?: readonly string[]
}

export function issuesByField(issues: readonly FormIssue[]): FieldErrors {
  const errors: FieldErrors = {}
  const add = (field: string, message: string) => {
    const before = Object.hasOwn(errors, field) ? (errors[field] ?? []) : []
    Object.defineProperty(errors, field, {
      value: [...before, message],
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  for (const { path, message, keys } of issues) {
    if (keys) for (const key of keys) add([...path, key].map(String).join('.'), 'Not allowed')
    else add(path.map(String).join('.') || 'form', message)
  }
  return errors
}

/** The first of them as one sentence. */
export function firstIssue(issues: readonly FormIssue[]): string {
  const first = issues[0]
  return first?.keys ? `Not allowed: ${first.keys.join(', ')}` : (first?.message ?? 'Invalid input')
}

/** The switch of the list, and nothing else. */
export const activeOnly = z.strictObject({ active: z.boolean({ error: 'Invalid input' }) })

function isScheduleDate(value: string): boolean {
  if (value === '') return true
  const match = /^(\d{4})-(\d{2})-(\d{2})([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(\.\d+)?Z?)?$/.exec(value)
  if (!match) return false
  const [, year, month, day] = match
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay
}

/** `objectOfWebhook` = the object of the chosen webhook; null = none was chosen, and the form names the object. */
export function definitionOf(form: RuleForm, objectOfWebhook: string | null): RuleDefinition {
  const trigger = triggerOf(form, objectOfWebhook)
  const conditions: Condition[] = (form.conditions ?? form.triggerConditions ?? []).map((one) => ({
    ...one,
    value: one.operator === 'is_empty' || one.operator === 'is_not_empty' ? '' : one.value,
  }))
  const grouping = { enabled: form.enableGrouping === true, field: form.groupingField ?? null }
  const digest = form.digest === true
  const steps = stepsOf(form.actions)
  return {
    description: form.description,
    trigger,
    conditions,
    grouping,
    digest,
    steps,
    once: onceOf(form.once as OncePolicy | '', { trigger, grouping, digest, steps }),
    guards: {
      cooldownDays: form.guards?.cooldownDays ?? DEFAULT_GUARDS.cooldownDays,
      dailyCap: form.guards?.dailyCap ?? DEFAULT_GUARDS.dailyCap,
      respectQuietHours: form.guards?.respectQuietHours ?? DEFAULT_GUARDS.respectQuietHours,
      askFirst: form.guards?.askFirst ?? DEFAULT_GUARDS.askFirst,
      recheckBeforeSending: form.guards?.recheckBeforeSending ?? DEFAULT_GUARDS.recheckBeforeSending,
    },
  }
}

function triggerOf(form: RuleForm, objectOfWebhook: string | null): Trigger {
  const orNull = (value: string) => (value === '' ? null : value)
  switch (form.triggerSource) {
    case 'webhook':
      return {
        source: 'webhook',
        object: objectOfWebhook ?? (form.object === '' ? 'job' : form.object),
        type: form.triggerType ?? 'job_updated',
        webhookSubscriptionId: form.webhookSubscriptionId ?? null,
        jobUuid: orNull(form.triggerJobUuid),
        queueUuid: orNull(form.triggerQueueUuid),
        fieldName: orNull(form.triggerFieldName),
        fromValue: orNull(form.triggerFromValue),
        settleMinutes: form.settleMinutes ?? 0,
        ...collected(form),
      }
    case 'api_polling':
      return {
        source: 'api_polling',
        endpoint: form.apiEndpoint ?? '/api_1.0/job.json',
        method: 'GET',
        interval: form.pollInterval ?? 'daily',
        ...scheduleOf(form),
      }
    case 'manual_endpoint':
      return { source: 'manual_endpoint', ...collected(form) }
  }
}

function scheduleOf(form: RuleForm): Schedule {
  const orNull = (value: string) => (value === '' ? null : value)
  return {
    runTime: form.runTime === '' ? '09:00' : form.runTime,
    weekday: form.weekday ?? 1,
    dayOfMonth: form.dayOfMonth ?? 1,
    workingDays: form.workingDays === true,
    scheduleType: form.scheduleType ?? 'immediate',
    scheduleDate: orNull(form.scheduleDate),
    scheduleRecurrence: orNull(form.scheduleRecurrence),
  }
}

/** Of events and calls: with a schedule they are collected, without one done at once. */
function collected(form: RuleForm): { schedule?: Schedule } {
  const schedule = scheduleOf(form)
  switch (schedule.scheduleType) {
    case 'immediate':
      return {}
    case 'scheduled':
      return { schedule: { ...schedule, scheduleRecurrence: null } }
    case 'recurring':
      return { schedule: { ...schedule, scheduleDate: null } }
  }
}

/** In the order their numbers say, else as they came. A step keeps the id it has; new ones get the next free one. */
function stepsOf(actions: RuleForm['actions']): Step[] {
  const inOrder = [...actions].sort((a, b) => (a.sequenceOrder ?? 0) - (b.sequenceOrder ?? 0))
  const taken = new Set<string>()
  for (const one of inOrder) if (one.id !== '') taken.add(one.id)
  const used = new Set<string>()
  let next = 1
  return inOrder.map((one, index) => {
    let stepId = one.id
    // Twice the same id (a copied line): the second is a new step.
    while (stepId === '' || used.has(stepId)) {
      const candidate = `s${next}`
      next += 1
      stepId = taken.has(candidate) ? '' : candidate
    }
    used.add(stepId)
    return {
      id: stepId,
      type: one.type,
      parameters: one.parameters,
      // The first has nothing to wait for.
      waitForPrevious: index > 0 && one.waitForPrevious === true,
    }
  })
}

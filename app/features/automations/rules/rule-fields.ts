// The flat fields of a rule as sent, each checked separately. Texts are the specification's.
import { z } from 'zod'
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import {
  GROUPING_FIELDS,
  OPERATORS,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  REPLY_MATCHES,
  SCHEDULE_TYPES,
  type Step,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
} from '#app/domain/automations/rule.ts'
import { flag, WANTED } from '#app/domain/wanted.ts'
import { readParameters } from './checks/check-parameters.ts'

const NAME_REQUIRED = 'Automation name is required'
const FIELD_REQUIRED = 'Field is required'
const ACTION_WANTED = 'Choose what to do'
const ACTION_REQUIRED = 'At least one action is required'
export const MOST_CONDITIONS = 50
export const MOST_ACTIONS = 20

/** Null, missing and blank all mean not chosen. */
const text = z
  .union([z.string(), z.number()], WANTED.text)
  .nullish()
  .transform((value) => String(value ?? '').trim())
const limited = (most: number) =>
  text.refine((value) => value.length <= most, `At most ${most.toLocaleString('en')} characters`)
const oneOf = (values: readonly string[]) => ({ error: `Must be one of ${values.join(', ')}` })
const choice = <const T extends readonly string[]>(values: T) =>
  z
    .union([z.enum(values), z.literal('')], oneOf(values))
    .nullish()
    .transform((value): T[number] | undefined => (value === null || value === '' ? undefined : value))
const whole = (least: number, most: number) =>
  z
    .union([z.number(), z.string().regex(/^[-+]?[\d.]*$/, WANTED.number)], WANTED.number)
    .nullish()
    .transform((value) => (value === null || value === undefined || value === '' ? undefined : Number(value)))
    .refine((value) => value === undefined || (Number.isInteger(value) && value >= least && value <= most), {
      message: `A whole number from ${least} to ${most.toLocaleString('en')}`,
    })

const strict = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, WANTED.object)

const condition = strict({
  field: text
    .refine((value) => value !== '', FIELD_REQUIRED)
    .refine((value) => value === '' || /^[a-z][a-z0-9_.]{0,99}$/i.test(value), 'Must be the name of a field'),
  operator: z.enum(OPERATORS, oneOf(OPERATORS)),
  value: limited(1_000),
  logicalOperator: choice(['AND', 'OR']).transform((value) => value ?? 'AND'),
})

const conditions = z
  .array(condition, WANTED.list)
  .max(MOST_CONDITIONS, `At most ${MOST_CONDITIONS} conditions`)
  .nullish()

const action = strict({
  id: text.refine(
    (value) => value === '' || /^[a-z][a-z0-9_]{0,29}$/.test(value),
    'Must have small letters, digits and _, like step_1',
  ),
  type: z.string(ACTION_WANTED).refine(isActionType, ACTION_WANTED),
  parameters: z.record(z.string(), z.unknown(), WANTED.object).nullish(),
  sequenceOrder: whole(1, 1_000),
  waitForPrevious: flag,
}).transform((given, context) => {
  const type = given.type as Step['type']
  const read = readParameters(type, given.parameters ?? {})
  if (read.outcome === 'read') return { ...given, type, parameters: read.parameters }
  for (const { name, message } of read.issues) {
    context.addIssue({ code: 'custom', path: ['parameters', name], message })
  }
  return z.NEVER
})

const guards = strict({
  cooldownDays: whole(0, 3_650),
  dailyCap: whole(1, 100_000),
  respectQuietHours: flag,
  askFirst: flag,
  recheckBeforeSending: flag,
})

const ONCE = /^(record|change|day|week|month|period|value:[a-z][a-z0-9_]{0,99})$/
const { error: ONCE_REFUSED } = oneOf(['record', 'change', 'day', 'week', 'month', 'period', 'value:<field>'])

/** Every field a client may send. Fields the server owns (counts, dates, address) are refused. */
const fields = {
  name: limited(200).refine((value) => value !== '', NAME_REQUIRED),
  description: limited(2_000),
  active: flag,
  triggerSource: z.enum(TRIGGER_SOURCES, { error: 'Choose what starts it' }),
  webhookSubscriptionId: whole(1, Number.MAX_SAFE_INTEGER),
  triggerType: choice(TRIGGER_TYPES),
  triggerJobUuid: limited(100),
  triggerQueueUuid: limited(100),
  object: limited(64).refine((value) => /^[a-z]*$/.test(value), 'Must be an object type, like jobactivity'),
  triggerFieldName: limited(100),
  triggerFromValue: limited(500),
  settleMinutes: whole(0, 1_440),
  atOnce: flag,
  replyMatch: choice(REPLY_MATCHES),
  replyWords: limited(500),
  apiEndpoint: choice(POLL_ENDPOINTS),
  apiMethod: choice(['GET']),
  pollInterval: choice(POLL_INTERVALS),
  runTime: text.refine((value) => value === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(value), 'A time like 09:30'),
  weekday: whole(1, 7),
  dayOfMonth: whole(1, 31),
  workingDays: flag,
  scheduleType: choice(SCHEDULE_TYPES),
  scheduleDate: text.refine(isScheduleDate, 'A local date like 2026-03-31 or 2026-03-31T09:00'),
  scheduleRecurrence: limited(200),
  conditions,
  triggerConditions: conditions,
  enableGrouping: flag,
  groupingField: choice(GROUPING_FIELDS),
  digest: flag,
  once: text.refine((value) => value === '' || ONCE.test(value), ONCE_REFUSED),
  guards: guards.nullish(),
  /** Switching on also acts on existing matches. */
  includeExisting: flag,
  actions: z
    .array(action, { error: ACTION_REQUIRED })
    .min(1, ACTION_REQUIRED)
    .max(MOST_ACTIONS, `At most ${MOST_ACTIONS} actions`),
}

/** `accountUUID` selects the account and is checked by the caller; it is not part of the rule. */
export const ruleFields = z.strictObject({ ...fields, accountUUID: text })

export type RuleForm = z.output<typeof ruleFields>

function isScheduleDate(value: string): boolean {
  if (value === '') return true
  const match = /^(\d{4})-(\d{2})-(\d{2})([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(\.\d+)?)?$/.exec(value)
  if (!match) return false
  const [, year, month, day] = match
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay
}

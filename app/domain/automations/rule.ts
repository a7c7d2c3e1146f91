// What a rule is. Names and allowed values are those of the specification; the screens, the calls, the templates and the
// engine all speak of this one shape.
import type { ActionType } from './action-parameters.ts'

export const TRIGGER_SOURCES = ['webhook', 'api_polling', 'manual_endpoint'] as const
export const TRIGGER_TYPES = ['job_status', 'job_queue', 'job_field', 'job_created', 'job_updated'] as const
export const POLL_INTERVALS = [
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'first_of_month',
  'last_of_month',
  'once',
  'on_demand',
] as const
/** The lists a rule can look through, as the specification spells them. */
export const POLL_ENDPOINTS = [
  '/api_1.0/job.json',
  "/api_1.0/job.json?$filter=active eq '1'",
  '/api_1.0/company.json',
  '/api_1.0/jobactivity.json',
  '/api_1.0/jobcontact.json',
  '/api_1.0/queue.json',
  '/api_1.0/material.json',
] as const
/** What a recurrence may say in one word; a line as cron writes it says the rest. */
export const RECURRENCE_INTERVALS = {
  hourly: 'hourly',
  daily: 'daily',
  weekdays: 'daily',
  weekly: 'weekly',
  monthly: 'monthly',
  first_of_month: 'first_of_month',
  last_of_month: 'last_of_month',
} as const satisfies Record<string, (typeof POLL_INTERVALS)[number]>
export const SCHEDULE_TYPES = ['immediate', 'scheduled', 'recurring'] as const
export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'less_than',
  'is_empty',
  'is_not_empty',
] as const
export const GROUPING_FIELDS = ['company_uuid', 'status', 'queue', 'priority', 'staff_uuid'] as const
export const JOB_STATUSES = ['Quote', 'Work Order', 'Unsuccessful', 'Completed'] as const
export const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent'] as const

export type TriggerSource = (typeof TRIGGER_SOURCES)[number]
export type TriggerType = (typeof TRIGGER_TYPES)[number]
export type PollInterval = (typeof POLL_INTERVALS)[number]
export type PollEndpoint = (typeof POLL_ENDPOINTS)[number]
export type RecurrenceWord = keyof typeof RECURRENCE_INTERVALS
type ScheduleType = (typeof SCHEDULE_TYPES)[number]
export type Operator = (typeof OPERATORS)[number]
export type GroupingField = (typeof GROUPING_FIELDS)[number]

/** When something is done: at once, not before a moment, or at set times. Local to the account. */
export interface Schedule {
  /** Local time of day of the account, `HH:MM`. Hourly rules use its minutes. */
  runTime: string
  /** 1 (Monday) to 7 (Sunday); only for `weekly`. */
  weekday: number
  /** 1 to 31 (the last day where a month is shorter); only for `monthly`. */
  dayOfMonth: number
  /** True = Monday to Friday only. */
  workingDays: boolean
  scheduleType: ScheduleType
  /** `scheduled` (and `once`): local `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM`; not before this. Null = at once. */
  scheduleDate: string | null
  /** `recurring`: a word or cron line of the specification's form, kept as given. */
  scheduleRecurrence: string | null
}

export interface WebhookTrigger {
  source: 'webhook'
  /** Object whose events are watched, normalised: `job`, `jobactivity`, `jobpayment` … */
  object: string
  /** `job_created`, `job_updated` and `job_field` also serve objects other than jobs. */
  type: TriggerType
  /** The webhook the person picked on the form; kept for the answer of the call, not needed to run. */
  webhookSubscriptionId: number | null
  /** Only this job; null = any. */
  jobUuid: string | null
  /** `job_queue`: only when the job comes into this queue; null = any change of queue. */
  queueUuid: string | null
  /** `job_field`: which field; null = any. */
  fieldName: string | null
  /** `job_status` and `job_field`: only from this value; null = from any. Needs a snapshot of the record. */
  fromValue: string | null
  /** Minutes that a change settles before the rule looks (late photos, a booking being dragged). 0 = at once. */
  settleMinutes: number
  /** What it would do is collected and done at that time; absent = at once. Never `immediate`. */
  schedule?: Schedule
}

export interface PollTrigger extends Schedule {
  source: 'api_polling'
  endpoint: PollEndpoint
  method: 'GET'
  interval: PollInterval
}

/** Called from outside with `{job_uuid, date}`; the key of its address is kept beside the rule, not in it. */
export interface ManualTrigger {
  source: 'manual_endpoint'
  /** As of events: calls are collected until then. */
  schedule?: Schedule
}

export type Trigger = WebhookTrigger | PollTrigger | ManualTrigger

/** One line of the filter. The list reads as OR of AND-groups: AND binds tighter. The first line's operator says nothing. */
export interface Condition {
  field: string
  operator: Operator
  /** Empty for `is_empty` and `is_not_empty`. May be `TODAY`, `TODAY-3`, `TODAY+7`. */
  value: string
  logicalOperator: 'AND' | 'OR'
}

/** Parameter values as the form sends them: text, number, flag, list of texts, or rows of materials and bundles. */
export type ParameterValue = string | number | boolean | null | string[] | Record<string, string | number>[]
export type ActionParameters = Record<string, ParameterValue>

export interface Step {
  /** Stable over moves: `s1`, `s2` … Results are kept under it; `action_N_result` means the step at position N today. */
  id: string
  type: ActionType
  parameters: ActionParameters
  /** True = only if the step before it succeeded. Always in order either way. */
  waitForPrevious: boolean
}

/**
 * How often one record may set the rule off.
 * `record`: once ever · `change`: every time it changes and matches, or is called · `day`, `week`, `month`: once per calendar
 * period of the account · `value:<field>`: once for each value of the field (of a manual rule `value:date`: once per job and
 * date) · `period`: every time a rule by the clock looks, or is run by a person.
 */
export type OncePolicy = 'record' | 'change' | 'day' | 'week' | 'month' | 'period' | `value:${string}`

export interface RuleGuards {
  /** Days that a customer gets no second message of this rule; 0 = no limit. */
  cooldownDays: number
  /** Most customer messages of this rule a day; null = the account's. */
  dailyCap: number | null
  /** Customer messages wait for the end of the account's quiet hours. */
  respectQuietHours: boolean
  /** True = every run waits for a person's "send". */
  askFirst: boolean
  /** Checked again on fresh data just before each message to a customer; not met = the step is skipped. */
  recheckBeforeSending: boolean
}

/** What a rule says, as one version of it. Immutable once a run began with it. */
export interface RuleDefinition {
  description: string
  trigger: Trigger
  conditions: Condition[]
  grouping: { enabled: boolean; field: GroupingField | null }
  /** True = one run over everything that matched, with `{count}`, `{job_list}` …, even without groups. */
  digest: boolean
  steps: Step[]
  once: OncePolicy
  guards: RuleGuards
}

/** Does a run of it stand for a group or a whole list? Only looks through a list bring several records together. */
export function isOfMany({
  trigger,
  grouping,
  digest,
}: Pick<RuleDefinition, 'trigger' | 'grouping' | 'digest'>): boolean {
  return digest || (grouping.enabled && trigger.source === 'api_polling')
}

/** Immediate and generous, as the specification implies: what protects is chosen, or comes with a template. */
export const DEFAULT_GUARDS: RuleGuards = {
  cooldownDays: 0,
  dailyCap: null,
  respectQuietHours: false,
  askFirst: false,
  recheckBeforeSending: false,
}

/** Actions that write to a customer. */
const CUSTOMER_ACTIONS: readonly ActionType[] = ['send_sms', 'send_email']

export function writesToCustomers({ steps }: Pick<RuleDefinition, 'steps'>): boolean {
  return steps.some(({ type }) => CUSTOMER_ACTIONS.includes(type))
}

/**
 * What `once` is when nobody chose. Nobody is written to twice about the same record, unless a person runs the rule and is asked
 * each time; without a message an event or a call counts each time, and a rule by the clock tells each record once (each group once
 * per tick).
 */
export function defaultOnce(definition: Pick<RuleDefinition, 'trigger' | 'grouping' | 'digest' | 'steps'>): OncePolicy {
  const { trigger } = definition
  switch (trigger.source) {
    case 'webhook':
      return trigger.type === 'job_created' || writesToCustomers(definition) ? 'record' : 'change'
    case 'manual_endpoint':
      return writesToCustomers(definition) ? 'record' : 'change'
    case 'api_polling':
      if (trigger.interval === 'on_demand') return 'period'
      if (writesToCustomers(definition)) return 'record'
      return definition.grouping.enabled || definition.digest ? 'period' : 'record'
  }
}

/** A rule on events looks at no list: every time it looks is every time it changes. */
export function onceOf(chosen: OncePolicy | '', definition: Parameters<typeof defaultOnce>[0]): OncePolicy {
  if (chosen === '') return defaultOnce(definition)
  return chosen === 'period' && definition.trigger.source !== 'api_polling' ? 'change' : chosen
}

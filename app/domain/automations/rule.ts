// The definition of a rule. Names and allowed values come from the specification; screens, calls, templates and the
// engine all share this shape.
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { ActionType } from './action-parameters.ts'

export const TRIGGER_SOURCES = ['webhook', 'api_polling', 'manual_endpoint'] as const
export const TRIGGER_TYPES = [
  'job_status',
  'job_queue',
  'job_field',
  'job_created',
  'job_updated',
  'customer_replied',
  'message_opened',
  'message_failed',
] as const
/** Which answers of a customer start a rule: any, those with one of its words, a plain yes, a plain no. */
export const REPLY_MATCHES = ['any', 'words', 'yes', 'no'] as const
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
/** The lists a rule can poll, as the specification spells them. */
export const POLL_ENDPOINTS = [
  '/api_1.0/job.json',
  "/api_1.0/job.json?$filter=active eq '1'",
  '/api_1.0/company.json',
  '/api_1.0/jobactivity.json',
  '/api_1.0/jobcontact.json',
  '/api_1.0/queue.json',
  '/api_1.0/material.json',
] as const
/** The recurrences with a one-word form; a cron line covers the others. */
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
export type ReplyMatch = (typeof REPLY_MATCHES)[number]
export type PollInterval = (typeof POLL_INTERVALS)[number]
export type PollEndpoint = (typeof POLL_ENDPOINTS)[number]
export type RecurrenceWord = keyof typeof RECURRENCE_INTERVALS
type ScheduleType = (typeof SCHEDULE_TYPES)[number]
export type Operator = (typeof OPERATORS)[number]
export type GroupingField = (typeof GROUPING_FIELDS)[number]

/** When the actions run: at once, not before a moment, or at set times. In the account's local time. */
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
  /** The watched object, normalized: `job`, `jobactivity`, `jobpayment` … */
  object: string
  /** `job_created`, `job_updated` and `job_field` also serve objects other than jobs. */
  type: TriggerType
  /** The webhook the person picked on the form; kept for the API response, not needed to run. */
  webhookSubscriptionId: number | null
  /** Only this job; null = any. */
  jobUuid: string | null
  /** `job_queue`: only when the job enters this queue; null = any change of queue. */
  queueUuid: string | null
  /** `job_field`: which field; null = any. */
  fieldName: string | null
  /** `job_status` and `job_field`: only from this value; null = from any. Needs a snapshot of the record. */
  fromValue: string | null
  /** Minutes a change settles before the rule evaluates (late photos, a booking being dragged). 0 = at once. */
  settleMinutes: number
  /** True: looks at each change the moment it comes. Missing: waits 2 s, and for changes that come in a row. */
  atOnce?: boolean
  /** `customer_replied`: which answers; missing = any. `words`: separated by commas, as typed. */
  reply?: { match: ReplyMatch; words: string }
  /** Collects the matches and runs the actions at that time; missing = at once. Never `immediate`. */
  schedule?: Schedule
}

export interface PollTrigger extends Schedule {
  source: 'api_polling'
  endpoint: PollEndpoint
  method: 'GET'
  interval: PollInterval
}

/** Called from outside with `{job_uuid, date}`; the key in its address is stored next to the rule, not in it. */
export interface ManualTrigger {
  source: 'manual_endpoint'
  /** Same as for events: calls are collected until then. */
  schedule?: Schedule
}

export type Trigger = WebhookTrigger | PollTrigger | ManualTrigger

/** One filter line. The list reads as OR of AND-groups: AND binds tighter. The first line's operator is ignored. */
export interface Condition {
  field: string
  operator: Operator
  /** Empty for `is_empty` and `is_not_empty`. May be `TODAY`, `TODAY-3`, `TODAY+7`, `NOW`. */
  value: string
  logicalOperator: 'AND' | 'OR'
}

/** Parameter values as the form sends them: text, number, flag, list of texts, or rows of materials and bundles. */
export type ParameterValue = string | number | boolean | null | string[] | Record<string, string | number>[]
export type ActionParameters = Record<string, ParameterValue>

export interface Step {
  /** Stays the same when steps move: `s1`, `s2` … Keys the results; `action_N_result` is the step now at position N. */
  id: string
  type: ActionType
  parameters: ActionParameters
  /** True = only if the previous step succeeded. Steps run in order either way. */
  waitForPrevious: boolean
}

/**
 * How often one record may trigger the rule. `record`: once ever · `change`: every time it changes and matches, or is
 * called · `day`, `week`, `month`: once per calendar period of the account · `value:<field>`: once per value of the
 * field (for a manual rule `value:date`: once per job and date) · `period`: every time a scheduled rule polls, or a
 * person runs it.
 */
export type OncePolicy = 'record' | 'change' | 'day' | 'week' | 'month' | 'period' | `value:${string}`

export interface RuleGuards {
  /** Days before this rule may message the same number or e-mail address again; 0 = no limit. */
  cooldownDays: number
  /** Maximum customer messages of this rule per day; null = the account's cap. */
  dailyCap: number | null
  /** Customer messages wait for the end of the account's quiet hours. */
  respectQuietHours: boolean
  /** True = every run waits until a person releases it. */
  askFirst: boolean
  /** Evaluates again on fresh data right before each customer message; if it no longer matches, skips the step. */
  recheckBeforeSending: boolean
}

/** One version of a rule's definition. Immutable once a run has started with it. */
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

/** Does a run cover a group or a whole list? Only polls bring several records together. */
export function isOfMany({
  trigger,
  grouping,
  digest,
}: Pick<RuleDefinition, 'trigger' | 'grouping' | 'digest'>): boolean {
  return digest || (grouping.enabled && trigger.source === 'api_polling')
}

/** Permissive and immediate, as the specification implies: users choose limits, or templates bring them. */
export const DEFAULT_GUARDS: RuleGuards = {
  cooldownDays: 0,
  dailyCap: null,
  respectQuietHours: false,
  askFirst: false,
  recheckBeforeSending: false,
}

/** The interval in force: a recurrence replaces the chosen one. `line` = a cron line. */
export function intervalInForce(
  trigger: Pick<Schedule, 'scheduleRecurrence'> & Record<'scheduleType' | 'interval', string>,
) {
  const word = (trigger.scheduleRecurrence ?? '').trim().toLowerCase()
  if (trigger.scheduleType !== 'recurring' || word === '') return trigger.interval
  return Object.hasOwn(RECURRENCE_INTERVALS, word) ? RECURRENCE_INTERVALS[word as RecurrenceWord] : 'line'
}

/** Does it check by itself, again and again? */
export function checksAgain(trigger: PollTrigger): boolean {
  return !['once', 'on_demand'].includes(intervalInForce(trigger))
}

/** Does an answer of a customer start the rule? */
export function startsOnAnswers(trigger: Trigger): boolean {
  return trigger.source === 'webhook' && trigger.type === 'customer_replied'
}

/** What is read from the histories of messages. It is no event of the platform, so nothing is watched there. */
const OF_MESSAGES: readonly TriggerType[] = ['customer_replied', 'message_opened', 'message_failed']

/** Does an answer, or what became of a message, start the rule? */
export function startsOnMessages(trigger: Trigger): boolean {
  return trigger.source === 'webhook' && OF_MESSAGES.includes(trigger.type)
}

/** Actions that message a customer. */
const CUSTOMER_ACTIONS: readonly ActionType[] = ['send_sms', 'send_email']

export function writesToCustomers({ steps }: Pick<RuleDefinition, 'steps'>): boolean {
  return steps.some(({ type }) => CUSTOMER_ACTIONS.includes(type))
}

/**
 * The default for `once`. Never messages a customer twice about the same record, unless a person runs the rule and
 * confirms each time. Without a message, every event or call counts, and a scheduled rule handles each record once
 * (each group once per tick).
 */
export function defaultOnce(definition: Pick<RuleDefinition, 'trigger' | 'grouping' | 'digest' | 'steps'>): OncePolicy {
  const { trigger } = definition
  switch (trigger.source) {
    case 'webhook':
      return trigger.type === 'job_created' || writesToCustomers(definition) ? 'record' : 'change'
    case 'manual_endpoint':
      return writesToCustomers(definition) ? 'record' : 'change'
    case 'api_polling':
      if (intervalInForce(trigger) === 'on_demand') return 'period'
      if (writesToCustomers(definition)) return 'record'
      return definition.grouping.enabled || definition.digest ? 'period' : 'record'
  }
}

/** Resolves the chosen policy. A rule on events or calls polls no list, so `period` means `change` there. */
export function onceOf(chosen: OncePolicy | '', definition: Parameters<typeof defaultOnce>[0]): OncePolicy {
  if (chosen === '') return defaultOnce(definition)
  return chosen === 'period' && definition.trigger.source !== 'api_polling' ? 'change' : chosen
}

/** A rule as it is stored, as far as screens and answers show it. */
export interface StoredRule {
  id: number
  name: string
  active: boolean
  definition: RuleDefinition
  /** Polled rules: when the next poll is due; null = only on request. */
  nextRunAt: Millis | null
  /** False = existing matches are not in the ledger yet, so the rule must not act on them. */
  baselined: boolean
  /** Why the engine does not start the rule although it is on; null = not paused. */
  pausedReason: Reason | null
  executionCount: number
  lastExecutedAt: Millis | null
  createdAt: Millis
  updatedAt: Millis
}

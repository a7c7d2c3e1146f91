// Small builders for the library, so each template reads like its sentence.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import {
  type ActionParameters,
  type Condition,
  DEFAULT_GUARDS,
  type OncePolicy,
  type PollInterval,
  type ReplyMatch,
  type RuleDefinition,
  type RuleGuards,
  type Step,
  type Trigger,
  type TriggerType,
} from '#app/domain/automations/rule.ts'
import type { Category } from '#app/domain/template-categories.ts'
import type { LibraryTemplate } from './template.ts'

const SIGNS: Readonly<Record<string, Condition['operator']>> = {
  '=': 'equals',
  '!=': 'not_equals',
  '>': 'greater_than',
  '<': 'less_than',
  has: 'contains',
  lacks: 'not_contains',
  set: 'is_not_empty',
  unset: 'is_empty',
}

/** `status = Quote and contact_mobile set or …`: `and` binds tighter. Throws for a sign it does not know. */
function conditionsOf(text: string): Condition[] {
  return text.split(/(?= and | or )/).map((written) => {
    const logicalOperator = written.startsWith(' or ') ? 'OR' : 'AND'
    const [field = '', sign = '', ...value] = written.replace(/^ (?:and|or) /, '').split(' ')
    const operator = SIGNS[sign]
    if (!operator) throw new Error(`no condition has the sign "${sign}"`)
    return { field, operator, value: value.join(' '), logicalOperator }
  })
}

export function onEvent(
  object: string,
  type: TriggerType,
  more: { fieldName?: string; fromValue?: string; settleMinutes?: number; reply?: ReplyMatch } = {},
): Trigger {
  return {
    source: 'webhook',
    object,
    type,
    webhookSubscriptionId: null,
    jobUuid: null,
    queueUuid: null,
    fieldName: more.fieldName ?? null,
    fromValue: more.fromValue ?? null,
    settleMinutes: more.settleMinutes ?? 0,
    ...(more.reply && { reply: { match: more.reply, words: '' } }),
  }
}

export function every(
  interval: PollInterval,
  runTime: string,
  more: { object?: 'job' | 'jobactivity'; weekday?: number; workingDays?: boolean } = {},
): Trigger {
  return {
    source: 'api_polling',
    endpoint: more.object === 'jobactivity' ? '/api_1.0/jobactivity.json' : "/api_1.0/job.json?$filter=active eq '1'",
    method: 'GET',
    interval,
    runTime,
    weekday: more.weekday ?? 1,
    dayOfMonth: 1,
    workingDays: more.workingDays ?? false,
    scheduleType: 'recurring',
    scheduleDate: null,
    scheduleRecurrence: null,
  }
}

interface Draft extends Pick<LibraryTemplate, 'name' | 'description' | 'overlap'> {
  says: string
  trigger: Trigger
  /** As `conditionsOf` reads it. */
  when?: string
  groupBy?: RuleDefinition['grouping']['field']
  digest?: boolean
  /** Left out: once per record. */
  once?: OncePolicy
  guards?: Partial<RuleGuards>
  /** The only step: a text to the customer. */
  texts?: string
  steps?: Omit<Step, 'id'>[]
}

/** `says`: the rule's own description. */
export function template(id: number, category: Category, draft: Draft): LibraryTemplate {
  const { name, description, overlap, says, trigger, when, groupBy, digest = false, texts } = draft
  const steps = (texts === undefined ? (draft.steps ?? []) : [text(texts)]).map((step, index) => ({
    id: `s${index + 1}`,
    ...step,
  }))
  return {
    id,
    name,
    description,
    category,
    ...(overlap && { overlap }),
    definition: {
      description: says,
      trigger,
      conditions: when === undefined ? [] : conditionsOf(when),
      grouping: { enabled: groupBy !== undefined, field: groupBy ?? null },
      digest,
      steps,
      once: draft.once ?? 'record',
      guards: { ...DEFAULT_GUARDS, ...draft.guards },
    },
  }
}

export function step(type: ActionType, parameters: ActionParameters, waitForPrevious = false): Omit<Step, 'id'> {
  return { type, parameters, waitForPrevious }
}

/** Texts the customer. */
export const text = (message: string, waits = false) =>
  step('send_sms', { to: MOBILE, linkToJob: true, message }, waits)

/** Writes to a colleague. */
export const tell = (toStaffUuid: string, message: string, waits = false) =>
  step('send_staff_message', { toStaffUuid, linkToJob: true, message }, waits)

export const task = (title: string, description: string, waits = false) =>
  step('create_task', { title, description }, waits)

export const noteOnJob = (message: string) => step('post_activity_feed', { message })

/** Makes a document that a later step can send. */
export const pdf = (templateType: string) =>
  step('generate_document', { objectType: 'Job', templateType, outputFormat: 'pdf', createAttachment: true })

/** For an e-mail: sends along what the rule's first step made. */
export const WITH_DOCUMENT = { includeAttachments: true, includeGeneratedDocument: true, documentActionIndex: 1 }

/** Customer messages respect quiet hours … */
export const QUIET: Partial<RuleGuards> = { respectQuietHours: true }

/** … and go out only while the rule's conditions still hold. */
export const TO_CUSTOMERS: Partial<RuleGuards> = { ...QUIET, recheckBeforeSending: true }

const MOBILE = '{entry.0.contact_mobile}'
export const FIRST_NAME = '{entry.0.contact_first_name or "there"}'

// Decides which controls of the rule form are visible, based on other choices. The form uses it to draw and to send: a
// hidden control is neither sent nor described. Its value stays in the form, so the choice can be undone.
import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import { findJobField } from '../actions/job-fields.ts'
import { LINE_SOURCES } from '../actions/job-lines.ts'
import { lengthProblemOf } from '../rules/message-limits.ts'
import {
  type ConditionRow,
  type FormState,
  intervalInForm,
  type LineList,
  objectOfForm,
  plainParameters,
  type StepRow,
  type TopField,
} from './form-state.ts'

/** A job, and what names one: what `belongsToJob` knows without its tables, which are heavy. */
const OF_ONE_JOB = /^(job|job(activity|contact|payment|material)|note|task|attachment|formresponse)$/

/** True when the form shows this control of the rule. For `includeExisting` see `asksAboutExisting`. */
export function isShown(state: FormState, name: TopField): boolean {
  const { triggerSource, triggerType, scheduleType, enableGrouping } = state.values
  const onEvents = triggerSource === 'webhook'
  const checks = triggerSource === 'api_polling'
  switch (name) {
    case 'events':
    case 'triggerType':
      return onEvents
    case 'atOnce':
      return onEvents && !/^(customer|message)_/.test(triggerType)
    case 'settleMinutes':
      // A rule that acts at once waits for nothing.
      return onEvents && (/^(customer|message)_/.test(triggerType) || state.values.atOnce === '')
    case 'triggerJobUuid':
      return onEvents && OF_ONE_JOB.test(objectOfForm(state))
    case 'replyMatch':
      return onEvents && triggerType === 'customer_replied'
    case 'replyWords':
      return onEvents && triggerType === 'customer_replied' && state.values.replyMatch === 'words'
    case 'triggerQueueUuid':
      return onEvents && triggerType === 'job_queue'
    case 'triggerFieldName':
      return onEvents && triggerType === 'job_field'
    case 'triggerFromValue':
      return onEvents && (triggerType === 'job_status' || triggerType === 'job_field')
    case 'apiEndpoint':
    case 'apiMethod':
    case 'pollInterval':
    case 'digest':
    case 'enableGrouping':
      return checks
    case 'groupingField':
      return checks && enableGrouping === 'true'
    case 'scheduleDate':
      return scheduleType === 'scheduled' || intervalInForm(state) === 'once'
    case 'scheduleRecurrence':
      return scheduleType === 'recurring'
    case 'runTime':
      return hasTimeOfDay(state)
    case 'workingDays':
      return checks || (scheduleType === 'recurring' && hasTimeOfDay(state))
    case 'weekday':
      return intervalInForm(state) === 'weekly'
    case 'dayOfMonth':
      return intervalInForm(state) === 'monthly'
    default:
      return true
  }
}

/**
 * The condition that "its status becomes Completed" stands for: shown in the trigger alone. Null = none, or the rule's
 * conditions are more than one `AND` list.
 */
export function becomesRow({ values, conditions }: FormState): ConditionRow | null {
  if (values.triggerSource !== 'webhook' || values.triggerType !== 'job_status') return null
  const [row, ...others] = conditions.filter(({ field, operator }) => field === 'status' && operator === 'equals')
  const joined = conditions.slice(1).every(({ logicalOperator }) => logicalOperator === 'AND')
  return row && others.length === 0 && joined && isStatus(row.value) ? row : null
}

const isStatus = (text: string) => JOB_STATUSES.some((status) => status === text)

/** True when the trigger asks which status; it cannot where the conditions say more about the status than one value. */
export function asksBecomes(state: FormState): boolean {
  if (state.values.triggerType !== 'job_status' || state.values.triggerSource !== 'webhook') return false
  return becomesRow(state) !== null || state.conditions.every(({ field }) => field !== 'status')
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Cron lines and dates with a time have their own time. Events and calls use one only for collected runs. */
function hasTimeOfDay(state: FormState): boolean {
  const { triggerSource, scheduleType, scheduleDate } = state.values
  const interval = intervalInForm(state)
  if (triggerSource === 'api_polling') return interval !== 'on_demand' && interval !== 'line'
  if (scheduleType === 'scheduled') return DAY.test(scheduleDate)
  return scheduleType === 'recurring' && interval !== null && interval !== 'line'
}

/** Returns the effective values: '' for a hidden control. */
export function shownValues(state: FormState): FormState['values'] {
  const { values } = state
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isShown(state, name as TopField) ? value : '']),
  ) as FormState['values']
}

/** The choice that represents the parameters of `LINE_SOURCES`. */
export type LineSource = 'manual' | 'copy' | 'transfer'

export function lineSource(
  { parameters }: Pick<StepRow, 'parameters'>,
  list: LineList,
): { source: LineSource; all: boolean; job: string } {
  const names = LINE_SOURCES[list]
  const on = (name: string) => parameters[name] === 'true'
  const source =
    on(names.copy) || on(names.copyAll) ? 'copy' : on(names.transfer) || on(names.transferAll) ? 'transfer' : 'manual'
  return { source, all: on(names.copyAll) || on(names.transferAll), job: names.job }
}

/** Parameters of each kind of e-mail. */
export const EMAIL_CONTENT: Readonly<Record<string, readonly string[]>> = {
  manual: ['customSubject', 'customBody'],
  html: ['customHtmlSubject', 'customHtmlBody'],
  template: ['emailTemplateId', 'subject', 'htmlBody'],
}

/** True when the form shows that parameter. */
export function isParameterShown(step: Pick<StepRow, 'type' | 'parameters'>, name: string): boolean {
  const { type, parameters } = step
  const on = (other: string) => parameters[other] === 'true'
  switch (type) {
    case 'send_sms':
      return name !== 'smsTemplateId' || on('useSmsTemplate')
    case 'send_email':
      return isEmailPartShown(parameters.contentType || 'manual', name, on)
    case 'create_job': {
      const list = (['materials', 'material_bundles'] as const).find((one) => LINE_SOURCES[one].job === name)
      if (!list) return true
      const { source, all } = lineSource(step, list)
      return source !== 'manual' && !all
    }
    case 'update_job_field': {
      if (name !== 'badgeChange') return true
      const field = findJobField(parameters.fieldName ?? '')
      return field.outcome === 'found' && field.kind === 'badges'
    }
    default:
      return true
  }
}

function isEmailPartShown(content: string, name: string, on: (name: string) => boolean): boolean {
  switch (name) {
    case 'includeJobAttachments':
    case 'includeGeneratedDocument':
      return on('includeAttachments')
    case 'includeAllJobAttachments':
    case 'attachmentFilter':
      return on('includeAttachments') && on('includeJobAttachments')
    case 'documentActionIndex':
      return on('includeAttachments') && on('includeGeneratedDocument')
    default:
      return !Object.entries(EMAIL_CONTENT).some(([other, names]) => other !== content && names.includes(name))
  }
}

/** Why a text is too long, in the words of the save check. `name` = the control's; null = no parameter, or it fits. */
export function limitProblem(state: FormState, name: string, value: string): string | null {
  const [letter, key, part, parameter] = name.split('.')
  if (letter !== 's' || part !== 'p') return null
  const step = state.steps.find((one) => one.key === key)
  const spec = step && plainParameters(step.type).find((one) => one.name === parameter)
  return spec?.kind === 'text' ? lengthProblemOf(spec, value) : null
}

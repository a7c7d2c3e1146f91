// The texts of the rule form: labels and messages, the specification's word for word.
import type {
  GroupingField,
  Operator,
  PollEndpoint,
  PollInterval,
  RecurrenceWord,
  ReplyMatch,
  TriggerSource,
  TriggerType,
} from '#app/domain/automations/rule.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { FieldErrors } from './rule-form.ts'

export const FORM_TEXTS = {
  createFailed: 'Failed to create automation',
  updateFailed: 'Error updating automation',
  /** Used when the server gave no reason. */
  updateFailedWhy: 'Failed to update automation',
  notChecked: 'The texts could not be checked',
  created: 'Automation created',
  updated: 'Automation updated',
  stale: 'Changed elsewhere too. Saving replaces it.',
  backToUnsaved: 'Back to your unsaved automation',
  gone: 'This automation was deleted meanwhile. What you wrote is still here. Cancel the edit to start a new one.',
} as const

/** The message's title and text in one; a screen shows them separately. */
const AUTHENTICATION_ERROR = 'Authentication Error: Please authenticate with the platform first.'

export function authenticationFlash(): Flash {
  const [title = '', description = ''] = AUTHENTICATION_ERROR.split(': ')
  return { kind: 'error', title, description }
}

/** What the form calls the fields that can be wrong. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  name: 'Automation Name',
  description: 'Description',
  active: 'Active',
  webhookSubscriptionId: 'Record',
  object: 'Record',
  triggerType: 'What happens',
  triggerFieldName: 'Field',
  triggerFromValue: 'Only when it was',
  settleMinutes: 'Wait first, in minutes',
  replyWords: 'Words',
  apiEndpoint: 'What to check',
  pollInterval: 'How often',
  runTime: 'Time of day',
  weekday: 'Weekday',
  dayOfMonth: 'Day of the month',
  scheduleDate: 'Schedule Date',
  scheduleRecurrence: 'Recurrence',
  conditions: 'Filter Conditions',
  groupingField: 'Group by',
  once: 'How often for the same record',
  guards: 'Advanced',
  actions: 'Actions to Execute',
}

/** Lists the fields as the form calls them, each once. */
export function formErrorFlash(errors: FieldErrors): Flash {
  const fields = Object.keys(errors).map((path) => path.split('.')[0] ?? path)
  const names = [...new Set(fields.map((field) => FIELD_NAMES[field] ?? field))]
  return {
    kind: 'error',
    title: 'Form Validation Error',
    description: `Please check your form for errors: ${names.join(', ')}`,
  }
}

export function savedFlash(isNew: boolean, active: boolean, warning: string | null): Flash {
  const description = warning ?? (active ? undefined : 'It is switched off until you switch it on.')
  return {
    kind: 'success',
    title: isNew ? FORM_TEXTS.created : FORM_TEXTS.updated,
    ...(description !== undefined && { description }),
  }
}

/** `message` = the server's reason; '' = the default text. */
export function refusedFlash(isNew: boolean, message: string): Flash {
  return isNew
    ? { kind: 'error', title: FORM_TEXTS.createFailed, ...(message !== '' && { description: message }) }
    : { kind: 'error', title: FORM_TEXTS.updateFailed, description: message || FORM_TEXTS.updateFailedWhy }
}

/** `title` = in plain words; `label` = as the specification calls it. */
export const SOURCE_TEXTS: Readonly<Record<TriggerSource, { title: string; label: string; hint: string }>> = {
  webhook: {
    title: 'Something happens',
    label: 'Webhook Event',
    hint: 'Runs within seconds of a change in ServiceM8.',
  },
  api_polling: {
    title: 'On a schedule',
    label: 'Scheduled API Check',
    hint: 'Checks your records at set times and acts on matches.',
  },
  manual_endpoint: {
    title: 'From another program',
    label: 'Manual Endpoint',
    hint: 'Runs when your own software calls a link.',
  },
}

/** For a job; other records can only be created, changed, or changed in one field. */
export const TRIGGER_TYPE_TEXTS: Readonly<Record<TriggerType, string>> = {
  job_status: 'Its status changes',
  job_queue: 'Its queue changes',
  job_field: 'A certain field changes',
  job_created: 'It is created',
  job_updated: 'Anything about it changes',
  customer_replied: 'The customer answers',
  message_opened: 'The customer opens our e-mail',
  message_failed: 'Our message does not arrive',
}

export const REPLY_TEXTS: Readonly<Record<ReplyMatch, string>> = {
  any: 'Any answer',
  words: 'Contains one of these words',
  yes: 'Is a yes',
  no: 'Is a no',
}

export const ENDPOINT_TEXTS: Readonly<Record<PollEndpoint, string>> = {
  '/api_1.0/job.json': 'Jobs',
  "/api_1.0/job.json?$filter=active eq '1'": 'Jobs, active ones only',
  '/api_1.0/company.json': 'Customers',
  '/api_1.0/jobactivity.json': 'Bookings (job activities)',
  '/api_1.0/jobcontact.json': 'Job contacts',
  '/api_1.0/queue.json': 'Queues',
  '/api_1.0/material.json': 'Materials',
}

export const INTERVAL_TEXTS: Readonly<Record<PollInterval, string>> = {
  hourly: 'Every hour',
  daily: 'Every day',
  weekly: 'Every week',
  monthly: 'Every month',
  first_of_month: 'On the first day of the month',
  last_of_month: 'On the last day of the month',
  once: 'Once',
  on_demand: 'Only when you press Run Now',
}

/** The words allowed as a recurrence; anything else is a cron line. */
export const RECURRENCE_TEXTS: Readonly<Record<RecurrenceWord, string>> = {
  hourly: 'Every hour',
  daily: 'Every day',
  weekdays: 'Monday to Friday',
  weekly: 'Every week',
  monthly: 'Every month',
  first_of_month: 'On the first day of the month',
  last_of_month: 'On the last day of the month',
}

export const OPERATOR_TEXTS: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is more than (or after)',
  less_than: 'is less than (or before)',
  is_empty: 'is empty',
  is_not_empty: 'is not empty',
}

/** Of "days in the queue". */
export const ONLY_WITH_DAYS = 'Known only for queues with a number of days in ServiceM8.'

export const GROUPING_TEXTS: Readonly<Record<GroupingField, string>> = {
  company_uuid: 'Customer',
  status: 'Job status',
  queue: 'Queue',
  priority: 'Priority',
  staff_uuid: 'Staff member',
}

/** Objects whose events are offered even without a webhook. */
export const WATCHED_TEXTS: Readonly<Record<string, string>> = {
  job: 'Job',
  jobactivity: 'Job Activity',
  company: 'Company',
  jobcontact: 'Job Contact',
  jobpayment: 'Job Payment',
  jobmaterial: 'Job Material',
  note: 'Note',
  task: 'Task',
  attachment: 'Attachment',
  formresponse: 'Form Response',
  material: 'Material',
}

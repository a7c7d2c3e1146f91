// The meaning of each field of an automation, for the reference; and limits that the form checks by itself.
import type { FieldNote } from '#app/contract/operation.ts'
import { ACTION_TYPES } from '#app/domain/automations/action-parameters.ts'
import { MOST_ACTIONS, MOST_CONDITIONS } from './rule-fields.ts'

export const RULE_FIELD_NOTES: Readonly<Record<string, FieldNote>> = {
  accountUUID: 'The account.',
  name: { description: 'What it is called.', maxLength: 200, required: true },
  description: { description: 'For yourself.', maxLength: 2_000 },
  active: 'False = it is kept and does nothing.',
  triggerSource: 'What starts it.',
  webhookSubscriptionId: 'The webhook whose events start it; the `object` is then its object.',
  triggerType:
    'What has to happen. `job_created`, `job_updated` and `job_field` also serve other objects. `customer_replied`: the customer answers a message of an automation. `message_opened`: they open an e-mail of one. `message_failed`: it bounces, or is not confirmed after 30 minutes.',
  triggerJobUuid: { description: 'Only this job.', maxLength: 100 },
  triggerQueueUuid: { description: 'Only when the job comes into this queue.', maxLength: 100 },
  object: { description: 'Whose events are watched, like `job`.', maxLength: 64 },
  triggerFieldName: { description: '`job_field`: which field; none = any.', maxLength: 100 },
  triggerFromValue: { description: 'Only from this value.', maxLength: 500 },
  settleMinutes: 'How long a change settles before the rule looks: 0 to 1,440.',
  atOnce: 'True = looks at each change at once, if all rules for the same object do. Otherwise after 2 seconds.',
  replyMatch:
    '`customer_replied`: which answers. `words` = one of `replyWords` is in it; `yes` and `no` = the whole answer says so. A `yes` lets waiting messages go on.',
  replyWords: { description: '`words`: separated by commas.', maxLength: 500 },
  apiEndpoint: 'The list it looks through.',
  apiMethod: 'GET.',
  pollInterval: 'How often it looks.',
  runTime: 'A local time of day, `HH:MM`. Hourly rules use its minutes.',
  weekday: '1 (Monday) to 7 (Sunday), for `weekly`.',
  dayOfMonth: '1 to 31, for `monthly`; the last day where a month is shorter.',
  workingDays: 'True = Monday to Friday only.',
  scheduleType: 'When it begins.',
  scheduleDate: '`scheduled` and `once`: a local day, or day and time without a zone; not before this.',
  scheduleRecurrence: { description: '`recurring`: a word, or a line as cron writes it.', maxLength: 200 },
  conditions: { description: 'The filter.', maxItems: MOST_CONDITIONS },
  'conditions.field': 'Like `status` or `company_name`.',
  'conditions.operator':
    'How it is compared. `greater_than` and `less_than` compare numbers as numbers and days as days.',
  'conditions.value': { description: 'May be `TODAY`, `TODAY-3`, `TODAY+7`, `NOW`.', maxLength: 1_000 },
  'conditions.logicalOperator': 'How it is joined to the condition before it.',
  triggerConditions: { description: 'Another spelling of `conditions`.', maxItems: MOST_CONDITIONS },
  'triggerConditions.field': 'As in `conditions`.',
  'triggerConditions.operator': 'As in `conditions`.',
  'triggerConditions.value': 'As in `conditions`.',
  'triggerConditions.logicalOperator': 'As in `conditions`.',
  enableGrouping: 'True = one run for each group of records; only with `api_polling`.',
  groupingField: 'What it groups by.',
  digest: 'True = one run over everything that matched; only with `api_polling`.',
  once: {
    description:
      'How often one record may set it off: `record`, `change`, `day`, `week`, `month`, `period` or `value:<field>`. Left out: `record` when it writes to a customer, except with `on_demand`.',
  },
  guards: 'What protects customers from it.',
  'guards.cooldownDays':
    'Days that a number or e-mail address gets no second message of it, up to 3,650; 0 = no limit.',
  'guards.dailyCap': "Most customer messages a day, 1 to 100,000; none = the account's.",
  'guards.respectQuietHours': 'True = messages wait for the end of quiet hours.',
  'guards.askFirst': 'True = every run waits for a person; then its conditions are checked again.',
  'guards.recheckBeforeSending': 'True = the conditions are checked again before each message.',
  includeExisting: 'True = switching it on also acts on what matches already.',
  actions: { description: 'What it does.', maxItems: MOST_ACTIONS },
  'actions.id': 'Given back as it came; new actions go without.',
  'actions.type': { description: 'What to do.', enum: ACTION_TYPES },
  'actions.parameters': 'By the names of the action: see above.',
  'actions.sequenceOrder': 'The place in the order.',
  'actions.waitForPrevious': 'True = only if the one before succeeded.',
}

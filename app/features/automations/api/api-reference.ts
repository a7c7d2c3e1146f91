// One table, an entry for each call about automations, as the reference tells them.
import { z } from 'zod'
import {
  accountOfPath,
  accountOfQuery,
  DEMO_JOB,
  deleted,
  idOfPath,
  moment,
  type ReferencePart,
} from '#app/contract/operation.ts'
import { ACTION_SPECS, type ParameterSpec } from '#app/domain/automations/action-parameters.ts'
import { POLL_ENDPOINTS } from '#app/domain/automations/rule.ts'
import { WRITABLE_JOB_FIELDS } from '../actions/job-fields.ts'
import { LONGEST_RULE, MOST_OF_RULES } from '../rules/checks/rule-size.ts'
import { RULE_FIELD_NOTES } from '../rules/rule-field-notes.ts'
import { MOST_ACTIONS, MOST_CONDITIONS } from '../rules/rule-fields.ts'
import { activeOnly, ruleForm } from '../rules/rule-form.ts'
import { settingsChange } from '../settings/automation-settings.ts'
import { muteBody } from '../settings/mute.ts'
import { runBody } from '../triggers/run-call.ts'
import { triggerBody } from '../triggers/trigger-call.ts'
import {
  executionAnswer,
  muteAnswer,
  notMetAnswer,
  previewedAnswer,
  ranAnswer,
  ruleAnswer,
  settingsAnswer,
} from './api-answers.ts'
import { executionExample, muteExample, ruleBodyExample, ruleExample, settingsExample } from './api-examples.ts'

const ruleId = idOfPath('The id of the automation.')
const parameterNames = ACTION_SPECS.map(
  ({ type, parameters }) =>
    `\`${type}\`: ${parameters.map((one) => (one.required ? `**${one.name}**` : one.name) + choicesOf(one)).join(', ')}.`,
)

function choicesOf({ choices }: ParameterSpec): string {
  return choices ? ` (${choices.map((one) => `\`${one}\``).join(', ')})` : ''
}

const TOO_LONG = { 422: 'The automation takes too long to check. Make its texts shorter.' }

export const automationCalls: ReferencePart = {
  tags: [
    {
      name: 'Automations',
      says: 'When something happens, only if, then do: rules, their runs, and what protects customers.',
    },
  ],
  schemas: { Automation: ruleAnswer, Execution: executionAnswer, AutomationSettings: settingsAnswer, Mute: muteAnswer },
  operations: [
    {
      id: 'listAutomations',
      method: 'GET',
      route: 'api/automation',
      tag: 'Automations',
      summary: "Lists an account's automations",
      description: ['Oldest first, switched on or off, each with its conditions and actions.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(ruleAnswer), example: [ruleExample] }],
    },
    {
      id: 'createAutomation',
      method: 'POST',
      route: 'api/automation',
      tag: 'Automations',
      summary: "Makes an automation from the form's fields",
      description: [
        'What the server owns (counts, dates, addresses) is refused by name, not ignored.',
        `Webhook rules name \`webhookSubscriptionId\` or \`object\`, and \`triggerType\`. Polled rules name \`apiEndpoint\` (${POLL_ENDPOINTS.map((one) => `\`${one}\``).join(', ')}) and \`pollInterval\`. A manual rule's answer carries its \`triggerUrl\`.`,
        `\`conditions\` (at most ${MOST_CONDITIONS}): AND binds tighter than OR. \`actions\` (at most ${MOST_ACTIONS}) run in order. An automation has at most ${LONGEST_RULE.toLocaleString('en')} characters with all its texts, those of an account together ${MOST_OF_RULES.toLocaleString('en')}.`,
        `The parameters of each action, required ones in bold. ${parameterNames.join(' ')}`,
        'A line of `materials` is `{"material_uuid", "quantity", "unit_cost"}`, one of `material_bundles` `{"bundle_uuid", "quantity"}`; without `quantity` it is 1. Errors name the line and its part: `actions.0.parameters.materials.1.quantity`.',
        `\`update_job_field\` writes one \`fieldName\`: ${WRITABLE_JOB_FIELDS.map(({ name }) => `\`${name}\``).join(', ')}. For \`badges\`, \`fieldValue\` holds names or ids separated by commas; \`badgeChange\` adds or removes these, and without it they replace the whole list.`,
        '`send_notification` posts `{"message", "automation", "job"}` to `url`, signed like a forward. A message of `name=value` lines comes as `data` too. Without `url` it goes to the webhook of the rule, else to the first active webhook that has an address.',
      ],
      who: 'session',
      body: { schema: ruleForm, fields: RULE_FIELD_NOTES, example: ruleBodyExample },
      answers: [{ status: 201, says: 'It was made.', schema: ruleAnswer, example: ruleExample }],
      refusals: TOO_LONG,
    },
    {
      id: 'changeAutomation',
      method: 'PUT',
      route: 'api/automation/:id',
      tag: 'Automations',
      summary: 'Changes an automation: the form, or exactly `{"active": true}`',
      description: ['A run that has begun ends with the version it began with.'],
      who: 'session',
      parameters: [ruleId],
      body: {
        schema: z.union([ruleForm, activeOnly]),
        fields: { ...RULE_FIELD_NOTES, accountUUID: 'May be named, when it is the same.' },
        example: { active: false },
      },
      answers: [{ status: 200, says: 'As it is now.', schema: ruleAnswer, example: { ...ruleExample, active: false } }],
      refusals: TOO_LONG,
    },
    {
      id: 'deleteAutomation',
      method: 'DELETE',
      route: 'api/automation/:id',
      tag: 'Automations',
      summary: 'Deletes an automation',
      description: ['Runs that have not begun are cancelled.'],
      who: 'session',
      parameters: [ruleId],
      answers: [deleted],
    },
    {
      id: 'runAutomation',
      method: 'POST',
      route: 'api/automation/:id/run',
      tag: 'Automations',
      summary: 'Runs an automation now, by hand',
      description: [
        '`preview` plans everything and sends nothing. `bypassConditions` acts on one record only: the one given, else the newest.',
        'Records that were handled before, or were there when it was switched on, are left alone: `execution` is null and `alreadyHandled` says how many and why. `includeHandled` acts on them. The same run for the same record within 10 seconds is answered with the first one, and `repeated` is true.',
      ],
      who: 'session',
      parameters: [ruleId],
      body: {
        schema: runBody,
        fields: {
          bypassConditions: 'True = whatever its conditions say.',
          preview: 'True = show what would happen.',
          adminCheckMode: 'The same, for admins.',
          recordUuid: 'Only this record.',
          includeHandled: 'True = also what was handled before.',
        },
        example: { preview: true },
      },
      answers: [
        {
          status: 200,
          says: 'It runs; or, after `preview` and `adminCheckMode`, what would happen.',
          schema: z.union([ranAnswer, previewedAnswer]),
          example: {
            message: 'This is what would happen. Nothing was sent.',
            execution: executionExample,
            preview: { steps: [], customerMessages: 1, credits: 1, matched: 1, total: 60 },
          },
        },
      ],
      refusals: {
        400: 'Nothing matched: `conditionsNotMet` is true, and `failedConditions` says why. Or there is no such record.',
        403: '`adminCheckMode` without the role of an admin.',
        502: 'ServiceM8 cannot be asked.',
      },
      refusalSchemas: { 400: notMetAnswer },
      limit: '20 a minute and account',
    },
    {
      id: 'triggerAutomation',
      method: 'POST',
      route: 'api/automation/:id/trigger',
      tag: 'Automations',
      summary: 'Starts a manual automation, for other programs',
      description: [
        'The key in the address is the proof: no session, and cookies are not looked at. A wrong or missing key is answered like an automation that does not exist.',
        'Each call is one run. Only an equal `Idempotency-Key` within 24 hours is the same run.',
        'The `message` says when the run waits because nothing is sent for the account.',
      ],
      who: 'key',
      parameters: [
        ruleId,
        {
          name: 'key',
          in: 'query',
          schema: z.string(),
          required: true,
          description: 'From the `triggerUrl` of the automation.',
        },
        {
          name: 'Idempotency-Key',
          in: 'header',
          schema: z.string().max(255),
          required: false,
          description: 'Your own name for this call: up to 255 visible characters.',
        },
      ],
      body: {
        schema: triggerBody,
        fields: {
          job_uuid: 'The job it is about.',
          date: { description: 'A day of the calendar, `YYYY-MM-DD`.', format: 'date' },
        },
        example: { job_uuid: DEMO_JOB, date: '2026-11-22' },
      },
      answers: [
        {
          status: 202,
          says: 'It was started, or had been.',
          schema: z.object({ message: z.string(), executionId: z.int() }),
          example: { message: 'Automation triggered', executionId: 233 },
        },
      ],
      refusals: { 409: 'The automation is switched off or stopped.' },
      limit: '60 a minute and automation',
    },
    {
      id: 'listExecutions',
      method: 'GET',
      route: 'api/automation-logs/:accountUUID',
      tag: 'Automations',
      summary: 'Lists the last 20 executions of all automations, step by step',
      description: [
        'Each record in `triggerData.conditionMatching.matchedRecords` names its customer: `companyUuid`, `companyName`.',
      ],
      who: 'session',
      parameters: [accountOfPath],
      answers: [{ status: 200, says: 'Newest first.', schema: z.array(executionAnswer), example: [executionExample] }],
    },
    {
      id: 'showAutomationSettings',
      method: 'GET',
      route: 'api/automation-settings',
      tag: 'Automations',
      summary: 'Shows what counts for all automations of the account',
      description: [
        'Quiet hours count for every automation with `quietForAll`, else for those with `respectQuietHours`. Messages wait until quiet hours end.',
        'A message that comes before `customerCooldownDays` are over is skipped. What is over `ruleDailyCap`, `accountDailyCap` or `floodPerHour` is held until a person sends or discards it.',
      ],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        { status: 200, says: 'Every setting, and `defaults`.', schema: settingsAnswer, example: settingsExample },
      ],
    },
    {
      id: 'changeAutomationSettings',
      method: 'PUT',
      route: 'api/automation-settings',
      tag: 'Automations',
      summary: 'Changes what is named',
      description: ['What is not named stays as it is. The settings count for all automations of the account.'],
      who: 'session',
      parameters: [accountOfQuery],
      body: {
        schema: settingsChange,
        fields: {
          quietFrom: 'A local time of day, `HH:MM`.',
          quietTo: 'The end, which may be on the next morning. The same time twice = no quiet hours.',
          quietWeekends: 'True = Saturday and Sunday are quiet all day, too.',
          quietForAll: 'True = for every automation.',
          customerCooldownDays: 'Days between two messages to one customer; 0 = no limit.',
          ruleDailyCap: 'Most customer messages a day of one automation that says nothing itself.',
          accountDailyCap: 'Most customer messages a day of all automations together.',
          floodPerHour: 'More customer messages of one automation within an hour are held.',
          senderStaffUuid:
            'In whose name staff are written to, and whose signature e-mails carry; null = the first active staff member.',
        },
        example: { quietFrom: '19:00', quietTo: '07:30' },
      },
      answers: [
        {
          status: 200,
          says: 'Every setting as it is now.',
          schema: settingsAnswer,
          example: { ...settingsExample, quietFrom: '19:00', quietTo: '07:30' },
        },
      ],
      refusals: { 502: 'Another sender was named, and ServiceM8 cannot be asked who works there.' },
    },
    {
      id: 'listMutes',
      method: 'GET',
      route: 'api/mutes',
      tag: 'Automations',
      summary: 'Lists the customers and jobs that no automation writes about, newest first',
      description: ['With who stopped the messages, and when.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(muteAnswer), example: [muteExample] }],
    },
    {
      id: 'mute',
      method: 'POST',
      route: 'api/mutes',
      tag: 'Automations',
      summary: 'Stops all automatic messages to a customer, or about a job',
      description: ['Messages that already left are not called back. Runs say that they left the customer out.'],
      who: 'session',
      parameters: [accountOfQuery],
      body: {
        schema: muteBody,
        fields: {
          kind: '`company` = a customer, unless it says `job`.',
          recordUuid: { description: 'The uuid of the customer or the job.', format: 'uuid' },
          until: 'A moment with its zone; null = for good.',
        },
        example: { kind: 'company', recordUuid: 'e0a4c1d8-3f57-4b62-9c8e-6d1b7a2f4503', until: null },
      },
      answers: [
        { status: 201, says: 'It was stopped.', schema: muteAnswer, example: muteExample },
        {
          status: 200,
          says: 'It replaced the one of the same record.',
          schema: muteAnswer,
          example: { ...muteExample, until: moment.parse('2026-12-24T00:00:00Z') },
        },
      ],
    },
    {
      id: 'unmute',
      method: 'DELETE',
      route: 'api/mutes/:id',
      tag: 'Automations',
      summary: 'Allows messages again',
      description: ['Messages that were left out meanwhile are not sent later.'],
      who: 'session',
      parameters: [idOfPath('The id in the list of what is stopped.')],
      answers: [deleted],
    },
  ],
}

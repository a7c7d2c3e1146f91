// Response schemas of the automation API. Each checks that its type fits the view.
import { z } from 'zod'
import { id, moment } from '#app/contract/operation.ts'
import { type AutomationSettings, accountGuardsSchema } from '#app/domain/automations/account-guards.ts'
import { ACTION_TYPES } from '#app/domain/automations/action-parameters.ts'
import {
  GROUPING_FIELDS,
  OPERATORS,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  REPLY_MATCHES,
  SCHEDULE_TYPES,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
} from '#app/domain/automations/rule.ts'
import type { formFields, ruleJson } from '../rules/rule-json.ts'
import type { muteJson } from '../settings/mute.ts'

const texts = z.record(z.string(), z.string())
const text = z.string()
const textOrNull = text.nullable()
const whole = z.int().nullable()

const parameters = z
  .record(
    z.string(),
    z.union([
      text,
      z.number(),
      z.boolean(),
      z.null(),
      z.array(text),
      z.array(z.record(z.string(), z.union([text, z.number()]))),
    ]),
  )
  .describe('By the names of the action.')

/** Fields of a rule; a template has the same. */
export const ruleFields = {
  triggerSource: z.enum(TRIGGER_SOURCES),
  webhookSubscriptionId: whole,
  triggerType: z.enum(TRIGGER_TYPES).nullable(),
  triggerJobUuid: textOrNull,
  triggerQueueUuid: textOrNull,
  object: textOrNull,
  triggerFieldName: textOrNull,
  triggerFromValue: textOrNull,
  settleMinutes: whole,
  atOnce: z.boolean().nullable(),
  replyMatch: z.enum(REPLY_MATCHES).nullable(),
  replyWords: textOrNull,
  apiEndpoint: z.enum(POLL_ENDPOINTS).nullable(),
  apiMethod: z.literal('GET').nullable(),
  pollInterval: z.enum(POLL_INTERVALS).nullable(),
  runTime: textOrNull,
  weekday: whole,
  dayOfMonth: whole,
  workingDays: z.boolean().nullable(),
  scheduleType: z.enum(SCHEDULE_TYPES),
  scheduleDate: textOrNull,
  scheduleRecurrence: textOrNull,
  digest: z.boolean(),
  once: z
    .templateLiteral([z.literal('value:'), text])
    .or(z.enum(['record', 'change', 'day', 'week', 'month', 'period']))
    .describe(
      'How often one record may set it off. `record`: once. `day`, `week`, `month`: once per period. `change`: every time it changes or is called. `period`: every time it checks or is run. `value:<field>`: once for each value. Left out: `record` when it writes to a customer, except with `on_demand`.',
    ),
  guards: z.object({
    cooldownDays: z.number(),
    dailyCap: z.number().nullable(),
    respectQuietHours: z.boolean(),
    askFirst: z.boolean(),
    recheckBeforeSending: z.boolean(),
  }),
  actions: z.array(
    z.object({
      id: text.describe('Stays when actions are moved.'),
      type: z.enum(ACTION_TYPES),
      parameters,
      sequenceOrder: z.int(),
      waitForPrevious: z.boolean(),
    }),
  ),
}

export const conditionFields = z.array(
  z.object({ field: text, operator: z.enum(OPERATORS), value: text, logicalOperator: z.enum(['AND', 'OR']) }),
)

export const groupingField = z.enum(GROUPING_FIELDS).nullable()

const form = z.object({
  ...ruleFields,
  description: text,
  conditions: conditionFields,
  enableGrouping: z.boolean(),
  groupingField,
}) satisfies z.ZodType<ReturnType<typeof formFields>>

export const ruleAnswer = z.object({
  id,
  accountUUID: text,
  name: text,
  active: z.boolean(),
  ...form.shape,
  executionCount: z.int(),
  lastExecuted: moment.nullable(),
  createdAt: moment.nullable(),
  updatedAt: moment.nullable(),
  triggerUrl: textOrNull.describe('The whole address of a manual automation, key included; null for others.'),
  sentence: text.describe('The automation as one sentence.'),
  nextRunAt: moment.nullable(),
  preparing: z.boolean().describe('True while what is there already is being noted, before it starts.'),
  pausedReason: textOrNull,
  pausedReasonCode: textOrNull.describe('The same for programs; null = not paused, or a text of others.'),
  openBlanks: z.array(text).describe('What is still to be filled in.'),
  warning: text.optional(),
}) satisfies z.ZodType<ReturnType<typeof ruleJson>>

const standing = z.enum(['not_begun', 'open', 'sent', 'skipped', 'failed', 'unknown', 'held'])
const kind = z.enum([
  'none',
  'create_record',
  'update_record',
  'send_sms',
  'send_email',
  'produce_document',
  'post_webhook',
  'post_feed',
])
const effectClass = z.enum(['none', 'set', 'create', 'document', 'customer', 'staff', 'webhook'])

const historyItem = z.object({
  key: text,
  kind,
  effectClass,
  summary: text,
  state: z.enum(['planned', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'held']),
  resolved: texts.describe('Final, as it was or will be sent.'),
  result: texts.nullable(),
  error: textOrNull,
  reasonCode: textOrNull.describe('`error` for programs; null = a text of others.'),
  errorClass: textOrNull,
  attempts: z.int(),
  tries: z.array(z.object({ at: moment, endedAt: moment, outcome: text, sentence: textOrNull })),
  plannedAt: moment,
  sendingAt: moment.nullable(),
  endedAt: moment.nullable(),
  nextAttemptAt: moment.nullable(),
  receipt: z
    .object({
      state: z.enum(['open', 'listed', 'delivered', 'opened', 'bounced', 'missing', 'none']),
      at: moment.nullable(),
      lookedAt: moment.nullable(),
    })
    .nullable()
    .describe("What became of a message, by ServiceM8's history. missing = not there after half an hour."),
  settle: z.boolean().describe('"May have been sent": a person decides.'),
})

const matchedRecord = z.object({
  jobId: text,
  companyUuid: text.optional(),
  status: text,
  jobDescription: text,
  companyName: text,
  jobAddress: text,
  totalInvoiceAmount: text,
})

export const executionAnswer = z.object({
  id: z.int(),
  automationRuleId: z.int(),
  accountUUID: text,
  triggerData: z.object({
    description: text,
    object: text,
    manualTrigger: z.boolean(),
    conditionMatching: z.object({ totalRecords: z.int(), matchedRecords: z.array(matchedRecord) }).nullable(),
    bypassedConditions: z.boolean(),
    changes: z.array(z.object({ field: text, from: textOrNull, to: text })),
    values: texts,
  }),
  actionsExecuted: z.array(
    z.object({
      action: text,
      success: z.boolean(),
      parameters,
      result: z
        .object({
          message: text,
          templateReplacements: z.array(
            z.object({
              variable: text.describe('The name between the braces.'),
              written: text.describe('The whole placeholder as it stands in the automation.'),
              originalValue: text.describe('The value before its format; empty = there was none.'),
              resolvedValue: text.describe('What stands in its place.'),
            }),
          ),
          resolvedFields: texts,
        })
        .catchall(z.unknown()),
      context: z.object({ stepId: text, sequenceOrder: z.int(), state: standing, waitForPrevious: z.boolean() }),
      error: textOrNull,
      errorStack: z.null(),
    }),
  ),
  executionStatus: z
    .enum(['success', 'partial', 'failure'])
    .nullable()
    .describe(
      'Null = not over. `success`: every step succeeded or was deliberately skipped; `failure`: something failed and nothing was done.',
    ),
  errorMessage: textOrNull,
  createdAt: moment.describe('When it was set off: the newest comes first.'),
  executedAt: moment.describe('When it started; until then, as `createdAt`.'),
  automationName: text,
  automationVersion: z.int(),
  source: z.enum(['webhook', 'poll', 'manual', 'person']),
  state: z.enum(['queued', 'running', 'waiting', 'held', 'done']),
  outcome: z.enum(['success', 'partial', 'failure', 'nothing', 'cancelled']).nullable(),
  reason: textOrNull,
  reasonCode: textOrNull.describe('The same for programs; null = a text of others.'),
  needsYou: z.boolean().describe('A person has to decide something about it.'),
  object: text,
  recordUuids: z.array(text),
  groupKey: textOrNull,
  replayOf: z.int().nullable(),
  startedAt: moment.nullable(),
  endedAt: moment.nullable(),
  nextAttemptAt: moment.nullable().describe('When it continues automatically.'),
  steps: z.array(
    z.object({
      stepId: text,
      sequenceOrder: z.int(),
      action: text,
      state: standing,
      warnings: z.array(text),
      notes: z.array(text).describe('What was as it should be, and is good to know.'),
      items: z.array(historyItem),
    }),
  ),
})

const guardVerdict = z.union([
  z.object({ outcome: z.literal('now') }),
  z.object({ outcome: z.literal('later'), at: z.number().describe('Milliseconds since 1970.'), sentence: text }),
  z.object({ outcome: z.literal('skip'), sentence: text }),
  z.object({ outcome: z.literal('hold'), sentence: text }),
])

export const previewedStep = z.object({
  stepId: text,
  sequenceOrder: z.int(),
  action: text,
  /** `left_out` = would not start, or has nothing to do; `impossible` = would fail; `unanswered` = unknown now. */
  outcome: z.enum(['would_run', 'left_out', 'impossible', 'unanswered']),
  /** Why it is left out, or would fail. */
  sentence: textOrNull,
  effects: z.array(
    z.object({
      kind,
      effectClass,
      summary: text,
      channel: z.enum(['sms', 'email']).nullable(),
      /** Null = none, it is a change in ServiceM8. */
      to: textOrNull,
      /** Final texts and values, exactly as sent. */
      fields: texts,
      changes: z.array(z.object({ field: text, from: text, to: text })),
      credits: z.int(),
      attachments: z.array(text),
      /** Now; null = the guards do not apply. */
      guard: guardVerdict.nullable(),
    }),
  ),
  warnings: z.array(z.object({ code: text, sentence: text })),
})

export const ranAnswer = z.object({
  message: text,
  execution: executionAnswer.nullable(),
  executions: z.array(executionAnswer),
  started: z.int(),
  repeated: z.boolean().describe('The same run was asked for within 10 seconds: this is that run.'),
  doneBefore: z.int().describe('The count of `alreadyHandled`.'),
  alreadyHandled: z
    .object({ count: z.int(), why: text })
    .nullable()
    .describe('Records that match and were left alone. Null = none. `includeHandled` acts on them too.'),
})

export const previewedAnswer = z.object({
  message: text,
  execution: executionAnswer,
  preview: z.object({
    steps: z.array(previewedStep),
    customerMessages: z.int(),
    credits: z.int(),
    matched: z.int(),
    total: z.int(),
  }),
})

export const notMetAnswer = z.object({
  message: text,
  conditionsNotMet: z.literal(true),
  automationId: id,
  automationName: text,
  failedConditions: z.array(z.object({ field: text, operator: z.enum(OPERATORS), value: text })),
})

const settings = z.object({
  ...accountGuardsSchema.shape,
  senderStaffUuid: textOrNull,
}) satisfies z.ZodType<AutomationSettings>
export const settingsAnswer = z.object({
  ...settings.shape,
  defaults: settings.describe('What counts until somebody chooses.'),
})

export const muteAnswer = z.object({
  id,
  kind: z.enum(['company', 'job']),
  recordUuid: text,
  name: textOrNull.describe('As it was called when it was stopped.'),
  until: moment.nullable().describe('Null = for good. ISO 8601, UTC.'),
  createdAt: moment,
  createdBy: textOrNull,
}) satisfies z.ZodType<ReturnType<typeof muteJson>>

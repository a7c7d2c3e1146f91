// Response schemas of the calls for webhooks, forwarding rules and notices. Each one must match the type of its view.
import { z } from 'zod'
import { id, moment } from '#app/contract/operation.ts'
import { MAIL_TOPICS, NOTICE_KINDS } from '#app/domain/notices/notice.ts'
import type { noticeJson, noticeSettingsJson } from '#app/features/notices/notice-view.ts'
import type { checkJson } from '../controls/endpoint-check.ts'
import type { replayJson } from '../controls/replay-request.ts'
import type { comparisonJson } from '../subscriptions/upstream-text.ts'

const status = z
  .enum(['working', 'waiting', 'no_address', 'slow', 'failing', 'held', 'paused', 'stopped', 'unsubscribed'])
  .describe(
    '`waiting`: nothing has been delivered yet. `no_address`: events are kept and nothing is forwarded. `stopped`: the receiver answered 410. `unsubscribed`: ServiceM8 sends us no events at present.',
  )
const statusMessage = z.string().describe('The status as a sentence; may be empty.')
const pending = z.int().describe('Events that wait for this address.')
const warning = z
  .string()
  .optional()
  .describe('Only when something about the address or the fields deserves attention.')

export const webhookAnswer = z.object({
  id,
  objectType: z.string(),
  callbackUrl: z.string().describe('Where events are forwarded to; empty = nowhere.'),
  fields: z.string().describe('Comma-separated; empty = all.'),
  active: z.boolean(),
  servicem8Id: z.string().nullable().describe("ServiceM8's number of the subscription."),
  accountUUID: z.string(),
  createdAt: moment,
  forwardingUrl: z
    .string()
    .nullable()
    .describe('Our address that ServiceM8 posts to; null where it posts nothing and we look ourselves.'),
  status,
  statusMessage,
  pending,
  warning,
})

export const ruleAnswer = z.object({
  id,
  accountUUID: z.string(),
  name: z.string(),
  objectType: z.string(),
  forwardUrl: z.string(),
  active: z.boolean(),
  fieldFilters: z.string().describe('Comma-separated; empty = all.'),
  createdAt: moment,
  status,
  statusMessage,
  pending,
  warning,
})

export const testAnswer = z.object({
  success: z.boolean().describe('The address answered 2xx.'),
  statusCode: z.int().nullable().describe('Null = no answer came.'),
  responseTime: z.number().describe('Milliseconds.'),
  error: z.string().nullable().describe('Why not, in a sentence.'),
})

const verdict = z.enum(['ok', 'warn', 'fail', 'skipped'])
export const checkAnswer = z.object({
  url: z.string(),
  checkedAt: moment,
  verdict: verdict.describe('The worst of the steps.'),
  summary: z.string(),
  steps: z.array(
    z.object({
      name: z.enum(['address', 'name', 'connection', 'certificate', 'redirect', 'answer', 'latest']),
      verdict,
      sentence: z.string(),
      fix: z.string().nullable().describe('What to do about it.'),
    }),
  ),
}) satisfies z.ZodType<ReturnType<typeof checkJson>>

export const replayStarted = z.object({
  count: z.int().describe('Events that were found.'),
  replayId: z.int().nullable().describe('Null after `dryRun`.'),
})

export const replayAnswer = z.object({
  replayId: id,
  state: z.enum(['running', 'done', 'cancelled']),
  count: z.int(),
  delivered: z.int(),
  undelivered: z.int(),
  since: moment,
  status: z.enum(['all', 'failed']),
  objectUuid: z.string().nullable(),
  createdAt: moment,
  endedAt: moment.nullable(),
}) satisfies z.ZodType<ReturnType<typeof replayJson>>

export const rotationAnswer = z.object({
  signingSecret: z.string().describe('`whsec_…`, shown this once and on the card.'),
  previousValidUntil: moment.describe('Until then events carry both signatures. ISO 8601, UTC.'),
})

export const comparisonAnswer = z.object({
  objects: z.array(
    z.object({
      object: z.string(),
      outcome: z.enum(['fine', 'repaired', 'failed']),
      reason: z
        .string()
        .nullable()
        .describe("Why it had ended, in ServiceM8's words; null = it was simply not listed."),
      since: moment.nullable(),
      message: z.string().nullable().describe('Why subscribing again did not work.'),
    }),
  ),
}) satisfies z.ZodType<ReturnType<typeof comparisonJson>>

export const noticeAnswer = z.object({
  id,
  kind: z.enum(NOTICE_KINDS),
  webhookId: z.int().nullable(),
  forwardingRuleId: z.int().nullable(),
  automationId: z.int().nullable().describe('Null here and in the two before = it is about the account.'),
  title: z.string(),
  sentence: z.string(),
  count: z.int().describe('How often since then.'),
  since: moment.describe('When the change happened. ISO 8601, UTC.'),
  createdAt: moment,
  mail: z.string().nullable().describe('Whether it was mailed, or why not; null = not yet.'),
}) satisfies z.ZodType<ReturnType<typeof noticeJson>>

export const noticeSettingsAnswer = z.object({
  byMail: z.boolean(),
  email: z.string().nullable().describe('Null = the address ServiceM8 has.'),
  topicsOff: z.array(z.enum(MAIL_TOPICS)).describe('What is shown on the pages only.'),
  weekly: z.boolean().describe('True = one line a week.'),
  holidaysOff: z.boolean().describe('True = public holidays do not count as silence.'),
  closedDays: z.array(z.object({ from: z.string(), to: z.string() })).describe('Days without work, as local dates.'),
  problem: z.string().nullable().describe('Why no e-mail can be sent at present; null = they can.'),
}) satisfies z.ZodType<ReturnType<typeof noticeSettingsJson>>

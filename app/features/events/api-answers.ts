// Response schemas of the calls for events and deliveries. The reference shows them, tests check real answers.
import { z } from 'zod'
import { id, moment } from '#app/contract/operation.ts'
import type { AttemptTiming } from '#app/domain/deliveries/attempt-timing.ts'
import type { DeliveryJson } from './delivery-detail.ts'
import { DELIVERY_STATUSES } from './delivery-status.ts'
import type { logEntryJson } from './log.ts'
import { SEARCH_STATUSES } from './search-view.ts'

const ms = z.number().nullable()
const timing = z
  .object({ dnsMs: ms, connectMs: ms, tlsMs: ms, firstByteMs: ms })
  .nullable()
  .describe('Milliseconds; null = nothing was sent.') satisfies z.ZodType<AttemptTiming | null>

const test = z.boolean().describe('True = sent by Send test event: no record changed.')

export const forwardingResult = z.object({
  deliveryId: z.int(),
  rule: z.string().optional().describe("The forwarding rule whose address it is; absent = the webhook's own."),
  attempt: z.int(),
  url: z.string(),
  success: z.boolean(),
  statusCode: z.int().nullable(),
  responseTime: z.number().describe('Milliseconds.'),
  timing,
  error: z.string().nullable().describe('One sentence; null when delivered.'),
  responseBody: z
    .string()
    .nullable()
    .optional()
    .describe('What the receiver answered, at most 4 KB. Absent with `hasDetails=false`, and in the webhook activity.'),
  at: moment,
  nextAttemptAt: moment.nullable().describe('Of the last attempt. Null = none, or it depends on a person.'),
})

export const logEntry = z.object({
  id: z.int(),
  type: z.string(),
  objectUuid: z.string(),
  test,
  timestamp: moment,
  receivedAt: moment,
  changedFields: z.array(z.string()),
  forwardedTo: z.array(z.string()),
  forwardingResults: z.array(forwardingResult),
}) satisfies z.ZodType<ReturnType<typeof logEntryJson>>

const cause = z.enum(['live', 'replay', 'retry', 'test'])
const recordName = z
  .string()
  .describe('What people call the record, as far as we know: `Note on job 3128 · Joan Hartley`.')
const eventFacts = {
  id: z.string().describe('The header `webhook-id` has it without dashes: `evt_` + this + `_` + a number.'),
  objectType: z.string(),
  objectUuid: z.string(),
  recordName,
  changedFields: z.array(z.string()),
}

const ruleName = z.string().nullable().describe("The forwarding rule; null = the webhook's own address.")
const lastCode = z.int().nullable().describe('Null also when another sending delivered it.')

export const foundDeliveries = z.object({
  deliveries: z.array(
    z.object({
      deliveryId: z.int().nullable().describe('Null = the event was not forwarded.'),
      status: z.enum(SEARCH_STATUSES),
      cause: cause.nullable(),
      url: z.string().nullable(),
      rule: ruleName,
      attempts: z.int(),
      lastStatusCode: lastCode,
      sentence: z.string().nullable().describe('How it stands.'),
      nextAttemptAt: moment.nullable(),
      canSendAgain: z.boolean(),
      event: z.object({ ...eventFacts, test, receivedAt: moment.nullable() }),
    }),
  ),
  next: z.string().nullable().describe('Goes on as `before`; null at the end.'),
  complete: z
    .boolean()
    .describe(
      'False = enough was looked at for one request: go on with `next` to see everything. Without `next`: too many records are called that.',
    ),
  lookedBackTo: moment.nullable(),
})

export const delivery = z.object({
  id,
  status: z.enum(DELIVERY_STATUSES),
  cause,
  sentence: z.string(),
  waiting: z.object({ reason: z.string(), nextAttemptAt: moment.nullable(), until: moment }).nullable(),
  createdAt: moment,
  settledAt: moment.nullable(),
  request: z.object({
    method: z.literal('POST'),
    url: z.string(),
    headers: z.record(z.string(), z.string().nullable()).describe('The signature is left out.'),
    body: z.string().nullable().describe('Null = no longer kept.'),
    attempt: z.int().nullable(),
    sentAt: moment.nullable(),
  }),
  attempts: z.array(
    z.object({
      number: z.int(),
      at: moment,
      sent: z.boolean(),
      delivered: z.boolean(),
      outcome: z.string(),
      sentence: z.string(),
      statusCode: z.int().nullable(),
      durationMs: z.number(),
      timing,
      url: z.string(),
      peerIp: z.string().nullable(),
      responseBody: z.string().nullable(),
    }),
  ),
  attemptsMade: z.int(),
  event: z.object({ ...eventFacts, number: z.int(), source: z.string(), receivedAt: moment }),
  webhookId: z.int().nullable(),
  otherDeliveries: z
    .array(
      z.object({
        id: z.int(),
        status: z.enum(DELIVERY_STATUSES),
        cause,
        url: z.string(),
        rule: ruleName,
        attempts: z.int(),
        lastCode,
        createdAt: moment,
      }),
    )
    .describe('Of the same event, newest first.'),
  canSendAgain: z.boolean(),
}) satisfies z.ZodType<DeliveryJson>

export const webhookActivity = z.object({
  id: z.int(),
  accountUUID: z.string(),
  objectType: z.string(),
  objectUuid: z.string(),
  recordName,
  test,
  changedFields: z.array(z.string()),
  webhookData: z.unknown().describe('What ServiceM8 sent; null = no longer kept.'),
  forwardedTo: z.array(z.string()),
  forwardingResults: z.array(forwardingResult),
  receivedAt: moment,
})

export const apiActivity = z.object({
  id: z.int(),
  accountUUID: z.string(),
  activityType: z.string(),
  activityLabel: z.string(),
  endpoint: z.string(),
  method: z.string(),
  requestData: z.string().nullable(),
  responseData: z.string().nullable(),
  statusCode: z.int().nullable(),
  userAgent: z.string().nullable(),
  remoteIp: z.string().nullable(),
  duration: z.number().nullable().describe('Milliseconds.'),
  createdAt: moment,
})

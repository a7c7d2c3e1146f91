// Long: one table, an entry for each call about events and deliveries, as the reference tells them.
import { z } from 'zod'
import {
  accountOfPath,
  accountOfQuery,
  DEMO_ACCOUNT,
  DEMO_JOB,
  id,
  idOfPath,
  moment,
  ofQuery,
  type ReferencePart,
} from '../reference/operation.ts'
import { FORWARDING_FILTERS, PAGE_SIZES, TIME_RANGES } from '../webhooks/webhook-view.ts'
import type { AttemptTiming } from './attempt-timing.ts'
import type { DeliveryJson } from './delivery-detail.ts'
import { DELIVERY_STATUSES } from './delivery-status.ts'
import type { logEntryJson } from './log.ts'
import { SEARCH_PAGE } from './search-filter.ts'
import { SEARCH_STATUSES } from './search-view.ts'

const ms = z.number().nullable()
const timing = z
  .object({ dnsMs: ms, connectMs: ms, tlsMs: ms, firstByteMs: ms })
  .nullable()
  .describe('Milliseconds; null = nothing was sent.') satisfies z.ZodType<AttemptTiming | null>

const forwardingResult = z.object({
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
    .describe('What the receiver answered, at most 4 KB. Only with `hasDetails`.'),
  at: moment,
  nextAttemptAt: moment.nullable(),
})

const logEntry = z.object({
  id: z.int(),
  type: z.string(),
  objectUuid: z.string(),
  timestamp: moment,
  receivedAt: moment,
  changedFields: z.array(z.string()),
  forwardedTo: z.array(z.string()),
  forwardingResults: z.array(forwardingResult),
}) satisfies z.ZodType<ReturnType<typeof logEntryJson>>

const cause = z.enum(['live', 'replay', 'retry', 'test'])
const eventFacts = {
  id: z.string().describe('As in the `webhook-id` header.'),
  objectType: z.string(),
  objectUuid: z.string(),
  changedFields: z.array(z.string()),
}

const foundDeliveries = z.object({
  deliveries: z.array(
    z.object({
      deliveryId: z.int().nullable().describe('Null = the event was not forwarded.'),
      status: z.enum(SEARCH_STATUSES),
      cause: cause.nullable(),
      url: z.string().nullable(),
      attempts: z.int(),
      lastStatusCode: z.int().nullable(),
      sentence: z.string().nullable().describe('How it stands.'),
      nextAttemptAt: moment.nullable(),
      canSendAgain: z.boolean(),
      event: z.object({ ...eventFacts, test: z.boolean(), receivedAt: moment.nullable() }),
    }),
  ),
  next: z.string().nullable().describe('Goes on as `before`; null at the end.'),
  complete: z.boolean().describe('False = enough was looked at for one request: go on with `next` to see everything.'),
  lookedBackTo: moment.nullable(),
})

const delivery = z.object({
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
        attempts: z.int(),
        lastCode: z.int().nullable(),
        createdAt: moment,
      }),
    )
    .describe('Of the same event, newest first.'),
  canSendAgain: z.boolean(),
}) satisfies z.ZodType<DeliveryJson>

const webhookActivity = z.object({
  id: z.int(),
  accountUUID: z.string(),
  objectType: z.string(),
  objectUuid: z.string(),
  changedFields: z.array(z.string()),
  webhookData: z.unknown().describe('What ServiceM8 sent; null = no longer kept.'),
  forwardedTo: z.array(z.string()),
  forwardingResults: z.array(forwardingResult),
  receivedAt: moment,
})

const apiActivity = z.object({
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

const EVENT_ID = 'evt_01J9ZQ4M7C0T'
const RECEIVED = '2026-11-22T01:10:00.000Z'
const resultExample: z.output<typeof forwardingResult> = {
  deliveryId: 391,
  attempt: 1,
  url: 'https://hooks.example.com/servicem8',
  success: true,
  statusCode: 204,
  responseTime: 58,
  timing: { dnsMs: 3, connectMs: 12, tlsMs: 18, firstByteMs: 25 },
  error: null,
  at: '2026-11-22T01:10:00.120Z',
  nextAttemptAt: null,
}
const entryExample: z.output<typeof logEntry> = {
  id: 2041,
  type: 'job',
  objectUuid: DEMO_JOB,
  timestamp: RECEIVED,
  receivedAt: RECEIVED,
  changedFields: ['status'],
  forwardedTo: ['https://hooks.example.com/servicem8'],
  forwardingResults: [resultExample],
}
const deliveryExample: z.output<typeof delivery> = {
  id: 391,
  status: 'delivered',
  cause: 'live',
  sentence: 'Your address answered 204.',
  waiting: null,
  createdAt: RECEIVED,
  settledAt: '2026-11-22T01:10:00.178Z',
  request: {
    method: 'POST',
    url: 'https://hooks.example.com/servicem8',
    headers: { 'content-type': 'application/json', 'x-fieldhook-attempt': '1' },
    body: '{"object":"job","entry":[{"uuid":"9a1b7c3e","changed_fields":["status"],"time":"2026-11-22 12:10:00"}]}',
    attempt: 1,
    sentAt: '2026-11-22T01:10:00.120Z',
  },
  attempts: [],
  attemptsMade: 1,
  event: {
    id: EVENT_ID,
    number: 2041,
    source: 'object',
    objectType: 'job',
    objectUuid: DEMO_JOB,
    changedFields: ['status'],
    receivedAt: RECEIVED,
  },
  webhookId: 7,
  otherDeliveries: [],
  canSendAgain: true,
}

const etag = { ETag: 'Sent back as `If-None-Match`, an unchanged list is answered 304 without a body.' }
const text = z.string()

export const eventCalls: ReferencePart = {
  tags: [{ name: 'Events and deliveries', says: 'What arrived, where it went, and what became of it.' }],
  schemas: {
    LogEntry: logEntry,
    ForwardingResult: forwardingResult,
    FoundDeliveries: foundDeliveries,
    Delivery: delivery,
  },
  operations: [
    {
      id: 'showLog',
      method: 'GET',
      route: 'api/webhook-logs/:accountUUID/:objectType',
      tag: 'Events and deliveries',
      summary: "Shows the log of an object's webhook, newest first",
      who: 'session',
      parameters: [
        accountOfPath,
        { name: 'objectType', in: 'path', schema: text, required: true, description: 'Like `job`.' },
        ofQuery('limit', z.literal([...PAGE_SIZES]), 'How many entries.'),
        ofQuery('timeRange', z.enum(TIME_RANGES), 'How far back.'),
        ofQuery(
          'forwardingStatus',
          z.enum(FORWARDING_FILTERS),
          '`forwarded`: at least one attempt was made. `success` and `failed`: how the last one ended.',
        ),
        ofQuery('hasDetails', z.boolean(), 'With or without what receivers answered.'),
      ],
      answers: [{ status: 200, says: 'The entries.', schema: z.array(logEntry), example: [entryExample] }],
    },
    {
      id: 'findDeliveries',
      method: 'GET',
      route: 'api/deliveries',
      tag: 'Events and deliveries',
      summary: 'Finds deliveries, newest event first',
      description: ['A filter that nobody knows is refused, because without it the answer would be wrong.'],
      who: 'session',
      parameters: [
        accountOfQuery,
        ofQuery('id', text, "An event's id or number, a `webhook-id`, a delivery's number, or a record's uuid."),
        ofQuery('status', z.enum(SEARCH_STATUSES), 'How it stands.'),
        ofQuery('code', text, 'A status such as `404`, a group such as `4xx`, or `none`.'),
        ofQuery('object', text, 'Like `job`.'),
        ofQuery('record', text, 'The uuid of a record.'),
        ofQuery('field', text, 'A field that changed, like `status`.'),
        ofQuery('from', z.iso.datetime({ offset: true }), 'Received from this moment on, with its zone.'),
        ofQuery('until', z.iso.datetime({ offset: true }), 'Received until this moment, with its zone.'),
        ofQuery('before', text, 'The `next` of an answer.'),
        ofQuery('limit', z.int().min(1).max(SEARCH_PAGE), `How many, ${SEARCH_PAGE} unless it says otherwise.`),
      ],
      answers: [
        {
          status: 200,
          says: 'A page of them.',
          schema: foundDeliveries,
          example: {
            deliveries: [
              {
                deliveryId: 391,
                status: 'delivered',
                cause: 'live',
                url: 'https://hooks.example.com/servicem8',
                attempts: 1,
                lastStatusCode: 204,
                sentence: 'Your address answered 204.',
                nextAttemptAt: null,
                canSendAgain: true,
                event: {
                  id: EVENT_ID,
                  test: false,
                  objectType: 'job',
                  objectUuid: DEMO_JOB,
                  changedFields: ['status'],
                  receivedAt: RECEIVED,
                },
              },
            ],
            next: null,
            complete: true,
            lookedBackTo: RECEIVED,
          },
        },
      ],
    },
    {
      id: 'showDelivery',
      method: 'GET',
      route: 'api/deliveries/:id',
      tag: 'Events and deliveries',
      summary:
        'Shows one delivery: the request, every attempt with its timing, the event, and what else was sent of it',
      who: 'session',
      parameters: [idOfPath('The id of the delivery.'), accountOfQuery],
      answers: [{ status: 200, says: 'The delivery.', schema: delivery, example: deliveryExample }],
    },
    {
      id: 'retryDelivery',
      method: 'POST',
      route: 'api/deliveries/:id/retry',
      tag: 'Events and deliveries',
      summary: 'Sends one delivery again',
      description: [
        'At once (within 10 seconds), even if its webhook is paused or held. Asked twice before it was sent, both get the same new delivery.',
      ],
      who: 'session',
      parameters: [idOfPath('The id of the delivery.')],
      answers: [
        {
          status: 202,
          says: 'It is being sent.',
          schema: z.object({ deliveryId: id.describe('The new delivery.') }),
          example: { deliveryId: 402 },
        },
      ],
      refusals: { 409: 'It cannot be sent any more: there is no address, or what would be sent is no longer kept.' },
    },
    {
      id: 'listWebhookActivity',
      method: 'GET',
      route: 'api/webhook-activity',
      tag: 'Events and deliveries',
      summary: 'Lists the latest 100 events, newest first',
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        {
          status: 200,
          says: 'The events.',
          schema: z.array(webhookActivity),
          example: [
            {
              id: 2041,
              accountUUID: DEMO_ACCOUNT,
              objectType: 'job',
              objectUuid: DEMO_JOB,
              changedFields: ['status'],
              webhookData: { object: 'job' },
              forwardedTo: ['https://hooks.example.com/servicem8'],
              forwardingResults: [resultExample],
              receivedAt: RECEIVED,
            },
          ],
          headers: etag,
        },
      ],
    },
    {
      id: 'listApiActivity',
      method: 'GET',
      route: 'api/api-activity',
      tag: 'Events and deliveries',
      summary: 'Lists the latest 100 exchanges with ServiceM8, newest first',
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        {
          status: 200,
          says: 'The exchanges.',
          schema: z.array(apiActivity),
          example: [
            {
              id: 77,
              accountUUID: DEMO_ACCOUNT,
              activityType: 'api_call',
              activityLabel: 'API Call',
              endpoint: '/api_1.0/job.json',
              method: 'GET',
              requestData: null,
              responseData: null,
              statusCode: 200,
              userAgent: null,
              remoteIp: null,
              duration: 140,
              createdAt: RECEIVED,
            },
          ],
          headers: etag,
        },
      ],
    },
  ],
}

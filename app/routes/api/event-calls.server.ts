// The calls about events and deliveries.
import { z } from 'zod'
import {
  accountOfPath,
  accountOfQuery,
  answered,
  DEMO_ACCOUNT,
  DEMO_JOB,
  id,
  idOfPath,
  ofPath,
  ofQuery,
  type Reference,
} from '#app/contract/operation.ts'
import { normalizeObjectType } from '#app/domain/object-catalog.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { hasLog, loadWebhookLog } from '#app/features/endpoints/webhook-log.server.ts'
import { loadApiActivity, loadWebhookActivity } from '#app/features/events/activity.server.ts'
import {
  apiActivity,
  delivery,
  forwardingResult,
  foundDeliveries,
  logEntry,
  webhookActivity,
} from '#app/features/events/api-answers.ts'
import { loadDelivery } from '#app/features/events/delivery-detail.server.ts'
import { deliveryJson } from '#app/features/events/delivery-detail.ts'
import { logEntryJson, readLogQuery } from '#app/features/events/log.ts'
import { DEFAULT_LOG_FILTER, FORWARDING_FILTERS, PAGE_SIZES, TIME_RANGES } from '#app/features/events/log-view.ts'
import { searchDeliveries, searchedWebhooks, searchJson } from '#app/features/events/search.server.ts'
import { readSearchQuery, SEARCH_PAGE } from '#app/features/events/search-filter.ts'
import { SEARCH_STATUSES } from '#app/features/events/search-view.ts'
import { type Call, defineCall, inOwnAccount } from '#app/http/calls/define-call.server.ts'
import { badInput, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { deliveryControls } from '../delivery-controls.server.ts'
import { answerUnlessKnown } from './answer-unless-known.server.ts'

const EVENT_ID = '01a223c0-8425-7e9f-b5bb-12bce28ababb'
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
  test: false,
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
    recordName: 'Job 4411 · Margaret Smith',
    changedFields: ['status'],
    receivedAt: RECEIVED,
  },
  webhookId: 7,
  otherDeliveries: [],
  canSendAgain: true,
}

const etag = { ETag: 'Sent back as `If-None-Match`, an unchanged list is answered 304 without a body.' }
const text = z.string()
const USUAL = DEFAULT_LOG_FILTER

export const eventCalls: Reference<Call> = {
  tags: [{ name: 'Events and deliveries', says: 'What arrived, where it went, and what became of it.' }],
  schemas: {
    LogEntry: logEntry,
    ForwardingResult: forwardingResult,
    FoundDeliveries: foundDeliveries,
    Delivery: delivery,
  },
  operations: [
    defineCall({
      id: 'showLog',
      method: 'GET',
      path: 'api/webhook-logs/:accountUUID/:objectType',
      tag: 'Events and deliveries',
      summary: "Shows the log of an object's webhook, newest first",
      description: ['Each event with every attempt at every address, and what the receiver answered.'],
      who: 'session',
      parameters: [
        accountOfPath,
        ofPath('objectType', text, 'Like `job`.', 'job'),
        ofQuery('limit', z.literal([...PAGE_SIZES]), `How many entries, ${USUAL.limit} unless it says otherwise.`),
        ofQuery('timeRange', z.enum(TIME_RANGES), `How far back. Absent = \`${USUAL.timeRange}\`.`),
        ofQuery(
          'forwardingStatus',
          z.enum(FORWARDING_FILTERS),
          `\`forwarded\`: at least one attempt was made. \`failed\`: not delivered so far, and tried or ended. Absent = \`${USUAL.forwardingStatus}\`.`,
        ),
        ofQuery('hasDetails', z.boolean(), `With what receivers answered or not. Absent = \`${USUAL.hasDetails}\`.`),
      ],
      answers: [answered(200, 'The entries.', z.array(logEntry), [entryExample])],
      handle: async ({ app, params, query, access: { accountUuid } }) => {
        const read = readLogQuery(query)
        if (read.outcome === 'invalid') return badInput(read.message, read.errors)
        const objectType = normalizeObjectType(params.objectType ?? '')
        if (!(await hasLog(app, accountUuid, objectType))) return notFound()
        const entries = await loadWebhookLog(app, accountUuid, objectType, read.filter)
        return entries.map((entry) => logEntryJson(entry, read.filter.hasDetails))
      },
    }),
    defineCall({
      id: 'findDeliveries',
      method: 'GET',
      path: 'api/deliveries',
      tag: 'Events and deliveries',
      summary: 'Finds deliveries, newest event first',
      description: ['A filter that nobody knows is refused, because without it the answer would be wrong.'],
      who: 'session',
      parameters: [
        accountOfQuery,
        ofQuery(
          'id',
          text,
          "A job's number, a customer's name, an event's id or number, a `webhook-id`, a delivery's number, or a record's uuid.",
        ),
        ofQuery('status', z.enum(SEARCH_STATUSES), 'How it stands.'),
        ofQuery('webhook', text, 'Only to this webhook (`12`) or forwarding rule (`rule-3`).'),
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
        answered(200, 'A page of them.', foundDeliveries, {
          deliveries: [
            {
              deliveryId: 391,
              status: 'delivered',
              cause: 'live',
              url: 'https://hooks.example.com/servicem8',
              rule: null,
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
                recordName: 'Job 4411 · Margaret Smith',
                changedFields: ['status'],
                receivedAt: RECEIVED,
              },
            },
          ],
          next: null,
          complete: true,
          lookedBackTo: RECEIVED,
        }),
      ],
      handle: async ({ app, query, access: { accountUuid } }) => {
        const webhooks = query.has('webhook') ? await searchedWebhooks(app, accountUuid) : []
        const read = readSearchQuery(query, webhooks)
        if (read.outcome === 'invalid') return badInput(read.message, read.errors)
        return searchJson(await searchDeliveries(app, accountUuid, read.question))
      },
    }),
    defineCall({
      id: 'showDelivery',
      method: 'GET',
      path: 'api/deliveries/:id',
      tag: 'Events and deliveries',
      summary:
        'Shows one delivery: the request, every attempt with its timing, the event, and what else was sent of it',
      description: ['What a receiver answered is cut at 4 KB.'],
      who: 'session',
      parameters: [idOfPath('delivery', 'The id of the delivery.'), accountOfQuery],
      answers: [answered(200, 'The delivery.', delivery, deliveryExample)],
      handle: async ({ app, params, access: { accountUuid } }) => {
        const id = parseWebhookId(params.id ?? '')
        const delivery = id === null ? null : await loadDelivery(app, accountUuid, id)
        return delivery === null ? notFound() : deliveryJson(delivery)
      },
    }),
    defineCall({
      id: 'retryDelivery',
      method: 'POST',
      path: 'api/deliveries/:id/retry',
      tag: 'Events and deliveries',
      summary: 'Sends one delivery again',
      description: [
        'At once (within 10 seconds), even if its webhook is paused or held. Asked twice before it was sent, both get the same new delivery. While the account is on hold for its plan, it waits, for 72 hours at most.',
      ],
      who: 'session',
      parameters: [idOfPath('delivery', 'The id of the delivery.')],
      answers: [
        answered(202, 'It is being sent.', z.object({ deliveryId: id.describe('The new delivery.') }), {
          deliveryId: 402,
        }),
      ],
      refusals: { 409: 'It cannot be sent any more: there is no address, or what would be sent is no longer kept.' },
      handle: ({ app, session, params }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseWebhookId(params.id ?? '')
          if (id === null) return null
          const sent = await deliveryControls(app, accountUuid).sendAgain(id)
          switch (sent.outcome) {
            case 'sent':
              return { deliveryId: sent.deliveryId }
            case 'no_address':
            case 'body_gone':
              return problem(409, sent.message)
            case 'not_found':
              return null
            default:
              return assertNever(sent)
          }
        }),
    }),
    defineCall({
      id: 'listWebhookActivity',
      method: 'GET',
      path: 'api/webhook-activity',
      tag: 'Events and deliveries',
      summary: 'Lists the latest 100 events, newest first',
      description: ['For the activity page, which asks every two seconds: an unchanged list answers 304.'],
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
              recordName: 'Job 4411 · Margaret Smith',
              test: false,
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
      handle: async ({ app, request, access }) =>
        answerUnlessKnown(request, await loadWebhookActivity(app, access.accountUuid)),
    }),
    defineCall({
      id: 'listApiActivity',
      method: 'GET',
      path: 'api/api-activity',
      tag: 'Events and deliveries',
      summary: 'Lists the latest 100 exchanges with ServiceM8, newest first',
      description: [
        'For the activity page, which asks every two seconds: an unchanged list answers 304. Secrets are masked.',
      ],
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
      handle: async ({ app, request, access }) =>
        answerUnlessKnown(request, await loadApiActivity(app, access.accountUuid)),
    }),
  ],
}

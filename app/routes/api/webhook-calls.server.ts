// The calls about webhooks.
import { z } from 'zod'
import { accountOfPath, accountOfQuery, answered, DEMO_ACCOUNT, type Reference } from '#app/contract/operation.ts'
import { refOf } from '#app/domain/endpoint-key.ts'
import { comparisonAnswer, testAnswer, webhookAnswer } from '#app/features/endpoints/api/api-answers.ts'
import {
  ADDRESS_NOTE,
  CHOOSES_NOTE,
  CUSTOM_NOTE,
  FIELDS_NOTE,
  OBJECT_NOTE,
} from '#app/features/endpoints/api/api-notes.ts'
import { webhookJson } from '#app/features/endpoints/api/endpoint-json.ts'
import { webhookBody, webhookChange, webhookForm } from '#app/features/endpoints/endpoint.ts'
import { compareSubscriptions } from '#app/features/endpoints/subscriptions/repair-subscriptions.server.ts'
import { comparisonJson } from '#app/features/endpoints/subscriptions/upstream-text.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { problem } from '#app/http/respond.ts'
import { addressCalls, testAddress, testExample } from './address-calls.server.ts'
import { changingCalls, type EndpointFamily, listCall } from './endpoint-calls.server.ts'

const NOT_AN_ID = 'Must be the id of a webhook'
const testBody = z.strictObject({
  id: z
    .union([z.int(NOT_AN_ID).positive(NOT_AN_ID), z.string().regex(/^[1-9]\d{0,14}$/, NOT_AN_ID)], NOT_AN_ID)
    .transform(Number),
})

const WEBHOOKS: EndpointFamily<typeof webhookAnswer> = {
  kind: 'webhook',
  schema: webhookAnswer,
  example: {
    id: 7,
    objectType: 'job',
    callbackUrl: 'https://hooks.example.com/servicem8',
    fields: 'status,queue_uuid',
    active: true,
    servicem8Id: '1042',
    accountUUID: DEMO_ACCOUNT,
    createdAt: '2026-11-20T23:00:00.000Z',
    forwardingUrl: 'https://fieldhook.example.com/hooks/platform/1n7m3kqzB0v4ZJYgHc9lTg5xW2sR8dPfUeKaQoLiXtM',
    status: 'working',
    statusMessage: 'Working. The last event was delivered 2 minutes ago.',
    pending: 0,
  },
  json: webhookJson,
  formOf: webhookBody,
  idName: 'key',
  create: {
    summary: "Makes a webhook, or replaces the account's webhook of that type",
    description: [
      'Subscribes at ServiceM8 first: when it refuses, nothing is stored. An address whose name cannot be resolved is taken with a `warning`.',
      'The spellings of the answer are read as well: `callbackUrl` and `objectType`.',
    ],
    schema: webhookForm,
    fields: {
      callback_url: {
        ...ADDRESS_NOTE,
        description: `${ADDRESS_NOTE.description} Empty = keep and show events, forward nothing.`,
      },
      object: OBJECT_NOTE,
      fields: FIELDS_NOTE,
      customObject: CUSTOM_NOTE,
      useCustom: CHOOSES_NOTE,
      active: 'False = paused from the beginning.',
      accountUUID: { description: 'The account.', required: true },
    },
    example: {
      accountUUID: DEMO_ACCOUNT,
      object: 'job',
      callback_url: 'https://hooks.example.com/servicem8',
      fields: 'status,queue_uuid',
      active: true,
    },
    replaced: 'It replaced the one of that type.',
    refusals: {
      401: 'Nobody is signed in, or the account is not connected: `No authentication credentials found`.',
    },
  },
  change: {
    description:
      '`active` false pauses: events are kept and held (`pending` counts them), and resuming delivers them oldest first.',
    schema: webhookChange,
    fields: { callback_url: ADDRESS_NOTE, fields: FIELDS_NOTE, active: 'False = paused.' },
  },
  delete:
    'Unsubscribes at ServiceM8 when nothing else needs the object. What still waits ends as "stopped", and the log says so.',
}

export const webhookCalls: Reference<Call> = {
  tags: [
    { name: 'Webhooks', says: 'An object of ServiceM8 whose events are kept, shown and forwarded to one address.' },
  ],
  schemas: { Webhook: webhookAnswer },
  operations: [
    listCall(WEBHOOKS, {
      id: 'listWebhooks',
      description: ['One webhook per object, oldest first, each with its state in one sentence.'],
      parameters: [accountOfQuery],
    }),
    listCall(WEBHOOKS, {
      id: 'listWebhooksOfAccount',
      path: 'api/webhooks/:key',
      summary: "Lists an account's webhooks, with the account in the path",
      description: ['The same answer as `GET /api/webhooks?accountUUID=`.'],
      parameters: [{ ...accountOfPath, name: 'key' }],
    }),
    ...changingCalls(WEBHOOKS),
    defineCall({
      id: 'testWebhook',
      method: 'POST',
      path: 'api/webhooks/test',
      tag: 'Webhooks',
      summary: 'Sends a sample to the address through the real path',
      who: 'session',
      body: { schema: testBody, fields: { id: 'The id of the webhook.' }, example: { id: 7 } },
      answers: [answered(200, 'How the address answered.', testAnswer, testExample)],
      limit: LIMITS.test,
      find: async ({ app, body: { id } }, accountUuid) =>
        (await app.store.endpoints.findEndpoint(accountUuid, refOf(id))) ? { key: id } : null,
      handle: ({ app, found, access }) => testAddress(app, access.accountUuid, found.key),
    }),
    defineCall({
      id: 'compareWebhooks',
      method: 'POST',
      path: 'api/webhooks/compare',
      tag: 'Webhooks',
      summary: "Compares our subscriptions with ServiceM8's list now, and subscribes again what it dropped",
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        answered(200, 'What was found about each object.', comparisonAnswer, {
          objects: [{ object: 'job', outcome: 'fine', reason: null, since: null, message: null }],
        }),
      ],
      refusals: { 502: "ServiceM8's list cannot be read, with its message." },
      limit: LIMITS.compare,
      handle: async ({ app, access: { accountUuid } }) => {
        const comparison = await compareSubscriptions(app, accountUuid)
        return comparison.outcome === 'unreadable'
          ? problem(502, comparison.message)
          : comparisonJson(comparison.objects)
      },
    }),
    ...addressCalls('webhook'),
  ],
}

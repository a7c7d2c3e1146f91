// The calls about webhooks.
import { z } from 'zod'
import {
  accountOfPath,
  accountOfQuery,
  DEMO_ACCOUNT,
  DONE,
  deleted,
  idOfPath,
  type Reference,
} from '#app/contract/operation.ts'
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
import { parseWebhookId, webhookBody, webhookChange, webhookForm } from '#app/features/endpoints/endpoint.ts'
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  updateEndpoint,
} from '#app/features/endpoints/endpoints.server.ts'
import { compareSubscriptions } from '#app/features/endpoints/subscriptions/repair-subscriptions.server.ts'
import { comparisonJson } from '#app/features/endpoints/subscriptions/upstream-words.ts'
import { type Call, defineCall, inOwnAccount } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { answer, problem } from '#app/http/respond.ts'
import { addressCalls, testAddress, testExample, webhookRefusal } from './address-calls.server.ts'

const webhookExample: z.output<typeof webhookAnswer> = {
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
}

const testBody = z.object({
  id: z.coerce.number('Invalid input').int('Invalid input').positive('Invalid input'),
})

const account = { description: 'The account.', required: true as const }
const fixedKey = idOfPath('webhook', 'The id of the webhook.', 'key')
const webhookId = idOfPath('webhook', 'The id of the webhook.')

export const webhookCalls: Reference<Call> = {
  tags: [
    { name: 'Webhooks', says: 'An object of ServiceM8 whose events are kept, shown and forwarded to one address.' },
  ],
  schemas: { Webhook: webhookAnswer },
  operations: [
    defineCall({
      id: 'listWebhooks',
      method: 'GET',
      path: 'api/webhooks',
      tag: 'Webhooks',
      summary: "Lists an account's webhooks",
      description: ['One webhook per object, oldest first, each with its state in one sentence.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(webhookAnswer), example: [webhookExample] }],
      handle: async ({ app, access }) =>
        (await listEndpoints(app, access.accountUuid, 'webhook')).map((webhook) => webhookJson(webhook)),
    }),
    defineCall({
      id: 'listWebhooksOfAccount',
      method: 'GET',
      path: 'api/webhooks/:key',
      tag: 'Webhooks',
      summary: "Lists an account's webhooks, with the account in the path",
      description: ['The same answer as `GET /api/webhooks?accountUUID=`.'],
      who: 'session',
      parameters: [{ ...accountOfPath, name: 'key' }],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(webhookAnswer), example: [webhookExample] }],
      handle: async ({ app, access }) =>
        (await listEndpoints(app, access.accountUuid, 'webhook')).map((webhook) => webhookJson(webhook)),
    }),
    defineCall({
      id: 'createWebhook',
      method: 'POST',
      path: 'api/webhooks',
      tag: 'Webhooks',
      summary: "Makes a webhook, or replaces the account's webhook of that type",
      description: [
        'Subscribes at ServiceM8 first: when it refuses, nothing is stored. An address whose name cannot be resolved is taken with a `warning`.',
        'The spellings of the answer are read as well: `callbackUrl` and `objectType`.',
      ],
      who: 'session',
      body: {
        schema: webhookForm,
        raw: true,
        account: 'accountUUID',
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
          accountUUID: account,
        },
        example: {
          accountUUID: DEMO_ACCOUNT,
          object: 'job',
          callback_url: 'https://hooks.example.com/servicem8',
          fields: 'status,queue_uuid',
          active: true,
        },
      },
      answers: [
        { status: 201, says: 'It was made.', schema: webhookAnswer, example: webhookExample },
        { status: 200, says: 'It replaced the one of that type.', schema: webhookAnswer, example: webhookExample },
      ],
      refusals: {
        401: 'Nobody is signed in, or the account is not connected: `No authentication credentials found`.',
        403: 'An object type that needs an admin.',
        502: 'ServiceM8 refused, with its message. Nothing was stored.',
      },
      handle: async ({ app, body, access: { accountUuid, accountId, admin } }) => {
        const form = { ...webhookBody(body), accountUUID: accountId }
        const made = await createEndpoint(app, accountUuid, 'webhook', form, { admin })
        if (made.outcome === 'created') return webhookJson(made.endpoint, made.warning)
        if (made.outcome === 'replaced') return answer(200, webhookJson(made.endpoint, made.warning))
        return webhookRefusal(made)
      },
    }),
    defineCall({
      id: 'changeWebhook',
      method: 'PUT',
      path: 'api/webhooks/:key',
      tag: 'Webhooks',
      summary: 'Changes what is named',
      description: [
        '`active` false pauses: events are kept and held (`pending` counts them), and resuming delivers them oldest first.',
      ],
      who: 'session',
      parameters: [fixedKey],
      body: {
        schema: webhookChange,
        raw: true,
        fields: { callback_url: ADDRESS_NOTE, fields: FIELDS_NOTE, active: 'False = paused.' },
        example: { active: false },
      },
      answers: [
        {
          status: 200,
          says: 'As it is now.',
          schema: webhookAnswer,
          example: { ...webhookExample, active: false, status: 'paused' },
        },
      ],
      refusals: {
        401: 'Nobody is signed in, or the account is not connected.',
        502: 'ServiceM8 refused, with its message. Nothing was changed.',
      },
      handle: ({ app, session, params, body }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseWebhookId(params.key ?? '')
          const changed = id === null ? null : await updateEndpoint(app, accountUuid, id, webhookBody(body))
          if (changed === null || changed.outcome === 'not_found') return null
          return changed.outcome === 'updated'
            ? webhookJson(changed.endpoint, changed.warning)
            : webhookRefusal(changed)
        }),
    }),
    defineCall({
      id: 'deleteWebhook',
      method: 'DELETE',
      path: 'api/webhooks/:key',
      tag: 'Webhooks',
      summary: 'Deletes a webhook',
      description: [
        'Unsubscribes at ServiceM8 when nothing else needs the object. What still waits ends as "stopped", and the log says so.',
      ],
      who: 'session',
      parameters: [fixedKey],
      answers: [deleted],
      handle: ({ app, session, params }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseWebhookId(params.key ?? '')
          return id !== null && (await deleteEndpoint(app, accountUuid, id)).outcome === 'deleted' ? DONE : null
        }),
    }),
    defineCall({
      id: 'testWebhook',
      method: 'POST',
      path: 'api/webhooks/test',
      tag: 'Webhooks',
      summary: 'Sends a sample to the address through the real path',
      who: 'session',
      body: { schema: testBody, fields: { id: 'The id of the webhook.' }, example: { id: 7 } },
      answers: [{ status: 200, says: 'How the address answered.', schema: testAnswer, example: testExample }],
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
        {
          status: 200,
          says: 'What was found about each object.',
          schema: comparisonAnswer,
          example: { objects: [{ object: 'job', outcome: 'fine', reason: null, since: null, message: null }] },
        },
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
    ...addressCalls({
      name: 'Webhook',
      tag: 'Webhooks',
      path: 'api/webhooks/:id',
      parameter: webhookId,
      keyOf: (id) => id,
    }),
  ],
}

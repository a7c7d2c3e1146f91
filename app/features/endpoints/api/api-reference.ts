// One table, an entry for each call about webhooks and forwarding rules, as the reference tells them.
import { z } from 'zod'
import {
  accountOfPath,
  accountOfQuery,
  DEMO_ACCOUNT,
  deleted,
  idOfPath,
  type ReferencePart,
} from '#app/contract/operation.ts'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import {
  forwardingRuleChange,
  forwardingRuleForm,
  LONGEST_RULE_NAME,
  LONGEST_URL,
  MOST_FIELDS,
  webhookChange,
  webhookForm,
} from '../endpoint.ts'
import { comparisonAnswer, ruleAnswer, testAnswer, WEBHOOK_SCHEMAS, webhookAnswer } from './api-answers.ts'
import { addressCalls, testExample } from './api-reference-addresses.ts'
import { NOTICE_CALLS } from './api-reference-notices.ts'
import { testBody } from './test-call.ts'

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

const ruleExample: z.output<typeof ruleAnswer> = {
  id: 3,
  accountUUID: DEMO_ACCOUNT,
  name: 'Accounts department',
  objectType: 'job',
  forwardUrl: 'https://accounts.example.com/in',
  active: true,
  fieldFilters: 'status',
  createdAt: '2026-11-20T23:05:00.000Z',
  status: 'waiting',
  statusMessage: 'Nothing has been delivered to this address yet.',
  pending: 0,
}

const url = { description: '`https://…`. Private addresses and our own are refused.', maxLength: LONGEST_URL }
const fieldNames = {
  description: `Field names as text with commas, or as a list of at most ${MOST_FIELDS}. Empty = all fields.`,
}
const kinds = OBJECT_KINDS.map(({ type }) => `\`${type}\``).join(', ')
const custom = 'Another object type, in admin mode only.'
const chooses = 'True = `customObject` counts. Sending `customObject` says so as well.'
const account = { description: 'The account.', required: true as const }

const fixedKey = idOfPath('The id of the webhook.', 'key')
const webhookId = idOfPath('The id of the webhook.')
const ruleId = idOfPath('The id of the forwarding rule.')

export const webhookCalls: ReferencePart = {
  tags: [
    { name: 'Webhooks', says: 'An object of ServiceM8 whose events are kept, shown and forwarded to one address.' },
    { name: 'Forwarding rules', says: "More addresses for an object's events, each with its own filter and secret." },
    { name: 'Notices', says: 'What an account is told when an address stops working, and whether by e-mail.' },
  ],
  schemas: WEBHOOK_SCHEMAS,
  operations: [
    {
      id: 'listWebhooks',
      method: 'GET',
      route: 'api/webhooks',
      tag: 'Webhooks',
      summary: "Lists an account's webhooks",
      description: ['One webhook per object, oldest first, each with its state in one sentence.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(webhookAnswer), example: [webhookExample] }],
    },
    {
      id: 'listWebhooksOfAccount',
      method: 'GET',
      route: 'api/webhooks/:key',
      tag: 'Webhooks',
      summary: "Lists an account's webhooks, with the account in the path",
      description: ['The same answer as `GET /api/webhooks?accountUUID=`.'],
      who: 'session',
      parameters: [{ ...accountOfPath, name: 'key' }],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(webhookAnswer), example: [webhookExample] }],
    },
    {
      id: 'createWebhook',
      method: 'POST',
      route: 'api/webhooks',
      tag: 'Webhooks',
      summary: "Makes a webhook, or replaces the account's webhook of that type",
      description: [
        'Subscribes at ServiceM8 first: when it refuses, nothing is stored. An address whose name cannot be resolved is taken with a `warning`.',
        'The spellings of the answer are read as well: `callbackUrl` and `objectType`.',
      ],
      who: 'session',
      body: {
        schema: webhookForm,
        fields: {
          callback_url: { ...url, description: `${url.description} Empty = keep and show events, forward nothing.` },
          object: `One of ${kinds}. Required unless a \`customObject\` is chosen.`,
          fields: fieldNames,
          customObject: custom,
          useCustom: chooses,
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
    },
    {
      id: 'changeWebhook',
      method: 'PUT',
      route: 'api/webhooks/:key',
      tag: 'Webhooks',
      summary: 'Changes what is named',
      description: [
        '`active` false pauses: events are kept and held (`pending` counts them), and resuming delivers them oldest first.',
      ],
      who: 'session',
      parameters: [fixedKey],
      body: {
        schema: webhookChange,
        fields: { callback_url: url, fields: fieldNames, active: 'False = paused.' },
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
    },
    {
      id: 'deleteWebhook',
      method: 'DELETE',
      route: 'api/webhooks/:key',
      tag: 'Webhooks',
      summary: 'Deletes a webhook',
      description: [
        'Unsubscribes at ServiceM8 when nothing else needs the object. What still waits ends as "stopped", and the log says so.',
      ],
      who: 'session',
      parameters: [fixedKey],
      answers: [deleted],
    },
    {
      id: 'testWebhook',
      method: 'POST',
      route: 'api/webhooks/test',
      tag: 'Webhooks',
      summary: 'Sends a sample to the address through the real path',
      who: 'session',
      body: { schema: testBody, fields: { id: 'The id of the webhook.' }, example: { id: 7 } },
      answers: [{ status: 200, says: 'How the address answered.', schema: testAnswer, example: testExample }],
      limit: '5 a minute and account',
    },
    {
      id: 'compareWebhooks',
      method: 'POST',
      route: 'api/webhooks/compare',
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
      limit: '2 a minute and account',
    },
    ...addressCalls({ name: 'Webhook', tag: 'Webhooks', route: 'api/webhooks/:id', parameter: webhookId }),
    {
      id: 'listForwardingRules',
      method: 'GET',
      route: 'api/forwarding-rules',
      tag: 'Forwarding rules',
      summary: "Lists an account's forwarding rules",
      description: ['More addresses for the same object, oldest first, each with its own filter and state.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(ruleAnswer), example: [ruleExample] }],
    },
    {
      id: 'createForwardingRule',
      method: 'POST',
      route: 'api/forwarding-rules',
      tag: 'Forwarding rules',
      summary: 'Adds an address for an object',
      description: ['The account may stand in the query or in the body.'],
      who: 'session',
      parameters: [{ ...accountOfQuery, required: false }],
      body: {
        schema: forwardingRuleForm,
        fields: {
          name: { description: 'What it is called.', maxLength: LONGEST_RULE_NAME, required: true },
          objectType: `One of ${kinds}. Required unless a \`customObject\` is chosen.`,
          forwardUrl: { ...url, required: true },
          fieldFilters: fieldNames,
          customObject: custom,
          useCustom: chooses,
          active: 'False = paused from the beginning.',
          accountUUID: 'The account, unless the query names it.',
        },
        example: {
          accountUUID: DEMO_ACCOUNT,
          name: 'Accounts department',
          objectType: 'job',
          forwardUrl: 'https://accounts.example.com/in',
          fieldFilters: 'status',
        },
      },
      answers: [{ status: 201, says: 'It was made.', schema: ruleAnswer, example: ruleExample }],
      refusals: {
        401: 'Nobody is signed in, or the account is not connected.',
        403: 'An object type that needs an admin.',
        502: 'ServiceM8 refused, with its message. Nothing was stored.',
      },
    },
    {
      id: 'changeForwardingRule',
      method: 'PUT',
      route: 'api/forwarding-rules/:id',
      tag: 'Forwarding rules',
      summary: 'Changes what is named',
      description: ['What is not named stays as it is. The object cannot change.'],
      who: 'session',
      parameters: [ruleId],
      body: {
        schema: forwardingRuleChange,
        fields: {
          name: { description: 'What it is called.', maxLength: LONGEST_RULE_NAME },
          forwardUrl: url,
          fieldFilters: fieldNames,
          active: 'False = paused.',
          objectType: 'May be named, but not another one.',
        },
        example: { active: false },
      },
      answers: [
        {
          status: 200,
          says: 'As it is now.',
          schema: ruleAnswer,
          example: { ...ruleExample, active: false, status: 'paused' },
        },
      ],
      refusals: {
        401: 'Nobody is signed in, or the account is not connected.',
        502: 'ServiceM8 refused, with its message. Nothing was changed.',
      },
    },
    {
      id: 'deleteForwardingRule',
      method: 'DELETE',
      route: 'api/forwarding-rules/:id',
      tag: 'Forwarding rules',
      summary: 'Deletes a forwarding rule',
      description: ['What waits for its address ends as stopped. The webhook of the object stays.'],
      who: 'session',
      parameters: [ruleId],
      answers: [deleted],
    },
    {
      id: 'testForwardingRule',
      method: 'POST',
      route: 'api/forwarding-rules/:id/test',
      tag: 'Forwarding rules',
      summary: 'Sends a sample to the address through the real path',
      who: 'session',
      parameters: [ruleId],
      answers: [{ status: 200, says: 'How the address answered.', schema: testAnswer, example: testExample }],
      limit: '5 a minute and account',
    },
    ...addressCalls({
      name: 'Forwarding rule',
      tag: 'Forwarding rules',
      route: 'api/forwarding-rules/:id',
      parameter: ruleId,
    }),
    ...NOTICE_CALLS,
  ],
}

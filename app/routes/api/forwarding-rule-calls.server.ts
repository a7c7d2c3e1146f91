// The calls about forwarding rules.
import { z } from 'zod'
import { accountOfQuery, DEMO_ACCOUNT, DONE, deleted, idOfPath, type Reference } from '#app/contract/operation.ts'
import { keyOf } from '#app/domain/endpoint-key.ts'
import { checkAnswer, replayAnswer, ruleAnswer, testAnswer } from '#app/features/endpoints/api/api-answers.ts'
import {
  ADDRESS_NOTE,
  CHOOSES_NOTE,
  CUSTOM_NOTE,
  FIELDS_NOTE,
  OBJECT_NOTE,
} from '#app/features/endpoints/api/api-notes.ts'
import { forwardingRuleJson } from '#app/features/endpoints/api/endpoint-json.ts'
import {
  forwardingRuleChange,
  forwardingRuleForm,
  LONGEST_RULE_NAME,
  parseWebhookId,
} from '#app/features/endpoints/endpoint.ts'
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  updateEndpoint,
} from '#app/features/endpoints/endpoints.server.ts'
import { type Call, defineCall, inOwnAccount } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { addressCalls, findAddress, testAddress, testExample, webhookRefusal } from './address-calls.server.ts'

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

const ruleId = idOfPath('rule', 'The id of the forwarding rule.')

const extraKey = (id: number) => keyOf({ kind: 'extra', id })

export const forwardingRuleCalls: Reference<Call> = {
  tags: [
    { name: 'Forwarding rules', says: "More addresses for an object's events, each with its own filter and secret." },
  ],
  schemas: { ForwardingRule: ruleAnswer, TestResult: testAnswer, AddressCheck: checkAnswer, Replay: replayAnswer },
  operations: [
    defineCall({
      id: 'listForwardingRules',
      method: 'GET',
      path: 'api/forwarding-rules',
      tag: 'Forwarding rules',
      summary: "Lists an account's forwarding rules",
      description: ['More addresses for the same object, oldest first, each with its own filter and state.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [{ status: 200, says: 'All of them.', schema: z.array(ruleAnswer), example: [ruleExample] }],
      handle: async ({ app, access }) =>
        (await listEndpoints(app, access.accountUuid, 'extra')).map((rule) => forwardingRuleJson(rule)),
    }),
    defineCall({
      id: 'createForwardingRule',
      method: 'POST',
      path: 'api/forwarding-rules',
      tag: 'Forwarding rules',
      summary: 'Adds an address for an object',
      description: ['The account may stand in the query or in the body.'],
      who: 'session',
      parameters: [{ ...accountOfQuery, required: false }],
      body: {
        schema: forwardingRuleForm,
        raw: true,
        account: 'accountUUID',
        fields: {
          name: { description: 'What it is called.', maxLength: LONGEST_RULE_NAME, required: true },
          objectType: OBJECT_NOTE,
          forwardUrl: { ...ADDRESS_NOTE, required: true },
          fieldFilters: FIELDS_NOTE,
          customObject: CUSTOM_NOTE,
          useCustom: CHOOSES_NOTE,
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
      handle: async ({ app, body, access: { accountUuid, accountId, admin } }) => {
        // A custom type that was sent counts as chosen.
        const custom = body.customObject ? { useCustom: true } : {}
        const form = { ...custom, ...body, accountUUID: accountId }
        const made = await createEndpoint(app, accountUuid, 'extra', form, { admin })
        return made.outcome === 'created' || made.outcome === 'replaced'
          ? forwardingRuleJson(made.endpoint, made.warning)
          : webhookRefusal(made)
      },
    }),
    defineCall({
      id: 'changeForwardingRule',
      method: 'PUT',
      path: 'api/forwarding-rules/:id',
      tag: 'Forwarding rules',
      summary: 'Changes what is named',
      description: ['What is not named stays as it is. The object cannot change.'],
      who: 'session',
      parameters: [ruleId],
      body: {
        schema: forwardingRuleChange,
        raw: true,
        fields: {
          name: { description: 'What it is called.', maxLength: LONGEST_RULE_NAME },
          forwardUrl: ADDRESS_NOTE,
          fieldFilters: FIELDS_NOTE,
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
      handle: ({ app, session, params, body }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseWebhookId(params.id ?? '')
          const changed = id === null ? null : await updateEndpoint(app, accountUuid, extraKey(id), body)
          if (changed === null || changed.outcome === 'not_found') return null
          return changed.outcome === 'updated'
            ? forwardingRuleJson(changed.endpoint, changed.warning)
            : webhookRefusal(changed)
        }),
    }),
    defineCall({
      id: 'deleteForwardingRule',
      method: 'DELETE',
      path: 'api/forwarding-rules/:id',
      tag: 'Forwarding rules',
      summary: 'Deletes a forwarding rule',
      description: ['What waits for its address ends as stopped. The webhook of the object stays.'],
      who: 'session',
      parameters: [ruleId],
      answers: [deleted],
      handle: ({ app, session, params }) =>
        inOwnAccount(session, async ({ accountUuid }) => {
          const id = parseWebhookId(params.id ?? '')
          return id !== null && (await deleteEndpoint(app, accountUuid, extraKey(id))).outcome === 'deleted'
            ? DONE
            : null
        }),
    }),
    defineCall({
      id: 'testForwardingRule',
      method: 'POST',
      path: 'api/forwarding-rules/:id/test',
      tag: 'Forwarding rules',
      summary: 'Sends a sample to the address through the real path',
      who: 'session',
      parameters: [ruleId],
      answers: [{ status: 200, says: 'How the address answered.', schema: testAnswer, example: testExample }],
      limit: LIMITS.test,
      find: findAddress(extraKey),
      handle: ({ app, found, access }) => testAddress(app, access.accountUuid, found.key),
    }),
    ...addressCalls({
      name: 'Forwarding rule',
      tag: 'Forwarding rules',
      path: 'api/forwarding-rules/:id',
      parameter: ruleId,
      keyOf: extraKey,
    }),
  ],
}

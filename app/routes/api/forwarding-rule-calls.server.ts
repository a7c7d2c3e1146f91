// The calls about forwarding rules.
import { accountOfQuery, answered, DEMO_ACCOUNT, type Reference } from '#app/contract/operation.ts'
import { checkAnswer, replayAnswer, ruleAnswer, testAnswer } from '#app/features/endpoints/api/api-answers.ts'
import {
  ADDRESS_NOTE,
  CHOOSES_NOTE,
  CUSTOM_NOTE,
  FIELDS_NOTE,
  OBJECT_NOTE,
} from '#app/features/endpoints/api/api-notes.ts'
import { forwardingRuleJson } from '#app/features/endpoints/api/endpoint-json.ts'
import { forwardingRuleChange, forwardingRuleForm, LONGEST_RULE_NAME } from '#app/features/endpoints/endpoint.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { addressCalls, findEndpoint, idOfEndpoint, testAddress, testExample } from './address-calls.server.ts'
import { changingCalls, type EndpointFamily, listCall } from './endpoint-calls.server.ts'

const FORWARDING_RULES: EndpointFamily<typeof ruleAnswer> = {
  kind: 'extra',
  schema: ruleAnswer,
  example: {
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
  },
  json: forwardingRuleJson,
  // A custom type in the body counts as chosen.
  formOf: (body) => (body.customObject ? { useCustom: true, ...body } : body),
  idName: 'id',
  create: {
    summary: 'Adds an address for an object',
    description: ['The account may stand in the query or in the body.'],
    parameters: [{ ...accountOfQuery, required: false }],
    schema: forwardingRuleForm,
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
  change: {
    description: 'What is not named stays as it is. The object cannot change.',
    schema: forwardingRuleChange,
    fields: {
      name: { description: 'What it is called.', maxLength: LONGEST_RULE_NAME },
      forwardUrl: ADDRESS_NOTE,
      fieldFilters: FIELDS_NOTE,
      active: 'False = paused.',
      objectType: 'May be named, but not another one.',
    },
  },
  delete: 'What waits for its address ends as stopped. The webhook of the object stays.',
}

export const forwardingRuleCalls: Reference<Call> = {
  tags: [
    { name: 'Forwarding rules', says: "More addresses for an object's events, each with its own filter and secret." },
  ],
  schemas: { ForwardingRule: ruleAnswer, TestResult: testAnswer, AddressCheck: checkAnswer, Replay: replayAnswer },
  operations: [
    listCall(FORWARDING_RULES, {
      id: 'listForwardingRules',
      description: ['More addresses for the same object, oldest first, each with its own filter and state.'],
      parameters: [accountOfQuery],
    }),
    ...changingCalls(FORWARDING_RULES),
    defineCall({
      id: 'testForwardingRule',
      method: 'POST',
      path: 'api/forwarding-rules/:id/test',
      tag: 'Forwarding rules',
      summary: 'Sends a sample to the address through the real path',
      who: 'session',
      parameters: [idOfEndpoint('extra')],
      answers: [answered(200, 'How the address answered.', testAnswer, testExample)],
      limit: LIMITS.test,
      find: findEndpoint('extra'),
      handle: ({ app, found, access }) => testAddress(app, access.accountUuid, found.key),
    }),
    ...addressCalls('extra'),
  ],
}

// Calls for the address of one endpoint, whether webhook or forwarding rule.
import type { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import { answered, idOfPath, type Parameter } from '#app/contract/operation.ts'
import { type EndpointKey, type EndpointKind, keyOf } from '#app/domain/endpoint-key.ts'
import { checkAnswer, replayAnswer, replayStarted, rotationAnswer } from '#app/features/endpoints/api/api-answers.ts'
import { checkCard } from '#app/features/endpoints/controls/endpoint-check.server.ts'
import { checkJson } from '#app/features/endpoints/controls/endpoint-check.ts'
import { replayBody, replayJson } from '#app/features/endpoints/controls/replay-request.ts'
import {
  cancelReplay,
  countReplay,
  findReplay,
  startReplay,
} from '#app/features/endpoints/controls/replay-webhook.server.ts'
import { rotateSecret } from '#app/features/endpoints/controls/rotate-secret.server.ts'
import { testWebhook } from '#app/features/endpoints/controls/test-webhook.server.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { KIND_TEXTS } from '#app/features/endpoints/endpoint-kinds.ts'
import { type Asked, type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { answer, badInput, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { iso } from '#app/lib/clock.ts'
import { deliveryControls } from '../delivery-controls.server.ts'

/** The names and paths of each kind of endpoint in the calls and their reference. */
export const CALL_NAMES = {
  webhook: { name: 'webhook', one: 'Webhook', tag: 'Webhooks', path: 'api/webhooks' },
  extra: {
    name: 'forwarding rule',
    one: 'ForwardingRule',
    tag: 'Forwarding rules',
    path: 'api/forwarding-rules',
  },
} as const satisfies Record<EndpointKind, { name: string; one: string; tag: string; path: string }>

export function idOfEndpoint(kind: EndpointKind, name = 'id'): Parameter {
  return idOfPath(KIND_TEXTS[kind].thing, `The id of the ${CALL_NAMES[kind].name}.`, name)
}

/** The endpoint of this kind in the path, if the account has it. */
export function findEndpoint(kind: EndpointKind, name = 'id') {
  return async ({ app, params }: Asked, accountUuid: string): Promise<{ key: EndpointKey } | null> => {
    const id = parseWebhookId(params[name] ?? '')
    if (id === null) return null
    return (await app.store.endpoints.findEndpoint(accountUuid, { kind, id })) ? { key: keyOf({ kind, id }) } : null
  }
}

/** Sends one sample now. */
export async function testAddress(app: App, accountUuid: string, key: EndpointKey) {
  const tested = await testWebhook(app, accountUuid, key, deliveryControls(app, accountUuid).sendSample)
  switch (tested.outcome) {
    case 'tested': {
      const { success, statusCode, responseTime, error } = tested.result
      return { success, statusCode, responseTime, error }
    }
    case 'no_address':
      return badInput(tested.message)
    case 'not_found':
      return notFound()
    default:
      return assertNever(tested)
  }
}

/** Check, replay, and a new secret. */
export function addressCalls(kind: EndpointKind): Call[] {
  return [checkCall, replayCall, showReplayCall, cancelReplayCall, rotateCall].map((callOf) => callOf(kind))
}

function checkCall(kind: EndpointKind): Call {
  const { name, one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `check${one}`,
    method: 'POST',
    path: `${path}/:id/check`,
    tag,
    summary: `Looks at the ${name}'s address step by step, and sends no event`,
    description: [
      'Name, connection, certificate, redirect and answer, each with what to do about it. It counts as no delivery.',
    ],
    who: 'session',
    parameters: [idOfEndpoint(kind)],
    answers: [
      answered(200, 'What was found.', checkAnswer, {
        url: 'https://hooks.example.com/servicem8',
        checkedAt: '2026-11-22T01:10:00.000Z',
        verdict: 'ok',
        summary: 'Your address can be reached and answers.',
        steps: [{ name: 'address', verdict: 'ok', sentence: 'The address may be called.', fix: null }],
      }),
    ],
    refusals: { 400: 'It has no address.' },
    limit: LIMITS.check,
    find: findEndpoint(kind),
    handle: async ({ app, found: { key }, access: { accountUuid } }) => {
      const checked = await checkCard(app, accountUuid, key)
      switch (checked.outcome) {
        case 'checked':
          return checkJson(checked)
        case 'no_address':
          return badInput(checked.message)
        case 'not_found':
          return notFound()
        default:
          return assertNever(checked)
      }
    },
  })
}

function replayCall(kind: EndpointKind): Call {
  const { one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `replay${one}`,
    method: 'POST',
    path: `${path}/:id/replay`,
    tag,
    summary: 'Sends everything since a moment again',
    description: [
      'With `dryRun` it only counts. The same wish while it runs is answered with the replay that runs. It waits while the account is on hold for its plan, and while the address is paused. Events delivered everywhere, or sent nowhere, can be sent for 7 days.',
    ],
    who: 'session',
    parameters: [idOfEndpoint(kind)],
    body: {
      schema: replayBody,
      fields: {
        since: 'A date and time with its zone.',
        status: '`failed`: only what was given up or stopped, and never delivered.',
        objectUuid: { description: 'Only of this record.', maxLength: 64 },
        dryRun: 'True = only count.',
      },
      example: { since: '2026-11-21T09:00:00Z', status: 'failed', dryRun: true },
    },
    answers: [answered(202, 'It has begun, or was counted.', replayStarted, { count: 12, replayId: 4 })],
    refusals: {
      409: 'There is no address to send to, or it answered 410 or was given up: start it again with `active` first.',
      503: 'There is no room for so many just now. `Retry-After` says when.',
    },
    find: findEndpoint(kind),
    handle: async ({ app, body: { dryRun, ...wanted }, found: { key }, access: { accountUuid } }) => {
      const controls = deliveryControls(app, accountUuid)
      if (dryRun) {
        const count = await countReplay(app, controls, accountUuid, key, wanted)
        return count === null ? notFound() : { count, replayId: null }
      }
      const started = await startReplay(app, controls, accountUuid, key, wanted)
      switch (started.outcome) {
        case 'started':
          return { count: started.count, replayId: started.replayId }
        case 'no_address':
        case 'stopped':
          return problem(409, started.message)
        case 'no_room':
          return problem(503, started.message, { 'Retry-After': '600' })
        case 'not_found':
          return notFound()
        default:
          return assertNever(started)
      }
    },
  })
}

function showReplayCall(kind: EndpointKind): Call {
  const { one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `show${one}Replay`,
    method: 'GET',
    path: `${path}/:id/replay/:replayId`,
    tag,
    summary: 'Says how far a replay is',
    description: ['Ask again until `state` is no longer `running`.'],
    who: 'session',
    parameters: [idOfEndpoint(kind), replayIdOfPath],
    answers: [answered(200, 'Where it stands.', replayAnswer, replayExample)],
    find: findEndpoint(kind),
    handle: async ({ app, params, found: { key }, access: { accountUuid } }) => {
      const replayId = parseWebhookId(params.replayId ?? '')
      const replay = replayId && (await findReplay(app, accountUuid, key, replayId))
      return replay ? answer(200, replayJson(replay), { 'Cache-Control': 'no-store' }) : notFound()
    },
  })
}

function cancelReplayCall(kind: EndpointKind): Call {
  const { one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `cancel${one}Replay`,
    method: 'DELETE',
    path: `${path}/:id/replay/:replayId`,
    tag,
    summary: 'Cancels what a replay has not sent yet',
    description: ['On one that has ended it changes nothing.'],
    who: 'session',
    parameters: [idOfEndpoint(kind), replayIdOfPath],
    answers: [
      answered(200, 'How far it had come.', replayAnswer, {
        ...replayExample,
        state: 'cancelled',
        endedAt: '2026-11-22T01:12:00.000Z',
      }),
    ],
    find: findEndpoint(kind),
    handle: async ({ app, params, found: { key }, access: { accountUuid } }) => {
      const replayId = parseWebhookId(params.replayId ?? '')
      const controls = deliveryControls(app, accountUuid)
      const ended = replayId && (await cancelReplay(app, controls, accountUuid, key, replayId))
      return ended ? replayJson(ended.replay) : notFound()
    },
  })
}

function rotateCall(kind: EndpointKind): Call {
  const { one, tag, path } = CALL_NAMES[kind]
  return defineCall({
    id: `rotate${one}Secret`,
    method: 'POST',
    path: `${path}/:id/rotate-secret`,
    tag,
    summary: 'Makes a new signing secret',
    description: [
      'The old one stays valid for 24 hours: until then events carry both signatures. Asked again within a minute, the answer is the same.',
    ],
    who: 'session',
    parameters: [idOfEndpoint(kind)],
    answers: [
      answered(200, 'The new secret.', rotationAnswer, {
        signingSecret: 'whsec_put-your-own-here',
        previousValidUntil: '2026-11-23T01:10:00.000Z',
      }),
    ],
    owner: 'keys',
    find: findEndpoint(kind),
    handle: async ({ app, found: { key }, access: { accountUuid } }) => {
      const rotated = await rotateSecret(app, accountUuid, key)
      if (rotated.outcome === 'not_found') return notFound()
      const previousValidUntil = iso(rotated.previousUntil)
      return answer(200, { signingSecret: rotated.secret, previousValidUntil }, { 'Cache-Control': 'no-store' })
    },
  })
}

const replayIdOfPath = idOfPath('replay', 'The `replayId` that the replay was answered with.', 'replayId', '4')

const replayExample: z.output<typeof replayAnswer> = {
  replayId: 4,
  state: 'running',
  count: 12,
  delivered: 7,
  undelivered: 0,
  since: '2026-11-21T09:00:00.000Z',
  status: 'failed',
  objectUuid: null,
  createdAt: '2026-11-22T01:10:00.000Z',
  endedAt: null,
}

export const testExample = { success: true, statusCode: 204, responseTime: 31, error: null }

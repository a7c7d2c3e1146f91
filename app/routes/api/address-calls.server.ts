// What can be asked of one address: the same for a webhook's and for a forwarding rule's.
import type { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import { idOfPath, type Parameter } from '#app/contract/operation.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
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
import type { Refused } from '#app/features/endpoints/endpoint-changes.server.ts'
import { REFUSED_STATUS } from '#app/features/endpoints/manager-page.server.ts'
import { type Asked, type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { answer, badInput, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { iso } from '#app/lib/clock.ts'
import { deliveryControls } from '../delivery-controls.server.ts'

const replayId = idOfPath('replay', 'The `replayId` that the replay was answered with.', 'replayId', '4')

/** The webhook or forwarding rule that `:id` names, if the account has it. */
export function findAddress(keyOf: (id: number) => EndpointKey) {
  return async ({ app, params }: Asked, accountUuid: string): Promise<{ key: EndpointKey } | null> => {
    const id = parseWebhookId(params.id ?? '')
    if (id === null) return null
    return (await app.store.endpoints.findEndpoint(accountUuid, refOf(keyOf(id)))) ? { key: keyOf(id) } : null
  }
}

/** One sample to the address, now. */
export async function testAddress(app: App, accountUuid: string, key: EndpointKey) {
  const tested = await testWebhook(app, accountUuid, key, deliveryControls(app, accountUuid).sendSample)
  switch (tested.outcome) {
    case 'tested':
      return tested.result
    case 'no_address':
      return badInput(tested.message)
    case 'not_found':
      return notFound()
    default:
      return assertNever(tested)
  }
}

/** A refused create or update of a webhook or forwarding rule as a call answers it. */
export function webhookRefusal(refusal: Refused): Response {
  return refusal.outcome === 'invalid'
    ? badInput(refusal.message, refusal.errors)
    : problem(REFUSED_STATUS[refusal.outcome], refusal.message)
}

interface AddressOf {
  name: string
  tag: string
  path: string
  parameter: Parameter
  keyOf(id: number): EndpointKey
}

export function addressCalls({ name, tag, path, parameter, keyOf }: AddressOf): Call[] {
  const theirs = `the ${name.toLowerCase()}'s address`
  const one = name.replace(' rule', 'Rule')
  return [
    defineCall({
      id: `check${one}`,
      method: 'POST',
      path: `${path}/check`,
      tag,
      summary: `Looks at ${theirs} step by step, and sends no event`,
      description: [
        'Name, connection, certificate, redirect and answer, each with what to do about it. It counts as no delivery.',
      ],
      who: 'session',
      parameters: [parameter],
      answers: [
        {
          status: 200,
          says: 'What was found.',
          schema: checkAnswer,
          example: {
            url: 'https://hooks.example.com/servicem8',
            checkedAt: '2026-11-22T01:10:00.000Z',
            verdict: 'ok',
            summary: 'Your address can be reached and answers.',
            steps: [{ name: 'address', verdict: 'ok', sentence: 'The address may be called.', fix: null }],
          },
        },
      ],
      refusals: { 400: 'It has no address.' },
      limit: LIMITS.check,
      find: findAddress(keyOf),
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
    }),
    defineCall({
      id: `replay${one}`,
      method: 'POST',
      path: `${path}/replay`,
      tag,
      summary: 'Sends everything since a moment again',
      description: ['With `dryRun` it only counts. The same wish while it runs is answered with the replay that runs.'],
      who: 'session',
      parameters: [parameter],
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
      answers: [
        {
          status: 202,
          says: 'It has begun, or was counted.',
          schema: replayStarted,
          example: { count: 12, replayId: 4 },
        },
      ],
      refusals: {
        409: 'There is no address to send to.',
        503: 'There is no room for so many just now. `Retry-After` says when.',
      },
      find: findAddress(keyOf),
      handle: async ({ app, body: { dryRun, ...wish }, found: { key }, access: { accountUuid } }) => {
        const controls = deliveryControls(app, accountUuid)
        if (dryRun) {
          const count = await countReplay(app, controls, accountUuid, key, wish)
          return count === null ? notFound() : { count, replayId: null }
        }
        const started = await startReplay(app, controls, accountUuid, key, wish)
        switch (started.outcome) {
          case 'started':
            return { count: started.count, replayId: started.replayId }
          case 'no_address':
            return problem(409, started.message)
          case 'no_room':
            return problem(503, started.message, { 'Retry-After': '600' })
          case 'not_found':
            return notFound()
          default:
            return assertNever(started)
        }
      },
    }),
    defineCall({
      id: `show${one}Replay`,
      method: 'GET',
      path: `${path}/replay/:replayId`,
      tag,
      summary: 'Says how far a replay is',
      description: ['Ask again until `state` is no longer `running`.'],
      who: 'session',
      parameters: [parameter, replayId],
      answers: [{ status: 200, says: 'Where it stands.', schema: replayAnswer, example: replayExample }],
      find: findAddress(keyOf),
      handle: async ({ app, params, found: { key }, access: { accountUuid } }) => {
        const replayId = parseWebhookId(params.replayId ?? '')
        const replay = replayId && (await findReplay(app, accountUuid, key, replayId))
        return replay ? answer(200, replayJson(replay), { 'Cache-Control': 'no-store' }) : notFound()
      },
    }),
    defineCall({
      id: `cancel${one}Replay`,
      method: 'DELETE',
      path: `${path}/replay/:replayId`,
      tag,
      summary: 'Cancels what a replay has not sent yet',
      description: ['On one that has ended it changes nothing.'],
      who: 'session',
      parameters: [parameter, replayId],
      answers: [
        {
          status: 200,
          says: 'How far it had come.',
          schema: replayAnswer,
          example: { ...replayExample, state: 'cancelled', endedAt: '2026-11-22T01:12:00.000Z' },
        },
      ],
      find: findAddress(keyOf),
      handle: async ({ app, params, found: { key }, access: { accountUuid } }) => {
        const replayId = parseWebhookId(params.replayId ?? '')
        const controls = deliveryControls(app, accountUuid)
        const ended = replayId && (await cancelReplay(app, controls, accountUuid, key, replayId))
        return ended ? replayJson(ended.replay) : notFound()
      },
    }),
    defineCall({
      id: `rotate${one}Secret`,
      method: 'POST',
      path: `${path}/rotate-secret`,
      tag,
      summary: 'Makes a new signing secret',
      description: [
        'The old one stays valid for 24 hours: until then events carry both signatures. Asked again within a minute, the answer is the same.',
      ],
      who: 'session',
      parameters: [parameter],
      answers: [
        {
          status: 200,
          says: 'The new secret.',
          schema: rotationAnswer,
          example: {
            signingSecret: 'whsec_put-your-own-here',
            previousValidUntil: '2026-11-23T01:10:00.000Z',
          },
        },
      ],
      owner: 'keys',
      find: findAddress(keyOf),
      handle: async ({ app, found: { key }, access: { accountUuid } }) => {
        const rotated = await rotateSecret(app, accountUuid, key)
        if (rotated.outcome === 'not_found') return notFound()
        const previousValidUntil = iso(rotated.previousUntil)
        return answer(200, { signingSecret: rotated.secret, previousValidUntil }, { 'Cache-Control': 'no-store' })
      },
    }),
  ]
}

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

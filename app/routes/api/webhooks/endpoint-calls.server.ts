// What can be asked of one address by call: the same for a webhook's and for a forwarding rule's.

import type { App } from '#app/context/app-context.ts'
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
import { readJson, requireOwner } from '#app/http/guards.server.ts'
import { answer, badInput, notFound, problem, tooMany } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { iso } from '#app/lib/clock.ts'
import { deliveryControls } from '../../delivery-controls.server.ts'
import type { OwnEndpoint } from './own-endpoint.server.ts'

/** One sample to the address, now: 200 `{success, statusCode, responseTime, error}`. 5 a minute and account. */
export async function answerTest(app: App, { accountUuid, key }: OwnEndpoint): Promise<Response> {
  const controls = deliveryControls(app, accountUuid)
  const taken = controls.takeTest()
  if (taken.outcome === 'wait') return tooMany(taken.ms)
  const tested = await testWebhook(app, accountUuid, key, controls.sendSample)
  switch (tested.outcome) {
    case 'tested':
      return answer(200, tested.result)
    case 'no_address':
      return badInput(tested.message)
    case 'not_found':
      return notFound()
    default:
      return assertNever(tested)
  }
}

/**
 * `{since, status?, objectUuid?, dryRun?}`: everything since a moment again. 202 with `{count, replayId}`; with `dryRun` it
 * only counts and `replayId` is null. The same wish while it runs is answered with the replay that runs.
 */
export async function answerReplay(app: App, request: Request, { accountUuid, key }: OwnEndpoint): Promise<Response> {
  const { dryRun, ...wish } = await readJson(request, replayBody)
  const controls = deliveryControls(app, accountUuid)
  if (dryRun) {
    const count = await countReplay(app, controls, accountUuid, key, wish)
    return count === null ? notFound() : answer(202, { count, replayId: null })
  }
  const started = await startReplay(app, controls, accountUuid, key, wish)
  switch (started.outcome) {
    case 'started':
      return answer(202, { count: started.count, replayId: started.replayId })
    case 'no_address':
      return problem(409, started.message)
    case 'no_room':
      return problem(503, started.message, { 'Retry-After': '600' })
    case 'not_found':
      return notFound()
    default:
      return assertNever(started)
  }
}

/** How far a replay is: 200 `{replayId, state, count, delivered, undelivered, since, status, objectUuid, createdAt, endedAt}`. */
export async function answerProgress(
  app: App,
  { accountUuid, key }: OwnEndpoint,
  replayText: string | undefined,
): Promise<Response> {
  const replayId = parseWebhookId(replayText ?? '')
  const replay = replayId && (await findReplay(app, accountUuid, key, replayId))
  return replay ? answer(200, replayJson(replay), { 'Cache-Control': 'no-store' }) : notFound()
}

/** Cancels what was not sent yet and answers how far it had come; on one that has ended it changes nothing. */
export async function answerCancel(
  app: App,
  { accountUuid, key }: OwnEndpoint,
  replayText: string | undefined,
): Promise<Response> {
  const replayId = parseWebhookId(replayText ?? '')
  const controls = deliveryControls(app, accountUuid)
  const ended = replayId && (await cancelReplay(app, controls, accountUuid, key, replayId))
  return ended ? answer(200, replayJson(ended.replay)) : notFound()
}

/**
 * A new signing secret: 200 `{signingSecret, previousValidUntil}`. Until then events are signed with both. Asked again
 * within a minute, the answer is the same: a repeated call does not push out the secret still in use.
 */
export async function answerRotation(app: App, own: OwnEndpoint): Promise<Response> {
  requireOwner(app, own, 'keys')
  const { accountUuid, key } = own
  const rotated = await rotateSecret(app, accountUuid, key)
  if (rotated.outcome === 'not_found') return notFound()
  const previousValidUntil = iso(rotated.previousUntil)
  const body = { signingSecret: rotated.secret, previousValidUntil }
  return answer(200, body, { 'Cache-Control': 'no-store' })
}

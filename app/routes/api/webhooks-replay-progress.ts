import type { ActionFunctionArgs } from '@remix-run/node'
import { replayJson } from '#app/features/webhooks/replay-request.ts'
import { cancelReplay, findReplay } from '#app/features/webhooks/replay-webhook.server.ts'
import { parseWebhookId } from '#app/features/webhooks/webhook.ts'
import { answerCall } from '#app/http/call.server.ts'
import { answer, notFound } from '#app/http/respond.ts'
import { deliveryControls } from '../delivery-controls.server.ts'
import { requireWebhook } from './own-webhook.server.ts'

/**
 * `GET /api/webhooks/{id}/replay/{replayId}`: how far it is: `{replayId, state, count, delivered, undelivered, since,
 * status, objectUuid, createdAt, endedAt}`, `state` being running, done or cancelled. `DELETE` cancels what was not sent
 * yet and answers the same; on one that has ended it changes nothing.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid, webhookId } = await requireWebhook(app, request, params.id)
      const replayId = parseWebhookId(params.replayId ?? '')
      const replay = replayId && (await findReplay(app, accountUuid, webhookId, replayId))
      return replay ? answer(200, replayJson(replay), { 'Cache-Control': 'no-store' }) : notFound()
    },
    DELETE: async () => {
      const { accountUuid, webhookId } = await requireWebhook(app, request, params.id)
      const replayId = parseWebhookId(params.replayId ?? '')
      const controls = deliveryControls(app, accountUuid)
      const ended = replayId && (await cancelReplay(app, controls, accountUuid, webhookId, replayId))
      return ended ? answer(200, replayJson(ended.replay)) : notFound()
    },
  })
}

export const loader = action

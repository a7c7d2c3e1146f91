import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerCancel, answerProgress } from './endpoint-calls.server.ts'
import { requireWebhook } from './own-endpoint.server.ts'

/** `GET /api/webhooks/{id}/replay/{replayId}`: how far it is, `state` being running, done or cancelled. `DELETE` cancels. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => answerProgress(app, await requireWebhook(app, request, params.id), params.replayId),
    DELETE: async () => answerCancel(app, await requireWebhook(app, request, params.id), params.replayId),
  })
}

export const loader = action

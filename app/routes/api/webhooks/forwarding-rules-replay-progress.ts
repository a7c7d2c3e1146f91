import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerCancel, answerProgress } from './endpoint-calls.server.ts'
import { requireRule } from './own-endpoint.server.ts'

/** `GET /api/forwarding-rules/{id}/replay/{replayId}`: how far it is. `DELETE` cancels it. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => answerProgress(app, await requireRule(app, request, params.id), params.replayId),
    DELETE: async () => answerCancel(app, await requireRule(app, request, params.id), params.replayId),
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerReplay } from './endpoint-calls.server.ts'
import { requireWebhook } from './own-endpoint.server.ts'

/** `POST /api/webhooks/{id}/replay`. How far it is, and cancelling: `webhooks-replay-progress.ts`. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => answerReplay(app, request, await requireWebhook(app, request, params.id)),
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerRotation } from './endpoint-calls.server.ts'
import { requireWebhook } from './own-endpoint.server.ts'

/** `POST /api/webhooks/{id}/rotate-secret`: 200 `{signingSecret, previousValidUntil}`. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => answerRotation(app, await requireWebhook(app, request, params.id)),
  })
}

export const loader = action

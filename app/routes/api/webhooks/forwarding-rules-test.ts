import type { ActionFunctionArgs } from '@remix-run/node'
import { answerCall } from '#app/http/call.server.ts'
import { answerTest } from './endpoint-calls.server.ts'
import { requireRule } from './own-endpoint.server.ts'

/** `POST /api/forwarding-rules/{id}/test`: one sample to its address, now: 200 `{success, statusCode, responseTime, error}`. 5 a minute and account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => answerTest(app, await requireRule(app, request, params.id)),
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { testBody } from '#app/features/endpoints/api/test-call.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireSession } from '#app/http/guards.server.ts'
import { answerTest } from './endpoint-calls.server.ts'
import { requireWebhook } from './own-endpoint.server.ts'

/** `POST /api/webhooks/test` `{id}`: one sample to the webhook's address, now. 5 a minute and account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      await requireSession(app, request)
      const { id } = await readJson(request, testBody)
      return answerTest(app, await requireWebhook(app, request, String(id)))
    },
  })
}

export const loader = action

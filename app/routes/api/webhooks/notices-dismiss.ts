import type { ActionFunctionArgs } from '@remix-run/node'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `POST /api/notices/{id}/dismiss`: 200 `{success: true}`, also when it was dismissed before. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseWebhookId(params.id ?? '')
      for (const { accountUuid } of id === null ? [] : accounts) {
        if (await app.store.notices.dismissNotice(accountUuid, id ?? 0, app.clock.now()))
          return answer(200, { success: true })
      }
      return notFound()
    },
  })
}

export const loader = action

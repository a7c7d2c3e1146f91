import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { webhookJson } from '#app/features/endpoints/api/endpoint-json.ts'
import { parseWebhookId, webhookBody } from '#app/features/endpoints/endpoint.ts'
import { deleteEndpoint, listEndpoints, updateEndpoint } from '#app/features/endpoints/endpoints.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'
import { webhookRefusal } from './webhook-refusal.ts'

/**
 * One pattern, two meanings, as the documented client has them: `GET /api/webhooks/{accountUUID}` lists an account's
 * webhooks, `PUT` and `DELETE /api/webhooks/{id}` act on one. Whose it is follows from the session, not from the call.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  const key = params.key ?? ''
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccount(app, request, key)
      const webhooks = await listEndpoints(app, accountUuid, 'webhook')
      return answer(
        200,
        webhooks.map((webhook) => webhookJson(webhook)),
      )
    },
    PUT: async () => {
      const { accounts } = await requireSession(app, request)
      const body = await readJson(request, z.record(z.string(), z.unknown()))
      const id = parseWebhookId(key)
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        const changed = await updateEndpoint(app, accountUuid, id, webhookBody(body))
        if (changed.outcome === 'updated') return answer(200, webhookJson(changed.endpoint, changed.warning))
        if (changed.outcome !== 'not_found') return webhookRefusal(changed)
      }
      return notFound()
    },
    DELETE: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseWebhookId(key)
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        const deleted = await deleteEndpoint(app, accountUuid, id)
        if (deleted.outcome === 'deleted') return answer(200, { success: true })
      }
      return notFound()
    },
  })
}

export const loader = action

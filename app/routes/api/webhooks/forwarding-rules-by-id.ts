import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { keyOf } from '#app/domain/endpoint-key.ts'
import { forwardingRuleJson } from '#app/features/endpoints/api/endpoint-json.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { deleteEndpoint, updateEndpoint } from '#app/features/endpoints/endpoints.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireSession } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'
import { webhookRefusal } from './webhook-refusal.ts'

/**
 * `PUT /api/forwarding-rules/{id}` changes what is named (`name`, `forwardUrl`, `fieldFilters`, `active`), `DELETE` deletes
 * it. Whose it is follows from the session, not from the call.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    PUT: async () => {
      const { accounts } = await requireSession(app, request)
      const body = await readJson(request, z.record(z.string(), z.unknown()))
      const id = parseWebhookId(params.id ?? '')
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        const changed = await updateEndpoint(app, accountUuid, keyOf({ kind: 'extra', id }), body)
        if (changed.outcome === 'updated') return answer(200, forwardingRuleJson(changed.endpoint, changed.warning))
        if (changed.outcome !== 'not_found') return webhookRefusal(changed)
      }
      return notFound()
    },
    DELETE: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseWebhookId(params.id ?? '')
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        const deleted = await deleteEndpoint(app, accountUuid, keyOf({ kind: 'extra', id }))
        if (deleted.outcome === 'deleted') return answer(200, { success: true })
      }
      return notFound()
    },
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { webhookJson } from '#app/features/endpoints/api/endpoint-json.ts'
import { webhookBody } from '#app/features/endpoints/endpoint.ts'
import { createEndpoint, listEndpoints } from '#app/features/endpoints/endpoints.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireAccountOfQuery, requireSession } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'
import { webhookRefusal } from './webhook-refusal.ts'

/** `GET /api/webhooks?accountUUID=` lists, `POST /api/webhooks` creates or replaces. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      const webhooks = await listEndpoints(app, accountUuid, 'webhook')
      return answer(
        200,
        webhooks.map((webhook) => webhookJson(webhook)),
      )
    },
    POST: async () => {
      await requireSession(app, request)
      const body = await readJson(request, z.record(z.string(), z.unknown()))
      const access = await requireAccount(app, request, body.accountUUID ?? body.accountuuid)
      const form = { ...webhookBody(body), accountUUID: access.accountId }
      const made = await createEndpoint(app, access.accountUuid, 'webhook', form, { admin: access.admin })
      if (made.outcome === 'created') return answer(201, webhookJson(made.endpoint, made.warning))
      if (made.outcome === 'replaced') return answer(200, webhookJson(made.endpoint, made.warning))
      return webhookRefusal(made)
    },
  })
}

export const loader = action

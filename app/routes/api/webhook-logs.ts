import type { ActionFunctionArgs } from '@remix-run/node'
import { normalizeObjectType } from '#app/domain/object-catalog.ts'
import { hasLog, loadWebhookLog } from '#app/features/endpoints/webhook-log.server.ts'
import { logEntryJson, readLogQuery } from '#app/features/events/log.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccount } from '#app/http/guards.server.ts'
import { answer, badInput, notFound } from '#app/http/respond.ts'

/** `GET /api/webhook-logs/{accountUUID}/{objectType}`: newest first, filtered by the query. */
export function loader(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      const query = readLogQuery(new URL(request.url).searchParams)
      if (query.outcome === 'invalid') return badInput(query.message, query.errors)
      const objectType = normalizeObjectType(params.objectType ?? '')
      if (!(await hasLog(app, accountUuid, objectType))) return notFound()
      const entries = await loadWebhookLog(app, accountUuid, objectType, query.filter)
      return answer(
        200,
        entries.map((entry) => logEntryJson(entry, query.filter.hasDetails)),
      )
    },
  })
}

export const action = loader

import type { ActionFunctionArgs } from '@remix-run/node'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { testApi } from '#app/features/lookups/lookups.server.ts'
import { isApiName } from '#app/features/lookups/lookups.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccount, requireAdmin } from '#app/http/guards.server.ts'
import { answer, notFound, problem } from '#app/http/respond.ts'

/** `GET /api/admin/test-api/{accountUUID}/{apiName}`: raw records of the admin's own account. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const access = await requireAccount(app, request, params.accountUUID)
      requireAdmin(access)
      const name = params.apiName ?? ''
      if (!isApiName(name)) return notFound()
      await recordAudit(app, { accountUuid: access.accountUuid, action: 'admin.call', target: name })
      const looked = await testApi(app, access.accountUuid, name)
      return looked.outcome === 'failed' ? problem(500, looked.message) : answer(200, looked.records)
    },
  })
}

export const loader = action

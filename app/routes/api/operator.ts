import type { ActionFunctionArgs } from '@remix-run/node'
import { operatorJson } from '#app/features/ops/operator-json.ts'
import { loadOperatorPage } from '#app/features/ops/operator-page.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery, requireAdmin } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/** `GET /api/operator?accountUUID=&page=`: what the operator's page shows. For admins (`X-Admin-Mode: true`). */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => {
      requireAdmin(await requireAccountOfQuery(context.app, request))
      const page = new URL(request.url).searchParams.get('page')
      return answer(200, operatorJson(await loadOperatorPage(context.app, page)))
    },
  })
}

export const loader = action

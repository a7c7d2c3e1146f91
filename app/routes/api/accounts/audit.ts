import type { ActionFunctionArgs } from '@remix-run/node'
import { readAuditQuery } from '#app/features/audit/audit-filter.ts'
import { auditJson } from '#app/features/audit/audit-page.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, badInput } from '#app/http/respond.ts'

/**
 * `GET /api/audit?accountUUID=&group=&outcome=&from=&until=&before=`: who did what, newest first, 50 at a time. `next` = where older
 * ones go on (as `before`), null when there are none.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { store } = context.app
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(context.app, request)
      const timezone = (await store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
      const read = readAuditQuery(new URL(request.url).searchParams, timezone)
      if (read.outcome === 'invalid') {
        return badInput(Object.values(read.errors)[0]?.[0] ?? 'Invalid input', read.errors)
      }
      const { limit } = read.query
      const entries = await store.audit.listAudit(accountUuid, { ...read.query, limit: limit + 1 })
      const page = entries.slice(0, limit)
      const next = entries.length > limit ? (page.at(-1)?.id ?? null) : null
      return answer(200, { entries: page.map(auditJson), next })
    },
  })
}

export const loader = action

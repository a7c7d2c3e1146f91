import type { ActionFunctionArgs } from '@remix-run/node'
import { searchDeliveries, searchJson } from '#app/features/events/search.server.ts'
import { readSearchQuery } from '#app/features/events/search-filter.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, badInput } from '#app/http/respond.ts'

/**
 * `GET /api/deliveries?accountUUID=`: deliveries by `id` (any), `status`, `code`, `object`, `record`, `field`, `from` and
 * `until`, newest event first, at most `limit` (50). `next` goes on as `before`; `complete` false = it has to, to see everything.
 */
export function loader(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      const read = readSearchQuery(new URL(request.url).searchParams)
      if (read.outcome === 'invalid') return badInput(read.message, read.errors)
      return answer(200, searchJson(await searchDeliveries(app, accountUuid, read.question)))
    },
  })
}

export const action = loader

import type { LoaderFunctionArgs } from '@remix-run/node'
import { parseEndpointKey } from '#app/domain/endpoint-key.ts'
import { loadManagerLog } from '#app/features/endpoints/manager-page.server.ts'
import { liveTurn } from '#app/features/endpoints/ui/log/live-log.tsx'
import { readLogFilter } from '#app/features/endpoints/ui/log/log-filter.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import { answerCall } from '#app/http/calls/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/**
 * `GET /fieldhook/log?accountUUID=&webhook=` and the log filter: polled by an open log panel every few seconds.
 * `webhook` names the card: a webhook's id, or `rule-3`.
 */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(context.app, request)
      const query = new URL(request.url).searchParams
      const key = parseEndpointKey(query.get('webhook') ?? '')
      const log =
        key === null
          ? null
          : await loadManagerLog(context.app, accountUuid, key, readLogFilter(query), namesForPage(context.app))
      // A panel polls once more while its webhook is being deleted: an empty log is correct then.
      return answer(200, log ?? { entries: [], now: context.app.clock.now() }, { 'Cache-Control': 'no-store' })
    },
  })
}

export const action = loader

/** A failed refresh leaves the page unchanged; the panel says so. */
export const clientLoader = liveTurn

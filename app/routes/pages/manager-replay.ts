import type { LoaderFunctionArgs } from '@remix-run/node'
import { parseEndpointKey } from '#app/domain/endpoint-key.ts'
import { shownReplays } from '#app/features/endpoints/controls/replay-request.ts'
import { findReplay } from '#app/features/endpoints/controls/replay-webhook.server.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { liveTurn } from '#app/features/endpoints/ui/log/live-log.tsx'
import { answerCall } from '#app/http/calls/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/**
 * `GET /fieldhook/replay?accountUUID=&webhook=&replay=`: polled by the line of a running replay every two seconds.
 * `webhook` names the card: a webhook's id, or `rule-3`.
 */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(context.app, request)
      const query = new URL(request.url).searchParams
      const key = parseEndpointKey(query.get('webhook') ?? '')
      const replayId = parseWebhookId(query.get('replay') ?? '')
      const row = key && replayId ? await findReplay(context.app, accountUuid, key, replayId) : null
      const [replay = null] = row ? shownReplays([row], context.app.clock.now()) : []
      return answer(200, { replay }, { 'Cache-Control': 'no-store' })
    },
  })
}

export const action = loader

/** A failed refresh leaves the page unchanged. */
export const clientLoader = liveTurn

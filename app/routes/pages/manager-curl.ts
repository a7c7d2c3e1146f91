import type { LoaderFunctionArgs } from '@remix-run/node'
import { parseEndpointKey } from '#app/domain/endpoint-key.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { curlOfEvent } from '#app/features/endpoints/webhook-log.server.ts'
import { answerCall } from '#app/http/calls/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `GET /fieldhook/curl?accountUUID=&webhook=&event=`: text for "Copy as curl"; also `rule-3`. Script only. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(context.app, request)
      const query = new URL(request.url).searchParams
      const key = parseEndpointKey(query.get('webhook') ?? '')
      const eventSeq = parseWebhookId(query.get('event') ?? '')
      if (key === null || eventSeq === null) return notFound()
      const curl = await curlOfEvent(context.app, accountUuid, key, eventSeq)
      return curl === null ? notFound() : answer(200, { curl }, { 'Cache-Control': 'no-store' })
    },
  })
}

export const action = loader

import type { ActionFunctionArgs } from '@remix-run/node'
import { loadWebhookActivity } from '#app/features/events/activity.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answerUnlessKnown } from './webhook-activity-etag.server.ts'

/** `GET /api/webhook-activity?accountUUID=`: the latest 100 events, newest first. */
export function loader(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(context.app, request)
      return answerUnlessKnown(request, await loadWebhookActivity(context.app, accountUuid))
    },
  })
}

export const action = loader

import type { ActionFunctionArgs } from '@remix-run/node'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { loadDelivery } from '#app/features/events/delivery-detail.server.ts'
import { deliveryJson } from '#app/features/events/delivery-detail.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, notFound } from '#app/http/respond.ts'

/** `GET /api/deliveries/{id}?accountUUID=`: the request, every attempt with its timing, the event, and what else was sent of it. */
export function loader(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      const id = parseWebhookId(params.id ?? '')
      const delivery = id === null ? null : await loadDelivery(app, accountUuid, id)
      return delivery === null ? notFound() : answer(200, deliveryJson(delivery))
    },
  })
}

export const action = loader

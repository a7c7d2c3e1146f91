import type { ActionFunctionArgs } from '@remix-run/node'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireSession } from '#app/http/guards.server.ts'
import { answer, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { deliveryControls } from '../delivery-controls.server.ts'

/**
 * `POST /api/deliveries/{id}/retry`: sends one delivery again, at once, even if its webhook is paused or held. 202 with the
 * id of the new delivery; asked twice before it was sent, both get the same one. 409 = it cannot be sent any more.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accounts } = await requireSession(app, request)
      const id = parseWebhookId(params.id ?? '')
      if (id === null) return notFound()
      for (const { accountUuid } of accounts) {
        const sent = await deliveryControls(app, accountUuid).sendAgain(id)
        switch (sent.outcome) {
          case 'sent':
            return answer(202, { deliveryId: sent.deliveryId })
          case 'no_address':
          case 'body_gone':
            return problem(409, sent.message)
          case 'not_found':
            break
          default:
            return assertNever(sent)
        }
      }
      return notFound()
    },
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { compareSubscriptions } from '#app/features/endpoints/subscriptions/repair-subscriptions.server.ts'
import { comparisonJson } from '#app/features/endpoints/subscriptions/upstream-words.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, problem, tooMany } from '#app/http/respond.ts'
import { deliveryControls } from '../../delivery-controls.server.ts'

/**
 * `POST /api/webhooks/compare?accountUUID=`: compares with the platform's own list and subscribes again what it dropped. 200
 * `{objects: [{object, outcome, reason, since, message}]}`, or 502 with the platform's message. 2 a minute and account.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      const taken = deliveryControls(app, accountUuid).takeCompare()
      if (taken.outcome === 'wait') return tooMany(taken.ms)
      const comparison = await compareSubscriptions(app, accountUuid)
      if (comparison.outcome === 'unreadable') return problem(502, comparison.message)
      return answer(200, comparisonJson(comparison.objects))
    },
  })
}

export const loader = action

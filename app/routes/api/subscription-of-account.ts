import type { ActionFunctionArgs } from '@remix-run/node'
import { ensurePlan, loadSubscription } from '#app/features/billing/plan.server.ts'
import { subscriptionJson } from '#app/features/billing/subscription-json.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccount } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/** `/api/subscription/{accountUUID}`: POST makes the trial once and changes nothing afterwards; both answer what there is. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      return answer(200, subscriptionJson(await loadSubscription(app, accountUuid)))
    },
    POST: async () => {
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      await ensurePlan(app, accountUuid)
      return answer(200, subscriptionJson(await loadSubscription(app, accountUuid)))
    },
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { paymentJson } from '#app/features/billing/subscription-json.ts'
import { startUpgrade } from '#app/features/billing/upgrade.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, problem } from '#app/http/respond.ts'

const wish = z.strictObject({
  newPlan: z.literal('premium', { error: 'There is one plan: premium' }),
  prorated: z.boolean({ error: 'Invalid input' }),
})

/** `POST /api/subscription/{accountUUID}/upgrade`: what it would cost today, and the payment for it. Nothing changes until it is paid. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      const { prorated } = await readJson(request, wish)
      requireRateOf(app, 'pay', accountUuid)
      const start = await startUpgrade(app, accountUuid, { prorated })
      return start.outcome === 'pay' ? answer(200, paymentJson(start)) : problem(start.status, start.message)
    },
  })
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import { paymentJson } from '#app/features/billing/subscription-json.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, problem } from '#app/http/respond.ts'

const wish = z.strictObject({ amount: z.int({ error: 'Invalid amount' }) })

/** `POST /api/create-payment-intent/{accountUUID}`: `amount` has to be the price; the server decides what is paid. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accountUuid } = await requireAccount(app, request, params.accountUUID)
      const { amount } = await readJson(request, wish)
      requireRateOf(app, 'pay', accountUuid)
      const start = await startFirstPayment(app, accountUuid, { amount })
      return start.outcome === 'pay' ? answer(200, paymentJson(start)) : problem(start.status, start.message)
    },
  })
}

export const loader = action

// What the two calls that begin a payment share: whose it is, how often, and how it is answered.
import type { ActionFunctionArgs } from '@remix-run/node'
import type { z } from 'zod'
import type { App } from '#app/context/app-context.ts'
import type { PaymentStart } from '#app/features/billing/payment.ts'
import { paymentJson } from '#app/features/billing/subscription-json.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireOwner } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, problem } from '#app/http/respond.ts'

/** `wish` reads the body; `start` begins the payment of the session's account that the address names. */
export function answerPayment<S extends z.ZodType>(
  args: ActionFunctionArgs,
  wish: S,
  start: (app: App, accountUuid: string, wished: z.output<S>) => Promise<PaymentStart>,
): Promise<Response> {
  const { request, params, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const access = await requireAccount(app, request, params.accountUUID)
      requireOwner(app, access, 'pay')
      const { accountUuid } = access
      const wished = await readJson(request, wish)
      requireRateOf(app, 'pay', accountUuid)
      const started = await start(app, accountUuid, wished)
      return started.outcome === 'pay' ? answer(200, paymentJson(started)) : problem(started.status, started.message)
    },
  })
}

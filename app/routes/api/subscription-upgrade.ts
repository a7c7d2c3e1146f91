import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { startUpgrade } from '#app/features/billing/upgrade.server.ts'
import { answerPayment } from './payment-call.server.ts'

const wish = z.strictObject({
  newPlan: z.literal('premium', { error: 'There is one plan: premium' }),
  prorated: z.boolean({ error: 'Invalid input' }),
})

/** `POST /api/subscription/{accountUUID}/upgrade`: what it would cost today, and the payment for it. Nothing changes until it is paid. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  return answerPayment(args, wish, (app, accountUuid, { prorated }) => startUpgrade(app, accountUuid, { prorated }))
}

export const loader = action

import type { ActionFunctionArgs } from '@remix-run/node'
import { upgradeBody } from '#app/features/billing/payment-call.ts'
import { startUpgrade } from '#app/features/billing/upgrade.server.ts'
import { answerPayment } from './payment-call.server.ts'

/** `POST /api/subscription/{accountUUID}/upgrade`: what it would cost today, and the payment for it. Nothing changes until it is paid. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  return answerPayment(args, upgradeBody, (app, accountUuid, { prorated }) =>
    startUpgrade(app, accountUuid, { prorated }),
  )
}

export const loader = action

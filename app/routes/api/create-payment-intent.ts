import type { ActionFunctionArgs } from '@remix-run/node'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import { firstPaymentBody } from '#app/features/billing/payment-call.ts'
import { answerPayment } from './payment-call.server.ts'

/** `POST /api/create-payment-intent/{accountUUID}`: `amount` has to be the price; the server decides what is paid. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  return answerPayment(args, firstPaymentBody, startFirstPayment)
}

export const loader = action

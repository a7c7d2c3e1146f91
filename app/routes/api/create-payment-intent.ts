import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import { answerPayment } from './payment-call.server.ts'

const wish = z.strictObject({ amount: z.int({ error: 'Invalid amount' }) })

/** `POST /api/create-payment-intent/{accountUUID}`: `amount` has to be the price; the server decides what is paid. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  return answerPayment(args, wish, startFirstPayment)
}

export const loader = action

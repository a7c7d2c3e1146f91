import type { ActionFunctionArgs } from '@remix-run/node'
import { PAYMENTS_OFF } from '#app/features/billing/payment.ts'
import { receivePaymentEvent } from '#app/features/billing/payment-events.server.ts'
import { answerVisit } from '#app/http/calls/call.server.ts'
import { readBody } from '#app/http/guards.server.ts'
import { answer, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** An event of a subscription with many lines is about 20 KB. */
const LARGEST_BODY = 256 * 1024

/** `POST /hooks/stripe`: no session and no cookies; the signature over the exact bytes is the proof. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerVisit(args, {
    POST: async () => {
      const body = await readBody(request, LARGEST_BODY)
      const signature = request.headers.get('stripe-signature') ?? ''
      const receipt = await receivePaymentEvent(context.app, { body, signature })
      switch (receipt.outcome) {
        case 'received':
          return answer(200, { received: true })
        case 'bad_signature':
          return problem(400, 'The signature is missing, wrong or too old.')
        case 'off':
          return problem(503, PAYMENTS_OFF)
        case 'failed':
          return problem(500, 'The event could not be worked on. Send it again.')
        default:
          return assertNever(receipt)
      }
    },
  })
}

export const loader = action

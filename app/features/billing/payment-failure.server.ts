// The provider's errors as outcomes. Its own texts are for our log; only what a bank says goes to the person who pays.
import type { PaymentError } from '#app/adapters/payments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { inTurn } from '#app/lib/in-turn.server.ts'
import { type BillingApp, type PayingApp, takesPayments } from './billing-app.server.ts'
import { NOT_REACHED, OUR_FAULT, PAYMENTS_OFF, type PaymentRefusal, refused } from './payment.ts'

/** Null = it is something else, a bug. */
export function paymentErrorOf(error: unknown): PaymentError | null {
  return error instanceof Error && error.name === 'PaymentError' && 'code' in error ? (error as PaymentError) : null
}

/** Never rejects for what the provider says; everything else is thrown on. */
export function refusalOf(app: Pick<BillingApp, 'log'>, accountUuid: string, error: unknown): PaymentRefusal {
  const failure = paymentErrorOf(error)
  if (!failure) throw error
  const { code, requestId } = failure
  const fields = { accountUuid, code, requestId, reason: failure.message }
  switch (code) {
    case 'card':
      return refused(402, failure.message)
    case 'missing':
    case 'refused':
      app.log.error(fields, 'payments.refused')
      return refused(500, OUR_FAULT)
    case 'unavailable':
      app.log.warn(fields, 'payments.unavailable')
      return refused(503, NOT_REACHED)
    case 'denied':
      app.log.error(fields, 'payments.denied')
      return refused(503, NOT_REACHED)
    default:
      return assertNever(code)
  }
}

/**
 * Runs `work` when no other work about the account's money is under way in this process. Two processes are kept apart by the
 * provider's idempotency keys and by `savePlan`, which saves only what was worked out from the latest state.
 */
export function inAccountTurn<T>(
  app: Pick<BillingApp, 'store'>,
  accountUuid: string,
  work: () => Promise<T>,
): Promise<T> {
  return inTurn(app.store, `plan:${accountUuid}`, work)
}

/** The same for what a person asked for: payments off and everything the provider says become a refusal. */
export async function attempt<Done>(
  app: BillingApp,
  accountUuid: string,
  work: (app: PayingApp) => Promise<Done>,
): Promise<Done | PaymentRefusal> {
  if (!takesPayments(app)) return refused(503, PAYMENTS_OFF)
  try {
    return await inAccountTurn(app, accountUuid, () => work(app))
  } catch (error) {
    return refusalOf(app, accountUuid, error)
  }
}

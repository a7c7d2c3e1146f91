// Maps the provider's errors to outcomes. Its own texts go to our log; the payer sees only what a bank says.
import type { PaymentError } from '#app/adapters/payments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { isTurnError } from '#app/lib/in-turn.server.ts'
import { type BillingApp, type PayingApp, takesPayments } from './billing-app.server.ts'
import { NOT_REACHED, OUR_FAULT, PAYMENTS_OFF, type PaymentRefusal, refused } from './payment.ts'

/** Returns null for any other error, which is a bug. */
export function paymentErrorOf(error: unknown): PaymentError | null {
  return error instanceof Error && error.name === 'PaymentError' && 'code' in error ? (error as PaymentError) : null
}

/** Turns the provider's errors, and a turn that is not over, into a refusal; rethrows all others. `fault`: it is ours. */
export function refusalOf(
  app: Pick<BillingApp, 'log'>,
  accountUuid: string,
  error: unknown,
  fault: string = OUR_FAULT,
): PaymentRefusal {
  if (isTurnError(error)) return refused(503, error.message)
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
      return refused(500, fault)
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

/** False = the provider refuses, for a disputed payment for one. That is for a person: everything else goes on. */
export async function refundOrTell({ payments, log }: PayingApp, accountUuid: string, payment: string) {
  try {
    await payments.refund(payment)
    return true
  } catch (error) {
    const failure = paymentErrorOf(error)
    if (failure?.code !== 'refused') throw error
    log.error({ accountUuid, payment, reason: failure.message }, 'payments.not_refunded')
    return false
  }
}

/**
 * Runs `work` when no other billing work of the account is under way. Beside that, the provider's idempotency keys and
 * `savePlan`, which saves only changes to the latest state, prevent conflicts.
 */
export function inAccountTurn<T>(
  app: Pick<BillingApp, 'store'>,
  accountUuid: string,
  work: () => Promise<T>,
): Promise<T> {
  return app.store.shared.inTurn(`plan:${accountUuid}`, work)
}

/** For a user's request: payments switched off and all provider errors become a refusal. */
export async function attempt<Done>(
  app: BillingApp,
  accountUuid: string,
  work: (app: PayingApp) => Promise<Done>,
  fault?: string,
): Promise<Done | PaymentRefusal> {
  if (!takesPayments(app)) return refused(503, PAYMENTS_OFF)
  try {
    return await inAccountTurn(app, accountUuid, () => work(app))
  } catch (error) {
    return refusalOf(app, accountUuid, error, fault)
  }
}

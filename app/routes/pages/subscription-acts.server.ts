// Handles the buttons of the subscription page. A returning payment counts only once the provider has confirmed it.
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { MONTHLY_PENCE } from '#app/domain/plan.ts'
import { issueTabTicket } from '#app/features/accounts/signed-opening.server.ts'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import { openPortal, setCancellation } from '#app/features/billing/manage-billing.server.ts'
import type { Offer } from '#app/features/billing/offers.ts'
import { PAYMENT_UNSEEN, type ReturnOutcome, TOO_OFTEN } from '#app/features/billing/payment.ts'
import {
  answerOfStart,
  cancellationFlash,
  flashOfReturn,
  readIntent,
  refusal,
  type SubscriptionAnswer,
} from '#app/features/billing/payment-answer.ts'
import { settleReturn } from '#app/features/billing/settle-return.server.ts'
import { readPaymentId, subscriptionAddress } from '#app/features/billing/subscription-address.ts'
import { startUpgrade } from '#app/features/billing/upgrade.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { takeRate } from '#app/http/rate-limit.server.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { type OwnAccount, redirectWith, refuseOwnerAct, requireOwnAccount } from './own-account.server.ts'

type Args = Pick<ActionFunctionArgs, 'request' | 'context'>

/** Throws a redirect to another page; else returns the data and status to render the page again. */
export async function actOnSubscriptionPage(args: Args): Promise<{ answer: SubscriptionAnswer; status: number }> {
  const { app } = args.context
  const form = await readForm(args.request)
  const intent = readIntent(form.get('intent'))
  // The card was charged at the provider, whatever became of the session.
  const notDone = intent === 'settle' ? PAYMENT_UNSEEN : undefined
  const found = await requireOwnAccount(args, notDone)
  const refused = intent === null || intent === 'settle' ? null : await refuseOwnerAct(args, found, 'pay')
  if (refused) throw redirectWith(args, addressOf(found), refused)
  switch (intent) {
    case null:
      return { answer: refusal('This page has no such button. Nothing was changed.'), status: 400 }
    case 'subscribe':
    case 'pay_now':
    case 'upgrade':
    case 'early_full':
    case 'early_prorated':
      return startPayment(args, found, intent)
    case 'settle':
      return settle(args, found, form)
    case 'cancel':
    case 'keep': {
      const outcome = await setCancellation(app, found.account.uuid, intent === 'cancel')
      if (outcome.outcome === 'refused') return { answer: refusal(outcome.message), status: outcome.status }
      const plan = await app.store.billing.findPlan(found.account.uuid)
      const { currentPeriodEnd = null, status = '' } = plan ?? {}
      const late = status === 'past_due' || status === 'unpaid'
      const said = cancellationFlash(intent, currentPeriodEnd, found.account.timezone, late)
      throw redirectWith(args, addressOf(found), said)
    }
    case 'own_tab': {
      const { account, staffUuid, proof, provedAt } = found
      const ticket = await issueTabTicket(app, { accountUuid: account.uuid, staffUuid, proof, provedAt })
      return { answer: { kind: 'own_tab', ticket, toast: null }, status: 200 }
    }
    case 'portal': {
      const opening = await openPortal(app, found.account.uuid, addressOf(found))
      if (opening.outcome === 'refused') return { answer: refusal(opening.message), status: opening.status }
      throw redirect(opening.url, { status: 303 })
    }
    default:
      return assertNever(intent)
  }
}

async function settle(
  args: Args,
  found: OwnAccount,
  form: URLSearchParams,
): Promise<{ answer: SubscriptionAnswer; status: number }> {
  const paymentId = readPaymentId(form.get('payment_intent'))
  const outcome = paymentId === null ? UNKNOWN : await settleReturn(args.context.app, found.account.uuid, paymentId)
  if (paymentId !== null && outcome.outcome === 'processing') {
    return { answer: { kind: 'processing', paymentId, toast: null }, status: 200 }
  }
  // A return by address continues at the clean address.
  if (form.get('returned') === 'yes') throw redirectWith(args, addressOf(found), flashOfReturn(outcome))
  return { answer: { kind: 'settled', toast: flashOfReturn(outcome) }, status: 200 }
}

async function startPayment({ context: { app } }: Args, found: OwnAccount, offer: Offer) {
  const { uuid } = found.account
  // The button has the same rate limit as its calls, and explains it in words.
  if (takeRate(app, 'pay', uuid).outcome === 'wait') return { answer: refusal(TOO_OFTEN), status: 429 }
  // "Upgrade Now" is a first payment too: on a page from before it, it must not sell a second month.
  const start =
    offer === 'early_full' || offer === 'early_prorated'
      ? await startUpgrade(app, uuid, { prorated: offer === 'early_prorated' })
      : await startFirstPayment(app, uuid, { amount: MONTHLY_PENCE })
  return { answer: answerOfStart(offer, start), status: start.outcome === 'refused' ? start.status : 200 }
}

/** The return address names no payment: cleans the address without a call to the provider. */
export function leaveEmptyReturn(args: Args, found: OwnAccount): Response {
  return redirectWith(args, addressOf(found), flashOfReturn(UNKNOWN))
}

const UNKNOWN: ReturnOutcome = { outcome: 'unknown' }

function addressOf({ accountId, admin }: OwnAccount): string {
  return subscriptionAddress({ accountUUID: accountId, admin })
}

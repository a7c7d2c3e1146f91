// The intents of the buttons on the subscription page, and the messages about their results.
import { dayText } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Flash } from '#app/lib/flash.ts'
import { OFFER_LABELS, type Offer, pounds, STAYS_DUE } from './offers.ts'
import type { PaymentStart, ReturnOutcome } from './payment.ts'

/** Sent as `intent`. `settle` follows a payment the browser confirmed; `own_tab` leaves the platform's frame. */
export type SubscriptionIntent = Offer | 'settle' | 'cancel' | 'keep' | 'portal' | 'own_tab'

export const SUBSCRIPTION_INTENTS: readonly string[] = [
  ...Object.keys(OFFER_LABELS),
  'settle',
  'cancel',
  'keep',
  'portal',
  'own_tab',
]

/** Returns null when the page has no such intent. */
export function readIntent(text: string | null): SubscriptionIntent | null {
  return text !== null && SUBSCRIPTION_INTENTS.includes(text) ? (text as SubscriptionIntent) : null
}

/** A payment that is waiting for a card. */
export interface QuoteView {
  clientSecret: string
  /** Charged today: `£5.00`. */
  amount: string
  /** The amount and its purpose in a sentence. */
  sentence: string
}

/** The data to draw the page again after a button was pressed. */
export type SubscriptionAnswer =
  | { kind: 'quote'; quote: QuoteView; toast: Flash | null }
  | { kind: 'refused'; message: string; toast: Flash }
  /** The result of a payment confirmed here. Not in a cookie, which two tabs could take from each other. */
  | { kind: 'settled'; toast: Flash }
  /** Not known yet: the page asks again. */
  | { kind: 'processing'; paymentId: string; toast: null }
  /** The ticket for opening the new tab, valid once. */
  | { kind: 'own_tab'; ticket: string; toast: null }

export function answerOfStart(offer: Offer, start: PaymentStart): SubscriptionAnswer {
  const upgrade = offer !== 'subscribe' && offer !== 'pay_now'
  switch (start.outcome) {
    case 'pay': {
      const { clientSecret, amount, description } = start
      return {
        kind: 'quote',
        quote: { clientSecret, amount: pounds(amount), sentence: description },
        toast: upgrade ? { kind: 'info', title: 'Upgrade Available', description } : null,
      }
    }
    case 'refused':
      // 402 = the card was refused, in the provider's words. A failed upgrade is an error, whatever the reason.
      if (start.status === 402 && !upgrade) return { ...refusal(start.message), toast: paymentFailed(start.message) }
      return refusal(start.message)
    default:
      return assertNever(start)
  }
}

export function refusal(message: string): Extract<SubscriptionAnswer, { kind: 'refused' }> {
  return { kind: 'refused', message, toast: { kind: 'error', title: 'Error', description: message } }
}

export function paymentFailed(message: string): Flash {
  return { kind: 'error', title: 'Payment Failed', description: message }
}

export const PROCESSING = {
  kind: 'info',
  title: 'Your payment is being processed',
  description: 'This page shows the result as soon as it is known. There is no need to pay again.',
} as const satisfies Flash

/** The message after a payment, whichever way the user returns. */
export function flashOfReturn(outcome: ReturnOutcome): Flash {
  switch (outcome.outcome) {
    case 'paid':
      return { kind: 'success', title: 'Payment Successful', description: 'Your subscription is now active!' }
    case 'still_owed':
      return { kind: 'info', title: 'Payment received', description: 'Another month is still open.' }
    case 'ended':
      return { kind: 'info', title: 'Payment received', description: 'Your subscription has ended.' }
    case 'failed':
      return paymentFailed(outcome.message)
    case 'processing':
      return PROCESSING
    case 'unknown':
      return { kind: 'error', title: 'Error', description: 'This account has no such payment. Nothing was changed.' }
    default:
      return assertNever(outcome)
  }
}

/** `end`: of the paid month; null = unknown. `late`: a payment is open. */
export function cancellationFlash(intent: 'cancel' | 'keep', end: Millis | null, zone: string, late: boolean): Flash {
  const said = (title: string, description: string): Flash => ({ kind: 'success', title, description })
  if (intent === 'keep') return said('Your subscription continues', 'Nothing else has changed.')
  const until = end === null ? 'the paid month ends' : dayText(end, zone)
  return said('Your subscription is canceled', late ? STAYS_DUE : `It stays active until ${until}.`)
}

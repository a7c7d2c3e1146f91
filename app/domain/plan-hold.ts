// Why nothing is sent for an account that is not paid for: what is stored, and what everybody is told who waits for it.

export const PLAN_HOLD_TEXTS = {
  trial_ended: 'Trial ended: subscribe to resume',
  payment_failed: 'Payment failed: pay to resume',
  subscription_ended: 'Subscription ended: subscribe to resume',
}

export type PlanHold = keyof typeof PLAN_HOLD_TEXTS

/** Without its full stop: more may follow. A text from before there were codes is shown as it is. */
export function planHoldText(hold: string): string {
  return Object.hasOwn(PLAN_HOLD_TEXTS, hold) ? PLAN_HOLD_TEXTS[hold as PlanHold] : hold
}

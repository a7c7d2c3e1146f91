// Why an unpaid account is on hold: the stored codes, and the text shown to everyone affected.

export const PLAN_HOLD_TEXTS = {
  trial_ended: 'Trial ended: subscribe to resume',
  payment_failed: 'Payment failed: pay to resume',
  subscription_ended: 'Subscription ended: subscribe to resume',
}

export type PlanHold = keyof typeof PLAN_HOLD_TEXTS

/** Has no final period, so more text can follow. Text from before there were codes is shown unchanged. */
export function planHoldText(hold: string): string {
  return Object.hasOwn(PLAN_HOLD_TEXTS, hold) ? PLAN_HOLD_TEXTS[hold as PlanHold] : hold
}

const ENDED_TEXTS: Record<PlanHold, string> = {
  trial_ended: 'the trial had ended. Send it again once you have subscribed.',
  payment_failed: 'a payment had failed. Send it again once you have paid.',
  subscription_ended: 'the subscription had ended. Send it again once you have subscribed.',
}

/** For what is read for good: why the hold ended something, and what helps later. */
export function endedByHoldText(hold: string): string {
  return Object.hasOwn(ENDED_TEXTS, hold) ? ENDED_TEXTS[hold as PlanHold] : 'the account was on hold.'
}

// The first steps for a new user, and when to stop showing them.
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import type { EndpointView } from './endpoint-view.ts'

/** Covers the first evening and the morning after; users who only forward webhooks do not see the steps forever. */
const SHOWN_FOR = hours(48)

export const FIRST_STEPS = ['webhook', 'event', 'automation'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

export interface FirstStepView {
  step: FirstStep
  done: boolean
  /** True for the first step that is not done. */
  next: boolean
}

export interface FirstStepFacts {
  /** Webhooks and forwarding rules. */
  cards: readonly Pick<EndpointView, 'lastEventAt' | 'createdAt'>[]
  /** Number of the account's rules, on or off. */
  automations: number
  /** True once the account has received an event, also for a webhook that is gone. */
  hadEvents: boolean
  now: Millis
}

/**
 * Returns the three steps in order; empty when they are hidden. They disappear when all are done, two days after the
 * first webhook in any case, for users who only want automations, and for those who had a webhook before.
 */
export function firstSteps({ cards, automations, hadEvents, now }: FirstStepFacts): FirstStepView[] {
  const done: Record<FirstStep, boolean> = {
    webhook: cards.length > 0,
    event: cards.some((card) => card.lastEventAt !== null),
    automation: automations > 0,
  }
  const first = Math.min(...cards.map((card) => card.createdAt))
  if (done.webhook ? done.event && done.automation : hadEvents || done.automation) return []
  if (cards.length > 0 && now - first > SHOWN_FOR) return []
  const next = FIRST_STEPS.find((step) => !done[step])
  return FIRST_STEPS.map((step) => ({ step, done: done[step], next: step === next }))
}

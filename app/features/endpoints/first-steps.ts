// What somebody who has just come does first, and when nobody needs to be told any more.
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import type { EndpointView } from './endpoint-view.ts'

/** Long enough for the first evening and the morning after; who only forwards webhooks is not asked for ever. */
const SHOWN_FOR = hours(48)

export const FIRST_STEPS = ['webhook', 'event', 'automation'] as const
export type FirstStep = (typeof FIRST_STEPS)[number]

export interface FirstStepView {
  step: FirstStep
  done: boolean
  /** The first that is not done. */
  next: boolean
}

export interface FirstStepFacts {
  /** Webhooks and forwarding rules. */
  cards: readonly Pick<EndpointView, 'status' | 'lastEventAt' | 'createdAt'>[]
  /** How many rules the account has, on or off. */
  automations: number
  now: Millis
}

/**
 * The three steps in their order; empty = not shown. They go away when all are done, two days after the first webhook whatever is
 * done, and for whoever came for automations alone.
 */
export function firstSteps({ cards, automations, now }: FirstStepFacts): FirstStepView[] {
  const done: Record<FirstStep, boolean> = {
    webhook: cards.length > 0,
    event: cards.some((card) => card.lastEventAt !== null || card.status === 'working' || card.status === 'slow'),
    automation: automations > 0,
  }
  const first = Math.min(...cards.map((card) => card.createdAt))
  if (done.automation && (done.event || !done.webhook)) return []
  if (cards.length > 0 && now - first > SHOWN_FOR) return []
  const next = FIRST_STEPS.find((step) => !done[step])
  return FIRST_STEPS.map((step) => ({ step, done: done[step], next: step === next }))
}

// The state of a delivery and, while it waits, what it waits for.
import { PAUSED_FOR_AT_MOST } from '#app/domain/deliveries/delivery.ts'
import type { DeliveryCondition } from '#app/domain/deliveries/stored-delivery.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { gateOf } from './delivering/endpoint-health.ts'

/** `failed` = given up after 72 hours. `held` = its whole webhook is on hold, not only failing: that is retried. */
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed', 'held', 'stopped'] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export function deliveryStatus(delivery: DeliveryCondition, now: Millis): DeliveryStatus {
  if (delivery.state === 'pending') return [null, 'breaker'].includes(holdOf(delivery, now)) ? 'waiting' : 'held'
  return delivery.state === 'expired' ? 'failed' : delivery.state
}

/** Why it ended, when nothing more specific is stored. */
export const ENDED_TEXTS = {
  expired: 'Not delivered within 72 hours.',
  stopped: 'Stopped before it was delivered.',
} as const

type Hold = 'account' | 'paused' | 'failing' | 'stopped' | 'deleted' | 'no_address' | 'asked' | 'breaker'

function holdOf({ cause, attempts, address }: DeliveryCondition, now: Millis): Hold | null {
  if (address.accountHold && cause !== 'test' && address.state === 'active' && address.url !== '') return 'account'
  // A manual delivery is sent once whatever state the address is in, if it has one.
  const byHand = cause === 'test' || (cause === 'retry' && attempts === 0 && !address.accountHold)
  if (byHand && address.url !== '' && address.state !== 'deleted') return null
  if (address.state !== 'active') return address.state
  if (address.url === '') return 'no_address'
  if (address.holdUntil !== null && address.holdUntil > now) return 'asked'
  return address.breaker === 'open' ? 'breaker' : null
}

export interface Waiting {
  /** The reason for the wait, in sentences. */
  reason: string
  /** When the next try is due; null when that depends on a person. */
  nextAt: Millis | null
  /** Other deliveries of the same webhook may go first. */
  atEarliest: boolean
  /** When the delivery is given up. */
  until: Millis
}

/** What the address belongs to. */
export function ownerThing({ rule }: DeliveryCondition['address']): string {
  return rule ? 'forwarding rule' : 'webhook'
}

/** Returns null when the delivery is not waiting. */
export function waitingOf(delivery: DeliveryCondition, now: Millis): Waiting | null {
  if (delivery.state !== 'pending') return null
  const { address, dueAt, deadlineAt } = delivery
  const thing = ownerThing(address)
  const hold = holdOf(delivery, now)
  const nextAt = Math.max(dueAt, gateOf(address).opensAt)
  const person = { nextAt: null, atEarliest: false, until: deadlineAt }
  switch (hold) {
    case 'account':
      return {
        ...person,
        reason: `${planHoldText(address.accountHold ?? '')}. This event is kept until then, for 72 hours at most.`,
      }
    case 'paused':
      return {
        ...person,
        reason: `The ${thing} is paused. We send this event when you resume.`,
        until: delivery.createdAt + PAUSED_FOR_AT_MOST,
      }
    case 'failing':
      return {
        ...person,
        reason: `Nothing reached this address for 72 hours, so we stopped trying. Start the ${thing} again when it is repaired.`,
      }
    case 'stopped':
      return { ...person, reason: 'The address answered 410 and wants nothing more. This delivery ends in a moment.' }
    case 'deleted':
      return { ...person, reason: `The ${thing} was deleted. This delivery ends in a few minutes.` }
    case 'no_address':
      return { ...person, reason: `The ${thing} has no address. This event is sent when it gets one.` }
    case 'asked':
      return {
        reason: `The whole ${thing} waits. ${address.holdReason ?? 'The address asked us to slow down.'}`,
        nextAt,
        atEarliest: false,
        until: deadlineAt,
      }
    case 'breaker':
      return {
        reason:
          'The address failed several times in a row. We try one event at a time until one succeeds. The others wait.',
        nextAt,
        atEarliest: true,
        until: deadlineAt,
      }
    case null:
      return { reason: turnReason(delivery, now), nextAt: dueAt, atEarliest: false, until: deadlineAt }
    default:
      return assertNever(hold)
  }
}

/** What is due for longer is behind others, or its address takes long to answer. */
const SENT_WITHIN = seconds(5)

function turnReason({ attempts, dueAt, cause }: DeliveryCondition, now: Millis): string {
  if (dueAt > now) return attempts === 0 ? 'Next in line.' : 'We retry automatically.'
  if (now - dueAt >= SENT_WITHIN) return 'Waits for its turn, or is on its way.'
  return cause === 'retry' && attempts === 0 ? 'Being sent again.' : 'Being sent.'
}

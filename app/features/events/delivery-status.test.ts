import { describe, expect, test } from 'vitest'
import type { AddressState, DeliveryCondition } from '#app/domain/deliveries/stored-delivery.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { deliveryStatus, waitingOf } from './delivery-status.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0)

const ADDRESS: AddressState = {
  url: 'https://example.com/in',
  state: 'active',
  holdUntil: null,
  holdReason: null,
  breaker: 'closed',
  nextProbeAt: null,
}

function delivery(over: Partial<DeliveryCondition> = {}, address: Partial<AddressState> = {}): DeliveryCondition {
  return {
    cause: 'live',
    state: 'pending',
    attempts: 1,
    dueAt: NOW + minutes(2),
    deadlineAt: NOW + hours(71),
    createdAt: NOW - hours(1),
    ...over,
    address: { ...ADDRESS, ...address },
  }
}

describe('a delivery', () => {
  test('that ended is what it ended as, whatever its address does now', () => {
    for (const [state, status] of [
      ['delivered', 'delivered'],
      ['expired', 'failed'],
      ['stopped', 'stopped'],
    ] as const) {
      const ended = delivery({ state }, { state: 'paused' })
      expect(deliveryStatus(ended, NOW)).toBe(status)
      expect(waitingOf(ended, NOW)).toBeNull()
    }
  })

  test('that failed waits for its next attempt', () => {
    expect(deliveryStatus(delivery(), NOW)).toBe('waiting')
    expect(waitingOf(delivery(), NOW)).toEqual({
      reason: 'We retry automatically.',
      nextAt: NOW + minutes(2),
      atEarliest: false,
      until: NOW + hours(71),
    })
  })

  test('that is due is being sent', () => {
    expect(waitingOf(delivery({ dueAt: NOW }), NOW)?.reason).toBe('Being sent.')
    for (const cause of ['live', 'retry'] as const) {
      const late = delivery({ dueAt: NOW - seconds(5), cause, attempts: 0 })
      expect(waitingOf(late, NOW)?.reason).toBe('Waits for its turn, or is on its way.')
    }
    expect(waitingOf(delivery({ dueAt: NOW, cause: 'retry', attempts: 0 }), NOW)?.reason).toBe('Being sent again.')
    expect(waitingOf(delivery({ attempts: 0 }), NOW)?.reason).toBe('Next in line.')
  })

  test.each([
    ['paused', 'The webhook is paused. We send this event when you resume.'],
    ['failing', 'Nothing reached this address for 72 hours'],
    ['stopped', 'The address answered 410 and wants nothing more.'],
    ['deleted', 'The webhook was deleted.'],
  ] as const)('is held while its address is %s, until a person acts', (state, words) => {
    const held = delivery({}, { state })
    expect(deliveryStatus(held, NOW)).toBe('held')
    expect(waitingOf(held, NOW)).toMatchObject({ reason: expect.stringContaining(words), nextAt: null })
  })

  test.each([
    ['paused', 'The forwarding rule is paused.'],
    ['failing', 'Start the forwarding rule again when it is repaired.'],
    ['deleted', 'The forwarding rule was deleted.'],
  ] as const)('of a rule names the rule when it is %s', (state, words) => {
    expect(waitingOf(delivery({}, { state, rule: 'Zapier' }), NOW)?.reason).toContain(words)
  })

  test('is kept for 30 days while the webhook is paused', () => {
    expect(waitingOf(delivery({}, { state: 'paused' }), NOW)?.until).toBe(NOW - hours(1) + days(30))
  })

  test('is held while its account is not paid for, by hand too; a test is not', () => {
    const accountHold = 'Trial ended: subscribe to resume'
    for (const more of [{}, { cause: 'retry', attempts: 0 }, { cause: 'replay' }] as const) {
      const held = delivery(more, { accountHold })
      expect(deliveryStatus(held, NOW)).toBe('held')
      expect(waitingOf(held, NOW)).toEqual({
        reason: 'Trial ended: subscribe to resume. This event is kept until then, for 72 hours at most.',
        nextAt: null,
        atEarliest: false,
        until: NOW + hours(71),
      })
    }
    expect(deliveryStatus(delivery({ cause: 'test' }, { accountHold }), NOW)).toBe('waiting')
    expect(waitingOf(delivery({}, { accountHold, state: 'paused' }), NOW)?.reason).toContain('paused')
  })

  test('is held while there is no address', () => {
    expect(deliveryStatus(delivery({}, { url: '' }), NOW)).toBe('held')
  })

  test('is held while the receiver asked for a pause, and not a moment longer', () => {
    const asked = { holdUntil: NOW + minutes(5), holdReason: 'Your address answered 429.' }
    expect(deliveryStatus(delivery({}, asked), NOW)).toBe('held')
    expect(waitingOf(delivery({}, asked), NOW)).toMatchObject({
      reason: 'The whole webhook waits. Your address answered 429.',
      nextAt: NOW + minutes(5),
    })
    expect(deliveryStatus(delivery({}, { ...asked, holdUntil: NOW }), NOW)).toBe('waiting')
  })

  test('waits while one event at a time is tried, and may not be the next', () => {
    const open = { breaker: 'open', nextProbeAt: NOW + minutes(1) } as const
    expect(deliveryStatus(delivery({}, open), NOW)).toBe('waiting')
    expect(deliveryStatus(delivery({}, { ...open, state: 'paused' }), NOW)).toBe('held')
    expect(waitingOf(delivery({ dueAt: NOW }, open), NOW)).toMatchObject({ nextAt: NOW + minutes(1), atEarliest: true })
  })

  test('waits for the later of a hold and the next single try', () => {
    const both = { holdUntil: NOW + hours(6), breaker: 'open', nextProbeAt: NOW + minutes(5) } as const
    expect(waitingOf(delivery({}, both), NOW)?.nextAt).toBe(NOW + hours(6))
    expect(waitingOf(delivery({}, { ...both, holdUntil: NOW + minutes(3) }), NOW)?.nextAt).toBe(NOW + minutes(5))
  })

  test('that a person asked for is not held before its first attempt', () => {
    expect(deliveryStatus(delivery({ cause: 'retry', attempts: 0 }, { state: 'paused' }), NOW)).toBe('waiting')
    expect(deliveryStatus(delivery({ cause: 'retry', attempts: 1 }, { state: 'paused' }), NOW)).toBe('held')
    expect(deliveryStatus(delivery({ cause: 'test', attempts: 0 }, { state: 'paused' }), NOW)).toBe('waiting')
    expect(deliveryStatus(delivery({ cause: 'retry', attempts: 0 }, { url: '' }), NOW)).toBe('held')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DeliveryProgress, type EndpointHealth, RETRY_FOR, type Verdict } from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { expiredWhileHeld, nextStep, RETRY_GAPS, webhookId } from './delivery.ts'

const START: Millis = Date.UTC(2026, 0, 5, 9, 0, 0)

const HEALTHY: EndpointHealth = {
  state: 'active',
  stateReason: null,
  stateSince: 0,
  holdUntil: null,
  holdReason: null,
  holdSince: null,
  breaker: 'closed',
  breakerProbes: 0,
  nextProbeAt: null,
  failingSince: null,
  failureStreak: 0,
  failureEvents: [],
  redirectStreak: 0,
  lastSuccessAt: null,
}
const LIVE: DeliveryProgress = { eventSeq: 1, cause: 'live', steps: 0, deadlineAt: START + RETRY_FOR }
const verdict = (given: Partial<Verdict>): Verdict => ({
  outcome: 'http_error',
  statusCode: 500,
  retryAfterMs: null,
  sentence: 'Your address answered 500.',
  ...given,
})

const step = (given: Partial<Verdict>, delivery: Partial<DeliveryProgress> = {}, now = START, random = 0) =>
  nextStep({ ...LIVE, ...delivery }, HEALTHY, verdict(given), { now, random: () => random, probe: false, moved: false })
    .delivery

describe('after an attempt a delivery', () => {
  it('that was taken is done', () => {
    expect(step({ outcome: 'delivered', statusCode: 200 })).toEqual({ step: 'done' })
  })

  it('that failed is tried again, later each time, with a little chance added', () => {
    RETRY_GAPS.forEach((gap, steps) => {
      expect(step({}, { steps, deadlineAt: START + hours(1000) })).toEqual({
        step: 'retry',
        at: START + gap,
        steps: steps + 1,
      })
      expect(step({}, { steps, deadlineAt: START + hours(1000) }, START, 0.5)).toMatchObject({
        at: START + gap * 1.1,
      })
    })
  })

  it('that has used up the schedule, and got a new deadline since, goes on every twelve hours', () => {
    const steps = RETRY_GAPS.length + 3
    const next = { step: 'retry', at: START + hours(12), steps: steps + 1 }
    expect(step({}, { steps, deadlineAt: START + hours(72) })).toEqual(next)
    expect(step({}, { steps, deadlineAt: START + hours(4) })).toEqual({ ...next, at: START + hours(4) })
  })

  it('comes back between half a second and a minute after its first failure, whatever the failure', () => {
    for (const given of [
      {},
      { statusCode: 502 },
      { statusCode: 504 },
      { outcome: 'timeout' as const, statusCode: null },
      { outcome: 'refused' as const },
    ]) {
      for (const random of [0, 0.5, 0.999999]) {
        const next = step(given, {}, START, random)
        const wait = next.step === 'retry' ? next.at - START : 0
        expect(wait).toBeGreaterThanOrEqual(500)
        expect(wait).toBeLessThanOrEqual(minutes(1))
      }
    }
  })

  it('gives an overloaded address more time at first', () => {
    expect(step({ statusCode: 504 })).toMatchObject({ at: START + seconds(50) })
    expect(step({ outcome: 'timeout', statusCode: null })).toMatchObject({ at: START + seconds(50) })
    expect(step({ outcome: 'timeout', statusCode: null }, { steps: 3 })).toMatchObject({ at: START + minutes(10) })
  })

  it('that was answered 429 waits as long as asked, at least a minute and at most a day, and uses no step', () => {
    const after = (retryAfterMs: number | null) =>
      step({ outcome: 'rate_limited', statusCode: 429, retryAfterMs }, { steps: 4 })
    expect(after(null)).toEqual({ step: 'retry', at: START + minutes(1), steps: 4 })
    expect(after(0)).toEqual({ step: 'retry', at: START + minutes(1), steps: 4 })
    expect(after(minutes(10))).toEqual({ step: 'retry', at: START + minutes(10), steps: 4 })
    expect(after(hours(100))).toEqual({ step: 'retry', at: START + hours(24), steps: 4 })
  })

  it('that was answered 503 with Retry-After waits at least that long, at most an hour longer than it would', () => {
    const after = (retryAfterMs: number) => step({ statusCode: 503, retryAfterMs })
    expect(after(seconds(1))).toEqual({ step: 'retry', at: START + seconds(5), steps: 1 })
    expect(after(minutes(20))).toEqual({ step: 'retry', at: START + minutes(20), steps: 1 })
    expect(after(hours(20))).toEqual({ step: 'retry', at: START + hours(1), steps: 1 })
  })

  it('that was answered 410 is stopped', () => {
    expect(step({ outcome: 'gone', statusCode: 410, sentence: 'Gone.' })).toEqual({ step: 'stopped', reason: 'Gone.' })
  })

  it('is never due after its deadline, and given up only at it', () => {
    const deadlineAt = START + seconds(3)
    expect(step({}, { deadlineAt })).toMatchObject({ step: 'retry', at: deadlineAt })
    expect(step({ outcome: 'rate_limited', statusCode: 429 }, { deadlineAt })).toMatchObject({
      step: 'retry',
      at: deadlineAt,
    })
    expect(step({}, { deadlineAt: START })).toEqual({
      step: 'expired',
      reason: 'Not delivered within 72 hours. Your address answered 500.',
    })
    expect(step({ outcome: 'rate_limited' }, { deadlineAt: START })).toMatchObject({ step: 'expired' })
    expect(step({ outcome: 'delivered' }, { deadlineAt: START })).toEqual({ step: 'done' })
  })

  it('that was a test is shown as not delivered after a 410, not as one that the receiver stopped', () => {
    expect(step({ outcome: 'gone', statusCode: 410, sentence: 'Gone.' }, { cause: 'test' })).toEqual({
      step: 'expired',
      reason: 'A test is sent once. Gone.',
    })
  })

  it('that was a test is not tried again', () => {
    expect(step({}, { cause: 'test' })).toMatchObject({
      step: 'expired',
      reason: expect.stringMatching(/^A test is sent once\./),
    })
  })
})

it('whatever happens, tries go forward in time, end within 72 hours, and the last one is at the deadline', () => {
  const failures = fc.record({
    outcome: fc.constantFrom(
      'http_error',
      'timeout',
      'rate_limited',
      'redirect',
      'dns',
      'refused',
      'blocked',
      'internal',
    ) as fc.Arbitrary<Verdict['outcome']>,
    statusCode: fc.constantFrom(null, 404, 429, 500, 502, 503, 504),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: hours(100) })),
    tookMs: fc.integer({ min: 0, max: seconds(15) }),
    random: fc.float({ min: 0, max: Math.fround(0.999), noNaN: true }),
  })
  fc.assert(
    fc.property(fc.infiniteStream(failures), (stream) => {
      let delivery = LIVE
      let endpoint = HEALTHY
      let dueAt = START
      for (let tries = 1; ; tries++) {
        const { value: failure } = stream.next()
        const now = dueAt + failure.tookMs
        const context = { now, random: () => failure.random, probe: endpoint.breaker === 'open', moved: false }
        const next = nextStep(delivery, endpoint, verdict(failure), context)
        endpoint = next.endpoint
        if (next.delivery.step === 'expired') {
          expect(dueAt).toBeLessThanOrEqual(LIVE.deadlineAt)
          expect(now).toBeGreaterThanOrEqual(LIVE.deadlineAt)
          return
        }
        if (next.delivery.step !== 'retry') throw new Error('a failure neither ended nor came back')
        expect(next.delivery.at).toBeGreaterThan(now)
        expect(next.delivery.at).toBeLessThanOrEqual(LIVE.deadlineAt)
        expect(tries).toBeLessThan(5_000)
        dueAt = next.delivery.at
        delivery = { ...delivery, steps: next.delivery.steps }
      }
    }),
  )
})

it('a test of an address that was replaced meanwhile is sent once all the same, and changes nothing', () => {
  const context = { now: START, random: () => 0, probe: false, moved: true }
  const after = nextStep({ ...LIVE, cause: 'test' }, HEALTHY, verdict({}), context)
  expect(after).toMatchObject({ delivery: { step: 'expired' } })
  expect(after.endpoint).toBe(HEALTHY)
})

it('the pauses and the last try add up to what the log promises', () => {
  const total = RETRY_GAPS.reduce((sum, gap) => sum + gap, 0)
  expect(total).toBe(hours(67) + minutes(42) + seconds(35))
  expect(total).toBeLessThan(RETRY_FOR)
})

it('the id of a forward depends on event and endpoint alone, and has only characters the signature allows', () => {
  expect(webhookId('0198c0de-7000-7000-8000-000000000001', 7)).toBe('evt_0198c0de700070008000000000000001_7')
})

describe('a delivery that was held until its deadline', () => {
  it.each([
    [{ hasAddress: false }, null, 'Not delivered within 72 hours: there was no address.'],
    [
      { hasAddress: false, state: 'paused' as const },
      null,
      'Kept for 30 days while sending was paused, then given up.',
    ],
    [
      { hasAddress: true },
      'payment_failed',
      'Not delivered within 72 hours: a payment had failed. Send it again once you have paid.',
    ],
    [{ hasAddress: true }, 'words from before', 'Not delivered within 72 hours: the account was on hold.'],
    [{ hasAddress: true }, null, 'Not delivered within 72 hours. Your address could not be reached in time.'],
  ])('says why: %o', (given, accountHold, sentence) => {
    expect(expiredWhileHeld({ ...HEALTHY, ...given }, accountHold)).toBe(sentence)
  })
})

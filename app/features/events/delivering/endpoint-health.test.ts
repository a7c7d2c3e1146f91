import { describe, expect, it } from 'vitest'
import type { EndpointHealth, Verdict } from '#app/domain/deliveries/delivery.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { judgeAnswer } from './answer.ts'
import { afterVerdict, gateOf, isUnreachable } from './endpoint-health.ts'

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
const FAILED: Verdict = { outcome: 'http_error', statusCode: 500, retryAfterMs: null, sentence: 'It failed.' }
const DELIVERED: Verdict = { ...FAILED, outcome: 'delivered', statusCode: 200 }
const REDIRECTED: Verdict = { ...FAILED, outcome: 'redirect', statusCode: 302, sentence: 'It redirects.' }

it.each([
  ['refused', null, false, true],
  ['reset', null, false, true],
  ['timeout', 12, false, false],
  // On a kept connection.
  ['reset', null, true, false],
  ['timeout', null, true, false],
  ['http_error', null, true, false],
] as const)(
  'an attempt that ended as %s (connect: %s, sent: %s) could not reach the address: %s',
  (...[outcome, connectMs, reached, expected]) => {
    expect(isUnreachable({ verdict: { ...FAILED, outcome }, connectMs, reached })).toBe(expected)
  },
)

interface Attempt {
  event: number
  at: Millis
  verdict?: Verdict
  probe?: boolean
}

function after(attempts: Attempt[], health = HEALTHY): EndpointHealth {
  return attempts.reduce(
    (state, { event, at, verdict = FAILED, probe = false }) =>
      afterVerdict(state, { eventSeq: event, deadlineAt: START + hours(720) }, verdict, { now: at, probe }),
    health,
  )
}

const failures = (count: number, everyMs: number, events = count): Attempt[] =>
  Array.from({ length: count }, (_, n) => ({ event: n % events, at: START + n * everyMs }))

describe('the breaker', () => {
  it('opens after five failures in a row of three events over a minute', () => {
    const open = after(failures(5, seconds(20)))
    expect(open).toMatchObject({ breaker: 'open', breakerProbes: 0, nextProbeAt: START + seconds(80) + seconds(30) })
    expect(gateOf(open)).toEqual({ closed: false, opensAt: START + seconds(110), probing: true })
  })

  it('stays closed with fewer failures, fewer events, or when they all came at once', () => {
    expect(after(failures(4, minutes(1))).breaker).toBe('closed')
    expect(after(failures(50, minutes(1), 2)).breaker).toBe('closed')
    expect(after(failures(50, 10)).breaker).toBe('closed')
  })

  it('stays closed when a success is in between', () => {
    const attempts = failures(9, seconds(20))
    attempts.splice(4, 0, { event: 99, at: START + seconds(70), verdict: DELIVERED })
    expect(after(attempts).breaker).toBe('open')
    expect(after(attempts.slice(0, 9)).breaker).toBe('closed')
  })

  it('probes after 30 s, 1, 2, 5, 10 and then every 15 minutes', () => {
    let health = after(failures(5, seconds(20)))
    const gaps: number[] = []
    for (let n = 0; n < 7; n++) {
      const at = health.nextProbeAt ?? 0
      health = after([{ event: 100 + n, at, probe: true }], health)
      gaps.push(((health.nextProbeAt ?? 0) - at) / 60_000)
    }
    expect(gaps).toEqual([1, 2, 5, 10, 15, 15, 15])
  })

  it('is not put off by attempts that were under way when it opened', () => {
    const open = after(failures(5, seconds(20)))
    expect(after([{ event: 9, at: START + seconds(81) }], open).nextProbeAt).toBe(open.nextProbeAt)
  })

  it('closes with the first success, and everything is forgotten', () => {
    const open = after(failures(8, seconds(20)))
    const closed = after([{ event: 9, at: START + minutes(9), verdict: DELIVERED, probe: true }], open)
    expect(closed).toEqual({ ...HEALTHY, lastSuccessAt: START + minutes(9) })
    expect(gateOf(closed)).toEqual({ closed: false, opensAt: 0, probing: false })
  })
})

describe('a hold', () => {
  const limited = (retryAfterMs: number | null): Verdict => ({
    ...FAILED,
    outcome: 'rate_limited',
    statusCode: 429,
    retryAfterMs,
    sentence: 'Slower.',
  })

  it('follows 429 for the whole endpoint and is no failure', () => {
    const held = after([{ event: 1, at: START, verdict: limited(minutes(5)) }])
    expect(held).toMatchObject({
      holdUntil: START + minutes(5),
      holdReason: 'Slower.',
      holdSince: START,
      failureStreak: 0,
      failingSince: null,
    })
    expect(gateOf(held).opensAt).toBe(START + minutes(5))
  })

  it('is a failure once events are lost by it', () => {
    let health = HEALTHY
    for (const eventSeq of [1, 2, 3]) {
      const context = { now: START + minutes(eventSeq), probe: false }
      health = afterVerdict(health, { eventSeq, deadlineAt: START }, limited(minutes(5)), context)
    }
    expect(health).toMatchObject({ failingSince: START + minutes(1), failureEvents: [1, 2, 3] })
  })

  it('lasts as long as the longest wait that was asked for, and remembers since when', () => {
    const held = after([
      { event: 1, at: START, verdict: limited(minutes(5)) },
      { event: 2, at: START + seconds(1), verdict: limited(minutes(1)) },
      { event: 3, at: START + seconds(2), verdict: limited(minutes(9)) },
    ])
    expect(held).toMatchObject({ holdUntil: START + seconds(2) + minutes(9), holdSince: START })
  })

  it('ends at the deadline of the event that was answered, so that it gets its last try', () => {
    const health = afterVerdict(HEALTHY, { eventSeq: 1, deadlineAt: START + minutes(2) }, limited(hours(9)), {
      now: START,
      probe: false,
    })
    expect(health.holdUntil).toBe(START + minutes(2))
  })

  it('that is shorter than a rest at a handover gives the rest a reason, so that nobody ends it early', () => {
    const resting = { ...HEALTHY, holdUntil: START + seconds(16) }
    const maintained: Verdict = { ...FAILED, statusCode: 503, retryAfterMs: seconds(10) }
    expect(after([{ event: 1, at: START, verdict: maintained }], resting)).toMatchObject({
      holdUntil: START + seconds(16),
      holdReason: FAILED.sentence,
      holdSince: START,
    })
  })

  it('outlives a success that was under way, and is gone with the next one', () => {
    const held = after([{ event: 1, at: START, verdict: limited(minutes(5)) }])
    expect(after([{ event: 2, at: START + seconds(1), verdict: DELIVERED }], held).holdUntil).toBe(held.holdUntil)
    expect(after([{ event: 2, at: START + minutes(6), verdict: DELIVERED }], held).holdUntil).toBeNull()
  })

  it('follows 503 with Retry-After and counts as a failure too', () => {
    const maintained: Verdict = { ...FAILED, statusCode: 503, retryAfterMs: minutes(10) }
    expect(after([{ event: 1, at: START, verdict: maintained }])).toMatchObject({
      holdUntil: START + minutes(10),
      failureStreak: 1,
    })
  })

  it('follows three redirects, or refused addresses, in a row', () => {
    const redirects = (count: number, before = HEALTHY) =>
      after(
        Array.from({ length: count }, (_, n) => ({ event: n, at: START + n, verdict: REDIRECTED })),
        before,
      )
    expect(redirects(2).holdUntil).toBeNull()
    expect(redirects(3)).toMatchObject({ holdUntil: START + 2 + hours(6), holdReason: 'It redirects.' })
    const mended = after([{ event: 9, at: START + seconds(5), verdict: DELIVERED }], redirects(3))
    expect(mended).toMatchObject({ holdUntil: null, redirectStreak: 0 })
    const other = after([{ event: 9, at: START + seconds(5) }], redirects(3))
    expect(other).toMatchObject({ holdUntil: null, holdReason: null, redirectStreak: 0, failureStreak: 4 })
    const slowed = after([{ event: 9, at: START + seconds(5), verdict: limited(minutes(5)) }], redirects(3))
    expect(slowed).toMatchObject({
      holdUntil: START + seconds(5) + minutes(5),
      holdReason: 'Slower.',
      redirectStreak: 0,
    })
    const asked = after([{ event: 9, at: START, verdict: limited(hours(24)) }])
    for (const verdict of [FAILED, DELIVERED])
      expect(after([{ event: 9, at: START + seconds(5), verdict }], redirects(3, asked))).toMatchObject({
        holdUntil: START + hours(24),
        holdReason: 'Slower.',
      })
    expect(redirects(3, after([{ event: 9, at: START, verdict: limited(hours(1)) }])).redirectStreak).toBe(3)
    // Two at one moment: the second leaves our rest as it is, and it is still ours.
    const twice = after([{ event: 3, at: START + 2, verdict: REDIRECTED }], redirects(3))
    expect(after([{ event: 9, at: START + seconds(5) }], twice).holdUntil).toBeNull()
    const blocked = { ...FAILED, outcome: 'blocked' as const, statusCode: null }
    expect(
      after(Array.from({ length: 3 }, (_, n) => ({ event: 1, at: START + n, verdict: blocked }))).holdUntil,
    ).not.toBeNull()
    const unchanged = judgeAnswer({ outcome: 'response', status: 304, headers: {} }, START)
    const fails = after(Array.from({ length: 3 }, (_, n) => ({ event: n, at: START + n, verdict: unchanged })))
    expect(fails).toMatchObject({ holdUntil: null, redirectStreak: 0, failureStreak: 3 })
  })
})

describe('the state', () => {
  it('becomes stopped with 410, from any state but deleted', () => {
    const gone: Verdict = { ...FAILED, outcome: 'gone', statusCode: 410, sentence: 'Gone.' }
    for (const state of ['active', 'paused', 'failing'] as const) {
      expect(after([{ event: 1, at: START, verdict: gone }], { ...HEALTHY, state })).toMatchObject({
        state: 'stopped',
        stateReason: 'Gone.',
        stateSince: START,
      })
    }
    expect(after([{ event: 1, at: START, verdict: gone }], { ...HEALTHY, state: 'deleted' }).state).toBe('deleted')
  })

  it('becomes failing after 72 hours without success and three events', () => {
    expect(after(failures(73, hours(1))).state).toBe('failing')
    expect(after(failures(72, hours(1))).state).toBe('active')
    expect(after(failures(100, hours(1), 2)).state).toBe('active')
    expect(gateOf(after(failures(73, hours(1)))).closed).toBe(true)
  })

  it('goes back from failing to active with a success, and stays paused or stopped', () => {
    const success = [{ event: 1, at: START, verdict: DELIVERED }]
    expect(after(success, { ...HEALTHY, state: 'failing' })).toMatchObject({
      state: 'active',
      stateReason: null,
      stateSince: START,
    })
    for (const state of ['paused', 'stopped'] as const) expect(after(success, { ...HEALTHY, state }).state).toBe(state)
  })

  it('is not touched by faults of our own', () => {
    expect(after([{ event: 1, at: START, verdict: { ...FAILED, outcome: 'internal' } }])).toBe(HEALTHY)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LatestNotice, NewNotice, WatchedCondition } from '#app/domain/notices/notice.ts'
import { noticeReasonText } from '#app/features/notices/notice-reasons.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { FAILING_EVENTS, FAILING_FOR } from '../endpoint-status.ts'
import { needsCheck, noticeFor } from './watch-endpoints.server.ts'

const NOW = Date.UTC(2026, 10, 21, 9)

function endpoint(over: Partial<WatchedCondition> = {}): WatchedCondition {
  return {
    state: 'active',
    stateReason: null,
    stateSince: NOW - hours(200),
    failingSince: null,
    failedEvents: 0,
    holdUntil: null,
    redirectStreak: 0,
    lastSuccessAt: NOW - hours(1),
    lastSentence: 'Your address answered 500.',
    ...over,
  }
}

const said = (over: Partial<LatestNotice> = {}): LatestNotice => ({
  id: 1,
  kind: 'failing',
  since: NOW - hours(1),
  at: NOW - hours(1),
  ...over,
})

const failing = (over: Partial<WatchedCondition> = {}) =>
  endpoint({ failingSince: NOW - FAILING_FOR, failedEvents: FAILING_EVENTS, ...over })

/** With the sentence a person reads. */
const worded = (notice: NewNotice | null) => {
  if (notice === null) return null
  const { reason, ...rest } = notice
  return { ...rest, sentence: noticeReasonText(reason) }
}

describe('an address that fails', () => {
  test('is news after fifteen minutes and three events, since its first failure, with what it answered', () => {
    expect(worded(noticeFor(failing(), null, NOW))).toEqual({
      kind: 'failing',
      since: NOW - minutes(15),
      sentence: 'Your address answered 500. We keep events and retry them for 72 hours.',
    })
  })

  test('is news after one event, too, where redirects make the address rest and the others are not tried', () => {
    const resting = failing({ failedEvents: 1, redirectStreak: 3 })
    expect(noticeFor(resting, null, NOW)).toMatchObject({ kind: 'failing' })
    expect(noticeFor({ ...resting, failingSince: NOW - FAILING_FOR + 1 }, null, NOW)).toBeNull()
  })

  test('is none before', () => {
    expect(noticeFor(failing({ failingSince: NOW - FAILING_FOR + 1 }), null, NOW)).toBeNull()
    expect(noticeFor(failing({ failedEvents: 2 }), null, NOW)).toBeNull()
    expect(noticeFor(endpoint(), null, NOW)).toBeNull()
  })

  test('is told once, and again when it fails anew', () => {
    const latest = said({ since: NOW - FAILING_FOR })
    expect(noticeFor(failing(), latest, NOW)).toBeNull()
    expect(noticeFor(failing(), said({ kind: 'recovered' }), NOW)).toMatchObject({ kind: 'failing' })
    expect(noticeFor(failing(), said({ since: NOW - hours(9) }), NOW)).toMatchObject({ kind: 'failing' })
  })

  test('is no news while it is paused', () => {
    expect(noticeFor(failing({ state: 'paused' }), null, NOW)).toBeNull()
  })
})

describe('an address that was stopped', () => {
  test('says why: by itself, or after 72 hours', () => {
    const stopped = endpoint({ state: 'stopped', stateSince: NOW - 9, stateReason: 'Your address answered 410.' })
    expect(worded(noticeFor(stopped, said(), NOW))).toEqual({
      kind: 'stopped',
      since: NOW - 9,
      sentence: 'Your address answered 410.',
    })
    const reason = 'Nothing could be delivered for 72 hours. Your address answered 500.'
    expect(worded(noticeFor(failing({ state: 'failing', stateSince: NOW, stateReason: reason }), said(), NOW))).toEqual(
      {
        kind: 'stopped',
        since: NOW,
        sentence: `${reason} We stopped retrying. New events wait.`,
      },
    )
  })

  test('is told once', () => {
    const stopped = endpoint({ state: 'stopped', stateSince: NOW - 9 })
    expect(noticeFor(stopped, said({ kind: 'stopped', since: NOW - 9 }), NOW)).toBeNull()
  })
})

describe('an address that works again', () => {
  test('is news when trouble was told and something was delivered since', () => {
    const recovered = endpoint({ lastSuccessAt: NOW - 5 })
    for (const kind of ['failing', 'stopped'] as const) {
      expect(worded(noticeFor(recovered, said({ kind }), NOW))).toEqual({
        kind: 'recovered',
        since: NOW - 5,
        sentence: 'Events arrive at your address again.',
      })
    }
  })

  test('is none when nothing was told, it was told, or nothing was delivered since', () => {
    const recovered = endpoint({ lastSuccessAt: NOW - 5 })
    expect(noticeFor(recovered, null, NOW)).toBeNull()
    expect(noticeFor(recovered, said({ kind: 'recovered' }), NOW)).toBeNull()
    expect(noticeFor(endpoint({ lastSuccessAt: NOW - hours(1) }), said(), NOW)).toBeNull()
    expect(noticeFor(endpoint({ lastSuccessAt: null }), said(), NOW)).toBeNull()
    expect(noticeFor(endpoint({ lastSuccessAt: NOW, failingSince: NOW }), said(), NOW)).toBeNull()
    expect(noticeFor(endpoint({ lastSuccessAt: NOW, holdUntil: NOW + 1 }), said(), NOW)).toBeNull()
    expect(noticeFor(endpoint({ lastSuccessAt: NOW, state: 'paused' }), said(), NOW)).toBeNull()
  })
})

test('the address is looked at once for each change for the worse', () => {
  expect(needsCheck(null, null)).toBe(false)
  expect(needsCheck(said(), null)).toBe(true)
  expect(needsCheck(said({ at: NOW }), NOW - 1)).toBe(true)
  expect(needsCheck(said({ at: NOW }), NOW)).toBe(false)
  expect(needsCheck(said({ kind: 'recovered' }), null)).toBe(false)
})

const anyCondition: fc.Arbitrary<WatchedCondition> = fc.record({
  state: fc.constantFrom('active', 'paused', 'stopped', 'failing', 'deleted'),
  stateReason: fc.option(fc.constant('Because.')),
  stateSince: fc.integer({ min: NOW - hours(99), max: NOW }),
  failingSince: fc.option(fc.integer({ min: NOW - hours(99), max: NOW })),
  failedEvents: fc.nat(3),
  holdUntil: fc.option(fc.integer({ min: NOW - hours(99), max: NOW + hours(9) })),
  redirectStreak: fc.nat({ max: 4 }),
  lastSuccessAt: fc.option(fc.integer({ min: NOW - hours(99), max: NOW })),
  lastSentence: fc.option(fc.constant('So.')),
})

test('whatever the endpoint is: once something was said, the same moment says nothing more', () => {
  fc.assert(
    fc.property(anyCondition, fc.constantFrom(null, said(), said({ kind: 'stopped' })), (condition, latest) => {
      const notice = noticeFor(condition, latest, NOW)
      if (!notice) return
      expect(noticeFor(condition, { id: 2, at: NOW, kind: notice.kind, since: notice.since }, NOW)).toBeNull()
    }),
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  begunInVain,
  CHECKED_TEXTS,
  failureSentence,
  inTurns,
  nextPollAt,
  POLL_EVERY,
  type PollFailure,
  pollAgainAt,
  pollingSentence,
  pollsInVain,
  sourceOf,
} from './polling.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0, 0)

test('the words say what is looked for, and how often', () => {
  expect(pollingSentence('jobcontact')).toBe(
    'ServiceM8 sends no webhooks for job contacts, so Fieldhook looks every 5 minutes.',
  )
  expect(CHECKED_TEXTS).toBe('Checked every 5 minutes (ServiceM8 sends no webhooks for these)')
  expect(sourceOf('jobmaterial')).toBe('webhook:jobmaterial')
})

describe('the next look', () => {
  test('comes between four and six minutes after this one, and on the same beat from then on', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 0, max: hours(48) }), (account, later) => {
        const first = nextPollAt(account, 'jobcontact', NOW + later)
        expect(first - NOW - later).toBeGreaterThanOrEqual(minutes(1))
        expect(first - NOW - later).toBeLessThan(POLL_EVERY + minutes(1))
        // Picked up by the minute, so up to a minute late: the beat stays.
        for (const late of [0, 1, seconds(59)]) {
          expect(nextPollAt(account, 'jobcontact', first + late) - first).toBe(POLL_EVERY)
        }
      }),
    )
  })

  test('of many accounts spreads over the five minutes', () => {
    const perMinute = new Map<number, number>()
    for (let n = 0; n < 1000; n += 1) {
      const at = nextPollAt(`account-${n}`, 'jobcontact', NOW) % POLL_EVERY
      const minute = Math.floor(at / minutes(1))
      perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1)
    }
    expect([...perMinute.keys()].sort()).toEqual([0, 1, 2, 3, 4])
    for (const count of perMinute.values()) expect(count).toBeGreaterThan(120)
  })
})

test('accounts take turns: the many objects of one do not hold up the others', () => {
  const target = (accountUuid: string, object: string) => ({ accountUuid, object })
  const due = [
    target('a', '1'),
    target('a', '2'),
    target('a', '3'),
    target('b', '1'),
    target('c', '1'),
    target('c', '2'),
  ]
  expect(inTurns(due).map(({ accountUuid, object }) => accountUuid + object)).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'c2',
    'a3',
  ])
  expect(inTurns([])).toEqual([])
})

describe('after a look that did not work', () => {
  const down: PollFailure = { outcome: 'unavailable', message: 'ServiceM8 did not answer' }

  test('trouble of the platform is waited out longer and longer, an hour at most', () => {
    const waits: number[] = []
    let now = NOW + POLL_EVERY
    for (let n = 0; n < 7; n += 1) {
      const next = pollAgainAt(down, { now, lastOkAt: NOW })
      waits.push((next - now) / minutes(1))
      now = next
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60])
    expect(pollAgainAt(down, { now: NOW, lastOkAt: null })).toBe(NOW + POLL_EVERY)
  })

  test('a limit is kept, within a day', () => {
    const past = { now: NOW, lastOkAt: null }
    const limit = (retryAt: number): PollFailure => ({ outcome: 'rate_limited', message: '', retryAt })
    expect(pollAgainAt(limit(NOW + minutes(7)), past)).toBe(NOW + minutes(7))
    expect(pollAgainAt(limit(NOW), past)).toBe(NOW + seconds(30))
    expect(pollAgainAt(limit(NOW + hours(100)), past)).toBe(NOW + hours(24))
  })

  test('a sign-in is noticed within five minutes, a permission within a quarter of an hour, room within a minute', () => {
    const past = { now: NOW, lastOkAt: NOW - hours(9) }
    expect(pollAgainAt({ outcome: 'reconnect', message: '' }, past)).toBe(NOW + minutes(5))
    expect(pollAgainAt({ outcome: 'forbidden', message: '' }, past)).toBe(NOW + minutes(15))
    expect(pollAgainAt({ outcome: 'no_room' }, past)).toBe(NOW + minutes(1))
  })

  test('the card says what is wrong and what helps', () => {
    const forbidden: PollFailure = { outcome: 'forbidden', message: 'insufficient_scope' }
    expect(failureSentence('jobcontact', forbidden)).toBe(
      'ServiceM8 does not let us read job contacts: the permission read_job_contacts is missing. Please sign in again and allow all permissions.',
    )
    expect(failureSentence('jobmaterial', forbidden)).toContain('read_job_materials')
    expect(failureSentence('jobcontact', { outcome: 'reconnect', message: '' })).toMatch(/Please sign in again\.$/)
    expect(failureSentence('jobcontact', down)).toBe('ServiceM8 could not be read: ServiceM8 did not answer.')
    expect(failureSentence('jobcontact', { outcome: 'refused', message: 'x'.repeat(900) }).length).toBeLessThan(260)
  })

  test('it is the state of the webhook only after two looks were missed', () => {
    const poll = { lastOkAt: NOW, nextAt: NOW, problem: 'It did not answer.' }
    expect(pollsInVain(poll, NOW + minutes(12))).toBe(false)
    expect(pollsInVain(poll, NOW + minutes(12) + 1)).toBe(true)
    expect(pollsInVain({ ...poll, lastOkAt: null }, NOW)).toBe(true)
    expect(pollsInVain({ ...poll, problem: null }, NOW + hours(50))).toBe(false)
  })

  test('a webhook is refused with the platform’s words, or ours where they say more', () => {
    expect(begunInVain('jobcontact', { outcome: 'not_connected', message: 'x' })).toEqual({ outcome: 'no_credentials' })
    expect(
      begunInVain('jobcontact', {
        outcome: 'forbidden',
        message: 'insufficient_scope: read_job_contacts scope required',
      }),
    ).toEqual({
      outcome: 'platform_refused',
      message: expect.stringMatching(/permission read_job_contacts is missing.*\(ServiceM8: insufficient_scope/),
    })
    expect(begunInVain('jobcontact', down)).toEqual({
      outcome: 'platform_refused',
      message: 'ServiceM8 could not be read: ServiceM8 did not answer. Nothing was changed.',
    })
    // Looking itself works; what is waiting has nothing to do with the new address.
    expect(begunInVain('jobcontact', { outcome: 'no_room' })).toEqual({ outcome: 'looking' })
  })
})

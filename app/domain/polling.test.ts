import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  begunInVain,
  CHECKED_WORDS,
  failureSentence,
  inTurns,
  LOOK_EVERY,
  type LookFailure,
  lookAgainAt,
  looksInVain,
  nextLookAt,
  pollingSentence,
  sourceOf,
} from './polling.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0, 0)

test('the words say what is looked for, and how often', () => {
  expect(pollingSentence('jobcontact')).toBe(
    'ServiceM8 sends no webhooks for job contacts, so Fieldhook looks every 5 minutes.',
  )
  expect(CHECKED_WORDS).toBe('Checked every 5 minutes (ServiceM8 sends no webhooks for these)')
  expect(sourceOf('jobmaterial')).toBe('webhook:jobmaterial')
})

describe('the next look', () => {
  test('comes between four and six minutes after this one, and on the same beat from then on', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 0, max: hours(48) }), (account, later) => {
        const first = nextLookAt(account, 'jobcontact', NOW + later)
        expect(first - NOW - later).toBeGreaterThanOrEqual(minutes(1))
        expect(first - NOW - later).toBeLessThan(LOOK_EVERY + minutes(1))
        // Picked up by the minute, so up to a minute late: the beat stays.
        for (const late of [0, 1, seconds(59)]) {
          expect(nextLookAt(account, 'jobcontact', first + late) - first).toBe(LOOK_EVERY)
        }
      }),
    )
  })

  test('of many accounts spreads over the five minutes', () => {
    const perMinute = new Map<number, number>()
    for (let n = 0; n < 1000; n += 1) {
      const at = nextLookAt(`account-${n}`, 'jobcontact', NOW) % LOOK_EVERY
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
  const down: LookFailure = { outcome: 'unavailable', message: 'ServiceM8 did not answer' }

  test('trouble of the platform is waited out longer and longer, an hour at most', () => {
    const waits: number[] = []
    let now = NOW + LOOK_EVERY
    for (let n = 0; n < 7; n += 1) {
      const next = lookAgainAt(down, { now, lastOkAt: NOW })
      waits.push((next - now) / minutes(1))
      now = next
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60])
    expect(lookAgainAt(down, { now: NOW, lastOkAt: null })).toBe(NOW + LOOK_EVERY)
  })

  test('a limit is kept, within a day', () => {
    const past = { now: NOW, lastOkAt: null }
    const limit = (retryAt: number): LookFailure => ({ outcome: 'rate_limited', message: '', retryAt })
    expect(lookAgainAt(limit(NOW + minutes(7)), past)).toBe(NOW + minutes(7))
    expect(lookAgainAt(limit(NOW), past)).toBe(NOW + seconds(30))
    expect(lookAgainAt(limit(NOW + hours(100)), past)).toBe(NOW + hours(24))
  })

  test('a sign-in is noticed within five minutes, a permission within a quarter of an hour, room within a minute', () => {
    const past = { now: NOW, lastOkAt: NOW - hours(9) }
    expect(lookAgainAt({ outcome: 'reconnect', message: '' }, past)).toBe(NOW + minutes(5))
    expect(lookAgainAt({ outcome: 'forbidden', message: '' }, past)).toBe(NOW + minutes(15))
    expect(lookAgainAt({ outcome: 'no_room' }, past)).toBe(NOW + minutes(1))
  })

  test('the card says what is wrong and what helps', () => {
    const forbidden: LookFailure = { outcome: 'forbidden', message: 'insufficient_scope' }
    expect(failureSentence('jobcontact', forbidden)).toBe(
      'ServiceM8 does not let us read job contacts: the permission read_job_contacts is missing. Please sign in again and allow all permissions.',
    )
    expect(failureSentence('jobmaterial', forbidden)).toContain('read_job_materials')
    expect(failureSentence('jobcontact', { outcome: 'reconnect', message: '' })).toMatch(/Please sign in again\.$/)
    expect(failureSentence('jobcontact', down)).toBe('ServiceM8 could not be read: ServiceM8 did not answer.')
    expect(failureSentence('jobcontact', { outcome: 'refused', message: 'x'.repeat(900) }).length).toBeLessThan(260)
  })

  test('it is the state of the webhook only after two looks were missed', () => {
    const look = { lastOkAt: NOW, nextAt: NOW, problem: 'It did not answer.' }
    expect(looksInVain(look, NOW + minutes(12))).toBe(false)
    expect(looksInVain(look, NOW + minutes(12) + 1)).toBe(true)
    expect(looksInVain({ ...look, lastOkAt: null }, NOW)).toBe(true)
    expect(looksInVain({ ...look, problem: null }, NOW + hours(50))).toBe(false)
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

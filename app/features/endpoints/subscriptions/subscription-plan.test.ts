import { describe, expect, test } from 'vitest'
import type { KnownSubscription } from '#app/domain/endpoints/upstream.ts'
import { type ListedSubscription, planRepairs } from './subscription-plan.ts'

const NOW = 1_000_000

function own(id: number, state: KnownSubscription['state'], rest: Partial<KnownSubscription> = {}): KnownSubscription {
  return { id, object: 'job', state, stateReason: null, endsAt: null, platformUuid: null, ...rest }
}

function listed(uuid: string, ownId: number | null, rest: Partial<ListedSubscription> = {}): ListedSubscription {
  return { uuid, ownId, active: true, fields: ['status', 'date'], lastFailureReason: null, ...rest }
}

function plan(rows: KnownSubscription[], entries: ListedSubscription[], needed = ['job']) {
  return planRepairs({ own: rows, listed: entries, needed, now: NOW })
}

describe('comparing our subscriptions with the list of the platform', () => {
  test('nothing is to be done when both agree', () => {
    expect(plan([own(1, 'active', { platformUuid: 'u1' })], [listed('u1', 1)])).toEqual([])
  })

  test('the uuid of a new one is learned', () => {
    expect(plan([own(1, 'active')], [listed('u1', 1)])).toEqual([{ act: 'note', id: 1, platformUuid: 'u1' }])
  })

  test('one that works again loses its explanation', () => {
    const troubled = own(1, 'active', { platformUuid: 'u1', stateReason: 'It was switched off.' })
    expect(plan([troubled], [listed('u1', 1)])).toEqual([{ act: 'note', id: 1, platformUuid: 'u1' }])
  })

  test('one that is missing, switched off or was never made is subscribed again', () => {
    const again = { act: 'subscribe', object: 'job' }
    expect(plan([own(1, 'active')], [])).toEqual([{ ...again, reason: null }])
    expect(plan([], [])).toEqual([{ ...again, reason: null }])
    const off = listed('u1', 1, { active: false, lastFailureReason: 'failed for over 12 hours' })
    expect(plan([own(1, 'active', { platformUuid: 'u1' })], [off])).toEqual([
      { ...again, reason: 'failed for over 12 hours' },
    ])
  })

  test('what we look for ourselves is never asked for, and one that is there for it is removed', () => {
    expect(plan([], [], ['jobcontact', 'jobmaterial'])).toEqual([])
    const row = own(1, 'active', { object: 'jobcontact', platformUuid: 'u1' })
    const entry = listed('u1', 1)
    expect(plan([row], [entry], ['jobcontact'])).toEqual([
      { act: 'end', id: 1 },
      { act: 'remove', platformUuid: 'u1', id: 1 },
    ])
  })

  test('one that was replaced is removed once its successor is live, and not before', () => {
    const rows = [
      own(1, 'replaced', { endsAt: NOW + 1, stateReason: 'not told' }),
      own(2, 'active', { platformUuid: 'u2' }),
    ]
    expect(plan(rows, [listed('u1', 1), listed('u2', 2)])).toEqual([{ act: 'remove', platformUuid: 'u1', id: 1 }])
    expect(plan(rows, [listed('u1', 1)])).toEqual([{ act: 'subscribe', object: 'job', reason: null }])
  })

  test('one that is gone over there is settled here, and ends when its time is over', () => {
    const active = own(2, 'active', { platformUuid: 'u2' })
    const waiting = own(1, 'replaced', { endsAt: NOW + 1, stateReason: 'not told' })
    expect(plan([waiting, active], [listed('u2', 2)])).toEqual([{ act: 'settle', id: 1, state: 'replaced' }])
    const over = own(1, 'replaced', { endsAt: NOW })
    expect(plan([over, active], [listed('u2', 2)])).toEqual([{ act: 'settle', id: 1, state: 'deleted' }])
    const told = own(3, 'deleted')
    expect(plan([told, active], [listed('u2', 2), listed('u3', 3, { active: false })])).toEqual([])
  })

  test('one that a crash left pending is used when nothing better is live', () => {
    expect(plan([own(1, 'active'), own(2, 'pending')], [listed('u2', 2)])).toEqual([
      { act: 'adopt', id: 2, object: 'job', fields: ['status', 'date'], platformUuid: 'u2' },
    ])
  })

  test('one that a crash left pending is retired when the old one is live', () => {
    const rows = [own(1, 'active', { platformUuid: 'u1' }), own(2, 'pending')]
    expect(plan(rows, [listed('u1', 1), listed('u2', 2)])).toEqual([
      { act: 'end', id: 2 },
      { act: 'remove', platformUuid: 'u2', id: 2 },
    ])
  })

  test('one that never reached the platform is dropped', () => {
    expect(plan([own(1, 'active', { platformUuid: 'u1' }), own(2, 'pending')], [listed('u1', 1)])).toEqual([
      { act: 'drop', id: 2 },
    ])
  })

  test('one that nobody needs is ended and removed', () => {
    expect(plan([own(1, 'active', { platformUuid: 'u1' })], [listed('u1', 1)], [])).toEqual([
      { act: 'end', id: 1 },
      { act: 'remove', platformUuid: 'u1', id: 1 },
    ])
  })

  test('one that posts to an address of ours nobody knows any more is removed', () => {
    expect(plan([own(1, 'active', { platformUuid: 'u1' })], [listed('u1', 1), listed('u9', null)])).toEqual([
      { act: 'remove', platformUuid: 'u9', id: null },
    ])
  })

  test('carrying out a plan leaves nothing to plan', () => {
    const rows = [own(1, 'active', { platformUuid: 'u1' }), own(2, 'deleted'), own(3, 'replaced', { endsAt: NOW + 5 })]
    expect(plan(rows, [listed('u1', 1), listed('u2', 2, { active: false })])).toEqual([])
  })
})

import { expect, test } from 'vitest'
import type { Ingress } from '../../store/events.ts'
import { knownIngress, noteSubscriptionChange } from './known-ingress.server.ts'

function world() {
  const asked: string[] = []
  const rows = new Map<string, Ingress>([['a', row(1)]])
  const find = knownIngress((tokenHash) => {
    asked.push(tokenHash)
    return rows.get(tokenHash)
  })
  return { asked, rows, find }
}

function row(subscriptionId: number): Ingress {
  return { subscriptionId, accountUuid: 'one', object: 'job', state: 'active', endsAt: null }
}

test('is looked up once a second', () => {
  const { asked, find } = world()
  for (const now of [5_000, 5_001, 5_999]) expect(find('a', now)).toEqual(row(1))
  expect(asked).toEqual(['a'])
  find('a', 6_000)
  expect(asked).toEqual(['a', 'a'])
})

test('is forgotten with the next change of any subscription', () => {
  const { rows, find } = world()
  find('a', 5_000)
  rows.set('a', { ...row(1), state: 'deleted' })
  noteSubscriptionChange()
  expect(find('a', 5_000)?.state).toBe('deleted')
})

test('one that nobody knows is not remembered: it may be made the next moment', () => {
  const { rows, find } = world()
  expect(find('b', 5_000)).toBeNull()
  rows.set('b', row(2))
  expect(find('b', 5_000)).toEqual(row(2))
})

test('a clock that is set back forgets everything', () => {
  const { asked, find } = world()
  find('a', 5_000)
  find('a', 1_000)
  find('a', 1_500)
  expect(asked).toHaveLength(2)
})

test('holds two thousand and no more', () => {
  const { asked, rows, find } = world()
  for (let index = 0; index < 2_000; index++) rows.set(`t${index}`, row(index))
  for (let index = 0; index < 2_000; index++) find(`t${index}`, 5_000)
  find('a', 5_000)
  asked.length = 0
  find('t0', 5_000)
  expect(asked).toEqual(['t0'])
})

import { expect, test } from 'vitest'
import type { Ingress } from '../../store/events.ts'
import { changingSubscriptions, knownIngress, noteSubscriptionChange } from './known-ingress.server.ts'

function world() {
  const asked: string[] = []
  const rows = new Map<string, Ingress>([['a', row(1)]])
  const find = knownIngress(async (tokenHash) => {
    asked.push(tokenHash)
    return rows.get(tokenHash)
  })
  return { asked, rows, find }
}

function row(subscriptionId: number): Ingress {
  return { subscriptionId, accountUuid: 'one', object: 'job', state: 'active', endsAt: null }
}

test('is looked up once a second', async () => {
  const { asked, find } = world()
  for (const now of [5_000, 5_001, 5_999]) expect(await find('a', now)).toEqual(row(1))
  expect(asked).toEqual(['a'])
  await find('a', 6_000)
  expect(asked).toEqual(['a', 'a'])
})

test('is looked up once for all who ask at once', async () => {
  const { asked, find } = world()
  expect(await Promise.all([find('a', 5_000), find('a', 5_000)])).toEqual([row(1), row(1)])
  expect(asked).toEqual(['a'])
})

test('is forgotten with the next change of any subscription', async () => {
  const { rows, find } = world()
  await find('a', 5_000)
  rows.set('a', { ...row(1), state: 'deleted' })
  noteSubscriptionChange()
  expect((await find('a', 5_000))?.state).toBe('deleted')
})

test('a look-up that began before a change is not remembered', async () => {
  const { rows, find } = world()
  const early = find('a', 5_000)
  rows.set('a', { ...row(1), state: 'deleted' })
  noteSubscriptionChange()
  const late = find('a', 5_000)
  expect((await early)?.state).toBe('active')
  expect((await late)?.state).toBe('deleted')
  expect((await find('a', 5_000))?.state).toBe('deleted')
})

test('is forgotten after a write of subscriptions, and after one that failed', async () => {
  const { asked, rows, find } = world()
  await find('a', 5_000)
  const end = changingSubscriptions(async (state: Ingress['state']) => rows.set('a', { ...row(1), state }).size)
  expect(await end('deleted')).toBe(1)
  expect((await find('a', 5_000))?.state).toBe('deleted')
  const fail = changingSubscriptions(async () => Promise.reject(new Error('The answer to the commit was lost.')))
  await expect(fail()).rejects.toThrow('lost')
  await find('a', 5_000)
  expect(asked).toHaveLength(3)
})

test('one that nobody knows is not remembered: it may be made the next moment', async () => {
  const { rows, find } = world()
  expect(await find('b', 5_000)).toBeNull()
  rows.set('b', row(2))
  expect(await find('b', 5_000)).toEqual(row(2))
})

test('a look-up that fails is not remembered', async () => {
  let broken = true
  const find = knownIngress(async () => {
    if (broken) throw new Error('The disk is full.')
    return row(1)
  })
  await expect(Promise.all([find('a', 5_000), find('a', 5_000)])).rejects.toThrow('full')
  broken = false
  expect(await find('a', 5_000)).toEqual(row(1))
})

test('a clock that is set back forgets everything', async () => {
  const { asked, find } = world()
  await find('a', 5_000)
  await find('a', 1_000)
  await find('a', 1_500)
  expect(asked).toHaveLength(2)
})

test('holds two thousand and no more', async () => {
  const { asked, rows, find } = world()
  for (let index = 0; index < 2_000; index++) rows.set(`t${index}`, row(index))
  for (let index = 0; index < 2_000; index++) await find(`t${index}`, 5_000)
  await find('a', 5_000)
  asked.length = 0
  await find('t0', 5_000)
  expect(asked).toEqual(['t0'])
})

import { expect, test } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { seconds } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { eventBrakeOf } from './event-brake.server.ts'

function worldOf(eventsPerSecond?: number) {
  const clock = fixedClock()
  const warned: unknown[] = []
  const log = { warn: (fields: unknown, message: string) => warned.push([message, fields]) } as unknown as Log
  const settings = { ...(eventsPerSecond !== undefined && { eventsPerSecond }) } as never
  return { clock, warned, app: { clock, log, settings } }
}

test('without a limit every event is taken', () => {
  const brake = eventBrakeOf(worldOf().app)
  for (let n = 0; n < 5_000; n += 1) expect(brake(1, 10)).toBeNull()
})

test('an address brings as many a second as is set, and ten times as many at once', () => {
  const { app, clock } = worldOf(50)
  const brake = eventBrakeOf(app)
  for (let n = 0; n < 500; n += 1) expect(brake(1, 1)).toBeNull()
  expect(brake(1, 1)).toBe(20)
  clock.advance(seconds(1))
  for (let n = 0; n < 50; n += 1) expect(brake(1, 1)).toBeNull()
  expect(brake(1, 1)).not.toBeNull()
})

test('other addresses are not held up by it, and both entrances count together', () => {
  const { app } = worldOf(1)
  for (let n = 0; n < 10; n += 1) expect(eventBrakeOf(app)(1, 1)).toBeNull()
  expect(eventBrakeOf({ ...app })(1, 1)).not.toBeNull()
  expect(eventBrakeOf(app)(2, 1)).toBeNull()
})

test('it counts events, not calls, and a call of more than there can ever be passes when nothing came for a while', () => {
  const { app, clock } = worldOf(10)
  const brake = eventBrakeOf(app)
  expect(brake(1, 60)).toBeNull()
  expect(brake(1, 60)).toBe(2_000)
  expect(brake(1, 40)).toBeNull()
  clock.advance(seconds(10))
  expect(brake(1, 200)).toBeNull()
  expect(brake(1, 1)).not.toBeNull()
})

test('the log says so once a minute, without the address', () => {
  const { app, clock, warned } = worldOf(1)
  const brake = eventBrakeOf(app)
  for (let n = 0; n < 50; n += 1) brake(7, 1)
  expect(warned).toEqual([['ingress.braked', { subscriptionId: 7 }]])
  clock.advance(seconds(60))
  for (let n = 0; n < 50; n += 1) brake(7, 1)
  expect(warned).toHaveLength(2)
})

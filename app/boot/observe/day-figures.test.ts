import { expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { watchDay } from './day-figures.server.ts'

const NOON = Date.UTC(2026, 10, 24, 12)

function watched() {
  const clock = { at: NOON, now: () => clock.at }
  const now = { oldestDueAgeMs: 0, usedBytes: 100 }
  return { clock, now, day: watchDay({ clock, now: () => now }) }
}

test('a quarter counts its events, keeps the longest wait and the last size', () => {
  const { clock, now, day } = watched()
  day.eventStored()
  now.oldestDueAgeMs = 9_000
  day.sample()
  clock.at += minutes(5)
  day.eventStored(3)
  Object.assign(now, { oldestDueAgeMs: 10, usedBytes: 120 })
  expect(day.read()).toEqual([{ at: NOON, events: 4, oldestDueAgeMs: 9_000, usedBytes: 120 }])
  clock.at += minutes(10)
  expect(day.read()).toHaveLength(2)
  expect(day.read()[1]).toEqual({ at: NOON + minutes(15), events: 0, oldestDueAgeMs: 10, usedBytes: 120 })
  day.stop()
})

test('it keeps 24 hours, however long it runs, and survives a clock that goes back', () => {
  const { clock, day } = watched()
  for (let quarter = 0; quarter < 300; quarter++) {
    clock.at += minutes(15)
    day.eventStored()
  }
  const kept = day.read()
  expect([kept.length, kept.at(-1)?.at]).toEqual([96, clock.at])
  clock.at -= minutes(60)
  day.eventStored()
  expect(day.read().at(-1)?.events).toBe(2)
  day.stop()
})

test('what it gives cannot be changed by a reader', () => {
  const { day } = watched()
  const [first] = day.read()
  if (first) first.events = 99
  expect(day.read()[0]?.events).toBe(0)
  day.stop()
})

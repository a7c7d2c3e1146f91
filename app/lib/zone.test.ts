import { describe, expect, test } from 'vitest'
import { days, hours, minutes, seconds } from './duration.ts'
import { isZone, momentOfWall, wallAt } from './zone.ts'

const FROM = Date.UTC(2024, 0, 1)
const UNTIL = Date.UTC(2031, 0, 1)

/** What the language data of this machine shows, without our arithmetic and without the library. */
function oracleOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
}

interface Change {
  /** The first moment with the new offset. */
  at: number
  before: number
  after: number
}

/** Every change of the clocks in a span, found by looking at it in ever shorter steps. */
function changesOf(shown: (at: number) => number, from: number, until: number, step: number): Change[] {
  const changes: Change[] = []
  for (let early = from, before = shown(from) - from; early < until; early += step) {
    const late = early + step
    const after = shown(late) - late
    if (before !== after) {
      if (step <= minutes(15)) changes.push({ at: late, before, after })
      else changes.push(...changesOf(shown, early, late, step / (step > hours(6) ? 20 : 24)))
    }
    before = after
  }
  return changes
}

// A third of all zones, and those with a rule of their own.
const ODD = ['Europe/London', 'Australia/Lord_Howe', 'America/St_Johns', 'Africa/Casablanca', 'Africa/Cairo', 'UTC']
const ZONES = [...new Set([...ODD, ...Intl.supportedValuesOf('timeZone').filter((_, index) => index % 3 === 0)])]

test('at every change of the clocks from 2024 to 2030, walls and moments are those that the clocks show', () => {
  let changes = 0
  for (const zone of ZONES) {
    const shown = oracleOf(zone)
    for (const { at, before, after } of changesOf(shown, FROM, UNTIL, days(5))) {
      changes += 1
      for (const moment of [at - hours(3), at - minutes(40), at - seconds(1), at, at + minutes(10), at + hours(3)]) {
        expect.soft(wallAt(moment, zone), `${zone} ${moment}`).toBe(shown(moment))
      }
      const size = Math.abs(after - before)
      const walls = [at + before, at + before + size / 2, at + after - seconds(1), at + after, at + after + size / 2]
      for (const wall of walls) {
        // The first moment that shows it, of all minutes around.
        const around = [wall - before, wall - after].filter((one) => shown(one) === wall)
        const wanted = around.length > 0 ? { at: Math.min(...around), exists: true } : { at, exists: false }
        expect.soft(momentOfWall(wall, zone), `${zone} ${new Date(wall).toISOString()}`).toEqual(wanted)
      }
    }
  }
  expect(changes).toBeGreaterThan(500)
})

describe('the rule at a change of the clocks', () => {
  test.each([
    ['2026-03-29T01:30', 'Europe/London', '2026-03-29T01:00', false],
    ['2026-10-25T01:30', 'Europe/London', '2026-10-25T00:30', true],
    ['2026-10-04T02:10', 'Australia/Lord_Howe', '2026-10-03T15:30', false],
    ['2026-04-24T00:30', 'Africa/Cairo', '2026-04-23T22:00', false],
    ['2011-12-30T10:00', 'Pacific/Apia', '2011-12-30T10:00', false],
  ])('%s in %s is %s in UTC', (wall, zone, at, exists) => {
    expect(momentOfWall(Date.parse(`${wall}Z`), zone)).toEqual({ at: Date.parse(`${at}Z`), exists })
  })
})

test('a zone that nobody knows is UTC, also one that looks like an offset', () => {
  for (const zone of ['', 'Mars/Phobos', 'Mars+10:00']) {
    expect(isZone(zone)).toBe(false)
    expect(wallAt(FROM, zone)).toBe(FROM)
  }
})

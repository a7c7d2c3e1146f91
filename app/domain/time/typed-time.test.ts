import { describe, expect, test } from 'vitest'
import { localInput, momentOf } from './local-time.ts'

const at = (iso: string) => Date.parse(iso)

describe('a date and time of day typed by a person', () => {
  test.each([
    ['2026-01-05T09:00', 'Europe/London', '2026-01-05T09:00:00Z'],
    ['2026-07-05T09:00', 'Europe/London', '2026-07-05T08:00:00Z'],
    ['2026-01-05T09:00:30', 'Australia/Sydney', '2026-01-04T22:00:30Z'],
    ['2026-01-05 09:00', 'Australia/Brisbane', '2026-01-04T23:00:00Z'],
    ['2026-01-05T09:00', 'Nowhere/Atlantis', '2026-01-05T09:00:00Z'],
  ])('%s in %s is %s', (text, zone, moment) => {
    expect(momentOf(text, zone)).toBe(at(moment))
  })

  test('an hour that came twice is the first of the two', () => {
    expect(momentOf('2026-10-25T01:30', 'Europe/London')).toBe(at('2026-10-25T00:30:00Z'))
    expect(momentOf('2026-04-05T02:30', 'Australia/Sydney')).toBe(at('2026-04-04T15:30:00Z'))
  })

  test('an hour that was left out is the first moment after it', () => {
    expect(momentOf('2026-03-29T01:30', 'Europe/London')).toBe(at('2026-03-29T01:00:00Z'))
    expect(momentOf('2026-10-04T02:30', 'Australia/Sydney')).toBe(at('2026-10-03T16:00:00Z'))
  })

  test.each(['', 'yesterday', '2026-02-30T09:00', '2026-13-01T09:00', '2026-01-05', '2026-01-05T24:30', '1'])(
    '%j is none',
    (text) => {
      expect(momentOf(text, 'Europe/London')).toBeNull()
    },
  )

  test('is written back as the field holds it', () => {
    for (const zone of ['Europe/London', 'Australia/Sydney', 'America/St_Johns']) {
      const text = localInput(at('2026-06-30T23:59:00Z'), zone)
      expect(momentOf(text, zone)).toBe(at('2026-06-30T23:59:00Z'))
    }
  })
})

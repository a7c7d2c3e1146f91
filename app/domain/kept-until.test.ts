import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { keepBackups } from '#app/features/ops/backups.ts'
import { days, hours } from '#app/lib/duration.ts'
import { BACKUPS_KEPT, eventsKept, keptUntil, LEAST_EVENTS, logEnds, shortageText } from './kept-until.ts'
import { switchesOf } from './space.ts'
import { spanText } from './time/moments.ts'

const long = (id: string, retentionDays?: number) => keptUntil({ retentionDays }).find((kind) => kind.id === id)?.long

describe('the words', () => {
  it('follow what is configured', () => {
    expect([long('events'), long('events', 90), long('bodies', 90), long('bodies', 5)]).toEqual([
      '30 days',
      '90 days',
      '7 days',
      '5 days',
    ])
    expect(eventsKept(1)).toBe(LEAST_EVENTS)
    expect(long('events', 1)).toBe('4 days')
    expect([long('audit'), long('runs'), long('sessions')]).toEqual([
      '400 days; refused requests from others 90 days',
      '90 days',
      '24 hours, without use 8 hours',
    ])
    expect(long('waiting')).toBe('until they are delivered, at most 72 hours (for a paused webhook 30 days)')
  })

  it('name copies only where there are some', () => {
    expect(long('backups')).toBeUndefined()
    const kinds = keptUntil({ retentionDays: 30, backups: true })
    expect(kinds.find(({ id }) => id === 'backups')).toMatchObject({ long: BACKUPS_KEPT, forOwners: true })
    expect(kinds.filter(({ what }) => what === '')).toEqual([])
    // These need no reason beside their name.
    expect(kinds.filter(({ why }) => why === '').map(({ id }) => id)).toEqual(['notices', 'sessions', 'usage', 'short'])
    expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length)
  })

  it('tell owners of the copies of their records', () => {
    expect(keptUntil({}).find(({ id }) => id === 'snapshots')?.forOwners).toBe(true)
  })

  it('name copies as their keeper keeps them', () => {
    const copies = (backups: 'kept' | 'server') => keptUntil({ backups }).find(({ id }) => id === 'backups')
    expect(copies('kept')).toMatchObject({
      what: 'Backups, encrypted',
      long: "until the store's own rules remove them",
    })
    expect(copies('server')).toMatchObject({
      what: 'Backups',
      long: 'by the database server, as your operator set it up',
    })
  })

  it('of spans are as short as they can be', () => {
    expect([days(30), hours(72), hours(24), hours(1), 60_000].map(spanText)).toEqual([
      '30 days',
      '3 days',
      '24 hours',
      '1 hour',
      '1 minute',
    ])
  })

  it('stand below a log where it ends, and say what is different while storage is short', () => {
    const lean = switchesOf('lean')
    expect(logEnds(undefined, switchesOf('enough'), false)).toBe('Entries are kept for 30 days.')
    const guide = readFileSync('docs/user-guide.md', 'utf8')
    expect(guide).toContain(`the page says so ("${logEnds(undefined, switchesOf('enough'), false)}")`)
    expect(logEnds(60, lean, false)).toBe('Entries are kept for 60 days.')
    expect(logEnds(60, lean, true)).toBe(
      'Entries are kept for 60 days. Storage is nearly full: delivered ones are kept for 4 days.',
    )
  })
})

describe('while storage is short, an owner is told', () => {
  it('nothing as long as nothing is different for anybody', () => {
    expect([shortageText(switchesOf('enough'), false), shortageText(switchesOf('warn'), true)]).toEqual([null, null])
  })

  it('whether it is about this account', () => {
    expect(shortageText(switchesOf('shorten'), false)).toContain('within its share')
    expect(shortageText(switchesOf('shorten'), true)).toContain('we keep delivered payloads for 24 hours.')
    expect(shortageText(switchesOf('lean'), true)).toContain('the delivery log for 4 days')
    expect(shortageText(switchesOf('share'), true)).toContain('ServiceM8 keeps new events')
    expect(shortageText(switchesOf('share'), false)).not.toContain('ServiceM8 keeps')
    expect(shortageText(switchesOf('full'), false)).toContain('Waiting deliveries are safe.')
  })
})

test('copies are kept as is said', () => {
  const now = Date.UTC(2026, 10, 22, 12)
  const hourly = Array.from({ length: 24 * 800 }, (_, n) => ({ takenAt: now - hours(n) }))
  const kept = [...keepBackups(hourly, now)].map(({ takenAt }) => now - takenAt)
  expect(kept.filter((age) => age < days(1)).length).toBe(24)
  expect(kept.filter((age) => age >= days(2) && age <= days(30)).length).toBeGreaterThanOrEqual(28)
  const old = kept.filter((age) => age > days(31))
  expect([old.length > 9 && old.length <= 12, Math.max(...old) < days(366)]).toEqual([true, true])
  expect(BACKUPS_KEPT).toBe('all of the last 24 hours, one a day for 30 days, one a month for 12 months')
})

test('the guide says what the page says', () => {
  const guide = readFileSync('docs/user-guide.md', 'utf8')
  const said = keptUntil({ backups: true }).filter(({ forOwners }) => forOwners)
  expect(said.filter(({ what, long }) => !guide.includes(`| ${what} | ${long} |`)).map(({ id }) => id)).toEqual([])
})

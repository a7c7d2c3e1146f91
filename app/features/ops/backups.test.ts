import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { days, hours, minutes } from '../../lib/duration.ts'
import {
  backupName,
  differences,
  ENDED_HALF_WAY,
  keepBackups,
  leftovers,
  listedBackups,
  MANIFEST,
  type Manifest,
  manifestText,
  momentOfName,
  readManifest,
  shownRun,
  staleSentence,
} from './backups.ts'

const NOW = Date.UTC(2026, 10, 22, 3, 41)
const backup = (takenAt: number) => ({ takenAt })
const moments = fc
  .uniqueArray(fc.integer({ min: 0, max: hours(24 * 500) }), { maxLength: 200 })
  .map((ages) => ages.map((age) => backup(NOW - age)))
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

describe('of the backups', () => {
  it('the newest is always kept, and everything of the last 24 hours', () => {
    fc.assert(
      fc.property(moments, (list) => {
        const kept = keepBackups(list, NOW)
        const newest = list.reduce<{ takenAt: number } | null>((a, b) => (a && a.takenAt > b.takenAt ? a : b), null)
        if (newest) expect(kept.has(newest)).toBe(true)
        for (const one of list) if (NOW - one.takenAt <= hours(24)) expect(kept.has(one)).toBe(true)
      }),
    )
  })

  it('one is kept of every day of the last 30 and of every month of the last 12 that has any, and no more than that', () => {
    fc.assert(
      fc.property(moments, (list) => {
        const kept = [...keepBackups(list, NOW)]
        const older = kept.filter((one) => NOW - one.takenAt > hours(24))
        const keptDays = new Set(kept.map((one) => dayOf(one.takenAt)))
        const keptMonths = new Set([...keptDays].map((day) => day.slice(0, 7)))
        for (const one of list) {
          if (NOW - one.takenAt <= days(30)) expect(keptDays.has(dayOf(one.takenAt))).toBe(true)
          if (one.takenAt >= Date.UTC(2025, 11, 1)) expect(keptMonths.has(dayOf(one.takenAt).slice(0, 7))).toBe(true)
        }
        // The day on which the last 24 hours begin may have one of its own.
        expect(older.length).toBeLessThanOrEqual(31 + 12 + 1)
      }),
    )
  })

  it('what is kept is kept again, and what was let go is never missed later', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 0, max: days(60) }), (list, later) => {
        const kept = keepBackups(list, NOW)
        expect(keepBackups([...kept], NOW)).toEqual(kept)
        for (const one of keepBackups(list, NOW + later)) expect(kept.has(one)).toBe(true)
      }),
    )
  })

  it('one every eight hours for 14 months, tidied each time, leaves 24 hours, 30 days and 12 months', () => {
    let list: { takenAt: number }[] = []
    for (let at = NOW - days(430); at <= NOW; at += hours(8)) list = [...keepBackups([...list, backup(at)], at)]
    const ages = list.map((one) => NOW - one.takenAt)
    expect(ages.filter((age) => age <= hours(24))).toHaveLength(4)
    expect(new Set(list.filter((one) => NOW - one.takenAt <= days(30)).map((one) => dayOf(one.takenAt))).size).toBe(31)
    expect(new Set(list.map((one) => dayOf(one.takenAt).slice(0, 7))).size).toBe(12)
    expect(list.length).toBeLessThan(70)
  })
})

describe('a place', () => {
  const name = backupName(NOW, 'abc123')

  it('holds backups by name, the newest first; what is not ours is left out', () => {
    const older = backupName(NOW - hours(1), 'ffffff')
    const files = [
      `${older}/part-0001.age`,
      `${name}/part-0001.age`,
      `${name}/${MANIFEST}`,
      'notes/a.txt',
      'fieldhook-x/y',
    ]
    const found = listedBackups(files.map((file) => ({ name: file, bytes: 10, storedAt: NOW })))
    expect(found).toMatchObject([
      { name, complete: true, bytes: 20, takenAt: Date.UTC(2026, 10, 22, 3, 41) },
      { name: older, complete: false, files: ['part-0001.age'] },
    ])
    expect(momentOfName('fieldhook-20261122T0341Z-1')).toBeNull()
  })

  it('is tidied of what broke off a day ago, not of what is being stored', () => {
    const files = [1, 23, 25, 500].map((age) => ({
      name: `${backupName(NOW - hours(age), 'aa')}/part-0001.age`,
      bytes: 1,
      storedAt: NOW - hours(age),
    }))
    const broken = leftovers(listedBackups(files), NOW).map((one) => (NOW - one.takenAt) / hours(1))
    expect(broken).toEqual([25, 500])
  })
})

describe('a manifest', () => {
  const manifest: Manifest = {
    format: 1,
    product: 'fieldhook',
    version: '1.0.0',
    origin: 'https://hooks.example.com',
    takenAt: NOW,
    migrations: 6,
    bytes: 4096,
    pages: 1,
    sha256: 'aa',
    newestEventAt: null,
    rows: { event: 1 },
    parts: [{ name: 'part-0001.age', bytes: 10, sha256: 'bb' }],
  }
  const sign = (text: string) => `signed ${text.length}`
  const isSigned = (text: string, signature: string) => signature === sign(text)

  it('is read back when it is signed and whole', () => {
    expect(readManifest(manifestText(manifest, sign), isSigned)).toEqual({ outcome: 'ours', manifest })
  })

  it('is not ours when it is not signed, not whole, or nothing at all', () => {
    const text = manifestText(manifest, sign)
    for (const wrong of [text.replace('"pages": 1', '"pages": 12'), text.slice(1), '', '{}', 'null']) {
      expect(readManifest(wrong, isSigned)).toEqual({ outcome: 'not_ours' })
    }
    expect(readManifest(text, () => false)).toEqual({ outcome: 'not_ours' })
  })

  it('is what the copy is compared with', () => {
    const copy = { pages: 1, migrations: 6, newestEventAt: null, rows: { event: 1 } }
    expect(differences(manifest, copy)).toEqual([])
    expect(differences(manifest, { ...copy, pages: 2, rows: {} })).toEqual([
      'The copy has 2 pages and the manifest says 1.',
      'The copy has undefined rows of event and the manifest says 1.',
    ])
    expect(differences(manifest, { ...copy, newestEventAt: 5 })).toHaveLength(1)
  })
})

describe('a drill', () => {
  it('wants a backup made less than two hours before the newest event', () => {
    expect(staleSentence(NOW - hours(2) + 1, NOW)).toBeNull()
    expect(staleSentence(NOW - hours(2), NOW)).toContain('is 2 hours older than the newest event')
    expect(staleSentence(NOW - hours(3), null)).toBeNull()
  })

  it('that is said to run for hours ended with its process', () => {
    const run = { outcome: 'running' as const, startedAt: NOW, message: '' }
    expect(shownRun(run, NOW + minutes(5))).toBe(run)
    expect(shownRun(run, NOW + hours(6))).toEqual({ ...run, outcome: 'failed', message: ENDED_HALF_WAY })
    expect(shownRun({ ...run, outcome: 'done' }, NOW + hours(6)).outcome).toBe('done')
  })
})

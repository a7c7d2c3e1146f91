import { describe, expect, test } from 'vitest'
import { days, hours, minutes } from '../../lib/duration.ts'
import { doctorLines, examine, exitCodeOf } from './doctor.ts'
import type { ContentFacts, Facts, FileFacts } from './doctor-facts.ts'

const NOW = Date.UTC(2026, 10, 22)
const MB = 2 ** 20

const CONTENT: ContentFacts = {
  oldestDueSince: NOW - 2_000,
  waiting: 3,
  held: 1,
  oldestRunDueSince: null,
  oldestScheduleDueSince: null,
  subscriptions: { states: { active: 4, deleted: 2 }, troubled: 0, stuck: 0, missing: 0, orphaned: 0 },
  connections: { connected: 2, reconnect: 0 },
  endpoints: { active: 3 },
  mailEnds: [{ code: 'sent', count: 2 }],
  missingKeys: [],
  opened: { tried: 2, shut: 0 },
  backup: {
    newest: { startedAt: NOW - minutes(20), outcome: 'done', message: '' },
    newestGood: { startedAt: NOW - minutes(20) },
  },
  drill: {
    newest: { startedAt: NOW - hours(9), outcome: 'done', message: '' },
    newestGood: { startedAt: NOW - hours(9) },
  },
}

const FILE: Extract<FileFacts, { outcome: 'opened' }> = {
  outcome: 'opened',
  path: '/data/fieldhook.db',
  journalMode: 'wal',
  autoVacuum: 2,
  schema: { newestApplied: '0005_operations', pending: 0, newer: false },
  integrity: { how: 'quick', problems: [], orphans: null, tables: 48, tablesLeft: 0 },
  bytes: { file: 40 * MB, free: 4 * MB, wal: MB },
  otherPlatform: null,
  held: false,
  running: true,
  content: CONTENT,
}

const WELL: Facts = {
  now: NOW,
  configuration: {
    outcome: 'complete',
    platform: 'servicem8',
    origin: 'https://hooks.example.com',
    listensToAll: true,
    trustProxy: 'fly',
    admins: 1,
    metricsToken: 'set',
    backups: true,
    payments: true,
    hold: false,
    maxDbMb: 2048,
  },
  node: 'v24.11.0',
  sqlite: '3.51.3',
  file: FILE,
  disk: {
    folder: '/data',
    sync: { median: 1.24, slowest: 4.4, times: 50 },
    opens: { journalMode: 'wal', synchronous: 1, foreignKeys: 1 },
    freeBytes: 2_000 * MB,
    totalBytes: 3_000 * MB,
    ballastBytes: 64 * MB,
  },
}

const configured = (more: object): Facts => ({ ...WELL, configuration: { ...WELL.configuration, ...more } as never })
const withFile = (more: Partial<typeof FILE>): Facts => ({ ...WELL, file: { ...FILE, ...more } })
const withContent = (more: Partial<ContentFacts>): Facts => withFile({ content: { ...CONTENT, ...more } })
const withDisk = (more: Partial<Facts['disk']>): Facts => ({ ...WELL, disk: { ...WELL.disk, ...more } })
/** Sentences of what is not well. */
const complaints = (facts: Facts, level: 'warning' | 'bad') =>
  examine(facts).flatMap((finding) => (finding.level === level ? [finding.sentence] : []))

test('an installation that is well is said line by line, and ends with 0', () => {
  const findings = examine(WELL)
  expect(doctorLines(findings)).toEqual([
    '✓ The configuration is complete: ServiceM8, at https://hooks.example.com.',
    '✓ Node v24.11.0.',
    '✓ SQLite 3.51.3.',
    "✓ The schema is this release's: 0005_operations.",
    '✓ The file is sound.',
    '✓ Databases there are opened with WAL, synchronous=NORMAL and foreign keys.',
    '✓ The disk keeps 4 KB for good in 1.2 ms, the slowest of 50 in 4.4 ms.',
    '✓ 2.0 GB of 2.9 GB are free on the disk.',
    '✓ The database takes 40 MB, 4.0 MB of it free for reuse; its log 1.0 MB.',
    '✓ Nothing is overdue: 3 deliveries in line, 1 held.',
    '✓ 4 subscriptions active at ServiceM8, none missing.',
    '✓ 2 accounts connected; 3 addresses in use, 0 failing or stopped (their owners are told).',
    '✓ Secrets open: 2 tried.',
    '✓ The newest backup is 20 minutes old.',
    '✓ The last restore drill, 9 hours ago, succeeded.',
    '',
    '15 fine, 0 warnings, 0 problems',
  ])
  expect(exitCodeOf(findings)).toBe(0)
})

test('a next step stands below what is not well; warnings alone are no failure', () => {
  const findings = examine(configured({ metricsToken: 'none' }))
  expect(exitCodeOf(findings)).toBe(0)
  const lines = doctorLines(findings)
  const at = lines.findIndex((line) => line.startsWith('! METRICS_TOKEN is not set'))
  expect(lines[at + 1]).toBe('    → Set METRICS_TOKEN to the output of: openssl rand -hex 32')
  expect(exitCodeOf(examine({ ...WELL, configuration: { outcome: 'wrong', problems: ['PORT …'] } }))).toBe(1)
})

describe('what works and should be looked at', () => {
  test.each<[Facts, string]>([
    [configured({ platform: 'sandbox' }), 'This is the sandbox'],
    [configured({ origin: 'http://localhost:3000' }), 'APP_ORIGIN begins with http://'],
    [configured({ hold: true }), 'HOLD=yes'],
    [configured({ backups: false }), 'No backups are made'],
    [configured({ metricsToken: 'short' }), 'METRICS_TOKEN is short'],
    [configured({ admins: 0 }), 'ADMIN_ACCOUNTS is empty'],
    [configured({ trustProxy: 'none' }), 'TRUST_PROXY is none'],
    [configured({ maxDbMb: 2_900 }), 'MAX_DB_MB is 2900, and the whole disk has 2.9 GB'],
    [{ ...WELL, node: 'v20.20.0' }, 'Node v20.20.0 gets no security fixes since 2026-04-30'],
    [{ ...WELL, file: { outcome: 'missing', path: '/data/x.db' } }, 'There is no database at /data/x.db'],
    [withFile({ schema: { newestApplied: '0004_security', pending: 1, newer: false } }), 'this release adds 1 change'],
    [withFile({ autoVacuum: 0 }), 'does not give room back'],
    [
      withFile({ held: true, content: { ...CONTENT, oldestDueSince: NOW - days(1) } }),
      'This is a restored or moved copy',
    ],
    [withDisk({ sync: { median: 9, slowest: 210, times: 40 } }), 'the slowest of 40 in 210 ms'],
    [withDisk({ ballastBytes: 0 }), 'reserve for a full disk'],
    [withDisk({ freeBytes: 500 * MB }), '500 MB of 2.9 GB are free'],
    [withFile({ bytes: { file: 1_900 * MB, free: 0, wal: 0 } }), '2.0 GB are allowed'],
    [withFile({ bytes: { file: MB, free: 0, wal: 400 * MB } }), 'has grown to 400 MB'],
    [withFile({ running: false }), 'does not run on this database: 3 deliveries in line'],
    [
      withContent({ subscriptions: { states: { active: 1 }, troubled: 1, stuck: 2, missing: 3, orphaned: 0 } }),
      '1 subscription active at ServiceM8, 3 missing, 1 with a problem, 2 begun and not finished',
    ],
    [
      withContent({ subscriptions: { states: {}, troubled: 0, stuck: 0, missing: 0, orphaned: 1 } }),
      '1 subscription that nothing needs any more',
    ],
    [withContent({ connections: { connected: 1, reconnect: 1 } }), '1 account must sign in'],
    [
      withContent({ backup: { newest: null, newestGood: { startedAt: NOW - hours(3) } } }),
      'The newest backup is 3 hours old',
    ],
    [
      withContent({
        backup: { ...CONTENT.backup, newest: { startedAt: NOW, outcome: 'failed', message: 'No room.' } },
      }),
      'The latest try failed: No room.',
    ],
    [
      withContent({ drill: { newest: null, newestGood: { startedAt: NOW - days(3) } } }),
      'No restore drill has succeeded',
    ],
  ])('%#: %s', (facts, sentence) => {
    expect(complaints(facts, 'warning').join('\n')).toContain(sentence)
    expect(complaints(facts, 'bad')).toEqual([])
  })
})

test('a copy that was just put in place has another journal mode until it is started, and makes no backups', () => {
  const content = { ...CONTENT, backup: { newest: null, newestGood: null }, drill: { newest: null, newestGood: null } }
  const facts = withFile({ journalMode: 'delete', running: false, held: true, content })
  expect(complaints(facts, 'bad')).toEqual([])
  expect(complaints(facts, 'warning').join()).not.toContain('drill')
})

describe('what does not do what is promised', () => {
  test.each<[Facts, string]>([
    [
      { ...WELL, configuration: { outcome: 'wrong', problems: ['SESSION_SECRET is missing.'] } },
      'SESSION_SECRET is missing.',
    ],
    [{ ...WELL, sqlite: '3.51.2' }, 'SQLite 3.51.2 can damage a file'],
    [{ ...WELL, sqlite: '3.45.9' }, 'SQLite 3.45.9 can damage a file'],
    [
      { ...WELL, file: { outcome: 'unreadable', path: 'x', sentence: 'It cannot be read.', next: 'Mend it.' } },
      'It cannot be read.',
    ],
    [withFile({ schema: { newestApplied: '0005_operations', pending: 0, newer: true } }), 'A newer release'],
    [
      withFile({ integrity: { how: 'quick', problems: ['row 3 missing'], orphans: null, tables: 9, tablesLeft: 3 } }),
      'is damaged: row 3 missing',
    ],
    [
      withFile({ integrity: { how: 'full', problems: [], orphans: 2, tables: 9, tablesLeft: 0 } }),
      '2 rows belong to something that is gone',
    ],
    [withFile({ otherPlatform: 'It belongs to the sandbox.' }), 'It belongs to the sandbox.'],
    [withFile({ journalMode: 'delete' }), 'journal mode "delete"'],
    [withDisk({ sync: null, opens: null }), 'Nothing can be written in /data'],
    [withDisk({ opens: { journalMode: 'wal', synchronous: 0, foreignKeys: 1 } }), 'synchronous=0'],
    [withDisk({ freeBytes: 100 * MB }), '100 MB of 2.9 GB are free'],
    [withContent({ oldestDueSince: NOW - minutes(12) }), 'The oldest delivery has been due for 12 minutes'],
    [withContent({ oldestRunDueSince: NOW - hours(3) }), 'The oldest run of an automation has been due for 3 hours'],
    [withContent({ oldestScheduleDueSince: NOW - days(3) }), 'has been due for 3 days'],
    [
      withContent({ missingKeys: [{ keyId: 'k1', accountKeys: 2, secrets: 0 }] }),
      'ENC_KEYS lacks "k1" (it still opens the keys of 2 accounts)',
    ],
    [withContent({ opened: { tried: 5, shut: 2 } }), '2 of 5 secrets do not open'],
    [withContent({ backup: { newest: null, newestGood: null } }), 'No backup was made yet'],
    [
      withContent({ backup: { newest: null, newestGood: { startedAt: NOW - days(4) } } }),
      'newest backup is 4 days old',
    ],
    [
      withContent({
        drill: { ...CONTENT.drill, newest: { startedAt: NOW, outcome: 'failed', message: 'Not whole.' } },
      }),
      'could not restore a backup: Not whole.',
    ],
  ])('%#: %s', (facts, sentence) => {
    expect(complaints(facts, 'bad').join('\n')).toContain(sentence)
  })
})

test('a newer SQLite is as good, and a look that ran out of time says how far it came', () => {
  for (const sqlite of ['3.51.3', '3.52.0', '4.0.0']) expect(complaints({ ...WELL, sqlite }, 'bad')).toEqual([])
  const { integrity } = FILE
  const sentences = examine(withFile({ integrity: { ...integrity, tablesLeft: 2 } })).map(({ sentence }) => sentence)
  expect(sentences).toContain('46 of 48 tables are sound; for the largest there was no time (use --full).')
  const full = examine(withFile({ integrity: { ...integrity, how: 'full', orphans: 0 } }))
  expect(full.map(({ sentence }) => sentence)).toContain('Every page, index and reference of the file is sound.')
})

test('a file of another schema is not asked for its content', () => {
  const findings = examine(withFile({ content: null }))
  expect(findings.some(({ topic }) => topic === 'overdue' || topic === 'secrets')).toBe(false)
})

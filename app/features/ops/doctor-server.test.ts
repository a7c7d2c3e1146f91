import { expect, test } from 'vitest'
import type { ServerFigures } from '#app/domain/server-figures.ts'
import { exitCodeOf } from './doctor.ts'
import type { ConfigurationFacts } from './doctor-facts.ts'
import { examineServer } from './doctor-server.ts'

const NOW = Date.UTC(2026, 10, 22)
const MB = 2 ** 20

const FIGURES: ServerFigures = {
  version: '18.4',
  refused: null,
  synchronousCommit: 'on',
  standbyNames: 'any 1 (b)',
  standbys: { all: 1, confirming: 1 },
  archive: { mode: 'on', lastAt: NOW, failedAt: null, baseBackupAt: NOW },
  longTransactions: { count: 0, longestMs: 0 },
  bloated: [],
  connections: { used: 14, most: 97 },
  clock: { offsetMs: 0, tookMs: 1 },
  bytes: { whole: 100 * MB, free: 0 },
  members: null,
}

const CONFIGURATION: ConfigurationFacts = {
  outcome: 'complete',
  platform: 'servicem8',
  origin: 'https://hooks.example.com',
  listensToAll: true,
  trustProxy: 'fly',
  admins: 1,
  metricsToken: 'set',
  backups: false,
  payments: true,
  hold: false,
  maxDbMb: 2048,
}

function examined(bytes: ServerFigures['bytes'], configuration: ConfigurationFacts = CONFIGURATION) {
  return examineServer({
    now: NOW,
    configuration,
    node: 'v24.11.0',
    server: {
      outcome: 'opened',
      figures: { ...FIGURES, bytes },
      schema: { newestApplied: '0005_operations', pending: 0, ahead: false },
      otherPlatform: null,
      held: false,
      running: true,
      content: null,
    },
  })
}

const spaceOf = (...input: Parameters<typeof examined>) => examined(...input).filter(({ topic }) => topic === 'space')

// The space ladder refuses events at MAX_DB_MB, on a server too.
test.each([
  [{ whole: 1_600 * MB, free: 0 }, 'good'],
  [{ whole: 1_700 * MB, free: 0 }, 'warning'],
  [{ whole: 1_950 * MB, free: 0 }, 'bad'],
  // A table does not shrink: room within it counts as free.
  [{ whole: 4_000 * MB, free: 3_000 * MB }, 'good'],
])('the size of the database is compared with MAX_DB_MB: %o is %s', (bytes, level) => {
  expect(spaceOf(bytes)).toEqual([
    expect.objectContaining({ level, sentence: expect.stringContaining('MAX_DB_MB allows 2.0 GB') }),
  ])
  expect(exitCodeOf(examined(bytes))).toBe(level === 'bad' ? 1 : 0)
})

test('without a readable configuration the size is told alone', () => {
  expect(spaceOf({ whole: 100 * MB, free: 2 * MB }, { outcome: 'wrong', problems: ['PORT …'] })).toEqual([
    expect.objectContaining({
      level: 'good',
      sentence: 'The database takes 100 MB on the server, 2.0 MB of it free for reuse.',
    }),
  ])
})

test.each([{ held: true }, { hold: true }])('on hold nobody takes shares, and nothing is said about them: %o', (on) => {
  const members = { shares: 64, unowned: 64, members: [] }
  const configuration = { ...CONFIGURATION, hold: 'hold' in on }
  const examine = (given: ConfigurationFacts, held: boolean) =>
    examineServer({
      ...{ now: NOW, configuration: given, node: 'v24.11.0' },
      server: {
        ...{
          outcome: 'opened',
          figures: { ...FIGURES, members },
          otherPlatform: null,
          held,
          running: true,
          content: null,
        },
        schema: { newestApplied: '0005_operations', pending: 0, ahead: false },
      },
    }).map(({ sentence }) => sentence)
  expect(examine(configuration, 'held' in on).join()).not.toContain('no owner')
  expect(examine(CONFIGURATION, false).join()).toContain('64 of 64 shares have no owner')
})

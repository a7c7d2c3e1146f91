// A healthy installation as its operator sees it, for tests that change one thing.
import { keptUntil } from '#app/domain/kept-until.ts'
import { dayCurves } from '#app/features/ops/day-curves.ts'
import type { OperatorFacts } from '#app/features/ops/operator-view.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { SAMPLE_NOW } from './sample-views.ts'

const MB = 1024 * 1024

export function operatorFacts(over: Partial<OperatorFacts> = {}): OperatorFacts {
  const loop = { state: 'turning', inFlight: 0, lastBeatAt: SAMPLE_NOW - seconds(1) } as const
  return {
    now: SAMPLE_NOW,
    curves: dayCurves([], { now: SAMPLE_NOW, startedAt: SAMPLE_NOW - hours(2) }),
    delivering: {
      ready: true,
      reasons: [],
      oldestDueAgeMs: 0,
      instances: null,
      waiting: 12,
      waitingBytes: 9_000,
      held: 10,
      backingOff: 2,
      inFlight: 0,
      loops: [
        { name: 'Deliveries', ...loop },
        { name: 'Automations', ...loop },
      ],
      loopDelayMs: 3.2,
    },
    accounts: {
      count: 1,
      needCare: 0,
      page: 1,
      pages: 1,
      lines: [
        {
          uuid: 'account-1',
          name: 'Smith & Sons Plumbing',
          care: [],
          connection: 'connected',
          plan: 'Trial',
          lastEventAt: SAMPLE_NOW - minutes(4),
          waiting: 12,
          endpoints: 3,
          calls: { minute: 163, day: 18_950, pausedUntil: null },
        },
      ],
    },
    failing: { accounts: 0, addresses: 0, more: false, groups: [] },
    space: {
      level: 'enough',
      sentence: 'The database uses 5 % of its 2048 MB. There is room.',
      usedBytes: 100 * MB,
      budgetBytes: 2_048 * MB,
      fileBytes: 101 * MB,
      freeBytes: MB,
      walBytes: 4 * MB,
      diskFreeBytes: 20_000 * MB,
      overShare: null,
      kinds: [
        { words: 'Events and deliveries', bytes: 80 * MB, rows: 51_230, estimated: true },
        { words: 'The rest', bytes: 20 * MB, rows: null, estimated: true },
      ],
      outlook: { perDayBytes: 3 * MB, daysLeft: null, sentence: 'About 3.0 MB come in a day.' },
    },
    kept: keptUntil({ retentionDays: 30 }),
    backups: {
      setUp: true,
      lastBackupAt: SAMPLE_NOW - minutes(12),
      lastDrillAt: SAMPLE_NOW - hours(9),
      runs: [
        {
          id: 2,
          kind: 'backup',
          startedAt: SAMPLE_NOW - minutes(12),
          endedAt: SAMPLE_NOW - minutes(12) + seconds(3),
          outcome: 'done',
          databaseBytes: 101 * MB,
          storedBytes: 30 * MB,
          message: '',
        },
      ],
    },
    held: false,
    machine: {
      version: '0.9.0',
      schema: 6,
      node: 'v20.20.0',
      database: 'SQLite 3.51.3',
      startedAt: SAMPLE_NOW - hours(30),
      memoryBytes: 180 * MB,
      mailServer: false,
      untoldNotices: 0,
      platform: 'ServiceM8',
      payments: 'stripe',
    },
    audit: {
      since: SAMPLE_NOW - hours(24),
      atLeast: false,
      lines: [{ words: 'Requests refused', refused: true, count: 7, latestAt: SAMPLE_NOW - minutes(50) }],
    },
    ...over,
  }
}

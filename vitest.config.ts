import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './tests/support/slow-first.ts'

/** With more room for young objects, less of the time goes into collecting them. */
const ROOMY = ['--max-semi-space-size=64']

const WALK = { environment: 'node', testTimeout: 180_000, hookTimeout: 180_000 } as const

/** What shows that nobody waits: nothing else may run meanwhile. */
const ALONE = ['tests/walks/{disk,fairness}.test.ts']

// Never loads vite.config.ts: the Remix plugin wants a server to build for.
export default defineConfig({
  esbuild: { jsx: 'automatic' },
  test: {
    globalSetup: ['tests/support/postgres-setup.ts'],
    setupFiles: ['tests/support/quiet.ts'],
    allowOnly: false,
    // What was made of a file that is still the same: for the next stage, and the next run.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: SlowFirst },
    // Ends what hangs. Beside other work a machine takes five times as long: random rows of every table then take 30 s.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Tests wait for a quarter of their time: one more than this machine has processors.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          // Files share a process: loading the modules again for each of them takes longer than their tests.
          isolate: false,
          execArgv: ROOMY,
          include: ['{app,db,packages}/**/*.test.ts', 'tests/{house,support}/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'happy-dom',
          isolate: false,
          execArgv: ROOMY,
          setupFiles: ['tests/support/quiet.ts', 'tests/support/drawn.ts'],
          include: ['{app,packages}/**/*.test.tsx', 'tests/house/**/*.test.tsx'],
        },
      },
      {
        // Whole processes that mostly wait for each other: two at a time. What they load of ours is shared, as above.
        extends: true,
        test: {
          ...WALK,
          name: 'walk',
          isolate: false,
          include: ['tests/walks/**/*.test.ts'],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...WALK,
          name: 'walk-alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

import { expect, test } from 'vitest'
import { fixedClock } from '../lib/clocks.server.ts'
import { hours, minutes } from '../lib/duration.ts'
import type { Log } from '../lib/log.ts'
import { startScheduler } from './scheduler.server.ts'

const lines: string[] = []
const log: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (_, message) => void lines.push(message),
  child: () => log,
}
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a job runs at the moments of its pattern, in the time of the clock it was given', async () => {
  const clock = fixedClock(Date.UTC(2026, 0, 5, 9, 30))
  const runs: number[] = []
  const scheduler = startScheduler(
    [{ name: 'hourly', pattern: '0 * * * *', run: async () => void runs.push(clock.now()) }],
    { clock, log },
  )
  clock.advance(minutes(29))
  expect(runs).toEqual([])
  clock.advance(minutes(1))
  await settle()
  clock.advance(hours(1))
  await settle()
  expect(runs.map((at) => new Date(at).toISOString())).toEqual(['2026-01-05T10:00:00.000Z', '2026-01-05T11:00:00.000Z'])
  await scheduler.stop()
})

test('a failing job is logged and runs again at its next time', async () => {
  const clock = fixedClock(Date.UTC(2026, 0, 5, 9, 0))
  let runs = 0
  const scheduler = startScheduler(
    [
      {
        name: 'shaky',
        pattern: '0 * * * *',
        afterStartMs: 10,
        run: async () => {
          runs += 1
          throw new Error('not today')
        },
      },
    ],
    { clock, log },
  )
  clock.advance(10)
  await settle()
  clock.advance(hours(1))
  await settle()
  expect(runs).toBe(2)
  expect(lines).toEqual(['job.failed', 'job.failed'])
  await scheduler.stop()
})

test('the run after a start stays owed until it is first ours, then it happens once', async () => {
  const clock = fixedClock(Date.UTC(2026, 0, 5, 9, 0))
  let leads = false
  const runs: string[] = []
  const run = async () => void runs.push(leads ? 'led' : 'beside')
  const repair = { name: 'repair', pattern: '17 4 * * *', afterStartMs: 5_000, isOurs: () => leads, run }
  const scheduler = startScheduler([repair], { clock, log })
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      clock.advance(1_000)
      await settle()
    }
  }
  await seconds(20)
  expect(runs).toEqual(['beside'])
  // The instance that led until now leaves.
  leads = true
  await seconds(10)
  expect(runs).toEqual(['beside', 'led'])
  leads = false
  await seconds(10)
  leads = true
  await seconds(60)
  expect(runs).toEqual(['beside', 'led'])
  await scheduler.stop()
})

test('a job never overlaps itself, and a stop waits for it', async () => {
  const clock = fixedClock(Date.UTC(2026, 0, 5, 9, 0))
  let running = 0
  let most = 0
  let release = () => {}
  const scheduler = startScheduler(
    [
      {
        name: 'slow',
        pattern: '* * * * *',
        run: async () => {
          running += 1
          most = Math.max(most, running)
          await new Promise<void>((resolve) => {
            release = resolve
          })
          running -= 1
        },
      },
    ],
    { clock, log },
  )
  clock.advance(minutes(1))
  clock.advance(minutes(5))
  expect(most).toBe(1)
  let stopped = false
  const stopping = scheduler.stop().then(() => {
    stopped = true
  })
  await settle()
  expect(stopped).toBe(false)
  release()
  await stopping
  expect(running).toBe(0)
})

test('every run of a job is told with how it ended, and shows that the scheduler turns', async () => {
  const clock = fixedClock(Date.UTC(2026, 0, 5, 9, 0))
  const told: unknown[] = []
  let fails = false
  const scheduler = startScheduler(
    [
      {
        name: 'hourly',
        pattern: '0 * * * *',
        run: async () => {
          if (fails) throw new Error('not today')
        },
      },
    ],
    { clock, log, onRun: (...run) => void told.push(run) },
  )
  expect(scheduler.turns()).toBe(0)
  for (const next of [false, true]) {
    fails = next
    clock.advance(hours(1))
    await settle()
  }
  expect(told).toEqual([
    ['hourly', 'done', 0],
    ['hourly', 'failed', 0],
  ])
  expect(scheduler.turns()).toBe(2)
  await scheduler.stop()
})

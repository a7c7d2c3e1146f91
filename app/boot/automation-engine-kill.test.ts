// The short version of `npm run prove:automation`: the process is ended at every boundary of a few runs.
import { expect, test } from 'vitest'
import { killAtEveryBoundary, RESUMED_WITHIN, withoutCare } from '#lab/automation/boundaries.server.ts'
import { storm } from '#lab/automation/storm.server.ts'

test('a run whose process is ended at any boundary sends nothing twice, makes nothing twice, and comes to its end', async () => {
  const found = await killAtEveryBoundary({ seed: 1, runs: 30 })
  expect(found.wrong).toEqual([])
  expect(found.killed).toBeGreaterThanOrEqual(30)
  expect(found).toMatchObject({ repeatedMessages: 0, repeatedRecords: 0, repeatedNotifications: 0, lostRuns: 0 })
  expect(Math.max(...found.resumedAfter)).toBeLessThanOrEqual(RESUMED_WITHIN)
  // The proof shows something only where a message was on its way.
  expect(found.places.get('before sms sms') ?? 0).toBeGreaterThan(0)
  expect(found.unknown).toBeGreaterThan(0)
})

test('many runs at once survive processes that end at random and a platform that fails', async () => {
  const found = await storm({ seed: 5, runs: 20, deaths: 12 })
  expect(found.wrong).toEqual([])
  expect(found).toMatchObject({ repeatedMessages: 0, repeatedRecords: 0, repeatedNotifications: 0, lostRuns: 0 })
  expect(found.deaths).toBeGreaterThan(5)
  expect(found.faults).toBeGreaterThan(10)
})

test('the proof sees a message that is sent twice: a journal without care sends some', async () => {
  const found = await killAtEveryBoundary({ seed: 3, runs: 20, sabotage: withoutCare })
  expect(found.repeatedMessages).toBeGreaterThan(0)
})

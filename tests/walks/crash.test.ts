import { expect, test } from 'vitest'
import { FAULT_PLACES, type FaultPoint } from '#lab/crash/faults.ts'
import { killAtFaultPoints, killAtRandomMoments, SLOTS } from '#lab/crash/kill.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

// `npm run prove:crash` does the same 200 times, and at every point of every place.

test.skipIf(aboutTheFile('the proof reads the file; kill-and-restart kills on both'))(
  'three kills at random moments lose nothing that was acknowledged, and repeat no more than was under way',
  async () => {
    const found = await killAtRandomMoments({ rounds: 3, rate: 400, seed: Date.now() % 2 ** 32 })
    // Each round begins with the first 200.
    expect(found.acknowledged).toBeGreaterThanOrEqual(3)
    expect(found).toMatchObject({ kills: 3, neverAnswered: 0, neverArrived: 0, differentIds: 0, drained: true })
    expect(found.file).toMatchObject({ integrity: 'ok', missing: [], undelivered: [], storedTwice: 0, waiting: 0 })
    expect(found.file.wrongCounters).toEqual([])
    expect(found.mostRepeatsOfOneKill).toBeLessThanOrEqual(SLOTS)
  },
)

test.skipIf(aboutTheFile('the proof reads the file; kill-and-restart kills on both'))(
  'a kill just before an ingest commit, or just after a settle commit, loses nothing',
  async () => {
    const { faults, end } = await killAtFaultPoints(
      [at('ingest commit', 'before commit'), at('settle', 'after commit')],
      {
        rate: 400,
        seed: 1,
      },
    )
    expect(faults).toMatchObject([
      { name: 'ingest commit', reached: true, wrong: null },
      { name: 'settle', reached: true, wrong: null },
    ])
    expect(end).toMatchObject({ neverAnswered: 0, neverArrived: 0, differentIds: 0, drained: true })
    expect(end.file).toMatchObject({ integrity: 'ok', missing: [], undelivered: [], storedTwice: 0, waiting: 0 })
  },
)

function at(name: string, point: FaultPoint) {
  const place = FAULT_PLACES.find((one) => one.name === name)
  if (!place) throw new Error(`there is no place called ${name}`)
  return { place, point }
}

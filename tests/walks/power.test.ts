import { expect, test } from 'vitest'
import { cutPower, watchCommits } from '#lab/power/cut.ts'
import { buildShim } from '#lab/stage/shim.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

// `npm run prove:power` cuts twelve times, and the control four times.

const seed = Date.now() % 2 ** 32
const shim = buildShim()

if (shim.outcome === 'built') {
  test.skipIf(aboutTheFile('syncs of the file'))(
    'two power cuts take nothing that was acknowledged, whatever part of the rest had reached the disk',
    async () => {
      const found = await cutPower(shim.library, { rounds: 2, rate: 400, seed }, 'as it is')
      expect(found.acknowledged).toBeGreaterThanOrEqual(2)
      expect(found).toMatchObject({ cuts: 2, disks: 8, lost: 0, damage: [], neverArrived: 0, differentIds: 0 })
      expect(found.file).toMatchObject({ integrity: 'ok', missing: [], undelivered: [], storedTwice: 0, waiting: 0 })
    },
  )

  test.skipIf(aboutTheFile('syncs of the file'))(
    'the same cut does take something when the log is never synced, so that the proof can find a loss',
    async () => {
      const found = await cutPower(shim.library, { rounds: 1, rate: 400, seed }, 'never')
      expect(found.lost).toBeGreaterThan(0)
      expect(found.damage).toEqual([])
    },
  )
} else {
  console.log(`What a power cut takes cannot be shown here, only how commits are made. ${shim.sentence}`)

  test.skipIf(aboutTheFile('syncs of the file'))(
    'the log is synced under load (what a disk keeps cannot be shown here)',
    async () => {
      const { acknowledged, commits, lessThanNormal, syncs } = await watchCommits({ rate: 400, seed }, 1_500)
      expect(acknowledged).toBeGreaterThan(0)
      expect(commits).toBeGreaterThan(0)
      expect(lessThanNormal).toBe(0)
      expect(syncs).toBeGreaterThan(0)
    },
  )
}

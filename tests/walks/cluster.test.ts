// The short version of `npm run prove:cluster`: three built servers on one PostgreSQL. How long anybody waits is shown there.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WATCH_SQL } from '#lab/cluster/fence.ts'
import { freeze, kill, rolling } from '#lab/cluster/happenings.ts'
import { OWN_RELEASE, withNextRelease } from '#lab/cluster/patched.ts'
import { openStage, type Stage } from '#lab/cluster/stage.ts'
import { type Happening, trial } from '#lab/cluster/trial.ts'
import { POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'

/** One account each, in as many shares. */
const ADDRESSES = 16
/** Events per second. */
const RATE = 40
/** Longer than a lease. ms */
const FROZEN = 7_000
/** What may be on its way from one instance at once. */
const SLOTS = 64

const isRunning = (await postgresForTests()).outcome === 'running'

// Without PostgreSQL, `postgresForTests` has said why these are left out.
describe.skipIf(!isRunning)('three instances on one PostgreSQL', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(ADDRESSES)
  }, POSTGRES_WITHIN_MS)
  afterAll(() => stage?.close())

  test('all are replaced by the next release, one is killed, one stands still for longer than a lease: nothing is lost, nobody writes too late', async () => {
    let replacing: number[] = []
    const mixed: number[] = []
    const found = await withNextRelease((next) => {
      const each: Happening[] = [
        async (round) => {
          const from = round.answers.length
          await rolling([OWN_RELEASE, next], mixed)(round)
          replacing = round.answers.slice(from).map(({ status }) => status)
        },
        kill,
        freeze(FROZEN),
      ]
      const asked = { times: each.length, rate: RATE, seed: Date.now() % 2 ** 32 }
      const happens: Happening = async (round) => each[round.number]?.(round)
      // Ten starts, and nobody measures them.
      return trial(stage, asked, happens, { through: 'proxy', sql: WATCH_SQL, env: { WARM_UP: 'no' } })
    })
    // Replaced by a release that changed the schema, while the one before worked on.
    expect(mixed).toEqual([2])
    expect(found).toMatchObject({ neverAnswered: 0, lost: 0, neverArrived: 0, differentIds: 0, waiting: 0 })
    expect(found.acknowledged).toBeGreaterThan(200)
    expect(found.mostRepeatsOfOneRound).toBeLessThanOrEqual(SLOTS)
    // The killed one, the one that stood still, and three that left; who stood still has ended by itself.
    expect(found).toMatchObject({ fence: { removed: 5, strays: 0 }, endings: ['75'] })
    // Nobody was cut off (0), and the proxy always found somebody (502).
    expect(replacing.length).toBeGreaterThan(100)
    expect(replacing).not.toContain(0)
    expect(replacing).not.toContain(502)
  })
})

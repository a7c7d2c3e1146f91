// What an instance says in the log of its clock, and that it gives signs of life while it works for nobody.
import { expect, test } from 'vitest'
import type { Log } from '#app/lib/log.ts'
import type { Cluster, ClusterView } from '#db/store/cluster.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { createShares } from './shares.server.ts'

function oneInstance(clock: ReturnType<typeof steppingClock>) {
  const logged: string[] = []
  const note = (_fields: Record<string, unknown>, message: string) => void logged.push(message)
  const log: Log = { debug() {}, info: note, warn: note, error: note, child: () => log }
  const seen: ClusterView = {
    members: [{ id: 'me', process: 'me', version: '1', beats: 1, takes: false }],
    shares: [],
    clockAhead: 0,
  }
  const cluster = {
    ...{ me: 'me', shareOf: Number, beat: async () => ({ ...seen }), onRing() {} },
    ...{ lookedThrough: async () => {}, give: async () => {}, ring() {} },
  } as unknown as Cluster
  const shares = createShares({ cluster, clock, log, elapsed: clock.now, isGone: () => false, onGone() {} })
  shares.start()
  return { shares, seen, logged, cluster }
}

test('a clock that differs is told once, and once more when it agrees again', async () => {
  const clock = steppingClock()
  const { shares, seen, logged } = oneInstance(clock)
  await clock.run(5_000)
  expect(logged).toEqual([])
  seen.clockAhead = -2_001
  await clock.run(10_000)
  expect(logged).toEqual(['clock.differs'])
  expect(shares.status().clockAhead).toBe(-2_001)
  seen.clockAhead = 2_000
  await clock.run(10_000)
  expect(logged).toEqual(['clock.differs', 'clock.agrees'])
})

test('its beats go on while it works for nobody, as in a quarantine', async () => {
  const clock = steppingClock()
  const { shares } = oneInstance(clock)
  await clock.run(2_000)
  const before = shares.turns()
  await clock.run(5_000)
  expect(shares.turns()).toBeGreaterThanOrEqual(before + 4)
  expect(shares.holds()).toBe(true)
})

test('it works for no share while it cannot give a sign', async () => {
  const clock = steppingClock()
  const { shares, seen, cluster } = oneInstance(clock)
  seen.shares = [{ part: 0, owner: 'me' }]
  shares.ownership({ name: 'deliveries', onHeld: async () => {}, giveUp: async () => {} }).start()
  await clock.run(2_000)
  expect(shares.status().owned).toBe(1)
  cluster.beat = () => Promise.reject(new Error('no database'))
  await clock.run(6_000)
  // Nor does it know of the others: 0 without an owner would hide that nobody works.
  expect(shares.status()).toMatchObject({ members: null, owned: 0, unowned: null, clockAhead: null })
})

test('whoever falls silent is removed the moment its lease ends, between two beats; one that cannot be, once a beat', async () => {
  const clock = steppingClock()
  let [answers, seesAt] = [true, 0]
  const asked: number[] = []
  const other = { id: 'other', process: 'o', version: '1', beats: 1, takes: true }
  const me = { id: 'me', process: 'me', version: '1', beats: 1, takes: false }
  const cluster = {
    ...{ me: 'me', onRing() {} },
    beat: async () => {
      // A beat takes longer each time, so beats drift from any grid.
      if (answers) [other.beats, seesAt] = [other.beats + 1, clock.now()]
      await new Promise<void>((done) => clock.wake(clock.now() + 130, done))
      return { members: [{ ...other }, me], shares: [], clockAhead: 0 }
    },
    remove: async () => asked.push(clock.now()) < 0,
  } as unknown as Cluster
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
  createShares({ cluster, clock, log, elapsed: clock.now, isGone: () => false, onGone() {} }).start()
  await clock.run(7_300)
  expect(asked).toEqual([])
  answers = false
  await clock.run(15_000)
  expect((asked[0] ?? 0) - seesAt).toBeGreaterThanOrEqual(5_000)
  expect((asked[0] ?? 0) - seesAt).toBeLessThan(5_400)
  expect(asked.length).toBeLessThan(12)
})

test('engines hear which accounts are new, so that they let the others be', async () => {
  const clock = steppingClock()
  const { shares, seen } = oneInstance(clock)
  const heard: string[] = []
  const ownership = shares.ownership({
    name: 'engine',
    async onHeld(taken) {
      heard.push(taken ? ['1', '2', '3'].filter(taken).join(' ') : 'none')
    },
    async giveUp() {},
  })
  seen.shares = [{ part: 1, owner: 'me' }]
  ownership.start()
  await clock.run(500)
  expect(heard.filter((accounts) => accounts !== 'none')).toEqual(['1'])
  seen.shares = [1, 2].map((part) => ({ part, owner: 'me' }))
  await clock.run(2_000)
  expect(heard.filter((accounts) => accounts !== 'none')).toEqual(['1', '2'])
  expect(heard.at(-1)).toBe('none')
})

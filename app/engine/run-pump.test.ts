import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SteppingClock, steppingClock } from '#tests/support/stepping-clock.ts'
import type { Log } from '../lib/log.ts'
import { heldByLease, type LeaseInput } from './lease.server.ts'
import { createRunPump, type PumpRun, RUN_LIMITS, type RunPump, type RunPumpInput } from './run-pump.server.ts'

interface Work {
  id: number
  end(dueAt?: number | null): Promise<void>
  fail(): Promise<void>
  goOn: () => boolean
}

let clock: SteppingClock
let runs: (PumpRun & { dueAt: number })[]
let atWork: Work[]
let lease: { owner: string; expiresAt: number } | null
let pumps: RunPump[]
let claims: number

beforeEach(() => {
  clock = steppingClock()
  runs = []
  atWork = []
  lease = null
  pumps = []
  claims = 0
})
afterEach(async () => {
  for (const work of [...atWork]) await work.end()
  for (const pump of pumps) {
    const drained = pump.drain()
    await clock.run(16_000)
    await drained
  }
})

const leases: LeaseInput['store'] = {
  findLease: async () => lease,
  async acquireLease(_name, owner, now, expiresAt) {
    if (lease && lease.owner !== owner && lease.expiresAt > now) return false
    lease = { owner, expiresAt }
    return true
  },
  async releaseLease(_name, owner) {
    if (lease?.owner === owner) lease = null
  },
}

function pump({ owner = 'one', beatMs, ...more }: Partial<RunPumpInput & LeaseInput> = {}): RunPump {
  const made = createRunPump({
    clock,
    log: silent,
    ownership: heldByLease({
      ...{ store: leases, clock, log: silent, owner, isGone: () => false },
      ...(beatMs !== undefined && { beatMs }),
    }),
    ports: {
      rest: async () => {},
      async due(now, { perAccount }) {
        claims++
        const counts = new Map<string, number>()
        return runs.filter((run) => {
          if (run.dueAt > now) return false
          const count = (counts.get(run.account) ?? 0) + 1
          counts.set(run.account, count)
          return count <= perAccount
        })
      },
      async nextDueAt(now) {
        const later = runs.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > now)
        return later.length > 0 ? Math.min(...later) : null
      },
      work: (run, goOn) =>
        new Promise((resolve, reject) => {
          const index = () => atWork.findIndex((one) => one.id === run.id)
          atWork.push({
            id: run.id,
            goOn,
            async end(dueAt = null) {
              runs = runs.flatMap((one) => (one.id !== run.id ? [one] : dueAt === null ? [] : [{ ...one, dueAt }]))
              atWork.splice(index(), 1)
              resolve(dueAt)
              await clock.settle()
            },
            async fail() {
              atWork.splice(index(), 1)
              reject(new Error('the database is away'))
              await clock.settle()
            },
          })
        }),
    },
    ...more,
  })
  pumps.push(made)
  return made
}

function due(id: number, account: string, more: Partial<PumpRun & { dueAt: number }> = {}): void {
  runs.push({ id, account, keys: [`record-${id}`], begun: false, dueAt: clock.now(), ...more })
}

const ids = () => atWork.map(({ id }) => id)

test('accounts take turns, and each has at most two at work', async () => {
  for (let id = 1; id <= 6; id++) due(id, 'busy')
  due(7, 'quiet')
  due(8, 'quiet')
  due(9, 'third')
  pump().start()
  await clock.settle()
  expect(ids()).toEqual([1, 7, 9, 2, 8])
  await atWork[0]?.end()
  expect(ids()).toEqual([7, 9, 2, 8, 3])
})

test('so many at work are enough for the whole process', async () => {
  const { overall } = RUN_LIMITS
  for (let id = 1; id <= overall + 4; id++) due(id, `account-${id}`)
  const made = pump()
  made.start()
  await clock.settle()
  expect(ids()).toEqual(Array.from({ length: overall }, (_, index) => index + 1))
  expect(made.status()).toMatchObject({ owner: true, inFlight: overall, known: 4 })
})

test('many that are due are loaded in a few looks, and never more at once than memory allows', async () => {
  const looks: number[] = []
  const work = async (run: PumpRun) => {
    runs = runs.filter((one) => one !== run)
    return null
  }
  const ports: RunPumpInput['ports'] = {
    rest: async () => {},
    nextDueAt: async () => null,
    async due(_now, { limit, perAccount }) {
      const queues = [...Map.groupBy(runs, ({ account }) => account).values()]
      const loaded: PumpRun[] = []
      for (let place = 0; place < perAccount && loaded.length < limit; place++)
        loaded.push(...queues.flatMap((queue) => queue[place] ?? []).slice(0, limit - loaded.length))
      looks.push(loaded.length)
      return loaded
    },
    work,
  }
  const made = pump({ ports, beatMs: 60_000 })
  made.start()
  await clock.settle()
  const worked = async () => {
    looks.length = 0
    await made.idle()
    return [runs.length, Math.max(...looks)]
  }
  for (let id = 1; id <= 5_000; id++) due(id, 'busy')
  expect(await worked()).toEqual([0, 500])
  // 50 at a time it took more than 100.
  expect(looks.length).toBeLessThan(30)
  // After a look that found nothing, these were all loaded at once.
  for (let id = 6_000; id < 18_000; id++) due(id, `account-${id % 200}`)
  expect(await worked()).toEqual([0, 5_000])
  expect(looks.length).toBeLessThan(30)
  for (let id = 20_000; id < 28_000; id++) due(id, `account-${id}`)
  expect(await worked()).toEqual([0, 5_000])
  expect(looks.length).toBeLessThan(30)
})

test('of two runs on the same record the second waits for the first; the same record elsewhere is another', async () => {
  due(1, 'a', { keys: ['x', 'y'] })
  due(2, 'a', { keys: ['y'] })
  due(3, 'a', { keys: ['z'] })
  due(4, 'b', { keys: ['x'] })
  pump().start()
  await clock.settle()
  expect(ids()).toEqual([1, 4, 3])
  await atWork.find(({ id }) => id === 1)?.end()
  expect(ids()).toEqual([4, 3, 2])
})

test('it sleeps until the next moment, and is woken by whoever has something new', async () => {
  const made = pump({ beatMs: 60_000 })
  made.start()
  await clock.settle()
  due(1, 'a', { dueAt: clock.now() + 5_000 })
  due(2, 'a')
  expect(ids()).toEqual([])
  made.wake()
  await clock.settle()
  expect(ids()).toEqual([2])
  const before = claims
  await clock.run(4_999)
  expect(claims).toBe(before)
  await clock.run(1)
  expect(ids()).toEqual([2, 1])
})

test('a run that waits is taken up again at its moment, though nobody looks', async () => {
  due(1, 'a')
  pump({ beatMs: 60_000 }).start()
  await clock.settle()
  await atWork[0]?.end(clock.now() + 3_000)
  expect(ids()).toEqual([])
  await clock.run(3_000)
  expect(ids()).toEqual([1])
})

test('one that was let go on while it was being put away is not forgotten', async () => {
  due(1, 'a')
  const made = pump({ beatMs: 60_000 })
  made.start()
  await clock.settle()
  // Its row says "due" again while the work is still ending.
  made.wake()
  await clock.settle()
  await atWork[0]?.end(clock.now())
  await clock.settle()
  expect(ids()).toEqual([1])
})

test('a run that breaks off is left alone for a while, longer each time, and others go on', async () => {
  due(1, 'a')
  due(2, 'a')
  pump({ log: { ...silent, error: () => undefined }, beatMs: 60_000 }).start()
  await clock.settle()
  await atWork.find(({ id }) => id === 1)?.fail()
  expect(ids()).toEqual([2])
  await clock.run(4_999)
  expect(ids()).toEqual([2])
  await clock.run(1)
  expect(ids()).toEqual([2, 1])
  await atWork.find(({ id }) => id === 1)?.fail()
  await clock.run(5_001)
  expect(ids()).toEqual([2])
  await clock.run(5_000)
  expect(ids()).toEqual([2, 1])
})

test('more than is known at once is looked for when the known is used up', async () => {
  for (let id = 1; id <= 7; id++) due(id, 'a')
  pump({ limits: { window: 3 }, beatMs: 60_000 }).start()
  await clock.settle()
  const done: number[] = []
  for (let count = 0; count < 7; count++) {
    const work = atWork[0]
    done.push(work?.id ?? 0)
    await work?.end()
  }
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('only the owner works; the next one takes over what was begun', async () => {
  due(1, 'a')
  const first = pump()
  first.start()
  await clock.settle()
  const second = pump({ owner: 'two' })
  second.start()
  await clock.run(30_000)
  expect(second.status()).toMatchObject({ owner: false, inFlight: 0 })
  first.beginDrain()
  expect(atWork[0]?.goOn()).toBe(false)
  // It lets go at its next boundary; the row still says that it was begun.
  const [run] = runs
  if (run) run.begun = true
  await atWork[0]?.end(clock.now())
  const drained = first.drain()
  await clock.run(5_000)
  await drained
  expect(second.status()).toMatchObject({ owner: true, inFlight: 1 })
  expect(ids()).toEqual([1])
})

test('a drain waits for what is at work, but not for ever', async () => {
  due(1, 'a')
  const made = pump()
  made.start()
  await clock.settle()
  let ended = false
  const drained = made.drain(10_000).then(() => {
    ended = true
  })
  await clock.run(9_000)
  expect(ended).toBe(false)
  due(2, 'a')
  made.wake()
  await clock.run(1_000)
  await drained
  expect(ended).toBe(true)
  expect(ids()).toEqual([1])
  expect(lease).toBeNull()
})

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => {
    console.error(message, fields)
  },
  child: () => silent,
}

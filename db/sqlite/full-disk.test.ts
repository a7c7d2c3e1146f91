import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours } from '#app/lib/duration.ts'
import { anEvent, type EngineWorld, engineWorld } from '#tests/support/engine-world.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import { type Ballast, ballastSize, openBallast } from './ballast.server.ts'
import { openClient } from './client.server.ts'
import { type FullDiskGuard, surviveFullDisk } from './full-disk.server.ts'

const MB = 1024 * 1024
const PLENTY = 1_000_000

let world: EngineWorld
let folder: string
let databaseFile: string
beforeEach(() => {
  world = engineWorld()
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-ballast-'))
  databaseFile = join(folder, 'fieldhook.db')
})
afterEach(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

it('the file is closed although its log cannot be copied back', () => {
  const client = openClient(databaseFile, 'db/migrations')
  client.sql.pragma = () => {
    throw new Error('SQLITE_FULL')
  }
  client.close()
  expect(client.sql.open).toBe(false)
})

describe.skipIf(aboutTheFile('files beside the database'))('the ballast', () => {
  it('takes up its space beside the database, and gives it back', async () => {
    const ballast = openBallast(databaseFile, 2 * MB)
    expect([ballast.inPlace(), ballast.release()]).toEqual([false, false])
    expect(await ballast.take()).toBe(true)
    expect(statSync(`${databaseFile}.ballast`).size).toBe(2 * MB)
    expect(statSync(`${databaseFile}.ballast`).blocks * 512).toBeGreaterThanOrEqual(2 * MB)
    expect([ballast.release(), ballast.inPlace()]).toEqual([true, false])
    expect(existsSync(`${databaseFile}.ballast`)).toBe(false)
  })

  it('is found again by the next process, unless it was not finished', async () => {
    await openBallast(databaseFile, 2 * MB).take()
    expect(openBallast(databaseFile, 2 * MB).inPlace()).toBe(true)
    expect(openBallast(databaseFile, 3 * MB).inPlace()).toBe(false)
    expect(existsSync(`${databaseFile}.ballast`)).toBe(false)
  })

  it('is not taken where as much again would not stay free', async () => {
    const more = 2 ** 50
    const ballast = openBallast(databaseFile, more)
    expect([await ballast.take(), ballast.inPlace(), ballast.diskIsShort()]).toEqual([false, false, true])
  })

  it('is an eighth of a small disk, and 64 MB of a large one', () => {
    expect([4 * MB, 32 * MB, 200 * MB, 1024 * MB, 10 ** 12].map((total) => ballastSize(total) / MB)).toEqual([
      1, 4, 25, 64, 64,
    ])
  })
})

describe.skipIf(aboutTheFile('files beside the database'))('a full disk', () => {
  let ballast: Ballast
  let guard: FullDiskGuard
  let rounds: number
  beforeEach(async () => {
    ballast = openBallast(databaseFile, MB)
    await ballast.take()
    rounds = 0
    guard = surviveFullDisk({
      store: world.store,
      ballast,
      clock: world.clock,
      log: world.log,
      makeRoom: async () => void rounds++,
    })
    guard.start()
    world.endpoint()
  })
  afterEach(() => guard.stop())

  const accept = () =>
    guard.store.events.acceptEvents([anEvent(world, { body: 'x'.repeat(90_000) })], {
      choose: chooseEndpoints,
      limit: { deliveries: 50_000, bytes: 50_000_000 },
      retryFor: hours(72),
      stoppedReason: '',
    })
  const limitPages = (pages: number) => world.client.sql.pragma(`max_page_count = ${pages}`)
  /** Nothing more goes into the file, as on a disk without space. */
  async function fillDisk(): Promise<void> {
    limitPages(1)
    await expect(accept()).rejects.toMatchObject({ code: 'SQLITE_FULL' })
    await world.clock.settle()
  }

  it('releases the ballast at the first write that finds no space, and says so once', async () => {
    ballast.take = async () => false
    await fillDisk()
    await expect(accept()).rejects.toMatchObject({ name: 'DiskFullError' })
    expect([guard.isFull(), existsSync(`${databaseFile}.ballast`)]).toEqual([true, false])
    expect(world.logged.filter((line) => line === 'disk.full')).toHaveLength(1)
  })

  it('takes nothing new in, although a write would succeed: that space is for what is under way', async () => {
    await fillDisk()
    ballast.take = async () => false
    limitPages(PLENTY)
    await expect(accept()).rejects.toMatchObject({ code: 'SQLITE_FULL' })
    expect(await guard.store.ops.acquireLease('deliveries', 'me', 0, 10, null)).toBe(true)
    expect(world.row('SELECT count(*) AS n FROM event')).toEqual({ n: 0 })
  })

  it('makes room again and again, and takes events in as soon as the ballast fits', async () => {
    const take = ballast.take
    ballast.take = async () => false
    await fillDisk()
    await world.clock.run(11_000)
    expect([rounds, guard.isFull()]).toEqual([3, true])
    ballast.take = take
    limitPages(PLENTY)
    await until(() => !guard.isFull())
    expect(world.logged).toContain('disk.room_again')
    expect(await accept()).toMatchObject([{ outcome: 'stored' }])
  })

  it('found at a start, with the ballast gone, is full from the start', async () => {
    const huge = openBallast(join(folder, 'other.db'), 2 ** 50)
    const { store, clock, log } = world
    const second = surviveFullDisk({ store, ballast: huge, clock, log, makeRoom: async () => {} })
    second.start()
    expect(second.isFull()).toBe(true)
    await second.stop()
  })

  it('has no half a ballast: a process that ends while it takes one leaves nothing behind', async () => {
    const other = openBallast(join(folder, 'other.db'), 4 * MB)
    const { store, clock, log } = world
    const second = surviveFullDisk({ store, ballast: other, clock, log, makeRoom: async () => {} })
    second.start()
    await clock.run(1_000)
    const file = join(folder, 'other.db.ballast')
    while (!existsSync(file)) await clock.settle()
    await second.stop()
    expect([other.inPlace(), existsSync(file)]).toEqual([false, false])
  })

  it('is not what any other failure means', async () => {
    world.client.sql.pragma('query_only = ON')
    await expect(accept()).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
    world.client.sql.pragma('query_only = OFF')
    expect([guard.isFull(), ballast.inPlace()]).toEqual([false, true])
    expect(await accept()).toMatchObject([{ outcome: 'stored' }])
  })

  /** The ballast is written by the file system, in its own time. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await world.clock.run(1_000)
  }
})

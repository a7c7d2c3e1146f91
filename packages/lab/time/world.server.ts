// A simulated world: processes on one database file that can be killed, frozen and replaced, receivers in memory, and
// the model, which is informed of everything.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { createDeliveryEngine, type DeliveryEngine } from '#app/boot/delivery-engine.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { eachMethod } from '#app/lib/families.ts'
import type { Log } from '#app/lib/log.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { TEST_SETTINGS, withoutPowerCuts } from '#tests/support/test-app.server.ts'
import { createChance } from '../stage/chance.ts'
import { createModel } from './model.ts'
import { createObserver } from './observer.server.ts'
import { outboundOf } from './outbound.ts'
import { addTriggers } from './triggers.server.ts'
import type { Process, World, WorldOptions } from './types.ts'

/** Files there are lost when the machine goes down, which it never does here. */
const MEMORY = '/dev/shm'

export function createWorld(options: WorldOptions, note: (line: string) => void): World {
  const folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'fieldhook-time-'))
  const file = join(folder, 'test.db')
  const clock = steppingClock()
  const violations: string[] = []
  const model = createModel((message) => {
    violations.push(message)
    note(`!! ${message}`)
  })
  const answers = createChance(options.seed, 'answers')
  const jitter = createChance(options.seed, 'jitter')
  const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error(fields, message) {
      const error = fields.error instanceof Error ? fields.error.message : ''
      model.violate(`the engine logged "${message}" ${error}`)
    },
    child: () => log,
  }
  const onlooker = open()
  addTriggers(onlooker)
  onlooker.sql.pragma('query_only = ON')

  /** Power cuts are not tested here, and days pass in seconds. */
  function open(): Client {
    const client = openClient(file, 'db/migrations')
    withoutPowerCuts(client)
    return client
  }

  const lease = onlooker.sql.prepare<[number], { owner: string }>(
    "SELECT owner FROM lease WHERE name = 'deliveries' AND expires_at > ?",
  )
  const leaseHolder = () => lease.get(clock.now())?.owner.split('|').at(-1) ?? null

  const observer = createObserver({
    options,
    model,
    onlooker,
    now: clock.now,
    leaseHolder,
    note,
    kill,
    spread: createChance(options.seed, 'spread'),
  })

  const deferred = new Map<Process, (() => void)[]>()

  /** The clock of a process: silent once it is dead, late while it is frozen. */
  function clockOf(process: () => Process): Clock {
    return {
      now: clock.now,
      wake(at, run) {
        let cancelled = false
        const fire = () => {
          const self = process()
          if (cancelled || self.state === 'dead') return
          if (self.state === 'frozen') deferred.get(self)?.push(fire)
          else run()
        }
        // A real clock has whole milliseconds.
        const cancel = clock.wake(Math.ceil(at), fire)
        return () => {
          cancelled = true
          cancel()
        }
      },
    }
  }

  function start(name: string): Process {
    const client = open()
    const real = sqlStore(client, clock)
    const store = eachMethod(
      real,
      (name, act) =>
        (...args) =>
          observer.call(process, name, act as (...args: unknown[]) => unknown, args),
    )
    const ownClock = clockOf(() => process)
    const process: Process = {
      name,
      client,
      store,
      clock: ownClock,
      state: 'alive',
      crash: null,
      engine: null as unknown as DeliveryEngine,
    }
    deferred.set(process, [])
    process.engine = createDeliveryEngine({
      store,
      clock: ownClock,
      log,
      secrets,
      settings: TEST_SETTINGS,
      outbound: outboundOf(
        () => process,
        () => world,
        observer,
        answers,
      ),
      owner: name,
      random: jitter.next,
      limits: options.limits,
      pendingLimit: options.pendingLimit,
      beatMs: options.beatMs,
      gatherMs: options.gatherMs,
    })
    process.engine.start()
    return process
  }

  function kill(process: Process): void {
    if (process.state === 'dead') return
    observer.settleUp()
    process.state = 'dead'
    process.client.close()
    observer.forget(process)
    for (const request of model.requests) if (request.process === process.name) model.requests.delete(request)
  }

  let started = 0
  const world: World = {
    options,
    clock,
    model,
    processes: [],
    moods: new Map(),
    secrets,
    settings: TEST_SETTINGS,
    log,
    onlooker,
    violations,
    note,
    unanswered: [],
    leaseHolder,
    open() {
      const process = start(`p${++started}`)
      world.processes.push(process)
      return process
    },
    kill,
    thaw(process) {
      process.state = 'alive'
      for (const fire of deferred.get(process)?.splice(0) ?? []) fire()
    },
    accept(process, event) {
      world.unanswered.push(event)
      process.engine.acceptEvent(event).then(
        (answer) => {
          // Over the limit: the platform sends the event again.
          if (answer.outcome !== 'over_limit') world.unanswered.splice(world.unanswered.indexOf(event), 1)
        },
        (error) => model.violate(`an event could not be taken in: ${error}`),
      )
    },
    close() {
      for (const process of world.processes) kill(process)
      onlooker.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

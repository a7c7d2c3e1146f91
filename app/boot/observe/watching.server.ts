// For monitoring: metrics, the details of readiness, and access to them.
import { statfs } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Elsewhere, LaneCounts, Measures, Readings } from '#app/adapters/measures.ts'
import type { ProcessLoad } from '#app/adapters/process-load.server.ts'
import type { App } from '#app/context/app-context.ts'
import { bearerOf } from '#app/domain/readiness.ts'
import type { RunPumpStatus } from '#app/engine/run-pump.server.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import type { CallBudget } from '#app/features/accounts/call-budget.server.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { sameSecret } from '#app/lib/token.server.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { Store } from '#db/store.ts'
import type { DeliveryEngine } from '../delivery-engine.server.ts'

interface WatchingInput extends ReadingsInput {
  measures: Measures
  /** Null = none is configured. */
  token: string | null
  version: string
  spaceSentence(): string
}

export function createWatching(input: WatchingInput): App['watching'] {
  const { measures, clock, engine, runs, store } = input
  const startedAt = clock.now()
  const read = createReadings(input)
  const secondsAgo = (at: number | null) => (at === null ? null : Math.max(0, clock.now() - at) / 1000)
  return {
    accessOf(authorization) {
      if (input.token === null) return 'open'
      const given = bearerOf(authorization)
      return given !== null && sameSecret(given, input.token) ? 'allowed' : 'refused'
    },
    async metrics() {
      return { contentType: measures.contentType, text: await measures.text(await read()) }
    },
    async details() {
      const deliveries = engine.status()
      const automations = runs.status()
      const flights = engine.flights().map(({ id }) => id)
      // Who asks gives up before a database that hangs does.
      const late = pause(clock, seconds(1)).then(() => null)
      const oldest = await Promise.race([store.ops.readBacklog(clock.now(), flights).catch(() => null), late])
      return {
        version: input.version,
        startedAt,
        deliveries: {
          owner: deliveries.owner,
          lastSignSecondsAgo: secondsAgo(deliveries.lastBeatAt),
          inFlight: deliveries.inFlight,
        },
        automations: {
          owner: automations.owner,
          lastSignSecondsAgo: secondsAgo(automations.lastBeatAt),
          inFlight: automations.inFlight,
        },
        instances: instancesSeen(input.shares),
        oldestDueDeliverySeconds: oldest && (secondsAgo(oldest.oldestDueSince) ?? 0),
        space: input.spaceSentence(),
      }
    },
  }
}

// Reads the values for a metrics request. Each part is read on its own: one that cannot be read is reported as such,
// never as zero.
interface ReadingsInput {
  store: Pick<Store, 'ops'>
  clock: Clock
  log: Log
  engine: Pick<DeliveryEngine, 'status' | 'flights'>
  runs: { status(): RunPumpStatus }
  budget: Pick<CallBudget, 'leastLeft'>
  load: Pick<ProcessLoad, 'read'>
  apart: { waiting(): number }
  /** Number of scheduled runs started. */
  schedulerTurns(): number
  /** When the newest good backup began; null = none. */
  newestBackup(): Promise<Millis | null>
  /** A held copy makes no backups, so it has none to tell of. */
  isCopy(): boolean
  /** The folder of the database; null = a server holds it, and makes its backups. */
  folder: string | null
  /** Null = one process does all the work. */
  shares: Pick<Shares, 'status' | 'leads'> | null
  budgetBytes: number
}

const ELSEWHERE = 'elsewhere' satisfies Elsewhere

/** This instance among the others, in seconds; null = one process does all the work. */
function instancesSeen(shares: Pick<Shares, 'status'> | null): Readings['instances'] {
  if (shares === null) return null
  const { members, owned, unowned, clockAhead } = shares.status()
  return { members, sharesOwned: owned, sharesUnowned: unowned, clockAhead: clockAhead && clockAhead / 1000 }
}

/** Returns the function that reads. It never rejects. */
function createReadings(input: ReadingsInput): () => Promise<Readings> {
  const { store, clock, log, engine, runs, folder } = input

  async function part<T>(name: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read()
    } catch (error) {
      log.error({ part: name, error }, 'metrics.not_read')
      return null
    }
  }

  return async () => {
    const now = clock.now()
    const since = (at: Millis | null) => (at === null ? 0 : Math.max(0, now - at) / 1000)
    const flights = engine.flights()
    const inFlight: LaneCounts = { live: 0, replay: 0, by_hand: 0 }
    for (const { kind } of flights) inFlight[kind]++
    const deliveries = engine.status()
    const automations = runs.status()
    const age = (beat: Millis | null) => (beat === null ? null : since(beat))
    // One instance tells what is true of the whole database: their sum is then true as well.
    const telling = input.shares === null || input.shares.leads()
    const ofDatabase = async <T>(name: string, read: () => Promise<T>) => (telling ? part(name, read) : ELSEWHERE)
    const backlog = await ofDatabase('backlog', async () => {
      const ids = flights.map(({ id }) => id)
      const { oldestDueSince, pending, held, oldestRunDueSince, oldestScheduleDueSince } = await store.ops.readBacklog(
        now,
        ids,
      )
      return {
        oldestDue: since(oldestDueSince),
        pending,
        held,
        oldestRun: since(oldestRunDueSince),
        scheduleLag: since(oldestScheduleDueSince),
      }
    })
    const space = await ofDatabase('space', async () => {
      const { fileBytes, freeBytes, walBytes } = await store.ops.spaceUsed()
      return { file: fileBytes, free: freeBytes, wal: walBytes ?? (ELSEWHERE as Elsewhere), budget: input.budgetBytes }
    })
    const backupAge = async () => since((await input.newestBackup()) ?? Number.NEGATIVE_INFINITY)
    const disk =
      folder === null
        ? ELSEWHERE
        : await part('disk', async () => {
            const { bavail, blocks, bsize } = await statfs(folder)
            return { free: bavail * bsize, size: blocks * bsize }
          })
    return {
      backlog,
      inFlight,
      runs: { inFlight: automations.inFlight, known: automations.known },
      longWorkWaiting: input.apart.waiting(),
      leases: {
        deliveries: { held: deliveries.owner, age: age(deliveries.lastBeatAt) },
        runs: { held: automations.owner, age: age(automations.lastBeatAt) },
      },
      instances: instancesSeen(input.shares),
      loopTurns: { deliveries: deliveries.turns, runs: automations.turns, scheduler: input.schedulerTurns() },
      space,
      disk,
      backupAge: folder === null || input.isCopy() ? ELSEWHERE : await part('backup', backupAge),
      budgetLeft: await part('budget', input.budget.leastLeft),
      draining: deliveries.draining,
      process: input.load.read(),
    }
  }
}

// Delay of the event loop, minute by minute: Node measures it, and this reads it once a minute.
const SAMPLE_MS = 20
const NANOSECONDS = 1e6

export function watchLoopDelay() {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS })
  histogram.enable()
  let last: number | null = null
  const timer = setInterval(() => {
    // The measurement includes the time between two samples.
    last = Math.max(0, histogram.percentile(99) / NANOSECONDS - SAMPLE_MS)
    histogram.reset()
  }, minutes(1))
  timer.unref()
  return {
    /** 99th percentile of the delay in the last whole minute, ms; null = the first minute is not over. */
    lastMinuteMs: () => last,
    stop() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}

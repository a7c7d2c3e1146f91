// Composition root: builds and connects every part; returns one thing to serve and one way to stop. No logic.
import { dirname, join } from 'node:path'
import type { Measures } from '#app/adapters/measures.ts'
import { createSignedReader } from '#app/adapters/servicem8/servicem8-signed.server.ts'
import type { App, Settings } from '#app/context/app-context.ts'
import { JOBS_IN_QUARANTINE, type Quarantine } from '#app/domain/quarantine.ts'
import { type Scheduler, startScheduler } from '#app/engine/scheduler.server.ts'
import type { WorkApartOptions } from '#app/engine/work-apart.server.ts'
import { neededFields } from '#app/features/automations/rules/triggers.ts'
import { keepSubscribed } from '#app/features/endpoints/subscriptions/keep-subscribed.server.ts'
import { beginPolling } from '#app/features/events/poll-objects.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { sessionHasher } from '#app/lib/token.server.ts'
import type { Sandbox } from '#sandbox/sandbox.server.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { createEngines, type Engines } from './engines.server.ts'
import { type Env, readEnv } from './env.server.ts'
import { createFront, type Front, type NodeHandler } from './front.server.ts'
import { timedJobs } from './jobs.server.ts'
import { createLog } from './logger.server.ts'
import { watchLoopDelay } from './observe/loop-delay.server.ts'
import { observeParts } from './observe/observed-parts.server.ts'
import { createWatching } from './observe/watching.server.ts'
import { type Data, type Ground, openData } from './open-data.server.ts'
import { type Outside, openOutside } from './outside.server.ts'
import { connectPayments } from './payments.server.ts'
import { warnOfBackups, warnOfMetrics } from './start-checks.server.ts'

/** A started product, as seen by the process's main and the tests. */
export interface Running extends Front {
  app: App
  log: Log
  listen: { port: number; host: string }
  origin: string
  /** The page to open first. */
  openUrl: string
  /** Called for every request that `platformIngress` did not answer. */
  requestEnded: Measures['requestEnded']
  /** Heartbeats of every loop that should run: the watchdog ends a process with a silent loop. */
  turns(): Record<string, number>
  sandbox: { handle: NodeHandler; world: Sandbox['world'] } | null
  /** Call once listening: starts deliveries and scheduled jobs. */
  started(): void
  /** Readiness turns off; no new work is claimed. */
  beginDrain(): void
  /** Flushes, waits for attempts in flight, closes the database. */
  stop(): Promise<void>
}

interface BootOptions {
  env?: Readonly<Env>
  clock?: Clock
  log?: Log
  /** The thread for long work. Missing = no thread, and the work runs inline. */
  apart?: Omit<WorkApartOptions, 'onEnd'>
}

export async function startApp(options: BootOptions = {}): Promise<Running> {
  const env = options.env ?? readEnv()
  const observed = await observeParts({
    log: options.log ?? createLog(env.logLevel),
    version: packageJson.version,
    tracing: env.tracing,
  })
  const { log } = observed
  const movable = movableClock()
  const clock = options.clock ?? movable
  const startedAt = clock.now()
  const loopDelay = watchLoopDelay()
  const sandbox = env.platform === 'sandbox' ? await playPlatform(env, movable, log) : null

  const ground: Ground = { env, clock, observed }
  const data = await openData(ground)
  const draining = new AbortController()
  const outside = openOutside(ground, data, { signal: draining.signal, ownAddress: sandbox !== null })
  const paying = await connectPayments(env, sandbox, { clock, log: log.child({ part: 'payments' }) })
  const settings = settingsOf(env, sandbox, paying, data.hold)
  const engines = createEngines(ground, data, outside, settings, options.apart)
  const schedulers = createSchedulers()
  const app = appOf({ ground, data, outside, settings, engines, paying, schedulers, loopDelay, startedAt })
  const { engine, runs, triggers, apart } = engines
  const { hold } = data

  let stopping: Promise<void> | null = null
  async function stop(): Promise<void> {
    hold.stop()
    await Promise.all([schedulers.stop(), triggers.stop(), data.disk.stop()])
    await Promise.all([runs.drain(), engine.drain()])
    await apart.stop()
    await sandbox?.stop()
    await outside.outbound.close()
    loopDelay.stop()
    await observed.stop()
    await data.close()
    log.info({}, 'process.drained')
  }

  return {
    ...createFront(app, env, observed),
    app,
    log,
    listen: { port: env.port, host: env.host },
    origin: env.origin,
    openUrl: sandbox ? `${env.origin}/sandbox` : env.origin,
    requestEnded: observed.measures.requestEnded,
    turns: () => ({
      ...(!hold.held() && { deliveries: engine.status().turns, runs: runs.status().turns }),
      scheduler: schedulers.turns(),
    }),
    sandbox,
    started() {
      observed.start()
      data.disk.start()
      const jobs = timedJobs(app, env, data.space, data.removed)
      observed.measures.expectJobs(jobs.map(({ name }) => name))
      const timing = { clock, log, onRun: observed.jobEnded }
      schedulers.start(jobs.filter(goesOnInQuarantine), timing)
      hold.whenFree(() => {
        engine.start()
        runs.start()
        triggers.start()
        schedulers.start(
          jobs.filter((job) => !goesOnInQuarantine(job)),
          timing,
        )
      })
      void warnOfBackups(env, log)
      warnOfMetrics(env, log)
    },
    beginDrain() {
      draining.abort()
      runs.beginDrain()
      engine.beginDrain()
    },
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

async function playPlatform(env: Env, clock: ReturnType<typeof movableClock>, log: Log): Promise<Sandbox> {
  const { createSandbox } = await import('#sandbox/sandbox.server.ts')
  return createSandbox({
    clock,
    origin: env.origin,
    appId: env.appId,
    appSecret: env.appSecret,
    stateFile: join(env.databaseFile, '..', 'sandbox-state.json'),
    log: log.child({ part: 'sandbox' }),
  })
}

function settingsOf(
  env: Env,
  sandbox: Sandbox | null,
  { mode, publishableKey }: Awaited<ReturnType<typeof connectPayments>>,
  hold: Quarantine,
): Settings {
  const played = sandbox?.world.accounts() ?? []
  return {
    origin: env.origin,
    adminAccounts: env.adminAccounts.size > 0 ? env.adminAccounts : new Set(played.slice(0, 1).map(({ uuid }) => uuid)),
    scopes: env.scopes,
    sandbox: sandbox !== null,
    version: packageJson.version,
    payments: { mode, publishableKey },
    autoLoadExcludes: env.autoLoadExcludes,
    feedPath: env.feedPath,
    retentionDays: env.retentionDays,
    securityContact: env.securityContact,
    eventsPerSecond: env.ingressPerSecond,
    mostAddresses: env.mostAddresses,
    backups: env.backups !== null,
    sessionHash: sessionHasher(env.sessionSecret),
    get held() {
      return hold.held()
    },
  }
}

/** Scheduled jobs: some start immediately, the rest when there is no quarantine. */
function createSchedulers() {
  const running: Scheduler[] = []
  return {
    start: (...given: Parameters<typeof startScheduler>) => void running.push(startScheduler(...given)),
    turns: () => running.reduce((sum, one) => sum + one.turns(), 0),
    stop: () => Promise.all(running.map((one) => one.stop())),
  }
}

function appOf(parts: {
  ground: Ground
  data: Data
  outside: Outside
  settings: Settings
  engines: Engines
  paying: Awaited<ReturnType<typeof connectPayments>>
  schedulers: ReturnType<typeof createSchedulers>
  loopDelay: ReturnType<typeof watchLoopDelay>
  startedAt: number
}): App {
  const { settings } = parts
  const { env, clock, observed } = parts.ground
  const { log } = observed
  const { store, secrets, space, hold } = parts.data
  const { engine, runs, triggers, budget, apart, planning, callAsAccount } = parts.engines
  const acceptEvent = observed.acceptEvent(engine.acceptEvent)
  const app: App = {
    ...{ store, clock, log, settings, secrets, callAsAccount, apart, planning, space, hold },
    ...parts.outside,
    callsLeft: budget.leftOf,
    payments: parts.paying.payments,
    async acceptEvent(event) {
      const accepted = await acceptEvent(event)
      if (accepted.outcome === 'stored' && accepted.touched) triggers.touched()
      return accepted
    },
    async acceptPolled(take) {
      const taken = await engine.acceptPolled(take)
      triggers.touched()
      return taken
    },
    beginPolling: (accountUuid, object) => beginPolling(app, accountUuid, object),
    wakeDeliveries: engine.wake,
    deliverNow: engine.deliverNow,
    keepSubscribed: (accountUuid) => keepSubscribed(app, accountUuid),
    fieldsOfRule: neededFields,
    rulesChanged: triggers.rulesChanged,
    wakeRuns: runs.wake,
    whenRunSettles: runs.whenSettled,
    // In quarantine the engine is off, so readiness covers only pages and event intake. Stopped rules do not affect
    // readiness: the watchdog ends a process with a silent run engine.
    ready: () => engine.ready(!hold.held()),
    watching: createWatching({
      ...{ store, clock, log, engine, runs, budget, apart, schedulerTurns: parts.schedulers.turns },
      ...{ measures: observed.measures, load: observed.load },
      token: env.metricsToken,
      version: settings.version,
      spaceSentence: () => space.status().sentence,
      newestBackup: async () => (await store.backups.newestBackup('backup'))?.startedAt ?? null,
      folder: dirname(env.databaseFile),
      budgetBytes: env.maxDbMb * 1024 * 1024,
    }),
    signs: () => ({
      startedAt: parts.startedAt,
      node: process.version,
      memoryBytes: process.memoryUsage.rss(),
      loopDelayMs: parts.loopDelay.lastMinuteMs(),
      deliveries: engine.status(),
      automations: runs.status(),
      space: space.status(),
    }),
    readSigned: createSignedReader({ appSecret: env.appSecret, clock }),
  }
  return app
}

function goesOnInQuarantine({ name }: { name: string }): boolean {
  return JOBS_IN_QUARANTINE.has(name)
}

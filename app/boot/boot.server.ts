// Composition root: builds and connects every part; returns one thing to serve and one way to stop. No logic.
import { dirname, join } from 'node:path'
import type { Measures } from '#app/adapters/measures.ts'
import { createSignedReader } from '#app/adapters/servicem8/servicem8-signed.server.ts'
import type { App, Settings } from '#app/context/app-context.ts'
import type { Quarantine } from '#app/domain/quarantine.ts'
import { type Scheduler, startScheduler, type TimedJob } from '#app/engine/scheduler.server.ts'
import type { Shares } from '#app/engine/shares.server.ts'
import type { WorkApartOptions } from '#app/engine/work-apart.server.ts'
import { neededFields } from '#app/features/automations/rules/triggers.ts'
import { keepSubscribed } from '#app/features/endpoints/subscriptions/keep-subscribed.server.ts'
import { beginPolling } from '#app/features/events/poll-objects.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { sessionHasher } from '#app/lib/token.server.ts'
import { CALL_PATHS } from '#app/routes/api/calls.server.ts'
import { routePatterns } from '#app/routes/route-patterns.ts'
import type { Sandbox } from '#sandbox/sandbox.server.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { createEngines, type Engines } from './engines.server.ts'
import { type Env, readEnv } from './env.server.ts'
import { createFront, type Front, type NodeHandler } from './front.server.ts'
import { timedJobs } from './jobs.server.ts'
import { createLog } from './logger.server.ts'
import { watchDay } from './observe/day-figures.server.ts'
import { observeParts } from './observe/observed-parts.server.ts'
import { createWatching, watchLoopDelay } from './observe/watching.server.ts'
import { type Data, type Ground, openData } from './open-data.server.ts'
import { type Outside, openOutside } from './outside.server.ts'
import { connectPayments } from './payments.server.ts'
import { warnOfBackups, warnOfMetrics } from './start-checks.server.ts'
import { createWarming } from './warm-up.server.ts'

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
  /** ms that requests are answered after that: other instances take them only once a proxy has looked. */
  lingerMs: number
  /** Flushes, waits for attempts in flight, closes the database. */
  stop(): Promise<void>
}

interface BootOptions {
  env?: Readonly<Env>
  clock?: Clock
  log?: Log
  /** The other instances have removed this one: it has drained, and its process must end. */
  onGone?(): void
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
  const engines = createEngines(ground, data, outside, settings, options.apart, endAsGone)
  const { shares } = engines
  const warming = createWarming(env, shares !== null, { clock, log, settings, signal: draining.signal })
  const schedulers = createSchedulers()
  const day = watchDay({ clock, now: () => ({ ...engines.engine.status(), ...data.space.status() }) })
  const parts = { ground, data, outside, settings, engines, paying, schedulers, loopDelay, day, startedAt, warming }
  const app = appOf(parts)
  const { engine, runs, triggers, apart } = engines
  const { hold } = data

  let stopping: Promise<void> | null = null
  async function stop(): Promise<void> {
    hold.stop()
    await Promise.all([schedulers.stop(), triggers.stop(), data.disk.stop()])
    await Promise.all([runs.drain(), engine.drain()])
    await shares?.leave()
    await apart.stop()
    await sandbox?.stop()
    await outside.outbound.close()
    loopDelay.stop()
    day.stop()
    await observed.stop()
    await data.close()
    log.info({}, 'process.drained')
  }

  function beginDrain(): void {
    draining.abort()
    runs.beginDrain()
    engine.beginDrain()
    shares?.beginLeave()
  }
  function endAsGone(): void {
    beginDrain()
    endSoon(running, options.onGone)
  }

  const running: Running = {
    ...createFront(app, env, observed, engine.admit),
    app,
    log,
    listen: { port: env.port, host: env.host },
    origin: env.origin,
    openUrl: sandbox ? `${env.origin}/sandbox` : env.origin,
    requestEnded: observed.measures.requestEnded,
    turns: () => ({
      ...(shares && { shares: shares.turns() }),
      ...(!hold.held() && { deliveries: engine.status().turns, runs: runs.status().turns }),
      scheduler: schedulers.turns(),
    }),
    sandbox,
    started() {
      observed.start()
      data.disk.start()
      shares?.start()
      const warm = warming.run()
      // Among several, the others deliver until this one is warm. Alone, what waits is sent at once.
      const begins = shares ? { after: warm, unless: draining.signal } : null
      startWork({ ground, data, app, engines, schedulers }, begins)
      void warnOfBackups(env, log)
      warnOfMetrics(env, log)
    },
    beginDrain,
    lingerMs: shares ? LINGER : 0,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
  return running
}

/** Proxies look every second. ms */
const LINGER = 2_000

/** Told apart from a crash: whoever supervises the process starts it anew, under a new name. */
const GONE = 75
/** ms */
const GONE_WITHIN = 10_000

/** Starts the engines, at once or as `begins` says, and the jobs; in quarantine, only what goes on in it. */
function startWork(
  parts: {
    ground: Ground
    data: Data
    app: App
    engines: Engines
    schedulers: ReturnType<typeof createSchedulers>
  },
  begins: { after: Promise<void>; unless: AbortSignal } | null,
): void {
  const { env, clock, observed } = parts.ground
  const { space, removed, hold } = parts.data
  const { engine, runs, triggers, shares } = parts.engines
  // The owner of the first share frees space for all; each other instance must still know how much there is, and whose.
  const besides: Record<string, Besides> = { 'space.relieve': space.follow }
  const jobs = timedJobs(parts.app, env, space, removed).map((job) => onlyOnce(job, shares, besides[job.name]))
  observed.measures.expectJobs(jobs.map(({ name }) => name))
  const timing = { clock, log: observed.log, onRun: observed.jobEnded }
  parts.schedulers.start(jobs.filter(hold.goesOn), timing)
  function begin(): void {
    engine.start()
    runs.start()
    triggers.start()
    parts.schedulers.start(
      jobs.filter((job) => !hold.goesOn(job)),
      timing,
    )
  }
  hold.whenFree(() => {
    if (begins === null) return begin()
    void begins.after.then(() => {
      if (!begins.unless.aborted) begin()
    })
  })
}

/** What is under way may still note what it did; nothing new begins. */
function endSoon(running: Pick<Running, 'stop'>, end = (): void => process.exit(GONE)): void {
  const limit = new Promise((resolve) => setTimeout(resolve, GONE_WITHIN).unref())
  void Promise.race([running.stop(), limit]).finally(end)
}

type Besides = (signal: AbortSignal) => Promise<unknown>

/** What one instance does for all: the one that owns the first share. Each counts what it refused itself. */
function onlyOnce(job: TimedJob, shares: Shares | null, besides: Besides = async () => {}): TimedJob {
  if (shares === null || job.name === 'refusals.count') return job
  const { leads } = shares
  return { ...job, isOurs: leads, run: async (signal) => void (await (leads() ? job.run(signal) : besides(signal))) }
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
    mailServer: env.smtp !== null,
    backups: env.databaseServer ? 'server' : env.backups?.removesOld === false ? 'kept' : env.backups !== null,
    routePattern: routePatterns(CALL_PATHS),
    sessionHash: sessionHasher(env.sessionSecret),
    get held() {
      return hold.held()
    },
    get isCopy() {
      return hold.isCopy()
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
  day: ReturnType<typeof watchDay>
  startedAt: number
  warming: ReturnType<typeof createWarming>
}): App {
  const { settings, day } = parts
  const { env, clock, observed } = parts.ground
  const { log } = observed
  const { store, secrets, space, hold } = parts.data
  const { engine, runs, triggers, budget, apart, planning, callAsAccount, shares } = parts.engines
  const tell = tellOthers(shares, { runs: runs.wake, rules: triggers.rulesChanged, touched: triggers.touched })
  const acceptEvent = observed.acceptEvent(engine.acceptEvent)
  const app: App = {
    ...{ store, clock, log, settings, secrets, callAsAccount, apart, planning, space, hold },
    ...parts.outside,
    callsLeft: budget.leftOf,
    payments: parts.paying.payments,
    async acceptEvent(event) {
      const accepted = await acceptEvent(event)
      if (accepted.outcome !== 'stored') return accepted
      day.eventStored()
      if (accepted.touched) tell.touched()
      return accepted
    },
    async acceptPolled(take) {
      const taken = await engine.acceptPolled(take)
      if (taken.outcome !== 'overtaken') {
        day.eventStored(taken.accepted.filter(({ outcome }) => outcome === 'stored').length)
      }
      tell.touched()
      return taken
    },
    beginPolling: (accountUuid, object) => beginPolling(app, accountUuid, object),
    wakeDeliveries: engine.wake,
    deliverNow: engine.deliverNow,
    keepSubscribed: (accountUuid) => keepSubscribed(app, accountUuid),
    fieldsOfRule: neededFields,
    rulesChanged: tell.rules,
    wakeRuns: tell.runs,
    whenRunSettles: runs.whenSettled,
    // In quarantine the engine is off, so readiness covers only pages and event intake. Stopped rules do not affect
    // readiness: the watchdog ends a process with a silent run engine.
    async ready() {
      const { ready, reasons } = await engine.ready(!hold.held())
      return parts.warming.isOver() ? { ready, reasons } : { ready: false, reasons: [...reasons, 'warming up'] }
    },
    watching: createWatching({
      ...{ store, clock, log, engine, runs, budget, apart, shares, schedulerTurns: parts.schedulers.turns },
      ...{ measures: observed.measures, load: observed.load },
      token: env.metricsToken,
      version: settings.version,
      spaceSentence: () => space.status().sentence,
      newestBackup: async () => (await store.backups.newestBackup('backup'))?.startedAt ?? null,
      isCopy: hold.isCopy,
      folder: env.databaseServer === null ? dirname(env.databaseFile) : null,
      budgetBytes: env.maxDbMb * 1024 * 1024,
    }),
    signs: () => ({
      startedAt: parts.startedAt,
      node: process.version,
      memoryBytes: process.memoryUsage.rss(),
      loopDelayMs: parts.loopDelay.lastMinuteMs(),
      deliveries: engine.status(),
      flights: engine.flights().map(({ id }) => id),
      instances: shares?.status() ?? null,
      automations: runs.status(),
      space: space.status(),
      day: day.read(),
    }),
    readSigned: createSignedReader({ appSecret: env.appSecret, clock }),
  }
  return app
}

/** Wakes our own loops, and those of whichever instance works for the account. */
function tellOthers<Topic extends 'runs' | 'rules' | 'touched'>(shares: Shares | null, own: Record<Topic, () => void>) {
  if (shares === null) return own
  shares.cluster.onRing((topic) => {
    if (topic in own) own[topic as Topic]()
  })
  const tell = (topic: Topic) => () => {
    own[topic]()
    if (!shares.alone()) shares.cluster.ring(topic)
  }
  return Object.fromEntries(Object.keys(own).map((topic) => [topic, tell(topic as Topic)])) as typeof own
}

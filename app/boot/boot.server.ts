// Composition root: builds every part, hands it to the next, gives back one thing to serve and one way to stop. No logic.
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Measures } from '#app/adapters/measures.ts'
import { createOutbound } from '#app/adapters/outbound/outbound.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { createServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import { createServiceM8OAuth } from '#app/adapters/servicem8/servicem8-oauth.server.ts'
import { createSignedReader } from '#app/adapters/servicem8/servicem8-signed.server.ts'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { App, Settings } from '#app/context/app-context.ts'
import { JOBS_WHILE_HELD } from '#app/domain/hold.ts'
import { missingKeysSentence } from '#app/domain/sealed-places.ts'
import { type Scheduler, startScheduler } from '#app/engine/scheduler.server.ts'
import { createWorkApart, type WorkApartOptions } from '#app/engine/work-apart.server.ts'
import { countedCalls, createCallAsAccount } from '#app/features/accounts/call-as-account.server.ts'
import { createCallBudget } from '#app/features/accounts/call-budget.server.ts'
import { auditMessages } from '#app/features/audit/audited-messages.server.ts'
import { auditStore } from '#app/features/audit/audited-store.server.ts'
import { createCommitter } from '#app/features/automations/actions/commit/commit-effect.server.ts'
import { ACTIONS } from '#app/features/automations/actions/registry.server.ts'
import { createFactCache } from '#app/features/automations/records/fact-cache.server.ts'
import type { Values } from '#app/features/automations/records/fact-rows.ts'
import { createFactLoader } from '#app/features/automations/records/load-facts.server.ts'
import { neededFields } from '#app/features/automations/rules/triggers.ts'
import { planSurroundings } from '#app/features/automations/runs/plan-surroundings.server.ts'
import { keepSubscribed } from '#app/features/endpoints/subscriptions/keep-subscribed.server.ts'
import { recordPlatformCall } from '#app/features/events/activity.server.ts'
import { forgetOldEvents } from '#app/features/events/delivering/retention.server.ts'
import { beginPolling } from '#app/features/events/poll-objects.server.ts'
import { missingKeys } from '#app/features/ops/rotate-keys.server.ts'
import { createSpaceLadder } from '#app/features/ops/space.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { movableClock } from '#app/lib/clocks.server.ts'
import { days } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { sessionHasher } from '#app/lib/token.server.ts'
import { accountKeyring } from '#db/sqlite/accounts/account-keys.server.ts'
import { openBallast } from '#db/sqlite/ballast.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { surviveFullDisk } from '#db/sqlite/full-disk.server.ts'
import { claimFor } from '#db/sqlite/platform-kind.server.ts'
import { sqliteStore } from '#db/sqlite/store.server.ts'
import type { Sandbox } from '#sandbox/sandbox.server.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { createAutomationEngine } from './automation-engine.server.ts'
import { createAutomationTriggers } from './automation-triggers.server.ts'
import { createDeliveryEngine } from './delivery-engine.server.ts'
import { ConfigurationError, type Env, readEnv } from './env.server.ts'
import { createFront, type Front, type NodeHandler } from './front.server.ts'
import { createHold, heldOutbound, heldPlatformApi } from './hold.server.ts'
import { timedJobs } from './jobs.server.ts'
import { createLog } from './logger.server.ts'
import { LONG_WORK } from './long-work.server.ts'
import { watchLoopDelay } from './observe/loop-delay.server.ts'
import { observeParts } from './observe/observed-parts.server.ts'
import { createWatching } from './observe/watching.server.ts'
import { connectPayments } from './payments.server.ts'
import {
  lockInUse,
  otherPlatformSentence,
  refuseEmptyStart,
  warnOfBackups,
  warnOfMetrics,
} from './start-checks.server.ts'

/** A started product, as the process's main and the tests see it. */
export interface Running extends Front {
  app: App
  log: Log
  listen: { port: number; host: string }
  origin: string
  /** The page worth opening first. */
  openUrl: string
  /** To be told of every request that was not answered by `platformIngress`. */
  requestEnded: Measures['requestEnded']
  /** Signs of life of every loop that should turn: the watchdog ends a process in which one of them gives none. */
  turns(): Record<string, number>
  sandbox: { handle: NodeHandler; world: Sandbox['world'] } | null
  /** Call once listening: deliveries and timed work begin. */
  started(): void
  /** Readiness goes off, nothing new is claimed. */
  beginDrain(): void
  /** Flushes, waits for attempts in flight, closes the database. */
  stop(): Promise<void>
}

interface BootOptions {
  env?: Readonly<Env>
  clock?: Clock
  log?: Log
  /** The thread for long work. Absent = there is none, and everything is done at once. */
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

  const sandbox =
    env.platform === 'sandbox'
      ? (await import('#sandbox/sandbox.server.ts')).createSandbox({
          clock: movable,
          origin: env.origin,
          appId: env.appId,
          appSecret: env.appSecret,
          stateFile: join(env.databaseFile, '..', 'sandbox-state.json'),
          log: log.child({ part: 'sandbox' }),
        })
      : null

  await refuseEmptyStart(env, log)
  // A restore looks at it before it replaces the file.
  const inUse = lockInUse(env.databaseFile, log)
  const hold = createHold({ clock, log }, env)
  // Before the database: on a disk that is full, this is the space it is opened with.
  const ballast = openBallast(env.databaseFile)
  const client = openClient(env.databaseFile, env.migrationsFolder)
  const refuseStart = (sentence: string): never => {
    client.close()
    inUse?.release()
    throw new ConfigurationError([sentence])
  }
  const belongsTo = claimFor(client.sql, env.platform)
  if (belongsTo !== env.platform) refuseStart(otherPlatformSentence(belongsTo, env))
  const disk = surviveFullDisk({
    store: observed.store(sqliteStore(client, clock)),
    ballast,
    clock,
    log,
    async makeRoom(signal) {
      await forgetOldEvents({ store, clock, log }, { keepMs: days(env.retentionDays) }, signal)
      await space.relieve(signal)
    },
  })
  // What people ask for and what happens by itself are written down, each under its own name.
  const audited = auditStore({ store: disk.store, clock, log })
  const { store, ownWork } = audited
  const secrets = createSecretBox(
    env.encKeys,
    accountKeyring(client, () => clock.now()),
  )
  const missing = await missingKeys({ store: store.accounts, secrets })
  if (missing.length > 0) refuseStart(missingKeysSentence(missing))
  const self = new URL(env.origin)
  const outboundToAll = createOutbound({
    clock,
    selfHosts: [self.hostname],
    egressAllow: [...env.egressAllow, ...(sandbox ? [hostAndPort(self)] : [])],
  })
  const outbound = observed.outbound(heldOutbound(outboundToAll, hold))
  const draining = new AbortController()
  const platformApi = heldPlatformApi(
    createServiceM8Api({
      apiUrl: env.apiUrl,
      clock,
      log,
      signal: draining.signal,
      onCall(call) {
        observed.platformCalled(call)
        recordPlatformCall({ store, log }, call)
      },
    }),
    hold,
  )
  const oauth = observed.oauth(
    createServiceM8OAuth({
      oauthUrl: env.oauthUrl,
      appId: env.appId,
      appSecret: env.appSecret,
      scopes: env.scopes,
      clock,
      log,
    }),
  )
  const paying = await connectPayments(env, sandbox, { clock, log: log.child({ part: 'payments' }) })
  const settings: Settings = {
    origin: env.origin,
    adminAccounts:
      env.adminAccounts.size > 0 || !sandbox
        ? env.adminAccounts
        : new Set(
            sandbox.world
              .accounts()
              .slice(0, 1)
              .map((one) => one.uuid),
          ),
    scopes: env.scopes,
    sandbox: sandbox !== null,
    version: packageJson.version,
    payments: { mode: paying.mode, publishableKey: paying.publishableKey },
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
  const space = createSpaceLadder({ store, clock, log }, env.maxDbMb * 1024 * 1024)
  await space.measure()
  const engine = createDeliveryEngine({
    store: ownWork,
    clock,
    log,
    outbound,
    secrets,
    settings,
    space,
    around: observed.deliver,
    owner: randomUUID(),
  })
  const budget = createCallBudget({ store: ownWork.events, clock, log })
  const callAsAccount = createCallAsAccount({
    store: { ...ownWork.accounts, ...ownWork.events },
    clock,
    log,
    secrets,
    oauth,
    platformApi,
    budget,
  })
  // One memory for rules at work and for screens; but whoever looks at a screen is not made to wait for the reserve.
  const cache = createFactCache<Values[]>(clock)
  const facts = createFactLoader({ callAsAccount: countedCalls(callAsAccount), clock }, { cache })
  const surroundings = planSurroundings({ store, settings, outbound })
  const apart = createWorkApart(LONG_WORK, { file: null, ...options.apart, onEnd: observed.measures.longWorkEnded })
  const planning = {
    actions: ACTIONS,
    facts: createFactLoader({ callAsAccount, clock }, { cache, priority: 'screen' }),
    surroundings,
    apart,
  }
  const runs = createAutomationEngine({
    store: ownWork,
    clock,
    log,
    secrets,
    settings,
    callAsAccount,
    around: observed.run,
    parts: {
      actions: ACTIONS,
      facts,
      surroundings,
      apart,
      committer: observed.committer(
        auditMessages(
          { store: ownWork, clock, log, secrets },
          createCommitter(
            { callAsAccount, clock, log, store: ownWork, outbound, secrets, settings },
            { sign: signForward },
          ),
        ),
      ),
    },
  })
  const triggers = createAutomationTriggers({ store: ownWork, clock, log, callAsAccount, facts, wakeRuns: runs.wake })
  const acceptEvent = observed.acceptEvent(engine.acceptEvent)
  const schedulers: Scheduler[] = []
  const schedulerTurns = () => schedulers.reduce((sum, one) => sum + one.turns(), 0)
  const app: App = {
    store,
    clock,
    log,
    settings,
    secrets,
    outbound,
    oauth,
    platformApi,
    callAsAccount,
    callsLeft: budget.leftOf,
    payments: paying.payments,
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
    apart,
    planning,
    wakeRuns: runs.wake,
    whenRunSettles: runs.whenSettled,
    // Held, it does not turn: pages and the taking in of events are all there is to be ready for. Rules that stand still are no
    // reason to send nobody here: the watchdog ends a process whose run engine is silent.
    ready: () => engine.ready(!hold.held()),
    watching: createWatching({
      ...{ store, clock, log, engine, runs, budget, schedulerTurns, apart },
      ...{ measures: observed.measures, load: observed.load },
      token: env.metricsToken,
      version: settings.version,
      spaceSentence: () => space.status().sentence,
      newestBackup: async () => (await store.backups.newestBackup('backup'))?.startedAt ?? null,
      folder: dirname(env.databaseFile),
      budgetBytes: env.maxDbMb * 1024 * 1024,
    }),
    signs: () => ({
      startedAt,
      node: process.version,
      memoryBytes: process.memoryUsage.rss(),
      loopDelayMs: loopDelay.lastMinuteMs(),
      deliveries: engine.status(),
      automations: runs.status(),
      space: space.status(),
    }),
    space,
    hold,
    readSigned: createSignedReader({ appSecret: env.appSecret, clock }),
  }
  let stopping: Promise<void> | null = null

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
      scheduler: schedulerTurns(),
    }),
    sandbox,
    started() {
      observed.start()
      disk.start()
      const jobs = timedJobs(app, env, space, audited.removed)
      observed.measures.expectJobs(jobs.map(({ name }) => name))
      const timing = { clock, log, onRun: observed.jobEnded }
      schedulers.push(startScheduler(jobs.filter(goesOnWhileHeld), timing))
      hold.whenFree(() => {
        engine.start()
        runs.start()
        triggers.start()
        const others = jobs.filter((job) => !goesOnWhileHeld(job))
        schedulers.push(startScheduler(others, timing))
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
      stopping ??= (async () => {
        hold.stop()
        await Promise.all([...schedulers.map((one) => one.stop()), triggers.stop(), disk.stop()])
        await Promise.all([runs.drain(), engine.drain()])
        await apart.stop()
        await sandbox?.stop()
        await outbound.close()
        loopDelay.stop()
        await observed.stop()
        client.close()
        inUse?.release()
        log.info({}, 'process.drained')
      })()
      return stopping
    },
  }
}

function goesOnWhileHeld({ name }: { name: string }): boolean {
  return JOBS_WHILE_HELD.has(name)
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

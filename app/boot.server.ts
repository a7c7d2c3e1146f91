// Composition root: builds every part, hands it to the next, gives back one thing to serve and one way to stop. No logic.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { openClient } from '#db/sqlite/client.server.ts'
import { sqliteStore } from '#db/sqlite/store.server.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createOutbound } from './adapters/outbound.server.ts'
import { createSecretBox } from './adapters/secret-box.server.ts'
import { createServiceM8Api } from './adapters/servicem8.server.ts'
import { createServiceM8OAuth } from './adapters/servicem8-oauth.server.ts'
import { createSignedReader } from './adapters/servicem8-signed.server.ts'
import type { App, Settings } from './app-context.ts'
import { createDeliveryEngine } from './delivery-engine.server.ts'
import { startScheduler } from './engine/scheduler.server.ts'
import { type Env, readEnv } from './env.server.ts'
import { createCallAsAccount } from './features/accounts/call-as-account.server.ts'
import { recordPlatformCall } from './features/events/activity.server.ts'
import { createSpaceLadder } from './features/ops/space.server.ts'
import { clientIpReader } from './http/client-ip.ts'
import { admitRequest, type Refusal } from './http/origin-check.ts'
import { securityHeaders } from './http/security-headers.ts'
import { timedJobs } from './jobs.server.ts'
import type { Clock } from './lib/clock.ts'
import { movableClock } from './lib/clocks.server.ts'
import type { Log } from './lib/log.ts'
import { createLog } from './logger.server.ts'
import { createPlatformIngress } from './platform-ingress.server.ts'
import { routePatterns } from './route-patterns.ts'
import type { World } from './sandbox/world.ts'

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => boolean

/** A started product, as the process's main and the tests see it. */
export interface Running {
  app: App
  log: Log
  listen: { port: number; host: string }
  origin: string
  /** The page worth opening first. */
  openUrl: string
  clientIp(req: IncomingMessage): string
  routePattern(path: string): string
  securityHeaders(path: string, nonce: string): Record<string, string>
  /** Null = let it through (perhaps with its cookies taken away). */
  admitRequest(req: IncomingMessage): Refusal | null
  platformIngress: NodeHandler
  sandbox: { handle: NodeHandler; world: World } | null
  /** Call once listening: deliveries and timed work begin. */
  started(): void
  /** Readiness goes off, nothing new is claimed. */
  beginDrain(): void
  /** Flushes, waits for attempts in flight, closes the database. */
  stop(): Promise<void>
}

export interface BootOptions {
  env?: Readonly<Env>
  clock?: Clock
  log?: Log
}

export async function startApp(options: BootOptions = {}): Promise<Running> {
  const env = options.env ?? readEnv()
  const log = options.log ?? createLog(env.logLevel)
  const movable = movableClock()
  const clock = options.clock ?? movable

  const sandbox =
    env.platform === 'sandbox'
      ? (await import('./sandbox/sandbox.server.ts')).createSandbox({
          clock: movable,
          origin: env.origin,
          appId: env.appId,
          appSecret: env.appSecret,
          stateFile: join(env.databaseFile, '..', 'sandbox-state.json'),
          log: log.child({ part: 'sandbox' }),
        })
      : null

  const client = openClient(env.databaseFile, env.migrationsFolder)
  const store = sqliteStore(client, clock)
  const secrets = createSecretBox(env.encKeys)
  const self = new URL(env.origin)
  const outbound = createOutbound({
    clock,
    selfHosts: [self.hostname],
    egressAllow: [...env.egressAllow, ...(sandbox ? [hostAndPort(self)] : [])],
  })
  const platformApi = createServiceM8Api({
    apiUrl: env.apiUrl,
    clock,
    log,
    onCall: (call) => recordPlatformCall({ store, log }, call),
  })
  const oauth = createServiceM8OAuth({
    oauthUrl: env.oauthUrl,
    appId: env.appId,
    appSecret: env.appSecret,
    scopes: env.scopes,
    clock,
    log,
  })
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
  }
  const space = createSpaceLadder({ store, clock, log }, env.maxDbMb * 1024 * 1024)
  await space.measure()
  const engine = createDeliveryEngine({ store, clock, log, outbound, secrets, settings, space, owner: randomUUID() })
  const app: App = {
    store,
    clock,
    log,
    settings,
    secrets,
    outbound,
    oauth,
    platformApi,
    callAsAccount: createCallAsAccount({ store, clock, log, secrets, oauth, platformApi }),
    acceptEvent: engine.acceptEvent,
    wakeDeliveries: engine.wake,
    deliverNow: engine.deliverNow,
    ready: engine.ready,
    space,
    readSigned: createSignedReader({ appSecret: env.appSecret, clock }),
  }
  const patterns = routePatterns()
  const clientIp = clientIpReader(env.trustProxy)
  let scheduler: ReturnType<typeof startScheduler> | null = null
  let stopping: Promise<void> | null = null

  return {
    app,
    log,
    listen: { port: env.port, host: env.host },
    origin: env.origin,
    openUrl: sandbox ? `${env.origin}/sandbox` : env.origin,
    clientIp,
    routePattern: patterns,
    securityHeaders: (path, nonce) => securityHeaders({ path, nonce, secure: self.protocol === 'https:' }),
    admitRequest: (req) => admitRequest(req, env.origin),
    platformIngress: createPlatformIngress(app, { clientIp }),
    sandbox,
    started() {
      engine.start()
      scheduler = startScheduler(timedJobs(app, env, space), { clock, log })
    },
    beginDrain: engine.beginDrain,
    stop() {
      stopping ??= (async () => {
        await scheduler?.stop()
        await engine.drain()
        await sandbox?.stop()
        await outbound.close()
        client.close()
        log.info({}, 'process.drained')
      })()
      return stopping
    },
  }
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

// Runs the path of an event before readiness says yes, so that the first events after a deploy meet compiled code: a
// delivery engine of its own, over a throw-away database, takes events in over HTTP and sends them to an address of this
// process.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createOutbound } from '#app/adapters/outbound/outbound.server.ts'
import type { Outbound } from '#app/adapters/outbound/outbound.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import type { Settings } from '#app/context/app-context.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import { AMPLE_SPACE } from '#app/domain/space.ts'
import type { Clock } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { createDeliveryEngine } from './delivery-engine.server.ts'
import type { Env } from './env.server.ts'
import { createPlatformIngress } from './platform-ingress.server.ts'

interface WarmUpInput {
  clock: Clock
  log: Log
  settings: Settings
  migrationsFolder: string
  signal: AbortSignal
  pace: Pace
}

/** How long events are sent, and how long each sender waits between two. ms */
interface Pace {
  lasts: number
  rest: number
}

const ALONE: Pace = { lasts: seconds(1), rest: 0 }
/** Others work meanwhile, perhaps on the same processors: half the load for twice the time. */
const BESIDE_OTHERS: Pace = { lasts: seconds(2), rest: 30 }
const AT_ONCE = 16
const ACCOUNT = '00000000-0000-4000-8000-000000000000'
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => SILENT }

/** Warms up once started, unless the configuration says no. */
export function createWarming(
  { warmUp: wanted, migrationsFolder }: Pick<Env, 'warmUp' | 'migrationsFolder'>,
  several: boolean,
  input: Omit<WarmUpInput, 'migrationsFolder' | 'pace'>,
): { run(): Promise<void>; isOver(): boolean } {
  let over = !wanted
  return {
    async run() {
      if (over) return
      await warmUp({ ...input, migrationsFolder, pace: several ? BESIDE_OTHERS : ALONE })
      over = true
    },
    isOver: () => over,
  }
}

/** Resolves with the events that went through. Never rejects: a start does not depend on it. */
export async function warmUp({ log, ...input }: WarmUpInput): Promise<number> {
  let folder = ''
  try {
    folder = mkdtempSync(join(tmpdir(), 'fieldhook-warm-'))
    const events = await runThrough(input, folder)
    log.info({ events }, 'process.warm')
    return events
  } catch (error) {
    log.warn({ error }, 'process.not_warm')
    return 0
  } finally {
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  }
}

async function runThrough(
  { clock, settings, migrationsFolder, signal, pace }: Omit<WarmUpInput, 'log'>,
  folder: string,
): Promise<number> {
  let arrived = 0
  const receiver = await listen((req, res) => {
    arrived++
    req.resume().on('end', () => res.end())
  })
  let take: RequestListener = () => {}
  const door = await listen((req, res) => take(req, res))
  const client = openClient(join(folder, 'warm.db'), migrationsFolder)
  const [address, own] = [receiver, door].map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`)
  const outbound = createOutbound({ clock, selfHosts: [], egressAllow: [address ?? '', own ?? ''] })
  const store = sqlStore(client, clock)
  const secrets = createSecretBox(`warm:${randomBytes(32).toString('base64')}`)
  const app = { store, clock, log: SILENT, settings, secrets, outbound, space: AMPLE_SPACE }
  const engine = createDeliveryEngine(app)
  const { acceptEvent } = engine
  const ingress = createPlatformIngress({ ...app, acceptEvent }, { clientIp: () => '127.0.0.1' })
  try {
    const token = await addWebhook(app, `http://${address}/`)
    // The outbound module rightly refuses to call this path.
    take = (req, res) => void ingress(Object.assign(req, { url: `/hooks/platform/${token}` }), res)
    engine.start()
    await sendAt(pace, outbound, `http://${own}/`, signal)
    await engine.drain()
  } finally {
    await outbound.close()
    for (const server of [door, receiver]) server.close().closeAllConnections()
    client.close()
  }
  return arrived
}

async function addWebhook(
  { store, clock, secrets }: Pick<Parameters<typeof createDeliveryEngine>[0], 'store' | 'clock' | 'secrets'>,
  url: string,
): Promise<string> {
  const at = clock.now()
  const token = newToken()
  await store.accounts.ensureAccount({ uuid: ACCOUNT, name: '', timezone: 'UTC' })
  const fields = { object: 'job', fields: '', tokenHash: hashToken(token), tokenSealed: token, at }
  const id = await store.endpoints.beginSubscription(ACCOUNT, fields)
  await store.endpoints.saveEndpoint(ACCOUNT, {
    ...{ kind: 'webhook', objectType: 'job', fields: '', fieldFilter: '', active: true, url, at },
    secretSealed: await secrets.seal(signingSecretPlace(ACCOUNT), newSigningSecret()),
    subscription: { id, fields: '', replacedUntil: at },
  })
  return token
}

async function sendAt(
  { lasts, rest }: Pace,
  { post }: Pick<Outbound, 'post'>,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + lasts
  const headers = { 'content-type': 'application/json' }
  let sent = 0
  const sender = async () => {
    while (performance.now() < until && !signal.aborted) {
      await post({ url, headers, body: eventBody(sent++) })
      if (rest > 0) await setTimeout(rest)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
}

/** As the platform writes them. */
function eventBody(number: number): string {
  const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const entry = [{ uuid, changed_fields: ['status'], time: '2026-01-01 00:00:00' }]
  return JSON.stringify({ object: 'job', entry, resource_url: `https://api.servicem8.com/api_1.0/job/${uuid}.json` })
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

// The setup of the cluster proof: a PostgreSQL that keeps what it commits, three built servers with a wire of their own to it,
// receivers, a platform and a proxy. One account for each of the 64 shares.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { SHARES, shareOf } from '#db/postgres/share-of.server.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { openPostgres } from '../../../scripts/postgres.mjs'
import { bundleTs } from '../../../scripts/run-ts.mjs'
import { CLUSTER_FLAGS } from '../../../scripts/server-flags.mjs'
import type { Target } from '../stage/load.ts'
import { type Checkout, type Ending, type ProofServer, pause, proofServer } from '../stage/server.ts'
import type { PlatformDuties, ReceiverDuties, RoadDuties } from './beside.ts'
import { type Helper, startHelper } from './helper.ts'
import { OWN_RELEASE } from './patched.ts'

export const INSTANCES = 3
const MACHINE = resolve('packages/lab/cluster/machine.mjs')
const SETTLED_WITHIN = 60_000
const APP_ID = 'cluster'

export type Postgres = Awaited<ReturnType<typeof openPostgres>>

export interface Instance {
  index: number
  origin: string
  server: ProofServer
  /** How its processes ended without being asked, newest last. */
  endings: Ending[]
  /** Starts it, of another build if given, and again whenever it ends by itself, as a supervisor does. Resolves when it listens. */
  launch(checkout?: Checkout): Promise<void>
  /** kill -9. Nobody starts it again before `launch`. */
  kill(): Promise<void>
  /** SIGTERM. Nobody starts it again before `launch`. */
  drain(): Promise<Ending>
  freeze(): void
  thaw(): void
}

/** Where its events go. */
export interface Address extends Target {
  url: string
}

export interface Person {
  account: string
  browser: ScriptlessBrowser
}

export interface Stage {
  postgres: Postgres
  receivers: Helper<ReceiverDuties>
  roads: Helper<RoadDuties>
  platform: Helper<PlatformDuties>
  /** Where the proxy listens, and what the product believes to be its address. */
  origin: string
  accounts: readonly string[]
  /** The first 64 belong to one account each, in the order of shares. */
  targets: readonly Address[]
  /** Signed in to one account each, in the order of shares. They talk to the proxy. */
  people: readonly Person[]
  /** Three instances on a fresh copy of the database, which share the work evenly. */
  cluster(options?: ClusterOptions): Promise<Cluster>
  close(): Promise<void>
}

export interface ClusterOptions {
  /** Another build of the product. */
  checkout?: Checkout
  /** Run on the fresh database before the instances start. */
  sql?: string
  /** More variables of the instances. */
  env?: Record<string, string>
}

export interface Cluster {
  instances: readonly Instance[]
  /** Straight to the database, not through a wire. */
  ask<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Resolves when all three are members, every share has an owner that has looked through it, and all have about as many. */
  settled(withinMs?: number): Promise<void>
  close(): Promise<void>
}

/** A name for each share. */
function accountOfEachShare(): string[] {
  const found = new Map<number, string>()
  for (let n = 0; found.size < SHARES; n++) {
    const uuid = `0000c105-0000-4000-8000-${String(n).padStart(12, '0')}`
    if (!found.has(shareOf(uuid))) found.set(shareOf(uuid), uuid)
  }
  return [...found].sort(([a], [b]) => a - b).map(([, uuid]) => uuid)
}

/**
 * @param addresses how many; the first 64 are one for each share, so fewer leave shares without an account
 * @throws SetupError with a sentence when no PostgreSQL can be had
 */
export async function openStage(addresses: number, settings: Record<string, string> = {}): Promise<Stage> {
  const postgres = await openPostgres({ durable: true, listen: 'port', from: ['package', 'machine'], settings })
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-cluster-'))
  const program = await bundleTs('packages/lab/cluster/beside.ts')
  const receivers = startHelper<ReceiverDuties>(program, 'receivers')
  const roads = startHelper<RoadDuties>(program, 'roads')
  const platform = startHelper<PlatformDuties>(program, 'platform')
  const servers: ProofServer[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => server.dispose()))
    for (const helper of [receivers, roads, platform]) helper.end()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ports = await receivers.ask('listen', addresses)
    const wires = await roads.ask('lay', Number(new URL(postgres.url()).port), INSTANCES)
    const accounts = accountOfEachShare().slice(0, addresses)
    const appSecret = randomBytes(32).toString('base64url')
    const secrets = {
      SESSION_SECRET: randomBytes(32).toString('base64'),
      ENC_KEYS: `cluster:${randomBytes(32).toString('base64')}`,
      METRICS_TOKEN: randomBytes(32).toString('hex'),
      SERVICEM8_APP_SECRET: appSecret,
    }
    const newServer = async (index: number, checkout?: Checkout) => {
      const server = await proofServer({
        env: {
          ...secrets,
          PLATFORM: 'servicem8',
          SERVICEM8_APP_ID: APP_ID,
          EGRESS_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(','),
          PROOF_MACHINE: `machine ${index}`,
          // Everybody's browser has an address of its own.
          TRUST_PROXY: 'fly',
          ...{ CALLER_WORK_MS: '0', CALLER_MB: '0', ACCOUNT_WORK_MS: '0', ACCOUNTS_WORK_MS: '0', ACCOUNT_MB: '0' },
        },
        folder: join(folder, `instance-${servers.length}`),
        ...(checkout && { checkout }),
      })
      servers.push(server)
      return server
    }
    const first = await Promise.all(Array.from({ length: INSTANCES }, (_, index) => newServer(index)))
    const proxyPort = await roads.ask(
      'proxy',
      first.map(({ origin }) => Number(new URL(origin).port)),
    )
    const origin = `http://localhost:${proxyPort}`
    const named = accounts.map((uuid, n) => ({ uuid, name: `Firm ${n}` }))
    const platformPort = await platform.ask('open', { origin, appId: APP_ID, appSecret, accounts: named })
    const platformUrl = `http://localhost:${platformPort}/sandbox/servicem8`

    function instanceOf(index: number, server: ProofServer, database: string, more: Record<string, string>): Instance {
      const url = new URL(postgres.url(database))
      url.port = String(wires[index])
      url.searchParams.set('application_name', `instance ${index}`)
      const env = {
        ...more,
        DATABASE_URL: url.href,
        DATA_FOLDER: join(folder, `instance-${index}`),
        APP_ORIGIN: origin,
        SERVICEM8_API_URL: platformUrl,
        SERVICEM8_OAUTH_URL: platformUrl,
      }
      const endings: Ending[] = []
      let wanted = false
      async function launch(checkout?: Checkout): Promise<void> {
        wanted = true
        const how = await server.launch({ preload: MACHINE, flags: CLUSTER_FLAGS, env, ...(checkout && { checkout }) })
        void server.ended().then(async (ending) => {
          if (!wanted) return
          endings.push(ending)
          // What a supervisor waits as well.
          await pause(200)
          if (wanted) await launch().catch((error: unknown) => console.error(error))
        })
        if (how !== 'listening')
          throw new Error(`instance ${index} ended while starting:\n${server.output().slice(-2_000)}`)
      }
      return {
        index,
        origin: server.origin,
        server,
        endings,
        launch,
        async kill() {
          wanted = false
          await server.killHard()
        },
        drain() {
          wanted = false
          return server.drain()
        },
        freeze: () => void process.kill(server.pid, 'SIGSTOP'),
        thaw: () => void process.kill(server.pid, 'SIGCONT'),
      }
    }

    const template = `${postgres.prefix}stage`
    await postgres.createDatabase(template)
    const [alone] = first
    if (!alone) throw new Error('there is no instance')
    // Nobody measures the one that makes the template.
    const maker = instanceOf(0, alone, template, { WARM_UP: 'no' })
    await maker.launch()
    await alone.ready()
    const { targets, people } = await addAddresses(origin, accounts, ports)
    await maker.drain()

    return {
      ...{ postgres, receivers, roads, platform, origin, accounts, targets, people, close },
      async cluster({ checkout, sql, env = {} } = {}) {
        const name = `${postgres.prefix}${randomBytes(4).toString('hex')}`
        await postgres.createDatabase(name, template)
        const pool = new pg.Pool({ connectionString: postgres.url(name), max: 3 })
        pool.on('error', () => {})
        const ask = async <Row extends object>(text: string, values: unknown[] = []) =>
          (await pool.query<Row>(text, values)).rows
        if (sql) await ask(sql)
        const own = checkout ? await Promise.all(first.map((_, index) => newServer(index, checkout))) : first
        const instances = own.map((server, index) => instanceOf(index, server, name, env))
        const settled = (withinMs = SETTLED_WITHIN) => untilSettled(ask, withinMs)
        const closeCluster = async () => {
          await Promise.all(instances.map((instance) => instance.kill()))
          await pool.end()
          await postgres.dropDatabase(name)
        }
        try {
          await Promise.all(instances.map((instance) => instance.launch(checkout ?? OWN_RELEASE)))
          await Promise.all(own.map((server) => server.ready()))
          await settled()
        } catch (error) {
          await closeCluster()
          throw error
        }
        return { instances, ask, settled, close: closeCluster }
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Ask = Cluster['ask']

async function untilSettled(ask: Ask, withinMs: number): Promise<void> {
  const until = Date.now() + withinMs
  const sql = `SELECT (SELECT count(*) FROM member WHERE takes = 1)::int AS members,
      coalesce(max(owned), 0)::int AS most, coalesce(sum(owned) FILTER (WHERE owner IS NOT NULL), 0)::int AS owned,
      coalesce(sum(fresh), 0)::int AS fresh
    FROM (SELECT owner, count(*) AS owned, sum(fresh) AS fresh FROM share GROUP BY owner) AS each_owner`
  for (;;) {
    const [seen] = await ask<{ members: number; most: number; owned: number; fresh: number }>(sql).catch(() => [])
    const fair = Math.ceil(SHARES / INSTANCES)
    if (seen && seen.members === INSTANCES && seen.owned === SHARES && seen.most <= fair && seen.fresh === 0) return
    if (Date.now() > until) throw new Error(`the instances do not share the work: ${JSON.stringify(seen)}`)
    await pause(50)
  }
}

/** Signs in every account like a person, and gives each as many webhooks as it takes. */
async function addAddresses(
  origin: string,
  accounts: readonly string[],
  ports: readonly number[],
): Promise<{ targets: Address[]; people: Person[] }> {
  const objects = OBJECT_KINDS.filter((kind) => kind.delivery === 'subscribed').map(({ type }) => type)
  const targets: Address[] = []
  const people: Person[] = []
  const all = ports.map((port, index) => ({ port, index, account: accounts[index % accounts.length] ?? '' }))
  await Promise.all(
    // A few at a time: a person's browser each.
    Array.from({ length: 4 }, async (_, worker) => {
      for (const [n, account] of accounts.entries()) {
        if (n % 4 !== worker) continue
        const browser = scriptlessBrowser(origin, { 'fly-client-ip': `192.0.2.${n + 1}` })
        people[n] = { account, browser }
        const back = await signIn(browser, account)
        if (back.status !== 200) throw new Error(`sign-in ended with ${back.status} at ${back.url}`)
        for (const { port, index } of all.filter((one) => one.account === account)) {
          const object = objects[Math.floor(index / accounts.length)] ?? 'job'
          const url = `http://127.0.0.1:${port}/in`
          const webhook = {
            accountUUID: account,
            object,
            callback_url: url,
            fields: '',
            active: true,
          }
          const made = await browser.json('POST', '/api/webhooks', webhook)
          if (made.status !== 201) throw new Error(`no webhook: ${made.status} ${JSON.stringify(made.body)}`)
          targets[index] = { object, url, forwardingUrl: (made.body as { forwardingUrl: string }).forwardingUrl }
        }
      }
    }),
  )
  return { targets, people }
}

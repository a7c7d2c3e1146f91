// One measurement of fairness: the engine as in production, a steady load, and misbehaving addresses.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createOutbound } from '#app/adapters/outbound/outbound.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { createDeliveryEngine, type DeliveryEngine } from '#app/boot/delivery-engine.server.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { seconds } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import { TEST_SETTINGS } from '#tests/support/test-app.server.ts'
import { createChance } from '../stage/chance.ts'
import { type Behaviour, moment, type Receivers } from './receivers.ts'

export const ENDPOINTS = 200
export const ACCOUNTS = 40
/** A receiver that never answers costs this long: 5 s, as in the design's table. */
export const TIMEOUT_MS = seconds(5)
/** Maximum time after the last event until all events for healthy addresses have arrived. */
const WAITED_FOR = seconds(30)

export interface Scenario {
  name: string
  /** Number of addresses that never answer. */
  hanging: number
  /** Their share of all events, when it is more than their even share. */
  share?: number
  /** They answer until this point of the load, 0 to 1. Default 0: they hang from the start. */
  from?: number
  /** All addresses share one host and port. */
  oneOrigin?: boolean
  /** One account sends this many times as much as another, to addresses that answer after this delay. */
  flood?: { times: number; answersAfterMs: number }
  /** The engine's timeout for an answer, ms. Default TIMEOUT_MS. */
  timeoutMs?: number
}

export interface Load {
  /** Events per second over all accounts, without those of a flood. */
  rate: number
  seconds: number
  seed: number
}

export interface Measured {
  name: string
  /** Events for healthy addresses: accepted, and arrived there. */
  expected: number
  delivered: number
  duplicates: number
  /** Events for the other addresses: accepted, and arrived by the time that all had arrived at the healthy ones. */
  others: number
  othersArrived: number
  /** Attempts that had timed out by then. */
  timedOut: number
  /** From "accepted" to "arrived", healthy addresses, ms. */
  p50: number
  p99: number
  worst: number
  /** From the call to "accepted", all events, ms. */
  acknowledgedP99: number
  /** Delay of the event loops, p99, ms: this process's, and the receivers'. */
  engineLagP99: number
  receiverLagP99: number
}

interface Sent {
  index: number
  acceptedAt: number
}

export async function measure(scenario: Scenario, load: Load, receivers: Receivers): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-fair-'))
  const client = openClient(join(folder, 'fair.db'), 'db/migrations')
  const { engine, close } = composeEngine(client, receivers, scenario.timeoutMs ?? TIMEOUT_MS)
  const lag = monitorEventLoopDelay({ resolution: 1 })
  try {
    await addEndpoints(client, receivers.origins, scenario.oneOrigin ?? false)
    const bad = misbehaving(scenario)
    await receivers.behave(scenario.from ? [] : bad)
    await receivers.collect()
    engine.start()
    await engine.idle()
    lag.enable()
    const { sent, acknowledged } = await applyLoad(engine, scenario, load, () => receivers.behave(bad))
    lag.disable()

    const unhealthy = new Set(bad.map(({ index }) => index))
    const expected = [...sent].filter(([, { index }]) => !unhealthy.has(index))
    await waitForArrival(receivers, [...unhealthy], expected.length)
    const { arrivals, lagP99 } = await receivers.collect()
    const timedOut = client.sql.prepare<[], number>("SELECT count(*) FROM attempt WHERE outcome = 'timeout'").pluck()
    const first = new Map<number, number>()
    const othersArrived = new Set<number>()
    let duplicates = 0
    for (const [n, index, at] of arrivals) {
      if (unhealthy.has(index)) othersArrived.add(n)
      else if (first.has(n)) duplicates++
      else first.set(n, at)
    }
    const delays = expected.flatMap(([n, { acceptedAt }]) => {
      const at = first.get(n)
      return at === undefined ? [] : [at - acceptedAt]
    })
    return {
      name: scenario.name,
      expected: expected.length,
      delivered: delays.length,
      duplicates,
      others: sent.size - expected.length,
      othersArrived: othersArrived.size,
      timedOut: timedOut.get() ?? 0,
      p50: percentile(delays, 50),
      p99: percentile(delays, 99),
      worst: percentile(delays, 100),
      acknowledgedP99: percentile(acknowledged, 99),
      engineLagP99: lag.percentile(99) / 1e6,
      receiverLagP99: lagP99,
    }
  } finally {
    // Releases hanging requests, so that the engine can drain.
    await receivers.behave([])
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As `boot.server.ts` does it. */
function composeEngine(
  client: Client,
  receivers: Receivers,
  timeoutMs: number,
): { engine: DeliveryEngine; close(): Promise<void> } {
  const clock = systemClock()
  const log: Log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields, message) => console.error(message, fields),
    child: () => log,
  }
  const outbound = createOutbound({
    clock,
    selfHosts: ['hooks.example.com'],
    egressAllow: receivers.origins.map((origin) => new URL(origin).host),
    limits: { totalMs: timeoutMs },
  })
  const engine = createDeliveryEngine({
    store: sqlStore(client, clock),
    clock,
    log,
    outbound,
    secrets,
    settings: TEST_SETTINGS,
  })
  return {
    engine,
    async close() {
      await engine.drain()
      await outbound.close()
      client.close()
    },
  }
}

const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)

const accountOf = (index: number) => `account-${index % ACCOUNTS}`

/** One object each, so that every event has exactly one address. */
async function addEndpoints({ sql }: Client, origins: string[], oneOrigin: boolean): Promise<void> {
  const addAccount = sql.prepare(
    "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, 'UTC', 0, 0) ON CONFLICT DO NOTHING",
  )
  const addEndpoint = sql.prepare(
    `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES (?, ?, '', ?, ?, 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
  )
  for (let index = 0; index < ENDPOINTS; index++) {
    const account = accountOf(index)
    const origin = origins[oneOrigin ? 0 : index % origins.length] ?? ''
    addAccount.run(account, account)
    const sealed = await secrets.seal(`endpoint|${account}|secret`, newSigningSecret())
    addEndpoint.run(account, `object${index}`, `${origin}/${index}`, sealed)
  }
}

/** Hanging addresses are spread over all accounts; the flooding account is the first. */
function misbehaving({ hanging, flood }: Scenario): Behaviour[] {
  const all = Array.from({ length: ENDPOINTS }, (_, index) => index)
  const bad: Behaviour[] = all
    .filter((index) => Math.floor(((index + 1) * hanging) / ENDPOINTS) > Math.floor((index * hanging) / ENDPOINTS))
    .map((index) => ({ index, hangs: true }))
  if (!flood) return bad
  const flooding = all.filter((index) => accountOf(index) === accountOf(0))
  return [...bad, ...flooding.map((index) => ({ index, answersAfterMs: flood.answersAfterMs }))]
}

/** A steady rate by the clock: events that could not be sent in time are sent late, never skipped. */
async function applyLoad(
  engine: DeliveryEngine,
  scenario: Scenario,
  { rate, seconds: forSeconds, seed }: Load,
  turnBad: () => Promise<void>,
): Promise<{ sent: Map<number, Sent>; acknowledged: number[] }> {
  const chance = createChance(seed, 'events')
  const { hanging, share = 0, from = 0, flood } = scenario
  const bad = new Set(misbehaving(scenario).map(({ index }) => index))
  const good = Array.from({ length: ENDPOINTS }, (_, index) => index).filter((index) => !bad.has(index))
  const floodShare = flood ? flood.times / (flood.times + ACCOUNTS - 1) : 0
  const badShare = flood ? floodShare : Math.max(share, hanging / ENDPOINTS)
  // A flood adds to the events of the others.
  const perSecond = flood ? rate / (1 - floodShare) : rate
  const total = Math.round(perSecond * forSeconds)
  const sent = new Map<number, Sent>()
  const acknowledged: number[] = []
  const open: Promise<void>[] = []
  const started = moment()
  let turned = from === 0

  for (let n = 0; n < total; ) {
    const elapsed = moment() - started
    const dueNow = Math.min(total, Math.floor((elapsed / 1000) * perSecond) + 1)
    for (; n < dueNow; n++) {
      const index = bad.size > 0 && chance.hit(badShare) ? chance.pick([...bad]) : chance.pick(good)
      open.push(send(n, index))
    }
    if (!turned && n >= total * from) {
      turned = true
      await turnBad()
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await Promise.all(open)
  return { sent, acknowledged }

  async function send(n: number, index: number): Promise<void> {
    const called = moment()
    const answer = await engine.acceptEvent(eventOf(n, index, seed))
    const acceptedAt = moment()
    if (answer.outcome !== 'stored') throw new Error(`event ${n} was not taken in: ${answer.outcome}`)
    sent.set(n, { index, acceptedAt })
    acknowledged.push(acceptedAt - called)
  }
}

function eventOf(n: number, index: number, seed: number): IncomingEvent {
  const object = `object${index}`
  const objectUuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  return {
    accountUuid: accountOf(index),
    subscriptionId: null,
    source: 'object',
    object,
    objectUuid,
    changedFields: ['status', 'edit_date'],
    receivedAt: Date.now(),
    dedupe: `${seed}-${n}`,
    body: JSON.stringify({
      object,
      entry: [{ uuid: objectUuid, changed_fields: ['status', 'edit_date'], time: '2026-01-05 09:00:00' }],
      resource_url: `https://api.servicem8.com/api_1.0/${object}/${objectUuid}.json`,
      n,
    }),
  }
}

async function waitForArrival(receivers: Receivers, unhealthy: number[], expected: number): Promise<void> {
  const until = moment() + WAITED_FOR
  while (moment() < until && (await receivers.count(unhealthy)) < expected) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN
}

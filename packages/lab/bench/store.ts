// Takes in, loads and settles events on a PostgreSQL that keeps what it commits, row by row and in batches by turns:
// events per second, and processor time per event of us and of the server.
import { readdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { settleOptions } from '#app/features/events/delivering/settle.server.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { hours } from '#app/lib/duration.ts'
import { openPostgres as connect } from '#db/postgres/client.server.ts'
import { postgresStore } from '#db/postgres/store.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import type { AttemptReport, DeliveryJob } from '#db/store/deliveries.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import type { Store } from '#db/store.ts'
import { openPostgres } from '../../../scripts/postgres.mjs'

const ACCOUNTS = 20
/** Events of one round, by the size of its batches. */
const ROUNDS = new Map([
  [1, 200],
  [16, 1_600],
  [64, 3_200],
])
const EACH = 5
/** Events that are there before: empty tables tell nothing. */
const FILLED = 6_400
/** Of processor time, as the kernel counts it. ms */
const TICK = 10
const BODY = JSON.stringify({
  object: 'job',
  entry: [{ uuid: 'x'.repeat(36), changed_fields: ['status'] }],
  more: 'y'.repeat(400),
})

interface Figures {
  perSecond: number
  /** µs per event */
  ours: number
  server: number
}

export async function benchStore(): Promise<number> {
  const server = await openPostgres()
  try {
    await server.createDatabase(`${server.prefix}bench`)
    const client = await connect(server.url(`${server.prefix}bench`), 'db/migrations-postgres')
    const addAccount = client.db.prepare(
      "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, 'x', 'UTC', 0, 0)",
    )
    const addEndpoint = client.db.prepare(
      `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
         breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
       VALUES (?, 'job', '', 'https://example.com/', 's', 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
    )
    await client.db.write(function* () {
      for (let n = 0; n < ACCOUNTS; n++) {
        yield* addAccount.run(accountOf(n))
        yield* addEndpoint.run(accountOf(n))
      }
    })()
    const stores = { rowByRow: sqlStore(client, systemClock()), batches: postgresStore(client, systemClock()) }
    const analyze = client.db.prepare('ANALYZE')
    await forward(stores.batches, 64, FILLED)
    await client.db.write(() => analyze.run())()
    console.log(
      `PostgreSQL ${server.version}, load ${loadavg()[0]?.toFixed(1)}; median of ${EACH} rounds of each, by turns`,
    )
    for (const [size, count] of ROUNDS) {
      const found: Record<keyof typeof stores, Figures[]> = { rowByRow: [], batches: [] }
      for (let round = 0; round <= EACH; round++) {
        for (const name of ['rowByRow', 'batches'] as const) {
          const figures = await measured(server.pid(), count, () => forward(stores[name], size, count))
          if (round > 0) found[name].push(figures)
        }
      }
      print(size, medians(found.rowByRow), medians(found.batches))
    }
    await client.close()
  } finally {
    await server.stop()
  }
  return 0
}

function print(size: number, rows: Figures, sets: Figures): void {
  const cpu = ({ ours, server }: Figures) => ours + server
  const told = ({ perSecond, ours, server }: Figures) =>
    `${perSecond.toFixed(0)} events/s, ${(ours + server).toFixed(0)} µs (${ours.toFixed(0)} ours, ${server.toFixed(0)} server)`
  console.log(
    `batch ${size}: ${(sets.perSecond / rows.perSecond).toFixed(1)} times the rate, ${(cpu(sets) / cpu(rows)).toFixed(2)} of the processor time
  row by row  ${told(rows)}\n  batches     ${told(sets)}`,
  )
}

const accountOf = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n % ACCOUNTS).padStart(12, '0')}`
let made = 0

async function forward(store: Store, size: number, count: number): Promise<void> {
  const accepting = {
    choose: chooseEndpoints,
    limit: { deliveries: 50_000, bytes: 50_000_000 },
    retryFor: hours(72),
    stoppedReason: 'Stopped.',
  }
  const settling = settleOptions(() => 0.5)
  for (let done = 0; done < count; done += size) {
    const accepted = await store.events.acceptEvents(Array.from({ length: size }, newEvent), accepting)
    const ids = accepted.flatMap((one) => (one.outcome === 'stored' ? one.deliveries.map(({ id }) => id) : []))
    const jobs = await store.deliveries.loadDeliveries(ids)
    const reports = jobs.flatMap((job) => (job ? [reportOf(job)] : []))
    const settled = await store.deliveries.settleAttempts(reports, settling)
    if (settled.length !== size) throw new Error(`${settled.length} of ${size} events were settled`)
  }
}

function newEvent(): IncomingEvent {
  made++
  return {
    accountUuid: accountOf(made),
    subscriptionId: null,
    source: 'object',
    object: 'job',
    objectUuid: `record-${made % 1_000}`,
    changedFields: ['status'],
    receivedAt: Date.now(),
    dedupe: `${process.pid}-${made}`,
    body: BODY,
  }
}

function reportOf(job: DeliveryJob): AttemptReport {
  const verdict = { outcome: 'delivered', statusCode: 200, retryAfterMs: null, sentence: 'Delivered.' } as const
  const timing = {
    durationMs: 20,
    dnsMs: 1,
    connectMs: 5,
    tlsMs: 5,
    firstByteMs: 9,
    peerIp: '192.0.2.1',
    responseBody: 'ok',
  }
  const startedAt = Date.now()
  return { job, probe: false, startedAt, endedAt: startedAt + 20, result: { kind: 'sent', verdict, ...timing } }
}

async function measured(server: number | null, count: number, work: () => Promise<void>): Promise<Figures> {
  const [own, theirs, start] = [process.cpuUsage(), ticksOf(server), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(own)
  return {
    perSecond: (count / (performance.now() - start)) * 1_000,
    ours: (user + system) / count,
    server: ((ticksOf(server) - theirs) * TICK * 1_000) / count,
  }
}

/** Processor time of a server and of its processes. */
function ticksOf(server: number | null): number {
  if (server === null) return Number.NaN
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const [, parent, ...rest] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      if (Number(name) !== server && Number(parent) !== server) continue
      const [user, system, usersOfEnded, systemOfEnded] = rest.slice(9, 13).map(Number)
      ticks += (user ?? 0) + (system ?? 0) + (usersOfEnded ?? 0) + (systemOfEnded ?? 0)
    } catch {
      // The process has ended meanwhile.
    }
  }
  return ticks
}

function medians(all: readonly Figures[]): Figures {
  const median = (of: (one: Figures) => number) => all.map(of).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
  return {
    perSecond: median(({ perSecond }) => perSecond),
    ours: median(({ ours }) => ours),
    server: median(({ server }) => server),
  }
}

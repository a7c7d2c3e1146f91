// The trials: saturation of the ingress, events end to end, and a steady stream.
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import {
  cpuMs,
  type Load,
  machineCpuMs,
  type Program,
  type Receivers,
  residentMb,
  type Served,
  startBare,
  startLoad,
  startProduct,
  startReceivers,
} from './processes.ts'
import { seedDatabase } from './seed.ts'
import type { LoadOrder, LoadResult, ReceiverResult, Spread } from './wire.ts'

/** Paths of the bundled programs. */
export interface Programs {
  load: string
  receivers: string
  bare: string
}

export interface Stage {
  programs: Programs
  /** For databases; emptied at the end. */
  folder: string
  encKeys: string
  addresses: number
  /** Folder for processor profiles of the product; null for none. */
  profile: string | null
  say(line: string): void
  /** Records the share of one core used by other programs during a measurement, %. */
  noteOthers(percent: number): void
}

/** One measurement of one server. */
export interface Measured {
  perSecond: number
  answerMs: Spread
  /** Processor time of the server per event, µs; null where the system has no figure. */
  cpuUs: number | null
  /** Share of one core used by other programs meanwhile, %. */
  othersPercent: number | null
  /** Answers other than 200. */
  refused: number
  result: LoadResult
}

export interface Rows {
  events: number
  delivered: number
  waiting: number
  attempts: number
}

export interface Compared {
  product: Measured[]
  bare: Measured[]
}

export interface SteadyMeasured extends Measured {
  delayMs: Spread
  arrived: number
  /** Resident memory, MB, once a second. */
  memory: number[]
  bytesPerEvent: number
  rows: Rows
}

/** Other programs: everything except the server, the load, the receivers and this process. */
async function measure(
  stage: Stage,
  { load, helpers }: { load: Load; helpers: Program[] },
  server: Served,
  order: LoadOrder,
): Promise<Measured> {
  const ours = [server.pid, load.pid, process.pid, ...helpers.map(({ pid }) => pid)]
  const sample = () => ({
    at: performance.now(),
    server: cpuMs(server.pid),
    ours: ours.reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), 0),
    machine: machineCpuMs(),
  })
  let before = sample()
  let after = before
  const result = await load.run(
    order,
    () => {
      before = sample()
    },
    () => {
      after = sample()
    },
  )
  const events = order.do === 'through' ? result.arrived : result.sent
  const { '200': _answered, ...refused } = result.statuses
  const usedByServer = after.server === null || before.server === null ? null : after.server - before.server
  const others =
    after.machine === null || before.machine === null
      ? null
      : after.machine - before.machine - (after.ours - before.ours)
  const othersPercent = others === null ? null : Math.max(0, (others / (after.at - before.at)) * 100)
  stage.noteOthers(othersPercent ?? 0)
  return {
    perSecond: events / result.seconds,
    answerMs: result.answerMs,
    cpuUs: usedByServer === null ? null : (usedByServer * 1_000) / events,
    othersPercent,
    refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
    result,
  }
}

/**
 * Events received, committed and answered per second. Webhooks are paused, so that three rows per event are written
 * (event, body, pending delivery) and nothing is sent.
 */
export async function ingressTrial(
  stage: Stage,
  given: { rounds: number; connections: number; warmUpSeconds: number; seconds: number },
): Promise<Compared> {
  const urls = Array.from({ length: stage.addresses }, (_, index) => `https://receiver-${index}.example.com/fieldhook`)
  const load = startLoad(stage.programs.load, 0)
  const ownFile = databaseIn(stage, 'ingress')
  const bareFile = databaseIn(stage, 'ingress-bare')
  const seeded = await seedDatabase({ file: ownFile, encKeys: stage.encKeys, urls, active: false })
  const seededBare = await seedDatabase({ file: bareFile, encKeys: stage.encKeys, urls, active: false })
  const product = await startProduct({ database: ownFile, encKeys: stage.encKeys, allow: [], profile: stage.profile })
  const bare = await startBare(stage.programs.bare, { database: bareFile, forward: null })
  const order = (server: Served, tokens: string[]): LoadOrder => ({
    do: 'saturate',
    target: { port: server.port, tokens },
    connections: given.connections,
    warmUpSeconds: given.warmUpSeconds,
    seconds: given.seconds,
  })
  const compared: Compared = { product: [], bare: [] }
  for (let round = 1; round <= given.rounds; round++) {
    stage.say(`  round ${round} of ${given.rounds}`)
    compared.bare.push(await measure(stage, { load, helpers: [] }, bare, order(bare, seededBare.tokens)))
    await product.settled()
    compared.product.push(await measure(stage, { load, helpers: [] }, product, order(product, seeded.tokens)))
  }
  await endAll([product, bare, load])
  return compared
}

/** Events per second end to end: received, stored and forwarded to one of the addresses, without a backlog. */
export async function throughTrial(
  stage: Stage,
  given: { rounds: number; window: number; connections: number; slots: number; warmUpSeconds: number; seconds: number },
): Promise<Compared & { rows: Rows; arrived: number }> {
  const receivers = await startReceivers(stage.programs.receivers, stage.addresses)
  const load = startLoad(stage.programs.load, receivers.counterPort)
  const { product, ownFile, seeded } = await forwardingProduct(stage, receivers, 'through')
  const bareFile = databaseIn(stage, 'through-bare')
  const seededBare = await seedDatabase({
    file: bareFile,
    encKeys: stage.encKeys,
    urls: receivers.urls,
    active: true,
  })
  const bare = await startBare(stage.programs.bare, { database: bareFile, forward: { slots: given.slots } })
  const order = (server: Served, tokens: string[]): LoadOrder => ({
    do: 'through',
    target: { port: server.port, tokens },
    window: given.window,
    connections: given.connections,
    warmUpSeconds: given.warmUpSeconds,
    seconds: given.seconds,
  })
  const compared: Compared = { product: [], bare: [] }
  let arrived = 0
  for (let round = 1; round <= given.rounds; round++) {
    stage.say(`  round ${round} of ${given.rounds}`)
    compared.bare.push(await measure(stage, { load, helpers: [receivers] }, bare, order(bare, seededBare.tokens)))
    receivers.forget()
    await product.settled()
    compared.product.push(await measure(stage, { load, helpers: [receivers] }, product, order(product, seeded.tokens)))
    arrived += (await receivers.tell()).arrived
  }
  await endAll([product, bare, load, receivers])
  return { ...compared, rows: rowsOf(ownFile), arrived }
}

/** A stream at a fixed rate, each event forwarded to one of the addresses. */
export async function steadyTrial(
  stage: Stage,
  given: { perSecond: number; warmUpSeconds: number; seconds: number },
): Promise<SteadyMeasured> {
  const receivers = await startReceivers(stage.programs.receivers, stage.addresses)
  const load = startLoad(stage.programs.load, receivers.counterPort)
  const { product, ownFile, seeded, seededBytes } = await forwardingProduct(stage, receivers, 'steady')
  await product.settled()
  const memory: number[] = []
  const watch = setInterval(() => {
    const megabytes = residentMb(product.pid)
    if (megabytes !== null) memory.push(megabytes)
  }, 1_000)
  const target = { port: product.port, tokens: seeded.tokens }
  const measured = await measure(stage, { load, helpers: [receivers] }, product, { do: 'steady', target, ...given })
  const total = Object.values(measured.result.statuses).reduce((sum, count) => sum + count, 0)
  const told = await everythingFrom(receivers, total)
  clearInterval(watch)
  await endAll([product, load, receivers])
  const rows = rowsOf(ownFile)
  const bytesPerEvent = (statSync(ownFile).size - seededBytes) / rows.events
  return { ...measured, ...told, memory, bytesPerEvent, rows }
}

/** The receivers' figures once `total` events have arrived, or after 20 s without any. */
async function everythingFrom(receivers: Receivers, total: number): Promise<ReceiverResult> {
  let told = await receivers.tell()
  for (let looks = 0; told.arrived < total && looks < 200; looks++) {
    await new Promise((next) => setTimeout(next, 100))
    told = await receivers.tell()
  }
  return told
}

async function forwardingProduct(stage: Stage, receivers: Receivers, name: string) {
  const ownFile = databaseIn(stage, name)
  const seeded = await seedDatabase({ file: ownFile, encKeys: stage.encKeys, urls: receivers.urls, active: true })
  const seededBytes = statSync(ownFile).size
  const product = await startProduct({
    database: ownFile,
    encKeys: stage.encKeys,
    allow: receivers.hostsAndPorts,
    profile: stage.profile,
  })
  return { product, ownFile, seeded, seededBytes }
}

function databaseIn({ folder }: Stage, name: string): string {
  const place = join(folder, name)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  return join(place, 'fieldhook.db')
}

/** Contents of a database after its server has ended. */
function rowsOf(file: string): Rows {
  const sql = new Database(file, { readonly: true })
  const count = (query: string) => sql.prepare(query).pluck().get() as number
  const rows = {
    events: count('SELECT count(*) FROM event'),
    delivered: count("SELECT count(*) FROM delivery WHERE state = 'delivered'"),
    waiting: count("SELECT count(*) FROM delivery WHERE state = 'pending'"),
    attempts: count('SELECT count(*) FROM attempt'),
  }
  sql.close()
  return rows
}

async function endAll(programs: Program[]): Promise<void> {
  for (const program of programs) await program.end()
}

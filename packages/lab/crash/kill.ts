// The crash proof: kills a real server under load without warning, at random times and at chosen statements.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { sqlStore } from '#db/sql/store.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ProofArguments, type Random, seededRandom, wholeFrom } from '../report/arguments.ts'
import { examineFile, type FileFindings, untilNothingWaits } from '../stage/file.ts'
import { type ProofLoad, proofLoad } from '../stage/load.ts'
import { type ProofReceiver, proofReceiver } from '../stage/receiver.ts'
import { type ProofServer, pause, proofServer, within } from '../stage/server.ts'
import { makeWebhooks } from '../stage/webhooks.ts'
import { FAULT_POINTS, type Fault, type FaultPlace, type FaultPoint, MIGRATION } from './faults.ts'

/** Attempts in flight at once (engine: slots): one kill can repeat this many. */
export const SLOTS = 64
/** Webhooks per account. Two accounts with five each allow about thirty deliveries in flight at once. */
const OBJECTS = 5
const DELIVERED_WITHIN = 120_000
const SETTLED_WITHIN = 60_000
/** A busy machine may need a while to reach a statement; only a statement that never runs takes this long. */
const REACHED_WITHIN = 90_000
const PRELOAD = resolve('packages/lab/crash/preload.mjs')

export interface CrashFindings {
  kills: number
  sent: number
  acknowledged: number
  /** Calls cut off by a kill, which the proof's platform sent again. */
  cutOff: number
  /** ms from a start to the first accepted event. */
  backAfter: number[]
  /** Acknowledged events per second, from the first 200 of each round to its kill. */
  perSecond: number
  repeats: number
  /** The highest number of deliveries repeated after one kill. */
  mostRepeatsOfOneKill: number
  differentIds: number
  neverArrived: number
  neverAnswered: number
  drained: boolean
  file: FileFindings
  /** The last lines of unexpected output. */
  output: string
}

interface Scene {
  server: ProofServer
  receiver: ProofReceiver
  load: ProofLoad
}

async function withScene<T>(given: { rate: number; random: Random }, run: (scene: Scene) => Promise<T>): Promise<T> {
  const receiver = await proofReceiver(given.random)
  const server = await proofServer({ env: { EGRESS_ALLOW: receiver.hostAndPort } })
  let load: ProofLoad | null = null
  try {
    await server.launch()
    await server.ready()
    load = proofLoad(await makeWebhooks(server, receiver.url, OBJECTS), given.rate, randomUUID)
    return await run({ server, receiver, load })
  } finally {
    load?.close()
    await server.dispose()
    await receiver.close()
  }
}

/** Kills the server `rounds` times, 50 to 800 ms after the round's first accepted event. */
export async function killAtRandomMoments(
  { rounds, rate, seed }: ProofArguments,
  tell: (done: number) => void = () => {},
): Promise<CrashFindings> {
  const random = seededRandom(seed)
  return withScene({ rate, random }, async ({ server, receiver, load }) => {
    const backAfter: number[] = []
    let mostRepeatsOfOneKill = 0
    let repeatsBefore = 0
    let loaded = { ms: 0, acknowledged: 0 }
    for (let round = 1; round <= rounds; round++) {
      const began = performance.now()
      if (round > 1) await mustListen(server)
      const first = load.firstAcknowledged(30_000)
      load.begin()
      await first
      if (round > 1) backAfter.push(performance.now() - began)
      const since = { at: performance.now(), acknowledged: load.acknowledged.size }
      await pause(wholeFrom(random, 50, 800))
      await server.killHard()
      loaded = {
        ms: loaded.ms + performance.now() - since.at,
        acknowledged: loaded.acknowledged + load.acknowledged.size - since.acknowledged,
      }
      await load.end()
      mostRepeatsOfOneKill = Math.max(mostRepeatsOfOneKill, receiver.repeats() - repeatsBefore)
      repeatsBefore = receiver.repeats()
      tell(round)
    }
    await mustListen(server)
    const end = await settleAndExamine({ server, receiver, load })
    return {
      kills: rounds,
      backAfter,
      perSecond: (loaded.acknowledged / loaded.ms) * 1_000,
      mostRepeatsOfOneKill: Math.max(mostRepeatsOfOneKill, receiver.repeats() - repeatsBefore),
      ...end,
    }
  })
}

/** Waits until everything sent is answered and everything answered is delivered, then examines the file. */
async function settleAndExamine({ server, receiver, load }: Scene, gone?: ReadonlySet<string>) {
  const cutOff = load.statuses.get(0) ?? 0
  const neverAnswered = await load.settleUp(30_000)
  const neverArrived = await receiver.stillMissing(load.acknowledged, DELIVERED_WITHIN)
  await untilNothingWaits(server.databaseFile, SETTLED_WITHIN)
  await server.ready()
  const { code } = await server.drain()
  return {
    sent: load.sent(),
    acknowledged: load.acknowledged.size,
    cutOff,
    repeats: receiver.repeats(),
    differentIds: receiver.differentIds(),
    neverArrived,
    neverAnswered,
    drained: code === 0,
    file: examineFile(server.databaseFile, load.acknowledged, gone),
    output: server.output().slice(-4_000),
  }
}

async function mustListen(server: ProofServer): Promise<void> {
  const how = await server.launch()
  if (how !== 'listening') throw new Error(`the server ended while starting:\n${server.output().slice(-4_000)}`)
}

export interface FaultFinding {
  name: string
  point: FaultPoint
  /** The server killed itself exactly there. */
  reached: boolean
  /** Null when everything held; otherwise a sentence about the failure. */
  wrong: string | null
}

export interface ChosenFault {
  place: FaultPlace
  point: FaultPoint
}

/**
 * Kills the server at each fault point, one after the other on the same file. The last start must find everything
 * intact.
 */
export async function killAtFaultPoints(
  chosen: readonly ChosenFault[],
  { rate, seed }: Pick<ProofArguments, 'rate' | 'seed'>,
): Promise<{ faults: FaultFinding[]; end: Awaited<ReturnType<typeof settleAndExamine>> }> {
  return withScene({ rate, random: seededRandom(seed) }, async (scene) => {
    const { server, receiver, load } = scene
    const faults: FaultFinding[] = []
    await someEvents(scene)
    await server.drain()
    // Some faults need the clock moved by weeks: payment is not the subject of this proof.
    neverEnds(server.databaseFile)
    for (const { place, point } of chosen) {
      if (place.by === 'replay') await leaveReplay(server.databaseFile)
      const fault: Fault = { statement: place.statement, nth: place.nth, point }
      const how = await server.launch({ preload: PRELOAD, env: { PROOF_FAULT: JSON.stringify(fault) } })
      if (how === 'listening') await provoke(place, scene)
      const ended = await within(REACHED_WITHIN, server.ended(), () => 'not reached').catch(() => null)
      await load.end()
      if (!ended) await server.killHard()
      const { integrity, missing } = examineFile(
        server.databaseFile,
        load.acknowledged,
        new Set(receiver.arrivals.keys()),
      )
      const wrong =
        integrity !== 'ok'
          ? integrity
          : missing.length > 0
            ? `${missing.length} acknowledged events are not stored`
            : null
      faults.push({ name: place.name, point, reached: ended?.signal === 'SIGKILL', wrong })
    }
    await mustListen(server)
    // Retention may have removed delivered events; all others must be there.
    const end = await settleAndExamine(scene, new Set(receiver.arrivals.keys()))
    return { faults, end }
  })
}

async function someEvents({ server, receiver, load }: Scene): Promise<void> {
  const first = load.firstAcknowledged(30_000)
  load.begin()
  await first
  await pause(500)
  await load.end()
  await load.settleUp(10_000)
  await receiver.stillMissing(load.acknowledged, DELIVERED_WITHIN)
  await server.ready()
}

async function provoke({ by }: FaultPlace, scene: Scene): Promise<void> {
  switch (by) {
    case 'events':
      scene.load.begin()
      return
    case 'clock':
      // A start after a crash may be at any point: first everything is delivered, then six weeks pass.
      await someEvents(scene)
      return sixWeeksLater(scene.server)
    case 'replay':
    case 'start':
      return
  }
}

/** Uses the sandbox's console. Timed work that is due by then runs at once. */
async function sixWeeksLater(server: ProofServer): Promise<void> {
  const browser = scriptlessBrowser(server.origin)
  // The server may kill itself at any step, as intended.
  for (let step = 0; step < 3; step++) await browser.submit('/sandbox/console/clock', { by: '14d' }).catch(() => {})
}

/** Sets every trial to never end. */
function neverEnds(databaseFile: string): void {
  const client = openClient(databaseFile, 'db/migrations')
  try {
    client.sql.exec('UPDATE plan SET trial_ends_at = 9000000000000000')
  } finally {
    client.close()
  }
}

/** Requests a replay of everything to the first endpoint, as a person would just before the crash. */
async function leaveReplay(databaseFile: string): Promise<void> {
  const client = openClient(databaseFile, 'db/migrations')
  try {
    const endpoint = client.sql
      .prepare<[], { id: number; accountUuid: string }>('SELECT id, account_uuid AS accountUuid FROM endpoint LIMIT 1')
      .get()
    if (!endpoint) throw new Error('there is no endpoint')
    const store = sqlStore(client, { now: Date.now, wake: () => () => {} })
    const request = { since: 0, status: 'all' as const, objectUuid: null }
    await store.deliveries.startReplay(endpoint.accountUuid, endpoint.id, request, 0, Date.now())
  } finally {
    client.close()
  }
}

/** Kills a server while it creates its tables, at every point, each time on a new file; the next start must succeed. */
export async function killInMigration(): Promise<FaultFinding[]> {
  const faults: FaultFinding[] = []
  for (const point of FAULT_POINTS) {
    const server = await proofServer({ env: {} })
    try {
      const fault: Fault = { statement: MIGRATION.statement, nth: MIGRATION.nth, point }
      const how = await server.launch({ preload: PRELOAD, env: { PROOF_FAULT: JSON.stringify(fault) } })
      if (how === 'listening') await server.killHard()
      const again = await server.launch()
      if (again === 'listening') await server.ready()
      const { code } = await server.drain()
      const { integrity } = examineFile(server.databaseFile, [])
      const wrong =
        again !== 'listening'
          ? 'it does not start again'
          : code !== 0
            ? 'it does not end well'
            : integrity !== 'ok'
              ? integrity
              : null
      faults.push({ name: MIGRATION.name, point, reached: how !== 'listening' && how.signal === 'SIGKILL', wrong })
    } finally {
      await server.dispose()
    }
  }
  return faults
}

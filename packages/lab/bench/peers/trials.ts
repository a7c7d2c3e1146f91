// The trials of the comparison, the same for every program: maximum speed end to end, a steady stream, kill -9 under
// load, and a receiver that is down for a while.
import { setTimeout as pause } from 'node:timers/promises'
import { type Load, type Receivers, startLoad, startReceivers } from '../processes.ts'
import type { LoadOrder, LoadResult } from '../wire.ts'
import { countArrivals, type Kill, type Outage, type PeerFindings, type Round } from './figures.ts'
import { treeMemory } from './memory.ts'
import type { Peer, Place, RunningPeer } from './peer.ts'

export interface TrialSettings {
  /** Duration of each measurement. */
  seconds: number
  warmUpSeconds: number
  /** Rate of the steady stream. */
  perSecond: number
  kills: number
  downSeconds: number
  /** Maximum wait for arrivals after the receiver is back. */
  waitSeconds: number
}

/** Maximum number of events between load and receivers, so that no backlog builds up while speed is measured. */
const WINDOW = 64
const CONNECTIONS = 32
export const ADDRESSES = 20
/** During kill -9 the receiver answers after a moment, as receivers do, so that something is always in flight. */
const SLOW_ANSWER_MS = 100
const LOAD_BEFORE_KILL_MS = 4_000
/** Events that have not arrived after this silence never will. Longer than any pause between attempts of the peers. */
const SILENCE_MS = 12_000
/** After failures a program may wait longer before a retry: Fieldhook up to 36 s after its second. */
const LONG_SILENCE_MS = 45_000

/** A running peer with its own load and receivers. */
export interface OnStage {
  peer: Peer
  running: RunningPeer
  load: Load
  receivers: Receivers
  found: PeerFindings
  leave(): Promise<void>
}

export async function bringOn(
  peer: Peer,
  programs: { load: string; receivers: string },
  folder: Place['folder'],
): Promise<OnStage> {
  const receivers = await startReceivers(programs.receivers, ADDRESSES)
  const load = startLoad(programs.load, receivers.counterPort)
  const helpersLeave = async () => {
    await load.end()
    await receivers.end()
  }
  try {
    const running = await peer.start({ folder, receivers })
    return {
      peer,
      running,
      load,
      receivers,
      found: {
        name: peer.name,
        version: peer.version,
        settings: peer.settings,
        rounds: [],
        memory: [],
        processes: 0,
        kills: [],
        outage: null,
      },
      async leave() {
        await running.end()
        await helpersLeave()
      },
    }
  } catch (error) {
    await helpersLeave()
    throw error
  }
}

function steadyOrder(
  stage: OnStage,
  more: Partial<Extract<LoadOrder, { do: 'steady' }>>,
  given: TrialSettings,
): LoadOrder {
  return {
    do: 'steady',
    target: stage.running.target,
    perSecond: given.perSecond,
    warmUpSeconds: given.warmUpSeconds,
    seconds: given.seconds,
    connections: CONNECTIONS,
    ...more,
  }
}

/** One round of the two speeds. Acknowledged events must have arrived, once, before the next peer's turn. */
export async function roundOf(stage: OnStage, given: TrialSettings): Promise<void> {
  const { load, receivers, running, found } = stage
  receivers.forget()
  const through = await load.run({
    do: 'through',
    target: running.target,
    window: WINDOW,
    connections: CONNECTIONS,
    warmUpSeconds: given.warmUpSeconds,
    seconds: given.seconds,
  })
  const acknowledged = [...through.acknowledged]
  await untilAllCame(stage, acknowledged, 30_000)
  const arrived = await receivers.numbers()

  receivers.forget()
  const watch = setInterval(() => {
    const memory = treeMemory(running.pid())
    if (!memory) return
    found.memory.push(memory.megabytes)
    found.processes = Math.max(found.processes, memory.processes)
  }, 1_000)
  const steady = await load.run(steadyOrder(stage, {}, given))
  clearInterval(watch)
  await untilAllCame(stage, steady.acknowledged, 30_000)
  const { delayMs } = await receivers.tell()
  arrived.push(...(await receivers.numbers()))
  acknowledged.push(...steady.acknowledged)

  const round: Round = {
    throughPerSecond: through.arrived / through.seconds,
    steady: { perSecond: given.perSecond, answerMs: steady.answerMs, delayMs },
    counted: countArrivals(acknowledged, arrived),
  }
  found.rounds.push(round)
}

/**
 * kill -9 while events come in, then a restart with the same files: which acknowledged events never arrive? `receiver`
 * down = it refuses connections until after the kill, so that everything is retried.
 */
export async function killOnce(stage: OnStage, given: TrialSettings, receiver: Kill['receiver']): Promise<void> {
  const { load, receivers, running, found } = stage
  receivers.forget()
  await receivers.change(receiver === 'down' ? { do: 'down' } : { do: 'answer_after', ms: SLOW_ANSWER_MS })
  const loading = load.run(steadyOrder(stage, { warmUpSeconds: 0, seconds: 60, untilCut: true }, given))
  await pause(LOAD_BEFORE_KILL_MS)
  await running.killHard()
  const { acknowledged } = await loading
  if (receiver === 'down') await receivers.change({ do: 'up' })
  const began = performance.now()
  await running.restart()
  const restartMs = performance.now() - began
  await untilAllCame(stage, acknowledged, receiver === 'down' ? LONG_SILENCE_MS : SILENCE_MS)
  found.kills.push({ receiver, counted: countArrivals(acknowledged, await receivers.numbers()), restartMs })
  await receivers.change({ do: 'answer_after', ms: 0 })
}

/**
 * The receiver refuses connections for a while, then returns. Nothing else happens: later arrivals are kept or retried.
 */
export async function outageOf(stage: OnStage, given: TrialSettings): Promise<void> {
  const { load, receivers, found, peer } = stage
  receivers.forget()
  await receivers.change({ do: 'down' })
  const loading: Promise<LoadResult> = load.run(
    steadyOrder(stage, { warmUpSeconds: 0, seconds: given.downSeconds }, given),
  )
  // The same downtime for every peer, even one that answers late.
  await pause(given.downSeconds * 1_000)
  await receivers.change({ do: 'up' })
  const began = performance.now()
  const { acknowledged } = await loading
  const outage: Outage = {
    downSeconds: given.downSeconds,
    counted: { acknowledged: 0, lost: 0, doubled: 0 },
    arrived: [],
  }
  // Does not wait for a peer that has given up.
  const patience = Math.min(given.waitSeconds, peer.triesForSeconds === null ? Infinity : peer.triesForSeconds + 30)
  for (;;) {
    await pause(1_000)
    const seconds = Math.round((performance.now() - began) / 1_000)
    const seen = new Set(await receivers.numbers())
    if (seen.size !== (outage.arrived.at(-1)?.[1] ?? 0)) outage.arrived.push([seconds, seen.size])
    if (seen.size >= acknowledged.length || seconds >= patience) break
  }
  outage.counted = countArrivals(acknowledged, await receivers.numbers())
  found.outage = outage
}

/** Waits until every number has arrived, or nothing has for `silenceMs`. */
async function untilAllCame({ receivers }: OnStage, numbers: readonly number[], silenceMs: number): Promise<void> {
  let arrived = -1
  let quietSince = performance.now()
  for (;;) {
    const told = await receivers.tell()
    if (told.arrived >= numbers.length) {
      const came = new Set(await receivers.numbers())
      if (numbers.every((number) => came.has(number))) return
    }
    if (told.arrived !== arrived) {
      arrived = told.arrived
      quietSince = performance.now()
    }
    if (performance.now() - quietSince > silenceMs) return
    await pause(200)
  }
}

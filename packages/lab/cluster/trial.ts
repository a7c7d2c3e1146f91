// A trial: a cluster under load, something that happens to it several times, and what was lost, repeated or silent meanwhile.

import { residentMb } from '../bench/processes.ts'
import { moment } from '../fair/receivers.ts'
import { type Random, seededRandom, wholeFrom } from '../report/arguments.ts'
import { pause } from '../stage/server.ts'
import { numberOf } from './event.ts'
import { type Fence, fenceOf, WATCH_SQL } from './fence.ts'
import { type Answered, type ClusterLoad, clusterLoad } from './load.ts'
import type { Arrival, Parallel } from './receivers.ts'
import type { Cluster, ClusterOptions, Instance, Stage } from './stage.ts'

export interface TrialAsked {
  times: number
  /** Events per second. */
  rate: number
  seed: number
}

export interface Round {
  cluster: Cluster
  stage: Stage
  load: ClusterLoad
  random: Random
  /** The one it happens to, another one each time. */
  victim: Instance
  number: number
  answers: readonly InstanceAnswer[]
}

export interface InstanceAnswer extends Answered {
  instance: number
}

export interface Found {
  rounds: number
  sent: number
  acknowledged: number
  /** Events that were not answered 200 even after the trial. */
  neverAnswered: number
  /** Acknowledged events without a row in the database, and those that no receiver got. */
  lost: number
  neverArrived: number
  repeats: number
  mostRepeatsOfOneRound: number
  differentIds: number
  /** The longest time without an arrival of one account, ms: in each round. */
  silences: number[]
  /** ms, from the moment an event was due: of all events. */
  acknowledgedMs: number[]
  arrivedMs: number[]
  /** Answers by status; 0 = none. */
  statuses: Map<number, number>
  answers: readonly InstanceAnswer[]
  /** Processes that ended without being asked: exit codes or signals. */
  endings: string[]
  /** Deliveries still waiting at the end. */
  waiting: number
  mostMb: number
  /** Warnings and errors of the instances by their words. */
  complaints: Map<string, number>
  parallel: Parallel
  /** Where `WATCH_SQL` was run. */
  fence: Fence | null
}

const WARM_UP_MS = 2_000
const SETTLE_UP_WITHIN = 60_000
const DELIVERED_WITHIN = 60_000

export interface TrialOptions extends ClusterOptions {
  /** Origins to send to; default the instances themselves. */
  through?: 'proxy'
  /** How many of the addresses get events; default one for each share. */
  addresses?: number
  /** Events are about so many records of each address; default each about one of its own. */
  records?: number
  /** Addresses that never answer. */
  hanging?: readonly number[]
}

/** What happens in one round, `times` times. Resolves when the cluster is to settle again. */
export type Happening = (round: Round) => Promise<void>

export async function trial(
  stage: Stage,
  { times, rate, seed }: TrialAsked,
  happens: Happening,
  { through, addresses = stage.accounts.length, records, hanging = [], ...options }: TrialOptions = {},
): Promise<Found> {
  const random = seededRandom(seed)
  await stage.receivers.ask('forget')
  await stage.receivers.ask('hang', [...hanging])
  const cluster = await stage.cluster(options)
  const complaintsBefore = complaintsOf(cluster)
  const answers: InstanceAnswer[] = []
  const targets = stage.targets.slice(0, addresses)
  const origins = through === 'proxy' ? [stage.origin] : cluster.instances.map(({ origin }) => origin)
  const load = clusterLoad({
    ...{ targets, origins, ...(records !== undefined && { records }) },
    onAnswer: (instance, given) => void answers.push({ instance, ...given }),
  })
  const silent = new Set(hanging)
  const { arrivalsOf, hear } = listener(load)
  stage.receivers.onTold(hear)
  try {
    load.begin(rate)
    await pause(WARM_UP_MS)
    const silences: number[] = []
    const repeatsOf: number[] = []
    const mostMb: number[] = []
    let before = 0
    for (let number = 0; number < times; number++) {
      const began = moment()
      const victim = cluster.instances[wholeFrom(random, 0, cluster.instances.length - 1)]
      if (!victim) throw new Error('there is no instance')
      await happens({ cluster, stage, load, random, victim, number, answers })
      await cluster.settled()
      await pause(1_000)
      silences.push(longestSilence(arrivalsOf, began, silent))
      const repeats = repeatsIn(load, silent)
      repeatsOf.push(repeats - before)
      before = repeats
      mostMb.push(...memoryOf(cluster))
    }
    load.end()
    const neverAnswered = await load.settleUp(SETTLE_UP_WITHIN)
    const neverArrived = await load.stillMissing(DELIVERED_WITHIN, silent)
    // Repeats come late.
    await pause(1_000)
    const acknowledged = load.sent.filter(({ acknowledgedAt }) => acknowledgedAt !== null)
    const bodies = await cluster.ask<{ body: string }>('SELECT body FROM event_body')
    const stored = new Set(bodies.map(({ body }) => numberOf(body)))
    const lost = load.sent.filter((one, event) => one.acknowledgedAt !== null && !stored.has(event))
    const [left] = await cluster.ask<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM delivery d JOIN endpoint p ON p.id = d.endpoint_id
        WHERE d.state = 'pending' AND p.url <> ALL ($1)`,
      [hanging.map((index) => targets[index]?.url)],
    )
    repeatsOf.push(repeatsIn(load, silent) - before)
    const parallel = await stage.receivers.ask('parallel')
    return {
      rounds: times,
      sent: load.sent.length,
      acknowledged: acknowledged.length,
      neverAnswered,
      lost: lost.length,
      neverArrived,
      repeats: repeatsIn(load, silent),
      mostRepeatsOfOneRound: Math.max(...repeatsOf),
      differentIds: parallel.differentIds,
      silences,
      acknowledgedMs: acknowledged.map(({ dueAt, acknowledgedAt }) => (acknowledgedAt ?? 0) - dueAt),
      arrivedMs: acknowledged.flatMap(({ target, dueAt, arrivedAt }) =>
        arrivedAt === null || silent.has(target) ? [] : [arrivedAt - dueAt],
      ),
      statuses: load.statuses,
      answers,
      endings: cluster.instances.flatMap(({ endings }) => endings.map(({ code, signal }) => String(code ?? signal))),
      waiting: left?.waiting ?? 0,
      mostMb: Math.max(...mostMb),
      complaints: complaintsOf(cluster, complaintsBefore),
      parallel,
      fence: options.sql?.includes(WATCH_SQL) ? await fenceOf(cluster) : null,
    }
  } finally {
    load.close()
    stage.receivers.onTold(() => {})
    await cluster.close()
  }
}

/** Keeps when each account got something. */
function listener(load: ClusterLoad) {
  const arrivalsOf = new Map<number, number[]>()
  return {
    arrivalsOf,
    hear(told: unknown): void {
      const arrivals = told as Arrival[]
      load.arrived(arrivals)
      for (const [, index, at] of arrivals) {
        const known = arrivalsOf.get(index)
        if (known) known.push(at)
        else arrivalsOf.set(index, [at])
      }
    },
  }
}

/** The longest time since `began` in which one of the accounts got nothing, ms. Forgets everything before. */
function longestSilence(arrivalsOf: Map<number, number[]>, began: number, without: ReadonlySet<number>): number {
  const newest = Math.max(...[...arrivalsOf.values()].map((times) => times.at(-1) ?? began))
  let longest = 0
  for (const [index, times] of arrivalsOf) {
    if (without.has(index)) continue
    let last = began
    for (const at of [...times.filter((time) => time > began), newest]) {
      longest = Math.max(longest, at - last)
      last = at
    }
    arrivalsOf.set(index, times.slice(-1))
  }
  return longest
}

function repeatsIn({ sent }: ClusterLoad, without: ReadonlySet<number>): number {
  return sent.reduce((sum, { target, arrivals }) => sum + (without.has(target) ? 0 : Math.max(0, arrivals - 1)), 0)
}

export function memoryOf({ instances }: Cluster): number[] {
  return instances.flatMap(({ server }) => residentMb(server.pid) ?? [])
}

/** Of their newest output, without those of before. */
function complaintsOf({ instances }: Cluster, before: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const counts = new Map([...before].map(([words, count]) => [words, -count]))
  const lines = instances.flatMap(({ server }) => server.output().split('\n'))
  for (const line of lines) {
    const [, message] = /"msg":"([^"]+)"/.exec(line) ?? []
    if (message === undefined) continue
    const [, cause = ''] = /"message":"((?:[^"\\]|\\.){0,120})/.exec(line) ?? []
    const words = `${message} ${cause}`.trim()
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return new Map([...counts].filter(([, count]) => count > 0))
}

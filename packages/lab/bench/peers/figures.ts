// Evaluates the comparison's measurements: lost and duplicate events, ratios within a round, rows for the page.
import type { Figure } from '../../report/figures.ts'
import type { Spread } from '../wire.ts'

export interface Counted {
  acknowledged: number
  /** Acknowledged, but never arrived. */
  lost: number
  /** Arrivals beyond the first of an event. */
  doubled: number
}

export interface Round {
  /** Events forwarded end to end, per second. */
  throughPerSecond: number
  steady: { perSecond: number; answerMs: Spread; delayMs: Spread }
  counted: Counted
}

export interface Outage {
  downSeconds: number
  counted: Counted
  /** Seconds since the receiver was back, and the number of events arrived by then. */
  arrived: [seconds: number, events: number][]
}

export interface Kill {
  /** `well`: the receiver accepted everything. `down`: it refused connections until after the kill: all was retried. */
  receiver: 'well' | 'down'
  counted: Counted
  restartMs: number
}

export interface PeerFindings {
  name: string
  version: string
  settings: string[]
  rounds: Round[]
  /** Resident memory of all of its processes, MB, during the steady load; empty where the system has no figure. */
  memory: number[]
  processes: number
  kills: Kill[]
  outage: Outage | null
}

export type PeerResult =
  | ({ outcome: 'measured' } & PeerFindings)
  | { outcome: 'could_not'; name: string; sentence: string }

/** Compares answered events with arrived ones, by their numbers. */
export function countArrivals(acknowledged: Iterable<number>, arrived: Iterable<number>): Counted {
  const wanted = new Set(acknowledged)
  const seen = new Set<number>()
  let doubled = 0
  for (const number of arrived) {
    if (seen.has(number)) doubled++
    seen.add(number)
  }
  let lost = 0
  for (const number of wanted) if (!seen.has(number)) lost++
  return { acknowledged: wanted.size, lost, doubled }
}

function sumCounted(all: readonly Counted[]): Counted {
  const sum = (key: keyof Counted) => all.reduce((total, one) => total + one[key], 0)
  return { acknowledged: sum('acknowledged'), lost: sum('lost'), doubled: sum('doubled') }
}

/** The program that the others are compared with. */
export const OWN = 'Fieldhook'

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/**
 * The ratio of `one` to `other`: each round has its own ratio, because both sides of it had the same neighbours on the
 * machine; the median counts. Rounds that only one of them has are left out.
 */
export function ratioBeside(one: readonly Round[], other: readonly Round[], of: (round: Round) => number): number {
  const ratios = one.flatMap((round, index) => {
    const beside = other[index]
    return beside ? [of(round) / of(beside)] : []
  })
  return median(ratios)
}

/** `all 1200`, `1180 of 1200`. */
export function ofAll(count: number, all: number): string {
  return count === all ? `all ${all}` : `${count} of ${all}`
}

/** When the last event arrived, in words. */
export function outageWords(outage: Outage): string {
  const { counted } = outage
  const came = counted.acknowledged - counted.lost
  const last = outage.arrived.find(([, events]) => events >= came)?.[0]
  const when = came === 0 || last === undefined ? '' : `, the last after ${last} s`
  return `${ofAll(came, counted.acknowledged)}${when}${counted.doubled > 0 ? `, ${counted.doubled} twice` : ''}`
}

export interface Row {
  name: string
  cells: string[]
}

export const COLUMNS = [
  'events/s',
  'beside us',
  'acknowledged p50/p99',
  'delay p50/p99',
  'memory',
  'kill -9, all well: lost / twice',
  'kill -9, receiver down: lost / twice',
  'receiver down: arrived',
]

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
const pair = (rounds: readonly Round[], of: (round: Round) => Spread) =>
  `${ms(median(rounds.map((round) => of(round).p50)))} / ${ms(median(rounds.map((round) => of(round).p99)))}`

export const throughOf = (round: Round) => round.throughPerSecond

/** The baseline of the comparison; null when it was not measured. */
export function ownOf(results: readonly PeerResult[]): PeerFindings | null {
  const own = results.find(({ name }) => name === OWN)
  return own?.outcome === 'measured' ? own : null
}

const killsOf = ({ kills }: PeerFindings, receiver: Kill['receiver']): Counted =>
  sumCounted(kills.filter((kill) => kill.receiver === receiver).map(({ counted }) => counted))

export function tableRows(results: readonly PeerResult[]): Row[] {
  const own = ownOf(results)
  return results.map((result) => {
    if (result.outcome === 'could_not') return { name: result.name, cells: [result.sentence] }
    const { rounds, kills, outage, memory } = result
    const ratio = own ? ratioBeside(rounds, own.rounds, throughOf) : Number.NaN
    const killed = (receiver: Kill['receiver']) => {
      const { lost, doubled, acknowledged } = killsOf(result, receiver)
      return kills.length === 0 ? '–' : `${lost} / ${doubled} of ${acknowledged}`
    }
    return {
      name: `${result.name} ${result.version}`,
      cells: [
        median(rounds.map(throughOf)).toFixed(0),
        Number.isNaN(ratio) ? '–' : ratio.toFixed(2),
        pair(rounds, ({ steady }) => steady.answerMs),
        pair(rounds, ({ steady }) => steady.delayMs),
        memory.length === 0 ? '–' : `${Math.max(...memory).toFixed(0)} MB`,
        killed('well'),
        killed('down'),
        outage ? outageWords(outage) : '–',
      ],
    }
  })
}

/**
 * The same for docs/proof.md: one group per question, one line per program. Without `speeds`, only figures that a busy
 * neighbour cannot affect: losses, arrivals, memory.
 */
export function figuresOf(results: readonly PeerResult[], { speeds }: { speeds: boolean }): Figure[] {
  const figures: Figure[] = []
  const own = ownOf(results)
  const measured = results.filter((result) => result.outcome === 'measured')
  const add = (group: string, unit: string | null, of: (result: PeerFindings) => number | string | null) => {
    for (const result of measured) {
      const value = of(result)
      if (value === null) continue
      figures.push({ group, name: `${result.name} ${result.version}`, value, ...(unit !== null && { unit }) })
    }
  }
  for (const result of results) {
    if (result.outcome === 'could_not')
      figures.push({ group: 'Not measured', name: result.name, value: result.sentence })
  }
  const tenth = (value: number) => Math.round(value * 10) / 10
  const addSpeeds = () => {
    add('All the way: in, kept, forwarded', 'events/s', ({ rounds }) => Math.round(median(rounds.map(throughOf))))
    add('The same, beside Fieldhook in the same round (1 = as many)', null, ({ rounds }) =>
      own ? Math.round(ratioBeside(rounds, own.rounds, throughOf) * 100) / 100 : null,
    )
    const spread = (group: string, part: 'p50' | 'p99', of: (round: Round) => Spread) =>
      add(group, 'ms', ({ rounds }) => tenth(median(rounds.map((round) => of(round)[part]))))
    spread('Steady load: acknowledged after, p99', 'p99', ({ steady }) => steady.answerMs)
    spread('Steady load: at the receiver after, p50', 'p50', ({ steady }) => steady.delayMs)
    spread('Steady load: at the receiver after, p99', 'p99', ({ steady }) => steady.delayMs)
  }
  if (speeds) addSpeeds()
  add('Without trouble: acknowledged and lost', null, ({ rounds }) => sumCounted(rounds.map((one) => one.counted)).lost)
  add('Without trouble: arrived twice', null, ({ rounds }) => sumCounted(rounds.map((one) => one.counted)).doubled)
  add('Memory under the steady load, all processes, most', 'MB', ({ memory }) =>
    memory.length === 0 ? null : Math.round(Math.max(...memory)),
  )
  const hasKills = (result: PeerFindings) => result.kills.length > 0
  for (const receiver of ['well', 'down'] as const) {
    const when = receiver === 'well' ? 'kill -9 under load' : 'kill -9 while the receiver is down'
    add(`${when}: acknowledged and never forwarded`, null, (result) => {
      const { lost, acknowledged } = killsOf(result, receiver)
      return hasKills(result) ? `${lost} of ${acknowledged}` : null
    })
    add(`${when}: forwarded twice`, null, (result) => (hasKills(result) ? killsOf(result, receiver).doubled : null))
  }
  add('kill -9: ready again after', 's', (result) =>
    speeds && hasKills(result) ? tenth(median(result.kills.map(({ restartMs }) => restartMs)) / 1_000) : null,
  )
  const down = own?.outage?.downSeconds ?? 0
  add(`Receiver down for ${down} s: what arrives afterwards`, null, ({ outage }) => outage && outageWords(outage))
  return figures
}

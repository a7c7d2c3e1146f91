// Arguments of every proof command, and repeatable randomness: the same seed gives the same choices.
import { parseArgs } from 'node:util'

export interface ProofArguments {
  rounds: number
  /** Events per second. */
  rate: number
  seed: number
}

const MOST: ProofArguments = { rounds: 10_000, rate: 5_000, seed: 2 ** 32 - 1 }

/** Reads `--rounds N --rate R --seed S`; anything else ends the process with a sentence. The default seed is random. */
export function readProofArguments(defaults: Pick<ProofArguments, 'rounds' | 'rate'>): ProofArguments {
  const whole = (name: keyof ProofArguments, given: string | undefined, otherwise: number): number => {
    const value = given === undefined ? otherwise : Number(given)
    if (Number.isInteger(value) && value >= 1 && value <= MOST[name]) return value
    throw new Error(`--${name} must be a whole number from 1 to ${MOST[name]}.`)
  }
  try {
    const { values } = parseArgs({
      options: { rounds: { type: 'string' }, rate: { type: 'string' }, seed: { type: 'string' } },
    })
    return {
      rounds: whole('rounds', values.rounds, defaults.rounds),
      rate: whole('rate', values.rate, defaults.rate),
      seed: whole('seed', values.seed, 1 + Math.floor(Math.random() * (MOST.seed - 1))),
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nKnown: --rounds N --rate R --seed S`)
    process.exit(2)
  }
}

/** Returns numbers from 0 to below 1 (mulberry32). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number from `low` to `high`, both included. */
export function wholeFrom(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

/** The value below which `share` of the values are (0.99 = p99); NaN without any. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

// The trials' process: sends one line of JSON for each place, so that the parent can name the place when it hangs.
import { ENTRANCES } from './entrances.ts'
import type { FoundFunction } from './functions.ts'
import { growthOf } from './measure.ts'
import { MODULES } from './modules.ts'
import { type NamedTrial, trialsOf, trialsOfEntrance } from './trials.ts'

export interface Order {
  functions: FoundFunction[]
  /** Every unit instead of only the likeliest. */
  whole: boolean
  /** Only places whose name contains this. */
  only: string | null
}

export type Line =
  | { kind: 'begins'; name: string }
  | { kind: 'fault'; name: string; input: string; fault: string }
  | { kind: 'slow'; name: string; input: string; ms: number; length: number }
  | { kind: 'done'; name: string; trials: number; tookMs: number }
  | { kind: 'end' }

/** A place is reported above this cost at its limit, although it grows as it should, ms. */
const WORTH_TELLING = 25
/** One finding for each place is enough: growth with one input means growth with twenty. */
const MOST_FAULTS = 1
/** How often a place with many inputs reports progress, ms. */
const STILL_THERE = 1_000

process.once('message', (order: Order) => {
  for (const { name, trials } of places(order)) {
    tell({ kind: 'begins', name })
    tryOut(name, trials)
  }
  process.send?.({ kind: 'end' }, () => process.exit())
})

function tell(line: Line): void {
  process.send?.(line)
}

function places({ functions, whole, only }: Order): { name: string; trials: NamedTrial[] }[] {
  const found = functions.flatMap((one) => {
    const call = MODULES[one.file]?.[one.name]
    const name = `${one.file} ${one.name}`
    if (typeof call !== 'function') throw new Error(`${name} is not in the bundle`)
    return [{ name, trials: () => trialsOf(one, call as (...given: unknown[]) => unknown, whole) }]
  })
  const written = ENTRANCES.filter((one) => whole || !one.wholeOnly).map((one) => ({
    name: one.name,
    trials: () => trialsOfEntrance(one, whole),
  }))
  return [...written, ...found]
    .filter(({ name }) => only === null || name.includes(only))
    .map(({ name, trials }) => ({ name, trials: trials() }))
}

function tryOut(name: string, trials: NamedTrial[]): void {
  let faults = 0
  const began = performance.now()
  let told = began
  let slowest = { ms: 0, input: '', length: 0 }
  for (const trial of trials) {
    if (performance.now() - told > STILL_THERE) {
      tell({ kind: 'begins', name })
      told = performance.now()
    }
    const grown = growthOf(trial)
    if (grown.ms > slowest.ms) slowest = { ms: grown.ms, input: trial.input, length: grown.length }
    if (grown.fault === null) continue
    tell({ kind: 'fault', name: trial.name, input: trial.input, fault: grown.fault })
    faults += 1
    if (faults >= MOST_FAULTS) break
  }
  if (slowest.ms > WORTH_TELLING) tell({ kind: 'slow', name, ...slowest })
  tell({ kind: 'done', name, trials: trials.length, tookMs: performance.now() - began })
}

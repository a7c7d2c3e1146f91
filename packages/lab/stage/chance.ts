// Repeatable randomness: the same seed and purpose give the same numbers on every machine.

export interface Chance {
  /** 0 to below 1. */
  next(): number
  /** A whole number, both bounds included. */
  whole(from: number, to: number): number
  /** True with this probability. */
  hit(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** One of the values, chosen by weight. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T
  /** A duration between the two, in ms; short ones are as likely as ones ten times as long. */
  span(fromMs: number, toMs: number): number
}

/** A separate stream for each purpose, so that one more draw for one purpose does not change the others. */
export function createChance(seed: number, purpose: string): Chance {
  let state = seed | 0
  for (const letter of purpose) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193) + 0x9e3779b9

  function next(): number {
    state = (Math.imul(state, 747_796_405) + 1_403_630_843) | 0
    const mixed = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277_803_737)
    return (((mixed >>> 22) ^ mixed) >>> 0) / 2 ** 32
  }
  // The first few numbers still resemble the seed.
  for (let n = 0; n < 8; n++) next()

  const chance: Chance = {
    next,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    hit: (probability) => next() < probability,
    pick(list) {
      const one = list[Math.floor(next() * list.length)]
      if (one === undefined) throw new Error('there is nothing to pick from')
      return one
    },
    weighted(list) {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of list) {
        left -= weight
        if (left < 0) return value
      }
      return chance.pick(list)[1]
    },
    span: (fromMs, toMs) => Math.round(fromMs * (toMs / fromMs) ** next()),
  }
  return chance
}

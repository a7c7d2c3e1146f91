// What was read from the platform a little while ago, by account and kind. Bounded: when it is full, the kind of an account that
// was unused the longest is forgotten as a whole.
import type { Clock, Millis } from '#app/lib/clock.ts'

interface Held<Row> {
  row: Row | null
  until: Millis
}

interface Shelf<Row> {
  held: Map<string, Held<Row>>
  /** Until then the whole list was read: a key that is not here does not exist. */
  wholeUntil: Millis
  weight: number
}

export interface FactCache<Row> {
  /** undefined = not known; null = known not to exist. */
  find(accountUuid: string, kind: string, key: string): Row | null | undefined
  keep(accountUuid: string, kind: string, rows: Iterable<readonly [string, Row | null]>, options: KeepOptions): void
  /** When the whole list of this kind is known until; 0 = it is not. */
  wholeUntil(accountUuid: string, kind: string): Millis
}

interface KeepOptions {
  until: Millis
  /** The rows are all there are, as far as can be said until this moment. */
  wholeUntil?: Millis
  /** How much a row weighs against the others; a contact is 1. */
  weight?: number
}

/** About 60 MB. */
const HEAVIEST = 150_000

export function createFactCache<Row>(clock: Clock, heaviest: number = HEAVIEST): FactCache<Row> {
  const shelves = new Map<string, Shelf<Row>>()
  let weight = 0

  function shelfOf(accountUuid: string, kind: string): Shelf<Row> | undefined {
    const name = `${accountUuid}|${kind}`
    const shelf = shelves.get(name)
    // Taken out and put back: the map's order is the order of last use.
    if (shelf) {
      shelves.delete(name)
      shelves.set(name, shelf)
    }
    return shelf
  }

  function makeRoom(keeping: Shelf<Row>): void {
    for (const [name, shelf] of shelves) {
      if (weight <= heaviest) return
      if (shelf === keeping) continue
      shelves.delete(name)
      weight -= shelf.weight
    }
  }

  return {
    find(accountUuid, kind, key) {
      const shelf = shelfOf(accountUuid, kind)
      const now = clock.now()
      const held = shelf?.held.get(key)
      if (held && held.until > now) return held.row
      return shelf && shelf.wholeUntil > now ? null : undefined
    },
    keep(accountUuid, kind, rows, { until, wholeUntil, weight: each = 1 }) {
      const shelf = shelfOf(accountUuid, kind) ?? { held: new Map(), wholeUntil: 0, weight: 0 }
      shelves.set(`${accountUuid}|${kind}`, shelf)
      if (wholeUntil !== undefined) shelf.held.clear()
      for (const [key, row] of rows) shelf.held.set(key, { row, until })
      if (wholeUntil !== undefined) shelf.wholeUntil = wholeUntil
      weight += shelf.held.size * each - shelf.weight
      shelf.weight = shelf.held.size * each
      makeRoom(shelf)
    },
    wholeUntil: (accountUuid, kind) => shelfOf(accountUuid, kind)?.wholeUntil ?? 0,
  }
}

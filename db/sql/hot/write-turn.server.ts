// Hot path writes of one event loop turn share one transaction, so one disk sync and one write per counter. If one
// write breaks the transaction, all are repeated, each in its own savepoint, so only the broken one fails. (Savepoints
// from the start would first copy every written page: measured.)
import type { Database, Step } from '../../database.ts'
import { isStorageFailure } from '../../storage-failure.ts'
import { type Tally, tallies } from './tally.server.ts'

/** The transaction of one turn, as each participant sees it. */
export interface Turn {
  /** Written at the end of the transaction. */
  tally: Tally
  /** True = something broke the transaction before: work with several parts runs each in a savepoint. */
  apart: boolean
}

export interface WriteTurn {
  /**
   * Runs `work` in the transaction of this turn. Resolves after the commit; rejects with the error it threw, or when
   * nothing could be committed. May run `work` several times, so it must change only the database and the tally.
   */
  run<T>(work: (turn: Turn) => Step<T>): Promise<T>
}

interface Waiting {
  work: (turn: Turn) => Step<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Result = { done: true; value: unknown } | { done: false; error: unknown }

/** One per connection. */
export function createWriteTurn(db: Database): WriteTurn {
  const newTally = tallies(db)
  let queue: Waiting[] = []
  let writing = false

  const together = db.write(function* (works: Waiting[]): Generator<unknown, Result[]> {
    const tally = newTally()
    const results: Result[] = []
    for (const { work } of works) results.push({ done: true, value: yield* work({ tally, apart: false }) })
    yield* tally.write()
    return results
  })

  function* inSavepoint({ work }: Waiting, tally: Tally): Generator<unknown, Result> {
    const own = newTally(tally)
    try {
      const value = yield* db.savepoint(() => work({ tally: own, apart: true }))
      tally.absorb(own)
      return { done: true, value }
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return { done: false, error }
    }
  }
  const apart = db.write(function* (works: Waiting[]): Generator<unknown, Result[]> {
    const tally = newTally()
    const results: Result[] = []
    for (const one of works) results.push(yield* inSavepoint(one, tally))
    yield* tally.write()
    return results
  })

  async function write(works: Waiting[]): Promise<Result[]> {
    try {
      return await together(works)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return apart(works)
    }
  }

  /** One transaction at a time: what arrives meanwhile shares the next. */
  async function flush(): Promise<void> {
    const works = queue
    queue = []
    writing = true
    try {
      const results = await write(works)
      works.forEach(({ resolve, reject }, index) => {
        const result = results[index]
        if (result?.done) resolve(result.value)
        else reject(result?.error)
      })
    } catch (error) {
      for (const { reject } of works) reject(error)
    }
    writing = false
    if (queue.length > 0) void flush()
  }

  return {
    run<T>(work: (turn: Turn) => Step<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: (value) => resolve(value as T), reject })
        if (queue.length === 1 && !writing) queueMicrotask(() => void flush())
      })
    },
  }
}

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

/** Who else has to know. */
export interface News {
  /** Leaves news of deliveries for whoever sends them, in this transaction. Resolves with whether it left any. */
  tell(waiting: readonly { accountUuid: string; endpointId: number }[]): Step<boolean>
  /** Called after a commit that left some. */
  told(): void
}

interface Waiting {
  work: (turn: Turn) => Step<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Written {
  results: Result[]
  /** News was left for another instance. */
  told: boolean
}

type Result = { done: true; value: unknown } | { done: false; error: unknown }

/** One per connection. */
export function createWriteTurn(db: Database, news?: News): WriteTurn {
  const newTally = tallies(db)
  let queue: Waiting[] = []
  let writing = false

  function* end(tally: Tally): Generator<unknown, boolean> {
    yield* tally.write()
    return news !== undefined && (yield* news.tell(tally.moreWaiting()))
  }
  const together = db.write(function* (works: Waiting[]): Generator<unknown, Written> {
    const tally = newTally()
    const results: Result[] = []
    for (const { work } of works) results.push({ done: true, value: yield* work({ tally, apart: false }) })
    return { results, told: yield* end(tally) }
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
  const apart = db.write(function* (works: Waiting[]): Generator<unknown, Written> {
    const tally = newTally()
    const results: Result[] = []
    for (const one of works) results.push(yield* inSavepoint(one, tally))
    return { results, told: yield* end(tally) }
  })

  async function write(works: Waiting[]): Promise<Written> {
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
      const { results, told } = await write(works)
      if (told) news?.told()
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

// Hot path writes of one event loop turn share one transaction, so one disk sync and one write per counter. If one
// write breaks the transaction, all are repeated, each in its own savepoint, so only the broken one fails. (Savepoints
// from the start would first copy every written page: measured.)
import type { Sql } from '../../sqlite/sql.ts'
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
   * nothing could be committed. May run `work` twice, so it must change only the database and the tally.
   */
  run<T>(work: (turn: Turn) => T): Promise<T>
}

interface Waiting {
  work: (turn: Turn) => unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

type Result = { done: true; value: unknown } | { done: false; error: unknown }

/** One per connection. */
export function createWriteTurn(sql: Sql): WriteTurn {
  const newTally = tallies(sql)
  let queue: Waiting[] = []

  const together = sql.transaction((works: Waiting[]): Result[] => {
    const tally = newTally()
    const results = works.map(({ work }): Result => ({ done: true, value: work({ tally, apart: false }) }))
    tally.write()
    return results
  })
  /** Within a transaction, this is a savepoint. */
  const inSavepoint = sql.transaction((work: Waiting['work'], turn: Turn) => work(turn))
  const apart = sql.transaction((works: Waiting[]): Result[] => {
    const tally = newTally()
    const results = works.map(({ work }): Result => {
      const own = newTally(tally)
      try {
        const value = inSavepoint(work, { tally: own, apart: true })
        tally.absorb(own)
        return { done: true, value }
      } catch (error) {
        if (isStorageFailure(error)) throw error
        return { done: false, error }
      }
    })
    tally.write()
    return results
  })

  function write(works: Waiting[]): Result[] {
    try {
      return together.immediate(works)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return apart.immediate(works)
    }
  }

  function flush(): void {
    const works = queue
    queue = []
    let results: Result[]
    try {
      results = write(works)
    } catch (error) {
      for (const { reject } of works) reject(error)
      return
    }
    works.forEach(({ resolve, reject }, index) => {
      const result = results[index]
      if (result?.done) resolve(result.value)
      else reject(result?.error)
    })
  }

  return {
    run<T>(work: (turn: Turn) => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: (value) => resolve(value as T), reject })
        if (queue.length === 1) queueMicrotask(flush)
      })
    },
  }
}

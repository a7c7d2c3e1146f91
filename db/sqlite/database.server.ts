// SQLite as `db/sql` sees it: every statement returns at once, so an operation runs to its end in one go.
import type { Statement as Prepared } from 'better-sqlite3'
import { type Database, finish, type Statement, type Step } from '../database.ts'
import type { Sql } from './sql.ts'

export function sqliteDatabase(sql: Sql): Database {
  const nested = sql.transaction(<T>(act: () => Step<T>): T => finish(act()))
  return {
    prepare: (text) => statement(sql.prepare(text)),
    write(act) {
      const whole = sql.transaction((...args: Parameters<typeof act>) => finish(act(...args)))
      return async (...args) => whole.immediate(...args)
    },
    read:
      (act) =>
      async (...args) =>
        finish(act(...args)),
    snapshot(act) {
      const whole = sql.transaction((...args: Parameters<typeof act>) => finish(act(...args)))
      return async (...args) => whole.deferred(...args)
    },
    savepoint: <T>(act: () => Step<T>): Step<T> => ({
      [Symbol.iterator]: () => ({ next: () => ({ done: true, value: nested(act) as T }) }),
    }),
  }
}

function statement<Args extends unknown[], Row>(prepared: Prepared): Statement<Args, Row> {
  const own: Statement<Args, Row> = {
    get: (...args) => new Running<Row | undefined>(prepared, 'get', args),
    all: (...args) => new Running<Row[]>(prepared, 'all', args),
    run: (...args) => new Running<{ changes: number }>(prepared, 'run', args),
    pluck() {
      prepared.pluck()
      return own
    },
    raw() {
      prepared.raw()
      return own
    },
  }
  return own
}

/**
 * A statement that runs when its step is taken, not before: without `yield*` it does nothing, as on any other engine.
 * One object is iterable, iterator and result, because every statement makes one.
 */
class Running<T> implements Step<T>, Iterator<never, T>, IteratorReturnResult<T> {
  readonly done = true
  value!: T
  readonly #prepared: Prepared
  readonly #how: 'get' | 'all' | 'run'
  readonly #args: unknown[]

  constructor(prepared: Prepared, how: 'get' | 'all' | 'run', args: unknown[]) {
    this.#prepared = prepared
    this.#how = how
    this.#args = args
  }
  [Symbol.iterator](): this {
    return this
  }
  next(): this {
    this.value = this.#prepared[this.#how](...this.#args) as T
    return this
  }
}

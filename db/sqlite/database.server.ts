// SQLite as `db/sql` sees it: every statement returns at once, so an operation runs to its end in one go.
import type { Statement as Prepared } from 'better-sqlite3'
import { type Database, finish, type Statement, type Step } from '../database.ts'
import type { Sql } from './sql.ts'

/** `synced` resolves when what was committed is on disk. Without it: a connection that only reads, or syncs itself. */
export function sqliteDatabase(sql: Sql, synced = async () => {}): Database {
  // One for all: making one for each operation takes longer than most operations.
  const whole = sql.transaction((act: () => Step<unknown>) => finish(act()))
  const kept = async <T>(value: T): Promise<T> => {
    await synced()
    return value
  }
  return {
    prepare: (text) => (isPlainInsert(text) ? insertStatement(sql, text) : statement(sql, text, planned)),
    write:
      <A extends unknown[], T>(act: (...args: A) => Step<T>) =>
      async (...args: A) =>
        kept(whole.immediate(() => act(...args)) as T),
    read:
      (act) =>
      async (...args) =>
        finish(act(...args)),
    readKept:
      (act) =>
      async (...args) =>
        kept(finish(act(...args))),
    single:
      (act) =>
      async (...args) =>
        kept(finish(act(...args))),
    snapshot:
      <A extends unknown[], T>(act: (...args: A) => Step<T>) =>
      async (...args: A) =>
        whole.deferred(() => act(...args)) as T,
    savepoint: <T>(act: () => Step<T>): Step<T> => ({
      [Symbol.iterator]: () => ({ next: () => ({ done: true, value: whole(act) as T }) }),
    }),
  }
}

/**
 * For the query builder: it binds the constants of partial indexes as well (`"active" = ?`), so SQLite has to look at its
 * values to find these indexes.
 */
export function plannedByValue(sql: Sql): Pick<Database, 'prepare'> {
  return { prepare: (text) => statement(sql, text) }
}

/** Strings, quoted names and comments are kept; values by position and by name are found. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\?|@\w+/g

/**
 * A plus before each value changes no result and hides it from the planner. Built with SQLITE_ENABLE_STAT4, as by
 * better-sqlite3, SQLite plans a join, an ORDER BY or a min() anew for each value it could plan with: loading a delivery
 * took 21.9 µs that way and takes 2.1 (docs/decisions/0068).
 */
export function planned(text: string): string {
  return text.replace(TOKEN, (token) => (token.startsWith('?') || token.startsWith('@') ? `+${token}` : token))
}

/** Its one answer is the new row's number. */
function isPlainInsert(text: string): boolean {
  return /^\s*INSERT INTO[^;]*\bVALUES\b[^;]*\bRETURNING (id|seq)\s*$/.test(text) && !/\bDO UPDATE\b/.test(text)
}

/** SQLite knows the number of the new row anyway: RETURNING would make the insert half as slow again (measured). */
function insertStatement<Args extends unknown[], Row>(sql: Sql, text: string): Statement<Args, Row> {
  const plain = text.replace(/\bRETURNING (id|seq)\s*$/, '')
  let prepared: Prepared | undefined
  const insert = {
    get(...args: unknown[]) {
      prepared ??= sql.prepare(plain)
      const { changes, lastInsertRowid } = prepared.run(...args)
      return changes === 0 ? undefined : Number(lastInsertRowid)
    },
  }
  const once = (): never => {
    throw new Error('an insert that answers with its number is run by pluck() and get()')
  }
  const own: Statement<Args, Row> = {
    get: (...args) => new Running<Row | undefined>(insert, 'get', args),
    all: once,
    run: once,
    pluck: () => own,
    raw: once,
  }
  return own
}

/**
 * Prepared when it is first asked for: to prepare all four hundred for the writer and the reader takes longer than most tests.
 * `db/postgres/statements.test.ts` shows that SQLite takes each of them.
 */
function statement<Args extends unknown[], Row>(
  sql: Sql,
  text: string,
  spelt = (same: string) => same,
): Statement<Args, Row> {
  let shape: 'pluck' | 'raw' | null = null
  let prepared: Prepared | undefined
  const ready = (): Prepared => {
    if (prepared) return prepared
    prepared = sql.prepare(spelt(text))
    return shape === null ? prepared : prepared[shape]()
  }
  const own: Statement<Args, Row> = {
    get: (...args) => new Running<Row | undefined>(ready(), 'get', args),
    all: (...args) => new Running<Row[]>(ready(), 'all', args),
    run: (...args) => new Running<{ changes: number }>(ready(), 'run', args),
    pluck() {
      shape = 'pluck'
      return own
    },
    raw() {
      shape = 'raw'
      return own
    },
  }
  return own
}

type Runnable = Partial<Record<'get' | 'all' | 'run', (...args: unknown[]) => unknown>>

/**
 * A statement that runs when its step is taken, not before: without `yield*` it does nothing, as on any other engine.
 * One object is iterable, iterator and result, because every statement makes one.
 */
class Running<T> implements Step<T>, Iterator<never, T>, IteratorReturnResult<T> {
  readonly done = true
  value!: T
  readonly #prepared: Runnable
  readonly #how: 'get' | 'all' | 'run'
  readonly #args: unknown[]

  constructor(prepared: Runnable, how: 'get' | 'all' | 'run', args: unknown[]) {
    this.#prepared = prepared
    this.#how = how
    this.#args = args
  }
  [Symbol.iterator](): this {
    return this
  }
  next(): this {
    this.value = this.#prepared[this.#how]?.(...this.#args) as T
    return this
  }
}

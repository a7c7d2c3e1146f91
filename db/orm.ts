// drizzle's query builder over a `Database`: its queries become statements, their results become steps.
import { fillPlaceholders, type Query } from 'drizzle-orm/sql'
import {
  BaseSQLiteDatabase,
  SQLiteAsyncDialect,
  type SQLiteExecuteMethod,
  SQLitePreparedQuery,
  SQLiteSession,
} from 'drizzle-orm/sqlite-core'
import * as drizzleUtils from 'drizzle-orm/utils'
import type { Database, Statement, Step } from './database.ts'
import type * as schema from './schema.ts'

type Changes = { changes: number }

/** Build a query, then run it with `one`, `many` or `change`. Never await it. */
export type Orm = BaseSQLiteDatabase<'async', Changes, typeof schema>

export function orm(db: Pick<Database, 'prepare'>): Orm {
  const dialect = new SQLiteAsyncDialect()
  return new BaseSQLiteDatabase('async', dialect, new StepSession(db, dialect), undefined)
}

/** Builds a query at its first run and keeps it: building all of them takes longer than most tests. */
export function built<All, Get>(make: () => { prepare(): Built<All, Get> }): Built<All, Get> {
  let query: Built<All, Get> | undefined
  const ready = () => (query ??= make().prepare())
  return { all: (values) => ready().all(values), get: (values) => ready().get(values) }
}

/** The first row of a query. */
export function one<T, Args>(query: { get(args?: Args): Promise<T> }, args?: Args): Step<T> {
  return stepOf(query.get(args))
}

export function many<T, Args>(query: { all(args?: Args): Promise<T> }, args?: Args): Step<T> {
  return stepOf(query.all(args))
}

/** Runs a query that writes and returns no rows. */
export function change<Args>(query: { run(args?: Args): Promise<Changes> }, args?: Args): Step<Changes> {
  return stepOf(query.run(args))
}

/** drizzle knows promises only: what our session gives it is typed as one, and is a step. */
function stepOf<T>(promise: Promise<T>): Step<T> {
  return promise as unknown as Step<T>
}

type Fields = Parameters<
  SQLiteSession<'async', Changes, Record<string, never>, Record<string, never>>['prepareQuery']
>[1]
type Values = Record<string, unknown>

interface Built<All, Get> {
  all(values?: Values): Promise<All>
  get(values?: Values): Promise<Get>
}

/** Exported by drizzle without a type. */
const { mapResultRow } = drizzleUtils as unknown as {
  mapResultRow(fields: NonNullable<Fields>, row: unknown[], joins: Record<string, boolean> | undefined): unknown
}

class StepSession extends SQLiteSession<'async', Changes, typeof schema, Record<string, never>> {
  readonly #db: Pick<Database, 'prepare'>

  constructor(db: Pick<Database, 'prepare'>, dialect: SQLiteAsyncDialect) {
    super(dialect)
    this.#db = db
  }

  prepareQuery(query: Query, fields: Fields, method: SQLiteExecuteMethod) {
    return new StepQuery(this.#db.prepare<unknown[], unknown[]>(query.sql), query, fields, method)
  }

  transaction(): never {
    throw new Error('Database.write makes the transactions')
  }
}

interface Prepared {
  type: 'async'
  run: Changes
  all: unknown
  get: unknown
  values: unknown
  execute: unknown
}

class StepQuery extends SQLitePreparedQuery<Prepared> {
  readonly #statement: Statement<unknown[], unknown[]>
  readonly #fields: Fields
  /** Set by drizzle: which joined tables may be missing. */
  declare joinsNotNullableMap?: Record<string, boolean>

  constructor(statement: Statement<unknown[], unknown[]>, query: Query, fields: Fields, method: SQLiteExecuteMethod) {
    super('async', method, query)
    this.#statement = fields ? statement.raw() : statement
    this.#fields = fields
  }

  run(values?: Values): Promise<Changes> {
    return typedAsPromise(this.#statement.run(...this.#params(values)))
  }

  get(values?: Values): Promise<unknown> {
    return typedAsPromise(mapped(this.#statement.get(...this.#params(values)), (row) => row && this.#row(row)))
  }

  all(values?: Values): Promise<unknown> {
    return typedAsPromise(
      mapped(this.#statement.all(...this.#params(values)), (rows) => rows.map((row) => this.#row(row))),
    )
  }

  values(): never {
    throw new Error('use one, many or change')
  }

  #params(values: Values = {}): unknown[] {
    return fillPlaceholders(this.query.params, values)
  }

  #row(row: unknown[]): unknown {
    return this.#fields ? mapResultRow(this.#fields, row, this.joinsNotNullableMap) : row
  }
}

function* mapped<T, R>(step: Step<T>, map: (value: T) => R): Step<R> {
  return map(yield* step)
}

function typedAsPromise<T>(step: Step<T>): Promise<T> {
  return step as unknown as Promise<T>
}

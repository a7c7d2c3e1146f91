// PostgreSQL as `db/sql` sees it: an operation is resumed with the result of each statement.
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient, QueryArrayResult } from 'pg'
import type { Database, Statement, Step } from '../database.ts'
import { translate } from './translate.ts'

/** A statement that an operation asks for. Values are in the order of the text. */
interface Ask {
  text: string
  /** Prepared once per connection under this name; undefined = not kept. */
  name: string | undefined
  values: unknown[]
}

/** Two operations that cannot have happened one after the other: one of them runs again. */
const CONFLICTS = new Set(['40001', '40P01'])
/** What both looked for and neither found, both then inserted. */
const SAME_KEY = '23505'
const MOST_TRIES = 6

export interface PostgresCounts {
  /** Operations that ran again after a conflict. */
  conflict(): void
}

export function postgresDatabase(pool: Pool, counts: PostgresCounts = { conflict() {} }): Database {
  async function inTransaction<T>(begin: string, act: () => Step<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await once(pool, begin, act)
      } catch (error) {
        if (!isConflict(error, tries)) throw error
        counts.conflict()
        await wait(Math.random() * 5 * 2 ** tries)
      }
    }
  }

  return {
    prepare: (text) => statement(text),
    write:
      (act) =>
      (...args) =>
        inTransaction('BEGIN ISOLATION LEVEL SERIALIZABLE', () => act(...args)),
    read:
      (act) =>
      async (...args) =>
        withClient(pool, (client) => drive(client, act(...args))),
    snapshot:
      (act) =>
      (...args) =>
        inTransaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', () => act(...args)),
    *savepoint<T>(act: () => Step<T>): Generator<unknown, T> {
      yield command('SAVEPOINT part')
      try {
        const value = yield* act()
        yield command('RELEASE part')
        return value
      } catch (error) {
        yield command('ROLLBACK TO part')
        yield command('RELEASE part')
        throw error
      }
    },
  }
}

function isConflict(error: unknown, tries: number): boolean {
  const code = codeOf(error)
  return CONFLICTS.has(code) ? tries < MOST_TRIES : code === SAME_KEY && tries < 3
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

async function once<T>(pool: Pool, begin: string, act: () => Step<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await ask(client, command(begin))
    try {
      const value = await drive(client, act())
      await ask(client, command('COMMIT'))
      return value
    } catch (error) {
      await ask(client, command('ROLLBACK'))
      throw error
    }
  })
}

/** A connection that failed is not used again; one on which a statement was refused is. */
async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw failureOf(error)
  })
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    return await work(client)
  } catch (error) {
    if (error instanceof Error && CONNECTION_FAILED.test(codeOf(error))) broken = error
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** As the server tells it. No class of it begins with E, the codes of the network (`EPIPE`) do. */
const SQLSTATE = /^(?!E)[0-9A-Z]{5}$/
const CONNECTION_FAILED = /^(08|57P)/

async function ask(client: PoolClient, { text, name, values }: Ask): Promise<QueryArrayResult> {
  try {
    return await client.query({ text, ...(name !== undefined && { name }), values, rowMode: 'array' })
  } catch (error) {
    throw failureOf(error)
  }
}

/** What the server did not say itself is a failure of the connection to it, under the code the server would use. */
function failureOf(error: unknown): unknown {
  if (SQLSTATE.test(codeOf(error))) return error
  return Object.assign(new Error('the database cannot be reached', { cause: error }), { code: '08006' })
}

async function drive<T>(client: PoolClient, act: Step<T>): Promise<T> {
  const steps = act[Symbol.iterator]()
  let step = steps.next()
  while (!step.done) {
    let result: QueryArrayResult
    try {
      result = await ask(client, step.value as Ask)
    } catch (error) {
      if (!steps.throw) throw error
      step = steps.throw(error)
      continue
    }
    // The types of an iterator know only `next()` without a value: the operation takes the result back from `yield`.
    step = (steps.next as (value: unknown) => typeof step).call(steps, result)
  }
  return step.value
}

function command(text: string): Ask {
  return { text, name: undefined, values: [] }
}

/** Statements that are kept on every connection. Texts that are built anew for each call do not fill the server. */
const MOST_KEPT = 2_000
const known = new Map<string, Kept>()

interface Kept extends ReturnType<typeof translate> {
  /** Undefined = not kept. */
  name: string | undefined
  takesValues: boolean
}

function translated(sql: string): Kept {
  const before = known.get(sql)
  if (before) return before
  const translation = translate(sql)
  const made = { ...translation, takesValues: /\$\d/.test(translation.text) }
  if (known.size >= MOST_KEPT) return { ...made, name: undefined }
  const kept = { ...made, name: `s${known.size}` }
  known.set(sql, kept)
  return kept
}

function statement<Args extends unknown[], Row>(sql: string): Statement<Args, Row> {
  const kept = translated(sql)
  const { text, name } = kept
  let rowOf: (values: unknown[], fields: QueryArrayResult['fields']) => unknown = asObject

  function* asked(args: unknown[]): Generator<Ask, QueryArrayResult> {
    return (yield { text, name, values: valuesOf(kept, args) }) as unknown as QueryArrayResult
  }
  const own: Statement<Args, Row> = {
    *get(...args) {
      const { rows, fields } = yield* asked(args)
      const [first] = rows
      return first === undefined ? undefined : (rowOf(first, fields) as Row)
    },
    *all(...args) {
      const { rows, fields } = yield* asked(args)
      return rows.map((row) => rowOf(row, fields) as Row)
    },
    *run(...args) {
      const { rowCount } = yield* asked(args)
      return { changes: rowCount ?? 0 }
    },
    pluck() {
      rowOf = ([first]) => first
      return own
    },
    raw() {
      rowOf = (values) => values
      return own
    },
  }
  return own
}

function asObject(values: unknown[], fields: QueryArrayResult['fields']): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < fields.length; index++) row[fields[index]?.name ?? ''] = values[index]
  return row
}

/** Binds as SQLite does: a name that is not given is a mistake, one that is not asked for is none. */
function valuesOf({ names, takesValues }: Pick<Kept, 'names' | 'takesValues'>, args: unknown[]): unknown[] {
  if (names.length === 0) return takesValues ? args.map(bound) : []
  const given = args[0] as Record<string, unknown>
  return names.map((name) => {
    if (!(name in given)) throw new TypeError(`no value is given for @${name}`)
    return bound(given[name])
  })
}

/** PostgreSQL takes no NUL in a text. Truth values are 1 and 0 in every column of ours. */
function bound(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  const isPlain = value === null || typeof value === 'number' || typeof value === 'bigint' || ArrayBuffer.isView(value)
  if (!isPlain) throw new TypeError(`${typeof value} cannot be stored`)
  return value
}

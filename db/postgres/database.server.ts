// PostgreSQL as `db/sql` sees it: an operation is resumed with the result of each statement.
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient, QueryArrayResult } from 'pg'
import type { Database, Statement, Step } from '../database.ts'
import { NOT_CONNECTED } from './server-problems.ts'
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
const MOST_TRIES = 12
/** From this try on, the operation has what events change to itself: otherwise a busy account overtakes it for ever. */
const FIRST_TRY_ALONE = 5
/**
 * Every act of an event begins with its endpoints, so it waits here. Unlike a row's lock, a table's is had before the
 * transaction decides what it sees.
 */
const LOCK_ENDPOINTS = 'LOCK TABLE endpoint IN EXCLUSIVE MODE'
/** Longest pause before an operation runs again. ms */
const LONGEST_PAUSE = 250

/** The owner's work is refused: the others have removed this instance, and it must end. */
class NotOwnerError extends Error {
  override name = 'NotOwnerError'
}

/** Statements that go to the server in one trip, in this order. */
class Together {
  readonly asks: readonly Ask[]
  /** The transaction is committed with them. */
  readonly isLast: boolean
  constructor(asks: readonly Ask[], isLast: boolean) {
    this.asks = asks
    this.isLast = isLast
  }
}

type ValuesOf<Steps extends readonly Step<unknown>[]> = {
  [Place in keyof Steps]: Steps[Place] extends Step<infer Value> ? Value : never
}

/**
 * Takes steps of one statement each in one round trip. If one fails, this throws its error.
 *
 * @param ends the operation ends here: its transaction is committed in the same trip
 */
export function* together<const Steps extends readonly Step<unknown>[]>(
  steps: Steps,
  ends?: 'commit',
): Generator<unknown, ValuesOf<Steps>> {
  const asking = steps.map((step) => {
    const iterator = step[Symbol.iterator]()
    return { iterator, asked: iterator.next() }
  })
  const asks = asking.flatMap(({ asked }) => (asked.done ? [] : [asked.value as Ask]))
  const results = ((yield new Together(asks, ends === 'commit')) as unknown as QueryArrayResult[]).values()
  const values = asking.map(({ iterator, asked }) => {
    const last = asked.done ? asked : resumed(iterator, results.next().value)
    if (!last.done) throw new Error('a step of several statements cannot share a trip')
    return last.value
  })
  return values as ValuesOf<Steps>
}

export interface PostgresCounts {
  /** Operations that ran again after a conflict. */
  conflict(): void
}

interface PostgresOptions {
  counts?: PostgresCounts
  /** Every act of an owner: it passes only while the instance of its connections is a member, and delays its removal. */
  fenced?: boolean
  isolation?: Isolation
}

/** The member of a connection, as `connectPostgres` sets it. */
export const MEMBER = "current_setting('fieldhook.member')"
/** In one text with BEGIN, so that it costs no round trip. */
const FENCE = `SELECT 1 FROM member WHERE id = ${MEMBER} FOR KEY SHARE`

/** Looks at the answer to the text that begins a transaction. */
type Begun = (answer: unknown) => void

const isMember: Begun = (answer) => {
  const last = Array.isArray(answer) ? (answer.at(-1) as QueryArrayResult | undefined) : undefined
  if (last?.rowCount !== 1) throw new NotOwnerError('this instance is no longer a member')
}

/**
 * How the writes of a database go on beside each other.
 * - serializable: as if nobody else were there; a conflict runs the operation again.
 * - locked: the operation locks what it reads, so that it waits instead. Its first statements only look and lock: they
 *   share a trip with BEGIN.
 * - patient: the operation locks its endpoint first, and waits too. Each statement has a trip and a plan of its own.
 */
type Isolation = 'serializable' | 'locked' | 'patient'

/**
 * One plan for every length of its lists, made once: planning costs more than running. Rows are found by their keys,
 * also while the server knows no statistics of a table that has just grown.
 */
const BY_KEYS = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
]
  .map((setting) => `SET LOCAL ${setting}`)
  .join('; ')
const BEGIN: Record<Isolation, string> = {
  serializable: 'BEGIN ISOLATION LEVEL SERIALIZABLE',
  locked: `BEGIN ISOLATION LEVEL READ COMMITTED; ${BY_KEYS}`,
  patient: 'BEGIN ISOLATION LEVEL READ COMMITTED',
}

/** `pool`: its connections send without waiting for the answer before (`pipeline`). */
export function postgresDatabase(pool: Pool, options: PostgresOptions = {}): Database {
  const { counts = { conflict() {} }, fenced = false, isolation = 'serializable' } = options
  const opening = (...texts: string[]): Opening => ({
    begin: command([BEGIN[isolation], ...texts, ...(fenced ? [FENCE] : [])].join('; ')),
    begun: fenced ? isMember : () => {},
    inOneTrip: isolation === 'locked',
  })
  const writing = { usual: opening(), alone: isolation === 'serializable' ? opening(LOCK_ENDPOINTS) : opening() }
  const looking: Opening = {
    begin: command('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    begun() {},
    inOneTrip: false,
  }

  async function inTransaction<T>(
    { usual, alone }: Record<'usual' | 'alone', Opening>,
    act: () => Step<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await once(pool, tries < FIRST_TRY_ALONE ? usual : alone, act)
      } catch (error) {
        if (!isConflict(error, tries)) throw error
        counts.conflict()
        await wait(Math.random() * Math.min(5 * 2 ** tries, LONGEST_PAUSE))
      }
    }
  }

  function each<A extends unknown[], T>(act: (...args: A) => Step<T>): (...args: A) => Promise<T> {
    return async (...args) => withClient(pool, async (client) => (await drive(client, act(...args))).value)
  }

  return {
    prepare: (text) => statement(text),
    write:
      (act) =>
      (...args) =>
        inTransaction(writing, () => act(...args)),
    read: each,
    // What others see is on the server's disk.
    readKept: each,
    single: each,
    snapshot:
      (act) =>
      (...args) =>
        inTransaction({ usual: looking, alone: looking }, () => act(...args)),
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

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

interface Opening {
  begin: Ask
  begun: Begun
  /** With the first statements of the operation. */
  inOneTrip: boolean
}

const COMMIT: Ask = command('COMMIT')

async function once<T>(pool: Pool, opening: Opening, act: () => Step<T>): Promise<T> {
  return withClient(pool, async (client) => {
    try {
      if (!opening.inOneTrip) opening.begun(await ask(client, opening.begin))
      const { value, isOver } = await drive(client, act(), opening.inOneTrip ? opening : undefined)
      if (!isOver) await ask(client, COMMIT)
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
    throw failureOf(error, NOT_CONNECTED)
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
export function failureOf(error: unknown, code = '08006'): unknown {
  if (SQLSTATE.test(codeOf(error))) return error
  return Object.assign(new Error('the database cannot be reached', { cause: error }), { code })
}

/** `isOver`: the operation has committed with its last statements. */
async function drive<T>(client: PoolClient, act: Step<T>, begin?: Opening): Promise<{ value: T; isOver: boolean }> {
  const steps = act[Symbol.iterator]()
  let step = steps.next()
  let opening = begin
  let isOver = false
  while (!step.done) {
    let result: QueryArrayResult | QueryArrayResult[]
    try {
      result = await trip(client, step.value as Ask | Together, opening)
      isOver = step.value instanceof Together && step.value.isLast && !opening
    } catch (error) {
      if (!steps.throw) throw error
      step = steps.throw(error)
      continue
    } finally {
      opening = undefined
    }
    step = resumed(steps, result)
  }
  return { value: step.value, isOver }
}

/** One way to the server and back. */
async function trip(
  client: PoolClient,
  step: Ask | Together,
  opening: Opening | undefined,
): Promise<QueryArrayResult | QueryArrayResult[]> {
  if (!(step instanceof Together) && !opening) return ask(client, step)
  const own = step instanceof Together ? step.asks : [step]
  // What begins here is known to have begun before it is committed.
  const commits = step instanceof Together && step.isLast && !opening
  const asks = [...(opening ? [opening.begin] : []), ...own, ...(commits ? [COMMIT] : [])]
  const answers = await Promise.allSettled(asks.map((one) => ask(client, one)))
  // What follows an error is refused because of it: the first one is the cause.
  const results = answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  })
  opening?.begun(results[0])
  const wanted = results.slice(opening ? 1 : 0, commits ? -1 : undefined)
  return step instanceof Together ? wanted : (wanted[0] as QueryArrayResult)
}

/** The types of an iterator know only `next()` without a value: the operation takes the result back from `yield`. */
function resumed<T>(steps: Iterator<unknown, T>, result: unknown): IteratorResult<unknown, T> {
  return (steps.next as (value: unknown) => IteratorResult<unknown, T>).call(steps, result)
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
  /** Its text says of a value that it is a list (`@ids::bigint[]`). */
  takesLists: boolean
}

function translated(sql: string): Kept {
  const before = known.get(sql)
  if (before) return before
  const translation = translate(sql)
  const made = { ...translation, takesValues: /\$\d/.test(translation.text), takesLists: sql.includes('[]') }
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
function valuesOf({ names, takesValues, takesLists }: Kept, args: unknown[]): unknown[] {
  if (names.length === 0) return takesValues ? args.map(bound) : []
  const given = args[0] as Record<string, unknown>
  return names.map((name) => {
    if (!(name in given)) throw new TypeError(`no value is given for @${name}`)
    const value = given[name]
    return takesLists && Array.isArray(value) ? value.map(bound) : bound(value)
  })
}

/** PostgreSQL takes no NUL in a text. Truth values are 1 and 0 in every column of ours. */
function bound(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  const isPlain = value === null || typeof value === 'number' || typeof value === 'bigint' || ArrayBuffer.isView(value)
  if (!isPlain) throw new TypeError(`${typeof value} cannot be stored`)
  return value
}

// A synchronous handle on a PostgreSQL database, for tests only: a thread talks to the server while ours stands still.
// It is shaped like the part of better-sqlite3 that tests use, so that they read and write the same on both engines.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Place } from '../../scripts/postgres-databases.mjs'
import type { Answer, Failure, Result, Wish } from './sync-postgres-thread.mjs'

/** PostgreSQL's spelling of a statement, and the names of its parameters in the order of `$1`, `$2` … */
export type Translate = (text: string) => { text: string; names: readonly string[] }

interface SyncStatement<Values extends unknown[] = unknown[], Row = unknown> {
  get(...values: Values): Row | undefined
  all(...values: Values): Row[]
  /** `lastInsertRowid` is the identity of the last row that this handle inserted. */
  run(...values: Values): { changes: number; lastInsertRowid: number }
  /** From now on a row is the value of its first column. */
  pluck(): SyncStatement<Values, Row>
}

export interface SyncPostgres {
  prepare<Values extends unknown[] = unknown[], Row = unknown>(text: string): SyncStatement<Values, Row>
  /** One or more statements without parameters. */
  exec(text: string): void
  /** All or nothing; one inside another is a part of it that can fail alone. */
  transaction<Values extends unknown[], Result>(act: (...values: Values) => Result): SyncTransaction<Values, Result>
  readonly inTransaction: boolean
  readonly open: boolean
  close(): void
}

/** PostgreSQL knows one kind of transaction: the three names are for SQLite's. */
interface SyncTransaction<Values extends unknown[], Result> {
  (...values: Values): Result
  deferred(...values: Values): Result
  immediate(...values: Values): Result
  exclusive(...values: Values): Result
}

/** What the server refused. `code` is its SQLSTATE, such as `23505`. */
class SyncPostgresError extends Error {
  override name = 'SyncPostgresError'
  readonly code: string | undefined
  readonly detail: string | undefined
  constructor({ message, code, detail }: Failure) {
    super(message)
    this.code = code
    this.detail = detail
  }
}

const ANSWER_WITHIN_MS = 60_000
const LOCKED = '55P03'
const LOCKED_SENTENCE =
  'Who holds the lock may be a transaction of this very thread: it cannot go on while this call waits for it.'

/** All handles of this process share the thread: a connection costs 10 ms, a thread 100. */
let thread: { port: MessagePort; answered: Int32Array; asked: number } | null = null

/**
 * @param translate of the texts that are prepared; those of `exec` go through it too
 * @param options `lockMs`: how long a statement waits for a lock
 * @throws SyncPostgresError when the server cannot be reached
 */
export function openSyncPostgres(url: string, translate: Translate, { lockMs = 5_000 } = {}): SyncPostgres {
  const handle = ask<number>({ act: 'open', url, lockMs })
  let open = true
  let inTransaction = false
  let lastInsertRowid = 0
  let depth = 0

  function query(text: string, values: unknown[] | null, wantsRowid = false): Result {
    const result = ask<Result>({ act: 'query', handle, text, values, wantsRowid }, () => {
      open = false
    })
    inTransaction = result.inTransaction
    lastInsertRowid = result.rowid ?? lastInsertRowid
    return result
  }

  function prepare<Values extends unknown[], Row>(source: string): SyncStatement<Values, Row> {
    const { text, names } = translate(source)
    const returning = withRowid(text)
    let plucked = false
    const read = (values: Values): Row[] => {
      const { columns, rows } = query(text, valuesOf(names, values))
      if (columns.length === 0) throw new TypeError('This statement does not return data. Use run() instead')
      return rows.map((row) => (plucked ? plainValue(row[0]) : objectOf(columns, row)) as Row)
    }
    return {
      get: (...values) => read(values)[0],
      all: (...values) => read(values),
      run(...values) {
        const { changes } = query(returning ?? text, valuesOf(names, values), returning !== null)
        return { changes, lastInsertRowid }
      },
      pluck() {
        plucked = true
        return this
      },
    }
  }

  function transact<Given>(act: () => Given): Given {
    const [begin, commit, rollback] =
      depth === 0 && !inTransaction
        ? ['BEGIN', 'COMMIT', 'ROLLBACK']
        : [`SAVEPOINT s${depth}`, `RELEASE s${depth}`, `ROLLBACK TO s${depth}; RELEASE s${depth}`]
    query(begin, null)
    depth += 1
    try {
      const given = act()
      query(commit, null)
      return given
    } catch (error) {
      if (open) query(rollback, null)
      throw error
    } finally {
      depth -= 1
    }
  }

  return {
    prepare,
    exec: (text) => void query(translate(text).text, null),
    transaction(act) {
      const call = (...values: Parameters<typeof act>) => transact(() => act(...values))
      return Object.assign(call, { deferred: call, immediate: call, exclusive: call })
    },
    get inTransaction() {
      return inTransaction
    },
    get open() {
      return open
    },
    close() {
      if (!open) return
      open = false
      ask({ act: 'close', handle })
    },
  }
}

/** A database that holds what `sql` makes and nothing else, made or emptied while our thread stands still. */
export function takeDatabaseNow({ url, prefix }: Place, sql: string): { name: string; url: string } {
  return ask({ act: 'takeDatabase', place: { url, prefix }, sql })
}

/** Ends its sessions; at its address there is no database any more. */
export function leaveDatabaseNow({ url, prefix }: Place, name: string): void {
  ask({ act: 'leaveDatabase', place: { url, prefix }, name })
}

function ask<Value>(wish: Wish, onSilence?: () => void): Value {
  thread ??= startThread()
  thread.asked += 1
  const { port, answered, asked: id } = thread
  port.postMessage({ id, wish })
  const deadline = performance.now() + ANSWER_WITHIN_MS
  for (;;) {
    // Answers to calls that gave up may come first.
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
      const answer: Answer = got.message
      if (answer.id !== id) continue
      if (answer.failure) throw refusal(answer.failure)
      return answer.value as Value
    }
    const seen = Atomics.load(answered, 0)
    const left = deadline - performance.now()
    if (left <= 0 || (seen !== id && Atomics.wait(answered, 0, seen, left) === 'timed-out')) {
      onSilence?.()
      throw new Error(`PostgreSQL has not answered within ${ANSWER_WITHIN_MS / 1000} s: ${told(wish)}`)
    }
  }
}

function refusal(failure: Failure): SyncPostgresError {
  const message = failure.code === LOCKED ? `${failure.message}. ${LOCKED_SENTENCE}` : failure.message
  return new SyncPostgresError({ ...failure, message })
}

function told(wish: Wish): string {
  return wish.act === 'query' ? wish.text.slice(0, 200) : wish.act
}

function startThread() {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(new URL('./sync-postgres-thread.mjs', import.meta.url), {
    workerData: { port: port2, answered },
    transferList: [port2],
    execArgv: [],
  })
  // Neither keeps a finished process alive.
  worker.unref()
  port1.unref()
  return { port: port1, answered, asked: 0 }
}

/** An insert that gives its rows back, so that its identity can be told; null for other statements. */
function withRowid(text: string): string | null {
  if (!/^\s*(INSERT|WITH\b[\s\S]*\bINSERT)\b/i.test(text)) return null
  return /\bRETURNING\b/i.test(text) ? text : `${text.trimEnd().replace(/;$/, '')} RETURNING *`
}

/** As better-sqlite3 takes them: by position, by name in an object, or both. */
function valuesOf(names: readonly string[], given: readonly unknown[]): unknown[] {
  const byPosition = given.flatMap((one) => (isNamed(one) ? [] : one))
  const named: Record<string, unknown> = Object.assign({}, ...given.filter(isNamed))
  if (!given.some(isNamed)) return byPosition.map(bound)
  return names.map((name) => {
    if (name in named) return bound(named[name])
    if (/^[a-z_]\w*$/i.test(name)) throw new RangeError(`Missing named parameter "${name}"`)
    if (byPosition.length === 0) throw new RangeError('Too few parameter values were provided')
    return bound(byPosition.shift())
  })
}

function isNamed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

function bound(value: unknown): unknown {
  // PostgreSQL takes no NUL in a text; the store writes this instead as well.
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD')
  if (value === null || typeof value === 'number') return value
  if (typeof value === 'bigint') return String(value)
  if (ArrayBuffer.isView(value)) return value
  throw new TypeError('SQLite3 can only bind numbers, strings, bigints, buffers, and null')
}

function objectOf(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((name, at) => [name, plainValue(row[at])]))
}

/** A buffer loses its kind on the way from another thread. */
function plainValue(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

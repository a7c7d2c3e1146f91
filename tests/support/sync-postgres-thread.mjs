// The thread behind sync-postgres.server.ts: it talks to PostgreSQL while the main thread stands still.
import { workerData } from 'node:worker_threads'
import pg from 'pg'
import { leaveDatabase, takeDatabase } from './used-databases.mjs'

/**
 * @typedef {{ act: 'open', url: string, lockMs: number }
 *   | { act: 'query', handle: number, text: string, values: unknown[] | null, wantsRowid: boolean }
 *   | { act: 'close', handle: number }
 *   | { act: 'takeDatabase', place: import('../../scripts/postgres-databases.mjs').Place, sql: string }
 *   | { act: 'leaveDatabase', place: import('../../scripts/postgres-databases.mjs').Place, name: string }} Wish
 * @typedef {{ message: string, code: string | undefined, detail: string | undefined }} Failure
 * @typedef {{ columns: string[], rows: unknown[][], changes: number, rowid: number | null, inTransaction: boolean }} Result
 * @typedef {{ id: number, value?: unknown, failure?: Failure }} Answer
 * @typedef {{ client: pg.Client, rowidColumns: Map<number, number | null> }} Handle
 */

/** Less than the main thread waits, so that the server's own reason comes first. */
const STATEMENT_MS = 9_000
const CONNECT_MS = 5_000
/** What changes rows; the count of anything else is of rows that were read. */
const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
/** The column that is SQLite's rowid: the identity, else a primary key that is one number. */
const ROWID_COLUMN = `SELECT a.attnum FROM pg_attribute a
  LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
    AND (a.attidentity <> '' OR (i.indrelid IS NOT NULL AND a.atttypid IN (20, 21, 23)))
  ORDER BY a.attidentity DESC LIMIT 1`

/** Values as SQLite gives them, by PostgreSQL's number of the type. @type {Record<number, (text: string) => unknown>} */
const VALUES = {
  16: (text) => (text === 't' ? 1 : 0),
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  ...Object.fromEntries([20, 21, 23, 26, 700, 701, 1700].map((type) => [type, Number])),
}

/** @type {{ port: import('node:worker_threads').MessagePort, answered: Int32Array }} */
const { port, answered } = workerData
/** @type {Map<number, Handle>} */
const handles = new Map()
let lastHandle = 0

port.on('message', async (/** @type {{ id: number, wish: Wish }} */ { id, wish }) => {
  /** @type {Answer} */
  let answer
  try {
    answer = { id, value: await fulfil(wish) }
  } catch (error) {
    answer = { id, failure: failureOf(error) }
  }
  port.postMessage(answer)
  Atomics.store(answered, 0, id)
  Atomics.notify(answered, 0)
})

/** @param {Wish} wish @returns {Promise<unknown>} */
async function fulfil(wish) {
  switch (wish.act) {
    case 'open':
      return open(wish)
    case 'query':
      return query(wish)
    case 'close': {
      const { client } = handleOf(wish.handle)
      handles.delete(wish.handle)
      return client.end()
    }
    case 'takeDatabase':
      return takeDatabase(wish.place, wish.sql)
    case 'leaveDatabase':
      return leaveDatabase(wish.place, wish.name)
  }
}

/** @param {Extract<Wish, { act: 'open' }>} wish */
async function open({ url, lockMs }) {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: lockMs,
    types: { getTypeParser: (type) => VALUES[Number(type)] ?? ((/** @type {string} */ text) => text) },
  })
  // The next statement says that the connection is gone.
  client.on('error', () => {})
  await client.connect()
  handles.set(++lastHandle, { client, rowidColumns: new Map() })
  return lastHandle
}

/** @param {number} number */
function handleOf(number) {
  const handle = handles.get(number)
  if (!handle) throw new Error('The database connection is not open')
  return handle
}

/** @param {Extract<Wish, { act: 'query' }>} wish @returns {Promise<Result>} */
async function query({ handle: number, text, values, wantsRowid }) {
  const handle = handleOf(number)
  const { client } = handle
  // Without values several statements may stand in one text.
  const given = await client.query({ text, rowMode: 'array', ...(values ? { values } : {}) })
  const result = Array.isArray(given) ? given.at(-1) : given
  const fields = result.fields ?? []
  return {
    columns: fields.map((/** @type {pg.FieldDef} */ { name }) => name),
    rows: result.rows ?? [],
    changes: CHANGING.has(result.command) ? (result.rowCount ?? 0) : 0,
    rowid: wantsRowid ? await rowidOf(handle, fields, result.rows.at(-1)) : null,
    inTransaction: client.getTransactionStatus() !== 'I',
  }
}

/** @param {Handle} handle @param {pg.FieldDef[]} fields @param {unknown[] | undefined} row */
async function rowidOf({ client, rowidColumns }, fields, row) {
  const table = fields.find(({ tableID }) => tableID !== 0)?.tableID
  if (table === undefined || row === undefined) return null
  if (!rowidColumns.has(table)) {
    const { rows } = await client.query({ text: ROWID_COLUMN, values: [table], rowMode: 'array' })
    rowidColumns.set(table, rows[0]?.[0] ?? null)
  }
  const at = fields.findIndex(({ tableID, columnID }) => tableID === table && columnID === rowidColumns.get(table))
  const value = row[at]
  return typeof value === 'number' ? value : null
}

/** @param {unknown} error @returns {Failure} */
function failureOf(error) {
  if (!(error instanceof Error)) return { message: String(error), code: undefined, detail: undefined }
  const { code, detail } = /** @type {pg.DatabaseError} */ (error)
  return { message: error.message || String(code), code, detail }
}

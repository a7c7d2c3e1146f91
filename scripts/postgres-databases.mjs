// The databases of a PostgreSQL server: made, made as copies of a template, and dropped.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** Every database that is made here begins like this, and no other is ever dropped. */
const OURS = /^fieldhook_[a-z0-9_]{1,50}$/

/** @typedef {{ url: string, prefix: string }} Place a server's maintenance database, and how names of ours begin there */

/**
 * The address of another database of the same server.
 *
 * @param {string} url
 * @param {string} database
 */
export function urlOfDatabase(url, database) {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

/** @param {string} maintenance the address of a database that stays */
export function databasesOf(maintenance) {
  return {
    /** @param {string} name begins with `fieldhook_` @param {string} [template] nobody may be connected to it */
    createDatabase: (name, template) => withClient(maintenance, (client) => create(client, name, template)),
    /** Ends its sessions; nothing happens when it is not there. @param {string} name begins with `fieldhook_` */
    dropDatabase: (name) => withClient(maintenance, (client) => drop(client, name)),
  }
}

/**
 * A new database that holds what `sql` makes. The first call runs `sql` in a template, the next ones copy that, from
 * whichever process they come.
 *
 * @param {Place} place
 * @param {string} sql
 * @returns {Promise<{ name: string, url: string }>}
 */
export async function databaseFrom({ url, prefix }, sql) {
  const template = `${prefix}t_${createHash('sha256').update(sql).digest('hex').slice(0, 12)}`
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await withClient(url, async (client) => {
    if (!(await exists(client, template))) await makeTemplate(client, url, template, sql)
    await create(client, name, template)
  })
  return { name, url: urlOfDatabase(url, name) }
}

/**
 * Gives a database a new name and ends its sessions: at the old address there is none any more.
 *
 * @param {Place} place
 * @param {string} name
 * @returns {Promise<{ name: string, url: string }>}
 */
export async function rename({ url, prefix }, name) {
  const next = `${prefix}${randomBytes(6).toString('hex')}`
  await withClient(url, async (client) => {
    // The server renames none that is in use.
    await client.query(`ALTER DATABASE ${ours(name)} ALLOW_CONNECTIONS false`)
    await endSessions(client, name)
    await client.query(`ALTER DATABASE ${ours(name)} RENAME TO ${ours(next)}`)
    await client.query(`ALTER DATABASE ${ours(next)} ALLOW_CONNECTIONS true`)
  })
  return { name: next, url: urlOfDatabase(url, next) }
}

/** @param {pg.Client} client @param {string} url @param {string} template @param {string} sql */
async function makeTemplate(client, url, template, sql) {
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [template])
  try {
    if (await exists(client, template)) return
    const draft = `${template}_draft`
    await drop(client, draft)
    await create(client, draft)
    await withClient(urlOfDatabase(url, draft), (inside) => inside.query(sql))
    // A template with a session cannot be copied: nobody gets in any more.
    await client.query(`ALTER DATABASE ${ours(draft)} ALLOW_CONNECTIONS false`)
    await client.query(`ALTER DATABASE ${ours(draft)} RENAME TO ${ours(template)}`)
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtext($1))', [template])
  }
}

/** @param {pg.Client} client @param {string} name */
async function exists(client, name) {
  const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
  return rows.length > 0
}

/** @param {pg.Client} client @param {string} name @param {string} [template] */
async function create(client, name, template) {
  const like = template === undefined ? "template0 ENCODING 'UTF8' LOCALE 'C'" : ours(template)
  await client.query(`CREATE DATABASE ${ours(name)} TEMPLATE ${like}`)
}

/** @param {pg.Client} client @param {string} name */
async function drop(client, name) {
  const own = ours(name)
  await endSessions(client, name)
  await client.query(`DROP DATABASE IF EXISTS ${own} WITH (FORCE)`)
}

/** After this the server has to wait for them itself. ms */
const SESSIONS_END_WITHIN_MS = 1_000
/** A session ends within a few. The server, told to drop a database, looks whether it did only every 100. ms */
const LOOK_AGAIN_MS = 2

/** Whoever connects meanwhile may still be there. @param {pg.Client} client @param {string} name */
async function endSessions(client, name) {
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = $1 AND backend_type = 'client backend' AND pid <> pg_backend_pid()`
  const deadline = performance.now() + SESSIONS_END_WITHIN_MS
  for (;;) {
    const { rows } = await client.query(end, [name])
    if (rows.length === 0 || performance.now() > deadline) return
    await pause(LOOK_AGAIN_MS)
  }
}

/** @param {string} name */
function ours(name) {
  if (!OURS.test(name)) throw new Error(`A database made here is named fieldhook_…, not ${name}`)
  return pg.escapeIdentifier(name)
}

/**
 * Does the work on a connection of its own.
 *
 * @template T
 * @param {string} url
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // Without a listener a cut connection would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

// A PostgreSQL server for tests, proofs and trials: nothing to install, in a temporary folder, gone with this process.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { SetupError } from './packages.mjs'
import { databasesOf, urlOfDatabase, withClient } from './postgres-databases.mjs'
import {
  configure,
  freePort,
  identityOfServer,
  initialize,
  launch,
  makeFolder,
  numberOf,
  reachable,
  SUPERUSER,
  watch,
} from './postgres-process.mjs'
import { findPostgres } from './postgres-program.mjs'

/** @typedef {'fast' | 'immediate'} Ending fast: sessions end, everything is written. immediate: as in a crash */

/** @type {Record<Ending, NodeJS.Signals>} */
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' }

/**
 * @typedef {object} PostgresServer
 * @property {string} source where it came from, for people
 * @property {string} version `18.4`
 * @property {string} prefix what the names of this user's databases may begin with, so that nobody else has them
 * @property {() => number | null} pid of the running server; null for another's server
 * @property {(database?: string) => string} url
 * @property {(name: string, template?: string) => Promise<void>} createDatabase `name` begins with `fieldhook_`
 * @property {(name: string) => Promise<void>} dropDatabase ends its sessions; nothing when it is not there
 * @property {() => Promise<void>} stop for good: server and folder are gone, on another's server our databases
 * @property {(ending: Ending) => Promise<void>} halt ends the server and keeps its files for `start`
 * @property {() => Promise<void>} kill like `halt`, as a cut wire does it: no warning, nothing tidied
 * @property {() => Promise<void>} start again after `halt` or `kill`, at the same address
 */

/**
 * @typedef {object} PostgresOptions
 * @property {boolean} [durable] default true; false: `fsync` is off, and a power cut may destroy the data
 * @property {'socket' | 'port'} [listen] default a socket that only this user reaches; a port asks for a password
 * @property {Record<string, string>} [settings] lines for postgresql.conf; they win
 * @property {readonly ('url' | import('./postgres-program.mjs').Origin)[]} [from] where to look, in this order
 * @property {Record<string, string | undefined>} [env] more variables of the server's process
 * @property {(line: string) => void} [say] told which PostgreSQL it is
 */

/**
 * Gives a PostgreSQL: the server of TEST_DATABASE_URL, else one of our own (the pinned package, else this machine's).
 *
 * @param {PostgresOptions} [options]
 * @returns {Promise<PostgresServer>}
 * @throws {SetupError} none can be had here, or the given one cannot be used; with a sentence for each reason
 */
export async function openPostgres({ from = ['url', 'package', 'machine'], say = () => {}, ...options } = {}) {
  const given = process.env.TEST_DATABASE_URL
  const prefix = `fieldhook_${randomBytes(4).toString('hex')}_`
  const server =
    given && from.includes('url')
      ? await useServer(given, prefix)
      : await ownServer(
          await findPostgres(
            from.filter((origin) => origin !== 'url'),
            say,
          ),
          prefix,
          options,
        )
  say(`PostgreSQL ${server.version}, from ${server.source}`)
  return server
}

/**
 * @param {string} given
 * @param {string} prefix
 * @returns {Promise<PostgresServer>}
 */
async function useServer(given, prefix) {
  const look = `SELECT current_setting('server_version') AS version, rolsuper OR rolcreatedb AS may
    FROM pg_roles WHERE rolname = current_user`
  const row = await withClient(given, async (client) => (await client.query(look)).rows[0]).catch((error) => {
    throw new SetupError(`The server of TEST_DATABASE_URL cannot be used: ${error.message}`)
  })
  if (!row?.may) throw new SetupError('The user of TEST_DATABASE_URL may not create databases.')
  const notOurs = () => Promise.reject(new Error('The server of TEST_DATABASE_URL is not ours to end.'))
  /** @type {Set<string>} */
  const made = new Set()
  const { createDatabase, dropDatabase } = databasesOf(given)
  return {
    source: 'TEST_DATABASE_URL',
    version: numberOf(String(row.version)),
    prefix,
    pid: () => null,
    url: (database) => (database === undefined ? given : urlOfDatabase(given, database)),
    async createDatabase(name, template) {
      await createDatabase(name, template)
      made.add(name)
    },
    dropDatabase,
    async stop() {
      const list = 'SELECT datname AS name FROM pg_database WHERE left(datname, length($1)) = $1'
      const { rows } = await withClient(given, (client) => client.query(list, [prefix]))
      for (const name of new Set([...made, ...rows.map(({ name }) => String(name))])) await dropDatabase(name)
    },
    halt: notOurs,
    kill: notOurs,
    start: notOurs,
  }
}

/**
 * @param {import('./postgres-program.mjs').Program} program
 * @param {string} prefix
 * @param {PostgresOptions} options
 * @returns {Promise<PostgresServer>}
 */
async function ownServer(program, prefix, { durable = true, listen = 'socket', settings = {}, env = {} }) {
  const identity = identityOfServer()
  const folder = makeFolder(identity)
  const watcher = watch(folder)
  /** @type {Awaited<ReturnType<typeof launch>> | null} */
  let running = null
  const start = async () => {
    if (running?.ended() !== null) running = await launch(files, identity, env)
  }
  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    await running?.end(signal)
  }
  /** @type {PostgresServer['stop']} */
  const stop = async () => {
    // Its data goes too: a last checkpoint would only write what is then removed, for up to a minute on a busy disk.
    await end(SIGNALS.immediate)
    // The server's children may still be writing their last file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
    watcher.dismiss()
  }
  const files = { folder, bin: program.bin }
  try {
    const { bin, version } = reachable(program.bin, folder, identity)
    files.bin = bin
    const password = listen === 'port' ? randomBytes(16).toString('hex') : null
    initialize(files, identity, password)
    const port = password ? await freePort() : 5432
    configure(folder, { port, durable, password, settings })
    const socket = `postgres://${SUPERUSER}@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`
    const maintenance = password ? `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres` : socket
    await start()
    return {
      source: program.source,
      version,
      prefix,
      pid: () => (running?.ended() === null ? running.pid : null),
      url: (database = 'postgres') => urlOfDatabase(maintenance, database),
      ...databasesOf(socket),
      stop,
      halt: (ending) => end(SIGNALS[ending]),
      kill: () => end('SIGKILL'),
      start,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

// `npm run keys`: which keys of ENC_KEYS the database still needs, and when an old one can be removed. Read-only; also
// works in the container (node scripts/keys.mjs), while the product runs. `-- --lost <name>`, with Fieldhook stopped: that key
// is lost for good, so the accounts that only it opened sign in again; says how many, and `--yes` does it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { refuseOptions } from './help.mjs'
import { OPERATIONS } from './operations-file.mjs'

const DAY = 86_400_000
/**
 * Document links, sealed with the first key, stay valid this long
 * (app/features/automations/actions/document-links.server.ts).
 */
const LINKS_LAST = 60 * DAY

/** Every column that holds a sealed secret, as in db/sql/accounts/account-keys.server.ts. */
const SEALED = [
  ['credential', 'access_token_sealed'],
  ['credential', 'refresh_token_sealed'],
  ['subscription', 'token_sealed'],
  ['endpoint', 'secret_sealed'],
  ['endpoint', 'previous_secret_sealed'],
  ['automation', 'trigger_key_sealed'],
]

/**
 * @typedef {{ keyId: string, accountKeys: number, secrets: number }} KeyUse
 * @typedef {{ uses: KeyUse[], inFront: { keyId: string, since: number } | null }} Found
 */

/**
 * Reads the key use from the database.
 *
 * @param {string} place a file, or the address of a PostgreSQL database
 * @returns {Promise<Found>}
 */
export async function readKeyUse(place) {
  if (!isServer(place)) {
    const { default: Database } = await import('better-sqlite3')
    const sql = new Database(place, { readonly: true, fileMustExist: true })
    try {
      return await keyUseOf(async (statement) => /** @type {Row[]} */ (sql.prepare(statement).all()))
    } finally {
      sql.close()
    }
  }
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: place, connectionTimeoutMillis: 3_000 })
  try {
    await connected(client)
    return await keyUseOf(async (statement) => (await client.query(statement)).rows)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * @typedef {{ keyId: string, count: number | string }} Row PostgreSQL gives long integers as text
 * @param {(statement: string) => Promise<Row[]>} rows
 * @returns {Promise<Found>}
 */
async function keyUseOf(rows) {
  /** @type {Map<string, KeyUse>} */
  const uses = new Map()
  const add = (/** @type {Row} */ { keyId, count }, /** @type {'accountKeys' | 'secrets'} */ what) => {
    const use = uses.get(keyId) ?? { keyId, accountKeys: 0, secrets: 0 }
    use[what] += Number(count)
    uses.set(keyId, use)
  }
  const keys = 'SELECT sealed_with AS "keyId", count(*) AS count FROM account_key GROUP BY 1'
  for (const row of await rows(keys)) add(row, 'accountKeys')
  for (const [table, column] of SEALED) {
    const statement = `SELECT substr(${column}, 4, instr(substr(${column}, 4), '.') - 1) AS "keyId", count(*) AS count
      FROM ${table} WHERE ${column} >= 'v1.' AND ${column} < 'v1/' GROUP BY 1`
    for (const row of await rows(statement)) add(row, 'secrets')
  }
  const [noted] = await rows(
    `SELECT target AS "keyId", at AS count FROM audit_entry WHERE action = 'keys.put_in_front' ORDER BY id DESC LIMIT 1`,
  )
  return { uses: [...uses.values()], inFront: noted ? { keyId: noted.keyId, since: Number(noted.count) } : null }
}

/** @param {string} place */
function isServer(place) {
  return /^postgres(ql)?:/.test(place)
}

/**
 * One sentence per key; `good` = every needed key is present.
 *
 * @param {Found & { names: string[], now: number }} input `names` in the order of ENC_KEYS
 * @returns {{ lines: string[], good: boolean }}
 */
export function reportKeys({ uses, inFront, names, now }) {
  const [first = ''] = names
  const useOf = (/** @type {string} */ name) =>
    uses.find(({ keyId }) => keyId === name) ?? { keyId: name, accountKeys: 0, secrets: 0 }
  const missing = uses.filter(({ keyId }) => !names.includes(keyId))
  const lines = names.map((name) => {
    const opens = words(useOf(name))
    if (name === first) return `${name}  in front: seals what is new. It opens ${opens || 'nothing yet'}.`
    if (opens) {
      return `${name}  needed: it opens ${opens}. The running product moves them to ${first} within an hour of its start.`
    }
    return `${name}  ${whenToTakeOut(first, inFront, now)}`
  })
  for (const use of missing) {
    lines.push(`${use.keyId}  MISSING from ENC_KEYS: it is needed to open ${words(use)}. Put it back; nothing is lost.`)
  }
  return { lines, good: missing.length === 0 }
}

/** @param {string} first @param {Found['inFront']} inFront @param {number} now */
function whenToTakeOut(first, inFront, now) {
  if (inFront?.keyId !== first)
    return `nothing stored needs it. ${first} has not been in front of a running product yet: wait.`
  const safe = inFront.since + LINKS_LAST
  if (now >= safe) return 'nothing needs it: take it out of ENC_KEYS.'
  const date = new Date(safe).toISOString().slice(0, 10)
  return `nothing stored needs it. Taken out before ${date}, links to documents sent before the change stop working.`
}

/** @param {KeyUse} use */
function words({ accountKeys, secrets }) {
  const parts = [
    accountKeys > 0 ? `the keys of ${accountKeys} ${accountKeys === 1 ? 'account' : 'accounts'}` : '',
    secrets > 0 ? `${secrets} ${secrets === 1 ? 'secret' : 'secrets'}` : '',
  ]
  return parts.filter((part) => part !== '').join(' and ')
}

/**
 * The names in ENC_KEYS: from the environment, .env, or the sandbox's file.
 * @param {string} folder of the database
 */
function namesIn(folder) {
  const made = join(folder, 'sandbox-secrets.json')
  return String(process.env.ENC_KEYS || (existsSync(made) ? keysIn(made) : ''))
    .split(',')
    .map((entry) => entry.trim().split(':')[0] ?? '')
    .filter((name) => name !== '')
}

/** @param {string} made */
function keysIn(made) {
  try {
    return JSON.parse(readFileSync(made, 'utf8')).encKeys
  } catch {
    console.error(`${made} cannot be read: put back what it was.`)
    process.exit(2)
  }
}

/**
 * Goes to the clone's folder, reads its settings, and names the database as the product does. Ends the process with a
 * sentence when there is none.
 */
export function databaseInSettings() {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  if (existsSync('.env')) process.loadEnvFile('.env')
  const folder = process.env.DATA_FOLDER?.trim() || './data'
  const given = process.env.DATABASE_URL?.trim() || join(folder, 'fieldhook.db')
  if (isServer(given)) {
    if ((URL.parse(given)?.pathname.length ?? 0) > 1) return { place: given, folder }
    console.error(
      'DATABASE_URL must name a host and a database. Characters such as # in the password are written as %23.',
    )
    process.exit(2)
  }
  const place = resolve(given.replace(/^file:/, ''))
  if (existsSync(place)) return { place, folder: dirname(place) }
  console.error(`There is no database at ${place}.`)
  process.exit(2)
}

/** For a clone that was not started yet; the container has its packages. */
export async function installForDatabase() {
  if (!existsSync('vite.config.ts')) return
  const { orExplain, setUp } = await import('./setup.mjs')
  const options = { build: false, say: console.error, enough: 'node_modules/better-sqlite3' }
  await orExplain(() => setUp({ ...options, packages: 'product' }))
}

/**
 * In the words of the commands that the build has; a clone may have none.
 *
 * @param {unknown} error @param {string} place
 * @returns {Promise<string | null>}
 */
async function problemOf(error, place) {
  const source = new URL('../db/postgres/server-problems.ts', import.meta.url)
  const code = existsSync(source) ? source : pathToFileURL(OPERATIONS)
  // An old Node reads no TypeScript.
  const { connectionProblem } = await import(code.href).catch(() => ({}))
  return isServer(place) ? (connectionProblem?.(error, place) ?? null) : null
}

/**
 * 08001: what failed before there was a connection, as `NOT_CONNECTED` of db/postgres/server-problems.ts.
 *
 * @param {import('pg').Client} client
 */
export const connected = (client) =>
  client.connect().catch((cause) => {
    throw Object.assign(new Error(cause.message, { cause }), { code: '08001' })
  })

/** @param {string} place @returns {(error: unknown) => Promise<never>} */
export const endUnread = (place) => async (error) => {
  const words = error instanceof Error ? error.message || String(/** @type {{ code?: string }} */ (error).code) : error
  console.error(
    /^no such (table|column)|^(relation|column|function) .* does not exist/.test(String(words))
      ? 'The database lacks tables of this release: start Fieldhook once (PostgreSQL: or npm run migrate).'
      : ((await problemOf(error, place)) ?? `The database cannot be read: ${words}`),
  )
  process.exit(2)
}

const isCommand = process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href
if (isCommand && process.argv.some((one) => one.startsWith('--lost'))) {
  const { operate } = await import('./operations.mjs')
  await operate('lostKeyCommand')
} else if (isCommand) {
  refuseOptions()
  const { place, folder } = databaseInSettings()
  const names = namesIn(folder)
  if (names.length === 0) {
    console.error('ENC_KEYS is not set, so its keys cannot be compared.')
    process.exit(2)
  }
  await installForDatabase()
  const found = await readKeyUse(place).catch(endUnread(place))
  const { lines, good } = reportKeys({ ...found, names, now: Date.now() })
  for (const line of lines) console.log(line)
  process.exitCode = good ? 0 : 1
}

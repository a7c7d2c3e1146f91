// The doctor, the keys and the migrations on a real PostgreSQL server.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { Finding } from '#app/features/ops/doctor.ts'
import { connectPostgres } from '#db/postgres/client.server.ts'
import { accountKeyring } from '#db/sql/accounts/account-keys.server.ts'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { readKeyUse } from '../../scripts/keys.mjs'
import { runDoctor } from './doctor.server.ts'
import { migrateCommand } from './operations.server.ts'

const KEYS = `k1:${randomBytes(32).toString('base64')}`
const folder = mkdtempSync(join(tmpdir(), 'fieldhook-doctor-'))
let server: OwnPostgres | null = null
let client: pg.Client
let url = ''

beforeAll(async () => {
  if ((await postgresForTests()).outcome === 'none') return
  const settings = { archive_mode: 'on', archive_command: 'true', wal_level: 'replica' }
  server = await durablePostgres({ settings })
  await server.createDatabase('fieldhook_doctor')
  url = server.url('fieldhook_doctor')
  client = new pg.Client({ connectionString: url })
  await client.connect()
}, POSTGRES_WITHIN_MS)
afterAll(async () => {
  await client?.end()
  await server?.stop()
  rmSync(folder, { recursive: true })
})

async function findings(now: () => number = Date.now): Promise<Finding[]> {
  const source = {
    PLATFORM: 'servicem8',
    SERVICEM8_APP_ID: 'app',
    SERVICEM8_APP_SECRET: 'secret-of-the-portal',
    APP_ORIGIN: 'https://hooks.example.com',
    SESSION_SECRET: randomBytes(32).toString('base64'),
    ENC_KEYS: KEYS,
    DATABASE_URL: url,
    DATA_FOLDER: folder,
  }
  const { text, exitCode } = await runDoctor({ json: true, source, now })
  const found = JSON.parse(text) as Finding[]
  expect(exitCode).toBe(found.some(({ level }) => level === 'bad') ? 1 : 0)
  return found
}

const sentences = (found: Finding[]) => found.map(({ level, sentence }) => `${level}: ${sentence}`)

async function migrated(): Promise<[number, string]> {
  let told = ''
  const say = (line: string) => {
    told += line
  }
  return [await migrateCommand({ args: [], say, source: { DATABASE_URL: url } }), told]
}

test('a new server, its schema made, and what can be looked at then', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  expect(sentences(await findings())).toContainEqual(
    expect.stringMatching(/^warning: The schema is at nothing of ours; this release adds \d+ changes\.$/),
  )
  const { status, stderr } = spawnSync(process.execPath, ['scripts/keys.mjs'], {
    env: { ...process.env, DATABASE_URL: url, ENC_KEYS: KEYS },
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^The database lacks tables of this release: .*migrate/)])
  expect(await migrated()).toEqual([0, expect.stringMatching(/^The schema is up to date: \d+ changes made\.$/)])
  expect(await migrated()).toEqual([0, 'The schema is up to date.'])

  const connections = connectPostgres(url)
  const box = createSecretBox(
    KEYS,
    accountKeyring(connections, () => 0),
  )
  await client.query(
    "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('leeds', '', 'UTC', 0, 0)",
  )
  const sealed = await box.seal('credential|leeds|access_token', 'x')
  await client.query("INSERT INTO credential VALUES ('leeds', $1, $1, 0, '', 'connected', NULL, 1, 0, 0)", [sealed])
  await client.query("INSERT INTO member (id, process, version, started_at) VALUES ('one', '', '1.2.3', 0)")
  await client.query("UPDATE share SET owner = 'one'")
  await connections.close()
  await client.query('SELECT pg_backup_start($1, true)', ['base'])
  await client.query('SELECT pg_backup_stop(false)')

  // As an instance that lives does.
  const beats = setInterval(() => {
    client.query('UPDATE member SET beats = beats + 1').catch(() => {})
  }, 200)
  const said = sentences(await findings())
  clearInterval(beats)
  expect(said).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^good: PostgreSQL \d+\.\d+, asked directly: it keeps what it commits\.$/),
      expect.stringMatching(/^good: The schema is this release's: \d{4}_/),
      'warning: Acknowledged events do not survive the loss of the server: 0 standbys connected, none waited for.',
      expect.stringMatching(/^good: The database takes \S+ MB on the server, .+; MAX_DB_MB allows 2\.0 GB\.$/),
      expect.stringMatching(/^good: The newest base backup is \d+ seconds? old\.$/),
      expect.stringMatching(/^good: The server archived its log \d+ seconds? ago\.$/),
      'good: The clocks of this machine and of the server agree.',
      'good: Nothing is overdue: 0 deliveries in line, 0 held.',
      'good: Secrets open: 1 tried.',
    ]),
  )
  expect(said.filter((one) => one.startsWith('bad'))).toEqual([])
  expect(await readKeyUse(url)).toEqual({ uses: [{ keyId: 'k1', accountKeys: 1, secrets: 0 }], inFront: null })
})

test('a moved copy is held by a row on the server, until it is released', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  await migrated()
  const held = 'warning: This is a restored or moved copy: events are stored, and nothing is sent.'
  expect(sentences(await findings())).not.toContain(held)
  await client.query("INSERT INTO installation (name, value) VALUES ('held', '{}')")
  expect(sentences(await findings())).toContain(held)
  await client.query("DELETE FROM installation WHERE name = 'held'")
})

test('a database of the sandbox is named as the start names it', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  await migrated()
  const refusal = expect.stringMatching(/^bad: The database .+ belongs to the sandbox, and this start is for/)
  expect(sentences(await findings())).not.toContainEqual(refusal)
  await client.query("INSERT INTO installation (name, value) VALUES ('platform', 'sandbox')")
  expect(sentences(await findings())).toContainEqual(refusal)
  await client.query("DELETE FROM installation WHERE name = 'platform'")
})

test('a clock that is off, instances without work, and work without an instance', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  await migrated()
  expect(sentences(await findings(() => Date.now() + 90_000))).toContain(
    'warning: The clocks of this machine and of the server differ by 90 seconds.',
  )
  await client.query('UPDATE share SET owner = NULL WHERE part = 63')
  expect(sentences(await findings())).toEqual(
    expect.arrayContaining([
      'warning: 1 of 64 shares have no owner; 1 instance: one (1.2.3) with 63.',
      // It does not beat while it is watched.
      expect.stringContaining('warning: Fieldhook does not run on this database'),
    ]),
  )
})

test('a server that is gone, or whose schema is of a release that does not serve this one', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  await migrated()
  await client.query("INSERT INTO schema_migration (name, hash) VALUES ('9999_future', 'x')")
  expect(sentences(await findings())).toContainEqual(expect.stringMatching(/^bad: The database was written by a newer/))
  expect(await migrated()).toEqual([1, expect.stringContaining('newer release')])
  await client.query("UPDATE schema_migration SET serves = '0000_first' WHERE name = '9999_future'")
  expect(sentences(await findings())).toContain(
    "good: The schema is a newer release's, and serves this one: 9999_future.",
  )
  expect(await migrated()).toEqual([0, 'The schema is up to date.'])
  const there = url
  url = 'postgres://fieldhook:geheim@127.0.0.1:1/fieldhook'
  expect(sentences(await findings())).toContain(
    'bad: No database answers at 127.0.0.1:1/fieldhook. Check the address, and that the server runs.',
  )
  url = there
})

test.each(['postgres://u:p#w@h/x', 'postgres://u:p/w@h/x', 'postgres://u:p@h:99999/x', 'postgres://u:p@localhost'])(
  'an address that cannot be read is one finding without its password: %s',
  async (DATABASE_URL) => {
    const { text, exitCode } = await runDoctor({ json: true, source: { PLATFORM: 'sandbox', DATABASE_URL } })
    const bad = (JSON.parse(text) as Finding[]).filter(({ level }) => level === 'bad')
    expect(sentences(bad)).toEqual([expect.stringMatching(/^bad: DATABASE_URL must name a host and a database.*%23/)])
    expect([exitCode, /p[#/]w/.test(text)]).toEqual([1, false])
  },
)

test('a file needs no command for its schema', async () => {
  const said: string[] = []
  expect(await migrateCommand({ args: [], say: (line) => said.push(line), source: {} })).toBe(0)
  expect(said.join()).toContain('SQLite file')
})

test.each(['postgre://host/fieldhook', 'postgres://host', '/data/fieldhook.db'])(
  'an address that is none is refused: %s',
  async (DATABASE_URL) => {
    const said: string[] = []
    expect(await migrateCommand({ args: [], say: (line) => said.push(line), source: { DATABASE_URL } })).toBe(1)
    expect(said).toEqual([expect.stringMatching(/^DATABASE_URL must name a /)])
  },
)

test.each([{}, { DATABASE_URL: 'file:/data/fieldhook.db' }])(
  'a deploy of several instances ends without a server: %o',
  async (source) => {
    const said: string[] = []
    const say = (line: string) => void said.push(line)
    expect(await migrateCommand({ args: ['--server'], say, source })).toBe(1)
    expect(said).toEqual([
      'DATABASE_URL names no PostgreSQL server: set it to postgres://… before you deploy several instances.',
    ])
    expect(await migrateCommand({ args: [], say, source })).toBe(0)
  },
)

// Servers that Fieldhook must not use, each of them real: one sentence, and nothing is made.
import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueCertificate } from '#tests/support/certificates.server.ts'
import { oneSessionPooler } from '#tests/support/one-session-pooler.server.ts'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { openServerCheckup } from './checkup.server.ts'
import { migrateServer } from './client.server.ts'

let server: OwnPostgres | null = null
let client: pg.Client
beforeAll(async () => {
  if ((await postgresForTests()).outcome === 'none') return
  server = await durablePostgres({ listen: 'port', settings: { max_connections: '8' } })
  client = new pg.Client({ connectionString: server.url() })
  await client.connect()
}, POSTGRES_WITHIN_MS)
afterAll(async () => {
  await client?.end()
  await server?.stop()
})

const refusal = (url: string, setting?: string) =>
  migrateServer(url, 'db/migrations-postgres', setting).then(
    () => 'opened',
    (error: Error) => `${error.name}: ${error.message}`,
  )

/** What the doctor says of it. */
async function refusedAt(url: URL): Promise<string | null> {
  const checkup = openServerCheckup(url.href, 'db/migrations-postgres')
  const { refused } = await checkup.figures(Date.now)
  await checkup.close()
  return refused
}

async function freshUrl(own: OwnPostgres, name: string): Promise<URL> {
  await own.createDatabase(name)
  return new URL(own.url(name))
}

async function tablesOf(url: URL): Promise<number> {
  const look = new pg.Client({ connectionString: url.href })
  await look.connect()
  const { rows } = await look.query("SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'")
  await look.end()
  return rows[0].count
}

test('a pooler that shares a session is told from a server', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const url = await freshUrl(server, 'fieldhook_pooled')
  const { rows } = await client.query<{ file: string }>(
    "SELECT current_setting('unix_socket_directories') || '/.s.PGSQL.' || current_setting('port') AS file",
  )
  const to = { user: url.username, database: 'fieldhook_pooled' }
  const pooler = await oneSessionPooler(rows[0]?.file ?? '', to)
  expect(await refusal(`postgres://anybody@127.0.0.1:${pooler.port}/fieldhook_pooled`)).toBe(
    'ConfigurationError: A pooler stands between Fieldhook and the database server. Give DATABASE_URL the direct address of the server.',
  )
  expect(await refusal(`postgres://anybody@127.0.0.1:${pooler.port}/fieldhook_pooled`, '--to')).toMatch(
    /Give --to the direct address of the server\.$/,
  )
  pooler.close()
  expect(await tablesOf(url)).toBe(0)
  expect(await refusal(url.href)).toBe('opened')
})

test('a user without rights', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const url = await freshUrl(server, 'fieldhook_rights')
  await client.query("CREATE ROLE visitor LOGIN PASSWORD 'short'")
  url.username = 'visitor'
  url.password = 'short'
  const sentence = expect.stringMatching(/^(ConfigurationError: )?The user in DATABASE_URL may not create tables/)
  expect([await refusal(url.href), await refusedAt(url)]).toEqual([sentence, sentence])
  expect(await tablesOf(url)).toBe(0)
  // Also where the tables are there already: each start asks for its own.
  expect(await refusal(server.url('fieldhook_rights'))).toBe('opened')
  const owner = new pg.Client({ connectionString: server.url('fieldhook_rights') })
  await owner.connect()
  await owner.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO visitor')
  await owner.end()
  expect([await refusal(url.href), await refusedAt(url)]).toEqual([sentence, sentence])
  expect(await refusedAt(new URL(server.url('fieldhook_rights')))).toBe(null)
})

test('a database that only reads is no standby, and the doctor says it as the start does', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const url = await freshUrl(server, 'fieldhook_reads')
  await client.query('ALTER DATABASE fieldhook_reads SET default_transaction_read_only = on')
  const sentence = 'The database only reads (default_transaction_read_only = on). Turn that off.'
  expect(await refusal(url.href)).toBe(`ConfigurationError: ${sentence}`)
  expect(await refusedAt(url)).toBe(sentence)
})

test('a server whose connections are all used', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const url = server.url()
  const others: pg.Client[] = []
  let full = false
  while (!full && others.length < 20) {
    const other = new pg.Client({ connectionString: url })
    full = await other.connect().then(
      () => false,
      () => true,
    )
    if (!full) others.push(other)
  }
  expect(await refusal(url)).toMatch(/^ConfigurationError: The server at .* has no free connection/)
  await Promise.all(others.map((other) => other.end()))
})

test('a certificate that nobody vouches for', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder")
  const folder = rows[0]?.folder ?? ''
  const { uid, gid } = statSync(folder)
  const { cert, key } = issueCertificate({ subject: 'somebody', ips: ['127.0.0.1'] })
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    chownSync(join(folder, name), uid, gid)
  }
  await client.query('ALTER SYSTEM SET ssl = on')
  await client.query('SELECT pg_reload_conf()')
  const url = new URL(server.url())
  url.searchParams.set('sslmode', 'verify-full')
  await expect
    .poll(() => refusal(url.href))
    .toMatch(/^ConfigurationError: The certificate of the server at .*self-signed/)
})

test('a server that forgets in a power cut', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const forgetful = await durablePostgres({ durable: false })
  const url = await freshUrl(forgetful, 'fieldhook_forgetful')
  expect(await refusal(url.href)).toMatch(/^ConfigurationError: The database server runs with fsync = off/)
  expect(await tablesOf(url)).toBe(0)
  await forgetful.stop()
})

test('a disk that is full (53100)', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const folder = mkdtempSync(join(tmpdir(), 'full-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=777', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return skip('no small disk can be made here')
  }
  const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder")
  const { uid, gid } = statSync(rows[0]?.folder ?? '')
  chownSync(folder, uid, gid)
  try {
    await client.query(`CREATE TABLESPACE tiny LOCATION '${folder}'`)
    await client.query('CREATE DATABASE fieldhook_full TABLESPACE tiny')
    const rest = statfsSync(folder)
    writeFileSync(join(folder, 'filler'), Buffer.alloc(rest.bsize * rest.bavail - 2 ** 19))
    const url = new URL(server.url('fieldhook_full'))
    expect(await refusal(url.href)).toMatch(/^ConfigurationError: The disk of the database server at .* is full/)
    // The ledger alone, and of the first file nothing.
    expect(await tablesOf(url)).toBe(1)
    await server.dropDatabase('fieldhook_full')
    await client.query('DROP TABLESPACE tiny')
  } finally {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  }
})

// `npm run move` on real files and a real PostgreSQL: there and back, refused, and interrupted.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startApp } from '#app/boot/boot.server.ts'
import { type Env, readEnv } from '#app/boot/env.server.ts'
import { openServer } from '#app/boot/open-server.server.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { moveAll } from '#db/move/move.server.ts'
import type { PlatformKind } from '#db/move/sides.ts'
import { movedTables, rowsIn } from '#db/move/tables.ts'
import { connectPostgres, openPostgres } from '#db/postgres/client.server.ts'
import { claimForPlatform } from '#db/postgres/installation.server.ts'
import { openSourceServer, openTargetServer } from '#db/postgres/move-side.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { inUseLock, takeLock } from '#db/sqlite/file-lock.server.ts'
import { openSourceFile, openTargetFile } from '#db/sqlite/move-side.server.ts'
import { claimFor } from '#db/sqlite/platform-kind.server.ts'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { drawing, fillAtRandom } from '#tests/support/random-rows.server.ts'
import { QUIET } from '#tests/support/test-app.server.ts'
import { withClient } from '../../scripts/postgres-databases.mjs'
import { moveCommand, releaseCommand } from './operations.server.ts'

let server: OwnPostgres | null = null
let root = ''
let env: Readonly<Env>
let said: string[] = []
let made = 0

beforeAll(async () => {
  if ((await postgresForTests()).outcome === 'none') return
  server = await durablePostgres()
}, POSTGRES_WITHIN_MS)
afterAll(() => server?.stop())
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldhook-move-'))
  env = environment({})
  said = []
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function environment(more: Record<string, string>): Readonly<Env> {
  return {
    ...readEnv(more, root),
    migrationsFolder: 'db/migrations',
    postgresMigrationsFolder: 'db/migrations-postgres',
  }
}

async function move(...args: string[]): Promise<string> {
  said = []
  const code = await moveCommand({ args, env, say: (line) => void said.push(line) })
  return `${code}: ${said.join('\n')}`
}

async function freshUrl(running: OwnPostgres): Promise<string> {
  const name = `fieldhook_move_${++made}`
  await running.createDatabase(name)
  return running.url(name)
}

/** A file with an account and an event of it. */
function smallFile(file = env.databaseFile, platform: PlatformKind = 'servicem8'): void {
  const client = openClient(file, 'db/migrations')
  client.sql.exec(
    `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('a', 'Leeds', 'UTC', 0, 0);
     INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES ('i', 'a', 'object', 'job', 'r', '[]', 0, 'd')`,
  )
  claimFor(client.sql, platform)
  client.close()
}

/** Everything a file holds. */
function contentOf(file: string): Record<string, unknown[]> {
  const sql = new Database(file, { readonly: true })
  try {
    const tables = [
      ...movedTables().map(({ name, key }) => ({ name, key, from: rowsIn({ name }) })),
      { name: 'sqlite_sequence', key: ['name'], from: 'sqlite_sequence' },
    ]
    const rows = tables.map(({ name, key, from }) => {
      const all = sql.prepare(`SELECT * FROM ${from} ORDER BY ${key.join(', ')}`)
      return [name, all.raw().safeIntegers().all()]
    })
    return { ...Object.fromEntries(rows), mark: [sql.pragma('application_id', { simple: true })] }
  } finally {
    sql.close()
  }
}

const withoutNul = (content: Record<string, unknown[]>) =>
  Object.fromEntries(
    Object.entries(content).map(([name, rows]) => [
      name,
      rows
        .map((row) =>
          Array.isArray(row) ? row.map((v) => (typeof v === 'string' ? v.replaceAll('\0', '\ufffd') : v)) : row,
        )
        .map((row) => shortText(row))
        .sort(),
    ]),
  )

/** Short, so that a difference can be read. */
function shortText(row: unknown): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)).slice(0, 2_000)
}

test('random rows of every table go to PostgreSQL and back, and to another file, unchanged', {
  timeout: 120_000,
}, async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const running = server
  const trial = async (seed: number) => {
    const file = join(root, `random-${++made}.db`)
    const client = openClient(file, 'db/migrations')
    claimFor(client.sql, 'servicem8')
    fillAtRandom(client.sql, drawing(seed), 12)
    // An account that is being erased: it is erased where it goes.
    client.sql.exec("INSERT INTO lease (name, owner, expires_at) VALUES ('erase|a', 'erasure', 7), ('x', 'y', 0)")
    client.close()
    const before = contentOf(file)
    const url = await freshUrl(running)
    expect(await move('--from', `file:${file}`, '--to', url)).toMatch(/^0: .*equal by count and hash/s)
    expect(contentOf(file)).toEqual(before)
    const back = join(root, `back-${made}.db`)
    expect(said.join('\n')).toMatch(/Take out the BACKUP_ settings\.\n.*\n4\. Start the other instances\.\n5\. Later/s)
    expect(await move('--from', url, '--to', `file:${back}`)).toMatch(/^0: /)
    expect(said.join('\n')).toMatch(/SESSION_SECRET\.\n2.*yes\n4\. Later/s)
    expect(withoutNul(contentOf(back))).toEqual(withoutNul(before))
    expect(before.lease).toEqual([['erase|a', 'erasure', 7n]])
    const third = join(root, `third-${made}.db`)
    expect(await move('--from', `file:${file}`, '--to', `file:${third}`)).toMatch(/^0: /)
    expect(contentOf(third)).toEqual(before)
    const nuls = Object.values(before)
      .flat(2)
      .filter((value) => typeof value === 'string' && value.includes('\0'))
    expect(nuls.length).toBeGreaterThan(0)
  }
  await fc.assert(fc.asyncProperty(fc.nat(), trial), { numRuns: 3, endOnFailure: true })
})

test('a text with a NUL is told, and new ids go on after the moved ones', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  smallFile()
  const sql = new Database(env.databaseFile)
  sql.prepare("UPDATE account SET name = 'a' || char(0) || 'b'").run()
  sql.prepare("UPDATE sqlite_sequence SET seq = 41 WHERE name = 'event'").run()
  sql.close()
  const url = await freshUrl(server)
  expect(await move('--to', url)).toContain('1 texts held a NUL')
  const next = `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
    VALUES ('j', 'a', 'object', 'job', 'r', '[]', 0, 'e') RETURNING seq`
  const numbers = await withClient(url, async (client) => (await client.query(next)).rows)
  expect(numbers).toEqual([{ seq: '42' }])
  expect(await move('--from', url, '--to', `file:${join(root, 'back.db')}`)).toMatch(/^0/)
  const back = new Database(join(root, 'back.db'))
  expect(back.prepare(next.replace("'e'", "'f'").replace("'j'", "'k'")).get()).toEqual({ seq: 43 })
  expect(back.prepare('SELECT name FROM account').pluck().get()).toBe('a\ufffdb')
  back.close()
})

test('the target is held until it is let go, belongs to the same platform, and the store reads it', async ({
  skip,
}) => {
  if (!server) return skip('no PostgreSQL')
  smallFile()
  const url = await freshUrl(server)
  expect(await move('--to', url)).toMatch(/^0: /)
  expect(said.join('\n')).toContain('npm run release -- --yes')
  expect(said.join('\n')).toContain('5. Later, delete the old database, its copies and its backups')
  const client = await openPostgres(url, 'db/migrations-postgres')
  const store = sqlStore(client, systemClock())
  expect((await store.accounts.findAccount('a'))?.name).toBe('Leeds')
  expect(await claimForPlatform(client.db, 'sandbox')).toBe('servicem8')
  await client.close()
  const onServer = { ...env, databaseServer: url }
  const release = async (...args: string[]) => {
    said = []
    return [await releaseCommand({ args, env: onServer, say: (line) => void said.push(line) }), ...said]
  }
  expect(await release()).toEqual([
    0,
    expect.stringContaining('0 deliveries and 0 runs'),
    expect.stringContaining('--yes'),
  ])
  expect(await release('--yes')).toEqual([0, expect.any(String), 'Released.'])
  expect(await release()).toEqual([0, expect.stringContaining('is not held')])
  const back = join(root, 'back.db')
  expect(await move('--from', url, '--to', `file:${back}`)).toMatch(/^0: /)
  expect(readFileSync(`${back}.held`, 'utf8')).toContain('movedFrom')
  expect(existsSync(`${back}.moving`)).toBe(false)
})

test('the product starts on a moved database, sends nothing, and goes on when a command lets it go', async ({
  skip,
}) => {
  if (!server) return skip('no PostgreSQL')
  smallFile(env.databaseFile, 'sandbox')
  const url = await freshUrl(server)
  expect(await move('--to', url)).toMatch(/^0: /)
  const onServer = { ...env, ...environment({ DATABASE_URL: url, DATA_FOLDER: 'data' }), logLevel: 'silent' as const }
  const running = await startApp({ env: onServer, log: QUIET })
  try {
    running.started()
    expect(running.app.hold.held()).toBe(true)
    const input = { args: ['--yes'], env: onServer, say: (line: string) => void said.push(line) }
    expect(await releaseCommand(input)).toBe(0)
    await vi.waitFor(() => expect(running.app.hold.held()).toBe(false), { timeout: 10_000, interval: 100 })
  } finally {
    await running.stop()
  }
})

test('what cannot be moved is refused with one sentence, and nothing changes', { timeout: 60_000 }, async ({
  skip,
}) => {
  if (!server) return skip('no PostgreSQL')
  expect(await move()).toMatch(/^1: Say where to/)
  expect(await move('--to', 'mysql://x')).toMatch(/^1: --to must name a file/)
  expect(await move('--to', 'file:x.db')).toMatch(/^1: There is no database at/)
  smallFile()
  const file = env.databaseFile
  const url = await freshUrl(server)
  expect(await move('--to', `file:${file}`)).toBe('1: Source and target are the same database.')
  expect(await move('--from', url, '--to', `${url}&application_name=x`)).toBe(
    '1: Source and target are the same database.',
  )
  expect(await move('--from', url, '--to', 'file:x.db')).toMatch(/^1: There is no database of Fieldhook at/)
  expect(await move('--to', server.url('nowhere'))).toMatch(/^1: The server at .* has no such database. .* in --to\.$/)
  expect(await move('--to', 'postgres://127.0.0.1:1/x')).toMatch(/^1: No database answers at/)

  const lock = takeLock(inUseLock(file), 'shared')
  expect(await move('--to', url)).toBe(`1: Fieldhook is running on ${file}: stop it first.`)
  lock?.release()
  const other = join(root, 'other.db')
  smallFile(other)
  expect(await move('--to', `file:${other}`)).toBe(
    `1: The database ${other} is not empty: account has rows. Name a new file.`,
  )
  writeFileSync(join(root, 'broken.db'), 'x'.repeat(5_000))
  expect(await move('--to', `file:${join(root, 'broken.db')}`)).toMatch(/^1: The database .* is damaged/)
  expect(await move('--to', `file:${file}/x/y.db`)).toMatch(/^1: .*cannot be a folder: a file is in its place/)

  expect(await move('--to', url)).toMatch(/^0: /)
  expect(await move('--to', url)).toMatch(/^1: The database .* is not empty: account has rows/)
  const alive = "INSERT INTO lease (name, owner, expires_at) VALUES ('deliveries', 'x', $1)"
  await withClient(url, (client) => client.query(alive, [Date.now() + 60_000]))
  const back = join(root, 'back.db')
  expect(await move('--from', url, '--to', `file:${back}`)).toMatch(/^1: Fieldhook is running on/)
  await withClient(url, (client) =>
    client.query(
      "UPDATE lease SET expires_at = 0; INSERT INTO member (id, process, version, started_at) VALUES ('a', '', '', 0)",
    ),
  )
  const beats = setInterval(() => {
    withClient(url, (client) => client.query('UPDATE member SET beats = beats + 1')).catch(() => {})
  }, 500)
  expect(await move('--from', url, '--to', `file:${back}`)).toMatch(/^1: Fieldhook is running on/)
  clearInterval(beats)
  await withClient(url, (client) => client.query('DELETE FROM member'))
  await withClient(url, (client) => client.query("INSERT INTO schema_migration VALUES ('9999_future', 'x')"))
  expect(await move('--from', url, '--to', `file:${back}`)).toMatch(/^1: .*newer release/)
  await withClient(url, (client) => client.query("DELETE FROM schema_migration WHERE name > '0001'"))
  expect(await move('--from', url, '--to', `file:${back}`)).toMatch(/^1: .* of an older release. Start this release/)
  expect(existsSync(back)).toBe(false)

  const sql = new Database(file)
  sql.prepare('UPDATE __drizzle_migrations SET created_at = created_at + 1000000000000').run()
  expect(await move('--to', `file:${back}`)).toMatch(/^1: .*newer release/)
  sql.prepare('UPDATE __drizzle_migrations SET created_at = created_at - 1000000000000 - 1').run()
  expect(await move('--to', `file:${back}`)).toMatch(/^1: .* of an older release. Start this release/)
  sql.close()
  expect(existsSync(back)).toBe(false)
})

test('an interrupted move leaves nothing on the server, and the next one goes through', { timeout: 60_000 }, async ({
  skip,
}) => {
  if (!server) return skip('no PostgreSQL')
  smallFile()
  const url = await freshUrl(server)
  const source = openSourceFile({ file: env.databaseFile, migrationsFolder: 'db/migrations' })
  const target = await openTargetServer({ url, migrationsFolder: 'db/migrations-postgres', setting: '--to' })
  const END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fieldhook move'"
  const cut: typeof target = {
    ...target,
    async insert(table, rows) {
      if (table.name === 'event') await withClient(url, (client) => client.query(END))
      await target.insert(table, rows)
    },
  }
  await expect(moveAll(source, cut, { now: 0, tell() {} })).rejects.toThrow(
    /The connection to .* broke, and nothing was put/,
  )
  await cut.close()
  await source.close()
  const left = 'SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM installation) AS count'
  expect(await withClient(url, async (client) => (await client.query(left)).rows)).toEqual([{ count: '0' }])
  expect(await move('--to', url)).toMatch(/^0: /)
})

test('an instance that starts on a server meanwhile does not get in', { timeout: 60_000 }, async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const [to, from] = [await freshUrl(server), await freshUrl(server)]
  const targetAt = (url: string) =>
    openTargetServer({ url, migrationsFolder: 'db/migrations-postgres', setting: '--to' })
  const target = await targetAt(to)
  // Its schema.
  await (await targetAt(from)).close()
  const source = await openSourceServer({ url: from, migrationsFolder: 'db/migrations-postgres', setting: '--from' })
  const client = connectPostgres(to)
  const starting = openServer({ env, url: from, clock: systemClock(), observed: (store) => store })
  // Both wait for five seconds.
  await Promise.all([
    expect(claimForPlatform(client.db, 'sandbox')).rejects.toThrow(/lock timeout/),
    expect(starting).rejects.toThrow(/^A move of .* is under way: start again when it has ended\.$/),
  ])
  await client.close()
  await target.close()
  await source.close()
})

test('a file is there at once or not at all, whatever an interrupted move left beside it', async () => {
  smallFile()
  const file = join(root, 'target/new.db')
  mkdirSync(join(root, 'target'))
  smallFile(`${file}.moving`)
  const place = { file, migrationsFolder: 'db/migrations', marker: `${file}.held` }
  const source = openSourceFile({ file: env.databaseFile, migrationsFolder: 'db/migrations' })
  const target = openTargetFile(place)
  const fails: typeof target = {
    ...target,
    async finish() {
      expect(existsSync(file)).toBe(false)
      throw Object.assign(new Error('stopped'), { code: 'TEST' })
    },
  }
  await expect(moveAll(source, fails, { now: 0, tell() {} })).rejects.toThrow('stopped')
  await fails.close()
  await source.close()
  expect([existsSync(file), existsSync(`${file}.moving`), existsSync(`${file}.held`)]).toEqual([false, false, false])
  expect(await move('--to', `file:${file}`)).toMatch(/^0: /)
  expect(contentOf(file)).toEqual(contentOf(env.databaseFile))
})

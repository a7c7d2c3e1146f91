// The PostgreSQL that tests and proofs bring with them: found, started, ended, and nothing of it left.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openPostgres, type PostgresServer } from '../../scripts/postgres.mjs'
import { databaseFrom, withClient } from '../../scripts/postgres-databases.mjs'
import { findPostgres, PINS } from '../../scripts/postgres-program.mjs'
import { freshDatabase, freshDatabaseNow, POSTGRES_WITHIN_MS, postgresForTests } from './postgres.ts'
import { leaveDatabaseNow, openSyncPostgres, takeDatabaseNow } from './sync-postgres.server.ts'

/** Not the server of TEST_DATABASE_URL: that one is not ours to end. */
const OWN = ['package', 'machine'] as const
const MODULE = new URL('../../scripts/postgres.mjs', import.meta.url).href

const found = await findPostgres(OWN, () => {}).catch((error: Error) => error.message)
const here = await postgresForTests()
if (typeof found === 'string') console.log(`Tests of a server of our own are left out. ${found}`)

const folderOf = (url: string) => new URL(url).searchParams.get('host') ?? ''
const look = async (url: string, text: string) =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(text)).rows)
const isAlive = (pid: number) => existsSync(`/proc/${pid}`) || (process.platform !== 'linux' && canBeSignalled(pid))

function canBeSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

afterEach(() => vi.unstubAllEnvs())

async function until(holds: () => boolean): Promise<void> {
  for (const began = performance.now(); !holds() && performance.now() - began < 10_000; ) await pause(20)
  expect(holds()).toBe(true)
}

describe('which PostgreSQL', () => {
  test('every package is pinned to one exact version, with its hash', () => {
    const pins = Object.values(PINS)
    expect(new Set(pins.map(({ version }) => version)).size).toBe(1)
    for (const { version, integrity } of pins) {
      expect(version).toMatch(/^18\.\d+\.\d+-beta\.\d+$/)
      expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/)
    }
  })

  test('where none can be had, a sentence for each place that was looked at', async () => {
    const nowhere = findPostgres(['package'], () => {}, { system: 'sunos-sparc' })
    await expect(nowhere).rejects.toThrow('There is no PostgreSQL for this:\n- no package of it is pinned')
  })

  test('of those installed here the newest that is a server, else the one on PATH', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fieldhook-installed-')))
    const plant = (bin: string, ...programs: string[]) => {
      mkdirSync(join(folder, bin), { recursive: true })
      for (const name of programs) writeFileSync(join(folder, bin, name), '')
    }
    const where = { installed: folder, env: { PATH: `:${join(folder, 'path')}` } }
    const look = () => findPostgres(['machine'], () => {}, where)
    try {
      await expect(look()).rejects.toThrow(`- none is installed on this machine (${folder}/*/bin, pg_ctl on PATH)`)
      plant('path', 'initdb', 'pg_ctl', 'postgres')
      expect(await look()).toMatchObject({ bin: join(folder, 'path') })
      for (const version of ['9', '15']) plant(`${version}/bin`, 'initdb', 'pg_ctl', 'postgres')
      plant('18/bin', 'psql')
      expect(await look()).toEqual({ bin: join(folder, '15/bin'), source: join(folder, '15/bin') })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe.skipIf(typeof found === 'string')('a server of our own', { timeout: 60_000 }, () => {
  let server: PostgresServer
  const said: string[] = []
  beforeAll(async () => {
    server = await openPostgres({ from: OWN, say: (line) => said.push(line) })
    await server.createDatabase('fieldhook_kept')
    await look(server.url('fieldhook_kept'), 'CREATE TABLE kept AS SELECT 7 AS n')
  }, POSTGRES_WITHIN_MS)
  afterAll(() => server?.stop())

  test('says which one it is', () => {
    expect(said.at(-1)).toBe(`PostgreSQL ${server.version}, from ${server.source}`)
    expect(server.version).toMatch(/^1[5-9]/)
  })

  test('is durable unless asked otherwise, counts in bytes, and takes 300 sessions', async () => {
    const text = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit',
      'max_connections', 'lc_collate', 'server_encoding', 'TimeZone')`
    const settings = await look(server.url(), text)
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toMatchObject({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      max_connections: '300',
      server_encoding: 'UTF8',
      TimeZone: 'UTC',
    })
    const [sorted] = await look(server.url('fieldhook_kept'), "SELECT 'Z' < 'a' AS bytes")
    expect(sorted).toEqual({ bytes: true })
  })

  test('never runs as root, and only its user gets to its socket', () => {
    const owner = statSync(folderOf(server.url()))
    expect(owner.uid).toBe(process.getuid?.() === 0 ? 65_534 : process.getuid?.())
    expect(owner.mode & 0o77).toBe(0)
    if (process.platform !== 'linux') return
    const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8')
    expect(status).toContain(`\nUid:\t${owner.uid}\t${owner.uid}\t`)
    if (process.getuid?.() === 0) expect(status).toMatch(/\nGroups:[\t ]*\n/)
  })

  test('only names of ours are made and dropped', async () => {
    await expect(server.createDatabase('other')).rejects.toThrow('named fieldhook_…')
    await expect(server.dropDatabase('postgres')).rejects.toThrow('named fieldhook_…')
    await server.dropDatabase('fieldhook_never_made')
  })

  test.each<[string, () => Promise<void> | void]>([
    ['fast', () => server.halt('fast')],
    ['immediate', () => server.halt('immediate')],
    ['killed', () => server.kill()],
    ['killed by somebody else', () => void process.kill(server.pid() ?? 0, 'SIGKILL')],
  ])('ended (%s) and started again it has its data, at the same address', async (_, end) => {
    const url = server.url('fieldhook_kept')
    await end()
    await until(() => server.pid() === null)
    await expect(look(url, 'SELECT 1')).rejects.toThrow()
    await server.start()
    expect(await look(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
  })

  test('given by somebody whose user may not create databases, it is a sentence', async () => {
    await look(server.url(), 'CREATE ROLE fieldhook_guest LOGIN')
    const guest = new URL(server.url())
    guest.username = 'fieldhook_guest'
    vi.stubEnv('TEST_DATABASE_URL', guest.href)
    try {
      await expect(openPostgres()).rejects.toThrow('may not create databases')
    } finally {
      await look(server.url(), 'DROP ROLE fieldhook_guest')
    }
  })

  test('databases of one text are copies of one template, made once however many ask', async () => {
    const place = { url: server.url(), prefix: server.prefix }
    const sql =
      'CREATE TABLE job (id bigint GENERATED ALWAYS AS IDENTITY, name text); INSERT INTO job (name) VALUES (1)'
    const made = await Promise.all(Array.from({ length: 4 }, () => databaseFrom(place, sql)))
    await look(made[0]?.url ?? '', 'DELETE FROM job')
    expect(await Promise.all(made.map(({ url }) => look(url, 'SELECT name FROM job')))).toEqual([
      [],
      ...Array.from({ length: 3 }, () => [{ name: '1' }]),
    ])
    const templates = "SELECT datallowconn FROM pg_database WHERE datname LIKE '%\\_t\\_%'"
    expect(await look(server.url(), templates)).toEqual([{ datallowconn: false }])
    await expect(databaseFrom(place, 'CREATE TABLE')).rejects.toThrow('syntax error')
    for (const { name } of made) await server.dropDatabase(name)
  })
})

describe.skipIf(typeof found === 'string')('how a server ends', { timeout: 60_000 }, () => {
  test('stopped, it leaves no folder and no process', async () => {
    const server = await openPostgres({ from: OWN, durable: false })
    const folder = folderOf(server.url())
    const pid = server.pid() ?? 0
    await server.stop()
    expect([existsSync(folder), isAlive(pid), server.pid()]).toEqual([false, false, null])
    await server.stop()
  })

  test('what stops the start is told in its own words, and nothing is left', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fieldhook-none-'))
    chmodSync(folder, 0o755)
    vi.stubEnv('TMPDIR', folder)
    const settings = { unix_socket_group: 'nobody_is_called_so' }
    const outcome = await openPostgres({ from: OWN, durable: false, settings }).catch((error: Error) => error.message)
    expect(outcome).toMatch(/^PostgreSQL did not start: it ended with 1\n/)
    expect(outcome).toContain('"nobody_is_called_so" does not exist')
    expect(readdirSync(folder).filter((name) => name.startsWith('fieldhook-'))).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test.each([
    ['killed', "process.kill(process.pid, 'SIGKILL')"],
    ['done without a stop', 'process.exit(0)'],
  ])('it ends with its process: %s', async (_, last) => {
    const source = `import { openPostgres } from ${JSON.stringify(MODULE)}
      const server = await openPostgres({ from: ${JSON.stringify(OWN)}, durable: false })
      process.stdout.write(server.pid() + ' ' + server.url() + '\\n', () => ${last})`
    const [pid = '', url = ''] = (await outputOf(source)).split(' ')
    expect(folderOf(url)).toContain('fieldhook-postgres-')
    await until(() => !isAlive(Number(pid)) && !existsSync(folderOf(url)))
  })

  test('on a port it asks for a password', async () => {
    const server = await openPostgres({ from: OWN, durable: false, listen: 'port' })
    try {
      const given = new URL(server.url())
      expect(given.hostname).toBe('127.0.0.1')
      expect(await look(given.href, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      given.password = 'guessed'
      await expect(look(given.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
    } finally {
      await server.stop()
    }
  })
})

describe.skipIf(here.outcome === 'none')('the server of a run of tests', { timeout: 60_000 }, () => {
  test('whoever asks is told of the same one', async () => {
    expect(await postgresForTests()).toBe(here)
    expect(here).toMatchObject({ outcome: 'running', prefix: expect.stringMatching(/^fieldhook_[0-9a-f]{8}_$/) })
  })

  test('a fresh database is gone once closed, whoever still uses it', async () => {
    const database = await freshDatabase('CREATE TABLE note (text text)')
    const lost = withClient(database.url, async (client: pg.Client) => {
      await client.query("INSERT INTO note VALUES ('mine')")
      await database.close()
      return client.query('SELECT 1')
    })
    await expect(lost).rejects.toThrow()
    await expect(look(database.url, 'SELECT 1')).rejects.toThrow('does not exist')
  })

  test('a world that is opened without waiting gets one at once', async () => {
    if (here.outcome === 'none') return
    const { name, url } = takeDatabaseNow(here, 'CREATE TABLE note (text text)')
    expect(await look(url, 'SELECT * FROM note')).toEqual([])
    leaveDatabaseNow(here, name)
    await expect(look(url, 'SELECT 1')).rejects.toThrow('does not exist')
    if (process.env.TEST_DATABASE === 'postgres') freshDatabaseNow('SELECT 1').close()
    else expect(() => freshDatabaseNow('SELECT 1')).toThrow('TEST_DATABASE=postgres starts the server')
  })

  const SCHEMA = `CREATE TABLE job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
    CREATE TABLE note (job bigint REFERENCES job (id), text text);
    CREATE TABLE seen (name text); INSERT INTO seen VALUES ('first')`
  const which = 'SELECT oid FROM pg_database WHERE datname = current_database()'
  const write = "INSERT INTO job (name) VALUES ('mine') RETURNING id"

  test('what another test left is emptied, counts from one, and has another address', async () => {
    if (here.outcome === 'none') return
    const first = takeDatabaseNow(here, SCHEMA)
    const ids = [await look(first.url, which)]
    expect(await look(first.url, write)).toEqual([{ id: '1' }])
    await look(first.url, "INSERT INTO note VALUES (1, 'mine')")
    const left = openSyncPostgres(first.url, (text) => ({ text, names: [] }))
    leaveDatabaseNow(here, first.name)
    expect(() => left.prepare('SELECT 1').get()).toThrow()
    await expect(look(first.url, 'SELECT 1')).rejects.toThrow('does not exist')
    const second = takeDatabaseNow(here, SCHEMA)
    ids.push(await look(second.url, which))
    expect(ids[1]).toEqual(ids[0])
    expect(await look(second.url, 'SELECT * FROM job, note')).toEqual([])
    expect(await look(second.url, 'SELECT * FROM seen')).toEqual([{ name: 'first' }])
    expect(await look(second.url, write)).toEqual([{ id: '1' }])
    leaveDatabaseNow(here, second.name)
  })

  test.each([
    ['a function more', 'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$'],
    ['a column that has to be filled', 'ALTER TABLE note ALTER text SET NOT NULL'],
    ['what the server knows about rows', 'ANALYZE seen'],
    ['rows of the template', "UPDATE seen SET name = 'second'"],
  ])('one that a test changed otherwise goes to nobody: %s', async (_, text) => {
    if (here.outcome === 'none') return
    const changed = takeDatabaseNow(here, SCHEMA)
    const [before] = await look(changed.url, which)
    await look(changed.url, text)
    leaveDatabaseNow(here, changed.name)
    const next = takeDatabaseNow(here, SCHEMA)
    expect((await look(next.url, which))[0]).not.toEqual(before)
    expect(await look(next.url, 'SELECT * FROM seen')).toEqual([{ name: 'first' }])
    leaveDatabaseNow(here, next.name)
  })
})

describe.skipIf(here.outcome === 'none')('a server that is already there', { timeout: 60_000 }, () => {
  test('gets only databases of ours, loses them at the stop, and is never ended', async () => {
    if (here.outcome === 'none') return
    vi.stubEnv('TEST_DATABASE_URL', here.url)
    const server = await openPostgres()
    expect([server.source, server.version, server.pid()]).toEqual(['TEST_DATABASE_URL', here.version, null])
    await server.createDatabase(`${server.prefix}by_name`)
    const { url } = await databaseFrom({ url: server.url(), prefix: server.prefix }, 'SELECT 1')
    expect(await look(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    for (const end of [server.kill, () => server.halt('fast'), server.start]) {
      await expect(end()).rejects.toThrow('not ours to end')
    }
    await server.stop()
    const left = `SELECT datname FROM pg_database WHERE left(datname, ${server.prefix.length}) = '${server.prefix}'`
    expect(await look(here.url, left)).toEqual([])
  })

  test('that cannot be reached is a sentence, without its password', async () => {
    vi.stubEnv('TEST_DATABASE_URL', 'postgres://somebody:secret@127.0.0.1:1/postgres')
    const outcome = await openPostgres().catch((error: Error) => error.message)
    expect(outcome).toMatch(/^The server of TEST_DATABASE_URL cannot be used: /)
    expect(outcome).not.toContain('secret')
  })
})

/** What a process that runs `source` prints. */
async function outputOf(source: string): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  await new Promise((resolve) => child.once('close', resolve))
  return said.trim()
}

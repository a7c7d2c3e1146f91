// Migrations of PostgreSQL: several starts at once, files that fail, tables that are locked, releases that do not fit.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TrialDatabase } from '#tests/support/postgres-trial.server.ts'
import { applicationName, type MigrationClient, migrate, schemaState } from './migrations.server.ts'

let database: TrialDatabase
let folder: string

beforeEach(async () => {
  database = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  file(
    '0000_first',
    'CREATE TABLE tree (id bigint PRIMARY KEY);\nCREATE TABLE leaf (tree bigint REFERENCES tree (id));',
  )
})
afterEach(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

function file(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.sql`), text)
}

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await database.client.query<{ name: string }>(
    'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position',
    [table],
  )
  return rows.map(({ name }) => name)
}

test('what is missing is applied in order, once', async () => {
  expect(await schemaState(database.client, folder)).toEqual({ newest: null, pending: 1, ahead: false })
  expect(await columnsOf('schema_migration')).toEqual([])
  expect(await migrate(database.client, folder)).toBe(1)
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  file('0002_age', 'ALTER TABLE tree ADD age bigint; UPDATE tree SET age = height;')
  expect(await schemaState(database.client, folder)).toEqual({ newest: '0000_first', pending: 2, ahead: false })
  expect(await migrate(database.client, folder)).toBe(2)
  expect(await migrate(database.client, folder)).toBe(0)
  expect(await columnsOf('tree')).toEqual(['id', 'height', 'age'])
})

test('starts at the same time apply each file once, and none of them fails', async () => {
  for (const place of [1, 2, 3, 4]) file(`000${place}_more`, `ALTER TABLE tree ADD column_${place} bigint;`)
  const starts = await Promise.all(Array.from({ length: 6 }, () => database.connect()))
  await Promise.all(starts.map((client) => migrate(client, folder)))
  expect(await columnsOf('tree')).toEqual(['id', 'column_1', 'column_2', 'column_3', 'column_4'])
})

test('a file that fails leaves nothing of itself; what came before stays, and the next start goes on', async () => {
  file('0001_broken', 'ALTER TABLE tree ADD height bigint;\nALTER TABLE shrub ADD height bigint;')
  await expect(migrate(database.client, folder)).rejects.toThrow('relation "shrub" does not exist')
  expect(await columnsOf('tree')).toEqual(['id'])
  file('0001_broken', 'ALTER TABLE tree ADD height bigint;')
  expect(await migrate(database.client, folder)).toBe(1)
})

/** A client whose connection is cut just before its n-th query. */
function cutBefore(client: Awaited<ReturnType<TrialDatabase['connect']>>, place: number): MigrationClient {
  let count = 0
  return {
    async query(text, values) {
      if (++count === place) await database.client.query('SELECT pg_terminate_backend($1)', [pidOf(client)])
      return client.query(text, values)
    },
  }
}
const pidOf = (client: object) => (client as { processID: number }).processID

test('a start that ends between any two queries leaves a schema that the next start completes', async () => {
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  file(
    '0002_index',
    '-- no transaction\nDROP INDEX CONCURRENTLY IF EXISTS high;\nCREATE INDEX CONCURRENTLY high ON tree (height);\n',
  )
  let finished = false
  for (let place = 1; !finished; place++) {
    await database.client.query('DROP TABLE IF EXISTS leaf, tree, schema_migration')
    const client = await database.connect()
    client.on('error', () => undefined)
    finished = await migrate(cutBefore(client, place), folder).then(
      () => true,
      () => false,
    )
    await migrate(database.client, folder)
    expect(await columnsOf('tree')).toEqual(['id', 'height'])
    expect(await schemaState(database.client, folder)).toMatchObject({ pending: 0 })
    const { rows } = await database.client.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'high'::regclass")
    expect(rows).toEqual([{ indisvalid: true }])
  }
})

test('a table that is in use for longer than the patience of a lock is tried again', async () => {
  await migrate(database.client, folder)
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  const reader = await database.connect()
  await reader.query('BEGIN; SELECT * FROM tree')
  const answers: string[] = []
  const told: MigrationClient = {
    query: (text, values) =>
      database.client.query(text, values).catch((error) => {
        answers.push(error.code)
        throw error
      }),
  }
  const done = migrate(told, folder)
  // Meanwhile the change gives up once: what came after it waited no longer than that.
  await reader.query('SELECT pg_sleep(3.3)')
  await reader.query('COMMIT')
  expect(await done).toBe(1)
  expect(answers).toEqual(['55P03'])
  expect(await columnsOf('tree')).toEqual(['id', 'height'])
})

test('a schema of a newer release, and one that another build made, are refused', async () => {
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  await migrate(database.client, folder)
  rmSync(join(folder, '0001_height.sql'))
  const newer = { name: 'ConfigurationError', message: expect.stringContaining('newer release') }
  await expect(migrate(database.client, folder)).rejects.toMatchObject(newer)
  await expect(schemaState(database.client, folder)).rejects.toMatchObject(newer)
  file('0001_height', 'ALTER TABLE tree ADD height bigint DEFAULT 3;')
  const other = { name: 'ConfigurationError', message: expect.stringContaining('another 0001_height') }
  await expect(migrate(database.client, folder)).rejects.toMatchObject(other)
  expect(await columnsOf('tree')).toEqual(['id', 'height'])
})

const newerRelease = { name: 'ConfigurationError', message: expect.stringContaining('newer release') }

test('an older release works on a newer schema that serves it, and on no other', async () => {
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  file('0002_age', '-- A column more.\n-- serves: 0001_height\nALTER TABLE tree ADD age bigint;')
  file('0003_gone', '-- serves: 0002_age\nALTER TABLE tree DROP height;')
  const release = (newest: number) => {
    const other = mkdtempSync(join(tmpdir(), 'migrations-'))
    cpSync(folder, other, { recursive: true, filter: (path) => !(Number(/(\d{4})_/.exec(path)?.[1]) > newest) })
    return other
  }
  const releases = [0, 1, 2].map(release)
  const starts = (newest: number) =>
    migrate(database.client, releases[newest] ?? '').catch((error: Error) => error.message.slice(0, 52))
  const refused = 'The database was written by a newer release of Field'
  expect(await starts(2)).toBe(3)
  expect(await starts(1)).toBe(0)
  expect(await starts(0)).toBe(refused)
  expect(await schemaState(database.client, releases[1] ?? '')).toEqual({ newest: '0002_age', pending: 0, ahead: true })
  expect(await migrate(database.client, folder)).toBe(1)
  expect(await starts(2)).toBe(0)
  expect(await starts(1)).toBe(refused)
  // A release of another line: what it knows is missing there.
  file('0001_width', 'ALTER TABLE tree ADD width bigint;')
  rmSync(join(folder, '0003_gone.sql'))
  await expect(migrate(database.client, folder)).rejects.toMatchObject(newerRelease)
  for (const one of releases) rmSync(one, { recursive: true })
})

test('a schema that says nothing of older releases serves none, and one may name only an older one', async () => {
  file('0001_height', 'ALTER TABLE tree ADD height bigint; -- serves: 0000_first')
  await migrate(database.client, folder)
  rmSync(join(folder, '0001_height.sql'))
  await expect(migrate(database.client, folder)).rejects.toMatchObject(newerRelease)
  for (const wrong of ['0002_age', 'everybody']) {
    file('0001_height', `-- serves: ${wrong}\nALTER TABLE tree ADD height bigint;`)
    await expect(migrate(database.client, folder)).rejects.toThrow(`0001_height serves "${wrong}"`)
  }
})

test('a change that a running release could not bear waits for its end; one that serves it does not', async () => {
  await migrate(database.client, folder)
  const running = await database.connect()
  await running.query(`SET application_name = '${applicationName(folder)}'`)
  file('0001_height', '-- serves: 0000_first\nALTER TABLE tree ADD height bigint;')
  expect(await migrate(database.client, folder)).toBe(1)
  file('0002_gone', '-- serves: 0001_height\nALTER TABLE tree DROP height;')
  await expect(migrate(database.client, folder)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringMatching(/older release .* running.* 0002_gone/),
  })
  expect(await columnsOf('tree')).toEqual(['id', 'height'])
  await running.query(`SET application_name = '${applicationName(folder).replace('0002_gone', '0001_height')}'`)
  expect(await migrate(database.client, folder)).toBe(1)
})

test('an index that is built beside the work is built by one start only, and others wait for it', async () => {
  await migrate(database.client, folder)
  await database.client.query('INSERT INTO tree SELECT generate_series(1, 200000)')
  file(
    '0001_index',
    '-- no transaction\nDROP INDEX CONCURRENTLY IF EXISTS high;\nCREATE INDEX CONCURRENTLY high ON tree ((id % 7));\n',
  )
  const reader = await database.connect()
  await reader.query('BEGIN; SELECT * FROM leaf; SELECT txid_current()')
  const built: string[] = []
  const told = (client: MigrationClient): MigrationClient => ({
    query(text, values) {
      if (text.includes('CREATE INDEX')) built.push(text)
      return client.query(text, values)
    },
  })
  const others = await Promise.all([1, 2].map(() => database.connect()))
  const starts = [database.client, ...others].map((client) => migrate(told(client), folder))
  await reader.query('SELECT pg_sleep(1)')
  await reader.query('COMMIT')
  expect((await Promise.all(starts)).sort()).toEqual([0, 0, 1])
  expect(built).toHaveLength(1)
})

test('a table that stays in use ends the start with a sentence', async () => {
  await migrate(database.client, folder)
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  // As the server says it after 3 s, but at once.
  const locked: MigrationClient = {
    query: async (text, values) =>
      text.startsWith('ALTER')
        ? Promise.reject(Object.assign(new Error('lock'), { code: '55P03' }))
        : database.client.query(text, values),
  }
  await expect(migrate(locked, folder)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('in use'),
  })
  expect(await migrate(database.client, folder)).toBe(1)
})

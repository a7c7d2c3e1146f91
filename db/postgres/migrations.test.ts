// Migrations of PostgreSQL: several starts at once, files that fail, tables that are locked, releases that do not fit.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TrialDatabase } from '#tests/support/postgres-trial.server.ts'
import { type MigrationClient, migrate, pendingMigrations } from './migrations.server.ts'

let database: TrialDatabase
let folder: string

beforeEach(async () => {
  database = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  file(
    '0000_first',
    'CREATE TABLE tree (id bigint PRIMARY KEY);\nCREATE TABLE leaf (tree bigint REFERENCES tree (id));',
  )
}, 60_000)
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
  expect(await pendingMigrations(database.client, folder)).toBe(1)
  expect(await columnsOf('schema_migration')).toEqual([])
  expect(await migrate(database.client, folder)).toBe(1)
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  file('0002_age', 'ALTER TABLE tree ADD age bigint; UPDATE tree SET age = height;')
  expect(await pendingMigrations(database.client, folder)).toBe(2)
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
    expect(await pendingMigrations(database.client, folder)).toBe(0)
    const { rows } = await database.client.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'high'::regclass")
    expect(rows).toEqual([{ indisvalid: true }])
  }
}, 60_000)

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
}, 30_000)

test('a schema of a newer release, and one that another build made, are refused', async () => {
  file('0001_height', 'ALTER TABLE tree ADD height bigint;')
  await migrate(database.client, folder)
  rmSync(join(folder, '0001_height.sql'))
  const newer = { name: 'ConfigurationError', message: expect.stringContaining('newer release') }
  await expect(migrate(database.client, folder)).rejects.toMatchObject(newer)
  await expect(pendingMigrations(database.client, folder)).rejects.toMatchObject(newer)
  file('0001_height', 'ALTER TABLE tree ADD height bigint DEFAULT 3;')
  const other = { name: 'ConfigurationError', message: expect.stringContaining('another 0001_height') }
  await expect(migrate(database.client, folder)).rejects.toMatchObject(other)
  expect(await columnsOf('tree')).toEqual(['id', 'height'])
})

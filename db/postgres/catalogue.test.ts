// The schema of PostgreSQL says what SQLite's says: names, order, types, keys, indexes and checks.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Catalogue, postgresCatalogue, sqliteCatalogue } from '#tests/support/catalogues.server.ts'
import { freshDatabase, type TrialDatabase } from '#tests/support/postgres-trial.server.ts'
import { type Client, openClient } from '../sqlite/client.server.ts'
import { migrate } from './migrations.server.ts'

const folder = mkdtempSync(join(tmpdir(), 'catalogue-'))
let sqlite: Client
let postgres: TrialDatabase
let expected: Catalogue

beforeAll(async () => {
  sqlite = openClient(join(folder, 'fieldhook.db'), 'db/migrations')
  expected = sqliteCatalogue(sqlite.sql)
  postgres = await freshDatabase()
  await migrate(postgres.client, 'db/migrations-postgres')
})
afterAll(async () => {
  await postgres.drop()
  sqlite.close()
  rmSync(folder, { recursive: true })
})

test('both engines have the same tables, columns, keys, indexes and checks', async () => {
  expect(Object.keys(expected).length).toBeGreaterThan(40)
  expect(await postgresCatalogue(postgres.client)).toEqual(expected)
})

test('the columns of text sort by bytes, whatever language the database has', async () => {
  const { rows } = await postgres.client.query("SELECT 'a' < 'B' AS by_language, 'a' < 'B' COLLATE \"C\" AS by_bytes")
  expect(rows).toEqual([{ by_language: true, by_bytes: false }])
})

test('every number of a key is given by the database where SQLite gives it, and may be given by hand', async () => {
  const { rows } = await postgres.client.query<{ name: string }>(
    "SELECT attrelid::regclass::text AS name FROM pg_attribute WHERE attidentity = 'd' AND attnum > 0 ORDER BY 1",
  )
  const counted = sqlite.sql
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'")
    .pluck()
  expect(rows.map(({ name }) => name)).toEqual(counted.all().sort())
})

test('tables that change all the time are told so', async () => {
  const { rows } = await postgres.client.query<{ options: string }>(
    "SELECT relname || ': ' || array_to_string(reloptions, ', ') AS options FROM pg_class WHERE relkind = 'r' AND reloptions IS NOT NULL AND relnamespace = current_schema()::regnamespace ORDER BY relname",
  )
  expect(rows.map(({ options }) => options)).toEqual([
    'account_load: fillfactor=70',
    'call_budget: fillfactor=70',
    'delivery: autovacuum_vacuum_scale_factor=0.02',
    'endpoint: fillfactor=70',
    'endpoint_hour: fillfactor=70',
    'news: autovacuum_vacuum_scale_factor=0.02',
    'run: autovacuum_vacuum_scale_factor=0.02',
    'share: fillfactor=70',
    'touched_record: autovacuum_vacuum_scale_factor=0.02',
    'trigger_credit: fillfactor=70',
    'usage_day: fillfactor=70',
  ])
})

test.each([
  'CREATE TABLE extra (id bigint)',
  'ALTER TABLE lease ADD extra bigint',
  'ALTER TABLE lease DROP owner',
  'ALTER TABLE lease ALTER owner DROP NOT NULL',
  'ALTER TABLE lease ALTER expires_at TYPE double precision',
  'ALTER TABLE lease ALTER owner TYPE text',
  'ALTER TABLE account ALTER repeats_told DROP DEFAULT',
  'ALTER TABLE lease DROP CONSTRAINT lease_pkey',
  'ALTER TABLE delivery DROP CONSTRAINT delivery_state_check',
  "ALTER TABLE lease ADD CHECK (owner <> '')",
  "ALTER TABLE mute DROP CONSTRAINT mute_kind_check, ADD CHECK (kind IN ('company', 'job', 'person'))",
  'ALTER TABLE event DROP CONSTRAINT event_changed_fields_check',
  'ALTER TABLE run_step DROP CONSTRAINT run_step_run_id_fkey',
  'ALTER TABLE run_step DROP CONSTRAINT run_step_run_id_fkey, ADD FOREIGN KEY (run_id) REFERENCES run (id)',
  'DROP INDEX runs_to_do',
  'CREATE INDEX extra ON run (state)',
  'DROP INDEX running_replays; CREATE INDEX running_replays ON replay (id)',
  'DROP INDEX subscription_by_token; CREATE INDEX subscription_by_token ON subscription (token_hash)',
])('a difference is seen: %s', async (change) => {
  await postgres.client.query('BEGIN')
  try {
    await postgres.client.query(change)
    expect(await postgresCatalogue(postgres.client)).not.toEqual(expected)
  } finally {
    await postgres.client.query('ROLLBACK')
  }
})

test('deleting an account takes the same rows along, across addresses that refer to each other', async () => {
  const fill = [
    "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('a', 'A', 'UTC', 1, 1)",
    "INSERT INTO webhook (id, account_uuid, object_type, fields, created_at, updated_at) VALUES (1, 'a', 'job', '', 1, 1)",
    `INSERT INTO endpoint (account_uuid, webhook_id, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES ('a', 1, 'job', '', '', '', 'active', 1, 'closed', 0, 0, '[]', 0, 0, 1)`,
    "DELETE FROM account WHERE uuid = 'a'",
  ]
  for (const statement of fill) {
    sqlite.sql.prepare(statement).run()
    await postgres.client.query(statement)
  }
  const LEFT = 'SELECT (SELECT count(*) FROM webhook) + (SELECT count(*) FROM endpoint) AS count'
  expect(sqlite.sql.prepare(LEFT).pluck().get()).toBe(0)
  expect((await postgres.client.query(LEFT)).rows).toEqual([{ count: '0' }])
})

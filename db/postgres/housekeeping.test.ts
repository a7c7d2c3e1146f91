import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { connectPostgres, type PostgresClient } from './client.server.ts'

const missing = (await postgresForTests()).outcome === 'none'
let database: Awaited<ReturnType<typeof freshDatabase>>
let client: PostgresClient
beforeEach(async () => {
  if (missing) return
  database = await freshDatabase('CREATE TABLE kept (id bigint PRIMARY KEY, short text, long text)')
  client = connectPostgres(database.url)
}, POSTGRES_WITHIN_MS)
afterEach(async () => {
  if (missing) return
  await client.close()
  await database.close()
})

// Bodies above 2 KB are kept beside the table, in pieces.
test.skipIf(missing).each([
  { pieces: 10, rows: 20_000 },
  { pieces: 200, rows: 2_000 },
])('space that deleted rows leave is known to be free: rows of $pieces times 32 bytes', async ({ pieces, rows }) => {
  // A session tells its counts once a second only: told after VACUUM, they would be counted twice.
  const write = (statement: string) => client.acts.query(`${statement}; SELECT pg_stat_force_next_flush()`)
  const used = async () => {
    await client.acts.query('VACUUM ANALYZE')
    const { fileBytes, freeBytes, walBytes } = await client.housekeeping.spaceUsed()
    expect(walBytes).toBe(null)
    return { fileBytes, usedBytes: fileBytes - freeBytes }
  }
  const empty = await used()
  await write(
    `INSERT INTO kept SELECT n, repeat('x', 100),
       (SELECT string_agg(md5(n::text || m), '') FROM generate_series(1, ${pieces}) AS m) FROM generate_series(1, ${rows}) AS n`,
  )
  const full = await used()
  expect(full.usedBytes - empty.usedBytes).toBeGreaterThan((full.fileBytes - empty.fileBytes) * 0.85)
  // Three of four rows, spread: hardly a page is given back to the disk.
  await write('DELETE FROM kept WHERE id % 4 <> 0')
  const left = await used()
  expect(left.fileBytes).toBeGreaterThan(full.fileBytes * 0.9)
  const part = (left.usedBytes - empty.usedBytes) / (full.usedBytes - empty.usedBytes)
  expect(part).toBeGreaterThan(0.2)
  expect(part).toBeLessThan(0.45)
})

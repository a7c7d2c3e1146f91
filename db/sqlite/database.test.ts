// The plus before each value: it changes nothing but how often SQLite plans.
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { planned, sqliteDatabase } from './database.server.ts'

let sql: Database.Database

beforeEach(() => {
  sql = new Database(':memory:')
  sql.exec(
    'CREATE TABLE job (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE note (id INTEGER PRIMARY KEY, job INTEGER)',
  )
  const job = sql.prepare('INSERT INTO job (name) VALUES (?)')
  const note = sql.prepare('INSERT INTO note (job) VALUES (?)')
  for (let n = 1; n <= 50; n++) note.run(job.run(`Tap ${n}`).lastInsertRowid)
})

afterEach(() => sql.close())

test.each([
  ['SELECT 1 FROM job WHERE id = ? AND name IN (?, ?)', 'SELECT 1 FROM job WHERE id = +? AND name IN (+?, +?)'],
  ['WHERE id=@id AND day>@sinceDay', 'WHERE id=+@id AND day>+@sinceDay'],
  [`WHERE name = 'who? @me' AND "odd?" = ?`, `WHERE name = 'who? @me' AND "odd?" = +?`],
  [`WHERE name = 'it''s ?' -- and @this?\n AND id = ?`, `WHERE name = 'it''s ?' -- and @this?\n AND id = +?`],
  [`SELECT json_extract(name, '$.a') LIMIT @size`, `SELECT json_extract(name, '$.a') LIMIT +@size`],
])('values get a plus, words do not: %s', (text, expected) => {
  expect(planned(text)).toBe(expected)
})

test('numbers, texts and NULL stay what they are', async () => {
  const { prepare, read } = sqliteDatabase(sql)
  const kinds = prepare<[unknown, unknown, unknown], unknown[]>('SELECT typeof(?), typeof(?), typeof(?)').raw()
  const found = prepare<[unknown, string], unknown[]>('SELECT name FROM job WHERE id = ? AND name = ?').raw()
  expect(await read(() => kinds.get(1.5, '7', null))()).toEqual(['real', 'text', 'null'])
  expect(await read(() => found.get('7', 'Tap 7'))()).toEqual(['Tap 7'])
})

// If this fails after an update of better-sqlite3, SQLite plans once without help: the plus can go.
test('a join with a plus is planned once, not for every value', () => {
  const text = 'SELECT name FROM note JOIN job ON job.id = note.job WHERE note.id = ?'
  const byValue = sql.prepare(text).pluck()
  const once = sql.prepare(planned(text)).pluck()
  const took = { byValue: Infinity, once: Infinity }
  for (let round = 0; round < 30; round++) {
    took.byValue = Math.min(took.byValue, timeOf(byValue))
    took.once = Math.min(took.once, timeOf(once))
  }
  expect(took.byValue / took.once).toBeGreaterThan(2)
})

/** ms */
function timeOf(statement: Database.Statement): number {
  const since = performance.now()
  for (let n = 1; n <= 200; n++) statement.get((n % 50) + 1)
  return performance.now() - since
}

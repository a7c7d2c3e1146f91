import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type LogOnDisk, logOnDisk, openClient } from './client.server.ts'
import { sqliteDatabase } from './database.server.ts'

let folder = ''
let file = ''
let sql: Database.Database
let log: LogOnDisk
let db: ReturnType<typeof sqliteDatabase>
let note: (text: string) => Promise<unknown>
/** Syncs that have begun and not ended. */
let syncing: ((error: Error | null) => void)[] = []
let syncs = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-log-'))
  file = join(folder, 'test.db')
  openClient(file, 'db/migrations').close()
  sql = new Database(file)
  sql.pragma('synchronous = NORMAL')
  sql.exec('CREATE TABLE note (text TEXT NOT NULL UNIQUE) STRICT')
  syncing = []
  syncs = 0
  log = logOnDisk(sql, (_, done) => {
    syncs++
    syncing.push(done)
  })
  db = sqliteDatabase(sql, log.synced)
  const insert = db.prepare<[string]>('INSERT INTO note (text) VALUES (?) ON CONFLICT DO NOTHING')
  note = db.write((text: string) => insert.run(text))
})
afterEach(() => {
  sql.close()
  log.close()
  for (const done of syncing.splice(0)) done(null)
  rmSync(folder, { recursive: true, force: true })
})

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The answers that have come so far. */
function told(...writes: Promise<unknown>[]): () => Promise<string[]> {
  const states = writes.map(() => 'waits')
  writes.forEach((write, index) => {
    write.then(
      () => (states[index] = 'written'),
      (error: { code?: string }) => (states[index] = String(error.code)),
    )
  })
  return async () => {
    await turn()
    return states
  }
}

test('a write is answered when the disk has it, not before', async () => {
  const states = told(note('a'))
  expect(await states()).toEqual(['waits'])
  expect(sql.prepare('SELECT text FROM note').pluck().all()).toEqual(['a'])
  syncing.shift()?.(null)
  expect(await states()).toEqual(['written'])
})

test('what is committed during a sync shares the next one', async () => {
  const states = told(note('a'), note('b'), note('c'))
  expect(await states()).toEqual(['waits', 'waits', 'waits'])
  syncing.shift()?.(null)
  expect(await states()).toEqual(['written', 'waits', 'waits'])
  syncing.shift()?.(null)
  expect(await states()).toEqual(['written', 'written', 'written'])
  expect(syncs).toBe(2)
})

test('who changes nothing waits only for what others have not on disk yet', async () => {
  const first = note('a')
  const texts = db.prepare<[], string>('SELECT text FROM note').pluck()
  const readKept = db.readKept(() => texts.all())
  const states = told(note('a'), readKept())
  expect(await states()).toEqual(['waits', 'waits'])
  while (syncing.length > 0) {
    syncing.shift()?.(null)
    await turn()
  }
  await first
  expect(await states()).toEqual(['written', 'written'])
  const before = syncs
  await Promise.all([note('a'), readKept()])
  expect(syncs).toBe(before)
})

test('a sync that fails is told to everybody who waits; the next write puts all of it on disk again', async () => {
  const states = told(note('a'), note('b'))
  syncing.shift()?.(new Error('EIO'))
  expect(await states()).toEqual(['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_FSYNC'])
  const checkpoints = vi.spyOn(sql, 'pragma')
  const again = told(note('a'))
  expect(await again()).toEqual(['written'])
  expect(checkpoints.mock.calls).toContainEqual(['wal_checkpoint(PASSIVE)'])
  expect(syncs).toBe(1)
})

test('after a failed sync nothing is answered as long as the log cannot be written again', async () => {
  const states = told(note('a'))
  syncing.shift()?.(new Error('EIO'))
  expect(await states()).toEqual(['SQLITE_IOERR_FSYNC'])
  const pragma = vi.spyOn(sql, 'pragma').mockReturnValue([{ busy: 0, log: 9, checkpointed: 3 }])
  expect(await told(note('b'))()).toEqual(['SQLITE_IOERR_FSYNC'])
  pragma.mockRestore()
  expect(await told(note('c'))()).toEqual(['written'])
})

test('a connection that closes has put everything on disk', async () => {
  const states = told(note('a'), note('b'))
  sql.close()
  log.close()
  syncing.shift()?.(null)
  expect(await states()).toEqual(['written', 'written'])
})

test('the product syncs checkpoints, and opens its file so each time', () => {
  for (let opened = 0; opened < 2; opened++) {
    const client = openClient(file, 'db/migrations')
    expect(client.sql.pragma('synchronous', { simple: true })).toBe(1)
    expect(client.sql.pragma('journal_mode', { simple: true })).toBe('wal')
    client.close()
  }
})

test('the log grows to 4,000 pages, 16 MB, before it is copied to the database, and starts again', () => {
  const client = openClient(file, 'db/migrations')
  const insert = client.sql.prepare('INSERT INTO note (text) VALUES (?)')
  for (let n = 0; n < 30; n++) insert.run(`${n}${'x'.repeat(300 * 4_096)}`)
  const pages = statSync(`${file}-wal`).size / 4_120
  client.close()
  expect(pages).toBeGreaterThan(4_000)
  expect(pages).toBeLessThan(5_000)
})

test('the real disk answers too', async () => {
  const client = openClient(file, 'db/migrations')
  const insert = client.db.prepare<[string]>('INSERT INTO note (text) VALUES (?)')
  const write = client.db.write((text: string) => insert.run(text))
  await Promise.all([write('a'), write('b')])
  await write('c')
  client.close()
  expect(sql.prepare('SELECT count(*) FROM note').pluck().get()).toBe(3)
})

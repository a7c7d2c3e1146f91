// The doctor on real files: healthy, foreign, damaged, gone.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Finding } from '#app/features/ops/doctor.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { readMigrations } from '#db/sqlite/migrations.server.ts'
import { claimFor } from '#db/sqlite/platform-kind.server.ts'
import { runDoctor } from './doctor.server.ts'

const FIXTURE_KEYS = `k1:${createHash('sha256').update('the keys of the fixtures').digest('base64')}`
const NOW = 1_795_300_000_000

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-doctor-'))
  file = join(folder, 'fieldhook.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The sample firm of the fixtures, in this release's schema. */
function sampleDatabase(): void {
  const sql = new Database(file)
  sql.pragma('auto_vacuum = INCREMENTAL')
  sql.pragma('foreign_keys = OFF')
  sql.exec(`BEGIN; ${readFileSync('tests/data/schemas/0004_security.sql', 'utf8')} COMMIT`)
  sql.close()
  openClient(file, 'db/migrations').close()
}

async function findings(more: Record<string, string> = {}, full = false): Promise<Finding[]> {
  const source = {
    PLATFORM: 'servicem8',
    SERVICEM8_APP_ID: 'app',
    SERVICEM8_APP_SECRET: 'secret-of-the-portal',
    APP_ORIGIN: 'https://hooks.example.com',
    SESSION_SECRET: randomBytes(32).toString('base64'),
    ENC_KEYS: FIXTURE_KEYS,
    DATABASE_URL: `file:${file}`,
    ...more,
  }
  const { text, exitCode } = await runDoctor({ json: true, full, source, now: () => NOW })
  const found = JSON.parse(text) as Finding[]
  expect(exitCode).toBe(found.some(({ level }) => level === 'bad') ? 1 : 0)
  return found
}

const of = (found: Finding[], topic: Finding['topic']) => found.filter((finding) => finding.topic === topic)

test('a database at work is examined from end to end, and nothing in the folder is changed', async () => {
  sampleDatabase()
  // Left as a process that was killed leaves it: with its log, and its lease.
  const holder = openClient(file, 'db/migrations')
  holder.sql.prepare("INSERT INTO lease VALUES ('trial', 'somebody', ?)").run(NOW + 10_000)
  try {
    const before = readdirSync(folder).sort()
    const found = await findings({}, true)
    expect(readdirSync(folder).sort()).toEqual(before)
    expect(found.filter(({ level }) => level === 'bad')).toEqual([])
    expect(of(found, 'integrity')).toMatchObject([
      { sentence: 'Every page, index and reference of the file is sound.' },
    ])
    expect(of(found, 'overdue')).toMatchObject([{ sentence: 'Nothing is overdue: 0 deliveries in line, 1 held.' }])
    // The webhook for companies of the sample was never subscribed.
    expect(of(found, 'subscriptions')).toMatchObject([{ sentence: '1 subscription active at ServiceM8, 1 missing.' }])
    expect(of(found, 'accounts').at(-1)).toMatchObject({ sentence: '1 account must sign in with ServiceM8 again.' })
    expect(of(found, 'secrets')).toEqual([{ level: 'good', topic: 'secrets', sentence: 'Secrets open: 2 tried.' }])
    expect(of(found, 'disk').map(({ level }) => level)).toEqual(['good', expect.any(String), 'warning'])
  } finally {
    holder.close()
  }
})

test('an address that fails is counted while Fieldhook still sends to it', async () => {
  sampleDatabase()
  const sql = new Database(file)
  const { changes } = sql
    .prepare("UPDATE endpoint SET failing_since = ? WHERE id = (SELECT min(id) FROM endpoint WHERE state = 'active')")
    .run(NOW)
  sql.close()
  expect(changes).toBe(1)
  expect(of(await findings(), 'accounts')[0]?.sentence).toMatch(/, 1 failing or stopped/)
})

test.skipIf(process.getuid?.() !== 0)('a file of another user is no file for a start', () => {
  sampleDatabase()
  chmodSync(file, 0o644)
  chownSync(folder, 65_534, 65_534)
  const looks = `process.setuid(65534)
    import(${JSON.stringify(resolve('app/commands/doctor.server.ts'))})
      .then(({ runDoctor }) => runDoctor({ source: { DATABASE_URL: ${JSON.stringify(`file:${file}`)} } }))
      .then(({ text }) => console.log(text))`
  const told = execFileSync(process.execPath, ['-e', looks], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  expect(told).toContain(`✗ This process (user 65534) cannot write ${file}.`)
})

test('a key of the right name and the wrong content, and one that is missing', async () => {
  sampleDatabase()
  const other = (name: string) => `${name}:${randomBytes(32).toString('base64')}`
  expect(of(await findings({ ENC_KEYS: other('k1') }), 'secrets')).toMatchObject([
    { level: 'bad', sentence: '2 of 2 secrets do not open with ENC_KEYS.' },
  ])
  expect(of(await findings({ ENC_KEYS: other('k2') }), 'secrets')).toMatchObject([
    { level: 'bad', sentence: expect.stringContaining('ENC_KEYS lacks "k1"') },
  ])
})

test('a database of the other platform is named as the start names it', async () => {
  sampleDatabase()
  const sql = new Database(file)
  claimFor(sql, 'sandbox')
  sql.close()
  expect(of(await findings({ PLATFORM: 'sandbox' }), 'configuration')).not.toContainEqual(
    expect.objectContaining({ level: 'bad' }),
  )
  expect(of(await findings(), 'configuration').filter(({ level }) => level === 'bad')).toEqual([
    {
      level: 'bad',
      topic: 'configuration',
      sentence: `The database ${file} belongs to the sandbox, and this start is for PLATFORM=servicem8. Name another database in DATABASE_URL.`,
      next: 'Until then Fieldhook does not start.',
    },
  ])
})

test('what is wrong with the configuration is said as at the start, and the file is looked at all the same', async () => {
  sampleDatabase()
  const found = await findings({ SESSION_SECRET: 'short', PORT: 'eighty' })
  expect(of(found, 'configuration').map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining('PORT must be a whole number'),
    expect.stringContaining('SESSION_SECRET is too short'),
  ])
  expect(of(found, 'integrity')).toMatchObject([{ level: 'good' }])
  const unnamed = await findings({ SESSION_SECRET: 'short', DATABASE_URL: '', DATA_FOLDER: folder })
  expect(of(unnamed, 'integrity')).toMatchObject([{ level: 'good' }])
})

test.each(['events_of_an_account_newest_first', 'event', 'lease', 'account', 'backup_run', '__drizzle_migrations'])(
  'a page of rubbish in place of "%s" is found, and never ends in a stack',
  async (name) => {
    sampleDatabase()
    const sql = new Database(file, { readonly: true })
    const rootOf = sql.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck()
    const page = rootOf.get(name) ?? 0
    sql.close()
    writeSync(openSync(file, 'r+'), Buffer.alloc(4096, 7), 0, 4096, (page - 1) * 4096)
    const bad = (await findings()).filter(({ level }) => level === 'bad')
    expect(bad.map(({ sentence }) => sentence)).toContainEqual(expect.stringContaining('is damaged'))
  },
)

test('nothing is written for a sandbox that never started, and a folder is no disk that fails', async () => {
  const source = { DATABASE_URL: `file:${file}` }
  await runDoctor({ source })
  expect(readdirSync(folder)).toEqual([])
  const { text } = await runDoctor({ source: { DATABASE_URL: `file:${folder}` } })
  expect(text).toContain('DATABASE_URL names a folder')
  expect(text).not.toContain('dmesg')
})

test('no file, no database, and one of an earlier release', async () => {
  expect(of(await findings(), 'file')).toMatchObject([
    { level: 'warning', sentence: `There is no database at ${file}.` },
  ])
  writeFileSync(file, 'this is no database at all '.repeat(100))
  expect(of(await findings(), 'file')).toMatchObject([
    {
      level: 'bad',
      sentence: `The database ${file} is damaged, and nothing was changed in it.`,
      next: 'docs/operating.md, "The file is damaged", says what to do.',
    },
  ])
  rmSync(file)
  // SQLite cannot open its log, as in a folder of another user.
  sampleDatabase()
  mkdirSync(`${file}-wal`)
  expect(of(await findings(), 'file')).toMatchObject([
    {
      level: 'bad',
      sentence: expect.stringMatching(/^This process.* cannot write in /),
      next: expect.stringContaining(`${file}*`),
    },
  ])
  rmSync(`${file}-wal`, { recursive: true })
  rmSync(file)
  const sql = new Database(file)
  sql.pragma('foreign_keys = OFF')
  sql.exec(readFileSync('tests/data/schemas/0000_foundation.sql', 'utf8'))
  sql.close()
  const found = await findings()
  expect(of(found, 'schema')).toMatchObject([
    {
      sentence: `The schema is at 0000_foundation; this release adds ${readMigrations('db/migrations').length - 1} changes.`,
    },
  ])
  expect(of(found, 'overdue')).toEqual([])
})

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openClient } from './client.server.ts'
import { databaseFiles } from './database-files.server.ts'
import { takeLock } from './file-lock.server.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const WRITER = `
  const sql = new (require('better-sqlite3'))(process.argv[1])
  sql.pragma('busy_timeout = 5000')
  const one = sql.prepare('INSERT INTO lease VALUES (?, ?, 0)')
  const pair = sql.transaction((n) => { one.run('a' + n, ''); one.run('b' + n, 'x'.repeat(2000)) })
  for (let n = 0; ; n++) { pair(n); if (n === 20) process.stdout.write('writing') }
`

test('a copy taken while another process writes without a pause is one moment, whole', async () => {
  const file = join(folder, 'live.db')
  const client = openClient(file, 'db/migrations')
  const writer = spawn(process.execPath, ['-e', WRITER, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(writer.stdout, 'data')
  for (let n = 0; n < 3; n++) {
    const to = join(folder, `copy-${n}.db`)
    await databaseFiles.copy(file, to)
    const copy = new Database(to, { readonly: true })
    const { pairs, halves } = copy
      .prepare("SELECT sum(name GLOB 'a*') AS pairs, sum(name GLOB 'a*') - sum(name GLOB 'b*') AS halves FROM lease")
      .get() as { pairs: number; halves: number }
    copy.close()
    expect(pairs).toBeGreaterThan(20)
    expect(halves).toBe(0)
    expect(databaseFiles.problems(to)).toEqual({ integrity: [], foreignKeys: 0 })
    expect([existsSync(`${to}-wal`), existsSync(`${to}-shm`)]).toEqual([false, false])
  }
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  client.close()
})

test('damage and rows without their owner are found', () => {
  const file = join(folder, 'live.db')
  const client = openClient(file, 'db/migrations')
  client.sql.pragma('foreign_keys = OFF')
  client.sql.exec("INSERT INTO account_mapping (external_id, account_uuid, created_at) VALUES ('x', 'nobody', 0)")
  expect(databaseFiles.facts(file)).toMatchObject({ migrations: expect.any(Number), rows: { account_mapping: 1 } })
  expect(databaseFiles.waiting(file)).toEqual({ deliveries: 0, runs: 0 })
  expect(databaseFiles.problems(file)).toEqual({ integrity: [], foreignKeys: 1 })
  const { rootpage } = client.sql
    .prepare<[], { rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'account_mapping'")
    .get() ?? { rootpage: 0 }
  client.close()
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(64, 7), 0, 64, (rootpage - 1) * 4096)
  closeSync(handle)
  expect(databaseFiles.problems(file).integrity.length).toBeGreaterThan(0)
})

test('a lock that is shared keeps out who wants it alone, and ends with its holder', () => {
  const file = join(folder, 'lock')
  const one = takeLock(file, 'shared')
  const two = takeLock(file, 'shared')
  expect(two).not.toBeNull()
  expect(takeLock(file, 'alone')).toBeNull()
  one?.release()
  one?.release()
  expect(takeLock(file, 'alone')).toBeNull()
  two?.release()
  const alone = takeLock(file, 'alone')
  expect(takeLock(file, 'shared')).toBeNull()
  alone?.release()
  takeLock(file, 'shared')?.release()
  expect(() => takeLock(join(folder, 'missing/lock'), 'alone')).toThrow()
})

const NOBODY = 65_534
const LOCKS = `
  process.setuid(${NOBODY})
  const [module, file, how] = process.argv.slice(1)
  const take = (locks) => (how === 'backup' ? locks.takeBackupLock(file) : locks.takeLock(file, how))
  import(module).then((locks) => console.log(take(locks) ? 'taken' : 'blocked')).catch((error) => console.log(error.code))
`
const asNobody = (file: string, how: string) =>
  execFileSync(process.execPath, ['-e', LOCKS, resolve('db/sqlite/file-lock.server.ts'), file, how], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

test.skipIf(process.getuid?.() !== 0)("alone, nobody holds a lock of another user's; root's go to the folder's", () => {
  const file = join(folder, 'lock')
  takeLock(file, 'shared')?.release()
  chmodSync(folder, 0o755)
  // As root of an earlier release left it.
  expect([asNobody(file, 'alone'), asNobody(file, 'shared')]).toEqual(['EACCES', 'taken'])
  chownSync(folder, NOBODY, NOBODY)
  const alone = takeLock(file, 'alone')
  expect([asNobody(file, 'alone'), asNobody(file, 'shared')]).toEqual(['blocked', 'blocked'])
  alone?.release()
  expect(asNobody(file, 'alone')).toBe('taken')
})

test.skipIf(process.getuid?.() !== 0)('backups go on where root of an earlier release left the lock', () => {
  const lock = join(folder, 'base.backup-lock')
  takeLock(lock, 'shared')?.release()
  chownSync(folder, NOBODY, NOBODY)
  chownSync(lock, 0, 0)
  const running = takeLock(lock, 'alone')
  chownSync(lock, 0, 0)
  expect(asNobody(join(folder, 'base'), 'backup')).toBe('blocked')
  running?.release()
  expect(asNobody(join(folder, 'base'), 'backup')).toBe('taken')
  expect(statSync(lock).uid).toBe(NOBODY)
})

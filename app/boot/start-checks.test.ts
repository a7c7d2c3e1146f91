import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BackupTo } from '#app/lib/backup-settings.ts'
import type { Log } from '#app/lib/log.ts'
import { inUseLock, takeLock } from '#db/sqlite/file-lock.server.ts'
import type { ClusterView, Member } from '#db/store/cluster.ts'
import { type StandInS3, standInS3 } from '#tests/support/s3-stand-in.ts'
import { startApp } from './boot.server.ts'
import { readEnv } from './env.server.ts'
import { processName } from './process-name.server.ts'
import { hasLivingMember, lockInUse, refuseEmptyStart, warnOfBackups, warnOfMetrics } from './start-checks.server.ts'

const NAME = 'fieldhook-20261122T031112Z-5e6729'
let root = ''
let logged: string[] = []
const write = (_fields: Record<string, unknown>, message: string) => void logged.push(message)
const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldhook-start-'))
  logged = []
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function environment(to: BackupTo) {
  const backups = { to, keys: ['k'], removesOld: true }
  return {
    platform: 'servicem8' as const,
    databaseFile: join(root, 'data/f.db'),
    backups,
    startEmpty: false,
    databaseServer: null,
  }
}

test('without METRICS_TOKEN the start says who can read the numbers; the sandbox says nothing', () => {
  warnOfMetrics({ platform: 'sandbox', metricsToken: null }, log)
  warnOfMetrics({ platform: 'servicem8', metricsToken: 'a'.repeat(32) }, log)
  expect(logged).toEqual([])
  warnOfMetrics({ platform: 'servicem8', metricsToken: null }, log)
  expect(logged).toEqual(['metrics.without_token'])
})

test('a folder that cannot be made ends the start with one sentence, and nothing is logged', () => {
  writeFileSync(join(root, 'file'), '')
  expect(() => lockInUse(join(root, 'file/data/f.db'), log)).toThrow(
    `Nothing can be written in ${join(root, 'file/data')} (ENOTDIR): give it to the user that runs Fieldhook`,
  )
  expect(logged).toEqual([])
  lockInUse(join(root, 'new/data/f.db'), log).lock?.release()
})

test('a second process on one file knows that it is not alone', () => {
  const file = join(root, 'data/f.db')
  const first = lockInUse(file, log)
  const second = lockInUse(file, log)
  expect([first.alone, second.alone]).toEqual([true, false])
  first.lock?.release()
  second.lock?.release()
  const third = lockInUse(file, log)
  expect(third.alone).toBe(true)
  third.lock?.release()
})

test.skipIf(process.getuid?.() !== 0)("another user's lock is held all the same: no restore gets in", async () => {
  const file = join(root, 'f.db')
  lockInUse(file, log).lock?.release()
  chmodSync(root, 0o755)
  const start = `process.setuid(65534)
    const log = { warn: (_, text) => console.log(text) }
    import(${JSON.stringify(resolve('app/boot/start-checks.server.ts'))}).then(({ lockInUse }) => {
      const { lock } = lockInUse(${JSON.stringify(file)}, log)
      console.log(lock ? 'held' : 'not held')
      process.stdin.on('data', () => lock.release())
    })`
  const other = spawn(process.execPath, ['-e', start], { stdio: ['pipe', 'pipe', 'ignore'] })
  let told = ''
  for await (const text of other.stdout) {
    told += text
    if (told.includes('held')) break
  }
  expect(told).toBe('database.lock_not_writable\nheld\n')
  expect(takeLock(inUseLock(file), 'alone')).toBeNull()
  other.kill()
})

test('damage that only the start reads is a sentence', async () => {
  const file = join(root, 'f.db')
  const env = readEnv({ LOG_LEVEL: 'silent', DATABASE_URL: `file:${file}` })
  await (await startApp({ env })).stop()
  const sql = new Database(file)
  const rootOf = sql.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'account_key'").pluck()
  const at = ((rootOf.get() ?? 0) - 1) * 4096
  sql.close()
  writeSync(openSync(file, 'r+'), Buffer.alloc(4096, 7), 0, 4096, at)
  const problem = await startApp({ env }).catch((error: unknown) => error)
  expect(String(problem)).toMatch(/^ConfigurationError: .*is damaged, and nothing was changed in it\./)
})

test('another start that looks whether it is alone is waited for, and is no restore', async () => {
  const file = join(root, 'data/f.db')
  lockInUse(file, log).lock?.release()
  const held = `const sql = new (require('better-sqlite3'))(${JSON.stringify(`${file}.in-use`)})
    sql.exec('BEGIN EXCLUSIVE')
    console.log('held')
    setTimeout(() => sql.close(), 300)`
  const other = spawn(process.execPath, ['-e', held], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  const second = lockInUse(file, log)
  expect(second.lock).not.toBeNull()
  second.lock?.release()
})

test('a start without a database is refused while there are backups to begin from', async () => {
  const env = environment({ kind: 'folder', path: join(root, 'place') })
  await refuseEmptyStart(env, log)
  mkdirSync(join(root, 'place', NAME), { recursive: true })
  writeFileSync(join(root, 'place', NAME, 'part-0001.age'), 'x')
  await refuseEmptyStart(env, log)
  writeFileSync(join(root, 'place', NAME, 'manifest.json'), '{}')
  await expect(refuseEmptyStart(env, log)).rejects.toThrow(
    `holds backups, the newest ${NAME}. Restore it with \`npm run restore\`, or set START_EMPTY=yes to begin with nothing.`,
  )
  await refuseEmptyStart({ ...env, startEmpty: true }, log)
  await refuseEmptyStart({ ...env, platform: 'sandbox' }, log)
  await refuseEmptyStart({ ...env, backups: null }, log)
  mkdirSync(join(root, 'data'))
  writeFileSync(join(root, 'data/f.db'), '')
  await expect(refuseEmptyStart(env, log)).rejects.toThrow('holds backups')
  writeFileSync(join(root, 'data/f.db'), 'SQLite')
  await refuseEmptyStart(env, log)
  expect(logged).toEqual([])
})

test('a store that has none, or does not answer well, is no reason not to start', async () => {
  const s3: StandInS3 = await standInS3()
  const env = environment({ kind: 's3', ...s3, prefix: '' })
  await refuseEmptyStart(env, log)
  expect(logged).toEqual([])
  s3.onCall(() => 403)
  await refuseEmptyStart(env, log)
  expect(logged).toEqual(['backups.not_asked'])
  s3.onCall(() => 'go on')
  s3.objects.set(`${NAME}/manifest.json`, Buffer.from('{}'))
  await expect(refuseEmptyStart(env, log)).rejects.toThrow('holds backups')
  await s3.close()
})

test('a store that is silent is asked for a moment only', async () => {
  const silent: Server = createServer(() => {})
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const address = silent.address()
  const endpoint = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  const env = environment({ kind: 's3', endpoint, bucket: 'b', prefix: '', region: 'auto', keyId: 'k', secret: 's' })
  await refuseEmptyStart(env, log, 50)
  expect(logged).toEqual(['backups.not_asked'])
  silent.closeAllConnections()
  await new Promise((done) => silent.close(done))
})

test('no backups, and backups that cannot be made, are said at the start', async () => {
  await warnOfBackups({ platform: 'sandbox', backups: null, databaseServer: null }, log)
  // It makes its own.
  await warnOfBackups({ platform: 'servicem8', backups: null, databaseServer: 'postgres://x/y' }, log)
  expect(logged).toEqual([])
  await warnOfBackups({ platform: 'servicem8', backups: null, databaseServer: null }, log)
  writeFileSync(join(root, 'file'), '')
  await warnOfBackups(environment({ kind: 'folder', path: join(root, 'file/below') }), log)
  expect(logged).toEqual(['backups.none', 'backups.cannot_be_made'])
})

describe('the sandbox as the only instance', () => {
  const quick = { forMs: 40, everyMs: 10 }
  const member = (id: string, process: string): Member => ({ id, process, version: '1', beats: 0, takes: true })
  /** `alive`: members that beat between two looks of ours. */
  const clusterOf = (members: Member[], alive: string[]) => ({
    me: 'me',
    async beat(): Promise<ClusterView> {
      for (const one of members) if (alive.includes(one.id)) one.beats++
      return { members: members.map((one) => ({ ...one })), shares: [], clockAhead: 0 }
    },
  })

  test('a member that beats lives; one that is silent does not, and we do not count', async () => {
    const others = [member('me', 'another machine|1|1|1'), member('other', 'another machine|1|2|1')]
    expect(await hasLivingMember(clusterOf(others, ['me', 'other']), quick)).toBe(true)
    expect(await hasLivingMember(clusterOf(others, ['me']), quick)).toBe(false)
    expect(await hasLivingMember(clusterOf(others.slice(0, 1), ['me']), quick)).toBe(false)
  })

  test('a process of this machine that has ended is not waited for', async () => {
    const [machine, namespace, pid] = processName().split('|')
    const before = member('other', `${machine}|${namespace}|${pid}|1`)
    const began = performance.now()
    expect(await hasLivingMember(clusterOf([before], []))).toBe(false)
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

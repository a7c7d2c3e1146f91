// The job's side: a process of its own, what it says, what is written down when it says nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { ENDED_HALF_WAY } from '#app/features/ops/backups.ts'
import { rowOf } from '#app/features/ops/operation-answer.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { backupStore } from '#db/sql/ops/backups.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import type { BackupStore } from '#db/store/backups.ts'
import { backupJobs } from './backup-jobs.server.ts'
import { createQuarantine } from './quarantine.server.ts'

const DONE = { outcome: 'done', name: 'b', databaseBytes: 2, storedBytes: 1, detail: { parts: 1 } }
const clock = fixedClock()
let folder = ''
let client: Client
let store: BackupStore
let logged: string[] = []
const write = (_fields: Record<string, unknown>, message: string) => void logged.push(message)
const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-jobs-'))
  client = openClient(join(folder, 'test.db'), 'db/migrations')
  store = backupStore(client)
  logged = []
})
afterEach(() => {
  client.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(name: string, script: string, signal = new AbortController().signal): Promise<void> {
  const file = join(folder, 'script.mjs')
  writeFileSync(file, script)
  const app = { store: { backups: store } as App['store'], clock, log }
  const backups = { to: { kind: 'folder' as const, path: folder }, keys: [], removesOld: true }
  const job = backupJobs(app, { backups }, () => file).find((one) => one.name === name)
  await job?.run(signal)
}

const says = (answer: object) => `console.log('noise'); console.log(${JSON.stringify(JSON.stringify(answer))})`

test('there are none when no place for backups is configured', () => {
  expect(backupJobs({ store: { backups: store } as App['store'], clock, log }, { backups: null })).toEqual([])
})

test('what the process says is written down; a young backup is not made again', async () => {
  await run('backups.take', says(DONE))
  expect(await store.newestBackup('backup')).toMatchObject({ name: 'b', databaseBytes: 2, detail: { parts: 1 } })
  await run('backups.take', says(DONE))
  expect(await store.listBackupRuns(9)).toHaveLength(1)
  clock.advance(minutes(59))
  await run('backups.take', says({ outcome: 'failed', sentence: 'The disk is gone.' }))
  expect((await store.listBackupRuns(9)).map(({ outcome, message }) => [outcome, message])).toEqual([
    ['failed', 'The disk is gone.'],
    ['done', ''],
  ])
  expect(await store.newestBackup('drill')).toBeNull()
  expect(logged).toEqual(['backup.done', 'backup.failed'])
})

test('a process that ends without a word is a failure, and so is one that is stopped', async () => {
  await run('backups.drill', 'process.exit(9)')
  const stopping = new AbortController()
  const running = run('backups.drill', 'setInterval(() => {}, 1000)', stopping.signal)
  await expect.poll(async () => (await store.listBackupRuns(1))[0]?.outcome).toBe('running')
  stopping.abort()
  await running
  expect((await store.listBackupRuns(9)).map(({ message }) => message)).toEqual([
    'It did not come to its end: Fieldhook was stopped meanwhile.',
    'It did not come to its end: its process ended with 9.',
  ])
  expect(logged).toEqual(['drill.failed'])
})

test('a backup and a drill that are due together take turns, and neither is taken for lost', async () => {
  const file = join(folder, 'script.mjs')
  const app = { store: { backups: store } as App['store'], clock, log }
  const backups = { to: { kind: 'folder' as const, path: folder }, keys: [], removesOld: true }
  writeFileSync(
    file,
    `import { rmSync, writeFileSync } from 'node:fs'
     const lock = ${JSON.stringify(join(folder, 'lock'))}
     writeFileSync(lock, '', { flag: 'wx' })
     setTimeout(() => { rmSync(lock); ${says(DONE)} }, 300)`,
  )
  const jobs = backupJobs(app, { backups }, () => file)
  const { signal } = new AbortController()
  const both = Promise.all(jobs.map((job) => job.run(signal)))
  await expect.poll(() => store.listBackupRuns(9)).toHaveLength(1)
  await both
  expect((await store.listBackupRuns(9)).map(({ outcome, message }) => [outcome, message])).toEqual([
    ['done', ''],
    ['done', ''],
  ])
})

test('what was running when the whole product died is ended by the next one, and only so many are kept', async () => {
  const runs = async () => (await store.listBackupRuns(9)).map(({ kind, outcome, message }) => [kind, outcome, message])
  await store.beginBackupRun('backup', clock.now(), ENDED_HALF_WAY)
  const id = await store.beginBackupRun('drill', clock.now(), ENDED_HALF_WAY)
  expect(await runs()).toEqual([
    ['drill', 'running', ''],
    ['backup', 'failed', ENDED_HALF_WAY],
  ])
  await store.endBackupRun(id, { ...rowOf({ outcome: 'failed', sentence: 'No.' }), endedAt: clock.now() })
  for (let n = 0; n < 5; n++) await store.beginBackupRun('drill', clock.now(), 'lost')
  await store.forgetBackupRuns(2)
  expect(await runs()).toEqual([
    ['drill', 'running', ''],
    ['drill', 'failed', 'lost'],
    ['backup', 'failed', ENDED_HALF_WAY],
  ])
})

test('a database held by HOLD alone is backed up, a restored copy is not', async () => {
  const goesOn = async (hold: boolean, isCopy: boolean) => {
    const mark = { isSet: async () => isCopy, clear: async () => {}, waiting: async () => ({ deliveries: 0, runs: 0 }) }
    const quarantine = await createQuarantine({ clock, log }, { hold }, mark)
    expect(quarantine.held()).toBe(true)
    return ['backups.take', 'backups.drill', 'space.relieve', 'accounts.erase'].filter((name) =>
      quarantine.goesOn({ name }),
    )
  }
  expect(await goesOn(true, false)).toEqual(['backups.take', 'backups.drill', 'space.relieve'])
  expect(await goesOn(true, true)).toEqual(['space.relieve'])
  expect(await goesOn(false, true)).toEqual(['space.relieve'])
})

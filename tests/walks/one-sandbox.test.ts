// One sandbox to a database: its accounts live in one process, so a second instance does not start, and a later one does.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'

const missing = (await postgresForTests()).outcome === 'none'
let database: OwnPostgres
let folder: string
const running: ServerProcess[] = []

beforeAll(async () => {
  if (missing) return
  database = await durablePostgres()
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-data-'))
}, POSTGRES_WITHIN_MS)
afterAll(async () => {
  if (missing) return
  for (const one of running) await one.dispose()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start(): Promise<ServerProcess> {
  const server = await startServerProcess({ DATABASE_URL: database.url(), DATA_FOLDER: folder })
  running.push(server)
  return server
}

test.skipIf(missing)(
  'a second instance says why it does not start; after a kill -9 of the first one it does',
  async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(
      'The sandbox runs as one instance, and another one already uses this database',
    )
    // The first one did not notice.
    expect((await fetch(`${first.origin}/readyz`)).status).toBe(200)
    await first.killHard()
    const second = await start()
    expect((await fetch(`${second.origin}/readyz`)).status).toBe(200)
  },
)

test('on one SQLite file, a second one does not start either, and then a later one does', async () => {
  const place = mkdtempSync(join(tmpdir(), 'fieldhook-data-'))
  const env = { DATABASE_URL: `file:${join(place, 'fieldhook.db')}`, DATA_FOLDER: place }
  try {
    const first = await startServerProcess(env)
    running.push(first)
    await expect(startServerProcess(env)).rejects.toThrow('another one already uses this database')
    expect((await fetch(`${first.origin}/readyz`)).status).toBe(200)
    await first.killHard()
    running.push(await startServerProcess(env))
  } finally {
    for (const one of running.splice(0)) await one.dispose()
    rmSync(place, { recursive: true, force: true })
  }
})

// The built server on a database of the first release: ended by kill -9 while it brings it up to date, and started again.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#tests/support/free-port.ts'
import { startServerProcess } from '#tests/support/server-process.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

const ENC_KEYS = `k1:${createHash('sha256').update('the keys of the fixtures').digest('base64')}`

let folder = ''
let file = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-upgrade-'))
  file = join(folder, 'fieldhook.db')
  const sql = new Database(file)
  sql.pragma('auto_vacuum = INCREMENTAL')
  sql.pragma('journal_mode = WAL')
  sql.pragma('foreign_keys = OFF')
  sql.exec(`BEGIN; ${readFileSync('tests/data/schemas/0000_foundation.sql', 'utf8')} COMMIT`)
  sql.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(aboutTheFile('migrations of the file and its copy'))(
  'a start that was killed at its update is finished by the next one, with everything that was there',
  async () => {
    const port = await freePort()
    const environment = { DATABASE_URL: `file:${file}`, ENC_KEYS, LOG_LEVEL: 'warn' }
    const changes = watch(folder)
    const first = spawn(process.execPath, [resolve('scripts/serve-main.mjs')], {
      env: {
        PATH: process.env.PATH ?? '',
        PORT: String(port),
        NODE_ENV: 'production',
        PLATFORM: 'sandbox',
        ...environment,
      },
      stdio: 'ignore',
    })
    // The moment the copy appears; the migrations come right after it.
    changes.on('change', (_kind, name) => {
      if (String(name).startsWith('pre-')) first.kill('SIGKILL')
    })
    const [, signal] = (await once(first, 'exit')) as [number | null, string | null]
    changes.close()
    expect(signal).toBe('SIGKILL')

    const server = await startServerProcess(environment)
    try {
      expect((await fetch(`${server.origin}/fieldhook`)).status).toBe(200)
      expect((await server.drain()).code).toBe(0)
      const copies = readdirSync(folder).filter((name) => name.startsWith('pre-'))
      expect(copies).toEqual([expect.stringMatching(/^pre-\d{4}_\w+\.db$/)])
      const before = new Database(join(folder, copies[0] ?? ''), { readonly: true })
      const now = new Database(file, { readonly: true })
      const count = (sql: Database.Database, table: string) =>
        sql.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
      expect(now.pragma('integrity_check', { simple: true })).toBe('ok')
      for (const table of ['account', 'webhook', 'endpoint', 'event', 'event_body', 'delivery', 'attempt', 'session']) {
        expect([table, count(now, table)]).toEqual([table, count(before, table)])
      }
      expect(count(now, '"__drizzle_migrations"')).toBe(
        readdirSync('db/migrations').filter((name) => name.endsWith('.sql')).length,
      )
      expect(count(before, '"__drizzle_migrations"')).toBe(1)
      before.close()
      now.close()
    } finally {
      await server.dispose()
    }
  },
)

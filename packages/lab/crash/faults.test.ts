import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import type { Database } from '#db/database.ts'
import { orm } from '#db/orm.ts'
import { createWriteTurn } from '#db/sql/hot/write-turn.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { FAULT_PLACES, MIGRATION } from './faults.ts'

const prepared: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'fieldhook-faults-'))
beforeAll(() => {
  const client = openClient(join(folder, 'test.db'), 'db/migrations')
  const db: Database = {
    ...client.db,
    prepare(text) {
      prepared.push(text)
      return client.db.prepare(text)
    },
  }
  sqlStore({ ...client, db, orm: orm(db), turn: createWriteTurn(db) }, systemClock())
  client.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(FAULT_PLACES)('the store has the statement at which the crash proof ends it: $name', ({ statement }) => {
  expect(prepared.filter((source) => new RegExp(statement).test(source))).not.toEqual([])
})

test('migrations have as many tables as the crash proof waits for', () => {
  const files = readdirSync('db/migrations').filter((name) => name.endsWith('.sql'))
  const statements = files.flatMap((name) =>
    readFileSync(join('db/migrations', name), 'utf8').split('--> statement-breakpoint'),
  )
  const tables = statements.filter((source) => new RegExp(MIGRATION.statement).test(source))
  expect(tables.length).toBeGreaterThanOrEqual(MIGRATION.nth)
})

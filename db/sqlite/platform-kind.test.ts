import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimFor } from './platform-kind.server.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-kind-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the first start marks the database, and every later one finds the mark', () => {
  const file = join(folder, 'a.db')
  const first = new Database(file)
  expect(claimFor(first, 'servicem8')).toBe('servicem8')
  expect(claimFor(first, 'sandbox')).toBe('servicem8')
  first.close()
  const later = new Database(file)
  expect(claimFor(later, 'sandbox')).toBe('servicem8')
  later.close()
})

test('a copy belongs to the same platform', async () => {
  const original = new Database(join(folder, 'a.db'))
  claimFor(original, 'servicem8')
  await original.backup(join(folder, 'b.db'))
  original.exec(`VACUUM INTO '${join(folder, 'c.db')}'`)
  original.close()
  for (const name of ['b.db', 'c.db']) {
    const copy = new Database(join(folder, name))
    expect(claimFor(copy, 'sandbox')).toBe('servicem8')
    copy.close()
  }
})

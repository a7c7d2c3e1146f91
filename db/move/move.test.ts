// What a move copies, and that it finds a row which arrives differently.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sqliteCatalogue } from '#tests/support/catalogues.server.ts'
import { openClient } from '../sqlite/client.server.ts'
import { openSourceFile, openTargetFile } from '../sqlite/move-side.server.ts'
import { createRowSum, moveAll } from './move.server.ts'
import { movedTables } from './tables.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldhook-move-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('every column of every table moves, parents first', () => {
  const client = openClient(join(root, 'a.db'), 'db/migrations')
  const catalogue = sqliteCatalogue(client.sql)
  client.close()
  const tables = movedTables()
  const told = tables.map(({ name, columns }) => [name, columns.map((column) => column.name).sort()])
  const wanted = Object.entries(catalogue).map(([name, { columns }]) => [
    name,
    columns.map((one) => one.split(' ')[0]).sort(),
  ])
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(wanted))
  for (const [at, { name, key }] of tables.entries()) {
    const before = new Set(tables.slice(0, at).map((table) => table.name))
    for (const line of catalogue[name]?.foreignKeys ?? []) {
      expect(before).toContain(/-> (\w+)\./.exec(line)?.[1])
    }
    expect(key).toEqual(catalogue[name]?.primaryKey)
  }
})

test('a sum tells a changed, a missing and a doubled row, and no other order', () => {
  const sumOf = (...rows: (string | null)[][]) => {
    const sum = createRowSum()
    for (const row of rows) sum.add(row)
    return sum.text()
  }
  const [one, other] = [
    ['1', 'a'],
    ['2', null],
  ]
  expect(sumOf(one, other)).toBe(sumOf(other, one))
  const all = [
    sumOf(one, other),
    sumOf(one),
    sumOf(one, other, other),
    sumOf(one, ['2', '']),
    sumOf(one, ['2', 'null']),
  ]
  expect(new Set(all).size).toBe(all.length)
})

test.each(['changed', 'missing', 'doubled'] as const)(
  'a row that arrives %s is found, and nothing is put in place',
  async (how) => {
    const from = join(root, 'from.db')
    const client = openClient(from, 'db/migrations')
    client.sql.exec(
      `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES ('i', 'a', 'object', 'job', 'r', '[]', 0, 'd')`,
    )
    client.close()
    const file = join(root, 'new.db')
    const source = openSourceFile({ file: from, migrationsFolder: 'db/migrations' })
    const target = openTargetFile({ file, migrationsFolder: 'db/migrations', marker: `${file}.held` })
    const faulty: typeof target = {
      ...target,
      async insert(table, rows) {
        if (table.name !== 'event') return target.insert(table, rows)
        const [row = []] = rows
        const dedupe = table.columns.findIndex(({ name }) => name === 'dedupe')
        const id = table.columns.findIndex(({ name }) => name === 'seq')
        if (how === 'changed') await target.insert(table, [row.with(dedupe, 'other')])
        if (how === 'doubled') await target.insert(table, [row, row.with(id, '9').with(dedupe, 'other')])
      },
    }
    const moving = moveAll(source, faulty, { now: 0, tell() {} })
    await expect(moving).rejects.toThrow(/Nothing was put in place: event arrived differently/)
    await faulty.close()
    await source.close()
    expect(existsSync(file)).toBe(false)
  },
)

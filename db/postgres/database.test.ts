import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { isStorageFailure } from '../storage-failure.ts'
import { connectPostgres, type PostgresClient } from './client.server.ts'

let server: OwnPostgres | null = null
let client: PostgresClient
let conflicts = 0
beforeAll(async () => {
  if ((await postgresForTests()).outcome === 'none') return
  server = await durablePostgres()
  const first = connectPostgres(server.url())
  const make = first.db.prepare('CREATE TABLE counted (id bigint PRIMARY KEY, n bigint NOT NULL, words text)')
  const fill = first.db.prepare("INSERT INTO counted VALUES (1, 0, 'a'), (2, 0, 'b')")
  await first.db.write(function* () {
    yield* make.run()
    yield* fill.run()
  })()
  await first.close()
}, POSTGRES_WITHIN_MS)
afterAll(() => server?.stop())

beforeEach(({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  conflicts = 0
  client = connectPostgres(server.url(), { counts: { conflict: () => conflicts++ } })
})
afterEach(() => client.close())

const sumOf = () => client.db.prepare<[], number>('SELECT CAST(sum(n) AS bigint) FROM counted').pluck()

test('what reads and then writes happens as if nobody else were there: a conflict runs it again', async () => {
  const { db } = client
  const before = db.prepare<{ id: number }, number>('SELECT n FROM counted WHERE id = @id').pluck()
  const put = db.prepare('UPDATE counted SET n = @n WHERE id = @id')
  const add = db.write(function* (id: number) {
    const n = (yield* before.get({ id })) ?? 0
    yield* put.run({ id, n: n + 1 })
  })
  let other: Promise<void> | undefined
  let otherIsDone = false
  // Between its reading and its writing another one does both, so the conflict never depends on luck.
  const overtaken = db.write(function* (id: number) {
    const n = (yield* before.get({ id })) ?? 0
    other ??= add(id).finally(() => {
      otherIsDone = true
    })
    while (!otherIsDone) yield* before.get({ id })
    yield* put.run({ id, n: n + 1 })
  })
  const sum = sumOf()
  const start = (await db.read(() => sum.get())()) ?? 0
  await overtaken(1)
  await other
  expect(conflicts).toBe(1)
  await Promise.all(Array.from({ length: 4 }, () => add(1)))
  expect(await db.read(() => sum.get())()).toBe(start + 6)
})

test('a part that fails is undone alone; the whole is undone by what it throws itself, and the connection goes on', async () => {
  const { db } = client
  const put = db.prepare('UPDATE counted SET words = @words WHERE id = @id')
  const double = db.prepare('INSERT INTO counted VALUES (1, 0, NULL)')
  const words = db.prepare<{ id: number }, string>('SELECT words FROM counted WHERE id = @id').pluck()
  const parts = db.write(function* () {
    yield* put.run({ id: 1, words: 'kept' })
    try {
      yield* db.savepoint(function* () {
        yield* put.run({ id: 2, words: 'undone' })
        yield* double.run()
      })
    } catch {
      return 'went on'
    }
    return 'was not refused'
  })
  expect(await parts()).toBe('went on')
  expect(await db.read(() => words.get({ id: 1 }))()).toBe('kept')
  expect(await db.read(() => words.get({ id: 2 }))()).toBe('b')
  const own = db.write(function* () {
    yield* put.run({ id: 1, words: 'undone' })
    throw new Error('of our own')
  })
  await expect(own()).rejects.toThrow('of our own')
  expect(await db.read(() => words.get({ id: 1 }))()).toBe('kept')
})

test('values arrive as SQLite gives them, and what SQLite refuses is refused', async () => {
  const { db } = client
  const all = db.prepare<[], object>(
    "SELECT count(*) AS howMany, sum(id) AS allIds, 1 < 2 AS isLess, NULL AS nothing, 'x' AS aText FROM counted",
  )
  const expected = { howMany: 2, allIds: 3, isLess: 1, nothing: null, aText: 'x' }
  expect(await db.read(() => all.get())()).toEqual(expected)
  const put = db.prepare('UPDATE counted SET words = @words WHERE id = 2')
  const write = (words: unknown) => db.write(() => put.run({ words }))()
  expect(await write('a\0b')).toEqual({ changes: 1 })
  await expect(write(true)).rejects.toThrow('cannot be stored')
  await expect(write({ not: 'text' })).rejects.toThrow('cannot be stored')
  await expect(db.write(() => put.run({}))()).rejects.toThrow('no value is given for @words')
})

test('a server that goes away is a failure of the storage, never of a row; when it is back, so are we', async () => {
  const sum = sumOf()
  const read = client.db.read(() => sum.get())
  const put = client.db.prepare('UPDATE counted SET n = 0')
  const write = client.db.write(() => put.run())
  await read()
  await server?.kill()
  // Its children end by themselves, a moment later.
  await vi.waitUntil(() =>
    read().then(
      () => false,
      () => true,
    ),
  )
  for (const attempt of [read, write]) {
    const error = await attempt().catch((failure: unknown) => failure)
    expect([error instanceof Error, isStorageFailure(error)]).toEqual([true, true])
  }
  await server?.start()
  expect(await write()).toEqual({ changes: 2 })
  expect(await read()).toBe(0)
})

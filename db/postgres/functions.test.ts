// The functions of the PostgreSQL schema answer as SQLite's do, so that one SQL text serves both.
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TrialDatabase } from '#tests/support/postgres-trial.server.ts'
import { migrate } from './migrations.server.ts'

const sqlite = new Database(':memory:')
let postgres: TrialDatabase

beforeAll(async () => {
  postgres = await freshDatabase()
  await migrate(postgres.client, 'db/migrations-postgres')
})
afterAll(async () => {
  await postgres.drop()
  sqlite.close()
})

/** As text, because the engines differ in their types of numbers; true and false as SQLite writes them. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'boolean' ? String(Number(value)) : String(value)
}

type Rows = (string | null)[][]

const ofSqlite = (text: string, values: unknown[] = []): Rows =>
  (sqlite.prepare(text).raw().all(values) as unknown[][]).map((row) => row.map(plain))

async function ofPostgres(text: string, values: unknown[] = []): Promise<Rows> {
  let count = 0
  const numbered = text.replace(/\?/g, () => `$${++count}`)
  const { rows } = await postgres.client.query<unknown[]>({ text: numbered, values, rowMode: 'array' })
  return rows.map((row) => row.map(plain))
}

async function same(text: string, values: unknown[] = []): Promise<Rows> {
  const rows = await ofPostgres(text, values)
  expect(rows, `${text} of ${JSON.stringify(values)}`).toEqual(ofSqlite(text, values))
  return rows
}

const holds = <T>(what: fc.Arbitrary<T>, check: (value: T) => Promise<unknown>) =>
  fc.assert(
    fc.asyncProperty(what, async (value) => void (await check(value))),
    { numRuns: 200 },
  )

const EFFECT = '{"effect":{"kind":"none","class":"customer","n":3},"list":[1,"x",true,false,null,{"c":[2]}]}'

describe('each example has the same value in both engines', () => {
  test.each([
    'max(1, 2), max(2, 1), max(5, 5), max(1, NULL), max(NULL, 1), min(1, 2), min(2, 1), min(1, NULL)',
    'max(1, 7, 3), max(1, 2, NULL), min(4, 2, 3), min(NULL, 2, 3)',
    'max(9007199254740991, 9007199254740990), min(-9007199254740991, 0)',
    "instr('abcabc', 'c'), instr('abc', 'x'), instr('abc', ''), instr('', ''), instr('aäb', 'b'), instr(NULL, 'a'), instr('a', NULL)",
    "substr('v1.key.rest', 4, instr(substr('v1.key.rest', 4) || '.', '.') - 1)",
    "length('aä😀'), octet_length('aä😀'), substr('aä😀b', 3, 1)",
    `json_valid('{"a":1}'), json_valid('[1,2'), json_valid(''), json_valid('null'), json_valid('"x"'), json_valid('{a:1}'), json_valid('1 2')`,
    'json_valid(NULL)',
    `json_extract('${EFFECT}', '$.effect.kind'), json_extract('${EFFECT}', '$.effect'), json_extract('${EFFECT}', '$.list')`,
    `json_extract('${EFFECT}', '$.list[0]'), json_extract('${EFFECT}', '$.list[1]'), json_extract('${EFFECT}', '$.list[2]')`,
    `json_extract('${EFFECT}', '$.list[3]'), json_extract('${EFFECT}', '$.list[4]'), json_extract('${EFFECT}', '$.list[5].c[0]')`,
    `json_extract('${EFFECT}', '$.list[9]'), json_extract('${EFFECT}', '$.none.at.all'), json_extract('${EFFECT}', '$')`,
    `json_extract('[{"name":"upstream"}]', '$[0].name'), json_extract('[]', '$[0].name'), json_extract(NULL, '$.a')`,
    `json_extract('["text",null,null]', '$[0]'), json_extract('[null,"code",{"limit":3}]', '$[2]'), json_extract('true', '$')`,
    `json_extract('"true"', '$'), json_extract('["true"]', '$[0]'), json_extract('{"a":"1"}', '$.a')`,
    `CAST(json_extract('{"count":12}', '$.count') AS bigint) + 1, coalesce(CAST(json_extract('{}', '$.count') AS bigint), 1)`,
    `json_remove('{"b":1,"changes":[1,{"a":2}],"a":{"x":"é\\n"},"mutes":{}}', '$.changes', '$.mutes'), json_remove('{"a":1}', '$.a')`,
    `json_remove('{"a":1}', '$.b'), json_remove(NULL, '$.a'), json_remove('{"a\\"b":1,"c":2}', '$.c')`,
    `json_array_length('[1,[2,3]]'), json_array_length('[]'), json_array_length('{"a":1}'), json_array_length('3'), json_array_length(NULL)`,
    "json_quote('a\"b\\\n\t é'), json_quote(''), json_quote(NULL)",
  ])('%s', async (expressions) => {
    await same(`SELECT ${expressions}`)
  })

  test.each([
    `SELECT key, value FROM json_each('[3,"x",true,false,null,{"a":1},[2]]')`,
    `SELECT key, value FROM json_each('{"b":1,"a":"x","c":true,"d":null,"e":[1]}')`,
    `SELECT value FROM json_each('[]')`,
    `SELECT value FROM json_each('{}')`,
    'SELECT value FROM json_each(NULL)',
    `SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) AS few WHERE x IN (SELECT CAST(value AS bigint) FROM json_each('[2,3]'))`,
    `SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) AS few WHERE x NOT IN (SELECT CAST(value AS bigint) FROM json_each('[]'))`,
    'SELECT max(x), min(x), max(max(x), 1), min(max(x, 1)) FROM (SELECT 1 AS x UNION ALL SELECT 2) AS few',
  ])('%s', async (statement) => {
    await same(statement)
  })

  test('a list that is bound needs no CAST of the parameter', async () => {
    await same('SELECT value FROM json_each(?)', ['["a","b"]'])
    await same('SELECT json_extract(?, ?), json_array_length(?), instr(?, ?)', ['[1]', '$[0]', '[1,2]', 'abc', 'b'])
  })
})

describe('any small input has the same answer', () => {
  const number = fc.option(fc.maxSafeInteger())
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '😀', '.'), maxLength: 6 })
  /** PostgreSQL stores no NUL; half a surrogate pair is no UTF-8. */
  const text = fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((one) => !one.includes('\0') && !/\p{Surrogate}/u.test(one))
  const name = fc.constantFrom('a', 'b', 'c_d')
  const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.boolean(), fc.maxSafeInteger(), fc.constant(null), text),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }))
  const step = fc.oneof(
    name.map((one) => `.${one}`),
    fc.nat(2).map((index) => `[${index}]`),
  )
  const path = fc.array(step, { maxLength: 3 }).map((steps) => `$${steps.join('')}`)
  const bigint = 'CAST(? AS bigint)'

  test('max and min', async () => {
    await holds(fc.tuple(number, number, number), async ([a, b, c]) => {
      await same(
        `SELECT max(${bigint}, ${bigint}), min(${bigint}, ${bigint}), max(${bigint}, ${bigint}, ${bigint}), min(${bigint}, ${bigint}, ${bigint})`,
        [a, b, a, b, a, b, c, a, b, c],
      )
    })
  })

  test('instr and substr', async () => {
    await holds(fc.tuple(letters, letters, fc.nat(8), fc.nat(8)), async ([whole, part, start, length]) => {
      const cut = 'substr(CAST(? AS text), CAST(? AS integer), CAST(? AS integer))'
      await same(`SELECT instr(?, ?), ${cut}, length(CAST(? AS text))`, [whole, part, whole, start, length, whole])
    })
  })

  test('json_extract along any path', async () => {
    await holds(fc.tuple(json, path), async ([value, where]) => {
      await same('SELECT json_extract(?, ?)', [JSON.stringify(value), where])
    })
  })

  test('json_each, json_array_length and json_remove', async () => {
    await holds(fc.tuple(fc.array(json, { maxLength: 4 }), fc.dictionary(name, json)), async ([list, members]) => {
      await same('SELECT key, value FROM json_each(?)', [JSON.stringify(list)])
      await same('SELECT key, value FROM json_each(?)', [JSON.stringify(members)])
      await same('SELECT json_array_length(?)', [JSON.stringify(list)])
      await same("SELECT json_remove(?, '$.a', '$.c_d')", [JSON.stringify(members)])
    })
  })

  test('json_quote writes what JSON.stringify writes', async () => {
    await holds(text, async (one) => {
      expect(await same('SELECT json_quote(CAST(? AS text))', [one])).toEqual([[JSON.stringify(one)]])
    })
  })

  test('json_valid, of JSON and of what is nearly JSON', async () => {
    const nearly = fc.tuple(fc.json(), fc.nat(30), fc.constantFrom('', '"', ',', '}', '\\u12', '1e', ' '))
    await holds(nearly, async ([whole, at, piece]) => {
      await same('SELECT json_valid(?)', [whole.slice(0, at) + piece + whole.slice(at)])
    })
  })
})

test('what PostgreSQL cannot read of a JSON text is U+FFFD, and the rest of it stays readable', async () => {
  const stored = JSON.stringify({ a: 'x\0y', b: 'A\ud800B\udc00C', c: '\\u0000', d: '😀', e: 7 }).replace(
    '😀',
    '\\ud83d\\ude00',
  )
  const read = (name: string) => ofPostgres('SELECT json_extract(?, ?)', [stored, `$.${name}`])
  expect(await ofPostgres('SELECT json_valid(?)', [stored])).toEqual([['1']])
  expect(await read('a')).toEqual([['x\ufffdy']])
  expect(await read('b')).toEqual([['A\ufffdB\ufffdC']])
  expect(await read('c')).toEqual([['\\u0000']])
  expect(await read('d')).toEqual([['😀']])
  expect(await read('e')).toEqual([['7']])
  expect(await ofPostgres('SELECT value FROM json_each(?)', ['["a\\u0000"]'])).toEqual([['a\ufffd']])
})

test('a text that is no JSON is an error in both engines', async () => {
  expect(() => ofSqlite("SELECT json_extract('{', '$.a')")).toThrow('malformed JSON')
  await expect(ofPostgres("SELECT json_extract('{', '$.a')")).rejects.toThrow('invalid input syntax for type json')
})

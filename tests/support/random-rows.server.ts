// Rows for every table of a file, as wild as its rules allow: what the schema demands is read from the schema.
import type { Database } from 'better-sqlite3'
import fc from 'fast-check'
import { columnsOf, movedTables, type Table } from '#db/move/tables.ts'

const TEXT = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    '\u{1F600}',
    'null',
    '{"a":[1]}',
    'it\'s "\\N" {a,b}',
    '\n\t\r',
    '\ufffd',
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const NUMBER = fc.oneof(
  fc.constantFrom(0n, -1n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
  fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
)
/** As keys: no two rows have the same. */
const EXTREMES = [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 2n ** 53n + 1n]
const JSON_TEXT = fc.json()

/** The same values for the same seed. */
export type Draw = <T>(from: fc.Arbitrary<T>) => T

export function drawing(seed: number): Draw {
  let drawn = 0
  const one = <T>(from: fc.Arbitrary<T>): T => {
    const [value] = fc.sample(from, { numRuns: 1, seed: seed + 7919 * drawn++ })
    return value as T
  }
  return one
}

type Value = string | bigint | null
interface Rule {
  required: boolean
  /** What a CHECK lists. */
  allowed: readonly Value[] | null
  isJson: boolean
  isPositive: boolean
  /** Table of a foreign key. */
  parent: string | null
}

/** Fills each table with `count` rows. Ids leave gaps, and the highest ones are deleted again. */
export function fillAtRandom(sql: Database, draw: Draw, count: number): void {
  const keys = new Map<string, Value[]>()
  for (const table of movedTables()) {
    const rules = rulesOf(sql, table)
    const marks = table.columns.map(() => '?').join(', ')
    const insert = sql.prepare(`INSERT INTO "${table.name}" (${columnsOf(table)}) VALUES (${marks})`)
    const own: Value[] = []
    for (let row = 0; row < count; row++) {
      const values = table.columns.map(({ name, isNumber }): Value => {
        if (name === table.counted) return BigInt(row) * 3n + 1n
        const rule = rules.get(name)
        if (!rule) throw new Error(`no rule for ${table.name}.${name}`)
        const parents = rule.parent === null ? null : (keys.get(rule.parent) ?? [])
        if (parents) return parents[row % parents.length] ?? null
        if (isNumber && table.key.includes(name) && !rule.allowed) return EXTREMES[row] ?? BigInt(row)
        if (!rule.required && draw(fc.boolean())) return null
        return drawn(draw, rule, isNumber, row)
      })
      insert.run(values)
      own.push(values[table.columns.findIndex(({ name }) => name === table.key[0])] ?? null)
    }
    keys.set(table.name, own)
    // An id that was given once is never given again.
    if (table.counted === null) continue
    sql.prepare(`UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name = '${table.name}'`).run()
  }
}

function drawn(draw: Draw, { allowed, isJson, isPositive }: Rule, isNumber: boolean, row: number): Value {
  if (allowed) return draw(fc.constantFrom(...allowed))
  if (isJson) return draw(JSON_TEXT)
  if (isNumber) {
    const value = draw(NUMBER)
    return isPositive && value < 0n ? -(value + 1n) : value
  }
  // Different in each row, for the unique indexes.
  return `${draw(TEXT)}#${row}`
}

function rulesOf(sql: Database, table: Table): Map<string, Rule> {
  const text =
    sql.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table.name) ?? ''
  const keys = sql.pragma(`foreign_key_list("${table.name}")`) as { from: string; table: string }[]
  const columns = sql.pragma(`table_info("${table.name}")`) as { name: string; notnull: number; pk: number }[]
  return new Map(
    columns.map(({ name, notnull, pk }) => {
      const list = new RegExp(`\`${name}\` IN \\(([^)]*)\\)`).exec(text)?.[1]
      const short = text.includes(`length(\`${name}\`)`)
      const rule: Rule = {
        required: notnull === 1 || pk > 0,
        allowed: short ? ['trialing', '\u{1F600}'] : (list?.split(',').map((one) => literal(one.trim())) ?? null),
        isJson: text.includes(`json_valid(\`${name}\`)`),
        isPositive: text.includes(`\`${name}\` >= 0`),
        parent: keys.find((key) => key.from === name)?.table ?? null,
      }
      return [name, rule]
    }),
  )
}

function literal(text: string): Value {
  return text.startsWith("'") ? text.slice(1, -1) : BigInt(text)
}

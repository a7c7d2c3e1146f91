// The tables that move, parents first, as `db/schema.ts` tells them.
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../schema.ts'

export interface Table {
  name: string
  columns: readonly { name: string; isNumber: boolean }[]
  key: readonly string[]
  /** The column whose numbers the database gives; null = none. */
  counted: string | null
}

/** Every table of the product. A table stands after all that it refers to. */
export function movedTables(): Table[] {
  const told = Object.values(schema)
    .filter((one) => is(one, SQLiteTable))
    .map((one) => shapeOf(one))
  const ordered: Table[] = []
  const names = new Set<string>()
  while (ordered.length < told.length) {
    const next = told.filter(
      ({ table, parents }) =>
        !names.has(table.name) && parents.every((parent) => parent === table.name || names.has(parent)),
    )
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    for (const { table } of next) {
      ordered.push(table)
      names.add(table.name)
    }
  }
  return ordered
}

function shapeOf(source: SQLiteTable): { table: Table; parents: string[] } {
  const { name, columns, primaryKeys, foreignKeys } = getTableConfig(source)
  const stored = columns.filter(({ generated }) => generated === undefined)
  const own = columns.filter(({ primary }) => primary)
  const counted = own.find((column) => 'autoIncrement' in column && column.autoIncrement === true)
  return {
    table: {
      name,
      columns: stored.map((column) => ({ name: column.name, isNumber: column.getSQLType() === 'integer' })),
      key: (primaryKeys[0]?.columns ?? own).map((column) => column.name),
      counted: counted?.name ?? null,
    },
    parents: foreignKeys.map((key) => getTableConfig(key.reference().foreignTable).name),
  }
}

/** `"name"`, for both engines. */
export function quoted(name: string): string {
  return `"${name}"`
}

/** The rows that move. Of the leases, which name the process at work, only the notes of accounts being erased. */
export function rowsIn({ name }: Pick<Table, 'name'>): string {
  return name === 'lease' ? `${quoted(name)} WHERE name LIKE 'erase|%'` : quoted(name)
}

export function columnsOf(table: Table): string {
  return table.columns.map(({ name }) => quoted(name)).join(', ')
}

// Many rows as the values of one statement: a list for each column.

type ColumnType = 'text' | 'bigint'

export interface RowsAsLists<Row> {
  /** For FROM: the rows in their order, under the alias `g`. Its columns have the names of the table (`account_uuid`). */
  rows: string
  /** The columns, for INSERT. They are in the order of `SELECT *` from `rows`. */
  columns: string
  /** The values of the statement. */
  of(rows: readonly Row[]): Record<keyof Row & string, unknown[]>
}

/** `types`: of each property. A property has the name of its column in camel case. */
export function rowsAsLists<Row extends object>(types: Record<keyof Row & string, ColumnType>): RowsAsLists<Row> {
  const names = Object.keys(types) as (keyof Row & string)[]
  const columns = names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).join(', ')
  const lists = names.map((name) => `@${name}::${types[name]}[]`).join(', ')
  return {
    rows: `unnest(${lists}) AS g(${columns})`,
    columns,
    of: (rows) =>
      Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])) as Record<
        keyof Row & string,
        unknown[]
      >,
  }
}

/**
 * Converts a row to columns and back. For statements that run for every event: better-sqlite3 builds its row objects
 * property by property with new names each time, which with twenty columns costs more than the query (measured).
 */
interface Shape<Row> {
  /** For the SELECT. */
  columns: string
  /** Reads the values of such a statement, switched to `.raw()`. */
  rowOf(values: unknown[]): Row
}

/** `columns`: the SQL expression of each property. */
export function shapeOf<Row extends object>(columns: Record<keyof Row & string, string>): Shape<Row> {
  const names = Object.keys(columns)
  return {
    columns: Object.entries(columns)
      .map(([name, column]) => `${column} AS ${name}`)
      .join(', '),
    rowOf(values) {
      const row: Record<string, unknown> = {}
      for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index]
      return row as Row
    },
  }
}

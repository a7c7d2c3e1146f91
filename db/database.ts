// What the statements of `db/sql` need of their engine. Nothing here names one: SQLite runs an operation to its end in
// one go, an asynchronous engine resumes it with each result.

/**
 * The result of a read or write, obtained with `yield*`. Nothing else can be awaited in the middle of an operation, so
 * no transaction ever waits for the outside.
 */
export interface Step<T> {
  [Symbol.iterator](): Iterator<unknown, T, unknown>
}

/**
 * One prepared statement. Values are bound by name (`@accountUuid`: one object) or by position (`?`). Columns that are
 * integers in the schema arrive as numbers, truth values as 1 and 0.
 */
export interface Statement<Args extends unknown[], Row> {
  /** The first row. */
  get(...args: Args): Step<Row | undefined>
  all(...args: Args): Step<Row[]>
  /** For statements without RETURNING. */
  run(...args: Args): Step<{ changes: number }>
  /** The same statement, giving the first column of each row. */
  pluck(): Statement<Args, Row>
  /** The same statement, giving each row as a list of values. */
  raw(): Statement<Args, Row>
}

type Bound<Args> = Args extends unknown[] ? Args : [Args]

/** One connection, or one pool of them. */
export interface Database {
  /** `text` is in the spelling that both engines know (docs/decisions/0047). */
  prepare<Args extends unknown[] | object = unknown[], Row = unknown>(text: string): Statement<Bound<Args>, Row>
  /**
   * Makes a function of the store from an operation that writes: all or nothing, as if nobody else were there. The
   * operation may run more than once, so it changes nothing but the database.
   */
  write<A extends unknown[], T>(act: (...args: A) => Step<T>): (...args: A) => Promise<T>
  /** From an operation that only reads. Each of its statements sees what is committed at that moment. */
  read<A extends unknown[], T>(act: (...args: A) => Step<T>): (...args: A) => Promise<T>
  /** The same, and what it saw is on disk when it resolves: for those who act on it outside without writing first. */
  readKept<A extends unknown[], T>(act: (...args: A) => Step<T>): (...args: A) => Promise<T>
  /** From one that reads, when its statements must agree with each other: they see one state of the data. */
  snapshot<A extends unknown[], T>(act: (...args: A) => Step<T>): (...args: A) => Promise<T>
  /** From one that writes, and whose statements each commit alone: every one is right whatever others write meanwhile. */
  single<A extends unknown[], T>(act: (...args: A) => Step<T>): (...args: A) => Promise<T>
  /** A part of an operation that is undone alone when it throws. */
  savepoint<T>(act: () => Step<T>): Step<T>
}

/** Runs an operation to its end on an engine that has every result at once. Rethrows its errors. */
export function finish<T>(act: Step<T>): T {
  const result = act[Symbol.iterator]().next()
  if (!result.done) throw new Error('an operation waited for something')
  return result.value
}

// What a move needs of the database it reads, and of the one it fills: each engine has its own.
import type { Table } from './tables.ts'

/** A row's values in the order of the table's columns. Whole numbers are in decimal, so that none loses a digit. */
export type Row = (string | null)[]

export type PlatformKind = 'sandbox' | 'servicem8'

/** A database that nobody else writes to while it is open here. */
interface Side {
  /** Without a password, for sentences. */
  name: string
  /** In the order of the key, some thousand rows or some megabytes at once. One table at a time. */
  rows(table: Table): AsyncIterable<Row[]>
  /** By table: the highest id ever given, in decimal. A table that never gave one is left out. */
  counters(): Promise<Map<string, string>>
  /** Closes it and lets others in. What was not finished is as if it had never begun. */
  close(): Promise<void>
}

export interface MoveSource extends Side {
  count(table: Table): Promise<number>
  /** Null = nobody has started on it yet. */
  platform(): Promise<PlatformKind | null>
  bytes(): Promise<number>
}

export interface MoveTarget extends Side {
  /** What it stores for a NUL in a text. */
  nul: string
  insert(table: Table, rows: Row[]): Promise<void>
  setCounters(highest: ReadonlyMap<string, string>): Promise<void>
  setPlatform(kind: PlatformKind): Promise<void>
  /** Puts everything in place at once, held: nothing is sent from it until a person lets it go. */
  finish(why: { movedFrom: string; at: number }): Promise<void>
}

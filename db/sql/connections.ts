import type { Database } from '../database.ts'
import type { Housekeeping } from '../housekeeping.ts'
import type { Orm } from '../orm.ts'
import type { WriteTurn } from './hot/write-turn.server.ts'

/** The connections that the store works with. */
export interface Connections {
  db: Database
  /** Builds queries for `db`. */
  orm: Orm
  /**
   * For long acts: they wait for other writers instead of running again, and each statement sees what is committed at
   * that moment. They lock their endpoint (`lock`) before they change anything, as every act on its deliveries does.
   */
  patient: Database
  /** For long reads, so that they do not block the writer. */
  reader: Database
  readerOrm: Orm
  /** Groups the hot path's writes of one event loop turn into one transaction. */
  turn: WriteTurn
  housekeeping: Housekeeping
  /** A condition on the account of the table with this alias: does this instance work for it? */
  mine(alias: string): string
  /** The same, for what it has just taken over and not yet looked through. */
  taken(alias: string): string
  /** Ends a SELECT: until the commit, nobody else changes the rows it found in the table with this alias. */
  lock(alias: string): string
}

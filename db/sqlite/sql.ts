// The handle that every SQL statement is prepared on.
import type Database from 'better-sqlite3'

export type Sql = Database.Database

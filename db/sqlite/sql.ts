// The handle that every SQL statement is prepared on. Values are bound by name (`@accountUuid`); only in `hot/` by position: by
// name an insert of nine values takes a fifth longer, a row found by its id half as long again (measured, 200,000 runs each).
import type Database from 'better-sqlite3'

export type Sql = Database.Database

// The database of a walk: a file beside it, with TEST_DATABASE=postgres a fresh database of the tests' server, which keeps
// what it commits when walks run: the product refuses any other.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from '#db/database.ts'
import { connectPostgres } from '#db/postgres/client.server.ts'
import { translate } from '#db/postgres/translate.ts'
import { sqliteDatabase } from '#db/sqlite/database.server.ts'
import { freshDatabase } from './postgres.ts'
import { openSyncPostgres } from './sync-postgres.server.ts'
import { onServer } from './test-app.server.ts'

export interface WalkDatabase {
  /** For the product's environment. */
  env: { DATABASE_URL: string; DATA_FOLDER?: string }
  /** A connection of the test's own. */
  open(): Pick<Sqlite.Database, 'prepare' | 'transaction' | 'close'>
  /** The same as the store's statements see it. */
  connect(): { db: Database; close(): unknown }
  /** Nobody needs it any more. A file stays in its folder. */
  drop(): Promise<void>
}

export async function walkDatabase(folder: string): Promise<WalkDatabase> {
  if (!onServer) {
    const file = join(folder, 'fieldhook.db')
    const open = () => new Sqlite(file, { timeout: 20_000 })
    return {
      env: { DATABASE_URL: `file:${file}` },
      open,
      connect() {
        const sql = open()
        return { db: sqliteDatabase(sql), close: () => sql.close() }
      },
      async drop() {},
    }
  }
  const { url, close } = await freshDatabase('')
  return {
    env: { DATABASE_URL: url, DATA_FOLDER: folder },
    open: () => openSyncPostgres(url, translate) as unknown as Sqlite.Database,
    connect: () => connectPostgres(url),
    drop: close,
  }
}

import type { Connections } from '#db/sql/connections.ts'
import type { FullDiskGuard } from '#db/sqlite/full-disk.server.ts'
import type { Store } from '#db/store.ts'
import type { Env } from './env.server.ts'

/** A database that is open, whichever engine holds it. */
export interface OpenedDatabase {
  /** For sentences: the file, or the server and the database. */
  name: string
  connections: Connections
  store: Store
  disk: Pick<FullDiskGuard, 'isFull' | 'start' | 'stop'>
  belongsTo: Env['platform']
  close(): Promise<void>
}

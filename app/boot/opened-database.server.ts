import type { HoldMark } from '#db/hold.ts'
import type { Connections } from '#db/sql/connections.ts'
import type { FullDiskGuard } from '#db/sqlite/full-disk.server.ts'
import type { Cluster } from '#db/store/cluster.ts'
import type { CallRows } from '#db/store/shared.ts'
import type { Store } from '#db/store.ts'
import type { Env } from './env.server.ts'

/** A database that is open, whichever engine holds it. */
export interface OpenedDatabase {
  /** For sentences: the file, or the server and the database. */
  name: string
  connections: Connections
  store: Store
  /** For the product's own work: refused once the other instances have removed this one. */
  ownStore: Store
  /** Null = one process at a time works on it. */
  cluster: Cluster | null
  /** Does another process work on it? */
  isShared(): Promise<boolean>
  /** Where several instances count the platform calls of an account. Missing = one process, which counts in memory. */
  callRows?: CallRows
  disk: Pick<FullDiskGuard, 'isFull' | 'start' | 'stop'>
  hold: HoldMark
  belongsTo: Env['platform']
  close(): Promise<void>
}

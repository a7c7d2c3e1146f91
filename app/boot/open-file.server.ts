// Opens the SQLite file, with what only a file needs: its lock, its ballast, and the disk it can fill.
import type { App } from '#app/context/app-context.ts'
import { quarantineMarker } from '#app/domain/quarantine.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openBallast } from '#db/sqlite/ballast.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { surviveFullDisk } from '#db/sqlite/full-disk.server.ts'
import { fileHold } from '#db/sqlite/hold.server.ts'
import { claimFor } from '#db/sqlite/platform-kind.server.ts'
import type { Store } from '#db/store.ts'
import type { Env } from './env.server.ts'
import type { OpenedDatabase } from './opened-database.server.ts'
import { lockInUse, refuseEmptyStart } from './start-checks.server.ts'

interface FileInput extends Pick<App, 'clock' | 'log'> {
  env: Readonly<Env>
  observed(store: Store): Store
  makeRoom(signal: AbortSignal): Promise<void>
}

/** Throws `ConfigurationError` when the product must not start with this file. */
export async function openFile({ env, clock, log, observed, makeRoom }: FileInput): Promise<OpenedDatabase> {
  await refuseEmptyStart(env, log)
  // A restore checks this lock before it replaces the file.
  const inUse = lockInUse(env.databaseFile, log)
  // Before the database: on a full disk, the ballast frees the space to open it.
  const ballast = openBallast(env.databaseFile)
  const client = openClient(env.databaseFile, env.migrationsFolder)
  const store = observed(sqlStore(client, clock))
  const disk = surviveFullDisk({ store, ballast, clock, log, makeRoom })
  return {
    name: env.databaseFile,
    connections: client,
    store: disk.store,
    ownStore: disk.store,
    cluster: null,
    disk,
    hold: fileHold({ file: env.databaseFile, marker: quarantineMarker(env.databaseFile) }),
    belongsTo: claimFor(client.sql, env.platform),
    async close() {
      client.close()
      inUse?.release()
    },
  }
}

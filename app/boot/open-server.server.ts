// Opens a database on a PostgreSQL server: its disk, its backups and its locks are the server's own.
import { randomUUID } from 'node:crypto'
import type { App } from '#app/context/app-context.ts'
import { WINDOW } from '#app/domain/call-budget.ts'
import { cannotStart } from '#db/cannot-start.ts'
import { callRows } from '#db/postgres/call-rows.server.ts'
import { migrateServer } from '#db/postgres/client.server.ts'
import { joinCluster } from '#db/postgres/cluster.server.ts'
import type { PostgresCounts } from '#db/postgres/database.server.ts'
import { serverHold } from '#db/postgres/hold.server.ts'
import { claimForPlatform } from '#db/postgres/installation.server.ts'
import { applicationName } from '#db/postgres/migrations.server.ts'
import { placeOf } from '#db/postgres/server-problems.ts'
import { sharedOnServer } from '#db/postgres/shared.server.ts'
import { postgresStore } from '#db/postgres/store.server.ts'
import type { Store } from '#db/store.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Env } from './env.server.ts'
import type { OpenedDatabase } from './opened-database.server.ts'
import { processName } from './process-name.server.ts'
import { hasLivingMember } from './start-checks.server.ts'

interface ServerInput extends Pick<App, 'clock'> {
  env: Readonly<Env>
  url: string
  observed(store: Store): Store
  counts?: PostgresCounts
}

/** Throws an error with a sentence when the server cannot be used. */
export async function openServer({ env, url, clock, observed, counts }: ServerInput): Promise<OpenedDatabase> {
  const name = placeOf(url)
  await migrateServer(url, env.postgresMigrationsFolder)
  const { client, cluster, close } = await joinCluster(url, {
    ...{ id: randomUUID(), process: processName(), version: packageJson.version, clock, ...(counts && { counts }) },
    name: applicationName(env.postgresMigrationsFolder),
  }).catch((error: unknown) => {
    throw isLocked(error) ? cannotStart(`A move of ${name} is under way: start again when it has ended.`) : error
  })
  const shared = sharedOnServer(client.db, cluster.me)
  const store = observed({ ...postgresStore(client, clock), shared })
  const own = observed({ ...postgresStore(client.own, clock), shared })
  return {
    name,
    connections: client,
    store,
    // What was sent, or renewed for once only, is noted even by an instance that may do nothing else any more.
    ownStore: {
      ...own,
      runs: { ...own.runs, endSending: store.runs.endSending },
      accounts: { ...own.accounts, replaceTokens: store.accounts.replaceTokens },
    },
    cluster,
    isShared: () => hasLivingMember(cluster),
    callRows: callRows(client.db, WINDOW),
    // A full disk is told by each write that fails; nothing of ours can free it.
    disk: { isFull: () => false, start() {}, async stop() {} },
    hold: serverHold(client.db),
    belongsTo: await claimForPlatform(client.db, env.platform),
    async close() {
      // A start that was refused has joined too.
      await cluster.leave().catch(() => {})
      await close()
    },
  }
}

/** A move keeps every table for itself, or for readers. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

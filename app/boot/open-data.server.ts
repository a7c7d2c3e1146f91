// Opens the storage: the database with its observers, the secret box, and the space monitor.
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { App } from '#app/context/app-context.ts'
import { quarantineMarker } from '#app/domain/quarantine.ts'
import { missingKeysSentence, wrongKeySentence } from '#app/domain/sealed-places.ts'
import { auditStore } from '#app/features/audit/audited-store.server.ts'
import { forgetOldEvents } from '#app/features/events/delivering/retention.server.ts'
import { isFirstKeyWrong, missingKeys } from '#app/features/ops/rotate-keys.server.ts'
import { createSpaceLadder } from '#app/features/ops/space.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import { accountKeyring } from '#db/sql/accounts/account-keys.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openBallast } from '#db/sqlite/ballast.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { surviveFullDisk } from '#db/sqlite/full-disk.server.ts'
import { fileHold } from '#db/sqlite/hold.server.ts'
import { claimFor } from '#db/sqlite/platform-kind.server.ts'
import type { Store } from '#db/store.ts'
import { ConfigurationError, type Env } from './env.server.ts'
import type { ObservedParts } from './observe/observed-parts.server.ts'
import { openServer } from './open-server.server.ts'
import type { OpenedDatabase } from './opened-database.server.ts'
import { createQuarantine } from './quarantine.server.ts'
import {
  lockInUse,
  otherPlatformSentence,
  problemOf,
  refuseEmptyStart,
  SANDBOX_IS_ALONE,
  TWO_ON_A_FILE,
} from './start-checks.server.ts'

/** The base of everything else. */
export interface Ground {
  env: Readonly<Env>
  clock: Clock
  observed: ObservedParts
}

export type Data = Awaited<ReturnType<typeof openData>>

/** Throws `ConfigurationError` when the product must not start with this database; everything is closed then. */
export async function openData({ env, clock, observed }: Ground) {
  const { log } = observed
  const input = { env, clock, log, observed: observed.store }
  const database =
    env.databaseServer === null
      ? await openFile({ ...input, makeRoom })
      : await openServer({
          ...input,
          url: env.databaseServer,
          counts: { conflict: observed.measures.serializationRetried },
        })
  const { connections, callRows, disk, cluster, close } = database
  const refuseStart = async (sentence: string): Promise<never> => {
    // The others would otherwise wait for a member that never lived.
    await cluster?.leave().catch(() => {})
    await close()
    throw new ConfigurationError([sentence])
  }
  const refuseUnread = async (error: unknown) => {
    const sentence = problemOf(error, env)
    if (sentence === null) throw error
    return refuseStart(sentence)
  }
  if (database.belongsTo !== env.platform) await refuseStart(otherPlatformSentence(database, env.platform))
  // Each of two would keep another state of its pretend ServiceM8.
  if (env.platform === 'sandbox' && (await database.isShared())) await refuseStart(SANDBOX_IS_ALONE)
  // Audits people's requests and the product's own work, each under its own name.
  const { store, ownWork, removed } = auditStore({ store: database.store, ownStore: database.ownStore, clock, log })
  const hold = await createQuarantine({ clock, log }, env, database.hold)
  const secrets = createSecretBox(
    env.encKeys,
    accountKeyring(connections, () => clock.now()),
  )
  const missing = await missingKeys({ store: store.accounts, secrets }).catch(refuseUnread)
  if (missing.length > 0) await refuseStart(missingKeysSentence(missing))
  const isWrong = await isFirstKeyWrong({ store: store.accounts, secrets }).catch(refuseUnread)
  if (isWrong) await refuseStart(wrongKeySentence(secrets.firstKey))
  const space = createSpaceLadder({ store, clock, log }, env.maxDbMb * 1024 * 1024)
  await space.measure().catch(refuseUnread)

  async function makeRoom(signal: AbortSignal): Promise<void> {
    await forgetOldEvents({ store, clock, log }, { keepMs: days(env.retentionDays) }, signal)
    await space.relieve(signal)
  }
  return { store, ownWork, removed, callRows, secrets, space, hold, disk, cluster, close }
}

// Opens the SQLite file, with what only a file needs: its lock, its ballast, and the disk it can fill.
interface FileInput extends Pick<App, 'clock' | 'log'> {
  env: Readonly<Env>
  observed(store: Store): Store
  makeRoom(signal: AbortSignal): Promise<void>
}

/** Throws `ConfigurationError` when the product must not start with this file. */
async function openFile({ env, clock, log, observed, makeRoom }: FileInput): Promise<OpenedDatabase> {
  await refuseEmptyStart(env, log)
  // A restore checks this lock before it replaces the file.
  const { lock, alone } = lockInUse(env.databaseFile, log)
  if (!alone && env.platform !== 'sandbox') log.warn({ sentence: TWO_ON_A_FILE }, 'database.used_twice')
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
    isShared: async () => !alone,
    disk,
    hold: fileHold({ file: env.databaseFile, marker: quarantineMarker(env.databaseFile) }),
    belongsTo: claimFor(client.sql, env.platform),
    async close() {
      client.close()
      lock?.release()
    },
  }
}

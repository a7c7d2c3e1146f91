// Opens the storage: the database with its observers, the secret box, and the space monitor.
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { missingKeysSentence } from '#app/domain/sealed-places.ts'
import { auditStore } from '#app/features/audit/audited-store.server.ts'
import { forgetOldEvents } from '#app/features/events/delivering/retention.server.ts'
import { missingKeys } from '#app/features/ops/rotate-keys.server.ts'
import { createSpaceLadder } from '#app/features/ops/space.server.ts'
import type { Clock } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import { accountKeyring } from '#db/sql/accounts/account-keys.server.ts'
import { openBallast } from '#db/sqlite/ballast.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { surviveFullDisk } from '#db/sqlite/full-disk.server.ts'
import { claimFor } from '#db/sqlite/platform-kind.server.ts'
import { sqliteStore } from '#db/sql/store.server.ts'
import { ConfigurationError, type Env } from './env.server.ts'
import type { ObservedParts } from './observe/observed-parts.server.ts'
import { createQuarantine } from './quarantine.server.ts'
import { lockInUse, otherPlatformSentence, refuseEmptyStart } from './start-checks.server.ts'

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
  await refuseEmptyStart(env, log)
  // A restore checks this lock before it replaces the file.
  const inUse = lockInUse(env.databaseFile, log)
  const hold = createQuarantine({ clock, log }, env)
  // Before the database: on a full disk, the ballast frees the space to open it.
  const ballast = openBallast(env.databaseFile)
  const client = openClient(env.databaseFile, env.migrationsFolder)
  const close = () => {
    client.close()
    inUse?.release()
  }
  const refuseStart = (sentence: string): never => {
    close()
    throw new ConfigurationError([sentence])
  }
  const belongsTo = claimFor(client.sql, env.platform)
  if (belongsTo !== env.platform) refuseStart(otherPlatformSentence(belongsTo, env))
  const disk = surviveFullDisk({
    store: observed.store(sqliteStore(client, clock)),
    ballast,
    clock,
    log,
    async makeRoom(signal) {
      await forgetOldEvents({ store, clock, log }, { keepMs: days(env.retentionDays) }, signal)
      await space.relieve(signal)
    },
  })
  // Audits people's requests and the product's own work, each under its own name.
  const { store, ownWork, removed } = auditStore({ store: disk.store, clock, log })
  const secrets = createSecretBox(
    env.encKeys,
    accountKeyring(client, () => clock.now()),
  )
  const missing = await missingKeys({ store: store.accounts, secrets })
  if (missing.length > 0) refuseStart(missingKeysSentence(missing))
  const space = createSpaceLadder({ store, clock, log }, env.maxDbMb * 1024 * 1024)
  await space.measure()
  return { store, ownWork, removed, secrets, space, hold, disk, close }
}

// `npm run keys -- --lost <name>`: a key of ENC_KEYS is lost for good. Lets go what only it opened, so that those accounts
// can sign in again. Never done by itself: with the key back, everything would open.

import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import type { Env } from '#app/boot/env.server.ts'
import { SEALED_COLUMNS, sealedPlace } from '#app/domain/sealed-places.ts'
import { plural } from '#app/domain/time/moments.ts'
import { days } from '#app/lib/duration.ts'
import { connectPostgres } from '#db/postgres/client.server.ts'
import { accountKeyStore, lostKeys } from '#db/sql/accounts/account-keys.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import type { AccountKeyStore } from '#db/store/account-keys.ts'
import { openSource, placeIn } from './move.server.ts'

const ALL = 1_000_000
/** ServiceM8 keeps sending to the old addresses: that long we take its events, until the account signs in. */
const ADDRESSES_KEPT = days(30)

/** Returns the exit code. Throws a sentence while Fieldhook runs. */
export async function loseKey(keyId: string, yes: boolean, env: Readonly<Env>, say: (line: string) => void) {
  await (await openSource(placeIn(env, 'DATABASE_URL'), env)).close()
  const client =
    env.databaseServer === null
      ? openClient(env.databaseFile, env.migrationsFolder)
      : connectPostgres(env.databaseServer)
  try {
    // Without the accounts' keys: ENC_KEYS seals, and the product reseals it with a new key of the account.
    const secrets = createSecretBox(env.encKeys)
    const { shut, open } = await trySealed(accountKeyStore(client), secrets, keyId)
    const of = `"${keyId}" sealed the secrets of ${plural(shut.size, 'account')} that ENC_KEYS does not open.`
    say(open > 0 ? `${of} ENC_KEYS opens ${plural(open, 'other secret')} of "${keyId}": they stay.` : of)
    if (shut.size === 0) return 1
    if (!yes) {
      say('These accounts would sign in again, and get new signing secrets. There is no way back.')
      say(`Is the key lost for good? npm run keys -- --lost ${keyId} --yes`)
      return 0
    }
    const lost = lostKeys(client)
    const at = Date.now()
    for (const accountUuid of shut) {
      const seal = (column: (typeof SEALED_COLUMNS)[number], plain: string) =>
        secrets.seal(sealedPlace(column, accountUuid), plain)
      const ids = await lost.endpointsOf(accountUuid)
      const signing = await Promise.all(
        ids.map((id) => seal('signing_secret', newSigningSecret()).then((sealed) => ({ id, sealed }))),
      )
      const [access, refresh] = [await seal('access_token', ''), await seal('refresh_token', '')]
      await lost.letGo({ accountUuid, keyId, access, refresh, at, endsAt: at + ADDRESSES_KEPT }, signing)
    }
    say('Done. Start Fieldhook: each of them signs in again, and gives its receivers the new signing secrets.')
    return 0
  } finally {
    await client.close()
  }
}

/** `shut`: the accounts with something of this key that does not open. */
async function trySealed(store: AccountKeyStore, secrets: SecretBox, keyId: string) {
  const shut = new Set<string>()
  let open = 0
  const look = async (accountUuid: string, work: () => unknown) => {
    try {
      await work()
      open += 1
    } catch {
      shut.add(accountUuid)
    }
  }
  for (const key of await store.accountKeysToRewrap('', '', ALL))
    if (key.sealedWith === keyId) await look(key.accountUuid, () => secrets.rewrap(key.accountUuid, key))
  for (const column of SEALED_COLUMNS)
    for (const { accountUuid, sealed } of await store.secretsToReseal(column, null, ALL))
      if (sealed.startsWith(`v1.${keyId}.`))
        await look(accountUuid, () => secrets.open(sealedPlace(column, accountUuid), sealed))
  return { shut, open }
}

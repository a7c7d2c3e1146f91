// What only the operator can do for accounts: `npm run keys -- --lost <name>` lets go what a lost key of ENC_KEYS sealed, so
// that those accounts can sign in again (never done by itself: with the key back, everything would open); `npm run erase`
// erases an account that nobody else can, such as one that a restore brought back.

import { parseArgs } from 'node:util'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { ConfigurationError, type Env, readEnv } from '#app/boot/env.server.ts'
import { isCharged } from '#app/domain/plan.ts'
import { SEALED_COLUMNS, sealedPlace } from '#app/domain/sealed-places.ts'
import { plural } from '#app/domain/time/moments.ts'
import { ERASED, ERASURE_TEXTS, LAST_EFFECTS_END } from '#app/features/accounts/erasure.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { days } from '#app/lib/duration.ts'
import { connectPostgres } from '#db/postgres/client.server.ts'
import { accountKeyStore, lostKeys } from '#db/sql/accounts/account-keys.server.ts'
import { accountStore } from '#db/sql/accounts/accounts.server.ts'
import { erasureStore } from '#db/sql/accounts/erasure.server.ts'
import { billingStore } from '#db/sql/billing/billing.server.ts'
import { auditStore } from '#db/sql/ops/audit.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { lockShared } from '#db/sqlite/move-side.server.ts'
import type { AccountKeyStore } from '#db/store/account-keys.ts'
import { type CommandInput, explained } from './explained.server.ts'
import { openSource, placeIn } from './move.server.ts'

const ALL = 1_000_000
/** ServiceM8 keeps sending to the old addresses: that long we take its events, until the account signs in. */
const ADDRESSES_KEPT = days(30)

/** `--lost <name> [--yes]` */
export function lostKeyCommand(input: CommandInput): Promise<number> {
  return explained(input, async ({ say }) => {
    const { values } = parseArgs({
      args: input.args,
      options: { lost: { type: 'string', default: '' }, yes: { type: 'boolean', default: false } },
    })
    return loseKey(values.lost, values.yes, input.env ?? readEnv(), say)
  })
}

/** Throws a sentence while Fieldhook runs. */
async function loseKey(keyId: string, yes: boolean, env: Readonly<Env>, say: (line: string) => void) {
  await (await openSource(placeIn(env, 'DATABASE_URL'), env)).close()
  const client = openDatabase(env)
  try {
    // Without the accounts' keys: ENC_KEYS seals, and the product reseals it with a new key of the account.
    const secrets = createSecretBox(env.encKeys)
    const shut = await accountsShutBy(keyId, accountKeyStore(client), secrets)
    say(`"${keyId}" sealed the secrets of ${plural(shut.size, 'account')} that ENC_KEYS does not open.`)
    if (shut.size === 0) return 1
    if (!yes) {
      say('These accounts would sign in again, and get new signing secrets. There is no way back.')
      say('A STOP would then count only for the customer or job it was written about.')
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

/** `<account> [--yes]` */
export function eraseCommand(input: CommandInput): Promise<number> {
  return explained(input, async ({ say }) => {
    const { values, positionals } = parseArgs({
      args: input.args,
      allowPositionals: true,
      options: { yes: { type: 'boolean', default: false } },
    })
    const [account = '', ...more] = positionals
    if (account === '' || more.length > 0)
      throw new ConfigurationError(['Name one account: npm run erase -- <account>'])
    return eraseAccount(account, values.yes, input.env ?? readEnv(), say)
  })
}

/** Also while Fieldhook runs. */
async function eraseAccount(accountUuid: string, yes: boolean, env: Readonly<Env>, say: (line: string) => void) {
  const { databaseFile: file, databaseServer, migrationsFolder } = env
  const lock = databaseServer === null ? lockShared({ file, migrationsFolder }) : null
  const client = openDatabase(env)
  try {
    const account = await accountStore(client, systemClock()).findAccount(accountUuid)
    const plan = await billingStore(client).findPlan(accountUuid)
    const endsIt = isCharged(plan) && endsCharges(plan.subscriptionId, env, say)
    if (!account || !yes) {
      say(
        account
          ? `Erases everything of "${account.name}". There is no way back.`
          : `There is no account ${accountUuid}.`,
      )
      if (account) say(`Is it this one? npm run erase -- ${accountUuid} --yes`)
      return account ? 0 : 1
    }
    const at = Date.now()
    const why = { code: 'account_erased', reason: ERASED, at, removeAt: at + LAST_EFFECTS_END }
    if ((await erasureStore(client).beginErasure(accountUuid, why)) === null) {
      say(ERASURE_TEXTS.underWay)
      return 1
    }
    const by = { actor: 'system', staffUuid: null, outcome: 'done', ip: null } as const
    const told = { action: 'erasure.begun', target: '', detail: { by: 'the operator' } }
    await auditStore(client).appendAudit({ at, accountUuid, ...by, ...told })
    say(`Everything of it has stopped. Within minutes ${endsIt ? 'its subscription ends, and ' : ''}its data goes.`)
    say('On a held copy that waits for the release.')
    return 0
  } finally {
    await client.close()
    lock?.release()
  }
}

/** Nobody reads at Stripe whether it has ended: the sentence asks, and --yes is the answer. */
function endsCharges(subscriptionId: string, { stripe, platform }: Readonly<Env>, say: (line: string) => void) {
  if (stripe !== null || platform === 'sandbox') return true
  say(`Card payments are off. Cancel ${subscriptionId} at Stripe first.`)
  return false
}

function openDatabase({ databaseFile, databaseServer, migrationsFolder }: Readonly<Env>) {
  return databaseServer === null ? openClient(databaseFile, migrationsFolder) : connectPostgres(databaseServer)
}

/** The accounts with something that this key sealed and that does not open. */
async function accountsShutBy(keyId: string, store: AccountKeyStore, secrets: SecretBox): Promise<Set<string>> {
  const shut = new Set<string>()
  const look = async (accountUuid: string, work: () => unknown) => {
    try {
      await work()
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
  return shut
}

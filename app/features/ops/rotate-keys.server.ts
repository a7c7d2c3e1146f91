// After a new key was put first in ENC_KEYS: reseals everything with it, a few rows at a time, while the product runs.
// The rows themselves record the progress, so it continues after an interruption.
import type { App } from '#app/context/app-context.ts'
import { SEALED_COLUMNS, type SealedSecret, sealedPlace } from '#app/domain/sealed-places.ts'
import { hours } from '#app/lib/duration.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { AccountKeyStore, KeyUse, SecretRow, StoredAccountKey, StoredSecret } from '#db/store/account-keys.ts'

type KeyApp = Pick<App, 'clock' | 'log' | 'secrets'> & { store: AccountKeyStore }

const ROWS_PER_STEP = 50
const PAUSE_MS = 20
/** An account's row is created before its key or together with it. */
const NOBODYS_AFTER = hours(1)

interface RotatedKeys {
  rewrapped: number
  resealed: number
  /** Values that do not open: left unchanged. */
  shut: number
}

/** `signal` ends it early; the next turn continues. */
export async function rotateKeys(app: KeyApp, signal?: AbortSignal): Promise<RotatedKeys> {
  const { store, clock, log, secrets } = app
  const inFront = await store.noteFirstKey(secrets.firstKey, clock.now())
  if (inFront) log.info({ name: secrets.firstKey }, 'keys.put_in_front')
  const rotated: RotatedKeys = { rewrapped: 0, resealed: 0, shut: 0 }
  await rewrapAccountKeys(app, rotated, signal)
  for (const secret of SEALED_COLUMNS) await resealSecrets(app, secret, rotated, signal)
  const forgotten = signal?.aborted ? 0 : await store.forgetKeysOfNobody(clock.now() - NOBODYS_AFTER)
  if (rotated.rewrapped > 0 || rotated.resealed > 0 || forgotten > 0) {
    log.info({ name: secrets.firstKey, ...rotated, forgotten }, 'keys.rotated')
  }
  return rotated
}

/** Keys in use that ENC_KEYS does not contain. Checked before anything is served. */
export async function missingKeys({ store, secrets }: Pick<KeyApp, 'store' | 'secrets'>): Promise<KeyUse[]> {
  return (await store.keysInUse()).filter(({ keyId }) => !secrets.keyNames.includes(keyId))
}

/** The key in front opens nothing of what was sealed under its name: it has another content. */
export async function isFirstKeyWrong({ store, secrets }: Pick<KeyApp, 'store' | 'secrets'>): Promise<boolean> {
  // No key has an empty name: these are the first keys of all.
  const keys = await store.accountKeysToRewrap('', '', ROWS_PER_STEP)
  const own = keys.filter(({ sealedWith }) => sealedWith === secrets.firstKey)
  const tried = await Promise.allSettled(own.map(async (key) => secrets.rewrap(key.accountUuid, key)))
  return own.length > 0 && tried.every(({ status }) => status === 'rejected')
}

async function rewrapAccountKeys(app: KeyApp, rotated: RotatedKeys, signal?: AbortSignal): Promise<void> {
  const { store, secrets } = app
  for (let after = ''; !signal?.aborted; ) {
    const keys = await store.accountKeysToRewrap(secrets.firstKey, after, ROWS_PER_STEP)
    for (const key of keys) {
      const wrapped = await tried(app, rotated, { accountUuid: key.accountUuid, what: 'account_key' }, () =>
        secrets.rewrap(key.accountUuid, key),
      )
      if (wrapped && (await store.replaceAccountKey(key.accountUuid, { before: key.keySealed, after: wrapped })))
        rotated.rewrapped += 1
    }
    const last = nextAfter(keys)
    if (!last) return
    after = last.accountUuid
    await pause(app.clock, PAUSE_MS)
  }
}

async function resealSecrets(
  app: KeyApp,
  column: SealedSecret,
  rotated: RotatedKeys,
  signal?: AbortSignal,
): Promise<void> {
  const { store, secrets } = app
  for (let after: SecretRow | null = null; !signal?.aborted; ) {
    const rows: StoredSecret[] = await store.secretsToReseal(column, after, ROWS_PER_STEP)
    for (const { accountUuid, row, sealed } of rows) {
      const fresh = await tried(app, rotated, { accountUuid, what: column }, () =>
        secrets.reseal(sealedPlace(column, accountUuid), sealed),
      )
      // A refresh in between has written a newer value: keep that one.
      if (fresh && (await store.replaceSecret(accountUuid, { column, row, before: sealed, after: fresh })))
        rotated.resealed += 1
    }
    const last = nextAfter(rows)
    if (!last) return
    after = last.row
    await pause(app.clock, PAUSE_MS)
  }
}

/** Reports a value that does not open and skips it, so it does not block the others. */
async function tried<T>(
  { log }: Pick<App, 'log'>,
  rotated: RotatedKeys,
  { accountUuid, what }: { accountUuid: string; what: string },
  work: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    rotated.shut += 1
    log.error({ account: accountUuid, what, error }, 'keys.does_not_open')
    return null
  }
}

/** The last of a full step; null = no more rows. */
function nextAfter<T extends StoredAccountKey | StoredSecret>(rows: readonly T[]): T | null {
  return rows.length < ROWS_PER_STEP ? null : (rows.at(-1) ?? null)
}

// A change of keys on a real database: forwards, interrupted, beside a refresh, with a key that is missing, and what an
// erased account leaves in the file and in a copy of it.
import { randomBytes } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import { missingKeysSentence, SEALED_COLUMNS, sealedPlace } from '#app/domain/sealed-places.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { hours } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { accountKeyring, accountKeyStore } from '#db/sql/accounts/account-keys.server.ts'
import { accountStore } from '#db/sql/accounts/accounts.server.ts'
import { type Client, openClient } from '#db/sqlite/client.server.ts'
import type { AccountKeyStore } from '#db/store/account-keys.ts'
import type { AccountStore } from '#db/store/accounts.ts'
import { aboutTheFile, columnsOf, testApp } from '#tests/support/test-app.server.ts'
import { isFirstKeyWrong, missingKeys, rotateKeys } from './rotate-keys.server.ts'

const newKey = (name: string) => `${name}:${randomBytes(32).toString('base64')}`
const K1 = newKey('k1')
const K2 = newKey('k2')
const LEEDS = '6e3f5d0c-1f6b-4f2c-9f57-20aa5c1d0b01'
const YORK = '6e3f5d0c-1f6b-4f2c-9f57-20aa5c1d0b02'

type Store = AccountStore & AccountKeyStore

let base: ReturnType<typeof testApp>
let client: Client
let store: Store
let logged: { message: string; fields: Record<string, unknown> }[]
const clock = systemClock()

beforeEach(() => {
  base = testApp(clock)
  client = base.client
  store = { ...accountStore(client, clock), ...accountKeyStore(client) }
  logged = []
})

afterEach(() => base.close())

const log: Log = {
  debug() {},
  info: (fields, message) => void logged.push({ message, fields }),
  warn: (fields, message) => void logged.push({ message, fields }),
  error: (fields, message) => void logged.push({ message, fields }),
  child: () => log,
}

function boxWith(...keys: string[]): SecretBox {
  return createSecretBox(keys.join(','), accountKeyring(client, clock.now))
}

function appWith(...keys: string[]) {
  return { store, clock, log, secrets: boxWith(...keys) }
}

/** A row of its own for each secret; `i` keeps what is unique apart. */
async function insertSecrets(box: SecretBox, uuid: string, i = 0): Promise<void> {
  const run = (statement: string, ...values: unknown[]) => client.sql.prepare(statement).run(...values)
  const seal = (column: (typeof SEALED_COLUMNS)[number]) => box.seal(sealedPlace(column, uuid), `${column} of ${uuid}`)
  run(`INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, '', 'UTC', 0, 0)`, uuid)
  run(
    `INSERT INTO credential VALUES (?, ?, ?, 0, '', 'connected', NULL, 1, 0, 0)`,
    uuid,
    await seal('access_token'),
    await seal('refresh_token'),
  )
  run(
    `INSERT INTO subscription (account_uuid, object, fields, token_hash, token_sealed, state, created_at, updated_at)
     VALUES (?, 'job', '', ?, ?, 'active', 0, 0)`,
    uuid,
    `hash ${i}`,
    await seal('subscription_token'),
  )
  run(
    `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, previous_secret_sealed, state,
       state_since, breaker, breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES (?, 'job', '', '', ?, ?, 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
    uuid,
    await seal('signing_secret'),
    await seal('previous_signing_secret'),
  )
  run(
    `INSERT INTO automation (account_uuid, name, active, trigger_source, version, definition, trigger_key_hash,
       trigger_key_sealed, baselined, execution_count, created_at, updated_at)
     VALUES (?, '', 1, 'manual_endpoint', 1, '{}', ?, ?, 1, 0, 0, 0)`,
    uuid,
    `key ${i}`,
    await seal('trigger_key'),
  )
}

/** Every sealed text of an account, column by column. */
function sealedOf(uuid: string, { sql }: Pick<Client, 'sql'> = client): Record<string, string> {
  return sql
    .prepare<[string], Record<string, string>>(
      `SELECT c.access_token_sealed AS access_token, c.refresh_token_sealed AS refresh_token,
         s.token_sealed AS subscription_token, e.secret_sealed AS signing_secret,
         e.previous_secret_sealed AS previous_signing_secret, a.trigger_key_sealed AS trigger_key
       FROM credential c JOIN subscription s USING (account_uuid) JOIN endpoint e USING (account_uuid)
         JOIN automation a USING (account_uuid) WHERE c.account_uuid = ?`,
    )
    .get(uuid) as Record<string, string>
}

function openAll(box: SecretBox, uuid: string, from: Pick<Client, 'sql'> = client): Promise<string[]> {
  const sealed = sealedOf(uuid, from)
  return Promise.all(SEALED_COLUMNS.map((column) => box.open(sealedPlace(column, uuid), sealed[column] ?? '')))
}

const allOf = (uuid: string) => SEALED_COLUMNS.map((column) => `${column} of ${uuid}`)

test('the list of columns names every column that ends in _sealed', () => {
  const sealed = columnsOf(client).flatMap(({ table, column }) =>
    /_sealed$/.test(column) ? [`${table}.${column}`] : [],
  )
  expect(sealed.sort()).toEqual([
    'account_key.key_sealed',
    'automation.trigger_key_sealed',
    'credential.access_token_sealed',
    'credential.refresh_token_sealed',
    'endpoint.previous_secret_sealed',
    'endpoint.secret_sealed',
    // With the key of its account, for two hours: nothing of it is sealed anew.
    'form_draft.form_sealed',
    'subscription.token_sealed',
  ])
})

test('secrets from before accounts had keys are sealed anew, and need only the key of the account', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  expect(await store.keysInUse()).toEqual([{ keyId: 'k1', accountKeys: 0, secrets: 6 }])
  expect(await rotateKeys(appWith(K1))).toEqual({ rewrapped: 0, resealed: 6, shut: 0 })
  for (const sealed of Object.values(sealedOf(LEEDS))) expect(sealed).toMatch(/^v2\./)
  expect(await openAll(boxWith(K1), LEEDS)).toEqual(allOf(LEEDS))
  expect(await store.keysInUse()).toEqual([{ keyId: 'k1', accountKeys: 1, secrets: 0 }])
  expect(await rotateKeys(appWith(K1))).toEqual({ rewrapped: 0, resealed: 0, shut: 0 })
})

test('a new key in front takes over everything, and then the old one is not needed', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  await insertSecrets(boxWith(K1), YORK, 1)
  const secretsOfYork = sealedOf(YORK)
  expect(await rotateKeys(appWith(K2, K1))).toEqual({ rewrapped: 1, resealed: 6, shut: 0 })
  expect(sealedOf(YORK)).toEqual(secretsOfYork)
  expect(await store.keysInUse()).toEqual([{ keyId: 'k2', accountKeys: 2, secrets: 0 }])
  expect(await missingKeys(appWith(K2))).toEqual([])
  expect(await openAll(boxWith(K2), LEEDS)).toEqual(allOf(LEEDS))
  expect(await openAll(boxWith(K2), YORK)).toEqual(allOf(YORK))
  await expect(openAll(boxWith(K1), YORK)).rejects.toThrow('"k2", which ENC_KEYS does not hold')
})

test('back again: the old key in front once more', async () => {
  await insertSecrets(boxWith(K1), LEEDS)
  await rotateKeys(appWith(K2, K1))
  expect(await rotateKeys(appWith(K1, K2))).toMatchObject({ rewrapped: 1 })
  expect(await openAll(boxWith(K1), LEEDS)).toEqual(allOf(LEEDS))
})

test('interrupted half-way it goes on where it was; meanwhile everything opens', async () => {
  const accounts = Array.from({ length: 120 }, (_, i) => `account-${String(i).padStart(3, '0')}`)
  const [oldBox, keyed] = [createSecretBox(K1), boxWith(K1)]
  client.sql.exec('BEGIN')
  for (const [i, uuid] of accounts.entries()) await insertSecrets(i % 2 === 0 ? oldBox : keyed, uuid, i)
  client.sql.exec('COMMIT')
  const stop = new AbortController()
  let written = 0
  const interrupted: Store = {
    ...store,
    async replaceSecret(uuid, input) {
      written += 1
      if (written === 100) stop.abort()
      return store.replaceSecret(uuid, input)
    },
  }
  const first = await rotateKeys({ ...appWith(K2, K1), store: interrupted }, stop.signal)
  expect(first.rewrapped).toBe(60)
  expect(first.resealed).toBeGreaterThanOrEqual(100)
  expect(first.resealed).toBeLessThan(360)
  const both = boxWith(K2, K1)
  for (const uuid of accounts) expect(await openAll(both, uuid)).toEqual(allOf(uuid))
  expect((await missingKeys(appWith(K2)))[0]).toMatchObject({ keyId: 'k1', accountKeys: 0 })

  const second = await rotateKeys(appWith(K2, K1))
  expect(first.resealed + second.resealed).toBe(360)
  expect(second.rewrapped).toBe(0)
  const fresh = boxWith(K2)
  for (const uuid of accounts) expect(await openAll(fresh, uuid)).toEqual(allOf(uuid))
})

test('a process that dies in the middle of a write leaves each row old or new, and both open', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  await insertSecrets(createSecretBox(K1), YORK, 1)
  let left = 5
  const dying: Store = {
    ...store,
    async replaceSecret(uuid, input) {
      if (left === 0) throw new Error('the process is gone')
      left -= 1
      return store.replaceSecret(uuid, input)
    },
  }
  await expect(rotateKeys({ ...appWith(K2, K1), store: dying })).rejects.toThrow('the process is gone')
  expect(await openAll(boxWith(K2, K1), LEEDS)).toEqual(allOf(LEEDS))
  expect(await openAll(boxWith(K2, K1), YORK)).toEqual(allOf(YORK))
  expect(await rotateKeys(appWith(K2, K1))).toMatchObject({ resealed: 7 })
  expect(await openAll(boxWith(K2), YORK)).toEqual(allOf(YORK))
})

test('tokens that were refreshed in the same moment stay the newer ones', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  const box = boxWith(K1)
  const refreshing: Store = {
    ...store,
    async replaceSecret(uuid, input) {
      if (input.column === 'access_token') {
        await store.replaceTokens(uuid, 1, {
          accessTokenSealed: await box.seal(sealedPlace('access_token', uuid), 'fresh access'),
          refreshTokenSealed: await box.seal(sealedPlace('refresh_token', uuid), 'fresh refresh'),
          expiresAt: 1,
          scope: '',
        })
      }
      return store.replaceSecret(uuid, input)
    },
  }
  await rotateKeys({ ...appWith(K1), store: refreshing })
  expect((await openAll(box, LEEDS)).slice(0, 2)).toEqual(['fresh access', 'fresh refresh'])
})

test('sealing anew does not get in the way of a refresh that has begun', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  const before = await store.findCredential(LEEDS)
  await rotateKeys(appWith(K1))
  const tokens = { accessTokenSealed: 'a', refreshTokenSealed: 'r', expiresAt: 1, scope: '' }
  expect(await store.replaceTokens(LEEDS, before?.generation ?? 0, tokens)).toBe('replaced')
})

test('a key that was changed by another process in between stays as that one left it', async () => {
  await insertSecrets(boxWith(K1), LEEDS)
  const [kept] = await store.accountKeysToRewrap('k2', '', 10)
  const after = { sealedWith: 'k2', keySealed: 'somebody else was first' }
  expect(await store.replaceAccountKey(LEEDS, { before: kept?.keySealed ?? '', after })).toBe(true)
  expect(await store.replaceAccountKey(LEEDS, { before: kept?.keySealed ?? '', after })).toBe(false)
})

test('an old key that is taken out too early: said in a sentence, nothing is lost, and everything opens with it again', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  await insertSecrets(boxWith(K1), YORK, 1)
  const before = [sealedOf(LEEDS), sealedOf(YORK)]
  const missing = await missingKeys(appWith(K2))
  expect(missingKeysSentence(missing)).toBe(
    'ENC_KEYS lacks "k1" (it still opens the keys of 1 account and 6 secrets). Put it back behind the first key. Remove it when `npm run keys` says so.',
  )
  // Even if it ran: what does not open is left alone.
  expect(await rotateKeys(appWith(K2))).toEqual({ rewrapped: 0, resealed: 0, shut: 7 })
  expect([sealedOf(LEEDS), sealedOf(YORK)]).toEqual(before)
  const said = logged.filter(({ message }) => message === 'keys.does_not_open')
  expect(said).toHaveLength(7)
  expect(String(said[0]?.fields.error)).toContain('"k1", which ENC_KEYS does not hold')

  expect(await rotateKeys(appWith(K2, K1))).toEqual({ rewrapped: 1, resealed: 6, shut: 0 })
  expect(await openAll(boxWith(K2), LEEDS)).toEqual(allOf(LEEDS))
})

test('another key of the same name in front is noticed; behind, or with one altered row, it is not refused', async () => {
  expect(await isFirstKeyWrong(appWith(K1))).toBe(false)
  await insertSecrets(boxWith(K1), LEEDS)
  await insertSecrets(boxWith(K1), YORK, 1)
  expect(await isFirstKeyWrong(appWith(K1))).toBe(false)
  expect(await isFirstKeyWrong(appWith(newKey('k1')))).toBe(true)
  expect(await isFirstKeyWrong(appWith(K2, newKey('k1')))).toBe(false)
  client.sql.prepare("UPDATE account_key SET key_sealed = key_sealed || 'x' WHERE account_uuid = ?").run(LEEDS)
  expect(await isFirstKeyWrong(appWith(K1))).toBe(false)
})

test('one secret that does not open does not hold up the others', async () => {
  await insertSecrets(createSecretBox(K1), LEEDS)
  await insertSecrets(createSecretBox(K1), YORK, 1)
  client.sql
    .prepare('UPDATE subscription SET token_sealed = ? WHERE account_uuid = ?')
    .run(sealedOf(YORK).subscription_token, LEEDS)
  expect(await rotateKeys(appWith(K1))).toEqual({ rewrapped: 0, resealed: 11, shut: 1 })
})

test('when a key was put in front is noted once, in the trail of what was done', async () => {
  const notes = () =>
    client.sql.prepare(`SELECT target, actor, outcome FROM audit_entry WHERE action = 'keys.put_in_front'`).all()
  await rotateKeys(appWith(K1))
  await rotateKeys(appWith(K1))
  expect(notes()).toEqual([{ target: 'k1', actor: 'system', outcome: 'done' }])
  await rotateKeys(appWith(K2, K1))
  await rotateKeys(appWith(K1, K2))
  expect(notes()).toMatchObject([{ target: 'k1' }, { target: 'k2' }, { target: 'k1' }])
})

test.skipIf(aboutTheFile('bytes of the file'))(
  'an erased account: nothing opens, also not in a copy of the rows that the key was kept apart from',
  async () => {
    const box = boxWith(K1)
    await insertSecrets(box, LEEDS)
    await insertSecrets(box, YORK, 1)
    const sealed = sealedOf(LEEDS)
    const bytes =
      (await store.accountKeysToRewrap('', '', 10)).find((key) => key.accountUuid === LEEDS)?.keySealed ?? ''
    client.sql.pragma('wal_checkpoint(TRUNCATE)')
    const file = client.sql.name
    expect(readFileSync(file).includes(bytes)).toBe(true)

    expect(await store.forgetAccountKey(LEEDS)).toBe(true)
    await expect(box.open(sealedPlace('access_token', LEEDS), sealed.access_token ?? '')).rejects.toThrow(
      'no longer has',
    )
    await expect(boxWith(K1).open(sealedPlace('access_token', LEEDS), sealed.access_token ?? '')).rejects.toThrow(
      'no longer has',
    )
    expect(await openAll(box, YORK)).toEqual(allOf(YORK))
    // Not in the free space of the file, nor in its log.
    for (const one of [file, `${file}-wal`]) expect(readFileSync(one).includes(bytes)).toBe(false)
    expect(await store.forgetAccountKey(LEEDS)).toBe(false)
  },
)

test.skipIf(aboutTheFile('a copy of the file'))(
  'a backup that still holds the key row opens with the key of ENC_KEYS it was made under, and with no other',
  async () => {
    await insertSecrets(boxWith(K1), LEEDS)
    client.sql.pragma('wal_checkpoint(TRUNCATE)')
    const backup = `${client.sql.name}-backup`
    copyFileSync(client.sql.name, backup)

    await rotateKeys(appWith(K2, K1))
    await store.forgetAccountKey(LEEDS)

    const old = openClient(backup, 'db/migrations')
    try {
      const keyring = accountKeyring(old, clock.now)
      // The honest part: whoever has the backup and the old key of ENC_KEYS reads it.
      expect(await openAll(createSecretBox(K1, keyring), LEEDS, old)).toEqual(allOf(LEEDS))
      // The key that is in use after the change does not, and neither does the erased account's row of today.
      await expect(openAll(createSecretBox(K2, keyring), LEEDS, old)).rejects.toThrow(
        '"k1", which ENC_KEYS does not hold',
      )
    } finally {
      old.close()
    }
  },
)

test('two processes make the first key at once: the first writer wins, and both seal with its key', async () => {
  const other = base.open()
  const [here, there] = [accountKeyring(client, clock.now), accountKeyring(other, clock.now)]
  // Both have looked and found none.
  expect([await here.find(LEEDS), await there.find(LEEDS)]).toEqual([null, null])
  const [first, second] = [
    { sealedWith: 'k1', keySealed: 'first' },
    { sealedWith: 'k1', keySealed: 'second' },
  ]
  expect(await here.keep(LEEDS, first)).toEqual(first)
  expect(await there.keep(LEEDS, second)).toEqual(first)
  expect(await Promise.all([here.find(LEEDS), there.find(LEEDS)])).toEqual([first, first])

  const boxes = [here, there].map((keyring) => createSecretBox(K1, keyring))
  const place = sealedPlace('access_token', YORK)
  const sealed = await Promise.all(boxes.map((box) => box.seal(place, 'token')))
  for (const text of sealed) expect(await boxWith(K1).open(place, text)).toBe('token')
  expect(await store.keysInUse()).toEqual([{ keyId: 'k1', accountKeys: 2, secrets: 0 }])
})

test('keys of accounts that are gone are removed, those of a sign-in under way are not', async () => {
  const box = boxWith(K1)
  await insertSecrets(box, LEEDS)
  await box.seal('credential|signing-in|access_token', 'x')
  await rotateKeys(appWith(K1))
  expect(await store.keysInUse()).toEqual([{ keyId: 'k1', accountKeys: 2, secrets: 0 }])
  client.sql.prepare('UPDATE account_key SET created_at = created_at - ?').run(hours(2))
  await rotateKeys(appWith(K1))
  expect(await store.keysInUse()).toEqual([{ keyId: 'k1', accountKeys: 1, secrets: 0 }])
  expect(await openAll(box, LEEDS)).toEqual(allOf(LEEDS))
})

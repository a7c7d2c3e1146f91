import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import {
  type NamedKey,
  openText,
  readSealed,
  type SealedText,
  SecretBoxError,
  sealText,
  unreadable,
} from './sealed-text.server.ts'
import { accountOfPlace, accountOfPurpose, type Keyring, type SealedKey, type SecretBox } from './secret-box.ts'

/** Sealed with a key of `ENC_KEYS`. */
const DIRECT = 'v1'
/** Sealed with an account's key. */
const BY_ACCOUNT = 'v2'
const KEY_BYTES = 32
/** Bytes of an account key's id: eight characters of base64url. */
const KEY_ID_BYTES = 6
/** Account keys kept open in memory. Opening one again costs about 20 µs. */
const MOST_OPENED = 1_000

/**
 * `encKeys` as in `ENC_KEYS`: `k2:<base64 of 32 bytes>,k1:…`. The first key seals, all keys open: to replace a key, put
 * a new one in front. `keyring` = storage of account keys; without it, `ENC_KEYS` seals everything. `opened` = cache of
 * opened keys. Throws a sentence for the operator when a key is missing, short or named twice.
 */
export function createSecretBox(
  encKeys: string,
  keyring: Keyring | null = null,
  opened: OpenedKeys = createOpenedKeys(MOST_OPENED),
): SecretBox {
  const keys = parseKeys(encKeys)
  const first = firstOf(keys)
  const ring = new Map(keys.map(({ id, key }) => [id, key]))
  const hashKeys = keys.map(({ key }) => hashKeyOf(key))
  const withKey = createKeyReader(keyring, opened, openKey)

  function keyOf(id: string): Buffer {
    const key = ring.get(id)
    if (key) return key
    throw new SecretBoxError('unknown_key', `it was sealed with the key "${id}", which ENC_KEYS does not hold`)
  }

  function openKey(accountUuid: string, { keySealed }: SealedKey): Buffer {
    const text = readSealed(keySealed)
    if (text.version !== DIRECT) throw unreadable()
    return Buffer.from(openText(text, keyOf(text.keyId), keyPlace(accountUuid)), 'base64url')
  }

  function wrap(accountUuid: string, key: Buffer): SealedKey {
    const keySealed = sealText(DIRECT, first, keyPlace(accountUuid), key.toString('base64url'))
    return { sealedWith: first.id, keySealed }
  }

  async function sealWithAccount({ find, keep }: Keyring, accountUuid: string, place: string, plain: string) {
    const use = (key: NamedKey | null) => key && sealText(BY_ACCOUNT, key, place, plain)
    const newKey = () => keep(accountUuid, wrap(accountUuid, randomBytes(KEY_BYTES)))
    const sealed =
      (await withKey(accountUuid, () => find(accountUuid), use)) ?? (await withKey(accountUuid, newKey, use))
    if (sealed === null) throw new Error('the key of an account could not be kept')
    return sealed
  }

  function openDirect(place: string, text: SealedText): string {
    if (text.version !== DIRECT) throw unreadable()
    return openText(text, keyOf(text.keyId), place)
  }

  const box: SecretBox = {
    firstKey: first.id,
    keyNames: keys.map(({ id }) => id),
    direct: {
      seal: (place, plain) => sealText(DIRECT, first, nobodys(place), plain),
      open: (place, sealed) => openDirect(nobodys(place), readSealed(sealed)),
    },
    async seal(place, plain) {
      const account = accountOfPlace(place)
      return keyring && account !== null
        ? sealWithAccount(keyring, account, place, plain)
        : sealText(DIRECT, first, place, plain)
    },
    async open(place, sealed) {
      const text = readSealed(sealed)
      const account = accountOfPlace(place)
      if (text.version !== BY_ACCOUNT || !keyring || account === null) return openDirect(place, text)
      const find = () => keyring.find(account)
      return withKey(account, find, (key) => {
        if (key?.id === text.keyId) return openText(text, key.key, place)
        throw new SecretBoxError('unknown_key', 'it was sealed with a key that the account no longer has')
      })
    },
    async fingerprints(purpose, plain) {
      // The length separates purpose and value.
      const bound = `${purpose.length}|${purpose}|${plain}`
      const hash = (key: Buffer) => createHmac('sha256', key).update(bound).digest('base64url')
      const shared = hashKeys.map(hash)
      const account = accountOfPurpose(purpose)
      if (!keyring || account === null) return shared
      const find = () => keyring.find(account)
      return withKey(account, find, (own) => (own ? [hash(hashKeyOf(own.key)), ...shared] : shared))
    },
    rewrap(accountUuid, kept) {
      const key = openKey(accountUuid, kept)
      return kept.sealedWith === first.id && kept.keySealed.startsWith(`${DIRECT}.${first.id}.`)
        ? null
        : wrap(accountUuid, key)
    },
    async reseal(place, sealed) {
      const text = readSealed(sealed)
      const byAccount = keyring !== null && accountOfPlace(place) !== null
      const asToday = byAccount ? text.version === BY_ACCOUNT : text.version === DIRECT && text.keyId === first.id
      return asToday ? null : box.seal(place, await box.open(place, sealed))
    },
  }
  return box
}

type WithKey = <T>(
  accountUuid: string,
  read: () => Promise<SealedKey | null>,
  use: (key: NamedKey | null) => T,
) => Promise<T>

/**
 * Calls `use` with the account's key as `read` finds it; null = it has none. The row is read every time, so a removed
 * key opens nothing any more.
 */
function createKeyReader(
  keyring: Keyring | null,
  opened: OpenedKeys,
  openKey: (accountUuid: string, kept: SealedKey) => Buffer,
): WithKey {
  /** Counts removed keys: a row read while one was removed may be that one's, so it is read again. */
  let removals = 0
  keyring?.onForgotten((accountUuid) => {
    removals += 1
    opened.drop(accountUuid)
  })

  function openedKey(accountUuid: string, kept: SealedKey | null): NamedKey | null {
    if (!kept) {
      opened.drop(accountUuid)
      return null
    }
    const known = opened.find(accountUuid, kept.keySealed)
    if (known) return known
    const key = openKey(accountUuid, kept)
    const account = { id: nameOf(key), key, keySealed: kept.keySealed }
    opened.keep(accountUuid, account)
    return account
  }

  return async (accountUuid, read, use) => {
    for (;;) {
      const before = removals
      const kept = await read()
      // No waiting from here on: a key that leaves the cache is overwritten, and a removed one must not enter it.
      if (removals === before) return use(openedKey(accountUuid, kept))
    }
  }
}

/** The place, if it belongs to no account: a secret of an account must not bypass the account's key. */
function nobodys(place: string): string {
  if (accountOfPlace(place) !== null) throw new Error('a secret of an account is not sealed with ENC_KEYS alone')
  return place
}

/** Binds an account's sealed key to its account: it does not open in another account's row. */
function keyPlace(accountUuid: string): string {
  return `account_key|${accountUuid}|key`
}

/** One use per key: the encryption key never hashes or names itself. */
function hashKeyOf(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'fieldhook fingerprint', KEY_BYTES))
}

/** Identifies an account's key and reveals nothing about it. */
function nameOf(key: Buffer): string {
  const name = createHmac('sha256', key).update('fieldhook key id').digest()
  return name.subarray(0, KEY_ID_BYTES).toString('base64url')
}

function firstOf([first]: NamedKey[]): NamedKey {
  if (!first) throw wrong('holds no key')
  return first
}

function parseKeys(encKeys: string): NamedKey[] {
  const entries = encKeys.split(',').map((entry) => entry.trim())
  const keys = entries.filter((entry) => entry !== '').map(parseKey)
  const ids = keys.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) throw wrong(`names the key "${twice}" twice`)
  return keys
}

function parseKey(entry: string): NamedKey {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? []
  // Do not repeat the entry: it may be a key without its name.
  if (!id || !encoded) throw wrong('must look like k1:<base64 of 32 bytes>, several separated by commas')
  const key = Buffer.from(encoded, 'base64')
  if (key.length !== KEY_BYTES) throw wrong(`has a key "${id}" of ${key.length} bytes instead of ${KEY_BYTES}`)
  return { id, key }
}

function wrong(fault: string): SecretBoxError {
  return new SecretBoxError('wrong_configuration', `ENC_KEYS ${fault}`)
}

interface OpenedKey {
  id: string
  key: Buffer
  /** The sealed text it was stored for: another text in the row means another key. */
  keySealed: string
}

/** Opened account keys in memory: limited in number, and wiped when dropped. */
export interface OpenedKeys {
  /** Null = not cached, or cached for a text other than `keySealed`. */
  find(accountUuid: string, keySealed: string): OpenedKey | null
  /** Drops the oldest key when there are too many. */
  keep(accountUuid: string, opened: OpenedKey): void
  /** Overwrites it too. */
  drop(accountUuid: string): void
  size(): number
}

export function createOpenedKeys(most: number): OpenedKeys {
  const opened = new Map<string, OpenedKey>()

  function drop(accountUuid: string): void {
    opened.get(accountUuid)?.key.fill(0)
    opened.delete(accountUuid)
  }

  return {
    find(accountUuid, keySealed) {
      const known = opened.get(accountUuid)
      return known?.keySealed === keySealed ? known : null
    },
    keep(accountUuid, key) {
      drop(accountUuid)
      opened.set(accountUuid, key)
      const [oldest = ''] = opened.keys()
      if (opened.size > most) drop(oldest)
    },
    drop,
    size: () => opened.size,
  }
}

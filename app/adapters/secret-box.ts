/**
 * Sealing of secrets at rest: AES-256-GCM, bound to the place they stand in. The implementation is `secret-box.server.ts`.
 *
 * A place says where a secret is kept. One of three parts, `credential|<account uuid>|access_token`, is an account's: it is
 * sealed with that account's own key, as `v2.<id of the key>.<iv>.<ct>.<tag>`. Any other (a cookie, a link) is sealed with the
 * first key of `ENC_KEYS`, as `v1.<its name>.<iv>.<ct>.<tag>`.
 */
export interface SecretBox {
  /** Makes the account's key when it has none yet. */
  seal(place: string, plain: string): string
  /** Both formats. Throws when the key is unknown or was forgotten, the text was changed, or it stands in another place. */
  open(place: string, sealed: string): string
  /**
   * What a value is recognised by without being kept: a keyed hash, bound to its purpose. For a purpose of two parts,
   * `customer message|<account uuid>`, the account's own key comes first, so that changing `ENC_KEYS` changes nothing; then one
   * for each key of `ENC_KEYS`. Store the first, look for all of them.
   */
  fingerprints(purpose: string, plain: string): string[]
  /** The name of the key of `ENC_KEYS` that seals. */
  firstKey: string
  /** Every name in `ENC_KEYS`, the first first. */
  keyNames: readonly string[]
  /** The account's key under the first key of `ENC_KEYS`; null = it is already. Throws like `open`. */
  rewrap(accountUuid: string, key: SealedKey): SealedKey | null
  /** The secret as `seal` would write it today; null = it is like that already. Throws like `open`. */
  reseal(place: string, sealed: string): string | null
}

/** An account's key as it is kept. */
export interface SealedKey {
  /** The name of the key in `ENC_KEYS` that sealed it. */
  sealedWith: string
  keySealed: string
}

/** Where keys of accounts are kept. Answers at once, and always what is kept at this moment. */
export interface Keyring {
  find(accountUuid: string): SealedKey | null
  /** Keeps it, unless the account has one by now. */
  keep(accountUuid: string, key: SealedKey): void
  /** `tell` is called when a key was removed, so that it is forgotten here too. */
  onForgotten(tell: (accountUuid: string) => void): void
}

/** Whose a place is; null = no account's. */
export function accountOfPlace(place: string): string | null {
  return /^[^|]+\|([^|]+)\|[^|]+$/.exec(place)?.[1] ?? null
}

/** Whose a purpose is; null = no account's. */
export function accountOfPurpose(purpose: string): string | null {
  return /^[^|]+\|([^|]+)$/.exec(purpose)?.[1] ?? null
}

/**
 * Seals secrets at rest: AES-256-GCM, bound to their place. The implementation is `secret-box.server.ts`.
 *
 * A place says where a secret is stored. A place of three parts, `credential|<account uuid>|access_token`, belongs to
 * an account: it is sealed with the account's own key, as `v2.<id of the key>.<iv>.<ct>.<tag>`. Any other (a cookie, a
 * link) is sealed with the first key of `ENC_KEYS`, as `v1.<its name>.<iv>.<ct>.<tag>`.
 */
export interface SecretBox {
  /** Creates the account's key if it has none yet. */
  seal(place: string, plain: string): string
  /** Opens both formats. Throws when the key is unknown or deleted, the text was changed, or the place differs. */
  open(place: string, sealed: string): string
  /**
   * Keyed hashes that recognise a value without storing it, bound to a purpose. For a two-part purpose,
   * `customer message|<account uuid>`, the hash with the account's own key comes first, so that changing `ENC_KEYS`
   * changes nothing; then one for each key of `ENC_KEYS`. Store the first, look up all of them.
   */
  fingerprints(purpose: string, plain: string): string[]
  /** The name of the sealing key in `ENC_KEYS`. */
  firstKey: string
  /** Every name in `ENC_KEYS`, in order. */
  keyNames: readonly string[]
  /** The account's key resealed with the first key of `ENC_KEYS`; null = it already is. Throws like `open`. */
  rewrap(accountUuid: string, key: SealedKey): SealedKey | null
  /** The secret as `seal` would write it today; null = it already has that form. Throws like `open`. */
  reseal(place: string, sealed: string): string | null
}

/** A stored account key. */
export interface SealedKey {
  /** The name of the key in `ENC_KEYS` that sealed it. */
  sealedWith: string
  keySealed: string
}

/** Stores the accounts' keys. Synchronous, and always returns the current value. */
export interface Keyring {
  find(accountUuid: string): SealedKey | null
  /** Stores the key, unless the account has one by now. */
  keep(accountUuid: string, key: SealedKey): void
  /** Calls `tell` when a key was removed, so that the cache drops it too. */
  onForgotten(tell: (accountUuid: string) => void): void
}

/** The account of a place; null = none. */
export function accountOfPlace(place: string): string | null {
  return /^[^|]+\|([^|]+)\|[^|]+$/.exec(place)?.[1] ?? null
}

/** The account of a purpose; null = none. */
export function accountOfPurpose(purpose: string): string | null {
  return /^[^|]+\|([^|]+)$/.exec(purpose)?.[1] ?? null
}

/**
 * Seals secrets at rest: AES-256-GCM, bound to their place. The implementation is `secret-box.server.ts`.
 *
 * A place says where a secret is stored. A place of three parts, `credential|<account uuid>|access_token`, belongs to
 * an account: it is sealed with the account's own key, as `v2.<id of the key>.<iv>.<ct>.<tag>`. Any other (a cookie, a
 * link) is sealed with the first key of `ENC_KEYS`, as `v1.<its name>.<iv>.<ct>.<tag>`.
 *
 * What may read an account's key is asynchronous and rejects; the rest answers at once and throws.
 */
export interface SecretBox {
  /** Creates the account's key if it has none yet. */
  seal(place: string, plain: string): Promise<string>
  /** Opens both formats. Rejects when the key is unknown or deleted, the text was changed, or the place differs. */
  open(place: string, sealed: string): Promise<string>
  direct: DirectBox
  /**
   * Keyed hashes that recognise a value without storing it, bound to a purpose. For a two-part purpose,
   * `customer message|<account uuid>`, the hash with the account's own key comes first, so that changing `ENC_KEYS`
   * changes nothing; then one for each key of `ENC_KEYS`. Store the first, look up all of them.
   */
  fingerprints(purpose: string, plain: string): Promise<string[]>
  /** The name of the sealing key in `ENC_KEYS`. */
  firstKey: string
  /** Every name in `ENC_KEYS`, in order. */
  keyNames: readonly string[]
  /** The account's key resealed with the first key of `ENC_KEYS`; null = it already is. Throws what `open` rejects with. */
  rewrap(accountUuid: string, key: SealedKey): SealedKey | null
  /** The secret as `seal` would write it today; null = it already has that form. Rejects like `open`. */
  reseal(place: string, sealed: string): Promise<string | null>
}

/** For what belongs to no account. It needs `ENC_KEYS` alone, so it answers at once. Throws for a place of an account. */
interface DirectBox {
  seal(place: string, plain: string): string
  /** Throws when the key is unknown, the text was changed, or the place differs. */
  open(place: string, sealed: string): string
}

/** A stored account key. */
export interface SealedKey {
  /** The name of the key in `ENC_KEYS` that sealed it. */
  sealedWith: string
  keySealed: string
}

/** Stores the accounts' keys. Always returns the current value. */
export interface Keyring {
  find(accountUuid: string): Promise<SealedKey | null>
  /**
   * Stores the key, unless the account has one by now, and returns the one that is stored: of several writers the first
   * wins. Null = none is stored, because it was removed at once.
   */
  keep(accountUuid: string, key: SealedKey): Promise<SealedKey | null>
  /**
   * Calls `tell` after a key was removed: a `find` that begins later no longer returns it. The cache drops it then, and
   * does not trust what was read before.
   */
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

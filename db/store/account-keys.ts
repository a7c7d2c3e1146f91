/** The keys that seal accounts' secrets, and the queries for rotating `ENC_KEYS`. */
import type { Millis } from '#app/lib/clock.ts'

/** An account's key as stored: itself sealed. */
export interface StoredAccountKey {
  accountUuid: string
  /** The name of the `ENC_KEYS` key that sealed it. */
  sealedWith: string
  keySealed: string
}

/** Every column that holds a sealed secret of an account. */
export type SealedColumn =
  | 'access_token'
  | 'refresh_token'
  | 'subscription_token'
  | 'signing_secret'
  | 'previous_signing_secret'
  | 'trigger_key'

/** Names a row of the secret's table, for paging and for writing back. Opaque. */
export type SecretRow = string | number

export interface StoredSecret {
  accountUuid: string
  row: SecretRow
  sealed: string
}

/** What one key of `ENC_KEYS` has sealed. */
export interface KeyUse {
  keyId: string
  accountKeys: number
  /** Secrets it sealed directly, from before accounts had their own keys. */
  secrets: number
}

export interface AccountKeyStore {
  /**
   * Makes everything sealed for the account unreadable. Call it last, after the account's rows are gone: sealing a
   * secret later creates a new key. False = it had no key.
   */
  forgetAccountKey(accountUuid: string): Promise<boolean>

  /** Up to `limit` keys sealed with a key other than `keyId`, of accounts after `afterUuid` ('' = from the first). */
  accountKeysToRewrap(keyId: string, afterUuid: string, limit: number): Promise<StoredAccountKey[]>
  /** Replaces the key that `before` names. False = that key is gone, and nothing was changed. */
  replaceAccountKey(
    accountUuid: string,
    input: { before: string; after: Omit<StoredAccountKey, 'accountUuid'> },
  ): Promise<boolean>
  /** Removes keys created before that moment whose account does not exist (any more). Returns how many. */
  forgetKeysOfNobody(before: Millis): Promise<number>

  /** Up to `limit` secrets of a column, after a row (null = from the first), that an `ENC_KEYS` key sealed directly. */
  secretsToReseal(column: SealedColumn, after: SecretRow | null, limit: number): Promise<StoredSecret[]>
  /** Replaces `before` with `after`. False = the secret was replaced meanwhile, and stays unchanged. */
  replaceSecret(
    accountUuid: string,
    input: { column: SealedColumn; row: SecretRow; before: string; after: string },
  ): Promise<boolean>

  /** The keys of `ENC_KEYS` needed to open the stored secrets. */
  keysInUse(): Promise<KeyUse[]>
  /** Records when a key moved to the front of `ENC_KEYS`, unless the latest record names it. True = recorded now. */
  noteFirstKey(keyId: string, at: Millis): Promise<boolean>
}

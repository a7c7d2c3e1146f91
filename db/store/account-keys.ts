/** The keys that secrets of accounts are sealed with, and what a change of `ENC_KEYS` has to go through. */
import type { Millis } from '#app/lib/clock.ts'

/** An account's key as it is kept: sealed itself. */
export interface StoredAccountKey {
  accountUuid: string
  /** The name of the key in `ENC_KEYS` that sealed it. */
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

export interface StoredSecret {
  accountUuid: string
  /** Its row, for going on and for writing back. */
  row: number
  sealed: string
}

/** What is sealed with one key of `ENC_KEYS`. */
export interface KeyUse {
  keyId: string
  accountKeys: number
  /** Secrets sealed with it directly, as before accounts had keys of their own. */
  secrets: number
}

export interface AccountKeyStore {
  /**
   * Nothing that was sealed for the account can be opened any more. Call it last, after its rows are gone: a secret that is
   * sealed afterwards makes a new key. False = it had none.
   */
  forgetAccountKey(accountUuid: string): Promise<boolean>

  /** Up to `limit` keys that another key than `keyId` sealed, of accounts after `afterUuid` ('' = from the first). */
  accountKeysToRewrap(keyId: string, afterUuid: string, limit: number): Promise<StoredAccountKey[]>
  /** Writes it over the one that `before` names. False = that one is gone, and nothing was changed. */
  replaceAccountKey(
    accountUuid: string,
    input: { before: string; after: Omit<StoredAccountKey, 'accountUuid'> },
  ): Promise<boolean>
  /** Removes keys made before that moment of accounts that do not exist (any more). Answers how many. */
  forgetKeysOfNobody(before: Millis): Promise<number>

  /** Up to `limit` secrets of a column, after a row (0 = from the first), that a key of `ENC_KEYS` sealed directly. */
  secretsToReseal(column: SealedColumn, afterRow: number, limit: number): Promise<StoredSecret[]>
  /** Writes `after` where `before` stands. False = it was replaced meanwhile, and stays as it is. */
  replaceSecret(
    accountUuid: string,
    input: { column: SealedColumn; row: number; before: string; after: string },
  ): Promise<boolean>

  /** Which keys of `ENC_KEYS` are needed to open what is stored. */
  keysInUse(): Promise<KeyUse[]>
  /** Notes when a key first stood in front, unless the latest such note names it. True = it was noted now. */
  noteFirstKey(keyId: string, at: Millis): Promise<boolean>
}

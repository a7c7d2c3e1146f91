// The account id in an address or a body. It selects an account; it proves nothing.

/** Both spellings that the platform's pages use. */
const NAMES = ['accountUUID', 'accountuuid'] as const

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Normalizes an id; null for an invalid one. Uuids become lower case (the platform's format); other external ids keep
 * their case. At most 100 letters, digits and `. _ : -`.
 */
export function readAccountId(raw: unknown): string | null {
  if (typeof raw !== 'string') return null
  const id = raw.trim()
  if (UUID.test(id)) return id.toLowerCase()
  return /^[A-Za-z0-9._:-]{1,100}$/.test(id) ? id : null
}

/** The account an address names, in either spelling; null when there is no valid id. */
export function accountIdIn(params: URLSearchParams): string | null {
  for (const name of NAMES) {
    const id = readAccountId(params.get(name))
    if (id !== null) return id
  }
  return null
}

/** How an id named at sign-in relates to the account that signed in. */
export type NamedAs =
  /** No id, the account's own id, or an id already mapped to it. */
  | 'same'
  /** An unknown id, mapped to this account from now on. */
  | 'new'
  /** The id is another account's own. */
  | 'other_account'
  /** The id is mapped to another account; it is never moved. */
  | 'taken'

/**
 * Decides what an id means for the account `accountUuid`.
 * @param named the id, '' when none was named
 * @param found the id's current state: whether it is an account's own uuid, and the account it is mapped to
 */
export function decideNamedAs(
  named: string,
  accountUuid: string,
  found: { isAccount: boolean; mappedTo: string | null },
): NamedAs {
  if (named === '' || named === accountUuid) return 'same'
  // An account's own uuid always means that account, even if it was mapped elsewhere before the account signed in.
  if (found.isAccount) return 'other_account'
  if (found.mappedTo === null) return 'new'
  return found.mappedTo === accountUuid ? 'same' : 'taken'
}

/** Maximum external ids per account: more cannot come from a person opening the add-on. */
export const MOST_IDS_PER_ACCOUNT = 50

export const ACCOUNT_ID_MESSAGES = {
  required: 'Account UUID is required',
  taken: 'This id already belongs to another account.',
  full: `An account can have at most ${MOST_IDS_PER_ACCOUNT} external ids.`,
} as const

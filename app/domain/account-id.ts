// The id an address or a body names. It selects an account; it proves nothing.

/** Both spellings the platform's pages use. */
const NAMES = ['accountUUID', 'accountuuid'] as const

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Makes one spelling of an id, or null for what cannot be one. Uuids are lower-cased (the platform writes them so);
 * other external ids keep their case. At most 100 letters, digits and `. _ : -`.
 */
export function readAccountId(raw: unknown): string | null {
  if (typeof raw !== 'string') return null
  const id = raw.trim()
  if (UUID.test(id)) return id.toLowerCase()
  return /^[A-Za-z0-9._:-]{1,100}$/.test(id) ? id : null
}

/** The account an address names, in either spelling; null when it names none that could exist. */
export function accountIdIn(params: URLSearchParams): string | null {
  for (const name of NAMES) {
    const id = readAccountId(params.get(name))
    if (id !== null) return id
  }
  return null
}

/** The decision about an id named at sign-in, given whose credentials came back. */
export type NamedAs =
  /** Nothing was named, or the account itself, or an id that leads to it already. */
  | 'same'
  /** An id nobody has: from now on it leads to this account. */
  | 'new'
  /** The id is another account's own. */
  | 'other_account'
  /** The id leads to another account; it is never moved. */
  | 'taken'

/**
 * What an id means for the account `accountUuid`.
 * @param named the id, '' when none was named
 * @param found what the id is at present: an account's own uuid, and where a mapping leads
 */
export function decideNamedAs(
  named: string,
  accountUuid: string,
  found: { isAccount: boolean; mappedTo: string | null },
): NamedAs {
  if (named === '' || named === accountUuid) return 'same'
  // An account's own uuid always means that account, whatever somebody may have mapped it to before it signed in.
  if (found.isAccount) return 'other_account'
  if (found.mappedTo === null) return 'new'
  return found.mappedTo === accountUuid ? 'same' : 'taken'
}

/** One account gets at most this many external ids: more is not a person opening the add-on. */
export const MOST_IDS_PER_ACCOUNT = 50

export const ACCOUNT_ID_MESSAGES = {
  required: 'Account UUID is required',
  taken: 'This id already belongs to another account.',
  full: `An account can have at most ${MOST_IDS_PER_ACCOUNT} external ids.`,
} as const

// Who a browser has proved to be, and for how long that counts.
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { Role } from './people.ts'

/** Without a request for this long a session is over. */
export const SESSION_IDLE = hours(8)
/** Signed in longest, for each account by itself: carrying an account over into a new session does not renew its proof. */
export const SESSION_ABSOLUTE = hours(24)
/** "Last seen" is written at most this often: reading a page must not cost a write. */
export const SESSION_SEEN_EVERY = minutes(1)

export const LAUNCH_TICKET_LASTS = seconds(60)
/** A person reads whose add-on is about to open before they press. */
export const ASKED_TICKET_LASTS = minutes(5)
export const LINK_TICKET_LASTS = minutes(10)
export const SIGN_IN_LASTS = minutes(10)
export const PLACEHOLDER_LASTS = hours(24)

/** How a browser came to act for an account. */
export interface Proof {
  accountUuid: string
  /** Known only when the platform opened the add-on for a person. */
  staffUuid: string | null
  proof: 'oauth' | 'launch'
  provedAt: Millis
}

export interface ProvedAccount extends Proof {
  /** Without a known person: an owner while the account has none by name, else a member. */
  role: Role
}

/** An account as a browser acts for it. `provedAt` is the moment of the proof that says who it is. */
export interface ActingAccount extends ProvedAccount {
  /** The latest proof of this browser for the account, whoever it names: what wants a fresh proof asks for this moment. */
  freshAt: Millis
}

export interface StoredSession {
  tokenHash: string
  createdAt: Millis
  lastSeenAt: Millis
  expiresAt: Millis
  accounts: ProvedAccount[]
}

/** What a request may act for. Empty never occurs: a session without an account is no session. */
export interface Session {
  /** The stored sessions it comes from: a browser may carry one for the tab and one for the frame. */
  tokenHashes: string[]
  accounts: ActingAccount[]
}

export function isAlive(session: StoredSession, now: Millis): boolean {
  return now < session.expiresAt && now < session.lastSeenAt + SESSION_IDLE
}

export function isProofAlive(account: ProvedAccount, now: Millis): boolean {
  return now < account.provedAt + SESSION_ABSOLUTE
}

/**
 * The living part of what was stored, as one session. Of an account the proof that says most tells who it is, and the latest how
 * fresh that is. Null when nothing is left.
 */
export function sessionOf(stored: StoredSession[], now: Millis): Session | null {
  const alive = stored.filter((session) => isAlive(session, now))
  const accounts = new Map<string, ActingAccount>()
  for (const account of alive.flatMap((session) => session.accounts)) {
    if (!isProofAlive(account, now)) continue
    const known = accounts.get(account.accountUuid)
    const freshAt = Math.max(account.provedAt, known?.freshAt ?? 0)
    const who = !known || saysMore(account, known) ? account : known
    accounts.set(account.accountUuid, { ...who, freshAt })
  }
  if (accounts.size === 0) return null
  return { tokenHashes: alive.map((session) => session.tokenHash), accounts: [...accounts.values()] }
}

/**
 * An opening that names a person counts before a sign-in that names nobody, also before a later one: connecting again must not
 * make an owner a member. Of two of a kind the later counts.
 */
export function saysMore(one: Proof, other: Proof): boolean {
  const named = one.staffUuid !== null
  return named === (other.staffUuid !== null) ? one.provedAt > other.provedAt : named
}

/** The list names whole accounts (`account`) or one person of them (`account:staff`). */
export function isListedAdmin(
  adminAccounts: ReadonlySet<string>,
  { accountUuid, staffUuid }: Pick<Proof, 'accountUuid' | 'staffUuid'>,
): boolean {
  return adminAccounts.has(accountUuid) || (staffUuid !== null && adminAccounts.has(`${accountUuid}:${staffUuid}`))
}

/** The role needs both: an account on the list of the configuration, and a request that asks for it. */
export function actsAsAdmin(
  adminAccounts: ReadonlySet<string>,
  { accountUuid, staffUuid }: Pick<Proof, 'accountUuid' | 'staffUuid'>,
  asked: { query: URLSearchParams; header: string | null },
): boolean {
  if (!isListedAdmin(adminAccounts, { accountUuid, staffUuid })) return false
  return asked.query.get('admin') === 'yes' || asked.header?.trim().toLowerCase() === 'true'
}

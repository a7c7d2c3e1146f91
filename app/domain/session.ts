// The accounts a browser has proven access to, and how long the proof is valid.
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { Role } from './people.ts'

/** A session without requests for this long expires. */
export const SESSION_IDLE = hours(8)
/** Maximum age of a sign-in, per account: carrying an account over into a new session does not renew its proof. */
export const SESSION_ABSOLUTE = hours(24)
/** Minimum time between "last seen" writes, so reading a page rarely costs a write. */
export const SESSION_SEEN_EVERY = minutes(1)

export const LAUNCH_TICKET_LASTS = seconds(60)
/** Long enough for a person to read whose add-on is about to open before clicking. */
export const ASKED_TICKET_LASTS = minutes(5)
export const LINK_TICKET_LASTS = minutes(10)
export const SIGN_IN_LASTS = minutes(10)
export const PLACEHOLDER_LASTS = hours(24)

/** The proof that lets a browser act for an account. */
export interface Proof {
  accountUuid: string
  /** Set only when the platform opened the add-on for a person. */
  staffUuid: string | null
  proof: 'oauth' | 'launch'
  provedAt: Millis
}

export interface ProvedAccount extends Proof {
  /** Without a known person: owner while the account has no named owner, otherwise member. */
  role: Role
}

/** An account a browser may act for. `provedAt` is the time of the proof that identifies the person. */
export interface ActingAccount extends ProvedAccount {
  /** The browser's latest proof for the account, for any person; actions that need a fresh proof check this time. */
  freshAt: Millis
}

export interface StoredSession {
  tokenHash: string
  createdAt: Millis
  lastSeenAt: Millis
  expiresAt: Millis
  accounts: ProvedAccount[]
}

/** The accounts a request may act for. Never empty: a session without accounts does not exist. */
export interface Session {
  /** The stored sessions behind it: a browser may have one for the tab and one for the frame. */
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
 * Merges the unexpired stored sessions into one. Per account, the most specific proof identifies the person, and the
 * latest one sets the freshness. Null when all have expired.
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
 * A signed opening that names a person beats a sign-in that does not, even a later one: reconnecting must not turn an
 * owner into a member. Of two proofs of the same kind, the later wins.
 */
export function saysMore(one: Proof, other: Proof): boolean {
  const named = one.staffUuid !== null
  return named === (other.staffUuid !== null) ? one.provedAt > other.provedAt : named
}

/** The list names whole accounts (`account`) or one person of an account (`account:staff`). */
export function isListedAdmin(
  adminAccounts: ReadonlySet<string>,
  { accountUuid, staffUuid }: Pick<Proof, 'accountUuid' | 'staffUuid'>,
): boolean {
  return adminAccounts.has(accountUuid) || (staffUuid !== null && adminAccounts.has(`${accountUuid}:${staffUuid}`))
}

/** Admin access needs both: an account on the configured list, and a request that asks for the role. */
export function actsAsAdmin(
  adminAccounts: ReadonlySet<string>,
  { accountUuid, staffUuid }: Pick<Proof, 'accountUuid' | 'staffUuid'>,
  asked: { query: URLSearchParams; header: string | null },
): boolean {
  if (!isListedAdmin(adminAccounts, { accountUuid, staffUuid })) return false
  return asked.query.get('admin') === 'yes' || asked.header?.trim().toLowerCase() === 'true'
}

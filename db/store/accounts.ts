import type { NamedAs } from '#app/domain/account-id.ts'
import type { Person, Role } from '#app/domain/people.ts'
import type { Proof, StoredSession } from '#app/domain/session.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface AccountRow {
  uuid: string
  /** '' until the first sign-in: a signed opening proves the account but does not name it. */
  name: string
  timezone: string
}

export interface CredentialRow extends SealedTokens {
  accountUuid: string
  state: 'connected' | 'reconnect'
  /** `reconnect`: why. `connected`: permissions ServiceM8 refused since the sign-in, space separated; null = none. */
  stateReason: string | null
  /** Increases with every replacement; a writer passes the one it read. */
  generation: number
  /** When the account was first connected, and when its tokens were last replaced. */
  createdAt: Millis
  updatedAt: Millis
}

/** Tokens as they are stored: sealed by the caller. */
export interface SealedTokens {
  accessTokenSealed: string
  refreshTokenSealed: string
  expiresAt: Millis
  scope: string
}

/** Decides the current meaning of an id. Called inside the transaction. */
export type DecideNamedAs = (
  named: string,
  accountUuid: string,
  found: { isAccount: boolean; mappedTo: string | null },
) => NamedAs

/** A browser's new session. Ends the sessions in `replaces` in the same transaction and carries over their accounts. */
export interface NewSession {
  tokenHash: string
  expiresAt: Millis
  account: Proof
  replaces: string[]
  /** Proofs older than this are not carried over. */
  carryProofsSince: Millis
}

export interface SignIn {
  account: AccountRow
  tokens: SealedTokens
  /** '' = the address named no account. */
  named: string
  session: NewSession
}

interface TicketRow {
  accountUuid: string
  staffUuid: string | null
}

export type MappedId = 'mapped' | 'same' | 'taken' | 'full'

/** Accounts, their credentials, the ids that map to them, sessions, sign-in attempts and one-time tickets. */
export interface AccountStore {
  findAccount(accountUuid: string): Promise<AccountRow | null>
  /** Resolves any id to the account's uuid: an account's own uuid resolves to itself, other ids use the mapping. */
  resolveAccountId(id: string): Promise<string | null>
  /** Creates the row if it is missing; never changes an existing one. */
  ensureAccount(account: AccountRow): Promise<void>
  /** Updates name and zone from the platform. */
  describeAccount(account: AccountRow): Promise<void>

  findCredential(accountUuid: string): Promise<CredentialRow | null>
  /** Stores new tokens that do not come from a refresh: the account is connected, with the next generation. */
  saveCredential(accountUuid: string, tokens: SealedTokens): Promise<void>
  /** Stores refreshed tokens, only if no one has replaced the tokens since `generation` was read. */
  replaceTokens(
    accountUuid: string,
    generation: number,
    tokens: SealedTokens,
  ): Promise<'replaced' | 'changed_meanwhile'>
  /** Marks that the refresh token is dead and the account must sign in again. Same guard. */
  markReconnect(accountUuid: string, generation: number, reason: string): Promise<'marked' | 'changed_meanwhile'>
  /** Notes that ServiceM8 refused a call for this missing permission. Kept until the next sign-in; at most 20. Same guard. */
  noteRefusedScope(accountUuid: string, generation: number, scope: string): Promise<void>
  /** Connected accounts whose tokens were last replaced before that moment. */
  accountsIdleSince(moment: Millis): Promise<string[]>

  /** Maps an external id to the account. Never moves one mapped to another account; at most `limit` per account. */
  mapAccountId(externalId: string, accountUuid: string, limit: number, decide: DecideNamedAs): Promise<MappedId>
  /** Remembers that someone opened the add-on with this unknown id. At most 10,000 at a time; more are dropped. */
  markPlaceholder(externalId: string, expiresAt: Millis): Promise<void>
  /** When the marker expires; null when there is none. */
  findPlaceholder(externalId: string): Promise<Millis | null>

  /** At most 10,000 are kept; the oldest are dropped. */
  beginSignIn(attempt: { stateHash: string; externalId: string; expiresAt: Millis }): Promise<void>
  /** Consumes the attempt: of several callers with the same state, only one gets `taken`. */
  takeSignIn(
    stateHash: string,
  ): Promise<{ outcome: 'taken' | 'used' | 'expired'; externalId: string } | { outcome: 'unknown' }>
  /** Stores account, tokens, mapping and session in one transaction. Writes nothing when the id is taken. */
  completeSignIn(input: SignIn, decide: DecideNamedAs): Promise<NamedAs>

  openSession(session: NewSession): Promise<void>
  findSessions(tokenHashes: string[]): Promise<StoredSession[]>
  touchSession(tokenHash: string): Promise<void>
  endSessions(tokenHashes: string[]): Promise<void>
  /** All sessions with access to the account, including expired ones; lists only this account. Latest seen first. */
  listSessions(accountUuid: string): Promise<StoredSession[]>
  /**
   * Revokes these sessions' access to the account (null = all sessions), and tickets that could open a session; their
   * access to other accounts stays. Returns how many.
   */
  endSessionsOf(accountUuid: string, tokenHashes: string[] | null): Promise<number>

  /** Adds a person who opened the add-on as a member; an account's first person is its owner. Returns the role. */
  admitPerson(accountUuid: string, staffUuid: string): Promise<Role>
  /** In the order they were added. */
  listPeople(accountUuid: string): Promise<Person[]>
  /** The last owner cannot lose the role. */
  changeRole(accountUuid: string, staffUuid: string, role: Role): Promise<'changed' | 'same' | 'last_owner' | 'unknown'>

  issueTicket(ticket: TicketRow & { tokenHash: string; kind: 'launch' | 'link'; expiresAt: Millis }): Promise<void>
  /** Consumes a ticket; null when it is unknown, used or expired. */
  takeTicket(kind: 'launch', tokenHash: string): Promise<TicketRow | null>
  /** Reads the ticket without consuming it. */
  findTicket(kind: 'link', tokenHash: string): Promise<TicketRow | null>
  /** Consumes a link ticket to map an external id to its account. A refused mapping leaves the ticket unused. */
  linkWithTicket(
    tokenHash: string,
    externalId: string,
    limit: number,
    decide: DecideNamedAs,
  ): Promise<{ outcome: MappedId; accountUuid: string } | { outcome: 'unknown' }>
  /** Remembers a signed text until it expires. */
  rememberSigned(signed: TicketRow & { tokenHash: string; expiresAt: Millis }): Promise<'first_time' | 'seen_before'>

  /** Deletes what has expired: sessions idle since `idleSince` or past their end, attempts, tickets, markers. */
  forgetExpired(idleSince: Millis): Promise<number>
}

import type { NamedAs } from '#app/domain/account-id.ts'
import type { Person, Role } from '#app/domain/people.ts'
import type { Proof, StoredSession } from '#app/domain/session.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface AccountRow {
  uuid: string
  /** '' until somebody signed in: a signed opening proves the account but does not name it. */
  name: string
  timezone: string
}

export interface CredentialRow {
  accountUuid: string
  accessTokenSealed: string
  refreshTokenSealed: string
  expiresAt: Millis
  scope: string
  state: 'connected' | 'reconnect'
  /** `reconnect`: why. `connected`: the permissions ServiceM8 has refused since the sign-in, space separated; null = none. */
  stateReason: string | null
  /** Grows with every replacement; a writer names the one it read. */
  generation: number
  /** When it was first connected, and when its tokens were last replaced. */
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

/** What an id is at present, for `decideNamedAs`. Called inside the transaction. */
export type DecideNamedAs = (
  named: string,
  accountUuid: string,
  found: { isAccount: boolean; mappedTo: string | null },
) => NamedAs

/** A browser's new session. Those in `replaces` end in the same moment; the accounts they proved are carried over. */
export interface NewSession {
  tokenHash: string
  expiresAt: Millis
  account: Proof
  replaces: string[]
  /** Proofs older than this are not carried over. */
  carryProofsSince: Millis
}

interface TicketRow {
  accountUuid: string
  staffUuid: string | null
}

export type MappedId = 'mapped' | 'same' | 'taken' | 'full'

/** Accounts, their credentials, the ids that lead to them, sessions, sign-in attempts and one-time tickets. */
export interface AccountStore {
  findAccount(accountUuid: string): Promise<AccountRow | null>
  /** From any id to the account's uuid: an account's own uuid means itself, else the mapping decides. */
  resolveAccountId(id: string): Promise<string | null>
  /** Makes the row unless it is there; changes nothing otherwise. */
  ensureAccount(account: AccountRow): Promise<void>
  /** Name and zone as the platform has them now. */
  describeAccount(account: AccountRow): Promise<void>

  findCredential(accountUuid: string): Promise<CredentialRow | null>
  /** New tokens from outside a refresh: connected again, next generation. */
  saveCredential(accountUuid: string, tokens: SealedTokens): Promise<void>
  /** After a refresh. Only when nobody replaced the tokens since `generation` was read. */
  replaceTokens(
    accountUuid: string,
    generation: number,
    tokens: SealedTokens,
  ): Promise<'replaced' | 'changed_meanwhile'>
  /** The refresh token is dead: the account has to sign in again. Same guard. */
  markReconnect(accountUuid: string, generation: number, reason: string): Promise<'marked' | 'changed_meanwhile'>
  /** ServiceM8 refused a call for want of this permission. Kept until the next sign-in; at most 20 names. */
  noteRefusedScope(accountUuid: string, scope: string): Promise<void>
  /** Connected accounts whose tokens were last replaced before that moment. */
  accountsIdleSince(moment: Millis): Promise<string[]>

  /** Lets an external id lead to the account. Never moves one that leads elsewhere; at most `limit` per account. */
  mapAccountId(externalId: string, accountUuid: string, limit: number, decide: DecideNamedAs): Promise<MappedId>
  /** Remembers that somebody opened the add-on with this unknown id. At most 10,000 at a time; more are dropped. */
  markPlaceholder(externalId: string, expiresAt: Millis): Promise<void>
  /** When the marker ends; null when there is none. */
  findPlaceholder(externalId: string): Promise<Millis | null>

  beginSignIn(attempt: { stateHash: string; externalId: string; expiresAt: Millis }): Promise<void>
  /** Uses the attempt up: of several callers with the same state one gets `taken`. */
  takeSignIn(
    stateHash: string,
  ): Promise<{ outcome: 'taken' | 'used' | 'expired'; externalId: string } | { outcome: 'unknown' }>
  /**
   * Account, tokens, mapping and session in one act. Nothing is written when the id is taken.
   * `named` '' = the address named no account.
   */
  completeSignIn(
    input: { account: AccountRow; tokens: SealedTokens; named: string; session: NewSession },
    decide: DecideNamedAs,
  ): Promise<NamedAs>

  openSession(session: NewSession): Promise<void>
  findSessions(tokenHashes: string[]): Promise<StoredSession[]>
  touchSession(tokenHash: string): Promise<void>
  endSessions(tokenHashes: string[]): Promise<void>
  /** Every session that has proved the account, over ones included; with this one account only. Latest seen first. */
  listSessions(accountUuid: string): Promise<StoredSession[]>
  /**
   * These sessions (null = all) can do nothing for this account any more, nor can tickets that could open one; what they proved
   * of other accounts stays. Answers how many it were.
   */
  endSessionsOf(accountUuid: string, tokenHashes: string[] | null): Promise<number>

  /** Somebody opened the add-on: new people are members, the first of an account is its owner. Answers their role. */
  admitPerson(accountUuid: string, staffUuid: string): Promise<Role>
  /** In the order in which they came. */
  listPeople(accountUuid: string): Promise<Person[]>
  /** The last owner stays one. */
  changeRole(accountUuid: string, staffUuid: string, role: Role): Promise<'changed' | 'same' | 'last_owner' | 'unknown'>

  issueTicket(ticket: TicketRow & { tokenHash: string; kind: 'launch' | 'link'; expiresAt: Millis }): Promise<void>
  /** Uses a ticket up; null when it is unknown, used or over. */
  takeTicket(kind: 'launch', tokenHash: string): Promise<TicketRow | null>
  /** Looks without using. */
  findTicket(kind: 'link', tokenHash: string): Promise<TicketRow | null>
  /** Uses a link ticket to let an external id lead to its account. A refused mapping leaves the ticket unused. */
  linkWithTicket(
    tokenHash: string,
    externalId: string,
    limit: number,
    decide: DecideNamedAs,
  ): Promise<{ outcome: MappedId; accountUuid: string } | { outcome: 'unknown' }>
  /** Remembers a signed text until it is worthless. */
  rememberSigned(signed: TicketRow & { tokenHash: string; expiresAt: Millis }): Promise<'first_time' | 'seen_before'>

  /** Deletes what is over: sessions idle since `idleSince` or past their end, attempts, tickets, markers. */
  forgetExpired(idleSince: Millis): Promise<number>
}

// Sign-in attempts, sessions and one-time tickets: the proofs of browsers and signed calls.
import { and, asc, count, desc, eq, gt, inArray, isNull, lte, notExists, or, sql } from 'drizzle-orm'
import type { Proof, ProvedAccount, StoredSession } from '#app/domain/session.ts'
import type { Clock } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { completeSignIn, linkWithTicket, type TicketRows } from '../../acts.ts'
import { change, many, type Orm, one } from '../../orm.ts'
import { formDraft, placeholderMarker, session, sessionAccount, signInAttempt, ticket } from '../../schema.ts'
import type { AccountStore, NewSession } from '../../store/accounts.ts'
import type { Connections } from '../connections.ts'
import { roleFor } from './accounts-people.server.ts'
import { idRows, putAccount, putTokens } from './accounts-rows.server.ts'

/** An expired attempt is kept a little longer, so a late return gets the right message. */
const ATTEMPT_KEPT = hours(1)
/** Anyone can begin one. The oldest make room, so that whoever signs in meanwhile still can. */
const MOST_ATTEMPTS = 10_000

export function sessionStore(connections: Connections, clock: Clock) {
  return { ...signIns(connections, clock), ...sessions(connections, clock), ...tickets(connections, clock) }
}

function signIns({ db, orm }: Connections, clock: Clock) {
  const rows: Parameters<typeof completeSignIn>[0] = {
    ...idRows(orm, clock),
    *storeSignIn({ account, tokens, session }) {
      const now = clock.now()
      yield* putAccount(orm, account, now)
      yield* putTokens(orm, account.uuid, tokens, now)
      yield* putSession(orm, session, now)
    },
  }
  return {
    beginSignIn: db.write(function* ({ stateHash, externalId, expiresAt }) {
      const held = yield* one(orm.select({ n: count() }).from(signInAttempt))
      if ((held?.n ?? 0) >= MOST_ATTEMPTS) {
        const begun = orm.select({ hash: signInAttempt.stateHash }).from(signInAttempt)
        const oldest = begun.orderBy(asc(signInAttempt.createdAt)).limit(MOST_ATTEMPTS / 10)
        yield* change(orm.delete(signInAttempt).where(inArray(signInAttempt.stateHash, oldest)))
      }
      yield* change(orm.insert(signInAttempt).values({ stateHash, externalId, createdAt: clock.now(), expiresAt }))
    }),

    takeSignIn: db.write(function* (stateHash) {
      const now = clock.now()
      const mine = eq(signInAttempt.stateHash, stateHash)
      const columns = { externalId: signInAttempt.externalId, usedAt: signInAttempt.usedAt }
      // One statement, so only one of two callers with the same state finds it unused.
      const live = and(mine, isNull(signInAttempt.usedAt), gt(signInAttempt.expiresAt, now))
      const taken = yield* one(orm.update(signInAttempt).set({ usedAt: now }).where(live).returning(columns))
      if (taken) return { outcome: 'taken', externalId: taken.externalId }
      const held = yield* one(orm.select(columns).from(signInAttempt).where(mine))
      if (!held) return { outcome: 'unknown' }
      return { outcome: held.usedAt === null ? 'expired' : 'used', externalId: held.externalId }
    }),

    completeSignIn: db.write((input, decide) => completeSignIn(rows, input, decide)),

    forgetExpired: db.write(function* (idleSince) {
      const now = clock.now()
      const over = or(lte(session.expiresAt, now), lte(session.lastSeenAt, idleSince))
      const deletions = [
        orm.delete(session).where(over),
        orm.delete(signInAttempt).where(lte(signInAttempt.expiresAt, now - ATTEMPT_KEPT)),
        orm.delete(ticket).where(lte(ticket.expiresAt, now)),
        orm.delete(placeholderMarker).where(lte(placeholderMarker.expiresAt, now)),
        orm.delete(formDraft).where(lte(formDraft.expiresAt, now)),
      ]
      let forgotten = 0
      for (const deletion of deletions) forgotten += (yield* change(deletion)).changes
      return forgotten
    }),
  } satisfies Partial<AccountStore>
}

function sessions({ db, orm }: Connections, clock: Clock) {
  const sameToken = eq(sessionAccount.tokenHash, session.tokenHash)
  const withAccounts = () => orm.select().from(session).innerJoin(sessionAccount, sameToken)
  function* provedBy(row: typeof sessionAccount.$inferSelect): Generator<unknown, ProvedAccount> {
    const { accountUuid, staffUuid, proof, provedAt } = row
    const role = yield* roleFor(orm, accountUuid, staffUuid)
    return { accountUuid, staffUuid, proof: proof as Proof['proof'], provedAt, role }
  }

  return {
    openSession: db.write((opened) => putSession(orm, opened, clock.now())),

    findSessions: db.read(function* (tokenHashes) {
      if (tokenHashes.length === 0) return []
      const these = withAccounts().where(inArray(session.tokenHash, tokenHashes))
      const rows = yield* many(these.orderBy(asc(session.tokenHash), asc(sessionAccount.accountUuid)))
      const found = new Map<string, StoredSession>()
      for (const row of rows) {
        const stored = found.get(row.session.tokenHash) ?? { ...row.session, accounts: [] }
        stored.accounts.push(yield* provedBy(row.session_account))
        found.set(stored.tokenHash, stored)
      }
      return [...found.values()]
    }),

    touchSession: db.write(function* (tokenHash) {
      yield* change(orm.update(session).set({ lastSeenAt: clock.now() }).where(eq(session.tokenHash, tokenHash)))
    }),

    endSessions: db.write(function* (tokenHashes) {
      if (tokenHashes.length > 0) yield* change(orm.delete(session).where(inArray(session.tokenHash, tokenHashes)))
    }),

    listSessions: db.read(function* (accountUuid) {
      const mine = withAccounts().where(eq(sessionAccount.accountUuid, accountUuid))
      const rows = yield* many(mine.orderBy(desc(session.lastSeenAt)))
      const found: StoredSession[] = []
      for (const row of rows) found.push({ ...row.session, accounts: [yield* provedBy(row.session_account)] })
      return found
    }),

    endSessionsOf: db.write(function* (accountUuid, tokenHashes) {
      const ofAccount = eq(sessionAccount.accountUuid, accountUuid)
      const these = tokenHashes === null ? ofAccount : and(ofAccount, inArray(sessionAccount.tokenHash, tokenHashes))
      const ended = yield* change(orm.delete(sessionAccount).where(these))
      const left = orm.select({ one: sql`1` }).from(sessionAccount).where(sameToken)
      yield* change(orm.delete(session).where(notExists(left)))
      if (tokenHashes === null) {
        const opening = inArray(ticket.kind, ['launch', 'link'])
        yield* change(orm.delete(ticket).where(and(eq(ticket.accountUuid, accountUuid), opening)))
      }
      return ended.changes
    }),
  } satisfies Partial<AccountStore>
}

function tickets({ db, orm }: Connections, clock: Clock) {
  const ids = idRows(orm, clock)
  const columns = { accountUuid: ticket.accountUuid, staffUuid: ticket.staffUuid }

  type Live = ReturnType<typeof liveTicket>
  function* find(live: Live) {
    return (yield* one(orm.select(columns).from(ticket).where(live))) ?? null
  }
  function* take(live: Live) {
    return (yield* one(orm.update(ticket).set({ usedAt: clock.now() }).where(live).returning(columns))) ?? null
  }
  function liveTicket(kind: 'launch' | 'link', tokenHash: string) {
    return and(
      eq(ticket.tokenHash, tokenHash),
      eq(ticket.kind, kind),
      isNull(ticket.usedAt),
      gt(ticket.expiresAt, clock.now()),
    )
  }

  return {
    issueTicket: db.write(function* (issued) {
      yield* change(orm.insert(ticket).values(issued))
    }),

    takeTicket: db.write((kind, tokenHash) => take(liveTicket(kind, tokenHash))),

    findTicket: db.read((kind, tokenHash) => find(liveTicket(kind, tokenHash))),

    linkWithTicket: db.write((tokenHash, externalId, limit, decide) => {
      const live = liveTicket('link', tokenHash)
      const rows: TicketRows = {
        ...ids,
        findTicket: () => find(live),
        *useTicket() {
          yield* take(live)
        },
      }
      return linkWithTicket(rows, externalId, limit, decide)
    }),

    rememberSigned: db.write(function* (signed) {
      const used = { ...signed, kind: 'jwt', usedAt: clock.now() }
      const remembered = yield* change(orm.insert(ticket).values(used).onConflictDoNothing())
      return remembered.changes > 0 ? 'first_time' : 'seen_before'
    }),
  } satisfies Partial<AccountStore>
}

/**
 * Stores the new session with its account and those it takes over; ends the replaced ones. Its own account gets the new
 * proof: sign-ins and openings use separate cookies, so no sign-in replaces a session that names a person.
 */
function* putSession(orm: Orm, opened: NewSession, now: number): Generator<unknown, void> {
  const { tokenHash, expiresAt, account, replaces, carryProofsSince } = opened
  const replaced = inArray(sessionAccount.tokenHash, replaces)
  const goesOn = and(replaced, gt(sessionAccount.provedAt, carryProofsSince))
  const carried = replaces.length === 0 ? [] : yield* many(orm.select().from(sessionAccount).where(goesOn))
  yield* change(orm.insert(session).values({ tokenHash, createdAt: now, lastSeenAt: now, expiresAt }))
  yield* change(orm.insert(sessionAccount).values({ tokenHash, ...account }))
  for (const other of carried) {
    const kept = { ...other, tokenHash }
    yield* change(orm.insert(sessionAccount).values(kept).onConflictDoNothing())
  }
  if (replaces.length > 0) yield* change(orm.delete(session).where(inArray(session.tokenHash, replaces)))
}

// Sign-in attempts, sessions and one-time tickets: the proofs of browsers and signed calls.
import { and, desc, eq, gt, inArray, isNull, lte, notExists, or, sql } from 'drizzle-orm'
import type { Proof, ProvedAccount, StoredSession } from '#app/domain/session.ts'
import type { Clock } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { completeSignIn, linkWithTicket, type TicketRows } from '../../acts.ts'
import { placeholderMarker, session, sessionAccount, signInAttempt, ticket } from '../../schema.ts'
import type { AccountStore, NewSession } from '../../store/accounts.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { done, finish } from '../hot/step.server.ts'
import { roleFor } from './accounts-people.server.ts'
import { idRows, putAccount, putTokens, type Writer } from './accounts-rows.server.ts'

/** An expired attempt is kept a little longer, so a late return gets the right message. */
const ATTEMPT_KEPT = hours(1)

type SignIns = Pick<AccountStore, 'beginSignIn' | 'takeSignIn' | 'completeSignIn' | 'forgetExpired'>
type Sessions = Pick<
  AccountStore,
  'openSession' | 'findSessions' | 'touchSession' | 'endSessions' | 'listSessions' | 'endSessionsOf'
>
type Tickets = Pick<AccountStore, 'issueTicket' | 'takeTicket' | 'findTicket' | 'linkWithTicket' | 'rememberSigned'>

export function sessionStore(client: Client, clock: Clock): SignIns & Sessions & Tickets {
  return { ...signIns(client, clock), ...sessions(client, clock), ...tickets(client, clock) }
}

function write<T>({ db }: Client, work: (tx: Writer) => T): T {
  return db.transaction(work, { behavior: 'immediate' })
}

function signIns(client: Client, clock: Clock): SignIns {
  const { db } = client
  return {
    async beginSignIn({ stateHash, externalId, expiresAt }) {
      db.insert(signInAttempt).values({ stateHash, externalId, createdAt: clock.now(), expiresAt }).run()
    },

    async takeSignIn(stateHash) {
      const now = clock.now()
      const mine = eq(signInAttempt.stateHash, stateHash)
      const columns = { externalId: signInAttempt.externalId, usedAt: signInAttempt.usedAt }
      // One statement, so only one of two callers with the same state finds it unused.
      const taken = db
        .update(signInAttempt)
        .set({ usedAt: now })
        .where(and(mine, isNull(signInAttempt.usedAt), gt(signInAttempt.expiresAt, now)))
        .returning(columns)
        .get()
      if (taken) return { outcome: 'taken', externalId: taken.externalId }
      const held = db.select(columns).from(signInAttempt).where(mine).get()
      if (!held) return { outcome: 'unknown' }
      return { outcome: held.usedAt === null ? 'expired' : 'used', externalId: held.externalId }
    },

    async completeSignIn(input, decide) {
      return write(client, (tx) => {
        const now = clock.now()
        const storeSignIn = ({ account, tokens, session }: typeof input) => {
          putAccount(tx, account, now)
          putTokens(tx, account.uuid, tokens, now)
          return done(putSession(tx, session, now))
        }
        return finish(completeSignIn({ ...idRows(tx, now), storeSignIn }, input, decide))
      })
    },

    async forgetExpired(idleSince) {
      return write(client, (tx) => {
        const now = clock.now()
        const over = or(lte(session.expiresAt, now), lte(session.lastSeenAt, idleSince))
        return [
          tx.delete(session).where(over).run(),
          tx
            .delete(signInAttempt)
            .where(lte(signInAttempt.expiresAt, now - ATTEMPT_KEPT))
            .run(),
          tx.delete(ticket).where(lte(ticket.expiresAt, now)).run(),
          tx.delete(placeholderMarker).where(lte(placeholderMarker.expiresAt, now)).run(),
        ].reduce((sum, deleted) => sum + deleted.changes, 0)
      })
    },
  }
}

function sessions(client: Client, clock: Clock): Sessions {
  const { db } = client
  return {
    async openSession(opened) {
      write(client, (tx) => putSession(tx, opened, clock.now()))
    },

    async findSessions(tokenHashes) {
      if (tokenHashes.length === 0) return []
      const rows = db
        .select()
        .from(session)
        .innerJoin(sessionAccount, eq(sessionAccount.tokenHash, session.tokenHash))
        .where(inArray(session.tokenHash, tokenHashes))
        .all()
      const found = new Map<string, StoredSession>()
      for (const row of rows) {
        const one = found.get(row.session.tokenHash) ?? { ...row.session, accounts: [] }
        one.accounts.push(provedBy(row.session_account))
        found.set(one.tokenHash, one)
      }
      return [...found.values()]
    },

    async touchSession(tokenHash) {
      db.update(session).set({ lastSeenAt: clock.now() }).where(eq(session.tokenHash, tokenHash)).run()
    },

    async endSessions(tokenHashes) {
      if (tokenHashes.length > 0) db.delete(session).where(inArray(session.tokenHash, tokenHashes)).run()
    },

    async listSessions(accountUuid) {
      const rows = db
        .select()
        .from(session)
        .innerJoin(sessionAccount, eq(sessionAccount.tokenHash, session.tokenHash))
        .where(eq(sessionAccount.accountUuid, accountUuid))
        .orderBy(desc(session.lastSeenAt))
        .all()
      return rows.map((row) => ({ ...row.session, accounts: [provedBy(row.session_account)] }))
    },

    async endSessionsOf(accountUuid, tokenHashes) {
      return write(client, (tx) => {
        const ofAccount = eq(sessionAccount.accountUuid, accountUuid)
        const these = tokenHashes === null ? ofAccount : and(ofAccount, inArray(sessionAccount.tokenHash, tokenHashes))
        const ended = tx.delete(sessionAccount).where(these).run().changes
        const left = tx
          .select({ one: sql`1` })
          .from(sessionAccount)
          .where(eq(sessionAccount.tokenHash, session.tokenHash))
        tx.delete(session).where(notExists(left)).run()
        if (tokenHashes === null) {
          const opening = inArray(ticket.kind, ['launch', 'link'])
          tx.delete(ticket)
            .where(and(eq(ticket.accountUuid, accountUuid), opening))
            .run()
        }
        return ended
      })
    },
  }

  function provedBy(row: typeof sessionAccount.$inferSelect): ProvedAccount {
    const { accountUuid, staffUuid, proof, provedAt } = row
    return {
      accountUuid,
      staffUuid,
      proof: proof as Proof['proof'],
      provedAt,
      role: roleFor(db, accountUuid, staffUuid),
    }
  }
}

function tickets(client: Client, clock: Clock): Tickets {
  const { db } = client
  return {
    async issueTicket(issued) {
      db.insert(ticket).values(issued).run()
    },

    async takeTicket(kind, tokenHash) {
      const taken = db
        .update(ticket)
        .set({ usedAt: clock.now() })
        .where(liveTicket(kind, tokenHash))
        .returning({ accountUuid: ticket.accountUuid, staffUuid: ticket.staffUuid })
        .get()
      return taken ?? null
    },

    async findTicket(kind, tokenHash) {
      const columns = { accountUuid: ticket.accountUuid, staffUuid: ticket.staffUuid }
      return db.select(columns).from(ticket).where(liveTicket(kind, tokenHash)).get() ?? null
    },

    async linkWithTicket(tokenHash, externalId, limit, decide) {
      return write(client, (tx) => {
        const live = liveTicket('link', tokenHash)
        const rows: TicketRows = {
          ...idRows(tx, clock.now()),
          findTicket: () => done(tx.select({ accountUuid: ticket.accountUuid }).from(ticket).where(live).get() ?? null),
          useTicket: () => done(void tx.update(ticket).set({ usedAt: clock.now() }).where(live).run()),
        }
        return finish(linkWithTicket(rows, externalId, limit, decide))
      })
    },

    async rememberSigned(signed) {
      const remembered = db
        .insert(ticket)
        .values({ ...signed, kind: 'jwt', usedAt: clock.now() })
        .onConflictDoNothing()
        .run()
      return remembered.changes > 0 ? 'first_time' : 'seen_before'
    },
  }

  function liveTicket(kind: 'launch' | 'link', tokenHash: string) {
    return and(
      eq(ticket.tokenHash, tokenHash),
      eq(ticket.kind, kind),
      isNull(ticket.usedAt),
      gt(ticket.expiresAt, clock.now()),
    )
  }
}

/**
 * Stores the new session with its account and those it takes over; ends the replaced ones. Its own account gets the new
 * proof: sign-ins and openings use separate cookies, so no sign-in replaces a session that names a person.
 */
function putSession(tx: Writer, opened: NewSession, now: number): void {
  const { tokenHash, expiresAt, account, replaces, carryProofsSince } = opened
  const carried =
    replaces.length === 0
      ? []
      : tx
          .select()
          .from(sessionAccount)
          .where(and(inArray(sessionAccount.tokenHash, replaces), gt(sessionAccount.provedAt, carryProofsSince)))
          .all()
  tx.insert(session).values({ tokenHash, createdAt: now, lastSeenAt: now, expiresAt }).run()
  tx.insert(sessionAccount)
    .values({ tokenHash, ...account })
    .run()
  for (const other of carried) {
    tx.insert(sessionAccount)
      .values({ ...other, tokenHash })
      .onConflictDoNothing()
      .run()
  }
  if (replaces.length > 0) tx.delete(session).where(inArray(session.tokenHash, replaces)).run()
}

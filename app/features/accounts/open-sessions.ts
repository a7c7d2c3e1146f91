// The browsers that are signed in to an account, as its owner sees them.
import type { StoredSession } from '#app/domain/session.ts'
import { isAlive, isProofAlive, SESSION_ABSOLUTE, SESSION_IDLE, saysMore } from '#app/domain/session.ts'
import { iso, type Millis } from '#app/lib/clock.ts'

export interface OpenSession {
  /** Derived from the stored hash for this account only: it can end a session but not open one. */
  id: string
  since: Millis
  lastSeen: Millis
  /** When the session ends, unless it is used before then. */
  endsAt: Millis
  how: 'signed_in' | 'opened_in_servicem8'
  staffUuid: string | null
  /** True for the requesting browser. */
  current: boolean
}

export const HOW_TEXTS: Record<OpenSession['how'], string> = {
  signed_in: 'Signed in through ServiceM8',
  opened_in_servicem8: 'Opened from inside ServiceM8',
}

/**
 * Returns the live sessions. The requesting browser comes first and only once: it may hold one session for its tabs and
 * one for a frame. `shownId` derives the id from a stored hash.
 */
export function openSessions(
  stored: readonly StoredSession[],
  input: { now: Millis; current: readonly string[]; shownId: (tokenHash: string) => string },
): OpenSession[] {
  const { now, current, shownId } = input
  const open = stored.flatMap((session) => {
    const [proof] = session.accounts
    if (!proof || !isAlive(session, now) || !isProofAlive(proof, now)) return []
    const one: OpenSession = {
      id: shownId(session.tokenHash),
      since: proof.provedAt,
      lastSeen: session.lastSeenAt,
      endsAt: Math.min(session.expiresAt, session.lastSeenAt + SESSION_IDLE, proof.provedAt + SESSION_ABSOLUTE),
      how: proof.proof === 'launch' ? 'opened_in_servicem8' : 'signed_in',
      staffUuid: proof.staffUuid,
      current: current.includes(session.tokenHash),
    }
    return [{ one, proof }]
  })
  const own = open.filter(({ one }) => one.current).sort((a, b) => (saysMore(a.proof, b.proof) ? -1 : 1))
  const others = open.filter(({ one }) => !one.current).map(({ one }) => one)
  const mine = own.slice(0, 1).map(({ one }) => ({
    ...one,
    lastSeen: Math.max(...own.map(({ one: { lastSeen } }) => lastSeen)),
    endsAt: Math.max(...own.map(({ one: { endsAt } }) => endsAt)),
  }))
  return [...mine, ...others.sort((a, b) => b.lastSeen - a.lastSeen)]
}

/** A session as the call returns it. */
export function sessionJson({ id, since, lastSeen, endsAt, how, current }: OpenSession) {
  return {
    id,
    since: iso(since),
    lastSeen: iso(lastSeen),
    endsAt: iso(endsAt),
    how,
    current,
  }
}

export function isSessionId(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{22}$/.test(text)
}

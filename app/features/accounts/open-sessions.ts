// The browsers that are signed in to an account, as its owner sees them.
import type { Millis } from '#app/lib/clock.ts'
import { isAlive, isProofAlive, SESSION_IDLE, type StoredSession } from './session.ts'

export interface OpenSession {
  /** Made of the stored hash for this account alone: it ends a session and opens none. */
  id: string
  since: Millis
  lastSeen: Millis
  /** Unless it is used again before. */
  endsAt: Millis
  how: 'signed_in' | 'opened_in_servicem8'
  staffUuid: string | null
  /** The browser that asks. */
  current: boolean
}

export const HOW_WORDS: Record<OpenSession['how'], string> = {
  signed_in: 'Signed in through ServiceM8',
  opened_in_servicem8: 'Opened from inside ServiceM8',
}

/** Those that live, the one that asks first. `shownId` makes the id of a stored hash. */
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
      endsAt: Math.min(session.expiresAt, session.lastSeenAt + SESSION_IDLE),
      how: proof.proof === 'launch' ? 'opened_in_servicem8' : 'signed_in',
      staffUuid: proof.staffUuid,
      current: current.includes(session.tokenHash),
    }
    return [one]
  })
  return open.sort((a, b) => Number(b.current) - Number(a.current) || b.lastSeen - a.lastSeen)
}

/** As the call answers it. */
export function sessionJson({ id, since, lastSeen, endsAt, how, current }: OpenSession) {
  return {
    id,
    since: new Date(since).toISOString(),
    lastSeen: new Date(lastSeen).toISOString(),
    endsAt: new Date(endsAt).toISOString(),
    how,
    current,
  }
}

export function isSessionId(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{22}$/.test(text)
}

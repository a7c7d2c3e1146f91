// What the page "Account and security" knows about the connection and the browsers.
import type { App } from '#app/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import { listOpenSessions } from './open-sessions.server.ts'
import type { OpenSession } from './open-sessions.ts'
import type { Session } from './session.ts'

export interface ConnectionFacts {
  state: 'connected' | 'reconnect'
  since: Millis
  /** The permissions that ServiceM8 gave. */
  scopes: string[]
}

export async function loadAccountPage(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  session: Session | null,
): Promise<{ connection: ConnectionFacts | null; sessions: OpenSession[] }> {
  const credential = await app.store.findCredential(accountUuid)
  const connection = credential && {
    state: credential.state,
    since: credential.createdAt,
    scopes: credential.scope.split(/[\s,]+/).filter(Boolean),
  }
  return { connection, sessions: await listOpenSessions(app, accountUuid, session) }
}

// Loads the facts about the connection and the browsers for the page "Account and security".
import type { App } from '#app/context/app-context.ts'
import { BACKUPS_KEPT, type KeptKind, keptUntil, MOST_COUNTED, shortageText } from '#app/domain/kept-until.ts'
import type { Session } from '#app/domain/session.ts'
import type { Millis } from '#app/lib/clock.ts'
import { listOpenSessions } from './open-sessions.server.ts'
import type { OpenSession } from './open-sessions.ts'
import { scopeNames } from './permissions.ts'

interface ConnectionFacts {
  state: 'connected' | 'reconnect'
  since: Millis
  /** The permissions that ServiceM8 granted. */
  scopes: string[]
}

/** The stored data of an account, for the kinds that are counted. */
interface KeptFacts {
  kinds: KeptKind[]
  counts: Partial<Record<KeptKind['id'], { count: number; oldestAt: Millis | null }>>
  /** Why retention is shorter for now; null when it is not. */
  shortage: string | null
}

export async function loadAccountPage(
  app: Pick<App, 'store' | 'clock' | 'settings' | 'space'>,
  accountUuid: string,
  session: Session | null,
): Promise<{ connection: ConnectionFacts | null; sessions: OpenSession[]; kept: KeptFacts }> {
  const credential = await app.store.accounts.findCredential(accountUuid)
  const connection = credential && {
    state: credential.state,
    since: credential.createdAt,
    scopes: scopeNames(credential.scope),
  }
  return {
    connection,
    sessions: await listOpenSessions(app, accountUuid, session),
    kept: await loadKept(app, accountUuid),
  }
}

async function loadKept(
  { store, settings, space }: Pick<App, 'store' | 'settings' | 'space'>,
  accountUuid: string,
): Promise<KeptFacts> {
  const { retentionDays, backups = false } = settings
  const kinds = keptUntil({ retentionDays, backups: backups ? BACKUPS_KEPT : null })
  return {
    kinds: kinds.filter(({ forOwners }) => forOwners),
    counts: await store.ops.countKept(accountUuid, MOST_COUNTED + 1),
    shortage: shortageText(space.switches(), space.isOverShare(accountUuid)),
  }
}

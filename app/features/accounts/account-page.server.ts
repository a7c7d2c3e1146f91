// Loads the facts for "Account and security" and the pages below it.
import type { App } from '#app/context/app-context.ts'
import { eventsKept, keptUntil, MOST_COUNTED, shortageText } from '#app/domain/kept-until.ts'
import type { Session } from '#app/domain/session.ts'
import { spanText } from '#app/domain/time/moments.ts'
import { listOpenSessions } from './open-sessions.server.ts'
import { scopeNames } from './permissions.ts'

export async function loadAccountPage(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  session: Session | null,
) {
  const credential = await app.store.accounts.findCredential(accountUuid)
  const connection = credential && {
    state: credential.state,
    since: credential.createdAt,
    scopes: scopeNames(credential.scope),
  }
  return {
    connection,
    browsers: (await listOpenSessions(app, accountUuid, session)).length,
    eventsKept: spanText(eventsKept(app.settings.retentionDays)),
  }
}

export async function loadKept(
  { store, settings, space }: Pick<App, 'store' | 'settings' | 'space'>,
  accountUuid: string,
) {
  return {
    kinds: keptUntil(settings).filter(({ forOwners }) => forOwners),
    counts: await store.ops.countKept(accountUuid, MOST_COUNTED + 1),
    shortage: shortageText(space.switches(), space.isOverShare(accountUuid)),
  }
}

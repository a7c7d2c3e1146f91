// Scheduled work for accounts: cleanup, and keeping unused connections alive.
import type { App } from '#app/context/app-context.ts'
import { SESSION_IDLE } from '#app/domain/session.ts'

/** Deletes expired sessions, sign-in attempts, tickets, markers and half-written forms. Run hourly. */
export async function forgetExpiredSignIns(app: Pick<App, 'store' | 'clock' | 'log'>): Promise<void> {
  const forgotten = await app.store.accounts.forgetExpired(app.clock.now() - SESSION_IDLE)
  if (forgotten > 0) app.log.info({ forgotten }, 'accounts.tidied')
}

/**
 * Uses every connection, one after another: that renews its tokens (the platform may expire unused ones, facts: 2.2),
 * detects a removed add-on, and learns a new name, zone and e-mail address. Run daily.
 */
export async function keepConnectionsAlive(
  app: Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>,
  signal?: AbortSignal,
  described: (accountUuid: string) => Promise<void> = async () => {},
): Promise<void> {
  const { accounts, notices } = app.store
  for (const accountUuid of await accounts.accountsIdleSince(app.clock.now())) {
    if (signal?.aborted) return
    const vendor = await app.callAsAccount(accountUuid, (api, token) => api.vendor(token))
    if (vendor.outcome === 'ok' && vendor.value.uuid === accountUuid) {
      await accounts.describeAccount(vendor.value)
      await described(accountUuid)
      // The address from before is better than none.
      if (vendor.value.email !== '') await notices.noteAccountEmail(accountUuid, vendor.value.email)
    }
    app.log.info({ account: accountUuid, outcome: vendor.outcome }, 'connection.kept_alive')
  }
}

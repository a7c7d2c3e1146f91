// Timed work of accounts: tidying up, and keeping connections alive that nothing uses.
import type { App } from '#app/context/app-context.ts'
import { SESSION_IDLE } from '#app/domain/session.ts'
import { days } from '#app/lib/duration.ts'

/** The platform may let a refresh token lapse that is not used for weeks (facts: 2.2): touch each one well before. */
const IDLE_TOO_LONG = days(6)

/** Deletes sessions, sign-in attempts, tickets and markers that are over. Run hourly. */
export async function forgetExpiredSignIns(app: Pick<App, 'store' | 'clock' | 'log'>): Promise<void> {
  const forgotten = await app.store.accounts.forgetExpired(app.clock.now() - SESSION_IDLE)
  if (forgotten > 0) app.log.info({ forgotten }, 'accounts.tidied')
}

/**
 * Uses the connections that were not used for six days, one after the other: that renews their tokens, finds out which
 * accounts removed the add-on, and refreshes name and zone. Run daily.
 */
export async function keepConnectionsAlive(app: Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount'>): Promise<void> {
  for (const accountUuid of await app.store.accounts.accountsIdleSince(app.clock.now() - IDLE_TOO_LONG)) {
    const vendor = await app.callAsAccount(accountUuid, (api, token) => api.vendor(token))
    if (vendor.outcome === 'ok' && vendor.value.uuid === accountUuid)
      await app.store.accounts.describeAccount(vendor.value)
    app.log.info({ account: accountUuid, outcome: vendor.outcome }, 'connection.kept_alive')
  }
}

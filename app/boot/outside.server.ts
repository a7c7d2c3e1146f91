// Outbound connections: receivers and the platform. Both are observed, and closed during a quarantine.
import { createOutbound } from '#app/adapters/outbound/outbound.server.ts'
import { createServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import { createServiceM8OAuth } from '#app/adapters/servicem8/servicem8-oauth.server.ts'
import { createSmtpMailer } from '#app/adapters/smtp/smtp-mailer.server.ts'
import { recordPlatformCall } from '#app/features/events/activity.server.ts'
import type { Data, Ground } from './open-data.server.ts'
import { quarantinedOutbound, quarantinedPlatformApi } from './quarantine.server.ts'

export type Outside = ReturnType<typeof openOutside>

/** `signal`: once aborted, no platform call is retried. `ownAddress`: allow our own address, as for the sandbox. */
export function openOutside(
  { env, clock, observed }: Ground,
  { store, hold }: Data,
  { signal, ownAddress }: { signal: AbortSignal; ownAddress: boolean },
) {
  const { log } = observed
  const self = new URL(env.origin)
  const outboundToAll = createOutbound({
    clock,
    selfHosts: [self.hostname],
    egressAllow: [...env.egressAllow, ...(ownAddress ? [hostAndPort(self)] : [])],
  })
  const { apiUrl, oauthUrl, appId, appSecret, scopes } = env
  return {
    outbound: observed.outbound(quarantinedOutbound(outboundToAll, hold)),
    platformApi: quarantinedPlatformApi(
      createServiceM8Api({
        apiUrl,
        clock,
        log,
        signal,
        onCall(call) {
          observed.platformCalled(call)
          recordPlatformCall({ store, log }, call)
        },
      }),
      hold,
    ),
    mailer: env.smtp && observed.mailer(createSmtpMailer(env.smtp)),
    oauth: observed.oauth(createServiceM8OAuth({ oauthUrl, appId, appSecret, scopes, clock, log })),
  }
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

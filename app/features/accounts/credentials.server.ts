// The credential operations of the JSON calls. Real tokens are accepted only with proof and never returned.
import type { App } from '#app/context/app-context.ts'
import { type CredentialAnswer, type CredentialBody, credentialAnswer, expiryOf } from '#app/domain/credential.ts'
import { PLACEHOLDER_LASTS, type Session } from '#app/domain/session.ts'
import { hours } from '#app/lib/duration.ts'
import { sealTokens } from './sealed-tokens.server.ts'

/** Lists the session's accounts and whether each has a working connection. */
export async function listAccounts(
  app: Pick<App, 'store'>,
  session: Session | null,
): Promise<{ accountUUID: string; hasToken: boolean }[]> {
  const accounts = session?.accounts ?? []
  return Promise.all(
    accounts.map(async ({ accountUuid }) => {
      const credential = await app.store.accounts.findCredential(accountUuid)
      return { accountUUID: accountUuid, hasToken: credential?.state === 'connected' }
    }),
  )
}

/**
 * Describes whether the account is connected, in the documented shape. A connection the platform no longer accepts
 * counts as none: the documented client then shows the sign-in gate, where the user can reconnect.
 * @param id as requested; @param accountUuid the session's account it leads to
 */
export async function describeCredential(
  app: Pick<App, 'store'>,
  { id, accountUuid }: { id: string; accountUuid: string },
): Promise<CredentialAnswer | null> {
  const credential = await app.store.accounts.findCredential(accountUuid)
  if (credential)
    return credential.state === 'connected' ? credentialAnswer(id, 'connected', credential.expiresAt) : null
  const marker =
    (await app.store.accounts.findPlaceholder(id)) ?? (await app.store.accounts.findPlaceholder(accountUuid))
  return marker === null ? null : credentialAnswer(id, 'placeholder', marker)
}

/** Records that an unknown id was opened. Changes nothing for an account that has credentials. */
export async function leavePlaceholder(
  app: Pick<App, 'store' | 'clock'>,
  id: string,
): Promise<{ outcome: 'marked' } | { outcome: 'kept'; hasToken: boolean }> {
  const accountUuid = await app.store.accounts.resolveAccountId(id)
  const credential = accountUuid === null ? null : await app.store.accounts.findCredential(accountUuid)
  if (credential) return { outcome: 'kept', hasToken: credential.state === 'connected' }
  await app.store.accounts.markPlaceholder(id, app.clock.now() + PLACEHOLDER_LASTS)
  return { outcome: 'marked' }
}

type StoredTokens =
  | { outcome: 'stored' }
  /** The platform says that the token is invalid or belongs to another account. */
  | { outcome: 'not_theirs' }
  | { outcome: 'unavailable'; message: string }

/** Stores tokens from outside if the platform names `accountUuid` as owner. The session already owns the account. */
export async function storeTokens(
  app: Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'platformApi'>,
  accountUuid: string,
  body: CredentialBody,
): Promise<StoredTokens> {
  const asked = await app.platformApi.vendor(body.accessToken)
  if (asked.outcome === 'unavailable' || asked.outcome === 'rate_limited') {
    return { outcome: 'unavailable', message: asked.message }
  }
  if (asked.outcome !== 'ok' || asked.value.uuid !== accountUuid) {
    app.log.warn({ account: accountUuid, outcome: asked.outcome }, 'credential.refused')
    return { outcome: 'not_theirs' }
  }
  const tokens = {
    accessToken: body.accessToken,
    // Without a refresh token the connection lasts as long as its access token, then needs a sign-in.
    refreshToken: body.refreshToken ?? '',
    expiresAt: expiryOf(body, app.clock.now() + hours(1)),
    scope: '',
  }
  await app.store.accounts.saveCredential(accountUuid, await sealTokens(app, accountUuid, tokens))
  await app.store.accounts.describeAccount(asked.value)
  await app.store.notices.noteAccountEmail(accountUuid, asked.value.email)
  app.log.info({ account: accountUuid }, 'credential.stored')
  return { outcome: 'stored' }
}

// Maps external ids to accounts. A mapping never grants a session.
import type { App } from '#app/context/app-context.ts'
import { decideNamedAs, MOST_IDS_PER_ACCOUNT } from '#app/domain/account-id.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { MappedId } from '#db/store/accounts.ts'
import { signedPart } from './signed-opening.ts'

/** Maps an id. The caller has checked that the session owns `accountUuid`. */
export function mapAccountId(
  app: Pick<App, 'store'>,
  input: { externalId: string; accountUuid: string },
): Promise<MappedId> {
  return app.store.accounts.mapAccountId(input.externalId, input.accountUuid, MOST_IDS_PER_ACCOUNT, decideNamedAs)
}

type Linked = { outcome: 'linked'; accountUuid: string } | { outcome: 'refused' } | { outcome: 'taken' | 'full' }

/**
 * Links an external id with a one-time proof: the platform's signed text for that same account (the id is the account's
 * own), or a link ticket (the id leads to the ticket's account). Each proof works once.
 */
export async function linkAccountId(
  app: Pick<App, 'store' | 'log' | 'readSigned'>,
  { externalId, token }: { externalId: string; token: string },
): Promise<Linked> {
  if (token.split('.').length === 3) return linkSigned(app, externalId, token)
  const linked = await app.store.accounts.linkWithTicket(
    hashToken(token),
    externalId,
    MOST_IDS_PER_ACCOUNT,
    decideNamedAs,
  )
  if (linked.outcome === 'unknown') return { outcome: 'refused' }
  if (linked.outcome === 'taken' || linked.outcome === 'full') return { outcome: linked.outcome }
  app.log.info({ account: linked.accountUuid, outcome: linked.outcome }, 'account.linked')
  return { outcome: 'linked', accountUuid: linked.accountUuid }
}

type LinkTarget = { outcome: 'linkable'; accountUuid: string; accountName: string } | { outcome: 'refused' }

/** Returns the account a proof would link the id to, for the question to the user. Does not use up the proof. */
export async function findLinkTarget(
  app: Pick<App, 'store' | 'readSigned'>,
  { externalId, token }: { externalId: string; token: string },
): Promise<LinkTarget> {
  const accountUuid = await provedBy(app, externalId, token)
  if (accountUuid === null) return { outcome: 'refused' }
  const account = await app.store.accounts.findAccount(accountUuid)
  return {
    outcome: 'linkable',
    accountUuid,
    accountName: account?.name || `ServiceM8 account ${accountUuid.slice(0, 8)}`,
  }
}

async function provedBy(
  app: Pick<App, 'store' | 'readSigned'>,
  externalId: string,
  token: string,
): Promise<string | null> {
  if (token.split('.').length !== 3)
    return (await app.store.accounts.findTicket('link', hashToken(token)))?.accountUuid ?? null
  const signed = await app.readSigned(token)
  return signed.outcome === 'opening' && signed.opening.accountUuid === externalId ? externalId : null
}

async function linkSigned(
  app: Pick<App, 'store' | 'log' | 'readSigned'>,
  externalId: string,
  jwt: string,
): Promise<Linked> {
  const signed = await app.readSigned(jwt)
  if (signed.outcome !== 'opening' || signed.opening.accountUuid !== externalId) return { outcome: 'refused' }
  const { accountUuid, staffUuid, replayUntil } = signed.opening
  const remembered = { tokenHash: hashToken(signedPart(jwt)), accountUuid, staffUuid, expiresAt: replayUntil }
  if ((await app.store.accounts.rememberSigned(remembered)) === 'seen_before') return { outcome: 'refused' }
  await app.store.accounts.ensureAccount({ uuid: accountUuid, name: '', timezone: 'UTC' })
  app.log.info({ account: accountUuid, outcome: 'signed' }, 'account.linked')
  return { outcome: 'linked', accountUuid }
}

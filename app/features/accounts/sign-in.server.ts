// Signs in through the platform: an attempt is stored and used once. It ends with account, tokens, mapping and session
// stored in one transaction, or with nothing stored.
import type { PlatformTokens } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { decideNamedAs } from '#app/domain/account-id.ts'
import { SESSION_ABSOLUTE, SIGN_IN_LASTS } from '#app/domain/session.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { sealTokens } from './sealed-tokens.server.ts'
import { sessionHashOf } from './session.server.ts'
import { problemOf, type SignInProblem } from './sign-in.ts'

type SignInApp = Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'secrets' | 'platformApi'>

/**
 * Starts an attempt and returns its state: 32 random bytes, of which only the hash is stored.
 * @param named the account id in the URL, null when there is none
 * @param token the URL's `token`, never the state. A live link ticket (passed on by a launched frame) names the account
 * when the URL does not; anything else, such as the documented flow marker, is ignored.
 */
export async function startSignIn(
  app: Pick<App, 'store' | 'clock'>,
  { named, token }: { named: string | null; token: string | null },
): Promise<{ state: string }> {
  const linked = named === null && token ? await app.store.accounts.findTicket('link', hashToken(token)) : null
  const state = newToken()
  await app.store.accounts.beginSignIn({
    stateHash: hashToken(state),
    externalId: named ?? linked?.accountUuid ?? '',
    expiresAt: app.clock.now() + SIGN_IN_LASTS,
  })
  return { state }
}

/** Uses up the attempt. `named` is the id in its URL ('' = none); it is also known for late and repeated returns. */
type TakenSignIn =
  | { outcome: 'taken'; named: string }
  | { outcome: 'problem'; problem: SignInProblem; named: string | null }

export async function takeSignIn(app: Pick<App, 'store'>, state: string): Promise<TakenSignIn> {
  const taken = await app.store.accounts.takeSignIn(hashToken(state))
  if (taken.outcome === 'taken') return { outcome: 'taken', named: taken.externalId }
  const named = taken.outcome === 'unknown' ? null : taken.externalId
  return { outcome: 'problem', problem: `state_${taken.outcome}`, named }
}

/** `returnTo` is the id for the URL to return to; `linked` = the id belonged to no account until this sign-in. */
export type FinishedSignIn =
  | { outcome: 'signed_in'; returnTo: string; problem: SignInProblem | null; linked: boolean; sessionToken: string }
  | { outcome: 'problem'; returnTo: string; problem: SignInProblem }

/**
 * Asks the platform whose tokens these are and stores everything, or nothing.
 *
 * The signed-in account is always the one the platform names, never the id in the URL. When the two differ:
 * - the id is unknown: from now on it leads to this account;
 * - the id leads to another account: nothing is stored, the mapping stays, and the gate explains it;
 * - the id is another account's own uuid: the session is only for the account the person signed in to, the return URL
 *   names that account instead, and its message explains it.
 *
 * @param replaces hashes of the browser's live sessions: they end, and the accounts they proved are carried over
 */
export async function finishSignIn(
  app: SignInApp,
  { tokens, named, replaces }: { tokens: PlatformTokens; named: string; replaces: string[] },
): Promise<FinishedSignIn> {
  const asked = await app.platformApi.vendor(tokens.accessToken)
  if (asked.outcome !== 'ok') {
    app.log.warn({ outcome: asked.outcome, status: asked.status }, 'sign_in.vendor_failed')
    return { outcome: 'problem', returnTo: named, problem: problemOf(asked.outcome, 'vendor') }
  }
  const vendor = asked.value
  // Anything created now would be erased in a moment.
  const erasures = await app.store.accounts.erasuresUnderWay()
  if (erasures.some(({ accountUuid }) => accountUuid === vendor.uuid)) {
    return { outcome: 'problem', returnTo: named, problem: 'being_erased' }
  }
  const sealed = await sealTokens(app, vendor.uuid, tokens)
  const now = app.clock.now()
  const sessionToken = newToken()
  const meaning = await app.store.accounts.completeSignIn(
    {
      account: { uuid: vendor.uuid, name: vendor.name, timezone: vendor.timezone },
      tokens: sealed,
      named,
      session: {
        tokenHash: sessionHashOf(app)(sessionToken),
        expiresAt: now + SESSION_ABSOLUTE,
        account: { accountUuid: vendor.uuid, staffUuid: null, proof: 'oauth', provedAt: now },
        replaces,
        carryProofsSince: now - SESSION_ABSOLUTE,
      },
    },
    decideNamedAs,
  )
  app.log.info({ account: vendor.uuid, named: meaning }, 'sign_in.finished')
  // Once the sign-in is lost, nobody can ask for it.
  await app.store.notices.noteAccountEmail(vendor.uuid, vendor.email)
  switch (meaning) {
    case 'same':
    case 'new':
      return {
        outcome: 'signed_in',
        returnTo: named || vendor.uuid,
        problem: null,
        linked: meaning === 'new',
        sessionToken,
      }
    case 'other_account':
      return { outcome: 'signed_in', returnTo: vendor.uuid, problem: 'other_account', linked: false, sessionToken }
    case 'taken':
      return { outcome: 'problem', returnTo: named, problem: 'taken' }
    default:
      return assertNever(meaning)
  }
}

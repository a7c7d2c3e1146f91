// The only payload the platform signs: a JWT (HS256, key = App Secret), the whole body of its POST to the add-on.
import { SignJWT } from 'jose'
import { newToken } from '#app/lib/token.server.ts'
import { ownerOf } from '../accounts.server.ts'
import type { Poster } from '../post.server.ts'
import type { AccountState, Stage } from '../state.server.ts'
import type { OpeningAnswer, OpeningInput } from '../world.ts'
import { addAccess } from './grants.server.ts'

/** `accessTokenExpiry` of the claims, in seconds. */
const TOKEN_SECONDS = 900
const JWT_SECONDS = 600

/** Claims of a person opening the add-on from a menu, a job or a company. */
export function signOpening(stage: Stage, account: AccountState, input: OpeningInput = {}): Promise<string> {
  const eventArgs: Record<string, string> = {}
  if (input.jobUuid) eventArgs.jobUUID = input.jobUuid
  if (input.companyUuid) eventArgs.companyUUID = input.companyUuid
  const staffUuid = input.staffUuid || ownerOf(account)
  const auth = { accountUUID: account.uuid, staffUUID: staffUuid, ...tokenFor(stage, account) }
  return sign(stage, auth, input.event ?? 'fieldhook_open', eventArgs)
}

/** Claims of a manifest webhook; `notice` is the content of an unsigned delivery. */
export function signNotice(stage: Stage, account: AccountState, notice: Record<string, unknown>): Promise<string> {
  return sign(stage, { accountUUID: account.uuid, staffUUID: ownerOf(account) }, 'webhook_subscription', notice)
}

function sign(
  stage: Stage,
  auth: Record<string, unknown>,
  eventName: string,
  eventArgs: Record<string, unknown>,
): Promise<string> {
  const now = Math.floor(stage.clock.now() / 1000)
  return new SignJWT({ eventVersion: '1.0', eventName, auth, eventArgs })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + JWT_SECONDS)
    .sign(new TextEncoder().encode(stage.appSecret))
}

/** A short-lived access token under the account's newest grant; empty while the add-on is not connected. */
function tokenFor(stage: Stage, account: AccountState): Record<string, unknown> {
  const grant = stage.state.grants.filter((one) => one.accountUuid === account.uuid && !one.revoked).at(-1)
  if (!grant) return {}
  const token = newToken()
  addAccess(grant, token, stage.clock.now(), TOKEN_SECONDS)
  stage.commit()
  return { accessToken: token, accessTokenExpiry: TOKEN_SECONDS }
}

/** Posts as the platform's server does; a person would see the add-on's answer in a frame. */
export async function postOpening(stage: Stage, poster: Poster, jwt: string, postTo: string): Promise<OpeningAnswer> {
  const posted = await poster.post(postTo, { contentType: 'application/jwt', body: jwt, timeoutMs: stage.answerMs })
  return {
    status: posted.status,
    contentType: posted.contentType,
    location: URL.canParse(posted.location, postTo) && posted.location ? new URL(posted.location, postTo).href : '',
    body: posted.answer,
    error: posted.error,
  }
}

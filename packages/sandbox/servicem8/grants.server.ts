// Codes, grants and tokens. Only hashes of tokens are stored.
import { createHash, randomUUID } from 'node:crypto'
import type { Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { hashToken, newToken, sameSecret } from '#app/lib/token.server.ts'
import type { AccountState, Grant, Stage } from '../state.server.ts'
import type { TokenAnswer } from '../world.ts'

/** `expires_in` of an access token. */
const ACCESS_SECONDS = 3600
const CODE_LIVES = seconds(60)
/** Not documented; about 90 days by one report. */
const REFRESH_LIVES = days(90)
const KEEP_GRANTS = 20
const KEEP_ACCESS = 50

interface Code {
  accountUuid: string
  scope: string
  redirectUri: string
  challenge: { method: 'S256' | 'plain'; value: string } | null
  expiresAt: Millis
}

export type Codes = Map<string, Code>

export type GrantResult = { outcome: 'ok'; answer: TokenAnswer } | { outcome: 'invalid_grant'; message: string }

export function newCode(stage: Stage, codes: Codes, code: Omit<Code, 'expiresAt'>): string {
  const now = stage.clock.now()
  for (const [hash, old] of codes) if (old.expiresAt <= now) codes.delete(hash)
  const text = newToken()
  codes.set(hashToken(text), { ...code, expiresAt: now + CODE_LIVES })
  return text
}

/** A code works once, whatever the result. */
export function redeemCode(
  stage: Stage,
  codes: Codes,
  input: { code: string; redirectUri: string; verifier: string },
): GrantResult {
  const hash = hashToken(input.code)
  const code = codes.get(hash)
  codes.delete(hash)
  if (!code || code.expiresAt <= stage.clock.now()) return invalid('The authorization code is invalid or has expired')
  if (code.redirectUri !== input.redirectUri) return invalid('redirect_uri differs from the one of the authorization')
  if (code.challenge && !verifies(code.challenge, input.verifier)) return invalid('The code verifier does not match')
  const account = stage.state.accounts.get(code.accountUuid)
  if (!account) return invalid('The account no longer exists')
  return { outcome: 'ok', answer: issueGrant(stage, account, code.scope) }
}

function verifies(challenge: { method: 'S256' | 'plain'; value: string }, verifier: string): boolean {
  if (verifier === '') return false
  const made = challenge.method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  return sameSecret(made, challenge.value)
}

/** Issues the tokens of a new grant and writes them to the file before returning. */
export function issueGrant(stage: Stage, account: AccountState, scope: string): TokenAnswer {
  const grant: Grant = {
    id: randomUUID(),
    accountUuid: account.uuid,
    scope: scope
      .split(' ')
      .filter((name) => name !== '' && !account.options.withheldScopes.includes(name))
      .join(' '),
    grantedAt: stage.clock.now(),
    access: [],
    refreshHash: '',
    refreshExpiresAt: 0,
    refreshes: 0,
    revoked: false,
  }
  stage.state.grants.push(grant)
  const mine = stage.state.grants.filter((one) => one.accountUuid === account.uuid)
  const old = new Set(mine.slice(0, -KEEP_GRANTS))
  stage.state.grants = stage.state.grants.filter((one) => !old.has(one))
  return rotate(stage, grant)
}

/** Issues a new pair; the previous refresh token is dead, access tokens stay valid for their hour. */
export function refreshGrant(stage: Stage, refreshToken: string): GrantResult {
  const grant = findGrantByRefresh(stage, refreshToken)
  if (!grant || grant.revoked || grant.refreshExpiresAt <= stage.clock.now()) {
    return invalid('The refresh token is invalid, expired, revoked or was used before')
  }
  grant.refreshes++
  return { outcome: 'ok', answer: rotate(stage, grant) }
}

export function findGrantByRefresh(stage: Stage, refreshToken: string): Grant | null {
  const hash = hashToken(refreshToken)
  return stage.state.grants.find((one) => one.refreshHash === hash) ?? null
}

/** The grant of an access token; null when it is unknown, expired or revoked. */
export function findGrantByAccess(stage: Stage, accessToken: string): Grant | null {
  const hash = hashToken(accessToken)
  const now = stage.clock.now()
  for (const grant of stage.state.grants) {
    if (!grant.revoked && grant.access.some((one) => one.hash === hash && one.expiresAt > now)) return grant
  }
  return null
}

function rotate(stage: Stage, grant: Grant): TokenAnswer {
  const now = stage.clock.now()
  const [accessToken, refreshToken] = [newToken(), newToken()]
  addAccess(grant, accessToken, now, ACCESS_SECONDS)
  grant.refreshHash = hashToken(refreshToken)
  grant.refreshExpiresAt = now + REFRESH_LIVES
  stage.commit()
  const quoted = stage.state.accounts.get(grant.accountUuid)?.options.quotedFlags
  return {
    access_token: accessToken,
    expires_in: quoted ? String(ACCESS_SECONDS) : ACCESS_SECONDS,
    token_type: 'bearer',
    scope: grant.scope,
    refresh_token: refreshToken,
  }
}

/** Adds an access token to the grant. Above the limit, the tokens that expire first are removed. */
export function addAccess(grant: Grant, token: string, now: Millis, lives: number): void {
  const alive = grant.access.filter((one) => one.expiresAt > now)
  const all = [...alive, { hash: hashToken(token), expiresAt: now + seconds(lives) }]
  grant.access = all.sort((a, b) => a.expiresAt - b.expiresAt).slice(-KEEP_ACCESS)
}

function invalid(message: string): GrantResult {
  return { outcome: 'invalid_grant', message }
}

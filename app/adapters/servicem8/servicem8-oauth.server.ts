// ServiceM8's OAuth 2: the consent page's address, the code exchange, the token rotation (facts: section 2).
import type { Clock } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { isRecord, parseJson } from '#app/lib/json.ts'
import type { Log } from '#app/lib/log.ts'
import type { PlatformOAuth, PlatformResult, PlatformTokens } from '../platform.ts'
import { messageOf, readAnswer, textOf, unavailable, unreadable, type WireAnswer } from './servicem8-answer.ts'
import { createWire, exchange } from './servicem8-http.server.ts'

interface ServiceM8OAuthOptions {
  /** Base of the OAuth host, without a trailing slash. */
  oauthUrl: string
  appId: string
  appSecret: string
  scopes: readonly string[]
  clock: Clock
  log?: Log
  /** Longest whole exchange, ms. */
  timeout?: number
}

const TOKEN_TIMEOUT = seconds(10)
const TOKEN_BYTES = 64 * 1024
/** The platform's published lifetime, used when an answer has none. */
const USUAL_LIFETIME_SECONDS = 3600

/** Errors of our configuration: the user cannot fix them, and another sign-in would not help. */
const OUR_MISTAKES = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type'])

export function createServiceM8OAuth(options: ServiceM8OAuthOptions): PlatformOAuth {
  const wire = createWire()

  /** Form-urlencoded, client id and secret as fields: JSON is refused, Basic is not documented (facts: 2.2). */
  async function askForTokens(
    fields: Record<string, string>,
    oldRefreshToken: string,
  ): Promise<PlatformResult<PlatformTokens>> {
    const exchanged = await exchange(wire, {
      method: 'POST',
      url: `${options.oauthUrl}/oauth/access_token`,
      headers: {},
      form: { ...fields, client_id: options.appId, client_secret: options.appSecret },
      timeoutMs: options.timeout ?? TOKEN_TIMEOUT,
      maxBytes: TOKEN_BYTES,
    })
    const now = options.clock.now()
    const result: PlatformResult<PlatformTokens> =
      exchanged.outcome === 'answered'
        ? readTokens(exchanged.answer, oldRefreshToken, now)
        : unavailable(exchanged.sentence)
    const status = exchanged.outcome === 'answered' ? exchanged.answer.status : null
    options.log?.debug({ grant: fields.grant_type, outcome: result.outcome, status }, 'platform.tokens_asked')
    return result
  }

  return {
    authorizeUrl({ state, redirectUri, codeChallenge }) {
      const url = new URL(`${options.oauthUrl}/oauth/authorize`)
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: options.appId,
        scope: options.scopes.join(' '),
        redirect_uri: redirectUri,
        state,
        // The platform does not document PKCE; sending it is harmless, and nothing here depends on it (facts: 2.1).
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      }).toString()
      return url.toString()
    },

    exchangeCode({ code, redirectUri, codeVerifier }) {
      const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier }
      return askForTokens(fields, '')
    },

    refresh(refreshToken) {
      return askForTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }, refreshToken)
    },
  }
}

/** A 400 or 401 that is not our own mistake means that this code or refresh token is no longer valid (facts: 2.2). */
function readTokens(answer: WireAnswer, oldRefreshToken: string, now: number): PlatformResult<PlatformTokens> {
  const body = parseJson(answer.text)
  if (answer.status === 400 || answer.status === 401) {
    const error = isRecord(body) ? textOf(body.error) : ''
    const outcome = OUR_MISTAKES.has(error) ? 'refused' : 'unauthorized'
    return { outcome, status: answer.status, message: messageOf(answer) }
  }
  const read = readAnswer(answer, now)
  if (read.outcome !== 'ok') return read
  if (!isRecord(body)) return unreadable('tokens')
  const accessToken = textOf(body.access_token)
  const refreshToken = textOf(body.refresh_token) || oldRefreshToken
  if (accessToken === '' || refreshToken === '') return unreadable('tokens')
  const lifetime = Number(textOf(body.expires_in))
  const lasts = Number.isFinite(lifetime) && lifetime > 0 ? lifetime : USUAL_LIFETIME_SECONDS
  return {
    outcome: 'ok',
    value: { accessToken, refreshToken, expiresAt: now + seconds(lasts), scope: textOf(body.scope) },
  }
}

// OAuth 2 of the pretend platform: consent page, authorization codes, token endpoint (form-urlencoded only).
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { newToken, sameSecret } from '#app/lib/token.server.ts'
import { findRecord, zoneOf } from '../accounts.server.ts'
import { type Answer, jsonAnswer, redirectAnswer } from '../http.server.ts'
import type { Stage } from '../state.server.ts'
import { SCOPES } from './catalog.ts'
import { consentPage, trouble } from './consent-page.ts'
import { type Codes, type GrantResult, newCode, redeemCode, refreshGrant } from './grants.server.ts'
import { formOf, headerOf, type WireRequest } from './wire-request.ts'

/** The account a browser last signed in to; only a preselection. Set with `Path=/sandbox`. */
const ACCOUNT_COOKIE = 'sandbox_account'

const TICKET_LIVES = minutes(10)
const MAX_TICKETS = 1_000

/** The content of a validated authorize request, stored on the server so that the form cannot change it. */
interface Asked {
  redirectUri: string
  state: string | null
  scope: string
  challenge: { method: 'S256' | 'plain'; value: string } | null
  expiresAt: Millis
}

interface OAuthDesk {
  codes: Codes
  tickets: Map<string, Asked>
}

export function createOAuthDesk(): OAuthDesk {
  return { codes: new Map(), tickets: new Map() }
}

/** Handles `/oauth/…`; null for another path. */
export function oauthCall(stage: Stage, desk: OAuthDesk, request: WireRequest): Answer | null {
  switch (`${request.method} ${request.path}`) {
    case 'GET /oauth/authorize':
      return askConsent(stage, desk, request)
    case 'POST /oauth/authorize':
      return decide(stage, desk, request)
    case 'POST /oauth/access_token':
      return token(stage, desk, request)
    default:
      return null
  }
}

function askConsent(stage: Stage, desk: OAuthDesk, request: WireRequest): Answer {
  const { query } = request
  if (query.get('client_id') !== stage.appId) {
    return page(400, (nonce) => trouble('Unknown add-on', 'The client_id is not an App ID known here.', nonce))
  }
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!isReturnUrl(redirectUri, stage.origin)) {
    return page(400, (nonce) =>
      trouble('Wrong return address', "The redirect_uri is not on the host of the add-on's Return URL.", nonce),
    )
  }
  const state = query.get('state')
  if (query.get('response_type') !== 'code') {
    return back(redirectUri, state, { error: 'unsupported_response_type', error_description: 'Use response_type=code' })
  }
  const scopes = (query.get('scope') ?? '').split(/\s+/).filter((scope) => scope !== '')
  const unknown = scopes.find((scope) => !SCOPES.has(scope))
  if (scopes.length === 0 || unknown !== undefined) {
    const error_description = unknown === undefined ? 'No scope was asked for' : `Unknown scope ${unknown.slice(0, 60)}`
    return back(redirectUri, state, { error: 'invalid_scope', error_description })
  }
  const challengeValue = query.get('code_challenge')
  const method = query.get('code_challenge_method') ?? 'plain'
  if (challengeValue !== null && method !== 'S256' && method !== 'plain') {
    return back(redirectUri, state, { error: 'invalid_request', error_description: 'Unknown code_challenge_method' })
  }
  const ticket = newToken()
  const now = stage.clock.now()
  for (const [old, asked] of desk.tickets) {
    if (asked.expiresAt <= now || desk.tickets.size >= MAX_TICKETS) desk.tickets.delete(old)
  }
  desk.tickets.set(ticket, {
    redirectUri,
    state,
    scope: [...new Set(scopes)].join(' '),
    challenge: challengeValue === null ? null : { method: method === 'S256' ? 'S256' : 'plain', value: challengeValue },
    expiresAt: now + TICKET_LIVES,
  })
  const accounts = [...stage.state.accounts.values()].map((account) => ({
    uuid: account.uuid,
    name: String(findRecord(account, 'vendor', account.uuid)?.name ?? ''),
    timezone: zoneOf(account),
  }))
  const wish = query.get('account') ?? cookieOf(request, ACCOUNT_COOKIE)
  const chosen = accounts.find((one) => one.uuid === wish)?.uuid ?? ''
  const action = `${new URL(stage.baseUrl).pathname}/oauth/authorize`
  return page(
    200,
    (nonce) => consentPage({ action, ticket, scopes, accounts, chosen, nonce }),
    new URL(redirectUri).origin,
  )
}

function decide(stage: Stage, desk: OAuthDesk, request: WireRequest): Answer {
  const form = formOf(request)
  const ticket = form.get('ticket') ?? ''
  const asked = desk.tickets.get(ticket)
  if (!asked || asked.expiresAt <= stage.clock.now()) {
    return page(400, (nonce) =>
      trouble('This page is too old', 'Go back to the add-on and begin to connect again.', nonce),
    )
  }
  const account = stage.state.accounts.get(form.get('account') ?? '')
  const decision = form.get('decision')
  if (decision === 'accept' && !account) {
    return page(400, (nonce) => trouble('No account chosen', 'Go back and choose an account.', nonce))
  }
  desk.tickets.delete(ticket)
  if (decision !== 'accept' || !account) {
    const error_description = 'The person did not agree to connect the add-on'
    return back(asked.redirectUri, asked.state, { error: 'access_denied', error_description })
  }
  const code = newCode(stage, desk.codes, {
    accountUuid: account.uuid,
    scope: asked.scope,
    redirectUri: asked.redirectUri,
    challenge: asked.challenge,
  })
  const answer = back(asked.redirectUri, asked.state, { code })
  answer.headers['set-cookie'] = `${ACCOUNT_COOKIE}=${account.uuid}; Path=/sandbox; HttpOnly; SameSite=Lax`
  return answer
}

/** Redirects to the add-on; `state` is returned unchanged, and only when it was sent. */
function back(redirectUri: string, state: string | null, values: Record<string, string>): Answer {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  if (state !== null) url.searchParams.set('state', state)
  return redirectAnswer(url.href)
}

/** The host must be that of the registered Return URL; ours is the add-on's own origin. */
function isReturnUrl(redirectUri: string, origin: string): boolean {
  if (!URL.canParse(redirectUri)) return false
  const url = new URL(redirectUri)
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.host === new URL(origin).host
}

function page(status: number, draw: (nonce: string) => string, formTarget = ''): Answer {
  const nonce = newToken()
  const targets = ["'self'", formTarget].filter((one) => one !== '').join(' ')
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    },
    body: draw(nonce),
  }
}

function token(stage: Stage, desk: OAuthDesk, request: WireRequest): Answer {
  if (request.contentType !== 'application/x-www-form-urlencoded') {
    return oauthError('invalid_request', 'The request body must be form-urlencoded')
  }
  // Only the body counts: credentials in a URL would end up in logs.
  const form = formOf({ ...request, query: new URLSearchParams() })
  const secret = form.get('client_secret') ?? ''
  if (form.get('client_id') !== stage.appId || !sameSecret(secret, stage.appSecret)) {
    return oauthError('invalid_client', 'Client authentication failed')
  }
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return tokenAnswer(
        redeemCode(stage, desk.codes, {
          code: form.get('code') ?? '',
          redirectUri: form.get('redirect_uri') ?? '',
          verifier: form.get('code_verifier') ?? '',
        }),
      )
    case 'refresh_token':
      return tokenAnswer(refreshGrant(stage, form.get('refresh_token') ?? ''))
    default:
      return oauthError('unsupported_grant_type', 'Use authorization_code or refresh_token')
  }
}

function tokenAnswer(result: GrantResult): Answer {
  return result.outcome === 'ok' ? jsonAnswer(200, result.answer) : oauthError('invalid_grant', result.message)
}

function oauthError(error: string, error_description: string): Answer {
  return jsonAnswer(400, { error, error_description })
}

function cookieOf(request: WireRequest, name: string): string {
  for (const pair of headerOf(request, 'cookie').split(';')) {
    const [key, value = ''] = pair.trim().split('=')
    if (key === name) return value
  }
  return ''
}

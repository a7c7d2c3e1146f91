// The browser's OAuth flow, on remix-auth. Our part: the server issues and consumes the state; the platform adapter
// provides the address and exchanges the code (form fields, not Basic).
import { createHash } from 'node:crypto'
import { Authenticator } from 'remix-auth'
import { OAuth2Strategy } from 'remix-auth-oauth2'
import type { App } from '#app/context/app-context.ts'
import { readAccountId } from '#app/domain/account-id.ts'
import { SIGN_IN_LASTS } from '#app/domain/session.ts'
import { type FinishedSignIn, finishSignIn, startSignIn, takeSignIn } from '#app/features/accounts/sign-in.server.ts'
import {
  problemOf,
  problemOfReturn,
  SIGN_IN_PROBLEMS,
  type SignInProblem,
  signInReturn,
} from '#app/features/accounts/sign-in.ts'
import { recordRefusal } from '#app/features/audit/refusals.server.ts'
import { moveTicks } from '#app/features/automations/triggers/poll.server.ts'
import { beginTrial } from '#app/features/billing/plan.server.ts'
import { repairSubscriptions } from '#app/features/endpoints/subscriptions/repair-subscriptions.server.ts'
import type { SubscriptionApp } from '#app/features/endpoints/subscriptions/subscriptions.server.ts'
import { recordArrival } from '#app/features/events/activity.server.ts'
import { currentCaller } from '#app/lib/caller.server.ts'
import { newToken } from '#app/lib/token.server.ts'
import { endedCookie, readCookies, sessionCookie, signInCookiePrefix } from './cookies.ts'
import { findSession, isSecure, sessionsToReplace } from './session.server.ts'

type Tokens = Awaited<ReturnType<App['oauth']['exchangeCode']>> & { outcome: 'ok' }
type ExchangeOutcome = Exclude<Awaited<ReturnType<App['oauth']['exchangeCode']>>['outcome'], 'ok'>
type OAuth2Tokens = OAuth2Strategy.VerifyOptions['tokens']

const STRATEGY = 'servicem8'
const RETURN_PATH = '/api/oauth/callback'
/** Cookies of the last attempts only: too many would exceed a server's header limit. */
const MOST_ATTEMPTS_PER_BROWSER = 5

class ExchangeError extends Error {
  override name = 'ExchangeError'
  readonly code: ExchangeOutcome
  constructor(code: ExchangeOutcome) {
    super(`the code was not exchanged: ${code}`)
    this.code = code
  }
}

/** A class because remix-auth strategies are extended by overriding. One instance per request. */
class PlatformStrategy extends OAuth2Strategy<FinishedSignIn> {
  override name = STRATEGY
  private readonly app: Pick<App, 'oauth' | 'settings' | 'log'>
  private readonly state: string

  /** `state` is used at the start; a return brings its own. */
  constructor(
    app: Pick<App, 'oauth' | 'settings' | 'log'>,
    state: string,
    verify: ConstructorParameters<typeof OAuth2Strategy<FinishedSignIn>>[1],
  ) {
    const returnAddress = app.settings.origin + RETURN_PATH
    const secure = isSecure(app)
    const cookie = {
      name: signInCookiePrefix(secure),
      httpOnly: true,
      sameSite: 'Lax',
      ...(secure ? { secure } : {}),
      path: '/',
      maxAge: SIGN_IN_LASTS / 1000,
    } as const
    // The adapter owns client and endpoints: only the two methods below would use these values.
    const unused = {
      clientId: '-',
      clientSecret: null,
      authorizationEndpoint: returnAddress,
      tokenEndpoint: returnAddress,
    }
    super({ ...unused, redirectURI: returnAddress, cookie }, verify)
    this.app = app
    this.state = state
  }

  protected override createAuthorizationURL(): { state: string; codeVerifier: string; url: URL } {
    const codeVerifier = newToken()
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
    const redirectUri = this.app.settings.origin + RETURN_PATH
    const url = new URL(this.app.oauth.authorizeUrl({ state: this.state, redirectUri, codeChallenge }))
    return { state: this.state, codeVerifier, url }
  }

  protected override async validateAuthorizationCode(code: string, codeVerifier: string): Promise<OAuth2Tokens> {
    const redirectUri = this.app.settings.origin + RETURN_PATH
    const exchanged = await this.app.oauth.exchangeCode({ code, redirectUri, codeVerifier })
    if (exchanged.outcome === 'ok') return asOAuth2Tokens(exchanged.value)
    this.app.log.warn({ outcome: exchanged.outcome, status: exchanged.status }, 'sign_in.exchange_failed')
    throw new ExchangeError(exchanged.outcome)
  }
}

type SignInApp = SubscriptionApp & Pick<App, 'oauth' | 'platformApi' | 'payments' | 'rulesChanged'>

function authenticatorOf(app: SignInApp, state: string, verify: (tokens: OAuth2Tokens) => Promise<FinishedSignIn>) {
  const strategy = new PlatformStrategy(app, state, ({ tokens }) => verify(tokens))
  return new Authenticator<FinishedSignIn>().use(strategy)
}

/** Sends the browser to the platform's consent page. `named` and `token` as in `startSignIn`. */
export async function beginAtPlatform(
  app: SignInApp,
  request: Request,
  asked: { named: string | null; token: string | null },
): Promise<Response> {
  const { state } = await startSignIn(app, asked)
  // A clean address: the strategy would take a `state` in the query for a return.
  const beginning = new Request(app.settings.origin + RETURN_PATH, { headers: cookieHeader(request) })
  const authenticator = authenticatorOf(app, state, () => Promise.reject(new Error('a beginning brings no tokens')))
  const redirect = await authenticator.authenticate(STRATEGY, beginning).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(redirect instanceof Response)) throw redirect ?? new Error('the strategy did not redirect')
  const secure = isSecure(app)
  const earlier = signInCookies(request, secure)
  for (const name of [...earlier.keys()].slice(0, Math.max(0, earlier.size - MOST_ATTEMPTS_PER_BROWSER + 1))) {
    redirect.headers.append('Set-Cookie', endedCookie(name, secure))
  }
  return redirect
}

/** The browser returns: stores everything and signs in, or shows a sentence at the gate and stores nothing. */
export async function returnFromPlatform(app: SignInApp, request: Request): Promise<Response> {
  const startedAt = app.clock.now()
  const ended = await endOfSignIn(app, request)
  const { accountUuid, problem } = ended
  if (accountUuid !== null) {
    const { pathname, search } = new URL(request.url)
    recordArrival(app, {
      accountUuid,
      activityType: 'sign_in',
      endpoint: `${pathname}${search}`,
      method: request.method,
      request: 'The return from the sign-in of ServiceM8.',
      response: problem === null ? 'Signed in.' : SIGN_IN_PROBLEMS[problem],
      statusCode: problem === null || problem === 'other_account' ? 200 : (STATUS_OF_PROBLEM[problem] ?? 401),
      userAgent: request.headers.get('user-agent'),
      startedAt,
    })
  }
  return ended.answer
}

/** The status a call would return; every other problem is 401. */
const STATUS_OF_PROBLEM: Partial<Record<SignInProblem, number>> = {
  platform_error: 502,
  platform_down: 503,
  platform_busy: 429,
  misconfigured: 500,
}

/** `accountUuid` = the account of the sign-in, if this browser has proved it. */
interface EndedSignIn {
  answer: Response
  accountUuid: string | null
  problem: SignInProblem | null
}

async function endOfSignIn(app: SignInApp, request: Request): Promise<EndedSignIn> {
  const params = new URL(request.url).searchParams
  const state = params.get('state')
  if (!state) return atGate(app, request, null, 'state_missing')
  // Check the browser before the attempt: a state shown in another browser must not consume the real one.
  if (!holdsState(request, isSecure(app), state)) return atGate(app, request, null, 'state_unknown')
  const taken = await takeSignIn(app, state)
  if (taken.outcome === 'problem') return atGate(app, request, taken.named, taken.problem)
  const refusal = problemOfReturn(params)
  if (refusal) return atGate(app, request, taken.named, refusal)

  const replaces = await sessionsToReplace(app, request, 'tab')
  const authenticator = authenticatorOf(app, state, (tokens) =>
    finishSignIn(app, { tokens: fromOAuth2Tokens(tokens), named: taken.named, replaces }),
  )
  try {
    const finished = await authenticator.authenticate(STRATEGY, request)
    if (finished.outcome === 'problem') return atGate(app, request, finished.returnTo, finished.problem)
    const cookie = sessionCookie('tab', isSecure(app), finished.sessionToken)
    const { returnTo, problem, linked } = finished
    const accountUuid = await app.store.accounts.resolveAccountId(returnTo)
    if (accountUuid !== null) {
      await beginTrial(app, accountUuid)
      await moveTicks(app, accountUuid)
      // If the add-on had been removed, ServiceM8 has ended every subscription. Nobody waits for this.
      repairSubscriptions(app, { only: accountUuid }).catch((error: unknown) => {
        app.log.error({ account: accountUuid, error }, 'subscriptions.repair_failed')
      })
    }
    const answer = redirectTo(signInReturn(returnTo, problem, linked), { 'Set-Cookie': cookie })
    return { answer, accountUuid, problem }
  } catch (error) {
    if (error instanceof ExchangeError) return atGate(app, request, taken.named, problemOf(error.code, 'exchange'))
    throw error
  }
}

async function atGate(
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings'>,
  request: Request,
  named: string | null,
  problem: SignInProblem,
): Promise<EndedSignIn> {
  app.log.info({ problem }, 'sign_in.ended')
  const id = readAccountId(named)
  const accountUuid = id === null ? null : await app.store.accounts.resolveAccountId(id)
  await recordRefusal(app, { accountUuid, action: 'sign_in', detail: { reason: problem } }, currentCaller()?.ip ?? '')
  // Anybody can begin a sign-in that names any account: its activity shows only what its own people tried.
  const session = await findSession(app, request)
  const isOwn = session?.accounts.some((own) => own.accountUuid === accountUuid) ?? false
  return { answer: redirectTo(signInReturn(named, problem)), accountUuid: isOwn ? accountUuid : null, problem }
}

function redirectTo(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 302, headers: { Location: location, ...headers } })
}

function cookieHeader(request: Request): Record<string, string> {
  const cookie = request.headers.get('cookie')
  return cookie === null ? {} : { cookie }
}

function signInCookies(request: Request, secure: boolean): Map<string, string> {
  const prefix = signInCookiePrefix(secure)
  return new Map([...readCookies(request.headers.get('cookie'))].filter(([name]) => name.startsWith(`${prefix}:`)))
}

/** The strategy's cookies have the form `state=…&<state>=<verifier>`. */
function holdsState(request: Request, secure: boolean, state: string): boolean {
  return [...signInCookies(request, secure).values()].some((value) => new URLSearchParams(value).get('state') === state)
}

/** The platform's tokens in the library's format. */
function asOAuth2Tokens(tokens: Tokens['value']): OAuth2Tokens {
  return {
    data: tokens,
    tokenType: () => 'bearer',
    accessToken: () => tokens.accessToken,
    accessTokenExpiresInSeconds: () => {
      throw new Error('only the moment of expiry is known')
    },
    accessTokenExpiresAt: () => new Date(tokens.expiresAt),
    hasRefreshToken: () => tokens.refreshToken !== '',
    refreshToken: () => tokens.refreshToken,
    hasScopes: () => tokens.scope !== '',
    scopes: () => tokens.scope.split(' '),
    idToken: () => {
      throw new Error('the platform issues no id token')
    },
  }
}

function fromOAuth2Tokens(tokens: OAuth2Tokens): Tokens['value'] {
  return {
    accessToken: tokens.accessToken(),
    refreshToken: tokens.refreshToken(),
    expiresAt: tokens.accessTokenExpiresAt().getTime(),
    scope: tokens.scopes().join(' '),
  }
}

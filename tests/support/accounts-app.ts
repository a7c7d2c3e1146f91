// Accounts, sign-in and sessions on a real database file and the sandbox's platform over HTTP, with a browser that
// calls the route modules as the server does: origin check first, cookies kept.
import type { IncomingHttpHeaders } from 'node:http'
import type { AppLoadContext } from '@remix-run/node'
import type { PlatformApi } from '#app/adapters/platform.ts'
import { createServiceM8Api, type ServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import { createServiceM8OAuth } from '#app/adapters/servicem8/servicem8-oauth.server.ts'
import { createSignedReader } from '#app/adapters/servicem8/servicem8-signed.server.ts'
import type { App } from '#app/context/app-context.ts'
import { AMPLE_SPACE } from '#app/domain/space.ts'
import { createCallAsAccount } from '#app/features/accounts/call-as-account.server.ts'
import { auditStore } from '#app/features/audit/audited-store.server.ts'
import { admitRequest } from '#app/http/origin-check.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { accountStore } from '#db/sql/accounts/accounts.server.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { AccountStore } from '#db/store/accounts.ts'
import { APP_ID, APP_SECRET, type PlatformAccount, type PlatformServer, startPlatform } from './platform-server.ts'
import { QUIET, testApp } from './test-app.server.ts'

export interface AccountsApp {
  app: App
  client: Client
  store: AccountStore
  clock: FixedClock
  platform: PlatformServer
  /** Every log line as JSON text. */
  logged: string[]
  /** A second process on the same file: its own memory, the same rows. */
  restarted(): App['callAsAccount']
  close(): Promise<void>
}

/** A short timeout for an exchange that is sure to hang; any other gets enough time for a busy machine. */
const [HANGING_MS, PATIENT_MS] = [300, 60_000]

export async function accountsApp(options: { origin?: string; adminAccounts?: string[] } = {}): Promise<AccountsApp> {
  const clock = fixedClock()
  const origin = options.origin ?? 'https://fieldhook.test'
  const scopes = ['vendor', 'read_jobs']
  const base = testApp(clock, { origin, adminAccounts: new Set(options.adminAccounts), scopes, version: '0.0.0' })
  const { client } = base
  const { secrets } = base.app
  const store = accountStore(client, clock)
  const audited = auditStore({ store: base.app.store, clock, log: QUIET })
  const platform = await startPlatform({ clock, origin })
  const logged: string[] = []
  const log = recordingLog(logged)
  const within = (ms: number) =>
    createServiceM8Api({ apiUrl: platform.url, clock, log, timeouts: { read: ms, subscribe: ms } })
  const platformApi = leavingWhatHangs(platform, within(PATIENT_MS), within(HANGING_MS))
  const oauth = createServiceM8OAuth({
    oauthUrl: platform.url,
    appId: APP_ID,
    appSecret: APP_SECRET,
    scopes,
    clock,
    log,
    get timeout() {
      return platform.hangs('token') ? HANGING_MS : PATIENT_MS
    },
  })
  const restarted = () => createCallAsAccount({ store, clock, log, secrets, oauth, platformApi })
  const parts = {
    ...base.app,
    store: audited.store,
    log,
    platformApi,
    oauth,
    callAsAccount: restarted(),
    readSigned: createSignedReader({ appSecret: APP_SECRET, clock }),
    space: AMPLE_SPACE,
  }
  return {
    // Parts that accounts do not use (deliveries, outbound) are missing.
    app: parts as unknown as App,
    client,
    store,
    clock,
    platform,
    logged,
    restarted,
    async close() {
      await platform.close()
      base.close()
    },
  }
}

function leavingWhatHangs(platform: PlatformServer, patient: ServiceM8Api, hanging: ServiceM8Api): ServiceM8Api {
  const choosing = (patient: PlatformApi, hanging: PlatformApi): PlatformApi => ({
    ...patient,
    vendor: (token) => (platform.hangs('vendor') ? hanging : patient).vendor(token),
  })
  return {
    ...choosing(patient, hanging),
    actingFor: (...whom) => choosing(patient.actingFor(...whom), hanging.actingFor(...whom)),
  }
}

function recordingLog(lines: string[]): Log {
  const write = (level: string) => (fields: Record<string, unknown>, message: string) => {
    const error = fields.error instanceof Error ? { error: String(fields.error.stack) } : {}
    lines.push(JSON.stringify({ level, message, ...fields, ...error }))
  }
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  }
  return log
}

type RouteAnswer = (args: {
  request: Request
  context: AppLoadContext
  params: Record<string, string>
}) => Response | Promise<Response>

export interface RouteBrowser {
  /** Calls a route module. `url` is a path with query, or an absolute address of the product. */
  get(route: RouteAnswer, url: string, options?: CallOptions): Promise<Response>
  postJson(route: RouteAnswer, url: string, body: unknown, options?: CallOptions): Promise<Response>
  postForm(
    route: RouteAnswer,
    url: string,
    fields: Record<string, string> | [string, string][],
    options?: CallOptions,
  ): Promise<Response>
  cookies: Map<string, string>
  /** The Set-Cookie lines of the last answer. */
  setCookies: string[]
}

interface CallOptions {
  params?: Record<string, string>
  headers?: Record<string, string>
  method?: string
}

/** Each browser has its own address, so that rate limits count it separately. */
let browsers = 0

export function routeBrowser({ app }: Pick<AccountsApp, 'app'>): RouteBrowser {
  browsers += 1
  const clientIp = `192.0.2.${browsers % 256}`
  const origin = app.settings.origin
  const cookies = new Map<string, string>()

  async function call(route: RouteAnswer, url: string, init: RequestInit, options: CallOptions): Promise<Response> {
    const method = options.method ?? init.method ?? 'GET'
    const headers: IncomingHttpHeaders = {
      ...(cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
      'sec-fetch-site': method === 'GET' ? 'none' : 'same-origin',
      ...(init.headers as Record<string, string> | undefined),
      ...options.headers,
    }
    const address = new URL(url, origin)
    const refusal = admitRequest({ method, url: address.pathname + address.search, headers }, origin)
    if (refusal) return Response.json({ message: refusal.message }, { status: refusal.status })
    const request = new Request(address, { ...init, method, headers: headers as Record<string, string> })
    const context = { app, clientIp, nonce: 'nonce-of-this-answer' }
    const answer = await route({ request, context, params: options.params ?? {} })
    browser.setCookies = answer.headers.getSetCookie()
    for (const line of browser.setCookies) {
      const [pair = ''] = line.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (/max-age=0(;|$)/i.test(line)) cookies.delete(name)
      else cookies.set(name, pair.slice(name.length + 1))
    }
    return answer
  }

  const browser: RouteBrowser = {
    cookies,
    setCookies: [],
    get: (route, url, options = {}) => call(route, url, {}, options),
    postJson: (route, url, body, options = {}) =>
      call(
        route,
        url,
        {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        },
        options,
      ),
    postForm: (route, url, fields, options = {}) =>
      call(
        route,
        url,
        {
          method: 'POST',
          body: new URLSearchParams(fields).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
        options,
      ),
  }
  return browser
}

/** Stores an account that signed in an hour ago; returns a browser cookie of a session that includes it. */
export async function connect(
  { app, platform, clock }: AccountsApp,
  account: PlatformAccount,
  options: { lastsMs?: number } = {},
): Promise<{ cookie: string; accessToken: string; refreshToken: string }> {
  const tokens = platform.issue(account)
  const token = newToken()
  const now = clock.now()
  const place = (column: string) => `credential|${account.uuid}|${column}`
  await app.store.accounts.completeSignIn(
    {
      account,
      tokens: {
        accessTokenSealed: await app.secrets.seal(place('access_token'), tokens.accessToken),
        refreshTokenSealed: await app.secrets.seal(place('refresh_token'), tokens.refreshToken),
        expiresAt: now + (options.lastsMs ?? 3_600_000),
        scope: 'vendor',
      },
      named: '',
      session: {
        tokenHash: hashToken(token),
        expiresAt: now + 86_400_000,
        account: { accountUuid: account.uuid, staffUuid: null, proof: 'oauth', provedAt: now },
        replaces: [],
        carryProofsSince: now,
      },
    },
    () => 'same',
  )
  return { cookie: token, ...tokens }
}

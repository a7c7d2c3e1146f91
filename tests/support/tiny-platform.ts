// A platform of a hundred lines for tests of sign-in and tokens: codes and refresh tokens work once, and it can misbehave.
// The sandbox is the whole stand-in; this one can be broken at every step and counts what it is asked.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const APP_ID = 'app-1'
export const APP_SECRET = 'the-secret-of-the-add-on-in-a-test'

export interface TinyAccount {
  uuid: string
  name: string
  timezone: string
}

export const BRISBANE: TinyAccount = {
  uuid: '11111111-1111-4111-8111-111111111111',
  name: 'Brisbane Plumbing',
  timezone: 'Australia/Brisbane',
}
export const LEEDS: TinyAccount = {
  uuid: '22222222-2222-4222-8222-222222222222',
  name: 'Leeds Electrical',
  timezone: 'Europe/London',
}

/** `hang` never answers; `reset` cuts the connection; a number is that status with a page of HTML. */
export type Fault = 'hang' | 'reset' | number

interface Grant {
  account: TinyAccount
  redirectUri: string
  challenge: string | null
}

export interface TinyPlatform {
  url: string
  /** What it does wrong at each step, until taken away. */
  faults: { token?: Fault; refresh?: Fault; vendor?: Fault }
  counts: { exchanges: number; refreshes: number; vendorCalls: number }
  /** Runs before a vendor call is answered. */
  onVendor: (accessToken: string) => Promise<void> | void
  /** Plays the person who agrees at the consent page: from the address we sent them to, the address they come back to. */
  consent(authorizeUrl: string, account: TinyAccount): string
  /** Tokens as an exchange would give them. */
  issue(account: TinyAccount): { accessToken: string; refreshToken: string }
  /** From now on these access tokens get 401. */
  expireAccessTokens(): void
  /** The account removed the add-on: refreshing is refused. */
  revoke(account: TinyAccount): void
  close(): Promise<void>
}

export async function startTinyPlatform(): Promise<TinyPlatform> {
  const codes = new Map<string, Grant>()
  const accessTokens = new Map<string, TinyAccount>()
  const refreshTokens = new Map<string, TinyAccount>()
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => json(res, 500, { message: String(error) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const platform: TinyPlatform = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: {},
    counts: { exchanges: 0, refreshes: 0, vendorCalls: 0 },
    onVendor: () => undefined,
    consent(authorizeUrl, account) {
      const params = new URL(authorizeUrl).searchParams
      const redirectUri = params.get('redirect_uri') ?? ''
      const code = randomUUID()
      codes.set(code, { account, redirectUri, challenge: params.get('code_challenge') })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', params.get('state') ?? '')
      return back.toString()
    },
    issue(account) {
      const pair = { accessToken: `access-${randomUUID()}`, refreshToken: `refresh-${randomUUID()}` }
      accessTokens.set(pair.accessToken, account)
      refreshTokens.set(pair.refreshToken, account)
      return pair
    },
    expireAccessTokens: () => accessTokens.clear(),
    revoke(account) {
      for (const [token, owner] of refreshTokens) if (owner.uuid === account.uuid) refreshTokens.delete(token)
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return platform

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', platform.url).pathname
    if (req.method === 'POST' && path === '/oauth/access_token') return answerToken(req, res)
    if (req.method === 'GET' && path === '/api_1.0/vendor.json') return answerVendor(req, res)
    json(res, 404, { errorCode: 404, message: 'Not found' })
  }

  async function answerToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return json(res, 400, { error: 'invalid_request', error_description: 'send a form' })
    }
    const form = new URLSearchParams(await bodyOf(req))
    const refreshing = form.get('grant_type') === 'refresh_token'
    platform.counts[refreshing ? 'refreshes' : 'exchanges'] += 1
    if (misbehave(req, res, refreshing ? platform.faults.refresh : platform.faults.token)) return
    if (form.get('client_id') !== APP_ID || form.get('client_secret') !== APP_SECRET) {
      return json(res, 401, { error: 'invalid_client' })
    }
    const account = refreshing ? takeRefreshToken(form) : takeCode(form)
    if (!account) return json(res, 400, { error: 'invalid_grant', error_description: 'It was used before.' })
    const { accessToken, refreshToken } = platform.issue(account)
    const scope = 'vendor read_jobs'
    json(res, 200, {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: '3600',
      token_type: 'bearer',
      scope,
    })
  }

  function takeRefreshToken(form: URLSearchParams): TinyAccount | null {
    const token = form.get('refresh_token') ?? ''
    const account = refreshTokens.get(token) ?? null
    refreshTokens.delete(token)
    return account
  }

  function takeCode(form: URLSearchParams): TinyAccount | null {
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const verifier = form.get('code_verifier') ?? ''
    const proof = createHash('sha256').update(verifier).digest('base64url')
    const proved = !grant?.challenge || grant.challenge === proof
    return grant && proved && grant.redirectUri === form.get('redirect_uri') ? grant.account : null
  }

  async function answerVendor(req: IncomingMessage, res: ServerResponse): Promise<void> {
    platform.counts.vendorCalls += 1
    if (misbehave(req, res, platform.faults.vendor)) return
    const token = (req.headers.authorization ?? '').replace('Bearer ', '')
    await platform.onVendor(token)
    const account = accessTokens.get(token)
    if (!account) return json(res, 401, { errorCode: '401', message: 'Authorization Required' })
    json(res, 200, [{ uuid: account.uuid, name: account.name, timezone_name: account.timezone, active: '1' }])
  }
}

function misbehave(req: IncomingMessage, res: ServerResponse, fault: Fault | undefined): boolean {
  if (fault === undefined) return false
  if (fault === 'reset') req.socket.destroy()
  if (typeof fault === 'number') res.writeHead(fault, { 'content-type': 'text/html' }).end('<h1>Oops</h1>')
  return true
}

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { LONDON, openStage, SYDNEY, type TestStage } from '../testing.server.ts'

let stage: TestStage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.stop())

const CLIENT = { client_id: 'app-1', client_secret: 'secret-1' }

function authorizePath(change: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'app-1',
    scope: 'vendor read_jobs',
    redirect_uri: `${stage.origin}/back`,
    state: 'a state&with=signs',
    ...change,
  })
  return `/oauth/authorize?${query}`
}

function ticketOf(page: string): string {
  return /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
}

async function agree(change: Record<string, string> = {}, account = SYDNEY): Promise<URL> {
  const page = await stage.call(authorizePath(change))
  const form = { ticket: ticketOf(page.text), account, decision: 'accept' }
  const answer = await stage.call('/oauth/authorize', { form })
  return new URL(answer.headers.get('location') ?? '')
}

function exchange(code: string, change: Record<string, string> = {}) {
  const form = { ...CLIENT, grant_type: 'authorization_code', code, redirect_uri: `${stage.origin}/back`, ...change }
  return stage.call('/oauth/access_token', { form })
}

function refresh(refresh_token: string) {
  return stage.call('/oauth/access_token', { form: { ...CLIENT, grant_type: 'refresh_token', refresh_token } })
}

test('the consent page names the accounts and both answers, and runs no script', async () => {
  const page = await stage.call(authorizePath({ scope: 'vendor publish_sms' }))
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.text).toContain('Harbour Plumbing')
  expect(page.text).toContain('Thames Electrical')
  expect(page.text).toContain('value="accept"')
  expect(page.text).toContain('value="deny"')
  expect(page.text).toContain('can cause charges')
  expect(page.text).not.toContain('<script')
})

test('an account asked for by address or cookie is preselected', async () => {
  const byQuery = await stage.call(authorizePath({ account: LONDON }))
  expect(byQuery.text).toContain(`value="${LONDON}" required checked`)
  const byCookie = await stage.call(authorizePath(), { headers: { cookie: `sandbox_account=${LONDON}` } })
  expect(byCookie.text).toContain(`value="${LONDON}" required checked`)
})

test('agreeing leads back with a code and the state unchanged', async () => {
  const back = await agree()
  expect(back.pathname).toBe('/back')
  expect(back.searchParams.get('state')).toBe('a state&with=signs')
  expect(back.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
})

test('refusing leads back with error, description and state', async () => {
  const page = await stage.call(authorizePath())
  const form = { ticket: ticketOf(page.text), account: SYDNEY, decision: 'deny' }
  const back = new URL((await stage.call('/oauth/authorize', { form })).headers.get('location') ?? '')
  expect(back.searchParams.get('error')).toBe('access_denied')
  expect(back.searchParams.get('error_description')).toContain('did not agree')
  expect(back.searchParams.get('state')).toBe('a state&with=signs')
})

test.each([
  ['another host', 'https://evil.example/back'],
  ['no address', 'nonsense'],
  ['a script', 'javascript:alert(1)'],
])('a redirect_uri with %s is refused on the spot', async (_case, redirect_uri) => {
  const answer = await stage.call(authorizePath({ redirect_uri }))
  expect(answer.status).toBe(400)
  expect(answer.headers.get('location')).toBeNull()
})

test('an unknown add-on is refused on the spot, an unknown scope by redirect', async () => {
  expect((await stage.call(authorizePath({ client_id: 'other' }))).status).toBe(400)
  const answer = await stage.call(authorizePath({ scope: 'vendor read_minds' }))
  expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_scope')
})

test('a consent form works once', async () => {
  const ticket = ticketOf((await stage.call(authorizePath())).text)
  const form = { ticket, account: SYDNEY, decision: 'accept' }
  expect((await stage.call('/oauth/authorize', { form })).status).toBe(302)
  expect((await stage.call('/oauth/authorize', { form })).status).toBe(400)
})

test('a code becomes tokens that read the account which agreed', async () => {
  const code = (await agree({}, LONDON)).searchParams.get('code') ?? ''
  const answer = await exchange(code)
  expect(answer.status).toBe(200)
  const tokens = answer.json<Record<string, string>>()
  expect(tokens).toMatchObject({ expires_in: 3600, token_type: 'bearer', scope: 'vendor read_jobs' })
  const vendor = await stage.call('/api_1.0/vendor.json', { token: tokens.access_token })
  expect(vendor.json<{ uuid: string; timezone_name: string }[]>()).toMatchObject([
    { uuid: LONDON, timezone_name: 'Europe/London' },
  ])
})

test('a code works once, for a minute, and only with its redirect_uri', async () => {
  const once = (await agree()).searchParams.get('code') ?? ''
  expect((await exchange(once)).status).toBe(200)
  expect((await exchange(once)).json()).toMatchObject({ error: 'invalid_grant' })

  const late = (await agree()).searchParams.get('code') ?? ''
  stage.clock.advance(minutes(2))
  expect((await exchange(late)).status).toBe(400)

  const elsewhere = (await agree()).searchParams.get('code') ?? ''
  expect((await exchange(elsewhere, { redirect_uri: `${stage.origin}/other` })).status).toBe(400)
})

test('the token endpoint takes a form only and insists on the secret', async () => {
  const json = { ...CLIENT, grant_type: 'refresh_token', refresh_token: 'x' }
  expect((await stage.call('/oauth/access_token', { json })).status).toBe(400)
  const code = (await agree()).searchParams.get('code') ?? ''
  const wrong = await exchange(code, { client_secret: 'wrong' })
  expect(wrong.json()).toMatchObject({ error: 'invalid_client' })
  expect((await exchange(code, { grant_type: 'password' })).json()).toMatchObject({ error: 'unsupported_grant_type' })
  expect((await exchange(code)).status).toBe(200)
})

test('a code challenge is checked when one was sent', async () => {
  const verifier = 'v'.repeat(50)
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const asked = { code_challenge, code_challenge_method: 'S256' }
  const wrong = (await agree(asked)).searchParams.get('code') ?? ''
  expect((await exchange(wrong, { code_verifier: 'w'.repeat(50) })).json()).toMatchObject({ error: 'invalid_grant' })
  const right = (await agree(asked)).searchParams.get('code') ?? ''
  expect((await exchange(right, { code_verifier: verifier })).status).toBe(200)
})

test('every refresh replaces the refresh token and a second use of the old one fails', async () => {
  const first = stage.world.grant(SYDNEY, 'vendor')
  const second = (await refresh(first.refresh_token)).json<Record<string, string>>()
  expect(second.refresh_token).not.toBe(first.refresh_token)
  const reused = await refresh(first.refresh_token)
  expect(reused.status).toBe(400)
  expect(reused.json()).toMatchObject({ error: 'invalid_grant' })
  expect((await refresh(second.refresh_token ?? '')).status).toBe(200)
})

test('of two refreshes at the same time one wins', async () => {
  const { refresh_token } = stage.world.grant(SYDNEY, 'vendor')
  const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)])
  expect(answers.map((one) => one.status).sort()).toEqual([200, 400])
})

test('an access token ends after an hour', async () => {
  const { access_token } = stage.world.grant(SYDNEY, 'vendor')
  stage.clock.advance(hours(1) - 1)
  expect((await stage.call('/api_1.0/vendor.json', { token: access_token })).status).toBe(200)
  stage.clock.advance(1)
  const answer = await stage.call('/api_1.0/vendor.json', { token: access_token })
  expect(answer.status).toBe(401)
  expect(answer.json()).toEqual({ errorCode: 401, message: 'Authorization Required' })
})

test('removing the add-on ends its tokens and subscriptions', async () => {
  const tokens = stage.world.grant(SYDNEY, 'vendor read_jobs')
  await stage.subscribe(tokens.access_token, 'job', 'status')
  stage.world.removeAddon(SYDNEY)
  expect((await stage.call('/api_1.0/vendor.json', { token: tokens.access_token })).status).toBe(401)
  expect((await refresh(tokens.refresh_token)).status).toBe(400)
  expect(stage.world.subscriptions(SYDNEY).filter((one) => one.active)).toEqual([])
  expect(stage.world.findAccount(SYDNEY)?.connected).toBe(false)
})

test('a scope that is withheld is not granted although asked for', async () => {
  stage.world.setOptions(SYDNEY, { withheldScopes: ['read_jobs'] })
  const tokens = stage.world.grant(SYDNEY, 'vendor read_jobs')
  expect(tokens.scope).toBe('vendor')
  const answer = await stage.call('/api_1.0/job.json', { token: tokens.access_token })
  expect(answer.status).toBe(403)
  expect(answer.json<{ message: string }>().message).toMatch(/insufficient_scope.*read_jobs scope required/)
})

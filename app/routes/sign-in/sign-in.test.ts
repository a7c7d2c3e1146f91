import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { returnMessage, SIGN_IN_PROBLEMS } from '#app/features/accounts/sign-in.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { loader as authorize } from '#app/routes/sign-in/authorize.ts'
import { loader as callback } from '#app/routes/sign-in/callback.ts'
import { action as signOut } from '#app/routes/sign-in/sign-out.ts'
import { type AccountsApp, accountsApp, connect, type RouteBrowser, routeBrowser } from '#tests/support/accounts-app.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { BRISBANE, LEEDS, type PlatformAccount } from '#tests/support/platform-server.ts'

const accounts = apiRoute('api/accounts')

let world: AccountsApp
let browser: RouteBrowser

beforeEach(async () => {
  world = await accountsApp()
  browser = routeBrowser(world)
})
afterEach(() => world.close())

const EXTERNAL = 'ext-4711'

async function begin(query = `accountuuid=${EXTERNAL}&token=generic-flow`, who = browser): Promise<string> {
  const sent = await who.get(authorize, `/api/oauth/authorize?${query}`)
  expect(sent.status).toBe(302)
  return sent.headers.get('location') ?? ''
}

/** Where the browser is sent in the end, taken apart. */
async function finish(returnAddress: string, who = browser) {
  const answer = await who.get(callback, returnAddress)
  expect(answer.status).toBe(302)
  const location = new URL(answer.headers.get('location') ?? '', 'https://fieldhook.test')
  expect(location.pathname).toBe('/fieldhook')
  const { reason, ...said } = Object.fromEntries(location.searchParams)
  // What the page finds by the reason is what the address says to people.
  if (said.message) expect(returnMessage(reason ?? null, said.accountUUID ?? null)).toContain(said.message)
  else expect(reason).toBeUndefined()
  return said as Record<string, string>
}

async function signIn(account: PlatformAccount, query?: string, who = browser) {
  return finish(await world.platform.consent(await begin(query, who), account), who)
}

async function sessionAccounts(who = browser): Promise<unknown> {
  return (await who.get(accounts, '/api/accounts')).json()
}

describe('the way to the consent page', () => {
  it('names our fixed return address, the scopes, a fresh state and a proof key', async () => {
    const url = new URL(await begin())
    const params = Object.fromEntries(url.searchParams)
    expect(url.origin + url.pathname).toBe(`${world.platform.url}/oauth/authorize`)
    expect(params).toMatchObject({
      response_type: 'code',
      client_id: 'app-1',
      scope: 'vendor read_jobs',
      redirect_uri: 'https://fieldhook.test/api/oauth/callback',
      code_challenge_method: 'S256',
    })
    expect(params.state).toMatch(/^[\w-]{43}$/)
    expect(new URL(await begin()).searchParams.get('state')).not.toBe(params.state)
  })

  it('never takes the state from the address', async () => {
    const chosen = 'x'.repeat(43)
    const state = new URL(await begin(`accountuuid=${EXTERNAL}&token=${chosen}&state=${chosen}`)).searchParams.get(
      'state',
    )
    expect(state).not.toBe(chosen)
  })

  it('ties the attempt to the browser with a cookie for ten minutes', async () => {
    await begin()
    expect(browser.setCookies).toHaveLength(1)
    expect(browser.setCookies[0]).toMatch(
      /^__Host-sign-in:[\w-]+=.*; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
    )
  })

  it('keeps the cookies of the last five attempts', async () => {
    for (let attempt = 0; attempt < 9; attempt += 1) await begin()
    expect([...browser.cookies.keys()].filter((name) => name.startsWith('__Host-sign-in'))).toHaveLength(5)
    expect(await signIn(BRISBANE)).toMatchObject({ auth: 'success' })
  })

  it('lets one address begin twenty times a minute', async () => {
    for (let attempt = 0; attempt < 20; attempt += 1) await begin()
    const refused = await browser.get(authorize, '/api/oauth/authorize')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('3')
  })
})

describe('a sign-in that works', () => {
  it('ends at the manager with the id of the address, a session and a sealed credential', async () => {
    expect(await signIn(BRISBANE)).toEqual({
      accountUUID: EXTERNAL,
      auth: 'success',
      message: 'External account ext-4711 linked to the platform account.',
    })
    expect(browser.setCookies).toEqual([
      expect.stringMatching(/^__Host-sid-top=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/),
    ])
    expect(await sessionAccounts()).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: true }])
    expect(await world.store.findAccount(BRISBANE.uuid)).toEqual(BRISBANE)
    expect(await world.store.resolveAccountId(EXTERNAL)).toBe(BRISBANE.uuid)
    const credential = await world.store.findCredential(BRISBANE.uuid)
    expect(credential).toMatchObject({ state: 'connected', generation: 1, scope: 'vendor read_jobs' })
    expect(credential?.accessTokenSealed).toMatch(/^v1\.k1\./)
    expect(JSON.stringify(credential)).not.toMatch(/access-|refresh-/)
  })

  it('reads the other spelling of the parameter too', async () => {
    expect(await signIn(BRISBANE, `accountUUID=${EXTERNAL}`)).toMatchObject({ accountUUID: EXTERNAL, auth: 'success' })
  })

  it('says only once that it linked the id', async () => {
    await signIn(BRISBANE)
    expect(await signIn(BRISBANE)).toEqual({ accountUUID: EXTERNAL, auth: 'success' })
  })

  it('needs no mapping when the address names the account itself', async () => {
    expect(await signIn(BRISBANE, `accountuuid=${BRISBANE.uuid.toUpperCase()}`)).toEqual({
      accountUUID: BRISBANE.uuid,
      auth: 'success',
    })
  })

  it('goes to the account itself when the address names none', async () => {
    expect(await signIn(BRISBANE, 'token=generic-flow')).toEqual({ accountUUID: BRISBANE.uuid, auth: 'success' })
  })

  it('uses plain cookie names over http, as browsers on localhost need it', async () => {
    const local = await accountsApp({ origin: 'http://localhost:3000' })
    const visitor = routeBrowser(local)
    const sent = await visitor.get(authorize, `/api/oauth/authorize?accountuuid=${EXTERNAL}`)
    const back = await local.platform.consent(sent.headers.get('location') ?? '', BRISBANE)
    await visitor.get(callback, back)
    expect(visitor.setCookies).toEqual([expect.stringMatching(/^sid-top=[\w-]{43}; .*SameSite=Lax$/)])
    expect(await sessionAccounts(visitor)).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: true }])
    await local.close()
  })

  it('gives a new session each time and carries the other accounts over', async () => {
    await signIn(BRISBANE)
    const first = browser.cookies.get('__Host-sid-top') ?? ''
    await signIn(LEEDS, 'accountuuid=ext-leeds')
    expect(await sessionAccounts()).toEqual(
      expect.arrayContaining([
        { accountUUID: BRISBANE.uuid, hasToken: true },
        { accountUUID: LEEDS.uuid, hasToken: true },
      ]),
    )
    browser.cookies.set('__Host-sid-top', first)
    expect(await sessionAccounts()).toEqual([])
  })

  it('renews a connection that had to be made anew', async () => {
    await signIn(BRISBANE)
    await world.store.markReconnect(BRISBANE.uuid, 1, 'It was used before.')
    await signIn(BRISBANE)
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({
      state: 'connected',
      stateReason: null,
      generation: 2,
    })
  })

  it('stands in the API activity with its address, well or not, and without a secret', async () => {
    const address = await begin()
    const back = await world.platform.consent(address, BRISBANE)
    await browser.get(callback, back, { headers: { 'user-agent': 'A browser' } })
    await browser.get(callback, back)
    const activity = () => world.app.store.events.listApiActivity(BRISBANE.uuid, 10)
    // Written without waiting.
    const signIns = async () => (await activity()).filter(({ activityType }) => activityType === 'sign_in')
    await expect.poll(signIns).toMatchObject([
      { statusCode: 401, responseData: SIGN_IN_PROBLEMS.state_used },
      {
        endpoint: '/api/oauth/callback?code=[hidden]&state=[hidden]',
        method: 'GET',
        statusCode: 200,
        responseData: 'Signed in.',
        userAgent: 'A browser',
        remoteIp: expect.stringMatching(/^192\.0\.2\.\d+$/),
        durationMs: expect.any(Number),
      },
    ])
    const code = new URL(back).searchParams.get('code') ?? ''
    expect(JSON.stringify(await activity())).not.toContain(code)
  })

  it('writes no token, code or state into the log', async () => {
    const address = await begin()
    const back = await world.platform.consent(address, BRISBANE)
    await finish(back)
    const secrets = [
      new URL(address).searchParams.get('state'),
      new URL(back).searchParams.get('code'),
      browser.cookies.get('__Host-sid-top'),
    ]
    for (const secret of secrets) expect(world.logged.join('\n')).not.toContain(secret)
    expect(world.logged.join('\n')).not.toMatch(/access-|refresh-/)
  })
})

describe('a sign-in that ends otherwise', () => {
  afterEach(async () => {
    // Whatever went wrong: nothing half-stored.
    expect(await world.store.findAccount(BRISBANE.uuid)).toBeNull()
    expect(await world.store.findCredential(BRISBANE.uuid)).toBeNull()
    expect(await world.store.resolveAccountId(EXTERNAL)).toBeNull()
    expect(await sessionAccounts()).toEqual([])
  })

  it('says so when the person closed the consent page', async () => {
    const state = new URL(await begin()).searchParams.get('state')
    expect(await finish(`/api/oauth/callback?error=access_denied&state=${state}`)).toEqual({
      accountUUID: EXTERNAL,
      auth: 'error',
      message: SIGN_IN_PROBLEMS.denied,
    })
  })

  it('uses the state up by a refusal too', async () => {
    const address = await begin()
    const state = new URL(address).searchParams.get('state')
    await finish(`/api/oauth/callback?error=access_denied&state=${state}`)
    expect(await finish(await world.platform.consent(address, BRISBANE))).toMatchObject({
      message: SIGN_IN_PROBLEMS.state_used,
    })
  })

  it('refuses a return without state', async () => {
    const back = new URL(await world.platform.consent(await begin(), BRISBANE))
    back.searchParams.delete('state')
    expect(await finish(back.toString())).toEqual({ auth: 'error', message: SIGN_IN_PROBLEMS.state_missing })
  })

  it('refuses a state that was never issued', async () => {
    const back = new URL(await world.platform.consent(await begin(), BRISBANE))
    back.searchParams.set('state', 'A'.repeat(43))
    expect(await finish(back.toString())).toEqual({ auth: 'error', message: SIGN_IN_PROBLEMS.state_unknown })
  })

  it("refuses another browser's state, and leaves it usable in its own", async () => {
    const back = await world.platform.consent(await begin(), BRISBANE)
    const other = routeBrowser(world)
    await begin(undefined, other)
    expect(await finish(back, other)).toEqual({ auth: 'error', message: SIGN_IN_PROBLEMS.state_unknown })
    expect(world.platform.counts.exchanges).toBe(0)
    const state = new URL(back).searchParams.get('state') ?? ''
    expect(await world.store.takeSignIn(hashToken(state))).toEqual({ outcome: 'taken', externalId: EXTERNAL })
  })

  it('refuses a state after ten minutes', async () => {
    const back = await world.platform.consent(await begin(), BRISBANE)
    world.clock.advance(10 * 60_000)
    expect(await finish(back)).toMatchObject({ accountUUID: EXTERNAL, message: SIGN_IN_PROBLEMS.state_expired })
    expect(world.platform.counts.exchanges).toBe(0)
  })

  it('refuses a return without a code', async () => {
    const state = new URL(await begin()).searchParams.get('state')
    expect(await finish(`/api/oauth/callback?state=${state}`)).toMatchObject({ message: SIGN_IN_PROBLEMS.code_missing })
  })

  it('refuses a code that the platform does not know', async () => {
    const state = new URL(await begin()).searchParams.get('state')
    expect(await finish(`/api/oauth/callback?state=${state}&code=made-up`)).toMatchObject({
      message: SIGN_IN_PROBLEMS.code_refused,
    })
  })

  it.each([
    ['fails', 500],
    ['hangs', 'hang'],
    ['hangs up', 'reset'],
  ] as const)('says so when the platform %s during the exchange', async (_how, fault) => {
    world.platform.breaks('token', fault)
    expect(await signIn(BRISBANE)).toEqual({
      accountUUID: EXTERNAL,
      auth: 'error',
      message: SIGN_IN_PROBLEMS.platform_down,
    })
  })

  it.each([
    ['fails', 503, 'platform_down'],
    ['hangs', 'hang', 'platform_down'],
    ['limits requests', 429, 'platform_busy'],
    ['misses the scope', 403, 'scope_missing'],
    ['suspended the account', 402, 'suspended'],
  ] as const)('says so when the platform %s while telling who signed in', async (_how, fault, problem) => {
    world.platform.breaks('vendor', fault)
    expect(await signIn(BRISBANE)).toEqual({ accountUUID: EXTERNAL, auth: 'error', message: SIGN_IN_PROBLEMS[problem] })
  })
})

describe('an account that is being erased', () => {
  it('is not begun anew before it is gone, so that nothing new goes with the old', async () => {
    await signIn(BRISBANE)
    const { store, clock } = world.app
    await store.accounts.beginErasure(BRISBANE.uuid, {
      code: 'account_erased',
      reason: 'erased',
      at: clock.now(),
      removeAt: clock.now(),
    })
    const other = routeBrowser(world)
    expect(await signIn(BRISBANE, undefined, other)).toMatchObject({
      auth: 'error',
      message: SIGN_IN_PROBLEMS.being_erased,
    })
    expect(await sessionAccounts(other)).toEqual([])
    expect((await signIn(LEEDS, 'accountuuid=ext-leeds', other)).auth).toBe('success')
    await store.accounts.endErasure(BRISBANE.uuid, { answerGone: false })
    await store.accounts.closeErasure(BRISBANE.uuid)
    expect((await signIn(BRISBANE, undefined, other)).auth).toBe('success')
  })
})

describe('a state that was used', () => {
  it('does not work again, while what it brought stays', async () => {
    const back = await world.platform.consent(await begin(), BRISBANE)
    expect(await finish(back)).toMatchObject({ auth: 'success' })
    expect(await finish(back)).toEqual({ accountUUID: EXTERNAL, auth: 'error', message: SIGN_IN_PROBLEMS.state_used })
    expect(world.platform.counts.exchanges).toBe(1)
    expect(await sessionAccounts()).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: true }])
  })

  it('works for one of two returns at the same moment', async () => {
    const back = await world.platform.consent(await begin(), BRISBANE)
    const ends = await Promise.all([finish(back), finish(back)])
    expect(ends.map((end) => end.auth).sort()).toEqual(['error', 'success'])
    expect(world.platform.counts.exchanges).toBe(1)
  })
})

describe('signing in as another account than the address names', () => {
  it("gives a session for the account that signed in only, when the address names another account's uuid", async () => {
    await connect(world, LEEDS)
    expect(await signIn(BRISBANE, `accountuuid=${LEEDS.uuid}`)).toEqual({
      accountUUID: BRISBANE.uuid,
      auth: 'error',
      message: SIGN_IN_PROBLEMS.other_account,
    })
    expect(await sessionAccounts()).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: true }])
    expect(await world.store.resolveAccountId(LEEDS.uuid)).toBe(LEEDS.uuid)
  })

  it('stores nothing when the id leads to another account, and never moves it', async () => {
    await connect(world, LEEDS)
    await world.store.mapAccountId(EXTERNAL, LEEDS.uuid, 50, () => 'new')
    expect(await signIn(BRISBANE)).toEqual({ accountUUID: EXTERNAL, auth: 'error', message: SIGN_IN_PROBLEMS.taken })
    expect(await world.store.resolveAccountId(EXTERNAL)).toBe(LEEDS.uuid)
    expect(await world.store.findCredential(BRISBANE.uuid)).toBeNull()
    expect(await sessionAccounts()).toEqual([])
  })

  it('takes nothing from an account whose uuid somebody named before it ever signed in', async () => {
    await signIn(LEEDS, `accountuuid=${BRISBANE.uuid}`)
    expect(await world.store.resolveAccountId(BRISBANE.uuid)).toBe(LEEDS.uuid)
    const owner = routeBrowser(world)
    expect(await signIn(BRISBANE, `accountuuid=${BRISBANE.uuid}`, owner)).toMatchObject({ accountUUID: BRISBANE.uuid })
    expect(await world.store.resolveAccountId(BRISBANE.uuid)).toBe(BRISBANE.uuid)
    expect(await sessionAccounts()).toEqual([{ accountUUID: LEEDS.uuid, hasToken: true }])
  })
})

describe('signing out', () => {
  it('ends the session on the server and takes both cookies away', async () => {
    await signIn(BRISBANE)
    const token = browser.cookies.get('__Host-sid-top') ?? ''
    const answer = await browser.postForm(signOut, '/sign-out', {})
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/')
    expect(browser.cookies.has('__Host-sid-top')).toBe(false)
    browser.cookies.set('__Host-sid-top', token)
    expect(await sessionAccounts()).toEqual([])
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({ state: 'connected' })
  })

  it('happens on no other method', async () => {
    const answer = await browser.get(signOut, '/sign-out')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })
})

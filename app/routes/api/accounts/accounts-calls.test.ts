import { SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { type AccountsApp, accountsApp, connect, type RouteBrowser, routeBrowser } from '#tests/support/accounts-app.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { APP_SECRET, BRISBANE, LEEDS } from '#tests/support/platform-server.ts'

const accountLink = apiRoute('api/account-link')
const accountMapping = apiRoute('api/account-mapping')
const mappingOfId = apiRoute('api/account-mapping/:id')
const accounts = apiRoute('api/accounts')
const credentials = apiRoute('api/credentials')
const credentialsOfAccount = apiRoute('api/credentials/:id')

let world: AccountsApp
/** Signed in as Brisbane. */
let owner: RouteBrowser
/** Signed in as Leeds. */
let other: RouteBrowser
/** Nobody. */
let stranger: RouteBrowser

beforeEach(async () => {
  world = await accountsApp()
  owner = routeBrowser(world)
  other = routeBrowser(world)
  stranger = routeBrowser(world)
  owner.cookies.set('__Host-sid-top', (await connect(world, BRISBANE)).cookie)
  other.cookies.set('__Host-sid-top', (await connect(world, LEEDS)).cookie)
})
afterEach(() => world.close())

const NO_TOKEN = 'Access Token has a character that no token can have'
const NOT_FOUND = '{"message":"Not found"}'
const PLACEHOLDER = { accessToken: 'placeholder', refreshToken: 'placeholder', expiresAt: '2026-01-05T09:00:00.000Z' }

function credentialOf(who: RouteBrowser, id: string): Promise<Response> {
  return who.get(credentialsOfAccount, `/api/credentials/${id}`, { params: { id } })
}

function mappingOf(who: RouteBrowser, ext: string): Promise<Response> {
  return who.get(mappingOfId, `/api/account-mapping/${ext}`, { params: { id: ext } })
}

describe('GET /api/credentials/:id', () => {
  it('tells the owner that it is connected, and no token', async () => {
    const answered = await credentialOf(owner, BRISBANE.uuid)
    expect(answered.status).toBe(200)
    expect(await answered.json()).toEqual({
      accountUUID: BRISBANE.uuid,
      accessToken: 'connected',
      refreshToken: 'connected',
      expiresAt: '2026-01-05T10:00:00.000Z',
    })
  })

  it('answers everybody else with the bytes of an id that does not exist', async () => {
    for (const [who, id] of [
      [owner, 'unknown'],
      [owner, LEEDS.uuid],
      [owner, '../x'],
      [stranger, BRISBANE.uuid],
      [other, BRISBANE.uuid],
    ] as const) {
      const answered = await credentialOf(who, id)
      expect([answered.status, await answered.text()]).toEqual([404, NOT_FOUND])
    }
  })

  it('finds the account by an external id and repeats that id', async () => {
    await world.store.mapAccountId('ext-1', BRISBANE.uuid, 50, () => 'new')
    expect(await (await credentialOf(owner, 'ext-1')).json()).toMatchObject({ accountUUID: 'ext-1' })
  })

  it('counts a connection that the platform no longer accepts as none', async () => {
    await world.store.markReconnect(BRISBANE.uuid, 1, 'revoked')
    expect((await credentialOf(owner, BRISBANE.uuid)).status).toBe(404)
  })
})

describe('GET /api/accounts', () => {
  it('lists the accounts of this session, and nothing without one', async () => {
    expect(await (await owner.get(accounts, '/api/accounts')).json()).toEqual([
      { accountUUID: BRISBANE.uuid, hasToken: true },
    ])
    const nobody = await stranger.get(accounts, '/api/accounts')
    expect([nobody.status, await nobody.text()]).toEqual([200, '[]'])
  })

  it('refuses a filter that nobody knows, also without a session', async () => {
    const refused = await stranger.get(accounts, '/api/accounts?hasToken=true')
    expect([refused.status, (await refused.json()).message]).toEqual([400, 'hasToken: There is no such filter'])
  })

  it('says when an account has no token that works', async () => {
    await world.store.markReconnect(BRISBANE.uuid, 1, 'revoked')
    expect(await (await owner.get(accounts, '/api/accounts')).json()).toEqual([
      { accountUUID: BRISBANE.uuid, hasToken: false },
    ])
  })
})

describe('POST /api/credentials with placeholders', () => {
  it('marks an unknown id, without a session and without telling anybody', async () => {
    const body = { accountUUID: 'ext-new', ...PLACEHOLDER }
    const answered = await stranger.postJson(credentials, '/api/credentials', body)
    expect([answered.status, await answered.json()]).toEqual([201, { accountUUID: 'ext-new', hasToken: false }])
    expect((await credentialOf(stranger, 'ext-new')).status).toBe(404)
    expect(await world.store.findPlaceholder('ext-new')).toBe(world.clock.now() + 86_400_000)
  })

  it('is gone after 24 hours', async () => {
    await stranger.postJson(credentials, '/api/credentials', { accountUUID: 'ext-new', ...PLACEHOLDER })
    world.clock.advance(86_400_000)
    expect(await world.store.findPlaceholder('ext-new')).toBeNull()
  })

  it('changes nothing over a connected account', async () => {
    const before = await world.store.findCredential(BRISBANE.uuid)
    const answered = await stranger.postJson(credentials, '/api/credentials', {
      accountUUID: BRISBANE.uuid,
      ...PLACEHOLDER,
    })
    expect([answered.status, await answered.json()]).toEqual([200, { accountUUID: BRISBANE.uuid, hasToken: true }])
    expect(await world.store.findCredential(BRISBANE.uuid)).toEqual(before)
    expect(await world.store.findPlaceholder(BRISBANE.uuid)).toBeNull()
  })

  it('shows as placeholder to the owner of an account that never signed in', async () => {
    const opened = '33333333-3333-4333-8333-333333333333'
    const token = newToken()
    await world.store.ensureAccount({ uuid: opened, name: '', timezone: 'UTC' })
    const now = world.clock.now()
    await world.store.openSession({
      tokenHash: hashToken(token),
      expiresAt: now + 1000,
      account: { accountUuid: opened, staffUuid: null, proof: 'launch', provedAt: now },
      replaces: [],
      carryProofsSince: now,
    })
    stranger.cookies.set('__Host-sid', token)
    expect((await credentialOf(stranger, opened)).status).toBe(404)
    await stranger.postJson(credentials, '/api/credentials', { accountUUID: opened, ...PLACEHOLDER })
    expect(await (await credentialOf(stranger, opened)).json()).toMatchObject({
      accountUUID: opened,
      accessToken: 'placeholder',
      refreshToken: 'placeholder',
    })
  })

  it('is taken ten times a minute from one address', async () => {
    const body = { accountUUID: 'ext-new', ...PLACEHOLDER }
    for (let n = 0; n < 10; n += 1)
      expect((await stranger.postJson(credentials, '/api/credentials', body)).status).toBe(201)
    const refused = await stranger.postJson(credentials, '/api/credentials', body)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '6'])
    expect((await other.postJson(credentials, '/api/credentials', body)).status).toBe(201)
  })
})

describe('POST /api/credentials with real tokens', () => {
  const post = (who: RouteBrowser, body: unknown, headers?: Record<string, string>) =>
    who.postJson(credentials, '/api/credentials', body, headers ? { headers } : {})

  it('stores them when session and platform name the account', async () => {
    const tokens = world.platform.issue(BRISBANE)
    const answered = await post(owner, { accountUUID: BRISBANE.uuid, ...tokens, expiresAt: '2026-01-05T11:00:00Z' })
    expect([answered.status, await answered.json()]).toEqual([201, { accountUUID: BRISBANE.uuid, hasToken: true }])
    const credential = await world.store.findCredential(BRISBANE.uuid)
    expect(credential).toMatchObject({ generation: 2, expiresAt: Date.UTC(2026, 0, 5, 11) })
    expect(await world.app.callAsAccount(BRISBANE.uuid, (api, token) => api.vendor(token))).toMatchObject({
      outcome: 'ok',
    })
  })

  it('wants a session', async () => {
    const answered = await post(stranger, { accountUUID: BRISBANE.uuid, ...world.platform.issue(BRISBANE) })
    expect([answered.status, await answered.json()]).toEqual([401, { message: 'Authentication required' }])
  })

  it('refuses tokens for the account of another session, and tokens of another account', async () => {
    const before = await world.store.findCredential(BRISBANE.uuid)
    expect((await post(other, { accountUUID: BRISBANE.uuid, ...world.platform.issue(BRISBANE) })).status).toBe(403)
    expect((await post(owner, { accountUUID: BRISBANE.uuid, ...world.platform.issue(LEEDS) })).status).toBe(403)
    expect((await post(owner, { accountUUID: BRISBANE.uuid, accessToken: 'made-up' })).status).toBe(403)
    expect(await world.store.findCredential(BRISBANE.uuid)).toEqual(before)
  })

  it('stores nothing while the platform does not answer', async () => {
    const before = await world.store.findCredential(BRISBANE.uuid)
    world.platform.breaks('vendor', 'hang')
    const answered = await post(owner, { accountUUID: BRISBANE.uuid, ...world.platform.issue(BRISBANE) })
    expect(answered.status).toBe(502)
    expect(await world.store.findCredential(BRISBANE.uuid)).toEqual(before)
  })

  it('takes no cookie from a request that no page of ours made', async () => {
    const body = { accountUUID: BRISBANE.uuid, ...world.platform.issue(BRISBANE) }
    expect((await post(owner, body, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  })

  it.each([
    [{}, { accountUUID: ['Account UUID is required'], accessToken: ['Access Token is required'] }],
    [
      { accountUUID: ' ', accessToken: '' },
      { accountUUID: ['Account UUID is required'], accessToken: ['Access Token is required'] },
    ],
    [{ accountUUID: 'a', accessToken: 'a\u0000b' }, { accessToken: [NO_TOKEN] }],
    [{ accountUUID: 'a', accessToken: 'Ключ' }, { accessToken: [NO_TOKEN] }],
    [{ accountUUID: 'a b', accessToken: 'x' }, { accountUUID: ['Must be the id of an account'] }],
    [{ accountUUID: 'a', accessToken: 'x', generation: 7 }, { generation: ['Not allowed'] }],
    [
      { accountUUID: 'a', accessToken: 'x', expiresAt: 'soon' },
      { expiresAt: ['Must be like 2030-01-01T00:00:00Z, or milliseconds since 1970'] },
    ],
    [
      { accountUUID: 'a', accessToken: 'x', expiresAt: 9e15 },
      { expiresAt: ['Must be like 2030-01-01T00:00:00Z, or milliseconds since 1970'] },
    ],
  ])('refuses %j by field', async (body, errors) => {
    const answered = await post(owner, body)
    expect(answered.status).toBe(400)
    expect(await answered.json()).toMatchObject({ errors })
  })
})

describe('account mapping', () => {
  const map = (who: RouteBrowser, externalAccountUUID: string, internalAccountUUID: string) =>
    who.postJson(accountMapping, '/api/account-mapping', { externalAccountUUID, internalAccountUUID })

  it('lets an external id lead to an account of the session', async () => {
    const mapping = { externalAccountUUID: 'ext-1', internalAccountUUID: BRISBANE.uuid }
    const made = await map(owner, 'ext-1', BRISBANE.uuid)
    expect([made.status, await made.json()]).toEqual([201, mapping])
    const again = await map(owner, 'ext-1', BRISBANE.uuid)
    expect([again.status, await again.json()]).toEqual([200, mapping])
    const found = await mappingOf(owner, 'ext-1')
    expect([found.status, await found.json()]).toEqual([200, mapping])
  })

  it('answers the account itself for its own uuid', async () => {
    expect(await (await mappingOf(owner, BRISBANE.uuid)).json()).toEqual({
      externalAccountUUID: BRISBANE.uuid,
      internalAccountUUID: BRISBANE.uuid,
    })
  })

  it('never moves an id, and never takes the uuid of another account', async () => {
    await map(owner, 'ext-1', BRISBANE.uuid)
    const message = 'This id already belongs to another account.'
    for (const id of ['ext-1', BRISBANE.uuid]) {
      const answered = await map(other, id, LEEDS.uuid)
      expect([answered.status, await answered.json()]).toEqual([409, { message }])
    }
    expect(await world.store.resolveAccountId('ext-1')).toBe(BRISBANE.uuid)
  })

  it('wants the internal account in the session', async () => {
    expect((await map(stranger, 'ext-1', BRISBANE.uuid)).status).toBe(401)
    const answered = await map(other, 'ext-1', BRISBANE.uuid)
    expect([answered.status, await answered.text()]).toEqual([404, NOT_FOUND])
    expect(await world.store.resolveAccountId('ext-1')).toBeNull()
  })

  it('is told to its owner only', async () => {
    await map(owner, 'ext-1', BRISBANE.uuid)
    for (const who of [stranger, other]) {
      const answered = await mappingOf(who, 'ext-1')
      expect([answered.status, await answered.text()]).toEqual([404, NOT_FOUND])
    }
    expect((await mappingOf(owner, 'ext-2')).status).toBe(404)
  })

  it('holds fifty ids per account', async () => {
    for (let n = 0; n < 50; n += 1) await world.store.mapAccountId(`ext-${n}`, BRISBANE.uuid, 50, () => 'new')
    expect((await map(owner, 'one-more', BRISBANE.uuid)).status).toBe(409)
    expect((await map(owner, 'ext-49', BRISBANE.uuid)).status).toBe(200)
  })
})

describe('POST /api/account-link', () => {
  const link = (who: RouteBrowser, externalAccountUUID: string, token: string) =>
    who.postJson(accountLink, '/api/account-link', { externalAccountUUID, token })

  function signed(accountUUID: string, secret = APP_SECRET): Promise<string> {
    const claims = { eventName: 'open', auth: { accountUUID, staffUUID: 'staff' } }
    return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret))
  }

  async function linkTicket(accountUuid: string): Promise<string> {
    const ticket = newToken()
    const expiresAt = world.clock.now() + 600_000
    await world.store.issueTicket({
      tokenHash: hashToken(ticket),
      kind: 'link',
      accountUuid,
      staffUuid: null,
      expiresAt,
    })
    return ticket
  }

  it('takes the signed text of that very account, once, and grants no session', async () => {
    const jwt = await signed(BRISBANE.uuid)
    const answered = await link(stranger, BRISBANE.uuid, jwt)
    expect([answered.status, await answered.json()]).toEqual([200, { internalAccountUUID: BRISBANE.uuid }])
    expect(answered.headers.get('set-cookie')).toBeNull()
    expect((await link(stranger, BRISBANE.uuid, jwt)).status).toBe(403)
  })

  it('refuses a signed text of another account or by another key', async () => {
    expect((await link(stranger, 'ext-1', await signed(BRISBANE.uuid))).status).toBe(403)
    expect(
      (await link(stranger, BRISBANE.uuid, await signed(BRISBANE.uuid, 'another-key-another-key-another'))).status,
    ).toBe(403)
    expect((await link(stranger, BRISBANE.uuid, 'generic-flow')).status).toBe(403)
  })

  it('takes a link ticket, once', async () => {
    const ticket = await linkTicket(BRISBANE.uuid)
    const answered = await link(stranger, 'ext-1', ticket)
    expect([answered.status, await answered.json()]).toEqual([200, { internalAccountUUID: BRISBANE.uuid }])
    expect(await world.store.resolveAccountId('ext-1')).toBe(BRISBANE.uuid)
    expect((await link(stranger, 'ext-2', ticket)).status).toBe(403)
    expect(await world.store.resolveAccountId('ext-2')).toBeNull()
  })

  it('leaves the ticket unused when the id is taken', async () => {
    await world.store.mapAccountId('ext-1', LEEDS.uuid, 50, () => 'new')
    const ticket = await linkTicket(BRISBANE.uuid)
    expect((await link(stranger, 'ext-1', ticket)).status).toBe(409)
    expect((await link(stranger, 'ext-2', ticket)).status).toBe(200)
  })

  it('refuses a ticket after ten minutes', async () => {
    const ticket = await linkTicket(BRISBANE.uuid)
    world.clock.advance(600_000)
    expect((await link(stranger, 'ext-1', ticket)).status).toBe(403)
  })

  it('is tried five times a minute from one address', async () => {
    for (let n = 0; n < 5; n += 1) expect((await link(stranger, 'ext-1', 'guess')).status).toBe(403)
    expect((await link(stranger, 'ext-1', 'guess')).status).toBe(429)
  })
})

describe('every one of these calls', () => {
  it('answers a wrong method with 405 and Allow', async () => {
    const table = [
      [credentials, 'credentials', 'POST'],
      [credentialsOfAccount, 'credentials/x', 'GET'],
      [accounts, 'accounts', 'GET'],
      [accountMapping, 'account-mapping', 'POST'],
      [mappingOfId, 'account-mapping/x', 'GET'],
      [accountLink, 'account-link', 'POST'],
    ] as const
    for (const [route, path, allowed] of table) {
      const answered = await owner.postJson(route, `/api/${path}`, {}, { method: 'DELETE' })
      expect([answered.status, answered.headers.get('allow')]).toEqual([405, allowed])
    }
  })

  it('never lets a token out, whoever asks', async () => {
    const tokens = await connect(world, BRISBANE)
    const texts = await Promise.all(
      [owner, other, stranger]
        .flatMap((who) => [
          credentialOf(who, BRISBANE.uuid),
          mappingOf(who, BRISBANE.uuid),
          who.get(accounts, '/api/accounts'),
        ])
        .map(async (answered) => (await answered).text()),
    )
    for (const text of [...texts, ...world.logged]) {
      expect(text).not.toContain(tokens.accessToken)
      expect(text).not.toContain(tokens.refreshToken)
    }
  })
})

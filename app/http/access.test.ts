// Who a request may act for, on a real database file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCookies } from '#app/http/cookies.ts'
import { asCaller, currentCaller } from '#app/lib/caller.server.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { LEEDS, type RightsWorld, rightsWorld, YORK } from '#tests/support/rights-world.server.ts'
import {
  findAccess,
  readBody,
  requireAccount,
  requireAccountOfQuery,
  requireAdmin,
  requireSession,
} from './guards.server.ts'
import { accountsOfCookies, findSession, isSecure, sentSession, sessionsToReplace, signOut } from './session.server.ts'

let world: RightsWorld

beforeEach(() => {
  world = rightsWorld()
})
afterEach(() => world.close())

async function refusal(run: () => unknown): Promise<{ status: number; body: unknown }> {
  const thrown = await Promise.resolve()
    .then(run)
    .catch((error: unknown) => error)
  if (!(thrown instanceof Response)) throw new Error(`not refused: ${String(thrown)}`)
  return { status: thrown.status, body: await thrown.json() }
}

const NOT_FOUND = { status: 404, body: { message: 'Not found' } }
const NO_SESSION = { status: 401, body: { message: 'Authentication required' } }

describe('a session', () => {
  it('is what tab and frame have proved together', async () => {
    const tab = await world.signIn(LEEDS)
    const frame = await world.signIn(YORK)
    const session = await requireSession(world.app, world.request('/', { tab, frame }))
    expect(session.accounts.map(({ accountUuid }) => accountUuid).sort()).toEqual([LEEDS, YORK])
    expect(session.tokenHashes.sort()).toEqual([hashToken(tab), hashToken(frame)].sort())
  })

  it('is not there without a cookie, with an unknown one, or with an empty one', async () => {
    for (const cookies of [{}, { tab: 'x' }, { tab: '' }]) {
      expect(await findSession(world.app, world.request('/', cookies))).toBeNull()
      expect(await refusal(() => requireSession(world.app, world.request('/', cookies)))).toEqual(NO_SESSION)
    }
    expect(sentSession(world.app, world.request('/'))).toBe(false)
    expect(sentSession(world.app, world.request('/', { tab: '' }))).toBe(false)
    expect(sentSession(world.app, world.request('/', { frame: 'x' }))).toBe(true)
    expect(sentSession(world.app, world.request('/', { tab: 'x' }))).toBe(true)
  })

  it('is replaced kind by kind, and only while it lives', async () => {
    const [tab, frame] = [await world.signIn(LEEDS), await world.signIn(LEEDS)]
    const request = world.request('/', { tab, frame })
    expect(await sessionsToReplace(world.app, request, 'tab')).toEqual([hashToken(tab)])
    expect(await sessionsToReplace(world.app, request, 'frame')).toEqual([hashToken(frame)])
    expect(await sessionsToReplace(world.app, world.request('/', { tab: 'x' }), 'tab')).toEqual([])
  })

  it('says whose a cookie is, of tab and frame, and of nobody’s nothing', async () => {
    const [tab, frame] = [await world.signIn(LEEDS), await world.signIn(YORK)]
    const cookie = world.request('/', { tab, frame }).headers.get('cookie') ?? ''
    const accounts = await accountsOfCookies(world.app, cookie)
    expect(accounts.map(({ accountUuid }) => accountUuid).sort()).toEqual([LEEDS, YORK])
    for (const nobodys of [undefined, '', 'other=1', cookie.replaceAll(tab, 'x').replaceAll(frame, 'y')])
      expect(await accountsOfCookies(world.app, nobodys)).toEqual([])
  })

  it('tells whoever writes things down whose request it is', async () => {
    const tab = await world.signIn(LEEDS)
    await asCaller('192.0.2.1', async () => {
      await findSession(world.app, world.request('/', { tab }))
      expect(currentCaller()?.accounts.map(({ accountUuid }) => accountUuid)).toEqual([LEEDS])
      await findSession(world.app, world.request('/'))
      expect(currentCaller()?.accounts).toEqual([])
    })
  })

  it('ends with all that the browser holds, and the trail says so for each account', async () => {
    const [tab, frame] = [await world.signIn(LEEDS), await world.signIn(YORK)]
    const ended = await signOut(world.app, world.request('/', { tab, frame }))
    expect(ended.map((cookie) => cookie.split(';')[0])).toEqual(['__Host-sid-top=', '__Host-sid='])
    expect(ended.every((cookie) => cookie.includes('Max-Age=0'))).toBe(true)
    expect(await findSession(world.app, world.request('/', { tab, frame }))).toBeNull()
    const all = { actions: null, outcome: null, since: null, until: null, before: null, limit: 9 }
    for (const account of [LEEDS, YORK]) {
      const trail = await world.app.store.audit.listAudit(account, all)
      expect(trail.map(({ action }) => action)).toEqual(['sign_out'])
    }
    await signOut(world.app, world.request('/'))
  })

  it('has cookies for https and others for http, and reads only its own', async () => {
    expect(isSecure(world.app)).toBe(true)
    const plain = rightsWorld({ origin: 'http://localhost:3000' })
    try {
      expect(isSecure(plain.app)).toBe(false)
      const tab = await plain.signIn(LEEDS)
      expect(await findSession(plain.app, plain.request('/', { tab }))).not.toBeNull()
      const secure = new Request('http://localhost:3000/', { headers: { cookie: `__Host-sid-top=${tab}` } })
      expect(await findSession(plain.app, secure)).toBeNull()
      const [cookie = ''] = await signOut(plain.app, plain.request('/', { tab }))
      expect([...readCookies(cookie.split(';')[0] ?? '')]).toEqual([['sid-top', '']])
      expect(cookie).not.toContain('Secure')
    } finally {
      plain.close()
    }
  })
})

describe('an account', () => {
  it('is one of the session, by any of its ids; the id is given back as it was named', async () => {
    const tab = await world.signIn(LEEDS)
    await world.app.store.accounts.mapAccountId('Ext-1', LEEDS, 9, () => 'new')
    expect(await requireAccount(world.app, world.request('/', { tab }), LEEDS.toUpperCase())).toEqual({
      accountUuid: LEEDS,
      accountId: LEEDS,
      staffUuid: 'staff',
      admin: false,
      role: 'owner',
      freshAt: world.clock.now(),
    })
    const byOther = await requireAccount(world.app, world.request('/', { tab }), ' Ext-1 ')
    expect(byOther).toMatchObject({ accountUuid: LEEDS, accountId: 'Ext-1' })
  })

  it('that is unknown, malformed or somebody else’s is the same 404', async () => {
    const tab = await world.signIn(LEEDS)
    await world.signIn(YORK)
    await world.app.store.accounts.mapAccountId('of-york', YORK, 9, () => 'new')
    for (const id of [YORK, 'of-york', 'nobody', '../x', 'x'.repeat(101), 7, {}, [LEEDS]]) {
      expect(await refusal(() => requireAccount(world.app, world.request('/', { tab }), id))).toEqual(NOT_FOUND)
      expect(await findAccess(world.app, world.request('/', { tab }), id)).toBeNull()
    }
  })

  it('has to be named, by somebody who is signed in', async () => {
    const tab = await world.signIn(LEEDS)
    for (const id of [null, undefined, '']) {
      expect(await refusal(() => requireAccount(world.app, world.request('/', { tab }), id))).toEqual({
        status: 400,
        body: { message: 'Account UUID is required', errors: { accountUUID: ['Account UUID is required'] } },
      })
      expect(await refusal(() => requireAccount(world.app, world.request('/'), id))).toEqual(NO_SESSION)
    }
    expect(await findAccess(world.app, world.request('/'), LEEDS)).toBeNull()
    expect(await findAccess(world.app, world.request('/', { tab }), LEEDS)).toMatchObject({ accountUuid: LEEDS })
  })

  it('is read from the query in both spellings', async () => {
    const tab = await world.signIn(LEEDS)
    const ask = (query: string) => requireAccountOfQuery(world.app, world.request(`/${query}`, { tab }))
    expect(await ask(`?accountUUID=${LEEDS}`)).toMatchObject({ accountUuid: LEEDS })
    expect(await ask(`?accountuuid=${LEEDS}`)).toMatchObject({ accountUuid: LEEDS })
    expect(await refusal(() => ask('?accountUUID=..%2Fx'))).toEqual(NOT_FOUND)
    expect(await refusal(() => ask('?accountuuid=..%2Fx'))).toEqual(NOT_FOUND)
    expect(await refusal(() => ask(''))).toMatchObject({ status: 400 })
    expect(await refusal(() => ask('?accountUUID='))).toMatchObject({ status: 400 })
  })
})

describe('an admin', () => {
  it('is an account on the list whose request says so; nothing else helps', async () => {
    const tab = await world.signIn(YORK, LEEDS)
    const access = (id: string, path: string, headers: Record<string, string> = {}) =>
      requireAccount(world.app, world.request(path, { tab }, headers), id)
    expect((await access(LEEDS, '/?admin=yes')).admin).toBe(true)
    expect((await access(LEEDS, '/', { 'x-admin-mode': 'true' })).admin).toBe(true)
    expect((await access(LEEDS, '/')).admin).toBe(false)
    const york = await access(YORK, '/?admin=yes', { 'x-admin-mode': 'true' })
    expect(york.admin).toBe(false)
    expect(await refusal(() => requireAdmin(york))).toEqual({
      status: 403,
      body: { message: 'This needs the role of an admin.' },
    })
    requireAdmin(await access(LEEDS, '/?admin=yes'))
  })
})

describe('a body', () => {
  const post = (body: string | null) => new Request('https://fieldhook.test/', { method: 'POST', body })

  it('may be as large as allowed, to the byte, and no larger', async () => {
    expect(await readBody(post('x'.repeat(1024)), 1024)).toHaveLength(1024)
    expect(await refusal(() => readBody(post('x'.repeat(1025)), 1024))).toMatchObject({ status: 413 })
    expect(await readBody(post('x'.repeat(100 * 1024)))).toHaveLength(102_400)
    expect(await refusal(() => readBody(post('x'.repeat(100 * 1024 + 1))))).toMatchObject({ status: 413 })
    expect(await readBody(post(null))).toBe('')
    expect(await readBody(post('grüße'))).toBe('grüße')
  })

  it('is judged by what it announces before it is read, and by what comes', async () => {
    const announced = (length: string) => {
      const request = post('x'.repeat(11))
      request.headers.set('content-length', length)
      return readBody(request, 10)
    }
    expect(await refusal(() => announced('11'))).toMatchObject({ status: 413 })
    expect(await refusal(() => announced('1'))).toMatchObject({ status: 413 })
    const exact = post('x'.repeat(10))
    exact.headers.set('content-length', '10')
    expect(await readBody(exact, 10)).toHaveLength(10)
    const unread = post('x')
    unread.headers.set('content-length', '11')
    await refusal(() => readBody(unread, 10))
    expect(unread.bodyUsed).toBe(false)
  })
})

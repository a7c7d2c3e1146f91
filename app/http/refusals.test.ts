// Who asks for what is not theirs is written down: at a call, at a page, and in front of both.
import type { AppLoadContext } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asCaller } from '#app/lib/caller.server.ts'
import { withMethods } from '#app/lib/families.ts'
import { CALL_PATHS } from '#app/routes/api/calls.server.ts'
import { routePatterns } from '#app/routes/route-patterns.ts'
import { LEEDS, RIGHTS_ORIGIN, type RightsWorld, rightsWorld, YORK } from '#tests/support/rights-world.server.ts'
import { answerCall } from './calls/call.server.ts'
import { createDoor } from './door.server.ts'
import { logRefusedPage } from './refusals.server.ts'
import { tooMany } from './respond.ts'
import { findSession, sessionsToReplace } from './session.server.ts'

const ALL = { actions: null, outcome: null, since: null, until: null, before: null, limit: 500 }
const IP = '192.0.2.7'
let world: RightsWorld

beforeEach(() => {
  world = rightsWorld()
  Object.assign(world.app.settings, { routePattern: routePatterns(CALL_PATHS) })
})
afterEach(() => world.close())

const context = () => ({ app: world.app, clientIp: IP, nonce: '' }) as AppLoadContext
const entries = (account: string) => world.app.store.audit.listAudit(account, ALL)
const nobodys = async () =>
  (await world.app.store.audit.listAuditOutlines(ALL)).filter(({ accountUuid }) => accountUuid === null)

function post(path: string, cookies: { tab?: string } = {}): Request {
  const asked = world.request(path, cookies)
  return new Request(asked.url, { method: 'POST', headers: asked.headers })
}

describe('a page', () => {
  const open = (request: Request) =>
    asCaller(IP, async () =>
      logRefusedPage({ request, context: context() }, 'gate', await findSession(world.app, request)),
    )

  test('of another account: it stands in that one’s log, as somebody who is not signed in to it', async () => {
    await world.signIn(YORK)
    const tab = await world.signIn(LEEDS)
    await open(world.request(`/deliveries/12?accountUUID=${YORK}`, { tab }))
    expect(await entries(YORK)).toMatchObject([
      {
        action: 'call.refused',
        outcome: 'refused',
        actor: 'stranger',
        target: 'GET /deliveries/:id',
        ip: IP,
        detail: { status: 'the sign-in page' },
      },
    ])
    expect(await entries(LEEDS)).toEqual([])
  })

  test('is how everybody begins who has no session: looking is not told, pressing a button is', async () => {
    await world.signIn(YORK)
    await open(world.request(`/deliveries?accountUUID=${YORK}`))
    const head = world.request(`/deliveries?accountUUID=${YORK}`)
    for (const method of ['HEAD', 'OPTIONS']) await open(new Request(head.url, { method }))
    expect(await entries(YORK)).toEqual([])
    await open(post(`/deliveries?accountUUID=${YORK}`))
    expect(await entries(YORK)).toMatchObject([{ target: 'POST /deliveries', actor: 'stranger' }])
  })

  test('of nobody, or of one’s own whose connection is gone, is not told', async () => {
    const tab = await world.signIn(YORK, LEEDS)
    await open(world.request('/deliveries?accountUUID=unknown', { tab }))
    await open(world.request(`/deliveries?accountUUID=${LEEDS}`, { tab }))
    expect([await entries(LEEDS), await nobodys()]).toEqual([[], []])
  })

  test('for admins, asked for without the role, stands in one’s own log', async () => {
    const tab = await world.signIn(YORK)
    await asCaller(IP, async () => {
      const request = world.request(`/webhook-activity?accountUUID=${YORK}`, { tab })
      const session = await findSession(world.app, request)
      await logRefusedPage({ request, context: context() }, 403, session)
    })
    expect(await entries(YORK)).toMatchObject([
      { actor: 'staff', target: 'GET /webhook-activity', detail: { status: 403 } },
    ])
  })
})

test('a call that came too often is told like one that was refused', async () => {
  const tab = await world.signIn(LEEDS)
  const request = post(`/api/automation/9/run?accountUUID=${LEEDS}`, { tab })
  const answer = await answerCall({ request, context: context() }, { POST: () => tooMany(4_000) })
  expect(answer.status).toBe(429)
  expect(await entries(LEEDS)).toMatchObject([{ target: 'POST /api/automation/:id/run', detail: { status: 429 } }])
})

describe('a call', () => {
  const refused = async (path: string, tab: string, status: number) => {
    const request = post(path, { tab })
    await answerCall({ request, context: context() }, { POST: () => new Response(null, { status }) })
  }

  test('is told to the account that its address names anywhere, else to one’s own', async () => {
    await world.signIn(YORK)
    const tab = await world.signIn(LEEDS)
    await asCaller(IP, async () => {
      await findSession(world.app, world.request('/', { tab }))
      await refused(`/api/credentials/${YORK}?accountUUID=unknown`, tab, 404)
      await refused('/api/webhooks/999', tab, 404)
    })
    expect(await entries(YORK)).toMatchObject([{ target: 'POST /api/credentials/:id', actor: 'stranger' }])
    expect(await entries(LEEDS)).toMatchObject([{ target: 'POST /api/webhooks/:key', actor: 'staff' }])
  })

  test('by nobody, of nobody’s, is told when it was refused, and not when nothing is there', async () => {
    await refused('/api/webhooks', 'x', 404)
    expect(await nobodys()).toEqual([])
    await refused('/api/webhooks', 'x', 401)
    expect(await nobodys()).toHaveLength(1)
  })

  test('to an address that is no call’s is not told', async () => {
    await world.signIn(YORK)
    for (const path of ['/sign-out', '/documents/x', '/x/api/y', '/hooks/servicem8/x', '/launch/x', '/api/'])
      await refused(`${path}?accountUUID=${YORK}`, 'x', 404)
    expect(await entries(YORK)).toEqual([])
    for (const path of ['/hooks/servicem8', '/launch', '/api/webhooks'])
      await refused(`${path}?accountUUID=${YORK}`, 'x', 401)
    expect(await entries(YORK)).toHaveLength(3)
  })

  test('with something longer than an id in its address names nobody', async () => {
    await world.signIn(YORK)
    await refused(`/api/webhooks/x${YORK}`, 'x', 403)
    await refused(`/api/webhooks/${YORK}0`, 'x', 403)
    expect(await entries(YORK)).toEqual([])
  })
})

describe('at the door', () => {
  function door(perMinute = 1_000) {
    const telling: Promise<void>[] = []
    let lately = 0
    const admit = createDoor(world.app, { perMinute, clientIp: () => IP, told: (one) => telling.push(one) })
    return {
      async come(url: string | undefined, headers: Record<string, string>, method: string | undefined = 'POST') {
        const refusal = admit({ method, url, headers })
        lately = telling.length
        await Promise.all(telling.splice(0))
        return refusal?.status ?? null
      },
      /** Of the last that came: how often it was told. */
      told: () => lately,
    }
  }
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const cookie = (tab: string) => ({ cookie: `__Host-sid-top=${tab}` })

  test('a request from another site with a cookie stands in the log of whose cookie it is', async () => {
    const tab = await world.signIn(LEEDS)
    expect(await door().come('/automation', { ...foreign, ...cookie(tab) })).toBe(403)
    expect(await entries(LEEDS)).toMatchObject([
      { action: 'call.refused', actor: 'stranger', target: 'POST /automation', ip: IP, detail: { status: 403 } },
    ])
  })

  test('too often is told of who is signed in, and of a stranger when it names another account', async () => {
    await world.signIn(YORK)
    const tab = await world.signIn(LEEDS)
    const { come } = door(1)
    const own = { 'sec-fetch-site': 'same-origin', ...cookie(tab) }
    const flood = async (path: string) => {
      for (let n = 0; n < 40; n += 1) await come(path, own, 'GET')
    }
    await flood('/deliveries')
    expect(await entries(LEEDS)).toMatchObject([{ actor: 'staff', staffUuid: 'staff', detail: { status: 429 } }])
    world.clock.advance(60_000)
    await flood(`/deliveries?accountUUID=${YORK}`)
    expect(await entries(YORK)).toMatchObject([{ actor: 'stranger', staffUuid: null, detail: { status: 429 } }])
  })

  test('or of the account that it names; and of nobody when there is neither', async () => {
    await world.signIn(YORK)
    expect(await door().come(`/api/webhooks/${YORK}`, foreign)).toBe(403)
    expect(await entries(YORK)).toMatchObject([{ target: 'POST /api/webhooks/:key' }])
    world.clock.advance(60_000)
    await door().come('/webhook-activity', { ...foreign, ...cookie('unknown') })
    expect(await nobodys()).toMatchObject([{ action: 'call.refused', ip: IP }])
  })

  test('words of the address are told to nobody: of a known one its pattern, of an unknown one nothing', async () => {
    const tab = await world.signIn(LEEDS)
    for (const path of ['/your/account/is/locked', '/api/your/account/is/locked', '//call.this/number']) {
      expect(await door().come(`${path}?accountUUID=${LEEDS}`, { ...foreign, ...cookie(tab) })).toBe(403)
    }
    expect([await entries(LEEDS), await nobodys()]).toEqual([[], []])
    expect(await door().come(`/api/credentials/your-account-is-locked?accountUUID=${LEEDS}`, foreign)).toBe(403)
    expect((await entries(LEEDS)).map(({ target }) => target)).toEqual(['POST /api/credentials/:id'])
  })

  test('a flood is one line a minute for each answer, and a number', async () => {
    const tab = await world.signIn(LEEDS)
    const { come } = door(20)
    const own = { 'sec-fetch-site': 'same-origin', ...cookie(tab) }
    for (let n = 0; n < 50; n += 1) await come('/automation', { ...foreign, ...cookie(tab) })
    for (let n = 0; n < 30; n += 1) await come('/fieldhook', own, 'GET')
    const told = (await entries(LEEDS)).map(({ target, actor, detail }) => [target, actor, detail.status])
    expect(told).toEqual([
      ['GET /fieldhook', 'staff', 429],
      ['POST /automation', 'stranger', 403],
    ])
    world.clock.advance(60_000)
    await come('/automation', { ...foreign, ...cookie(tab) })
    const after = (await entries(LEEDS)).map(({ actor, detail }) => [actor, detail.count ?? detail.status])
    expect(after.slice(0, 3)).toEqual([
      ['stranger', 403],
      ['staff', 9],
      ['stranger', 49],
    ])
  })

  test('what is let through is not told, and nobody is kept signed in by being turned away', async () => {
    const tab = await world.signIn(LEEDS)
    const { come, told } = door()
    expect(await come('/automation', { origin: RIGHTS_ORIGIN, ...cookie(tab) })).toBeNull()
    expect([await entries(LEEDS), told()]).toEqual([[], 0])
    const seen = async () => (await world.app.store.accounts.listSessions(LEEDS))[0]?.lastSeenAt
    const before = await seen()
    world.clock.advance(3_600_000)
    await come('/automation', { ...foreign, ...cookie(tab) })
    expect(await seen()).toBe(before)
    expect(await sessionsToReplace(world.app, world.request('/', { tab }), 'tab')).toHaveLength(1)
    expect(await seen()).toBe(world.clock.now())
  })

  test('what a request does not say is the usual', async () => {
    const tab = await world.signIn(LEEDS)
    expect(await door().come(undefined, { ...foreign, ...cookie(tab) })).toBe(403)
    expect(await entries(LEEDS)).toMatchObject([{ target: 'POST /' }])
    world.clock.advance(60_000)
    const admit = createDoor(world.app, { perMinute: 10, clientIp: () => IP })
    expect(admit({ url: '/deliveries?_data=root', headers: cookie(tab) })?.status).toBe(403)
    await expect.poll(() => entries(LEEDS)).toMatchObject([{ target: 'GET /deliveries' }, {}])
  })

  test('a store that does not answer keeps nobody out or in', async () => {
    const broken = () => Promise.reject(new Error('disk'))
    const app = {
      ...world.app,
      store: withMethods(world.app.store, { findSessions: broken, resolveAccountId: broken }),
    }
    const telling: Promise<void>[] = []
    const admit = createDoor(app, { perMinute: 10, clientIp: () => IP, told: (one) => telling.push(one) })
    expect(admit({ method: 'POST', url: '/', headers: { ...foreign, ...cookie('x') } })?.status).toBe(403)
    await expect(Promise.all(telling)).resolves.toBeDefined()
  })
})

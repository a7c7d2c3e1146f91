// What wants a recent opening or sign-in, asked for with the cookies a browser really has: one for the frame, one for its tabs.
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { findSession } from '#app/http/session.server.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { type AccountsApp, accountsApp, connect, type RouteBrowser, routeBrowser } from '#tests/support/accounts-app.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { BRISBANE, LEEDS, type PlatformAccount } from '#tests/support/platform-server.ts'
import { action as pressOnManager } from './pages/manager.tsx'
import { loader as authorize } from './sign-in/authorize.ts'
import { loader as callback } from './sign-in/callback.ts'

const erase = apiRoute('api/erase')
const exportRoute = apiRoute('api/export')
const endAll = apiRoute('api/sessions/end-all')
const rotate = apiRoute('api/webhooks/:id/rotate-secret')

let world: AccountsApp
let kim: RouteBrowser

beforeEach(async () => {
  world = await accountsApp()
  Object.assign(world.app, { wakeDeliveries() {}, wakeRuns() {}, rulesChanged() {}, payments: null })
  await connect(world, BRISBANE)
  await world.app.store.endpoints.saveEndpoint(BRISBANE.uuid, {
    kind: 'webhook',
    objectType: 'job',
    fields: '',
    url: 'https://example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: await world.app.secrets.seal(`endpoint|${BRISBANE.uuid}|secret`, 'whsec_first'),
    subscription: null,
    at: world.clock.now(),
  })
  kim = await openedBy('kim')
})
afterEach(() => world.close())

/** A browser in which this person opened the add-on from ServiceM8. The first one is the owner. */
async function openedBy(staffUuid: string): Promise<RouteBrowser> {
  const now = world.clock.now()
  const token = newToken()
  await world.app.store.accounts.admitPerson(BRISBANE.uuid, staffUuid)
  await world.app.store.accounts.openSession({
    tokenHash: hashToken(token),
    expiresAt: now + hours(24),
    account: { accountUuid: BRISBANE.uuid, staffUuid, proof: 'launch', provedAt: now },
    replaces: [],
    carryProofsSince: 0,
  })
  const browser = routeBrowser(world)
  browser.cookies.set('__Host-sid', token)
  return browser
}

async function signIn(who: RouteBrowser, account: PlatformAccount): Promise<void> {
  const sent = await who.get(authorize, '/api/oauth/authorize?token=fieldhook')
  const back = await who.get(callback, await world.platform.consent(sent.headers.get('location') ?? '', account))
  expect(back.headers.get('location')).toContain('auth=success')
}

async function personOf(who: RouteBrowser) {
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return (await findSession(world.app, new Request('https://fieldhook.test/', { headers: { cookie } })))?.accounts
}

const BY = `?accountUUID=${BRISBANE.uuid}`
const ACTS: [string, (who: RouteBrowser) => Promise<Response>, number][] = [
  ['export', (who) => who.get(exportRoute, `/api/export${BY}`), 200],
  ['erase', (who) => who.postJson(erase, `/api/erase${BY}`, { name: BRISBANE.name }), 202],
  ['keys', (who) => who.postJson(rotate, '/api/webhooks/1/rotate-secret', {}, { params: { id: '1' } }), 200],
  ['end all sessions', (who) => who.postJson(endAll, `/api/sessions/end-all${BY}`, {}), 200],
]
const said = async (answer: Response) => ((await answer.json()) as { message: string }).message

describe.each(ACTS)('%s', (_name, act, done) => {
  it('is refused ten minutes after the opening, and done after a sign-in in the same browser', async () => {
    world.clock.advance(minutes(10))
    const refused = await act(kim)
    expect([refused.status, await said(refused)]).toEqual([
      403,
      'This needs a recent sign-in. Open Fieldhook from ServiceM8 again. Outside ServiceM8, sign in again. Then repeat this within 10 minutes.',
    ])
    await signIn(kim, BRISBANE)
    world.clock.advance(minutes(10) - 1)
    expect((await act(kim)).status).toBe(done)
  })

  it('is refused ten minutes after that sign-in, too', async () => {
    world.clock.advance(minutes(30))
    await signIn(kim, BRISBANE)
    world.clock.advance(minutes(10))
    expect((await act(kim)).status).toBe(403)
  })

  it('is not made fresh by a sign-in to another account, nor by one in another browser', async () => {
    world.clock.advance(minutes(10))
    await signIn(kim, LEEDS)
    await signIn(routeBrowser(world), BRISBANE)
    expect((await act(kim)).status).toBe(403)
    expect(await personOf(kim)).toHaveLength(2)
  })

  it('stays refused to a member, however fresh, and to a sign-in that names nobody', async () => {
    const alex = await openedBy('alex')
    world.clock.advance(minutes(10))
    await signIn(alex, BRISBANE)
    const refused = await act(alex)
    expect([refused.status, await said(refused)]).toEqual([403, expect.stringMatching(/^Only an owner can do this\./)])
    const nobody = routeBrowser(world)
    await signIn(nobody, BRISBANE)
    const unnamed = await act(nobody)
    expect([unnamed.status, await said(unnamed)]).toEqual([
      403,
      expect.stringMatching(/^Open Fieldhook from ServiceM8 first\./),
    ])
  })
})

test('connecting again keeps the person of the opening and its end, and makes the proof fresh', async () => {
  const openedAt = world.clock.now()
  world.clock.advance(hours(1))
  await signIn(kim, BRISBANE)
  await signIn(kim, BRISBANE)
  const signedInAt = world.clock.now()
  const kept = { staffUuid: 'kim', role: 'owner', proof: 'launch', provedAt: openedAt, freshAt: signedInAt }
  expect(await personOf(kim)).toMatchObject([kept])
  for (let hour = 1; hour < 23; hour += 1) {
    world.clock.advance(hours(1))
    await personOf(kim)
  }
  expect(await personOf(kim)).toMatchObject([kept])
  // The opening is over after 24 hours. What is left is a sign-in that names nobody.
  world.clock.advance(hours(1))
  expect(await personOf(kim)).toMatchObject([{ staffUuid: null, role: 'member', provedAt: signedInAt }])
})

const EVERYTHING = { actions: null, outcome: null, since: null, until: null, before: null, limit: 1 } as const
const newestEntry = async () => (await world.app.store.audit.listAudit(BRISBANE.uuid, EVERYTHING))[0]

test('a form made by hand that names two buttons makes no new signing secret for a member', async () => {
  const { store } = world.app
  const secret = async () => (await store.endpoints.findEndpoint(BRISBANE.uuid, { kind: 'webhook', id: 1 }))?.endpoint
  const before = await secret()
  const press = (who: RouteBrowser) => {
    const fields: [string, string][] = [
      ['intent', 'pause'],
      ['intent', 'rotate_secret'],
      ['id', '1'],
    ]
    return who.postForm(pressOnManager as never, `/fieldhook${BY}`, fields).catch((redirect: Response) => redirect)
  }
  const alex = await openedBy('alex')
  await asCaller('203.0.113.9', () => press(alex))
  expect(await secret()).toEqual(before)
  // The owner reads of it, as of a refused call.
  expect(await newestEntry()).toMatchObject({
    action: 'call.refused',
    target: 'POST /fieldhook',
    staffUuid: 'alex',
    detail: { status: 403 },
  })
  await press(kim)
  expect((await secret())?.secretSealed).not.toBe(before?.secretSealed)
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PaymentError } from '#app/adapters/payments.ts'
import { finishErasures } from '#app/features/accounts/erase-account.server.ts'
import { LAST_EFFECTS_END } from '#app/features/accounts/erasure.ts'
import { withMethods } from '#app/lib/families.ts'
import { loader as signOut } from '#app/routes/sign-in/sign-out.ts'
import { type AccountsApp, accountsApp, connect, type RouteBrowser, routeBrowser } from '#tests/support/accounts-app.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'

const accountMapping = apiRoute('api/account-mapping')
const audit = apiRoute('api/audit')
const erase = apiRoute('api/erase')
const exportRoute = apiRoute('api/export')
const sessions = apiRoute('api/sessions')
const sessionById = apiRoute('api/sessions/:id')
const endAll = apiRoute('api/sessions/end-all')

let world: AccountsApp
/** Two browsers signed in as Brisbane. */
let owner: RouteBrowser
let second: RouteBrowser
/** Signed in as Leeds. */
let other: RouteBrowser
let stranger: RouteBrowser

beforeEach(async () => {
  world = await accountsApp()
  Object.assign(world.app, { wakeDeliveries() {}, wakeRuns() {}, rulesChanged() {}, payments: null })
  owner = routeBrowser(world)
  second = routeBrowser(world)
  other = routeBrowser(world)
  stranger = routeBrowser(world)
  owner.cookies.set('__Host-sid-top', (await connect(world, BRISBANE)).cookie)
  second.cookies.set('__Host-sid-top', (await connect(world, BRISBANE)).cookie)
  other.cookies.set('__Host-sid-top', (await connect(world, LEEDS)).cookie)
})
afterEach(() => world.close())

const BY = `?accountUUID=${BRISBANE.uuid}`
const NOT_FOUND = '{"message":"Not found"}'

describe('what only owners may', () => {
  const refused = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message]
  const everything = async () => [
    await refused(await owner.get(exportRoute, `/api/export${BY}`)),
    await refused(await owner.postJson(erase, `/api/erase${BY}`, { name: BRISBANE.name })),
    await refused(await owner.postJson(endAll, `/api/sessions/end-all${BY}`, {})),
  ]

  it('is refused to whoever is not named once there is an owner by name', async () => {
    await world.store.admitPerson(BRISBANE.uuid, 'kim')
    const sentence =
      'Open Fieldhook from ServiceM8 first. Press Fieldhook in ServiceM8: that shows who you are. Owners can then do this there.'
    expect(await everything()).toEqual([403, 403, 403].map((status) => [status, sentence]))
    expect(await world.store.findAccount(BRISBANE.uuid)).not.toBeNull()
  })

  it('is refused to a browser with a page that leads back to the account', async () => {
    world.clock.advance(600_000)
    const headers = { accept: 'text/html' }
    const page = await (await owner.get(exportRoute, `/api/export${BY}`, { headers })).text()
    expect(page).toContain(`<a href="https://fieldhook.test/account${BY}">Back to Account and security</a>`)
    const stranded = await (await stranger.get(exportRoute, `/api/export${BY}`, { headers })).text()
    expect(stranded).toContain('>Go to the start page</a>')
  })

  it('wants an opening or a sign-in of the last ten minutes', async () => {
    world.clock.advance(600_000)
    const sentence =
      'This needs a recent sign-in. Open Fieldhook from ServiceM8 again. Outside ServiceM8, sign in again. Then repeat this within 10 minutes.'
    expect(await everything()).toEqual([403, 403, 403].map((status) => [status, sentence]))
  })
})

interface Entry {
  action: string
  actor: string
  outcome: string
  ip: string | null
  target: string
  detail: Record<string, unknown>
}

async function entries(query = ''): Promise<Entry[]> {
  const answered = await owner.get(audit, `/api/audit${BY}${query}`)
  expect(answered.status).toBe(200)
  return ((await answered.json()) as { entries: Entry[] }).entries
}

async function openOnes(who = owner): Promise<{ id: string; current: boolean }[]> {
  return (await who.get(sessions, `/api/sessions${BY}`)).json()
}

describe('everybody but the owner', () => {
  const calls: [string, (who: RouteBrowser) => Promise<Response>][] = [
    ['GET /api/audit', (who) => who.get(audit, `/api/audit${BY}`)],
    ['GET /api/sessions', (who) => who.get(sessions, `/api/sessions${BY}`)],
    ['POST /api/sessions/end-all', (who) => who.postJson(endAll, `/api/sessions/end-all${BY}`, {})],
    ['GET /api/export', (who) => who.get(exportRoute, `/api/export${BY}`)],
    ['POST /api/erase', (who) => who.postJson(erase, `/api/erase${BY}`, { name: BRISBANE.name })],
  ]

  it.each(calls)('%s: 401 without a session, 404 with another’s', async (_name, call) => {
    expect((await call(stranger)).status).toBe(401)
    const answered = await call(other)
    expect([answered.status, await answered.text()]).toEqual([404, NOT_FOUND])
    expect(await openOnes()).toHaveLength(2)
    // The owner sees that somebody tried, and not who.
    const refused = (await entries('&outcome=refused')).filter(({ action }) => action === 'call.refused')
    expect(refused.map(({ actor, detail }) => [actor, detail.status])).toEqual([
      ['stranger', 404],
      ['stranger', 401],
    ])
    expect(JSON.stringify(refused)).not.toContain(LEEDS.uuid)
  })

  it.each([
    [audit, '/api/audit', 'GET'],
    [sessions, '/api/sessions', 'GET'],
    [exportRoute, '/api/export', 'GET'],
    [endAll, '/api/sessions/end-all', 'POST'],
    [erase, '/api/erase', 'POST'],
    [sessionById, '/api/sessions/x', 'DELETE'],
  ] as const)('another method at %#: 405 with Allow', async (route, path, allowed) => {
    const answered = await owner.get(route, `${path}${BY}`, { method: 'PUT' })
    expect([answered.status, answered.headers.get('allow')]).toEqual([405, allowed])
  })

  it('without an account id: 400', async () => {
    expect((await owner.get(audit, '/api/audit')).status).toBe(400)
  })
})

describe('the audit log', () => {
  it('has what was done through the calls, newest first', async () => {
    await owner.postJson(accountMapping, '/api/account-mapping', {
      externalAccountUUID: 'ext-1',
      internalAccountUUID: BRISBANE.uuid,
    })
    const told = await entries()
    expect(told.map(({ action }) => action)).toEqual([
      'id.linked',
      'connection.stored',
      'sign_in',
      'connection.stored',
      'sign_in',
    ])
    expect(told[0]).toMatchObject({ actor: 'session', outcome: 'done', target: 'ext-1', words: 'Linked the id ext-1' })
    expect(told[0]?.ip).toMatch(/^192\.0\.2\.\d+$/)
  })

  it('is paged and filtered, and refuses what it cannot read', async () => {
    const { store, clock } = world.app
    const entry = { actor: 'system', staffUuid: null, target: '', outcome: 'done', ip: null, detail: {} } as const
    for (let n = 0; n < 60; n += 1) {
      await store.audit.appendAudit({ ...entry, at: clock.now(), accountUuid: BRISBANE.uuid, action: 'message.sent' })
    }
    const first = await (await owner.get(audit, `/api/audit${BY}&group=messages`)).json()
    expect(first.entries).toHaveLength(50)
    const rest = await (await owner.get(audit, `/api/audit${BY}&group=messages&before=${first.next}`)).json()
    expect([rest.entries.length, rest.next]).toEqual([10, null])
    const wrong = await owner.get(audit, `/api/audit${BY}&group=nonsense`)
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { message: 'Choose one of the list.', errors: { group: ['Choose one of the list.'] } },
    ])
  })

  it('has the signing out', async () => {
    await second.postForm(signOut, '/sign-out', {})
    expect((await entries())[0]).toMatchObject({ action: 'sign_out', actor: 'session' })
  })
})

describe('sessions', () => {
  it('are listed with the caller’s own marked, and one is ended', async () => {
    const open = await openOnes()
    expect(open.map(({ current }) => current)).toEqual([true, false])
    expect(open[0]).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      since: '2026-01-05T09:00:00.000Z',
      lastSeen: '2026-01-05T09:00:00.000Z',
      endsAt: '2026-01-05T17:00:00.000Z',
      how: 'signed_in',
      current: true,
    })
    const id = open[1]?.id ?? ''
    const end = (who: RouteBrowser, what: string) =>
      who.get(sessionById, `/api/sessions/${what}`, { method: 'DELETE', params: { id: what } })
    expect((await end(stranger, id)).status).toBe(401)
    expect([(await end(other, id)).status, await (await end(other, 'x')).text()]).toEqual([404, NOT_FOUND])
    expect((await second.get(sessions, `/api/sessions${BY}`)).status).toBe(200)
    const ended = await end(owner, id)
    expect([ended.status, await ended.json()]).toEqual([200, { success: true }])
    expect((await second.get(sessions, `/api/sessions${BY}`)).status).toBe(401)
    expect((await end(owner, id)).status).toBe(404)
    const told = (await entries()).find(({ action }) => action === 'session.ended')
    expect(told).toMatchObject({ actor: 'session', outcome: 'done' })
  })

  it('all end at once, the caller’s too, and nobody else’s', async () => {
    const ended = await owner.postJson(endAll, `/api/sessions/end-all${BY}`, {})
    expect([ended.status, await ended.json()]).toEqual([200, { ended: 2 }])
    for (const who of [owner, second]) expect((await who.get(sessions, `/api/sessions${BY}`)).status).toBe(401)
    expect((await other.get(sessions, `/api/sessions?accountUUID=${LEEDS.uuid}`)).status).toBe(200)
  })
})

describe('the export', () => {
  it('is a file with everything and no secret, and stands in the log', async () => {
    const answered = await owner.get(exportRoute, `/api/export${BY}`)
    expect(answered.status).toBe(200)
    expect(answered.headers.get('content-disposition')).toBe(
      `attachment; filename="fieldhook-${BRISBANE.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-2026-01-05.json"`,
    )
    expect(answered.headers.get('cache-control')).toBe('no-store')
    const text = await answered.text()
    expect(JSON.parse(text)).toMatchObject({ account: { uuid: BRISBANE.uuid }, connection: { state: 'connected' } })
    expect(text).not.toMatch(/sealed|token_hash|tokenHash/i)
    expect((await entries())[0]).toMatchObject({ action: 'exported', actor: 'session' })
  })

  it('is made four times a minute, and not at all for a HEAD', async () => {
    const head = await owner.get(exportRoute, `/api/export${BY}`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (let n = 0; n < 3; n += 1) await (await owner.get(exportRoute, `/api/export${BY}`)).text()
    const fifth = await owner.get(exportRoute, `/api/export${BY}`)
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '15'])
    expect((await entries()).filter(({ action }) => action === 'exported')).toHaveLength(3)
  })

  it('that cannot be read to its end breaks off, and does not end as if it were whole', async () => {
    const { store } = world.app
    world.app.store = withMethods(store, { listRuns: () => Promise.reject(new Error('disk')) })
    try {
      const answered = await owner.get(exportRoute, `/api/export${BY}`)
      await expect(answered.text()).rejects.toThrow('disk')
    } finally {
      world.app.store = store
    }
  })

  it('is read no further when the server says that nobody is there any more', async () => {
    const route: typeof exportRoute = ({ context, ...args }) =>
      exportRoute({ ...args, context: { ...context, drained: async () => false } })
    expect(await (await owner.get(route, `/api/export${BY}`)).text()).toBe('')
  })

  it('that nobody reads to its end is given up', async () => {
    const answered = await owner.get(exportRoute, `/api/export${BY}`)
    const reader = answered.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect((await reader?.read())?.done).toBe(true)
  })
})

describe('erasing', () => {
  const ask = (body: unknown) => owner.postJson(erase, `/api/erase${BY}`, body)

  it('needs the name', async () => {
    const words = 'Type the name exactly as it is shown. Nothing was erased.'
    const wrong = await ask({ name: 'something else' })
    expect([wrong.status, await wrong.json()]).toEqual([400, { message: words, errors: { name: [words] } }])
    expect((await ask({})).status).toBe(400)
    expect((await ask({ name: BRISBANE.name, force: true })).status).toBe(400)
    expect((await ask('nonsense')).status).toBe(400)
    expect(await openOnes()).toHaveLength(2)
  })

  it('ends the account: everybody is signed out, and nothing of it is left but what has to stay', async () => {
    const begun = await ask({ name: ` ${BRISBANE.name.toUpperCase()} ` })
    expect(begun.status).toBe(202)
    for (const who of [owner, second]) expect((await who.get(sessions, `/api/sessions${BY}`)).status).toBe(401)
    world.clock.advance(LAST_EFFECTS_END)
    await finishErasures(world.app, async () => true)
    expect(await world.app.store.accounts.findAccount(BRISBANE.uuid)).toBeNull()
    expect(await world.app.store.accounts.findCredential(BRISBANE.uuid)).toBeNull()
    const all = { actions: null, outcome: null, since: null, until: null, before: null, limit: 10 }
    const left = await world.app.store.audit.listAudit(BRISBANE.uuid, all)
    expect(
      left
        .filter(({ outcome }) => outcome === 'done')
        .map(({ action, actor }) => [action, actor])
        .slice(0, 2),
    ).toEqual([
      ['erased', 'system'],
      ['erasure.begun', 'session'],
    ])
    expect((await other.get(sessions, `/api/sessions?accountUUID=${LEEDS.uuid}`)).status).toBe(200)
  })

  it.each([{ status: 'active' }, { status: 'past_due', cancelAtPeriodEnd: true }])(
    'is not done while the subscription cannot be ended: %o',
    async (state) => {
      const { store, clock } = world.app
      const plan = await store.billing.ensurePlan(BRISBANE.uuid, 1_000, clock.now())
      await store.billing.savePlan(
        BRISBANE.uuid,
        plan.updatedAt,
        { ...state, subscriptionId: 'sub_1', customerId: 'cus_1' },
        clock.now(),
      )
      // With payments off, the provider would charge on and nobody here could stop it.
      const off = await ask({ name: BRISBANE.name })
      const words = expect.stringContaining('Ask the operator to erase your account.')
      expect([off.status, await off.json()]).toEqual([502, { message: words }])
      const broken = new Proxy({}, { get: () => () => Promise.reject(new PaymentError('unavailable', 'away')) })
      Object.assign(world.app, { payments: broken })
      const refused = await ask({ name: BRISBANE.name })
      expect(refused.status).toBe(502)
      expect(await openOnes()).toHaveLength(2)
      expect(await store.accounts.erasuresUnderWay()).toEqual([])
    },
  )

  it('is asked for five times a minute', async () => {
    for (let n = 0; n < 5; n += 1) await ask({ name: 'wrong' })
    expect((await ask({ name: BRISBANE.name })).status).toBe(429)
  })
})

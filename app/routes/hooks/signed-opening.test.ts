import { SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findSession } from '#app/http/session.server.ts'
import { hours } from '#app/lib/duration.ts'
import { loader as documents } from '#app/routes/documents.ts'
import { loader as signedOpening } from '#app/routes/hooks/signed-opening.ts'
import { loader as launch } from '#app/routes/launch.ts'
import { loader as authorize } from '#app/routes/sign-in/authorize.ts'
import { loader as callback } from '#app/routes/sign-in/callback.ts'
import { loader as signOut } from '#app/routes/sign-in/sign-out.ts'
import { type AccountsApp, accountsApp, connect, type RouteBrowser, routeBrowser } from '#tests/support/accounts-app.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { APP_SECRET, BRISBANE, LEEDS, type PlatformAccount } from '#tests/support/platform-server.ts'

const accounts = apiRoute('api/accounts')
const exportFile = apiRoute('api/export')

let world: AccountsApp
let frame: RouteBrowser

beforeEach(async () => {
  world = await accountsApp()
  frame = routeBrowser(world)
})
afterEach(() => world.close())

/** What a browser says of a page inside a frame. */
const IN_FRAME = { 'sec-fetch-dest': 'iframe' }

const cookieHeader = () => [...frame.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

let opened = 0

function sign(
  account: PlatformAccount,
  claims: Record<string, unknown> = {},
  alg = 'HS256',
  secret = APP_SECRET,
): Promise<string> {
  opened += 1
  const auth = { accountUUID: account.uuid, staffUUID: 'staff-1', accessToken: `live-token-${opened}` }
  const jwt = new SignJWT({ eventVersion: '1.0', eventName: 'open_fieldhook', auth, ...claims })
  return jwt.setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret))
}

/** As the platform does it: a cross-site POST whose whole body is the signed text. */
function open(jwt: string): Promise<Response> {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://go.servicem8.com', 'content-type': 'text/plain' }
  return frame.postJson(signedOpening, '/hooks/servicem8', jwt, { headers })
}

async function ticketFor(account: PlatformAccount): Promise<string> {
  const page = await (await open(await sign(account))).text()
  return /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
}

async function launchWith(ticket: string): Promise<Response> {
  return frame.postForm(launch, '/launch', { ticket }, { headers: IN_FRAME })
}

/** Presses "Open as …" on the page that asks. */
async function pressOpen(asked: Response): Promise<Response> {
  const ticket = /name="ticket" value="([^"]+)"/.exec(await asked.text())?.[1] ?? ''
  return frame.postForm(launch, '/launch', { ticket, confirmed: 'yes' })
}

async function sessionAccounts(): Promise<unknown> {
  return (await frame.get(accounts, '/api/accounts')).json()
}

describe('an opening inside the platform', () => {
  it('answers a page that goes on by script with a nonce, or by button', async () => {
    const answered = await open(await sign(BRISBANE))
    expect(answered.status).toBe(200)
    expect(answered.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await answered.text()
    const ticket = /name="ticket" value="([\w-]{43})"/.exec(page)?.[1]
    expect(page).toContain('<form method="post" action="https://fieldhook.test/launch">')
    expect(page).toContain(
      `<script nonce="nonce-of-this-answer">location.replace("https://fieldhook.test/launch#${ticket}")</script>`,
    )
    expect(page).not.toContain('live-token')
  })

  it('becomes a session of the frame and goes on to the manager', async () => {
    await connect(world, BRISBANE)
    const launched = await launchWith(await ticketFor(BRISBANE))
    expect(launched.status).toBe(303)
    expect(launched.headers.get('location')).toBe(`/fieldhook?accountUUID=${BRISBANE.uuid}`)
    expect(frame.setCookies).toEqual([
      expect.stringMatching(
        /^__Host-sid=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=None; Secure; Partitioned$/,
      ),
    ])
    expect(await sessionAccounts()).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: true }])
  })

  it('signs nobody in outside a frame before they press the button that names the account', async () => {
    await connect(world, LEEDS)
    const ticket = await ticketFor(LEEDS)
    const asked = await frame.postForm(launch, '/launch', { ticket }, { headers: { 'sec-fetch-dest': 'document' } })
    expect(asked.status).toBe(200)
    expect(await asked.clone().text()).toContain('>Open as Leeds Electrical</button>')
    expect(frame.setCookies).toEqual([])
    // The ticket in the address was used up by asking.
    expect((await frame.postForm(launch, '/launch', { ticket, confirmed: 'yes' })).status).toBe(403)
    expect((await pressOpen(asked)).status).toBe(303)
    expect(await sessionAccounts()).toEqual([{ accountUUID: LEEDS.uuid, hasToken: true }])
  })

  it('asks in the frame, too, before a second account joins the first', async () => {
    await launchWith(await ticketFor(BRISBANE))
    const asked = await launchWith(await ticketFor(LEEDS))
    expect(asked.status).toBe(200)
    expect(await asked.text()).toContain(`>Open as ServiceM8 account ${LEEDS.uuid.slice(0, 8)}</button>`)
    expect(await sessionAccounts()).toHaveLength(1)
    expect((await launchWith(await ticketFor(BRISBANE))).status).toBe(303)
  })

  it('carries the frame from one account to the next with a new session', async () => {
    await launchWith(await ticketFor(BRISBANE))
    const first = frame.cookies.get('__Host-sid') ?? ''
    await pressOpen(await launchWith(await ticketFor(LEEDS)))
    expect(await sessionAccounts()).toHaveLength(2)
    frame.cookies.set('__Host-sid', first)
    expect(await sessionAccounts()).toEqual([])
  })

  it('knows an account that never signed in, but has no token for it', async () => {
    const launched = await launchWith(await ticketFor(BRISBANE))
    const location = new URL(launched.headers.get('location') ?? '', 'https://fieldhook.test')
    expect(location.searchParams.get('accountUUID')).toBe(BRISBANE.uuid)
    expect(location.searchParams.get('token')).toMatch(/^[\w-]{43}$/)
    expect(await sessionAccounts()).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: false }])
    expect(await world.store.findAccount(BRISBANE.uuid)).toMatchObject({ name: '' })
    expect(await world.store.findCredential(BRISBANE.uuid)).toBeNull()
  })

  it('hands the sign-in in a new tab the account, and the frame is connected afterwards', async () => {
    const launched = await launchWith(await ticketFor(BRISBANE))
    const token = new URL(launched.headers.get('location') ?? '', 'https://x.test').searchParams.get('token')
    const tab = routeBrowser(world)
    const sent = await tab.get(authorize, `/api/oauth/authorize?token=${token}`)
    const back = await tab.get(callback, await world.platform.consent(sent.headers.get('location') ?? '', BRISBANE))
    expect(back.headers.get('location')).toBe(`/fieldhook?accountUUID=${BRISBANE.uuid}&auth=success`)
    expect(await sessionAccounts()).toEqual([{ accountUUID: BRISBANE.uuid, hasToken: true }])
    expect(await world.store.findAccount(BRISBANE.uuid)).toEqual(BRISBANE)
  })

  it('keeps its person when the same browser signs in again later: the owner stays owner', async () => {
    const person = async () => {
      const request = new Request('https://fieldhook.test/', { headers: { cookie: cookieHeader() } })
      const [account] = (await findSession(world.app, request))?.accounts ?? []
      return account && [account.staffUuid, account.role]
    }
    await pressOpen(await frame.postForm(launch, '/launch', { ticket: await ticketFor(BRISBANE) }))
    expect(await person()).toEqual(['staff-1', 'owner'])
    world.clock.advance(hours(1))
    const sent = await frame.get(authorize, `/api/oauth/authorize?accountuuid=${BRISBANE.uuid}`)
    await frame.get(callback, await world.platform.consent(sent.headers.get('location') ?? '', BRISBANE))
    expect(frame.cookies.has('__Host-sid-top')).toBe(true)
    expect(await person()).toEqual(['staff-1', 'owner'])
  })

  it('keeps the name of an account that did sign in', async () => {
    await connect(world, BRISBANE)
    await ticketFor(BRISBANE)
    expect(await world.store.findAccount(BRISBANE.uuid)).toEqual(BRISBANE)
  })
})

it('of an account that is being erased opens nothing before it is gone, so that nothing new goes with the old', async () => {
  await connect(world, BRISBANE)
  const { accounts: store } = world.app.store
  const at = world.clock.now()
  await store.beginErasure(BRISBANE.uuid, { code: 'account_erased', reason: 'erased', at, removeAt: at })
  const answered = await open(await sign(BRISBANE))
  expect([answered.status, await answered.json()]).toEqual([
    409,
    { message: 'This account is being erased. Open Fieldhook again in a few minutes to start over.' },
  ])
  await store.endErasure(BRISBANE.uuid, { answerGone: false })
  await store.closeErasure(BRISBANE.uuid)
  expect((await open(await sign(BRISBANE))).status).toBe(200)
})

describe('a signed text', () => {
  it('opens once', async () => {
    const jwt = await sign(BRISBANE)
    expect((await open(jwt)).status).toBe(200)
    const again = await open(`${jwt}\n`)
    expect([again.status, await again.json()]).toEqual([
      403,
      { message: 'This link was already used. Please open the add-on from ServiceM8 again.' },
    ])
  })

  it.each([
    ['by another key', () => sign(BRISBANE, {}, 'HS256', 'another-key-another-key-another')],
    ['with another algorithm', () => sign(BRISBANE, {}, 'HS384')],
    ['that is over', () => sign(BRISBANE, { exp: world.clock.now() / 1000 - 61 })],
    ['for nobody', () => sign(BRISBANE, { auth: {} })],
    ['that is none', () => Promise.resolve('{"auth":{}}')],
    ['that is empty', () => Promise.resolve('')],
  ])('%s is refused with 401 and leaves nothing', async (_what, make) => {
    const answered = await open(await make())
    expect([answered.status, await answered.json()]).toEqual([
      401,
      { message: 'This call is not signed by ServiceM8, or it has expired.' },
    ])
    expect(await world.store.findAccount(BRISBANE.uuid)).toBeNull()
  })

  it('larger than 256 KB is refused with 413', async () => {
    expect((await open('x'.repeat(256 * 1024 + 1))).status).toBe(413)
  })

  it('comes by POST only', async () => {
    const answered = await frame.get(signedOpening, '/hooks/servicem8')
    expect([answered.status, answered.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('is in no log, and neither is the token in it', async () => {
    const jwt = await sign(BRISBANE)
    const page = await (await open(jwt)).text()
    const log = world.logged.join('\n')
    expect(log).not.toContain(jwt)
    expect(log).not.toContain('live-token')
    expect(log).not.toContain(/value="([^"]+)"/.exec(page)?.[1])
  })
})

describe('a launch ticket', () => {
  it('works once', async () => {
    const ticket = await ticketFor(BRISBANE)
    expect((await launchWith(ticket)).status).toBe(303)
    const again = await launchWith(ticket)
    expect(again.status).toBe(403)
    expect(await again.text()).toContain('This link has expired. Please open the add-on from ServiceM8 again.')
  })

  it('works for a minute', async () => {
    const ticket = await ticketFor(BRISBANE)
    world.clock.advance(60_000)
    expect((await launchWith(ticket)).status).toBe(403)
    expect(await sessionAccounts()).toEqual([])
  })

  it('works from our own pages only', async () => {
    const ticket = await ticketFor(BRISBANE)
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await frame.postForm(launch, '/launch', { ticket }, { headers })).status).toBe(403)
    expect((await launchWith(ticket)).status).toBe(303)
  })

  it('is posted by a page that takes it from behind the #', async () => {
    const page = await (await frame.get(launch, '/launch')).text()
    expect(page).toContain('<script nonce="nonce-of-this-answer">')
    expect(page).toContain('location.hash')
  })

  it.each(['', 'x', 'A'.repeat(43)])('is not %j', async (ticket) => {
    expect((await launchWith(ticket)).status).toBe(403)
  })
})

describe('a webhook of the manifest', () => {
  const eventArgs = {
    object: 'job',
    entry: [{ uuid: 'u-1', changed_fields: ['status'] }],
    resource_url: 'https://api.example/x',
  }

  it('is stored as an event of the signed account, as often as it comes', async () => {
    await connect(world, BRISBANE)
    const accepted: unknown[] = []
    world.app.acceptEvent = async (event) => {
      accepted.push(event)
      return { outcome: accepted.length === 1 ? 'stored' : 'duplicate', seq: 1, deliveries: [] }
    }
    const jwt = await sign(BRISBANE, { eventName: 'webhook_subscription', eventArgs })
    for (let n = 0; n < 2; n += 1) {
      const answered = await open(jwt)
      expect([answered.status, await answered.json()]).toEqual([200, { received: true }])
    }
    expect(accepted[0]).toMatchObject({
      accountUuid: BRISBANE.uuid,
      object: 'job',
      objectUuid: 'u-1',
      source: 'signed',
    })
    expect(JSON.stringify(accepted)).not.toContain('live-token')
  })

  it('answers 503 when it could not be committed, so that it is sent again', async () => {
    await connect(world, BRISBANE)
    world.app.acceptEvent = () => Promise.reject(new Error('disk full'))
    const answered = await open(await sign(BRISBANE, { eventName: 'webhook_subscription', eventArgs }))
    expect([answered.status, answered.headers.get('retry-after')]).toEqual([503, '10'])
  })

  it('answers 404 for an account we do not know', async () => {
    expect((await open(await sign(BRISBANE, { eventName: 'webhook_subscription', eventArgs }))).status).toBe(404)
  })
})

describe('an opening that does not work, in a browser', () => {
  const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const openAs = (jwt: string, accept: string) =>
    frame.postJson(signedOpening, '/hooks/servicem8', jwt, { headers: { accept } })

  async function expectPage(answer: Response, status: number): Promise<void> {
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await answer.text()
    expect(html).toContain('<h1>Open Fieldhook again</h1>')
    expect(html).toContain('For your safety each opening works once. Close this and press Fieldhook in ServiceM8.')
  }

  it('is a page that says what to do: used before, over, unsigned, or without any', async () => {
    const jwt = await sign(BRISBANE)
    await open(jwt)
    await expectPage(await openAs(jwt, ACCEPT), 403)
    const over = await sign(BRISBANE, { exp: Math.floor(world.clock.now() / 1000) - 3600 })
    await expectPage(await openAs(over, ACCEPT), 401)
    await expectPage(await openAs(await sign(BRISBANE, {}, 'HS256', 'another secret, long enough'), ACCEPT), 401)
    await expectPage(await frame.get(signedOpening, '/hooks/servicem8', { headers: { accept: ACCEPT } }), 405)
    await expectPage(await frame.postForm(launch, '/launch', { ticket: 'used' }, { headers: { accept: ACCEPT } }), 403)
  })

  it('stands in the API activity of its account, like those that worked and what they signed in', async () => {
    const jwt = await sign(BRISBANE)
    const page = await (await open(jwt)).text()
    await launchWith(/name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '')
    await open(jwt)
    await open(await sign(LEEDS, {}, 'HS256', 'another secret, long enough'))
    const listed = () => world.app.store.events.listApiActivity(BRISBANE.uuid, 10)
    // Nobody waits for what is written down.
    await expect.poll(async () => (await listed()).length).toBe(3)
    const told = await listed()
    const remoteIp = expect.stringMatching(/^192\.0\.2\.\d+$/)
    expect(told).toMatchObject([
      { activityType: 'opening', statusCode: 403, remoteIp },
      { activityType: 'sign_in', endpoint: '/launch', method: 'POST', statusCode: 200, remoteIp },
      { activityType: 'opening', endpoint: '/hooks/servicem8', method: 'POST', statusCode: 200, remoteIp },
    ])
    expect(JSON.stringify(told)).not.toContain(jwt)
    expect(await world.app.store.events.listApiActivity(LEEDS.uuid, 10)).toEqual([])
  })

  it('is JSON for everybody else', async () => {
    const jwt = await sign(BRISBANE)
    await open(jwt)
    for (const accept of ['*/*', 'application/json']) {
      const answer = await openAs(jwt, accept)
      expect([answer.status, answer.headers.get('vary')]).toEqual([403, 'Accept'])
      expect(await answer.json()).toEqual({
        message: 'This link was already used. Please open the add-on from ServiceM8 again.',
      })
    }
  })
})

it.each([
  ['a sign-out that is only typed in', () => signOut, '/sign-out', 405],
  ['a document that is not there', () => documents, '/documents/none', 404],
  ['an export without a session', () => exportFile, `/api/export?accountUUID=${BRISBANE.uuid}`, 401],
] as const)('%s is a page in a browser', async (_what, route, path, status) => {
  const headers = { accept: 'text/html,*/*;q=0.8' }
  const page = await frame.get(route(), path, { headers })
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('<h1>That did not work</h1>')
  const call = await frame.get(route(), path)
  expect([call.status, call.headers.get('content-type')]).toEqual([status, 'application/json'])
})

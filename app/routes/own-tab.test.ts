// From the platform's frame to a tab of its own: the same person, without a sign-in.
import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listOpenSessions } from '#app/features/accounts/open-sessions.server.ts'
import { issueTabTicket } from '#app/features/accounts/signed-opening.server.ts'
import { findSession } from '#app/http/session.server.ts'
import { days, minutes } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { type AccountsApp, accountsApp, connect, type RouteBrowser, routeBrowser } from '#tests/support/accounts-app.ts'
import { BRISBANE } from '#tests/support/platform-server.ts'
import { loader as launch } from './launch.ts'
import { action as pressOnSubscription } from './pages/subscription.tsx'
import { loader as authorize } from './sign-in/authorize.ts'
import { loader as callback } from './sign-in/callback.ts'

let world: AccountsApp
/** The cookie of the frame, which no tab has. */
let frame: string

beforeEach(async () => {
  world = await accountsApp()
  await connect(world, BRISBANE)
  const provedAt = world.clock.now()
  frame = newToken()
  await world.app.store.accounts.admitPerson(BRISBANE.uuid, 'staff-1')
  await world.app.store.accounts.openSession({
    tokenHash: hashToken(frame),
    expiresAt: provedAt + days(1),
    account: { accountUuid: BRISBANE.uuid, staffUuid: 'staff-1', proof: 'launch', provedAt },
    replaces: [],
    carryProofsSince: 0,
  })
})
afterEach(() => world.close())

describe('a tab of its own, opened from the frame', () => {
  const HOME = `/subscription?accountUUID=${BRISBANE.uuid}`
  /** Presses "Open the payment page" inside the frame; gives what its page then holds. */
  async function ticketOfFrame(): Promise<string> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: `__Host-sid=${frame}` }
    const body = new URLSearchParams({ intent: 'own_tab' })
    const request = new Request(`https://fieldhook.test${HOME}`, { method: 'POST', headers, body })
    const context = { app: world.app, clientIp: '192.0.2.1', nonce: '' }
    const { data } = await pressOnSubscription({ request, params: {}, context } as unknown as ActionFunctionArgs)
    return data.kind === 'own_tab' ? data.ticket : ''
  }
  const post = (tab: RouteBrowser, fields: Record<string, string>) =>
    tab.postForm(launch, '/launch', { to: 'subscription', ...fields }, { headers: { 'sec-fetch-dest': 'document' } })
  const ticketIn = (page: string) => /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
  async function personOf(tab: RouteBrowser) {
    const cookie = [...tab.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return (await findSession(world.app, new Request('https://fieldhook.test/', { headers: { cookie } })))?.accounts
  }

  it('is the same person there, after one press and without a sign-in', async () => {
    world.clock.advance(minutes(20))
    const tab = routeBrowser(world)
    const asked = await post(tab, { ticket: await ticketOfFrame() })
    const page = await asked.text()
    expect([asked.status, tab.setCookies]).toEqual([200, []])
    expect(page).toContain(`>Open as ${BRISBANE.name}</button>`)
    const to = /name="to" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const opened = await post(tab, { ticket: ticketIn(page), to, confirmed: 'yes' })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, HOME])
    // No fresher than its frame: what wants an opening or a sign-in of the last ten minutes still does.
    const provedAt = world.clock.now() - minutes(20)
    expect(await personOf(tab)).toMatchObject([{ staffUuid: 'staff-1', role: 'owner', provedAt, freshAt: provedAt }])
    // Connecting again in that tab: still the same person, and fresh.
    const sent = await tab.get(authorize, '/api/oauth/authorize?token=fieldhook')
    await tab.get(callback, await world.platform.consent(sent.headers.get('location') ?? '', BRISBANE))
    const freshAt = world.clock.now()
    expect(await personOf(tab)).toMatchObject([{ staffUuid: 'staff-1', role: 'owner', provedAt, freshAt }])
  })

  it('of a browser that signed in stays a sign-in, also in the list of the browsers', async () => {
    const account = {
      accountUuid: BRISBANE.uuid,
      staffUuid: null,
      proof: 'oauth',
      provedAt: world.clock.now(),
    } as const
    const ticket = await issueTabTicket(world.app, account)
    const tab = routeBrowser(world)
    const page = await (await post(tab, { ticket })).text()
    await post(tab, { ticket: ticketIn(page), confirmed: 'yes' })
    const browsers = await listOpenSessions(world.app, BRISBANE.uuid, null)
    expect(browsers.map(({ how }) => how).sort()).toEqual(['opened_in_servicem8', 'signed_in', 'signed_in'])
  })

  it('is opened once, and within five minutes', async () => {
    const used = await ticketOfFrame()
    await post(routeBrowser(world), { ticket: used })
    expect((await post(routeBrowser(world), { ticket: used, confirmed: 'yes' })).status).toBe(403)
    const late = await ticketOfFrame()
    world.clock.advance(minutes(5))
    expect((await post(routeBrowser(world), { ticket: late })).status).toBe(403)
  })

  it('is asked about once: asking again and again does not keep an opening alive', async () => {
    const asked = ticketIn(await (await post(routeBrowser(world), { ticket: await ticketOfFrame() })).text())
    expect((await post(routeBrowser(world), { ticket: asked })).status).toBe(403)
    expect((await post(routeBrowser(world), { ticket: asked, confirmed: 'yes' })).status).toBe(403)
  })

  it('cannot be made fresher by another moment in its ticket', async () => {
    world.clock.advance(minutes(20))
    const [secret = ''] = (await ticketOfFrame()).split('.')
    expect(secret).toHaveLength(43)
    for (const ticket of [secret, `${secret}.${world.clock.now()}`]) {
      expect((await post(routeBrowser(world), { ticket, confirmed: 'yes' })).status).toBe(403)
    }
  })

  it('leads to a page of ours, whatever a form says', async () => {
    const tab = routeBrowser(world)
    const page = await (await post(tab, { ticket: await ticketOfFrame(), to: 'https://evil.example' })).text()
    const opened = await post(tab, { ticket: ticketIn(page), to: '//evil.example', confirmed: 'yes' })
    expect(opened.headers.get('location')).toBe(`/fieldhook?accountUUID=${BRISBANE.uuid}`)
  })

  it('is nothing for whoever is signed out, and its ticket is in no log', async () => {
    const ticket = await ticketOfFrame()
    expect(world.logged.join('\n')).not.toContain(ticket.split('.')[0])
    await world.app.store.accounts.endSessionsOf(BRISBANE.uuid, null)
    expect((await post(routeBrowser(world), { ticket, confirmed: 'yes' })).status).toBe(403)
  })
})

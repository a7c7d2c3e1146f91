import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SESSION_ABSOLUTE, SESSION_IDLE } from '#app/domain/session.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { endEverySession, endOpenSession, listOpenSessions } from './open-sessions.server.ts'
import { sessionJson } from './open-sessions.ts'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})
afterEach(() => world.close())

/** A browser with a session of these accounts. Gives its cookie. */
async function browser(name: string, accounts: string[], proof: 'oauth' | 'launch' = 'oauth'): Promise<string> {
  const now = world.clock.now()
  let replaces: string[] = []
  for (const [index, accountUuid] of accounts.entries()) {
    const tokenHash = hashToken(index === accounts.length - 1 ? name : `${name}-${index}`)
    await world.app.store.accounts.openSession({
      tokenHash,
      expiresAt: now + SESSION_ABSOLUTE,
      account: { accountUuid, staffUuid: null, proof, provedAt: now },
      replaces,
      carryProofsSince: 0,
    })
    replaces = [tokenHash]
  }
  return name
}

const asking = (cookie: string) => ({ tokenHashes: [hashToken(cookie)], accounts: [] })

describe('the browsers of an account', () => {
  it('are listed with how and since when, the one that asks first', async () => {
    const mine = await browser('mine', [LEEDS])
    world.clock.advance(minutes(5))
    await browser('frame', [LEEDS], 'launch')
    await browser('other', [BRISBANE])
    const open = await listOpenSessions(world.app, LEEDS, asking(mine))
    const now = world.clock.now()
    expect(open).toMatchObject([
      { how: 'signed_in', since: now - minutes(5), current: true, endsAt: now - minutes(5) + SESSION_IDLE },
      { how: 'opened_in_servicem8', since: now, current: false },
    ])
    expect(open.every(({ id }) => /^[\w-]{22}$/.test(id))).toBe(true)
    expect(JSON.stringify(open.map(sessionJson))).not.toContain(hashToken(mine).slice(0, 22))
  })

  it('end with their proof, which a new session carries over but does not renew', async () => {
    const provedAt = world.clock.now()
    world.clock.advance(hours(20))
    const now = world.clock.now()
    const account = { accountUuid: LEEDS, staffUuid: null, proof: 'oauth', provedAt } as const
    const carried = { expiresAt: now + SESSION_ABSOLUTE, replaces: [], carryProofsSince: 0 }
    await world.app.store.accounts.openSession({ ...carried, tokenHash: hashToken('tab'), account })
    const [one] = await listOpenSessions(world.app, LEEDS, asking('tab'))
    expect(one?.endsAt).toBe(provedAt + SESSION_ABSOLUTE)
  })

  it('are one row for the browser that asks, by the opening that names a person; it ends as one', async () => {
    const { store } = world.app
    const now = world.clock.now()
    const opened = { accountUuid: LEEDS, staffUuid: 'elin', proof: 'launch', provedAt: now } as const
    const session = { expiresAt: now + SESSION_ABSOLUTE, replaces: [], carryProofsSince: 0 }
    await store.accounts.openSession({ ...session, tokenHash: hashToken('frame'), account: opened })
    world.clock.advance(minutes(5))
    await browser('tab', [LEEDS])
    await browser('other', [LEEDS])
    const mine = { tokenHashes: [hashToken('tab'), hashToken('frame')], accounts: [] }
    const open = await listOpenSessions(world.app, LEEDS, mine)
    expect(open).toMatchObject([
      { current: true, staffUuid: 'elin', how: 'opened_in_servicem8', since: now, lastSeen: now + minutes(5) },
      { current: false, staffUuid: null },
    ])
    expect(await endOpenSession(world.app, [LEEDS], open[0]?.id, mine)).toBe(true)
    expect(await listOpenSessions(world.app, LEEDS, mine)).toMatchObject([{ current: false }])
  })

  it('that are over are not', async () => {
    await browser('idle', [LEEDS])
    world.clock.advance(SESSION_IDLE)
    expect(await listOpenSessions(world.app, LEEDS, null)).toEqual([])
    await browser('long', [LEEDS])
    for (let hour = 0; hour < 24; hour += 1) {
      world.clock.advance(hours(1))
      await world.app.store.accounts.touchSession(hashToken('long'))
    }
    expect(await listOpenSessions(world.app, LEEDS, null)).toEqual([])
  })

  it('have other ids for each account, so that nobody learns what else a browser holds', async () => {
    await browser('both', [LEEDS, BRISBANE])
    const [leeds] = await listOpenSessions(world.app, LEEDS, null)
    const [brisbane] = await listOpenSessions(world.app, BRISBANE, null)
    expect(leeds?.id).not.toBe(brisbane?.id)
  })
})

describe('signing out', () => {
  it('one browser leaves the others, and what it holds of other accounts', async () => {
    await browser('both', [LEEDS, BRISBANE])
    await browser('mine', [LEEDS])
    const other = (await listOpenSessions(world.app, LEEDS, asking('mine'))).find(({ current }) => !current)
    expect(await endOpenSession(world.app, [BRISBANE], other?.id, null)).toBe(false)
    expect(await endOpenSession(world.app, [BRISBANE, LEEDS], other?.id, null)).toBe(true)
    expect(await endOpenSession(world.app, [LEEDS], other?.id, null)).toBe(false)
    expect(await listOpenSessions(world.app, LEEDS, asking('mine'))).toMatchObject([{ current: true }])
    expect(await listOpenSessions(world.app, BRISBANE, null)).toHaveLength(1)
  })

  it.each([[undefined], [''], ['x'], [hashToken('mine')], ["' OR 1=1 --"]])('%s is no session', async (id) => {
    await browser('mine', [LEEDS])
    expect(await endOpenSession(world.app, [LEEDS], id, null)).toBe(false)
    expect(await listOpenSessions(world.app, LEEDS, null)).toHaveLength(1)
  })

  it('everywhere ends all of them and the tickets that could open one', async () => {
    const { store, clock } = world.app
    await browser('both', [LEEDS, BRISBANE])
    await browser('mine', [LEEDS])
    const ticket = { accountUuid: LEEDS, staffUuid: null, expiresAt: clock.now() + 1_000 }
    await store.accounts.issueTicket({ ...ticket, tokenHash: 'launch', kind: 'launch' })
    await store.accounts.issueTicket({ ...ticket, tokenHash: 'link', kind: 'link' })
    await store.accounts.rememberSigned({ ...ticket, tokenHash: 'seen' })
    expect(await endEverySession(world.app, LEEDS)).toBe(2)
    expect(await listOpenSessions(world.app, LEEDS, null)).toEqual([])
    expect(await store.accounts.findSessions([hashToken('mine')])).toEqual([])
    expect(await listOpenSessions(world.app, BRISBANE, null)).toHaveLength(1)
    expect(await store.accounts.takeTicket('launch', 'launch')).toBeNull()
    expect(await store.accounts.findTicket('link', 'link')).toBeNull()
    // A signed opening that was used stays used.
    expect(await store.accounts.rememberSigned({ ...ticket, tokenHash: 'seen' })).toBe('seen_before')
  })
})

// Sessions, page accounts and upkeep on a real database.
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { asCaller, currentCaller, noteProved } from '#app/lib/caller.server.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { type AccountsApp, accountsApp, connect } from '#tests/support/accounts-app.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'
import { endSessionsOfAccount } from './open-sessions.server.ts'
import { findPageAccount } from './page-account.server.ts'
import { endSession, loadSession } from './session.server.ts'
import { forgetExpiredSignIns, keepConnectionsAlive } from './upkeep.server.ts'

let world: AccountsApp

beforeEach(async () => {
  world = await accountsApp({ adminAccounts: [BRISBANE.uuid] })
})
afterEach(() => world.close())

describe('a session', () => {
  it('lasts as long as it is used, but not beyond a day', async () => {
    const { cookie } = await connect(world, BRISBANE)
    for (let hour = 7; hour < 24; hour += 7) {
      world.clock.advance(hours(7))
      expect(await loadSession(world.app, [cookie])).not.toBeNull()
    }
    world.clock.advance(hours(3))
    expect(await loadSession(world.app, [cookie])).toBeNull()
  })

  it('ends after eight hours of silence', async () => {
    const { cookie } = await connect(world, BRISBANE)
    world.clock.advance(hours(8))
    expect(await loadSession(world.app, [cookie])).toBeNull()
  })

  it('notes that it was seen at most once a minute', async () => {
    const { cookie } = await connect(world, BRISBANE)
    const seenAt = async () => {
      const session = await loadSession(world.app, [cookie])
      return (await world.store.findSessions(session?.tokenHashes ?? []))[0]?.lastSeenAt
    }
    const start = world.clock.now()
    world.clock.advance(seconds(59))
    expect(await seenAt()).toBe(start)
    world.clock.advance(seconds(1))
    expect(await seenAt()).toBe(start + minutes(1))
  })

  it('is found by its secret only, not by what is stored of it', async () => {
    const { cookie } = await connect(world, BRISBANE)
    const session = await loadSession(world.app, [cookie])
    expect(await loadSession(world.app, session?.tokenHashes ?? [])).toBeNull()
    expect(await loadSession(world.app, ['', 'x'])).toBeNull()
  })

  it('ends when its browser signs out, and no other does', async () => {
    const first = await connect(world, BRISBANE)
    const second = await connect(world, BRISBANE)
    await endSession(world.app, [first.cookie])
    expect(await loadSession(world.app, [first.cookie])).toBeNull()
    expect(await loadSession(world.app, [second.cookie])).not.toBeNull()
  })
})

test('the operator signs everybody out of an account, and the account is told who asked', async () => {
  await connect(world, LEEDS)
  await connect(world, LEEDS)
  const other = await connect(world, BRISBANE)
  const ended = await asCaller('192.0.2.7', async () => {
    noteProved([{ accountUuid: BRISBANE.uuid, staffUuid: 'staff' }])
    return endSessionsOfAccount(world.app, LEEDS.uuid)
  })
  expect(ended).toBe(2)
  expect(await loadSession(world.app, [other.cookie])).not.toBeNull()
  const all = { actions: null, outcome: null, since: null, until: null, before: null, limit: 99 }
  const told = await world.app.store.audit.listAudit(LEEDS.uuid, all)
  expect(told.filter(({ action }) => action === 'sessions.ended')).toMatchObject([
    { actor: 'system', ip: '192.0.2.7', detail: { count: 2, asked: 'the operator of this service' } },
  ])
  expect(currentCaller()).toBeNull()
})

describe('the store behind a session', () => {
  const broken = () => Promise.reject(new Error('the disk is full'))

  it('is not asked about a browser that sent none', async () => {
    const store = withMethods(world.app.store, { findSessions: broken })
    expect(await loadSession({ ...world.app, store }, [])).toBeNull()
  })

  it('is waited for: what it could not write is not passed over', async () => {
    const { cookie } = await connect(world, BRISBANE)
    world.clock.advance(minutes(1))
    const store = withMethods(world.app.store, { touchSession: broken, endSessions: broken })
    await expect(loadSession({ ...world.app, store }, [cookie])).rejects.toThrow('the disk is full')
    await expect(endSession({ ...world.app, store }, [cookie])).rejects.toThrow('the disk is full')
  })
})

describe('the account of a page', () => {
  async function pageAccount(query: string, cookies: string[], adminHeader: string | null = null) {
    const session = await loadSession(world.app, cookies)
    return findPageAccount(world.app, session, { query: new URLSearchParams(query), adminHeader })
  }

  it('is the one the address names, by any of its ids', async () => {
    const { cookie } = await connect(world, BRISBANE)
    await world.store.mapAccountId('ext-1', BRISBANE.uuid, 50, () => 'new')
    for (const id of [BRISBANE.uuid, 'ext-1']) {
      expect(await pageAccount(`accountUUID=${id}`, [cookie])).toEqual({
        outcome: 'ready',
        account: BRISBANE,
        accountId: id,
        admin: false,
        reconnect: null,
        // The sample connection was granted `vendor` alone.
        missingScopes: ['read_jobs'],
        role: 'owner',
        proof: 'oauth',
        provedAt: world.clock.now(),
        freshAt: world.clock.now(),
        staffUuid: null,
      })
    }
  })

  it('is behind the gate for everybody else', async () => {
    await connect(world, BRISBANE)
    const { cookie } = await connect(world, LEEDS)
    const gate = { outcome: 'sign_in', accountId: BRISBANE.uuid, proved: false }
    expect(await pageAccount(`accountUUID=${BRISBANE.uuid}`, [])).toEqual(gate)
    expect(await pageAccount(`accountUUID=${BRISBANE.uuid}`, [cookie])).toEqual(gate)
    expect(await pageAccount('accountuuid=unknown', [cookie])).toEqual({ ...gate, accountId: 'unknown' })
  })

  it('is behind the gate, proved, while only its connection is missing', async () => {
    const { cookie } = await connect(world, BRISBANE)
    const store = withMethods(world.app.store, { findCredential: async () => null })
    const query = new URLSearchParams({ accountUUID: BRISBANE.uuid })
    expect(
      await findPageAccount({ ...world.app, store }, await loadSession(world.app, [cookie]), {
        query,
        adminHeader: null,
      }),
    ).toEqual({ outcome: 'sign_in', accountId: BRISBANE.uuid, proved: true })
  })

  it('is picked from the session when the address names none', async () => {
    const { cookie } = await connect(world, BRISBANE)
    expect(await pageAccount('', [cookie])).toMatchObject({ outcome: 'ready', accountId: BRISBANE.uuid })
    expect(await pageAccount('', [])).toEqual({ outcome: 'no_account' })
  })

  it('is an admin with the flag, and only if it is on the list', async () => {
    const boss = await connect(world, BRISBANE)
    const worker = await connect(world, LEEDS)
    expect(await pageAccount(`accountUUID=${BRISBANE.uuid}&admin=yes`, [boss.cookie])).toMatchObject({ admin: true })
    expect(await pageAccount(`accountUUID=${LEEDS.uuid}&admin=yes`, [worker.cookie], 'true')).toMatchObject({
      admin: false,
    })
  })

  it('stays open when the connection has to be made anew, and says so', async () => {
    const { cookie } = await connect(world, BRISBANE)
    await world.store.markReconnect(BRISBANE.uuid, 1, 'revoked')
    expect(await pageAccount(`accountUUID=${BRISBANE.uuid}`, [cookie])).toMatchObject({
      outcome: 'ready',
      reconnect: 'ServiceM8 no longer accepts this connection. Please sign in again.',
    })
  })
})

describe('upkeep', () => {
  it('uses each connection once a day, busy ones too: tokens renewed, name, zone and address as they are now', async () => {
    await connect(world, BRISBANE)
    await world.store.describeAccount({ ...BRISBANE, name: 'Old name', timezone: 'Australia/Perth' })
    await world.app.store.notices.noteAccountEmail(BRISBANE.uuid, 'old@example.test')
    // Its token was renewed just now.
    world.clock.advance(minutes(1))
    const described: string[] = []
    await keepConnectionsAlive(world.app, undefined, async (uuid) => void described.push(uuid))
    expect(described).toEqual([BRISBANE.uuid])
    expect(world.platform.counts.refreshes).toBe(0)
    expect(await world.store.findAccount(BRISBANE.uuid)).toEqual(BRISBANE)
    expect(await world.app.store.notices.findAccountEmail(BRISBANE.uuid)).toBe('office@example.test')
    world.clock.advance(days(1))
    await keepConnectionsAlive(world.app)
    expect(world.platform.counts.refreshes).toBe(1)
  })

  it('begins no further account once the process stops', async () => {
    await connect(world, BRISBANE)
    await connect(world, LEEDS)
    world.clock.advance(days(1))
    const ending = new AbortController()
    world.platform.onVendor = () => ending.abort()
    await keepConnectionsAlive(world.app, ending.signal)
    expect(world.platform.counts.vendorCalls).toBe(1)
  })

  it('finds out which accounts removed the add-on', async () => {
    await connect(world, BRISBANE)
    world.platform.revoke(BRISBANE)
    world.clock.advance(days(7))
    await keepConnectionsAlive(world.app)
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({ state: 'reconnect' })
  })

  it('forgets sessions that are over', async () => {
    const { cookie } = await connect(world, BRISBANE)
    world.clock.advance(hours(8))
    await forgetExpiredSignIns(world.app)
    expect(await world.store.findSessions([cookie])).toEqual([])
    expect(world.logged.join('\n')).toContain('"forgotten":1')
  })
})

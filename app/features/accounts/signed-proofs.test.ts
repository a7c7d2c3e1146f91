// What a signed opening, a ticket and a link prove, how often, and for how long: on a real database file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashToken } from '#app/lib/token.server.ts'
import { LEEDS, type RightsWorld, rightsWorld, YORK } from '#tests/support/rights-world.server.ts'
import { linkAccountId, mapAccountId } from './link.server.ts'
import { loadSession } from './session.server.ts'
import { launch, receiveSigned } from './signed-opening.server.ts'
import { SIGNED_MESSAGES } from './signed-opening.ts'

let world: RightsWorld

beforeEach(() => {
  world = rightsWorld()
})
afterEach(() => world.close())

const opening = (accountUUID = LEEDS, more: Record<string, unknown> = {}) =>
  world.sign({ auth: { accountUUID, staffUUID: 'S-1' }, jti: String(Math.random()), ...more })

async function ticketOf(accountUUID = LEEDS): Promise<string> {
  const opened = await receiveSigned(world.app, await opening(accountUUID))
  return opened.outcome === 'opened' ? opened.ticket : ''
}

/** As the platform's frame asks, signed in to nothing yet. */
const FRAMED = { framed: true, confirmed: false, signedInTo: [] }

describe('a signed opening', () => {
  it('gives a ticket for its account, and makes the account without a name', async () => {
    const opened = await receiveSigned(world.app, await opening())
    expect(opened).toEqual({ outcome: 'opened', accountUuid: LEEDS, ticket: expect.stringMatching(/^[\w-]{43}$/) })
    expect(await world.app.store.accounts.findAccount(LEEDS)).toEqual({ uuid: LEEDS, name: '', timezone: 'UTC' })
  })

  it('counts once, however it is padded, and is refused the second time', async () => {
    const jwt = await opening()
    expect((await receiveSigned(world.app, jwt)).outcome).toBe('opened')
    for (const again of [jwt, ` ${jwt}\n`]) {
      expect(await receiveSigned(world.app, again)).toEqual({
        outcome: 'refused',
        status: 403,
        message: SIGNED_MESSAGES.replayed,
        accountUuid: LEEDS,
      })
    }
    expect((await receiveSigned(world.app, await opening())).outcome).toBe('opened')
  })

  it('counts once, however its signature is spelled', async () => {
    const jwt = await opening()
    expect((await receiveSigned(world.app, jwt)).outcome).toBe('opened')
    // The last character holds two bits that belong to no byte; space and padding are read over.
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
      (last) => `${jwt.slice(0, -1)}${last}`,
    )
    for (const again of [...spellings, `${jwt}=`, `${jwt.slice(0, -5)} ${jwt.slice(-5)}`]) {
      expect((await receiveSigned(world.app, again)).outcome).toBe('refused')
      expect((await linkAccountId(world.app, { externalId: LEEDS, token: again })).outcome).toBe('refused')
    }
  })

  it('that is not signed, or is over, is refused with 401; both refusals are in words', async () => {
    const iat = Math.floor(world.clock.now() / 1000) - 3600
    for (const jwt of ['x', 'a.b.c', `${await opening()}x`, await opening(LEEDS, { iat })]) {
      expect(await receiveSigned(world.app, jwt)).toEqual({
        outcome: 'refused',
        status: 401,
        message: SIGNED_MESSAGES.refused,
        accountUuid: null,
      })
    }
    expect(await world.app.store.accounts.findAccount(LEEDS)).toBeNull()
    expect(SIGNED_MESSAGES).toEqual({
      refused: 'This call is not signed by ServiceM8, or it has expired.',
      replayed: 'This link was already used. Please open the add-on from ServiceM8 again.',
      ticket: 'This link has expired. Please open the add-on from ServiceM8 again.',
      beingErased: 'This account is being erased. Open Fieldhook again in a few minutes to start over.',
    })
  })

  it('that is a webhook is no opening', async () => {
    const webhook = await world.sign({
      auth: { accountUUID: LEEDS },
      eventName: 'webhook_subscription',
      eventArgs: { object: 'Job', entry: [], resource_url: 'https://x' },
    })
    expect(await receiveSigned(world.app, webhook)).toEqual({
      outcome: 'webhook',
      claims: { accountUuid: LEEDS, object: 'job', entry: [], resourceUrl: 'https://x' },
    })
  })
})

describe('a launch', () => {
  it('turns a ticket into a session of a day, once', async () => {
    const ticket = await ticketOf()
    const launched = await launch(world.app, { ...FRAMED, ticket, replaces: [] })
    if (launched.outcome !== 'launched') throw new Error('not launched')
    expect(launched.accountUuid).toBe(LEEDS)
    expect(launched.sessionToken).toMatch(/^[\w-]{43}$/)
    const session = await loadSession(world.app, [launched.sessionToken])
    const now = world.clock.now()
    const account = {
      accountUuid: LEEDS,
      staffUuid: 's-1',
      proof: 'launch',
      provedAt: now,
      freshAt: now,
      role: 'owner',
    }
    expect(session?.accounts).toEqual([account])
    const [stored] = await world.app.store.accounts.findSessions([hashToken(launched.sessionToken)])
    expect(stored?.expiresAt).toBe(now + 86_400_000)
    expect(await launch(world.app, { ...FRAMED, ticket, replaces: [] })).toEqual({ outcome: 'refused' })
    expect(await launch(world.app, { ...FRAMED, ticket: 'x', replaces: [] })).toEqual({ outcome: 'refused' })
  })

  it('is over after a minute', async () => {
    const [early, late] = [await ticketOf(), await ticketOf()]
    world.clock.advance(59_999)
    expect((await launch(world.app, { ...FRAMED, ticket: early, replaces: [] })).outcome).toBe('launched')
    world.clock.advance(1)
    expect((await launch(world.app, { ...FRAMED, ticket: late, replaces: [] })).outcome).toBe('refused')
  })

  it('ends the sessions it replaces and carries their proofs while they are fresh', async () => {
    const old = await world.signIn(YORK)
    world.clock.advance(3_600_000)
    const launched = await launch(world.app, { ...FRAMED, ticket: await ticketOf(), replaces: [hashToken(old)] })
    if (launched.outcome !== 'launched') throw new Error('not launched')
    expect(await loadSession(world.app, [old])).toBeNull()
    const session = await loadSession(world.app, [launched.sessionToken])
    expect(session?.accounts.map(({ accountUuid }) => accountUuid).sort()).toEqual([LEEDS, YORK])
    world.clock.advance(23 * 3_600_000)
    const next = await launch(world.app, {
      ...FRAMED,
      ticket: await ticketOf(),
      replaces: [hashToken(launched.sessionToken)],
    })
    if (next.outcome !== 'launched') throw new Error('not launched')
    const left = await loadSession(world.app, [next.sessionToken])
    expect(left?.accounts.map(({ accountUuid }) => accountUuid)).toEqual([LEEDS])
  })

  it('brings a ticket for linking only where the account is not connected', async () => {
    const bare = await launch(world.app, { ...FRAMED, ticket: await ticketOf(), replaces: [] })
    if (bare.outcome !== 'launched') throw new Error('not launched')
    expect(bare.linkTicket).toMatch(/^[\w-]{43}$/)
    const tokens = { accessTokenSealed: 'a', refreshTokenSealed: 'r', expiresAt: 1, scope: '' }
    await world.app.store.accounts.saveCredential(LEEDS, tokens)
    expect(await launch(world.app, { ...FRAMED, ticket: await ticketOf(), replaces: [] })).toMatchObject({
      linkTicket: null,
    })
    await world.app.store.accounts.markReconnect(LEEDS, 1, 'over')
    const again = await launch(world.app, { ...FRAMED, ticket: await ticketOf(), replaces: [] })
    expect(again).toMatchObject({ linkTicket: expect.any(String) })
  })
})

describe('linking an id', () => {
  const linkTicket = async () => {
    const launched = await launch(world.app, { ...FRAMED, ticket: await ticketOf(), replaces: [] })
    return launched.outcome === 'launched' ? (launched.linkTicket ?? '') : ''
  }

  it('works once with a ticket, within ten minutes', async () => {
    const [first, late] = [await linkTicket(), await linkTicket()]
    expect(await linkAccountId(world.app, { externalId: 'ext', token: first })).toEqual({
      outcome: 'linked',
      accountUuid: LEEDS,
    })
    expect(await world.app.store.accounts.resolveAccountId('ext')).toBe(LEEDS)
    expect(await linkAccountId(world.app, { externalId: 'more', token: first })).toEqual({ outcome: 'refused' })
    world.clock.advance(600_000 - 1)
    expect((await world.app.store.accounts.findTicket('link', hashToken(late)))?.accountUuid).toBe(LEEDS)
    world.clock.advance(1)
    expect(await linkAccountId(world.app, { externalId: 'more', token: late })).toEqual({ outcome: 'refused' })
    expect(await world.app.store.accounts.resolveAccountId('more')).toBeNull()
  })

  it('that leads elsewhere is refused and leaves the ticket good', async () => {
    await world.signIn(YORK)
    await world.app.store.accounts.mapAccountId('york', YORK, 9, () => 'new')
    const token = await linkTicket()
    expect(await linkAccountId(world.app, { externalId: 'york', token })).toEqual({ outcome: 'taken' })
    expect(await linkAccountId(world.app, { externalId: YORK, token })).toEqual({ outcome: 'taken' })
    expect((await linkAccountId(world.app, { externalId: 'mine', token })).outcome).toBe('linked')
  })

  it('has an end: fifty for an account', async () => {
    const token = await linkTicket()
    for (let i = 0; i < 50; i += 1) {
      expect(await mapAccountId(world.app, { externalId: `e${i}`, accountUuid: LEEDS })).toBe('mapped')
    }
    expect(await mapAccountId(world.app, { externalId: 'e50', accountUuid: LEEDS })).toBe('full')
    expect(await mapAccountId(world.app, { externalId: 'e1', accountUuid: LEEDS })).toBe('same')
    expect(await linkAccountId(world.app, { externalId: 'e50', token })).toEqual({ outcome: 'full' })
  })

  it('works with the platform’s signed text for that very account, once', async () => {
    const jwt = await opening()
    expect(await linkAccountId(world.app, { externalId: YORK, token: jwt })).toEqual({ outcome: 'refused' })
    expect(await linkAccountId(world.app, { externalId: LEEDS, token: ` ${jwt}` })).toEqual({
      outcome: 'linked',
      accountUuid: LEEDS,
    })
    expect(await world.app.store.accounts.findAccount(LEEDS)).toEqual({ uuid: LEEDS, name: '', timezone: 'UTC' })
    expect(await linkAccountId(world.app, { externalId: LEEDS, token: jwt })).toEqual({ outcome: 'refused' })
    expect((await receiveSigned(world.app, jwt)).outcome).toBe('refused')
  })

  it('that somebody else took before its owner came goes to whoever proves it', async () => {
    await world.signIn(YORK)
    expect(await mapAccountId(world.app, { externalId: LEEDS, accountUuid: YORK })).toBe('mapped')
    expect(await world.app.store.accounts.resolveAccountId(LEEDS)).toBe(YORK)
    expect((await linkAccountId(world.app, { externalId: LEEDS, token: await opening() })).outcome).toBe('linked')
    expect(await world.app.store.accounts.resolveAccountId(LEEDS)).toBe(LEEDS)
    expect(await mapAccountId(world.app, { externalId: LEEDS, accountUuid: YORK })).toBe('taken')
  })

  it('takes no webhook, nothing forged and nothing made up', async () => {
    const webhook = await world.sign({ auth: { accountUUID: LEEDS }, eventName: 'webhook_subscription' })
    for (const token of [webhook, `${await opening()}x`, 'a.b.c', 'x', '']) {
      expect(await linkAccountId(world.app, { externalId: LEEDS, token })).toEqual({ outcome: 'refused' })
    }
    expect(await world.app.store.accounts.findAccount(LEEDS)).toBeNull()
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decideNamedAs } from '#app/domain/account-id.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { testApp } from '#tests/support/test-app.server.ts'
import type { Client } from '../../sqlite/client.server.ts'
import type { AccountStore, NewSession, SealedTokens } from '../../store/accounts.ts'
import { accountStore } from './accounts.server.ts'

let base: ReturnType<typeof testApp>
let client: Client
let clock: FixedClock
let store: AccountStore

beforeEach(() => {
  clock = fixedClock()
  base = testApp(clock)
  client = base.client
  store = accountStore(client, clock)
})
afterEach(() => {
  base.close()
})

const TOKENS: SealedTokens = { accessTokenSealed: 'a', refreshTokenSealed: 'r', expiresAt: 1, scope: 'vendor' }

function newSession(tokenHash: string, accountUuid: string, overrides: Partial<NewSession> = {}): NewSession {
  const now = clock.now()
  const account = { accountUuid, staffUuid: null, proof: 'oauth', provedAt: now } as const
  return {
    tokenHash,
    expiresAt: now + hours(24),
    account,
    replaces: [],
    carryProofsSince: now - hours(24),
    ...overrides,
  }
}

function account(uuid: string) {
  return { uuid, name: `Account ${uuid}`, timezone: 'UTC' }
}

function signIn(accountUuid: string, named = '', session = newSession(`session-${accountUuid}`, accountUuid)) {
  return store.completeSignIn({ account: account(accountUuid), tokens: TOKENS, named, session }, decideNamedAs)
}

describe('completing a sign-in', () => {
  it('stores account, tokens, mapping and session together', async () => {
    expect(await signIn('a', 'ext')).toBe('new')
    expect(await store.findAccount('a')).toEqual(account('a'))
    expect(await store.findCredential('a')).toMatchObject({ generation: 1, state: 'connected' })
    expect(await store.resolveAccountId('ext')).toBe('a')
    expect(await store.findSessions(['session-a'])).toMatchObject([{ accounts: [{ accountUuid: 'a' }] }])
  })

  it('stores nothing when one part of it cannot be', async () => {
    await signIn('a')
    await expect(signIn('b', 'ext', newSession('session-a', 'b'))).rejects.toThrow(/unique/i)
    expect(await store.findAccount('b')).toBeNull()
    expect(await store.findCredential('b')).toBeNull()
    expect(await store.resolveAccountId('ext')).toBeNull()
  })

  it('carries over what the replaced session proved, not what is too old', async () => {
    await signIn('a')
    clock.advance(hours(5))
    await signIn('b', '', newSession('both', 'b', { replaces: ['session-a'] }))
    expect((await store.findSessions(['both']))[0]?.accounts).toHaveLength(2)
    expect(await store.findSessions(['session-a'])).toEqual([])
    clock.advance(hours(19))
    await signIn('c', '', newSession('later', 'c', { replaces: ['both'] }))
    expect((await store.findSessions(['later']))[0]?.accounts.map((one) => one.accountUuid).sort()).toEqual(['b', 'c'])
  })

  it('counts a new proof of an account that was carried over', async () => {
    await signIn('a')
    clock.advance(hours(1))
    await signIn('a', '', newSession('again', 'a', { replaces: ['session-a'] }))
    expect((await store.findSessions(['again']))[0]?.accounts).toMatchObject([
      { accountUuid: 'a', provedAt: clock.now() },
    ])
  })
})

describe('replacing tokens', () => {
  it('needs the generation that was read', async () => {
    await signIn('a')
    expect(await store.replaceTokens('a', 1, { ...TOKENS, accessTokenSealed: 'a2' })).toBe('replaced')
    expect(await store.replaceTokens('a', 1, { ...TOKENS, accessTokenSealed: 'lost' })).toBe('changed_meanwhile')
    expect(await store.markReconnect('a', 1, 'late')).toBe('changed_meanwhile')
    expect(await store.findCredential('a')).toMatchObject({
      generation: 2,
      accessTokenSealed: 'a2',
      state: 'connected',
    })
  })
})

describe('an id', () => {
  it('means itself when it is an account, whatever was mapped before', async () => {
    await signIn('a', 'b')
    expect(await store.resolveAccountId('b')).toBe('a')
    await store.ensureAccount(account('b'))
    expect(await store.resolveAccountId('b')).toBe('b')
    expect(await store.mapAccountId('b', 'a', 50, decideNamedAs)).toBe('taken')
  })

  it('leads nowhere when nobody has it', async () => {
    expect(await store.resolveAccountId('nobody')).toBeNull()
  })
})

describe('markers of unknown ids', () => {
  it('are never more than ten thousand', async () => {
    const now = clock.now()
    client.sql
      .prepare(
        `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 9999)
         INSERT INTO placeholder_marker (external_id, created_at, expires_at)
         SELECT 'm' || n, CAST(? AS bigint), CAST(? AS bigint) FROM number`,
      )
      .run(now, now + 1000)
    await store.markPlaceholder('one-more', now + 1000)
    expect(await store.findPlaceholder('one-more')).toBeNull()
    clock.advance(1000)
    await store.markPlaceholder('one-more', clock.now() + 1000)
    expect(await store.findPlaceholder('one-more')).toBe(clock.now() + 1000)
  })

  it('keep the end they were given first', async () => {
    const end = clock.now() + 1000
    await store.markPlaceholder('x', end)
    await store.markPlaceholder('x', end + 5000)
    expect(await store.findPlaceholder('x')).toBe(end)
  })
})

it('begun sign-ins are never more than ten thousand, and one that is under way is not pushed out at once', async () => {
  const now = clock.now()
  client.sql
    .prepare(
      `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 9998)
       INSERT INTO sign_in_attempt (state_hash, external_id, created_at, expires_at)
       SELECT 's' || n, '', CAST(? AS bigint) + n, CAST(? AS bigint) FROM number`,
    )
    .run(now - 10_000, now + 1000)
  for (const stateHash of ['mine', 'flood']) {
    await store.beginSignIn({ stateHash, externalId: '', expiresAt: now + 1000 })
  }
  const { n } = client.sql.prepare('SELECT count(*) AS n FROM sign_in_attempt').get() as { n: number }
  expect(Number(n)).toBe(9_001)
  const taken = await Promise.all(['s999', 's1000', 'mine', 'flood'].map((hash) => store.takeSignIn(hash)))
  expect(taken.map(({ outcome }) => outcome)).toEqual(['unknown', 'taken', 'taken', 'taken'])
})

describe('tidying up', () => {
  it('takes away what is over and leaves the rest', async () => {
    await signIn('a')
    clock.advance(hours(9))
    await signIn('b')
    await store.beginSignIn({ stateHash: 'old', externalId: '', expiresAt: clock.now() - hours(1) })
    await store.beginSignIn({ stateHash: 'late', externalId: '', expiresAt: clock.now() - 1 })
    const ticket = { kind: 'link', accountUuid: 'a', staffUuid: null } as const
    await store.issueTicket({ ...ticket, tokenHash: 'over', expiresAt: clock.now() })
    await store.issueTicket({ ...ticket, tokenHash: 'live', expiresAt: clock.now() + 1 })
    await store.rememberSigned({ tokenHash: 'jwt', accountUuid: 'a', staffUuid: null, expiresAt: clock.now() })
    await store.markPlaceholder('x', clock.now())
    expect(await store.forgetExpired(clock.now() - hours(8))).toBe(5)
    expect(await store.findSessions(['session-a', 'session-b'])).toMatchObject([{ tokenHash: 'session-b' }])
    expect(await store.takeSignIn('old')).toEqual({ outcome: 'unknown' })
    expect(await store.takeSignIn('late')).toEqual({ outcome: 'expired', externalId: '' })
    expect(await store.findTicket('link', 'live')).not.toBeNull()
    expect(await store.rememberSigned({ tokenHash: 'jwt', accountUuid: 'a', staffUuid: null, expiresAt: 1 })).toBe(
      'first_time',
    )
  })

  it('finds the connections nobody used', async () => {
    await signIn('a')
    clock.advance(days(3))
    await signIn('b')
    await signIn('c')
    await store.markReconnect('a', 1, 'revoked')
    await store.ensureAccount(account('d'))
    clock.advance(days(6) + minutes(1))
    await store.replaceTokens('c', 1, TOKENS)
    expect(await store.accountsIdleSince(clock.now() - days(6))).toEqual(['b'])
  })
})

describe('a session', () => {
  it('goes with its account', async () => {
    await signIn('a')
    client.sql.prepare("DELETE FROM account WHERE uuid = 'a'").run()
    expect(await store.findSessions(['session-a'])).toEqual([])
    expect(await store.findCredential('a')).toBeNull()
  })
})

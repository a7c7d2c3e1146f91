import { beforeEach, describe, expect, it } from 'vitest'
import type { App } from '#app/app-context.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { seconds } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { type Budgets, createBudgets } from './budgets.server.ts'

const TOKENS = { leeds: 'l'.repeat(43), brisbane: 'b'.repeat(43) }
const KB = 1024

let clock: ReturnType<typeof fixedClock>
let refused: string[]
let asked: number
let budgets: Budgets
beforeEach(() => {
  clock = fixedClock()
  refused = []
  asked = 0
  const accounts = new Map(Object.entries(TOKENS).map(([account, token]) => [hashToken(token), account]))
  const store = {
    async findSessions(hashes: string[]) {
      asked++
      return hashes.flatMap((hash) => {
        const accountUuid = accounts.get(hash)
        if (!accountUuid) return []
        const at = clock.now()
        const session = { tokenHash: hash, createdAt: at, lastSeenAt: at, expiresAt: at + seconds(100) }
        return [{ ...session, accounts: [{ accountUuid, staffUuid: null, provedAt: at }] }]
      })
    },
  }
  const app = { store, clock, settings: { origin: 'https://hooks.example.com' } } as unknown as App
  budgets = createBudgets(
    app,
    { account: { ms: 6_000, bytes: 600 * KB }, caller: { ms: 3_600, bytes: 60 * KB } },
    { refused: (whose, of) => void refused.push(`${whose} ${of}`), isExempt: (ip) => ip === '10.0.0.1' },
  )
})

const stranger = { headers: {} }
const signedIn = (account: keyof typeof TOKENS) => ({ headers: { cookie: `__Host-sid-top=${TOKENS[account]}` } })
const made = { headers: { cookie: `__Host-sid-top=${'x'.repeat(43)}` } }

describe('a caller without a session', () => {
  it('who has used up the minute is asked to wait until it is paid off, and nobody else is', async () => {
    budgets.settle(stranger, '203.0.113.5', { ms: 590, account: null }, 0)
    expect(await budgets.admit(stranger, '203.0.113.5')).toBeNull()
    budgets.settle(stranger, '203.0.113.5', { ms: 610, account: null }, 0)
    expect(await budgets.admit(stranger, '203.0.113.5')).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '10' },
    })
    expect(await budgets.admit(stranger, '203.0.113.6')).toBeNull()
    expect(refused).toEqual(['caller ms'])
    clock.advance(seconds(10))
    expect(await budgets.admit(stranger, '203.0.113.5')).toBeNull()
  })

  it('uses ten seconds of its minute at once, and the rest as time goes by', async () => {
    for (let n = 0; n < 6; n++) {
      budgets.settle(stranger, '203.0.113.5', { ms: 600, account: null }, 0)
      expect(await budgets.admit(stranger, '203.0.113.5')).toBeNull()
      budgets.settle(stranger, '203.0.113.5', { ms: 60, account: null }, 0)
      expect((await budgets.admit(stranger, '203.0.113.5'))?.headers).toEqual({ 'Retry-After': '1' })
      clock.advance(seconds(11))
    }
    // A minute is paid for, however long nobody came.
    clock.advance(seconds(600))
    budgets.settle(stranger, '203.0.113.5', { ms: 660, account: null }, 0)
    expect((await budgets.admit(stranger, '203.0.113.5'))?.status).toBe(429)
  })

  it('is one whatever address of an IPv6 network comes next', async () => {
    budgets.settle(stranger, '2001:db8:1:2::1', { ms: 700, account: null }, 0)
    expect((await budgets.admit(stranger, '2001:db8:1:2:ffff::9'))?.status).toBe(429)
    expect(await budgets.admit(stranger, '2001:db8:1:3::1')).toBeNull()
  })

  it('pays for bytes as for time', async () => {
    budgets.settle(stranger, '203.0.113.5', { ms: 1, account: null }, 61 * KB)
    expect((await budgets.admit(stranger, '203.0.113.5'))?.status).toBe(429)
    expect(refused).toEqual(['caller bytes'])
  })

  it('never waits longer than a minute, whatever one request used', async () => {
    budgets.settle(stranger, '203.0.113.5', { ms: 1_000_000, account: null }, 0)
    expect((await budgets.admit(stranger, '203.0.113.5'))?.headers).toEqual({ 'Retry-After': '60' })
  })

  it('stays one with a made-up cookie', async () => {
    budgets.settle(stranger, '203.0.113.5', { ms: 700, account: null }, 0)
    expect((await budgets.admit(made, '203.0.113.5'))?.status).toBe(429)
  })

  it('that is a proxy is let in: nobody knows who is behind it', async () => {
    budgets.settle(stranger, '10.0.0.1', { ms: 7_000, account: null }, 0)
    expect(await budgets.admit(stranger, '10.0.0.1')).toBeNull()
  })
})

describe('an account', () => {
  it('that has used up its minute is asked to wait wherever it comes from, and no other is', async () => {
    budgets.settle(signedIn('leeds'), '203.0.113.5', { ms: 2_100, account: 'leeds' }, 0)
    budgets.settle(signedIn('brisbane'), '203.0.113.5', { ms: 60, account: 'brisbane' }, 0)
    expect((await budgets.admit(signedIn('leeds'), '198.51.100.9'))?.headers).toEqual({ 'Retry-After': '6' })
    expect(await budgets.admit(signedIn('brisbane'), '203.0.113.5')).toBeNull()
    expect(await budgets.admit(stranger, '203.0.113.5')).toBeNull()
    expect(budgets.overBy('account', 'leeds')).toBe(6_000)
    expect(budgets.overBy('account', 'brisbane')).toBeNull()
    expect(budgets.overBy('account', 'never seen')).toBeNull()
  })

  it('is let in beside a neighbour who has used up the address, looked up once', async () => {
    budgets.settle(stranger, '203.0.113.5', { ms: 700, account: null }, 0)
    expect(await budgets.admit(signedIn('leeds'), '203.0.113.5')).toBeNull()
    expect(await budgets.admit(signedIn('leeds'), '203.0.113.5')).toBeNull()
    expect(asked).toBe(1)
  })

  it('without a limit is never asked to wait', async () => {
    const none = { ms: 0, bytes: 0 }
    const app = { store: {}, clock, settings: { origin: 'https://x.example' } } as unknown as App
    const free = createBudgets(app, { account: none, caller: none }, { isExempt: () => false })
    free.settle(stranger, '203.0.113.5', { ms: 1e9, account: null }, 1e12)
    free.charge('account', 'leeds', { ms: 1e9, bytes: 1e12 })
    expect(await free.admit(stranger, '203.0.113.5')).toBeNull()
    expect(free.overBy('account', 'leeds')).toBeNull()
  })
})

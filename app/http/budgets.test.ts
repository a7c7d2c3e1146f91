import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { seconds } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { type Budgets, createBudgets, SHARE_MS } from './budgets.server.ts'

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
  const app = { store: { accounts: store }, clock, settings: { origin: 'https://hooks.example.com' } } as unknown as App
  budgets = createBudgets(
    app,
    { account: { ms: 6_000, bytes: 600 * KB }, caller: { ms: 3_600, bytes: 60 * KB }, accountsMs: 0 },
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
    const free = createBudgets(app, { account: none, caller: none, accountsMs: 0 }, { isExempt: () => false })
    free.settle(stranger, '203.0.113.5', { ms: 1e9, account: null }, 1e12)
    free.charge('account', 'leeds', { ms: 1e9, bytes: 1e12 })
    expect(await free.admit(stranger, '203.0.113.5')).toBeNull()
    expect(free.overBy('account', 'leeds')).toBeNull()
  })
})

describe('accounts above their share', () => {
  const NONE = { ms: 0, bytes: 0 }
  const together = (accountsMs: number, accountMs = 0) => {
    const app = { store: {}, clock, settings: { origin: 'https://x.example' } } as unknown as App
    const settings = { account: { ms: accountMs, bytes: 0 }, caller: NONE, accountsMs }
    return createBudgets(app, settings, { refused: (whose, of) => void refused.push(`${whose} ${of}`) })
  }
  const works = (all: Budgets, account: string, ms: number) => all.charge('account', account, { ms, bytes: 0 })

  it('wait for each other as soon as all of them used too much together; nobody else does', () => {
    const all = together(30_000)
    works(all, 'quiet', 4_900)
    for (const account of ['one', 'two', 'three']) works(all, account, 4_000)
    expect(['one', 'two', 'three'].map((account) => all.overBy('account', account))).toEqual([null, null, null])
    // A quarter of the half minute at once: it is used up by the second.
    works(all, 'one', 5_000)
    expect(all.overBy('account', 'one')).toBeNull()
    works(all, 'two', 5_000)
    // 2.5 s too many, of 30 s a minute.
    expect(all.overBy('account', 'one')).toBe(seconds(5))
    expect(all.overBy('account', 'two')).toBe(seconds(5))
    expect(all.overBy('account', 'three')).toBeNull()
    expect(all.overBy('account', 'quiet')).toBeNull()
    expect(all.overBy('account', 'never seen')).toBeNull()
    expect(refused).toEqual(['accounts ms', 'accounts ms'])
    // Events pay for themselves alone.
    expect(all.overBy('account', 'one', 'own')).toBeNull()
    clock.advance(seconds(5))
    expect(all.overBy('account', 'one')).toBeNull()
  })

  it('wait no longer than until they are within their share again', () => {
    const all = together(30_000)
    works(all, 'one', 19_000)
    works(all, 'two', 5_100)
    // All together pay for 33 s; this one has 0.1 s too many, of 5 s a minute.
    expect(all.overBy('account', 'two')).toBe(1_200)
    expect(all.overBy('account', 'one')).toBe(seconds(33.2))
  })

  it('pay with their own minute as well: the longer wait counts', () => {
    const all = together(30_000, 20_000)
    works(all, 'one', 10_000)
    expect(all.overBy('account', 'one')).toBe(seconds(15))
    works(all, 'one', 20_000)
    expect(all.overBy('account', 'one')).toBe(seconds(60))
    expect(refused).toEqual(['account ms', 'accounts ms', 'account ms', 'accounts ms'])
  })

  it('without a limit never wait for each other', () => {
    const all = together(0)
    for (const account of ['one', 'two', 'three', 'four']) works(all, account, 19_000)
    expect(['one', 'two', 'three', 'four'].map((account) => all.overBy('account', account))).toEqual(
      Array(4).fill(null),
    )
  })

  it('are bounded together, and who stays within the share is never refused, whatever the others do', () => {
    const act = fc.record({
      account: fc.constantFrom('quiet', 'calm', 'one', 'two', 'three', 'four', 'five'),
      ms: fc.integer({ min: 1, max: 3_000 }),
      pause: fc.constantFrom(0, 0, 0, 10, 100, 1_000, 20_000),
    })
    fc.assert(
      fc.property(fc.array(act, { minLength: 50, maxLength: 400 }), (acts) => {
        const all = together(30_000)
        const begun = clock.now()
        const done: { account: string; ms: number; at: number }[] = []
        let noisy = 0
        for (const { account, ms, pause } of acts) {
          clock.advance(pause)
          const now = clock.now()
          const used = done
            .filter((one) => one.account === account && one.at > now - 60_000)
            .reduce((sum, one) => sum + one.ms, 0)
          const stays = account === 'quiet' || account === 'calm'
          if (stays && used + ms > SHARE_MS) continue
          refused = []
          const wait = all.overBy('account', account)
          if (stays) expect(wait).toBeNull()
          if (wait !== null) {
            expect(wait).toBeGreaterThan(0)
            expect(wait).toBeLessThanOrEqual(60_000)
            continue
          }
          if (!stays) noisy += ms
          works(all, account, ms)
          done.push({ account, ms, at: now })
        }
        // Of each purse: what is there at once, what comes back with time, and the one request that was admitted last.
        const passed = (clock.now() - begun) / 60_000
        const shares = 5 * (SHARE_MS + passed * SHARE_MS + 3_000)
        expect(noisy).toBeLessThanOrEqual(shares + 7_500 + passed * 30_000 + 3_000)
      }),
    )
  })
})

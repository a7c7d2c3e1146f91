import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CallGate, PlatformApi } from '#app/adapters/platform.ts'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import { type AccountsApp, accountsApp, connect } from '#tests/support/accounts-app.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'
import { createCallAsAccount } from './call-as-account.server.ts'

let world: AccountsApp

beforeEach(async () => {
  world = await accountsApp()
})
afterEach(() => world.close())

const HOUR = 3_600_000
const MINUTE = 60_000

function vendor(callAsAccount = world.app.callAsAccount, account = BRISBANE) {
  return callAsAccount(account.uuid, (api, token) => api.vendor(token))
}

describe('a call of an account', () => {
  it('uses the stored token while it lasts', async () => {
    await connect(world, BRISBANE)
    expect(await vendor()).toMatchObject({ outcome: 'ok', value: { uuid: BRISBANE.uuid } })
    expect(world.platform.counts).toMatchObject({ refreshes: 0, vendorCalls: 1 })
  })

  it('does not happen without credentials', async () => {
    expect(await vendor()).toEqual({ outcome: 'not_connected', message: 'No authentication credentials found' })
    expect(world.platform.counts.vendorCalls).toBe(0)
  })

  it('renews the token five minutes before it ends, not earlier', async () => {
    await connect(world, BRISBANE)
    world.clock.advance(HOUR - 5 * MINUTE - 1)
    await vendor()
    expect(world.platform.counts.refreshes).toBe(0)
    world.clock.advance(1)
    expect(await vendor()).toMatchObject({ outcome: 'ok' })
    expect(world.platform.counts.refreshes).toBe(1)
  })

  it('stores the new pair before it uses it', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    const held: unknown[] = []
    world.platform.onVendor = async (token) => {
      const credential = await world.store.findCredential(BRISBANE.uuid)
      const place = `credential|${BRISBANE.uuid}|access_token`
      const opened = await world.app.secrets.open(place, credential?.accessTokenSealed ?? '')
      held.push(credential?.generation, opened === token)
    }
    await vendor()
    expect(held).toEqual([2, true])
  })

  it('renews once, when twenty calls find the token old at the same time', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    const results = await Promise.all(Array.from({ length: 20 }, () => vendor()))
    expect(results.filter((result) => result.outcome === 'ok')).toHaveLength(20)
    expect(world.platform.counts.refreshes).toBe(1)
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({ generation: 2, state: 'connected' })
  })

  it('renews once, when twenty calls are refused with 401 at the same time', async () => {
    await connect(world, BRISBANE)
    world.platform.expireAccessTokens()
    const results = await Promise.all(Array.from({ length: 20 }, () => vendor()))
    expect(results.filter((result) => result.outcome === 'ok')).toHaveLength(20)
    expect(world.platform.counts.refreshes).toBe(1)
  })

  it('renews each account by itself', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    await connect(world, LEEDS, { lastsMs: MINUTE })
    const results = await Promise.all([vendor(undefined, BRISBANE), vendor(undefined, LEEDS)])
    expect(results).toMatchObject([{ value: { uuid: BRISBANE.uuid } }, { value: { uuid: LEEDS.uuid } }])
    expect(world.platform.counts.refreshes).toBe(2)
  })

  it('tries a refused token again once only', async () => {
    await connect(world, BRISBANE)
    world.platform.breaks('vendor', 401)
    expect(await vendor()).toMatchObject({ outcome: 'unauthorized' })
    expect(world.platform.counts).toMatchObject({ vendorCalls: 2, refreshes: 1 })
  })

  it('writes no token into the log', async () => {
    const { accessToken, refreshToken } = await connect(world, BRISBANE, { lastsMs: MINUTE })
    await vendor()
    expect(world.logged.join('\n')).toContain('credential.renewed')
    const renewed = await world.store.findCredential(BRISBANE.uuid)
    const open = (column: string, sealed = '') =>
      world.app.secrets.open(`credential|${BRISBANE.uuid}|${column}`, sealed)
    const tokens = [
      accessToken,
      refreshToken,
      await open('access_token', renewed?.accessTokenSealed),
      await open('refresh_token', renewed?.refreshTokenSealed),
    ]
    expect(new Set(tokens).size).toBe(4)
    for (const token of tokens) expect(world.logged.join('\n')).not.toContain(token)
  })
})

describe('a refused renewal', () => {
  it('asks for a new sign-in, with the reason, and does not ask the platform again', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    world.platform.revoke(BRISBANE)
    const reconnect = { outcome: 'reconnect', message: CREDENTIAL_MESSAGES.reconnect }
    expect(await vendor()).toEqual(reconnect)
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({
      state: 'reconnect',
      stateReason: 'The refresh token is invalid, expired, revoked or was used before',
    })
    expect(await vendor()).toEqual(reconnect)
    expect(world.platform.counts).toMatchObject({ refreshes: 1, vendorCalls: 0 })
  })

  it('is what a new process gets when the last one ended before it stored the answer', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    const dying = { ...world.store, replaceTokens: () => new Promise<never>(() => undefined) }
    const answered = world.platform.counts
    void vendor(createCallAsAccount({ ...world.app, store: dying }))
    await expect.poll(() => answered.refreshes, { timeout: 60_000 }).toBe(1)
    expect(await vendor(world.restarted())).toMatchObject({ outcome: 'reconnect' })
  })

  it('gives way to a sign-in that happened meanwhile', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    world.platform.revoke(BRISBANE)
    const store = {
      ...world.store,
      markReconnect: async (account: string, generation: number, reason: string) => {
        await connect(world, BRISBANE)
        return world.store.markReconnect(account, generation, reason)
      },
    }
    expect(await vendor(createCallAsAccount({ ...world.app, store }))).toMatchObject({ outcome: 'ok' })
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({ state: 'connected' })
  })
})

describe('a platform in trouble', () => {
  it.each([500, 'hang', 'reset'] as const)('changes nothing when it answers a renewal with %s', async (fault) => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    world.clock.advance(2 * MINUTE)
    const before = await world.store.findCredential(BRISBANE.uuid)
    world.platform.breaks('token', fault)
    expect(await vendor()).toMatchObject({ outcome: 'unavailable' })
    expect(await world.store.findCredential(BRISBANE.uuid)).toEqual(before)
  })

  it('does not matter while the token still works', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    world.platform.breaks('token', 503)
    expect(await vendor()).toMatchObject({ outcome: 'ok' })
  })

  it('says so when it limits requests', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    world.clock.advance(2 * MINUTE)
    world.platform.breaks('token', 429)
    expect(await vendor()).toMatchObject({ outcome: 'rate_limited' })
  })
})

describe('a store in trouble', () => {
  it('does not lose a renewed pair: it is kept and stored with the next call', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    let full = true
    const store = {
      ...world.store,
      replaceTokens: (...args: Parameters<typeof world.store.replaceTokens>) => {
        if (full) return Promise.reject(new Error('database or disk is full'))
        return world.store.replaceTokens(...args)
      },
    }
    const callAsAccount = createCallAsAccount({ ...world.app, store })
    let ended = false
    const first = vendor(callAsAccount).finally(() => {
      ended = true
    })
    // For half a minute it is tried again at once.
    while (!ended) {
      await pause(10)
      world.clock.advance(1_000)
    }
    expect(await first).toMatchObject({ outcome: 'unavailable' })
    full = false
    expect(await vendor(callAsAccount)).toMatchObject({ outcome: 'ok' })
    expect(world.platform.counts.refreshes).toBe(1)
    expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({ generation: 2, state: 'connected' })
  })
})

describe('the share of calls', () => {
  /** A platform that answers at once and counts what got past the gate. */
  function counting() {
    let made = 0
    const { platformApi } = world.app
    const actingFor = (_account: string, { gate }: { gate: CallGate }): PlatformApi => ({
      ...platformApi,
      async vendor() {
        const held = await gate.admit()
        if (held) return held
        made += 1
        return { outcome: 'ok', value: { uuid: BRISBANE.uuid, name: 'x', timezone: 'UTC', email: '' } }
      },
    })
    const callAsAccount = createCallAsAccount({
      ...world.app,
      store: world.store,
      platformApi: { ...platformApi, actingFor },
    })
    return { made: () => made, callAsAccount }
  }

  it('is smaller for rules: they are told when to go on, while screens still get through', async () => {
    await connect(world, BRISBANE)
    const { made, callAsAccount } = counting()
    const rule = () => callAsAccount(BRISBANE.uuid, (api, token) => api.vendor(token), { priority: 'background' })
    for (let call = 0; call < 150; call += 1) await rule()
    expect(await rule()).toMatchObject({ outcome: 'rate_limited', retryAt: world.clock.now() + 61_000 })
    expect(made()).toBe(150)
    expect(await vendor(callAsAccount)).toMatchObject({ outcome: 'ok' })
    world.clock.advance(61_000)
    expect(await rule()).toMatchObject({ outcome: 'ok' })
  })
})

describe('a call without a token', () => {
  it('was certainly not made', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    world.clock.advance(2 * MINUTE)
    world.platform.breaks('token', 503)
    expect(await vendor()).toMatchObject({ outcome: 'unavailable', undone: true })
  })
})

describe('a renewal refused for our own app', () => {
  it.each(['refused', 'forbidden'] as const)(
    '(%s) is tried again, and refuses no record of the call',
    async (outcome) => {
      await connect(world, BRISBANE, { lastsMs: MINUTE })
      world.clock.advance(2 * MINUTE)
      const message = 'Client authentication failed'
      const oauth = { refresh: async () => ({ outcome, status: 401, message }) }
      const callAsAccount = createCallAsAccount({ ...world.app, store: world.store, oauth })
      expect(await vendor(callAsAccount)).toEqual({ outcome: 'unavailable', status: null, message, undone: true })
      expect(await world.store.findCredential(BRISBANE.uuid)).toMatchObject({ state: 'connected' })
    },
  )
})

describe('tokens brought without a refresh token', () => {
  it('work until they end, then a sign-in is needed', async () => {
    const { accessToken } = await connect(world, BRISBANE)
    const place = (column: string) => `credential|${BRISBANE.uuid}|${column}`
    await world.store.saveCredential(BRISBANE.uuid, {
      accessTokenSealed: await world.app.secrets.seal(place('access_token'), accessToken),
      refreshTokenSealed: await world.app.secrets.seal(place('refresh_token'), ''),
      expiresAt: world.clock.now() + MINUTE,
      scope: '',
    })
    expect(await vendor()).toMatchObject({ outcome: 'ok' })
    world.clock.advance(MINUTE)
    expect(await vendor()).toMatchObject({ outcome: 'reconnect' })
    expect(world.platform.counts.refreshes).toBe(0)
  })
})

describe('a stored token', () => {
  it('does not open in the row of another account', async () => {
    await connect(world, BRISBANE)
    await connect(world, LEEDS)
    const stolen = await world.store.findCredential(LEEDS.uuid)
    if (!stolen) throw new Error('not connected')
    await world.store.saveCredential(BRISBANE.uuid, {
      accessTokenSealed: stolen.accessTokenSealed,
      refreshTokenSealed: stolen.refreshTokenSealed,
      expiresAt: stolen.expiresAt,
      scope: stolen.scope,
    })
    await expect(vendor()).rejects.toMatchObject({ code: 'altered_or_moved' })
  })
})

describe('a permission that is missing', () => {
  const refuse = (message: string) =>
    world.app.callAsAccount(BRISBANE.uuid, async () => ({ outcome: 'forbidden', status: 403, message }) as const)
  const noted = async () => (await world.store.findCredential(BRISBANE.uuid))?.stateReason

  it('is remembered, over renewals too, until somebody signs in again', async () => {
    await connect(world, BRISBANE, { lastsMs: MINUTE })
    await refuse('insufficient_scope: publish_sms scope required')
    await refuse('insufficient_scope: publish_sms scope required')
    await refuse('insufficient_scope: read_job_queues scope required')
    expect(await noted()).toBe('publish_sms read_job_queues')
    world.clock.advance(2 * MINUTE)
    expect(await vendor()).toMatchObject({ outcome: 'ok' })
    expect(await noted()).toBe('publish_sms read_job_queues')
    await connect(world, BRISBANE)
    expect(await noted()).toBeNull()
  })

  it('is not noted when somebody signed in before the refusal came', async () => {
    await connect(world, BRISBANE)
    const message = 'insufficient_scope: publish_sms scope required'
    await world.app.callAsAccount(BRISBANE.uuid, async () => {
      await connect(world, BRISBANE)
      return { outcome: 'forbidden', status: 403, message } as const
    })
    expect(await noted()).toBeNull()
  })

  it('is not read out of other refusals', async () => {
    await connect(world, BRISBANE)
    await refuse('You may not act for this staff member.')
    expect(await noted()).toBeNull()
  })

  it('never fails the call when it cannot be written', async () => {
    await connect(world, BRISBANE)
    const store = { ...world.store, noteRefusedScope: () => Promise.reject(new Error('full')) }
    const call = createCallAsAccount({ ...world.app, store })
    const message = 'insufficient_scope: publish_sms scope required'
    expect(await call(BRISBANE.uuid, async () => ({ outcome: 'forbidden', status: 403, message }) as const)).toEqual({
      outcome: 'forbidden',
      status: 403,
      message,
    })
  })
})

import type { LoaderFunctionArgs } from '@remix-run/node'
import { SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCookies } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { type AccountsApp, accountsApp, connect } from '#tests/support/accounts-app.ts'
import { APP_SECRET, BRISBANE, LEEDS } from '#tests/support/platform-server.ts'
import { loader as askLink, action as pressLink } from './link.tsx'
import { findManagerAccount, openManager } from './manager-account.server.ts'

let world: AccountsApp
/** A browser's cookies. */
let cookies: Map<string, string>
beforeEach(async () => {
  world = await accountsApp()
  cookies = new Map()
})
afterEach(() => world.close())

const NEW_ACCOUNT = 'New account detected: Please sign in to link this account.'
const CHECK_FAILED = 'Account check failed: Please sign in to authenticate.'

function request(query: string): Request {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return new Request(`https://fieldhook.test/fieldhook${query}`, { headers: cookie === '' ? {} : { cookie } })
}

function keep(headers: Headers): string[] {
  for (const line of headers.getSetCookie()) {
    for (const [name, value] of readCookies(line.split(';')[0] ?? '')) cookies.set(name, value)
  }
  return headers.getSetCookie()
}

let visits = 0

/** Opens the page; a redirect is not followed. */
async function open(query = '') {
  visits += 1
  const context = { app: world.app, clientIp: `198.51.100.${visits % 250}`, nonce: '' }
  try {
    const { found, greeting, headers } = await openManager({ request: request(query), context })
    const account = found.outcome === 'ready' ? { id: found.accountId, uuid: found.account.uuid } : null
    return { outcome: found.outcome, account, greeting, remembered: keep(headers), location: null, flash: null }
  } catch (thrown) {
    if (!(thrown instanceof Response)) throw thrown
    keep(thrown.headers)
    const { flash } = await loadFlash(world.app, request(''))
    return {
      outcome: 'redirect',
      account: null,
      greeting: null,
      remembered: [],
      location: thrown.headers.get('location'),
      flash,
    }
  }
}

async function signedIn(account = BRISBANE): Promise<void> {
  cookies.set('__Host-sid-top', (await connect(world, account)).cookie)
}

/** One browser that has proved both. */
async function signedInToBoth(latest = LEEDS): Promise<void> {
  const other = latest === LEEDS ? BRISBANE : LEEDS
  await connect(world, other)
  await connect(world, latest)
  const token = newToken()
  for (const [account, provedAt] of [
    [other, world.clock.now() - 2000],
    [latest, world.clock.now() - 1000],
  ] as const) {
    await world.store.openSession({
      tokenHash: hashToken(account === latest ? token : `${token}-before`),
      expiresAt: world.clock.now() + 3_600_000,
      account: { accountUuid: account.uuid, staffUuid: null, proof: 'oauth', provedAt },
      replaces: account === latest ? [hashToken(`${token}-before`)] : [],
      carryProofsSince: 0,
    })
  }
  cookies.set('__Host-sid-top', token)
}

describe('an account gets loaded', () => {
  it('because its credentials are there', async () => {
    await signedIn()
    expect(await open(`?accountUUID=${BRISBANE.uuid}`)).toMatchObject({
      outcome: 'ready',
      account: { uuid: BRISBANE.uuid },
      greeting: null,
    })
  })

  it('by the return from sign-in, whose address is cleaned and says what happened', async () => {
    await signedIn()
    const back = await open(`?accountUUID=${BRISBANE.uuid}&admin=yes&auth=success`)
    const flash = { kind: 'success', title: 'Authentication successful! Connected via OAuth2.' }
    expect(back).toMatchObject({ location: `/fieldhook?accountUUID=${BRISBANE.uuid}&admin=yes`, flash })
    expect((await open('?auth=success')).flash).toEqual(flash)
  })

  it('by the return from a sign-in that linked its id, and says so', async () => {
    await signedIn()
    await world.store.mapAccountId('ext-1', BRISBANE.uuid, 50, () => 'new')
    const message = encodeURIComponent('External account ext-1 linked to the platform account.')
    const back = await open(`?accountUUID=ext-1&auth=success&message=${message}&reason=linked`)
    const flash = { kind: 'success', title: 'Authentication successful! Connected via OAuth2.' }
    const description = 'Account linked successfully. External account ext-1 linked to the platform account.'
    expect(back.flash).toEqual({ ...flash, description })
    expect((await open(`?accountUUID=ext-1&auth=success&message=${message}`)).flash).toEqual(flash)
    expect((await open('?accountUUID=ext-1&auth=success&reason=denied')).flash).toEqual(flash)
    const failure = { kind: 'error', title: 'Authentication failed' }
    expect((await open('?accountUUID=ext-1&auth=error&reason=linked')).flash).toEqual(failure)
  })

  it('and an address that anyone can write tells of no sign-in that was not', async () => {
    const forged = '?accountUUID=evil-corp&auth=success&reason=linked'
    const location = '/fieldhook?accountUUID=evil-corp'
    expect(await open(forged)).toMatchObject({ location, flash: null })
    expect((await open('?auth=success')).flash).toBeNull()
    await signedIn()
    expect(await open(forged)).toMatchObject({ location, flash: null })
    expect((await open(`?accountUUID=${LEEDS.uuid}&auth=success`)).flash).toBeNull()
  })

  it('by a linked id', async () => {
    await signedIn()
    await world.store.mapAccountId('ext-1', BRISBANE.uuid, 50, () => 'new')
    expect(await open('?accountuuid=ext-1')).toMatchObject({ account: { id: 'ext-1', uuid: BRISBANE.uuid } })
  })

  it('by itself: the latest of the session that has a token', async () => {
    await signedInToBoth(LEEDS)
    expect((await open()).account?.uuid).toBe(LEEDS.uuid)
    await world.store.markReconnect(LEEDS.uuid, 1, 'revoked')
    expect((await open()).account?.uuid).toBe(BRISBANE.uuid)
    await world.store.markReconnect(BRISBANE.uuid, 1, 'revoked')
    expect((await open()).account?.uuid).toBe(LEEDS.uuid)
  })

  it('with the permissions that only a new sign-in brings: not granted, or refused since', async () => {
    await signedIn()
    const missing = async () => {
      const query = `?accountUUID=${BRISBANE.uuid}`
      const context = { app: world.app, clientIp: '198.51.100.7', nonce: '' }
      const { found } = await openManager({ request: request(query), context })
      return found.outcome === 'ready' ? found.missingScopes : null
    }
    // The sample connection was granted `vendor` alone.
    expect(await missing()).toEqual(['read_jobs'])
    const { generation = 0 } = (await world.store.findCredential(BRISBANE.uuid)) ?? {}
    await world.store.noteRefusedScope(BRISBANE.uuid, generation, 'publish_sms')
    expect(await missing()).toEqual(['read_jobs', 'publish_sms'])
  })

  it('by the form that was shown for it, whatever another tab opened since; never by another one', async () => {
    await signedInToBoth(LEEDS)
    const context = { app: world.app, clientIp: '198.51.100.7', nonce: '' }
    const sent = async (query: string, accountUUID: string) => {
      const form = new URLSearchParams({ accountUUID, admin: 'yes' })
      const found = await findManagerAccount({ request: request(query), context }, form)
      return found.outcome === 'ready' ? [found.account.uuid, found.admin] : found.outcome
    }
    expect(await sent('', BRISBANE.uuid)).toEqual([BRISBANE.uuid, false])
    expect(await sent(`?accountUUID=${LEEDS.uuid}`, BRISBANE.uuid)).toEqual([LEEDS.uuid, false])
    expect(await sent('', 'somebody-else')).toBe('sign_in')
    expect(await sent('', '')).toEqual([LEEDS.uuid, false])
  })

  it('not without a session', async () => {
    await connect(world, BRISBANE)
    expect(await open()).toMatchObject({ outcome: 'no_account', greeting: null })
  })
})

describe('what the browser remembers', () => {
  it('is the account it opened: for its own session and for long', async () => {
    await signedIn()
    const { remembered } = await open(`?accountUUID=${BRISBANE.uuid}`)
    expect(remembered).toEqual([
      `__Host-account=${BRISBANE.uuid}; Path=/; HttpOnly; SameSite=None; Secure; Partitioned`,
      `__Host-last-account=${BRISBANE.uuid}; Path=/; Max-Age=34560000; HttpOnly; SameSite=None; Secure; Partitioned`,
    ])
    expect((await open(`?accountUUID=${BRISBANE.uuid}`)).remembered).toEqual([])
  })

  it('is loaded when the address names none, before the latest', async () => {
    await signedInToBoth(LEEDS)
    await world.store.mapAccountId('ext-1', BRISBANE.uuid, 50, () => 'new')
    await open('?accountUUID=ext-1')
    expect((await open()).account).toEqual({ id: 'ext-1', uuid: BRISBANE.uuid })
    // The browser was closed: what it keeps for long is left.
    cookies.delete('__Host-account')
    expect((await open()).account).toEqual({ id: 'ext-1', uuid: BRISBANE.uuid })
  })

  it('is not loaded when its id begins with an excluded prefix', async () => {
    await signedInToBoth(LEEDS)
    await world.store.mapAccountId('demo-1', BRISBANE.uuid, 50, () => 'new')
    await open('?accountUUID=demo-1')
    world.app.settings.autoLoadExcludes = ['demo-']
    expect((await open()).account?.uuid).toBe(LEEDS.uuid)
    // Asked for by name it is opened as ever.
    expect((await open('?accountUUID=demo-1')).account?.uuid).toBe(BRISBANE.uuid)
  })

  it('proves nothing', async () => {
    await signedIn(LEEDS)
    await connect(world, BRISBANE)
    cookies.set('__Host-account', BRISBANE.uuid)
    cookies.set('__Host-last-account', BRISBANE.uuid)
    expect((await open()).account?.uuid).toBe(LEEDS.uuid)
    cookies.delete('__Host-sid-top')
    expect((await open()).outcome).toBe('no_account')
  })

  it('is nothing that was never opened', async () => {
    await open(`?accountUUID=${BRISBANE.uuid}`)
    expect(cookies.size).toBe(0)
  })
})

describe('the gate', () => {
  it('greets a browser it does not know, the same for an id that exists and one that does not', async () => {
    await connect(world, BRISBANE)
    expect(await open(`?accountUUID=${BRISBANE.uuid}`)).toMatchObject({ outcome: 'sign_in', greeting: NEW_ACCOUNT })
    expect(await open('?accountUUID=nobody')).toMatchObject({ outcome: 'sign_in', greeting: NEW_ACCOUNT })
  })

  it('says that the check failed to a browser whose session is over', async () => {
    await signedIn()
    world.clock.advance(9 * 3_600_000)
    expect(await open(`?accountUUID=${BRISBANE.uuid}`)).toMatchObject({ outcome: 'sign_in', greeting: CHECK_FAILED })
  })

  it('does not talk over another message', async () => {
    await open(`?accountUUID=ext-1&auth=error&reason=denied`)
    expect(await open('?accountUUID=ext-1')).toMatchObject({ outcome: 'sign_in', greeting: null })
  })
})

describe('an id with a proof in the address', () => {
  async function ticketOf(account = BRISBANE): Promise<string> {
    const ticket = newToken()
    const expiresAt = world.clock.now() + 60_000
    const row = { accountUuid: account.uuid, staffUuid: null, expiresAt }
    await world.store.issueTicket({ ...row, tokenHash: hashToken(ticket), kind: 'link' })
    return ticket
  }

  const argsOf = (address: string, method: 'GET' | 'POST') =>
    ({
      request: new Request(`https://fieldhook.test${address}`, { method }),
      context: { app: world.app, clientIp: '198.51.100.9', nonce: '' },
      params: {},
    }) as unknown as LoaderFunctionArgs

  /** Where the page that asks is, after its address was opened. */
  async function questionOf(query: string): Promise<string> {
    const { location } = await open(query)
    if (!location?.startsWith('/link?')) throw new Error(`it led to ${location}`)
    return location
  }

  /** Presses its button. */
  async function press(address: string) {
    const thrown = await pressLink(argsOf(address, 'POST')).then(
      () => Promise.reject(new Error('it led nowhere')),
      (response: unknown) => response as Response,
    )
    keep(thrown.headers)
    const { flash } = await loadFlash(world.app, request(''))
    return { status: thrown.status, location: thrown.headers.get('location'), flash }
  }

  it('leads to a page that names both and changes nothing, however often it is opened', async () => {
    await signedIn()
    const ticket = await ticketOf()
    for (const _again of [1, 2]) {
      const question = await questionOf(`?accountuuid=ext-9&token=${ticket}&admin=yes`)
      expect((await askLink(argsOf(question, 'GET'))).data).toEqual({
        externalId: 'ext-9',
        accountName: BRISBANE.name,
        address: question,
        back: '/fieldhook?accountuuid=ext-9&admin=yes',
      })
    }
    expect(await world.store.resolveAccountId('ext-9')).toBeNull()
    expect(await world.store.findTicket('link', hashToken(ticket))).not.toBeNull()
  })

  it('is linked by its button, says so, and the address is cleaned', async () => {
    await signedIn()
    const question = await questionOf(`?accountuuid=ext-9&token=${await ticketOf()}&admin=yes`)
    expect(await press(question)).toEqual({
      status: 303,
      location: '/fieldhook?accountuuid=ext-9&admin=yes',
      flash: {
        kind: 'success',
        title: 'Account linked successfully',
        description: 'External account ext-9 linked to the platform account.',
      },
    })
    expect(await open('?accountuuid=ext-9')).toMatchObject({ account: { id: 'ext-9', uuid: BRISBANE.uuid } })
    // The proof is used up.
    expect(await press(question)).toMatchObject({ flash: { kind: 'error', title: CHECK_FAILED } })
  })

  it('asks about the platform’s signed text too, and leads to pages of ours alone', async () => {
    await signedIn()
    const uuid = '00000000-0000-4000-8000-0000000000aa'
    const jwt = await new SignJWT({ auth: { accountUUID: uuid, staffUUID: 's' } })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(APP_SECRET))
    const question = await questionOf(`?accountuuid=${uuid}&token=${jwt}`)
    expect(await world.store.resolveAccountId(uuid)).toBeNull()
    const elsewhere = question.replace('to=%2Ffieldhook', 'to=%2F%2Fevil.example')
    expect(elsewhere).not.toBe(question)
    expect(await press(elsewhere)).toMatchObject({ location: `/fieldhook?accountuuid=${uuid}` })
    expect(await world.store.resolveAccountId(uuid)).toBe(uuid)
  })

  it('gives no session with it', async () => {
    await connect(world, BRISBANE)
    await press(await questionOf(`?accountuuid=ext-9&token=${await ticketOf()}`))
    cookies.clear()
    expect(await open('?accountuuid=ext-9')).toMatchObject({ outcome: 'sign_in' })
  })

  it('says that the check failed when the proof is not taken', async () => {
    expect(await open(`?accountuuid=ext-9&token=${newToken()}`)).toMatchObject({ greeting: CHECK_FAILED })
    const jwt = await new SignJWT({ eventName: 'x' }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(APP_SECRET))
    expect(await open(`?accountuuid=ext-9&token=${jwt}`)).toMatchObject({ greeting: CHECK_FAILED })
    expect(await world.store.resolveAccountId('ext-9')).toBeNull()
  })

  it('is not tried with the usual marker, nor for an id that leads somewhere already', async () => {
    expect(await open('?accountuuid=ext-9&token=fieldhook')).toMatchObject({ greeting: NEW_ACCOUNT })
    await connect(world, BRISBANE)
    const ticket = await ticketOf(LEEDS)
    expect(await open(`?accountuuid=${BRISBANE.uuid}&token=${ticket}`)).toMatchObject({ outcome: 'sign_in' })
    expect(await world.store.findTicket('link', hashToken(ticket))).not.toBeNull()
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { APP_ID, APP_SECRET, BRISBANE, type PlatformServer, startPlatform } from '#tests/support/platform-server.ts'
import { createServiceM8OAuth } from './servicem8-oauth.server.ts'

const RETURN = 'https://fieldhook.test/api/oauth/callback'
const clock = fixedClock()
let platform: PlatformServer

beforeEach(async () => {
  platform = await startPlatform()
})
afterEach(() => platform.close())

function client(appSecret = APP_SECRET, oauthUrl = platform.url) {
  return createServiceM8OAuth({
    oauthUrl,
    appId: APP_ID,
    appSecret,
    scopes: ['vendor'],
    clock,
    timeout: 300,
  })
}

async function code(): Promise<string> {
  const asked = new URL(client().authorizeUrl({ state: 's', redirectUri: RETURN, codeChallenge: '' }))
  asked.searchParams.delete('code_challenge')
  return new URL(await platform.consent(asked.toString(), BRISBANE)).searchParams.get('code') ?? ''
}

describe('exchanging a code', () => {
  it('gives tokens with the moment they end', async () => {
    const exchanged = await client().exchangeCode({ code: await code(), redirectUri: RETURN, codeVerifier: 'v' })
    expect(exchanged).toMatchObject({
      outcome: 'ok',
      value: { expiresAt: clock.now() + 3_600_000, scope: 'vendor' },
    })
    platform.world.setOptions(BRISBANE.uuid, { quotedFlags: true })
    const quoted = await client().exchangeCode({ code: await code(), redirectUri: RETURN, codeVerifier: 'v' })
    expect(quoted).toMatchObject({ outcome: 'ok', value: { expiresAt: clock.now() + 3_600_000 } })
  })

  it('works once', async () => {
    const asked = { code: await code(), redirectUri: RETURN, codeVerifier: 'v' }
    await client().exchangeCode(asked)
    expect(await client().exchangeCode(asked)).toMatchObject({ outcome: 'unauthorized', status: 400 })
  })

  it('tells a wrong app secret from a worthless code', async () => {
    expect(
      await client('wrong').exchangeCode({ code: await code(), redirectUri: RETURN, codeVerifier: 'v' }),
    ).toMatchObject({
      outcome: 'refused',
      status: 400,
    })
  })
})

describe('refreshing', () => {
  it('replaces both tokens, and the old one is dead', async () => {
    const { refreshToken } = platform.issue(BRISBANE)
    const refreshed = await client().refresh(refreshToken)
    expect(refreshed).toMatchObject({ outcome: 'ok' })
    expect(refreshed.outcome === 'ok' && refreshed.value.refreshToken).not.toBe(refreshToken)
    expect(await client().refresh(refreshToken)).toMatchObject({
      outcome: 'unauthorized',
      message: 'The refresh token is invalid, expired, revoked or was used before',
    })
  })

  it.each([
    [500, { outcome: 'unavailable', status: 500 }],
    [429, { outcome: 'rate_limited' }],
    ['hang', { outcome: 'unavailable', status: null }],
    ['reset', { outcome: 'unavailable', status: null }],
  ] as const)('with a platform that answers %s is to be tried later', async (fault, expected) => {
    platform.breaks('token', fault)
    expect(await client().refresh('any')).toMatchObject(expected)
  })

  it.each([
    [401, 'invalid_request', 'unauthorized'],
    [400, 'invalid_scope', 'unauthorized'],
    [400, '', 'unauthorized'],
    [401, 'invalid_client', 'refused'],
    [400, 'unauthorized_client', 'refused'],
    [400, 'unsupported_grant_type', 'refused'],
  ])('%s %s is %s: only what is certainly ours asks for no new sign-in', async (status, error, outcome) => {
    const server = createServer((_request, answer) => {
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await client(APP_SECRET, `http://127.0.0.1:${port}`).refresh('dead')).toMatchObject({ outcome, status })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})

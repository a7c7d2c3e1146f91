import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { createSignedReader } from './servicem8-signed.server.ts'

const SECRET = 'the-secret-of-the-add-on-in-a-test'
const clock = fixedClock()
const NOW = clock.now() / 1000
const read = createSignedReader({ appSecret: SECRET, clock })

const OPENING = {
  eventVersion: '1.0',
  eventName: 'open_fieldhook',
  auth: { accountUUID: 'ACCOUNT-1', staffUUID: 'staff-1', accessToken: 'never-taken-over' },
  eventArgs: { jobUUID: 'job-1' },
}

function sign(claims: Record<string, unknown>, secret = SECRET, alg = 'HS256'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT' }).sign(new TextEncoder().encode(secret))
}

describe('an opening', () => {
  it('names account and staff, and nothing of the token in it', async () => {
    const signed = await read(await sign(OPENING))
    expect(signed).toEqual({
      outcome: 'opening',
      opening: {
        accountUuid: 'account-1',
        staffUuid: 'staff-1',
        eventName: 'open_fieldhook',
        replayUntil: clock.now() + 11 * 60_000,
      },
    })
  })

  it('is remembered until its own end', async () => {
    expect(await read(await sign({ ...OPENING, exp: NOW + 7200 }))).toMatchObject({
      opening: { replayUntil: clock.now() + 7_260_000 },
    })
  })

  it('may come without a staff uuid, not without an account', async () => {
    expect(await read(await sign({ auth: { accountUUID: 'a' } }))).toMatchObject({ opening: { staffUuid: null } })
    expect(await read(await sign({ auth: {} }))).toEqual({ outcome: 'refused', reason: 'claims' })
    expect(await read(await sign({}))).toEqual({ outcome: 'refused', reason: 'claims' })
  })

  it('is refused after its end, when it is too old, and when it comes from the future', async () => {
    expect(await read(await sign({ ...OPENING, exp: NOW - 61 }))).toEqual({ outcome: 'refused', reason: 'expired' })
    expect(await read(await sign({ ...OPENING, iat: NOW - 700 }))).toEqual({ outcome: 'refused', reason: 'expired' })
    expect(await read(await sign({ ...OPENING, iat: NOW + 300 }))).toEqual({ outcome: 'refused', reason: 'claims' })
    expect(await read(await sign({ ...OPENING, iat: NOW - 300 }))).toMatchObject({ outcome: 'opening' })
  })
})

describe('the minute that two clocks may differ', () => {
  it.each([
    [{ iat: NOW + 60 }, 'opening'],
    [{ iat: NOW + 61 }, 'claims'],
    [{ iat: NOW - 660 }, 'opening'],
    [{ iat: NOW - 661 }, 'expired'],
    [{ nbf: NOW + 60 }, 'opening'],
    [{ nbf: NOW + 61 }, 'claims'],
    [{ exp: NOW - 59 }, 'opening'],
    [{ exp: NOW - 60 }, 'expired'],
  ])('of %j is judged as %s', async (claims, judged) => {
    const signed = await read(await sign({ ...OPENING, ...claims }))
    expect(signed.outcome === 'refused' ? signed.reason : signed.outcome).toBe(judged)
  })
})

describe('a signature', () => {
  it('of another secret is refused', async () => {
    expect(await read(await sign(OPENING, 'another-secret-of-enough-length'))).toEqual({
      outcome: 'refused',
      reason: 'signature',
    })
  })

  it('of any other algorithm is refused, the right secret notwithstanding', async () => {
    expect(await read(await sign(OPENING, SECRET, 'HS512'))).toEqual({ outcome: 'refused', reason: 'signature' })
    const { privateKey } = await generateKeyPair('RS256')
    const rsa = await new SignJWT(OPENING).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)
    expect(await read(rsa)).toEqual({ outcome: 'refused', reason: 'signature' })
  })

  it('that is missing is refused', async () => {
    expect(await read(new UnsecuredJWT(OPENING).encode())).toMatchObject({ outcome: 'refused' })
  })

  it.each(['', 'not a token', 'a.b.c', '{"auth":{"accountUUID":"a"}}'])('is not in %j', async (text) => {
    expect(await read(text)).toEqual({ outcome: 'refused', reason: 'malformed' })
  })

  it('does not survive a changed claim', async () => {
    const [head, , tail] = (await sign(OPENING)).split('.')
    const claims = Buffer.from(JSON.stringify({ ...OPENING, auth: { accountUUID: 'victim' } })).toString('base64url')
    expect(await read(`${head}.${claims}.${tail}`)).toEqual({ outcome: 'refused', reason: 'signature' })
  })
})

describe('a webhook of the manifest', () => {
  it.each([undefined, null, 'job', 7])('with %j for its facts has none', async (eventArgs) => {
    const jwt = await sign({ ...OPENING, eventName: 'webhook_subscription', eventArgs })
    expect(await read(jwt)).toEqual({
      outcome: 'webhook',
      claims: { accountUuid: 'account-1', object: '', entry: undefined, resourceUrl: '' },
    })
  })

  it('gives its claims, however old its signature', async () => {
    const eventArgs = { object: 'Job_Activity', entry: [{ uuid: 'u' }], resource_url: 'https://api.example/x' }
    const jwt = await sign({ ...OPENING, eventName: 'webhook_subscription', eventArgs, iat: NOW - 86_400 })
    expect(await read(jwt)).toEqual({
      outcome: 'webhook',
      claims: {
        accountUuid: 'account-1',
        object: 'jobactivity',
        entry: [{ uuid: 'u' }],
        resourceUrl: 'https://api.example/x',
      },
    })
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type PlatformCall,
  receivePlatformCall,
  receiveSignedEvent,
} from '#app/features/events/receive-event.server.ts'
import { hours } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { toPlatformAnswer } from './platform-answer.ts'

const UUID = '3f2c9c1e-8f5a-4f0e-9c43-1f7d9a3e2b11'
const notice = (time = '2026-01-05 09:00:00', fields = ['status']) =>
  JSON.stringify({ object: 'job', entry: [{ uuid: UUID, changed_fields: fields, time }], resource_url: 'https://x/' })

let world: EngineWorld
let app: Parameters<typeof receivePlatformCall>[0]
beforeEach(() => {
  world = engineWorld()
  world.endpoint()
  const engine = world.engine()
  app = { ...world.app, acceptEvent: engine.acceptEvent }
})
afterEach(async () => {
  await world.close()
})

function subscription(given: { state?: string; endsAt?: number; object?: string } = {}): string {
  const token = newToken()
  const { state = 'active', endsAt = null, object = 'job' } = given
  world.client.sql
    .prepare(
      `INSERT INTO subscription (account_uuid, object, fields, token_hash, token_sealed, state, ends_at, created_at, updated_at)
       VALUES (?, ?, 'status', ?, '', ?, ?, 0, 0)`,
    )
    .run(LEEDS, object, hashToken(token), state, endsAt)
  return token
}

/** As both entrances answer it. */
const answered = async (...input: Parameters<typeof receivePlatformCall>) =>
  toPlatformAnswer(await receivePlatformCall(...input))

const call = (token: string, given: Partial<PlatformCall> = {}) =>
  answered(app, {
    token,
    method: 'POST',
    query: '',
    body: notice(),
    truncated: false,
    remoteIp: '198.51.100.7',
    userAgent: 'platform',
    ...given,
  })

const count = (sql: string) => world.row(`SELECT count(*) AS n FROM ${sql}`).n

describe('a call of the platform', () => {
  it('with an event is answered 200 once it is stored', async () => {
    const answer = await call(subscription())
    expect(answer).toMatchObject({ status: 200, body: '{"received":true}' })
    expect(world.row('SELECT account_uuid, object, object_uuid, source, subscription_id FROM event')).toEqual({
      account_uuid: LEEDS,
      object: 'job',
      object_uuid: UUID,
      source: 'object',
      subscription_id: 1,
    })
    expect(world.row('SELECT body FROM event_body').body).toBe(notice())
    expect(count('delivery')).toBe(1)
  })

  it('has an outcome that knows nothing of HTTP', async () => {
    const token = subscription()
    expect(await receivePlatformCall(app, { ...CALL, token })).toEqual({ outcome: 'stored' })
    expect(await receivePlatformCall(app, { ...CALL, token, method: 'GET' })).toEqual({ outcome: 'wrong_method' })
    const challenge = await receivePlatformCall(app, { ...CALL, token, body: 'mode=subscribe&challenge=a' })
    expect(challenge).toEqual({ outcome: 'challenged', challenge: 'a' })
  })

  it('repeated, in whatever order of field names, is 200 and stored once', async () => {
    const token = subscription()
    const answers = [
      await call(token, { body: notice('t', ['status', 'date']) }),
      await call(token, { body: notice('t', ['date', 'status']) }),
      await call(subscription({ state: 'replaced', endsAt: world.clock.now() + 1 }), {
        body: notice('t', ['status', 'date']),
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(count('event')).toBe(1)
    expect(world.row("SELECT count FROM usage_day WHERE kind = 'duplicate'")).toEqual({ count: 2 })
  })

  it('with a challenge is answered exactly that, as text, and recorded', async () => {
    const answer = await call(subscription({ state: 'pending' }), { body: 'mode=subscribe&challenge=abc-123' })
    expect(answer).toMatchObject({ status: 200, body: 'abc-123' })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    await world.idle()
    expect(world.row('SELECT activity_type, status_code, remote_ip, user_agent, endpoint FROM api_activity')).toEqual({
      activity_type: 'challenge_response',
      status_code: 200,
      remote_ip: '198.51.100.7',
      user_agent: 'platform',
      endpoint: '/hooks/platform/:token',
    })
  })

  it('that cannot be read is on the activity page too, without its text', async () => {
    await call(subscription(), { body: 'access_token=canary-7f3a9c51' })
    await world.idle()
    const told = world.row(
      'SELECT activity_type, status_code, remote_ip, request_data, response_data FROM api_activity',
    )
    expect(told).toEqual({
      activity_type: 'webhook',
      status_code: 400,
      remote_ip: '198.51.100.7',
      request_data: 'A call about job, 28 characters.',
      response_data: expect.any(String),
    })
  })

  it('is answered even for a subscription that is still being made', async () => {
    expect(await call(subscription({ state: 'pending' }))).toMatchObject({ status: 200 })
  })

  it('takes account and object from our own row, never from the body', async () => {
    await call(subscription(), {
      body: notice().replace('"job"', '"company"').replace('{', `{"accountUUID":"somebody else",`),
    })
    expect(world.row('SELECT account_uuid, object FROM event')).toEqual({ account_uuid: LEEDS, object: 'job' })
  })

  it('is refused with the status that makes the platform do the right thing', async () => {
    const token = subscription()
    const gone = subscription({ state: 'deleted', object: 'a' })
    const old = subscription({ state: 'replaced', object: 'b', endsAt: world.clock.now() })
    const cases: [string, Partial<PlatformCall>, number][] = [
      [newToken(), {}, 404],
      [newToken(), { body: 'mode=subscribe&challenge=a' }, 404],
      ['short', {}, 404],
      ['../../etc/passwd', {}, 404],
      ['x'.repeat(10_000), {}, 404],
      [gone, {}, 410],
      [gone, { body: 'mode=subscribe&challenge=a' }, 410],
      [old, {}, 404],
      [token, { body: 'hello' }, 400],
      [token, { body: '' }, 400],
      [token, { body: 'mode=subscribe&challenge=%3Cscript%3E' }, 400],
      [token, { truncated: true, body: '' }, 413],
      [token, { body: `object=job&note=${'x'.repeat(32 * 1024)}` }, 413],
      [newToken(), { truncated: true, body: '' }, 404],
      [token, { method: 'GET' }, 405],
      [newToken(), { method: 'PUT' }, 405],
    ]
    for (const [which, given, status] of cases) expect((await call(which, given)).status).toBe(status)
    expect((await call(token, { method: 'GET' })).headers.allow).toBe('POST')
    expect(count('event')).toBe(0)
  })

  it('is answered 503, never 410 or 200, when the database is in trouble', async () => {
    const token = subscription()
    const broken = () => Promise.reject(new Error('disk I/O error'))
    const lookup = { ...app, store: withMethods(app.store, { findIngress: broken }) }
    expect((await answered(lookup, { ...CALL, token })).status).toBe(503)
    const commit = { ...app, acceptEvent: broken }
    const answer = await answered(commit, { ...CALL, token })
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(JSON.stringify(answer)).not.toContain('disk')
  })

  it('whose entries copy too much is answered 413, and nothing of it is stored', async () => {
    const entry = Array.from({ length: 200 }, (_, n) => ({ uuid: `record-${n}`, time: 't' }))
    const body = JSON.stringify({ object: 'job', entry, more: 'x'.repeat(200_000) })
    expect(await call(subscription(), { body })).toMatchObject({ status: 413 })
    expect(count('event')).toBe(0)
  })

  it('with several entries stores all of them, or says that it could not', async () => {
    const token = subscription()
    const entry = (n: number) => ({ uuid: `record-${n}`, changed_fields: ['status'], time: 't' })
    const body = JSON.stringify({ object: 'job', entry: [entry(1), entry(2), entry(3)] })
    expect((await call(token, { body })).status).toBe(200)
    expect(count('event')).toBe(3)
    const failing = {
      ...app,
      acceptEvent: (event: Parameters<typeof app.acceptEvent>[0]) =>
        event.objectUuid === 'record-5' ? Promise.reject(new Error('no')) : app.acceptEvent(event),
    }
    const more = JSON.stringify({ object: 'job', entry: [entry(4), entry(5)] })
    expect((await answered(failing, { ...CALL, token, body: more })).status).toBe(503)
    expect((await call(token, { body: more })).status).toBe(200)
    expect(count('event')).toBe(5)
  })
})

const CALL: PlatformCall = {
  token: '',
  method: 'POST',
  query: '',
  body: notice(),
  truncated: false,
  remoteIp: null,
  userAgent: null,
}

it('an account with too much waiting is asked to slow down, and only that one', async () => {
  const engine = world.engine({ pendingLimit: { deliveries: 2, bytes: 1_000_000 } })
  app = { ...world.app, acceptEvent: engine.acceptEvent }
  const token = subscription()
  for (const time of ['1', '2']) expect((await call(token, { body: notice(time) })).status).toBe(200)
  const answer = await call(token, { body: notice('3') })
  expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
  expect((await call(token, { body: notice('1') })).status).toBe(200)
  expect(count('event')).toBe(2)
  world.client.sql.prepare("UPDATE account_load SET account_uuid = 'other'").run()
  expect((await call(token, { body: notice('3') })).status).toBe(200)
})

describe('a signed webhook of the manifest', () => {
  const claims = {
    accountUuid: LEEDS,
    object: 'job',
    entry: [{ uuid: UUID, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
    resourceUrl: 'https://x/',
  }
  const connect = () =>
    world.app.store.accounts.saveCredential(LEEDS, {
      ...{ accessTokenSealed: 'a', refreshTokenSealed: 'b', expiresAt: 0, scope: '' },
    })

  it('is stored for the account its signature names, once together with what the subscription sent', async () => {
    await call(subscription())
    await connect()
    expect(await receiveSignedEvent(app, claims)).toEqual({ outcome: 'stored' })
    expect(count('event')).toBe(1)
    await world.clock.run(hours(1))
    expect(await receiveSignedEvent(app, { ...claims, entry: [{ uuid: 'other' }] })).toEqual({ outcome: 'stored' })
    expect(world.row("SELECT source, subscription_id FROM event WHERE object_uuid = 'other'")).toEqual({
      source: 'signed',
      subscription_id: null,
    })
  })

  it('of an unknown account, of one that is erased, or without entries, is refused', async () => {
    expect(await receiveSignedEvent(app, claims)).toEqual({ outcome: 'unknown_account' })
    await connect()
    expect(await receiveSignedEvent(app, claims)).toEqual({ outcome: 'stored' })
    await world.app.store.accounts.endErasure(LEEDS, { answerGone: true })
    expect(await receiveSignedEvent(app, claims)).toEqual({ outcome: 'unknown_account' })
    expect([count('account'), count('event')]).toEqual([1, 0])
    expect(await receiveSignedEvent(app, { ...claims, accountUuid: 'nobody' })).toEqual({ outcome: 'unknown_account' })
    for (const entry of [[], undefined, 'x', [{}]]) {
      expect((await receiveSignedEvent(app, { ...claims, entry })).outcome).toBe('unreadable')
    }
  })
})

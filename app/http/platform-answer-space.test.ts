import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Admission } from '#app/domain/space.ts'
import { receivePlatformCall, receiveSignedEvent } from '#app/features/events/receive-event.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { toPlatformAnswer } from './platform-answer.ts'

let world: EngineWorld
let app: Parameters<typeof receivePlatformCall>[0]
let room: Record<string, Admission>
let asked: number[]
beforeEach(() => {
  world = engineWorld()
  world.endpoint({ account: LEEDS })
  world.endpoint({ account: BRISBANE })
  room = {}
  asked = []
  const admit = (accountUuid: string, bytes: number) => {
    asked.push(bytes)
    return room[accountUuid] ?? 'admitted'
  }
  app = { ...world.app, acceptEvent: world.engine().acceptEvent, space: { ...world.app.space, admit } }
})
afterEach(async () => {
  await world.close()
})

const ENTRY = [
  { uuid: '3f2c9c1e-8f5a-4f0e-9c43-1f7d9a3e2b11', changed_fields: ['status'], time: '2026-01-05 09:00:00' },
]

function addressOf(account: string): string {
  const token = newToken()
  world.client.sql
    .prepare(
      `INSERT INTO subscription (account_uuid, object, fields, token_hash, token_sealed, state, created_at, updated_at)
       VALUES (?, 'job', 'status', ?, '', 'active', 0, 0)`,
    )
    .run(account, hashToken(token))
  return token
}

const NOTICE = JSON.stringify({ object: 'job', entry: ENTRY, resource_url: 'https://x/' })

const call = async (token: string, body = NOTICE) =>
  toPlatformAnswer(
    await receivePlatformCall(app, {
      token,
      method: 'POST',
      query: '',
      body,
      truncated: false,
      remoteIp: null,
      userAgent: null,
    }),
  )
const stored = () => world.row('SELECT count(*) AS n FROM event').n

describe('an event of the platform while storage is nearly full', () => {
  it('of an account over its share is answered 429, and that of another account is stored', async () => {
    const [leeds, brisbane] = [addressOf(LEEDS), addressOf(BRISBANE)]
    room[LEEDS] = 'over_share'
    expect(await call(leeds)).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    expect(stored()).toBe(0)
    expect((await call(brisbane)).status).toBe(200)
    delete room[LEEDS]
    expect((await call(leeds)).status).toBe(200)
    expect(stored()).toBe(2)
  })

  it('is answered 503 when nothing more may come in', async () => {
    room[LEEDS] = 'full'
    expect(await call(addressOf(LEEDS))).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(stored()).toBe(0)
  })

  it('is refused the same way when it comes signed', async () => {
    const tokens = { accessTokenSealed: 'a', refreshTokenSealed: 'b', expiresAt: 0, scope: '' }
    await world.app.store.accounts.saveCredential(LEEDS, tokens)
    const claims = { accountUuid: LEEDS, object: 'job', entry: ENTRY, resourceUrl: 'https://x/' }
    room[LEEDS] = 'over_share'
    expect(await receiveSignedEvent(app, claims)).toEqual({ outcome: 'over_limit' })
    room[LEEDS] = 'full'
    expect(await receiveSignedEvent(app, claims)).toEqual({ outcome: 'unavailable' })
    expect(stored()).toBe(0)
  })

  it('of several entries is asked about once, with all of them', async () => {
    const entry = [1, 2, 3].map((n) => ({ ...ENTRY[0], uuid: `record-${n}` }))
    await call(addressOf(LEEDS), JSON.stringify({ object: 'job', entry, resource_url: 'https://x/' }))
    const bodies = world.rows('SELECT body FROM event_body').map(({ body }) => String(body).length)
    expect(asked).toEqual([bodies.reduce((sum, length) => sum + length, 0)])
  })

  it('is counted with the length of its body before it is stored', async () => {
    await call(addressOf(LEEDS))
    expect(asked).toEqual([String(world.row('SELECT body FROM event_body').body).length])
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { testApp } from '#tests/support/test-app.server.ts'
import type { Client } from '../../sqlite/client.server.ts'
import type { NewApiActivity } from '../../store/activity.ts'
import { sqlStore } from '../store.server.ts'

const LEEDS = 'aaaaaaaa-0000-4000-8000-000000000001'
const BRISBANE = 'bbbbbbbb-0000-4000-8000-000000000002'
const DAY = 86_400_000

let base: ReturnType<typeof testApp>
let client: Client
let clock: FixedClock
let store: ReturnType<typeof sqlStore>

beforeEach(async () => {
  clock = fixedClock()
  base = testApp(clock)
  client = base.client
  store = sqlStore(client, clock)
  await store.accounts.ensureAccount({ uuid: LEEDS, name: 'Leeds Electrical', timezone: 'Europe/London' })
  await store.accounts.ensureAccount({ uuid: BRISBANE, name: 'Brisbane Plumbing', timezone: 'Australia/Brisbane' })
})

afterEach(() => {
  base.close()
})

const note = (accountUuid: string, activityType: NewApiActivity['activityType'] = 'api_call') =>
  store.events.recordApiActivity({
    accountUuid,
    activityType,
    endpoint: '/api_1.0/job.json',
    method: 'GET',
    requestData: null,
    responseData: null,
    statusCode: 200,
    userAgent: null,
    remoteIp: null,
    durationMs: 5,
  })

describe('recent calls of an account', () => {
  it('are those since a moment, newest first, and the count of the day', async () => {
    const started = clock.now()
    await note(LEEDS)
    clock.advance(10_000)
    await note(LEEDS)
    await note(LEEDS, 'challenge_response')
    await note(BRISBANE)
    clock.advance(20_000)
    await note(LEEDS)
    const day = Math.floor(started / DAY)
    expect(await store.events.recentApiCalls(LEEDS, { since: started, day })).toEqual({
      at: [started + 30_000, started + 10_000],
      inDay: 3,
    })
    expect(await store.events.recentApiCalls(LEEDS, { since: started, day: day + 1 })).toMatchObject({ inDay: 0 })
    expect(await store.events.recentApiCalls('nobody', { since: 0, day })).toEqual({ at: [], inDay: 0 })
  })
})

import type { LoaderFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PlatformApi } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { insertEvent, openSessions, recordCall } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, ORIGIN, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { loader } from './activity.tsx'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt: world.clock.now() + hours(1), scope: '' }
  for (const account of [LEEDS, BRISBANE]) await world.app.store.accounts.saveCredential(account, tokens)
})

afterEach(() => world.close())

/** A session of Brisbane as a person's opening leaves it: `session-of-<who>`. */
async function openAs(staffUuid: string) {
  const now = world.clock.now()
  await world.app.store.accounts.openSession({
    tokenHash: hashToken(`session-of-${staffUuid}`),
    expiresAt: now + hours(8),
    account: { accountUuid: BRISBANE, staffUuid, proof: 'launch', provedAt: now },
    replaces: [],
    carryProofsSince: 0,
  })
}

/** The page of `search` in the session of `as`; null = nobody's. */
function open(search: string, as: string | null = LEEDS) {
  const request = new Request(`${ORIGIN}/webhook-activity${search}`, {
    headers: as === null ? {} : { cookie: `${sessionCookieName('tab', true)}=${as}` },
  })
  const context = { app: world.app as App, clientIp: '203.0.113.9', nonce: '' }
  return loader({ request, params: {}, context } as unknown as LoaderFunctionArgs)
}

test('an admin’s account sees events and exchanges in one list, without a flag in the address', async () => {
  insertEvent(world, 'job')
  world.clock.advance(1000)
  await recordCall(world)
  const page = await open(`?accountUUID=${LEEDS}`)
  expect(page).toMatchObject({
    view: 'activity',
    accountUUID: LEEDS,
    accountName: 'Leeds Electrical',
    timezone: 'Europe/London',
    admin: false,
    items: [
      { kind: 'api', label: 'API Call', status: { tone: 'normal', words: 'Status 200' } },
      { kind: 'webhook', recordName: 'Job', objectUuid: 'r-1' },
    ],
    type: 'events',
    allRows: false,
  })
  expect(await open(`?accountUUID=${LEEDS}&type=challenges&rows=all`)).toMatchObject({
    type: 'challenges',
    allRows: true,
  })
  expect(await open(`?accountUUID=${LEEDS}&type=nonsense`)).toMatchObject({ type: 'events' })
})

test('a record that nothing is known of is read from ServiceM8, and called as in the log and the search', async () => {
  insertEvent(world, 'job')
  const api = { read: async () => ({ outcome: 'ok', value: { uuid: 'r-1', generated_job_id: '3128' } }) }
  const call: App['callAsAccount'] = async (_account, ask) => ask(api as unknown as PlatformApi, 'token')
  Object.assign(world.app, { callAsAccount: call })
  expect(await open(`?accountUUID=${LEEDS}`)).toMatchObject({ items: [{ kind: 'webhook', recordName: 'Job 3128' }] })
})

test('an admin by name sees it, and nobody else of that account does', async () => {
  Object.assign(world.app.settings, { adminAccounts: new Set([`${BRISBANE}:kim`]) })
  await openAs('kim')
  await openAs('alex')
  expect(await open(`?accountUUID=${BRISBANE}`, 'session-of-kim')).toMatchObject({ view: 'activity' })
  for (const as of ['session-of-alex', BRISBANE]) {
    const refusal = await open(`?accountUUID=${BRISBANE}`, as).catch((thrown: unknown) => thrown)
    expect((refusal as Response).status).toBe(403)
  }
})

test('either spelling of the parameter is read, and the flag is kept for the way back', async () => {
  expect(await open(`?accountuuid=${LEEDS}&admin=yes`)).toMatchObject({ view: 'activity', admin: true })
})

test.each([`?accountUUID=${BRISBANE}`, `?accountUUID=${BRISBANE}&admin=yes`])(
  'an ordinary account is refused in plain words, flag or not (%s)',
  async (search) => {
    const refusal = await open(search, BRISBANE).catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(Response)
    const { status } = refusal as Response
    expect([status, await (refusal as Response).json()]).toEqual([
      403,
      { message: 'Webhook activity is for admins of this add-on. This account is not one.' },
    ])
  },
)

test.each(['', '?accountUUID=', '?accountUUID=%3Cscript%3E'])(
  'without an account id (%s) it asks for one',
  async (search) => {
    expect(await open(search)).toEqual({ view: 'no_account' })
    expect(await open(search, null)).toEqual({ view: 'no_account' })
  },
)

test('without a session of the account it is the sign-in gate, the same for an account nobody has', async () => {
  const gate = (accountUUID: string) => ({ view: 'gate', state: 'ready', accountUUID, token: '', proved: false })
  expect(await open(`?accountUUID=${LEEDS}`, null)).toEqual(gate(LEEDS))
  expect(await open(`?accountUUID=${LEEDS}`, BRISBANE)).toEqual(gate(LEEDS))
  expect(await open('?accountUUID=nobody&token=t')).toEqual({ ...gate('nobody'), token: 't' })
})

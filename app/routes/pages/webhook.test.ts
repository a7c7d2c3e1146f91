import type { AppLoadContext } from '@remix-run/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEndpoint, deleteEndpoint } from '#app/features/endpoints/endpoints.server.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { openSessions } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, ORIGIN, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { loader } from './webhook.tsx'

let world: WebhookWorld
beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt: world.clock.now() + hours(1), scope: '' }
  for (const account of [LEEDS, BRISBANE]) await world.app.store.accounts.saveCredential(account, tokens)
})
afterEach(() => world.close())

const ROLE = { admin: false }
const AT = `?accountUUID=${LEEDS}`
const URL_GIVEN = 'https://example.com/in'

async function open(id: string, as: string | null = LEEDS) {
  const headers: Record<string, string> = as === null ? {} : { cookie: `${sessionCookieName('tab', true)}=${as}` }
  const request = new Request(`${ORIGIN}/webhooks/${id}${AT}`, { headers })
  const context = { app: world.app, clientIp: '203.0.113.9', nonce: '' } as unknown as AppLoadContext
  return loader({ request, context, params: { id } }).catch((thrown: unknown) => {
    if (thrown instanceof Response) return { status: thrown.status, to: thrown.headers.get('location') }
    throw thrown
  })
}

test('a webhook and a rule have an address that leads to their card', async () => {
  const form = { callback_url: URL_GIVEN, object: 'job', fields: '', accountUUID: LEEDS }
  const made = await createEndpoint(world.app, LEEDS, 'webhook', form, ROLE)
  if (made.outcome !== 'created') throw new Error('not made')
  const { id } = made.endpoint.view
  expect(await open(String(id))).toEqual({ status: 302, to: `/fieldhook${AT}#webhook-${id}` })
  const rule = { name: 'Accounting', objectType: 'job', forwardUrl: URL_GIVEN, fieldFilters: '', accountUUID: LEEDS }
  await createEndpoint(world.app, LEEDS, 'extra', rule, ROLE)
  expect(await open('rule-1')).toEqual({ status: 302, to: `/fieldhook${AT}#rule-1` })

  await deleteEndpoint(world.app, LEEDS, id)
  expect(await open(String(id))).toEqual(GONE)
})

const GONE = expect.objectContaining({
  init: { status: 404 },
  data: expect.objectContaining({
    view: 'gone',
    gone: {
      title: 'This webhook no longer exists',
      sentence: expect.any(String),
      ways: [{ to: `/fieldhook${AT}`, label: 'Back to webhooks' }],
    },
  }),
})

test('one that never was, and somebody else’s, are answered the same', async () => {
  const form = { callback_url: URL_GIVEN, object: 'job', fields: '', accountUUID: BRISBANE }
  const made = await createEndpoint(world.app, BRISBANE, 'webhook', form, ROLE)
  const foreign = made.outcome === 'created' ? made.endpoint.view.id : 0
  for (const id of [String(foreign), '999', '0', 'x', 'rule-9']) expect(await open(id)).toEqual(GONE)
  expect(await open('1', null)).toMatchObject({ view: 'gate' })
})

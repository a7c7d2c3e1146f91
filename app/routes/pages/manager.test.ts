import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { findTyped } from '#app/http/one-form.server.ts'
import { hours } from '#app/lib/duration.ts'
import { openSessions } from '#tests/support/webhook-calls.server.ts'
import { LEEDS, ORIGIN, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { action } from './manager.tsx'

let world: WebhookWorld
beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt: world.clock.now() + hours(8), scope: '' }
  await world.app.store.accounts.saveCredential(LEEDS, tokens)
})
afterEach(() => world.close())

/** Sends a page that is one form; returns where it leads, and what is kept for there. */
async function press(sent: string, query = '') {
  const request = new Request(`${ORIGIN}/fieldhook?accountUUID=${LEEDS}${query}`, {
    method: 'POST',
    headers: { cookie: `${sessionCookieName('tab', true)}=${LEEDS}` },
    body: new URLSearchParams(sent),
  })
  const context = { app: world.app as App, clientIp: '203.0.113.9', nonce: '' }
  const thrown = await action({ request, params: {}, context } as unknown as ActionFunctionArgs).catch((one) => one)
  if (thrown instanceof Error) throw thrown
  const to = new URL(thrown.headers?.get('location') ?? '', ORIGIN)
  const { others } = await findTyped(world.app as App, LEEDS, to.searchParams.get('draft'))
  const kept = others.map(({ accountUUID: _account, was: _was, ...values }) => values)
  return {
    thrown,
    to: `${to.pathname}?${to.searchParams.get('edit') ?? ''}${to.hash}`,
    draft: to.searchParams.get('draft'),
    kept,
  }
}

const CREATE = `intent=create&accountUUID=${LEEDS}&was=&object=&callback_url=https%3A%2F%2Fexample.com%2F%C3%A9&fields=`

test('what was typed into another form is kept by every button, until that form is sent', async () => {
  const typed = [{ intent: 'create', object: '', callback_url: 'https://example.com/é', fields: '' }]
  const away = await press(`${CREATE}&press=${encodeURIComponent(`go=webhook-3&accountUUID=${LEEDS}&edit=3`)}`)
  expect([away.to, away.kept]).toEqual(['/fieldhook?3#webhook-3', typed])
  const gone = await press(`${CREATE}&press=${encodeURIComponent('intent=pause&id=9')}`, `&draft=${away.draft}`)
  expect(gone.kept).toEqual(typed)
  const refused = (await press(`${CREATE}&press=`, `&draft=${gone.draft}`)).thrown
  expect(refused.data.result).toMatchObject({
    values: typed[0],
    fieldErrors: { object: expect.any(Array) },
    others: [],
  })
  const sent = CREATE.replace('object=', 'object=job')
  const made = await press(`${sent}&press=`, `&draft=${gone.draft}`)
  expect([made.thrown.data?.result, made.thrown.status, made.kept]).toEqual([undefined, 303, []])
})

test('Enter with two forms typed into saves neither, and keeps both', async () => {
  const { kept } = await press(`press=&${CREATE}&intent=create_rule&was=&name=Accounts`)
  expect(kept.map(({ intent }) => intent)).toEqual(['create', 'create_rule'])
  expect(await world.app.store.endpoints.listEndpoints(LEEDS)).toEqual([])
})

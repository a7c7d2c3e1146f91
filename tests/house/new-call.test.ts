// A new call is one definition: with it the call is enforced, limited, told by the reference, and tried by the matrix of rights.
import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { accountOfQuery, idOfPath, type Operation } from '#app/contract/operation.ts'
import { openApiDocument } from '#app/features/reference/openapi.ts'
import { referenceMarkdown } from '#app/features/reference/reference-markdown.ts'
import { answerPath, defineCall } from '#app/http/calls/define-call.server.ts'
import { rowOf } from '#tests/support/call-matrix.ts'
import { callRoute, openSessions, type Route } from '#tests/support/webhook-calls.server.ts'
import { BRISBANE, LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'

const greet = defineCall({
  id: 'greet',
  method: 'POST',
  path: 'api/greetings',
  tag: 'Greetings',
  summary: 'Greets the account',
  description: ['Nothing is stored.'],
  who: 'session',
  parameters: [accountOfQuery],
  body: { schema: z.object({ name: z.string().max(5) }), fields: { name: 'Whom.' }, example: { name: 'Kim' } },
  answers: [{ status: 200, says: 'A greeting.', schema: z.object({ text: z.string() }), example: { text: 'Hi Kim' } }],
  limit: { perMinute: 2, per: 'account' },
  handle: ({ body, access }) => ({ text: `Hi ${body.name} of ${access.accountUuid}` }),
})

let world: WebhookWorld
beforeEach(async () => {
  world = await openWebhookWorld()
  await openSessions(world)
})
afterEach(() => world.close())

const route: Route = (args: ActionFunctionArgs) => answerPath([greet], args)
const ask = (account: string, as: string | null, body: unknown = { name: 'Kim' }) =>
  callRoute(world, route, `/api/greetings?accountUUID=${account}`, { method: 'POST', as, body })

test('who may call it, and with what, is enforced', async () => {
  expect((await ask(LEEDS, null)).status).toBe(401)
  expect((await ask(LEEDS, BRISBANE)).status).toBe(404)
  expect((await ask(LEEDS, LEEDS)).json).toEqual({ text: `Hi Kim of ${LEEDS}` })
  const long = await ask(LEEDS, LEEDS, { name: 'Kimberley' })
  expect([long.status, Object.keys(long.json.errors)]).toEqual([400, ['name']])
  const read = await callRoute(world, route, '/api/greetings', { as: LEEDS })
  expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST'])
})

test('its limit counts for each account by itself', async () => {
  expect([(await ask(LEEDS, LEEDS)).status, (await ask(LEEDS, LEEDS)).status]).toEqual([200, 200])
  const third = await ask(LEEDS, LEEDS)
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '30'])
  expect((await ask(BRISBANE, BRISBANE)).status).toBe(200)
})

test('the reference tells it', () => {
  const reference = { tags: [{ name: 'Greetings', says: 'Hi.' }], schemas: {}, operations: [greet] }
  const { paths } = openApiDocument(reference, { origin: 'https://fieldhook.example.com', version: '1.0.0' })
  const told = paths['/api/greetings']?.post
  expect(told).toMatchObject({
    operationId: 'greet',
    description: 'Nothing is stored.\n\nAt most 2 a minute and account.',
  })
  expect(Object.keys(told?.responses ?? {}).map(Number)).toEqual([200, 400, 401, 403, 404, 413, 415, 429, 500])
  expect(referenceMarkdown(reference, '# Calls')).toContain(
    '`POST /api/greetings` · A signed-in browser of the account',
  )
})

test('the matrix of rights tries it', () => {
  const ids = { account: 'a1', webhook: 7, rule: 8, delivery: 9, automation: 10, run: 11, mute: 12, template: 13 }
  const row = rowOf(greet)
  expect(row).toMatchObject({ method: 'POST', route: 'api/greetings', stranger: 401, other: 404 })
  expect([row.path(ids), row.body?.(ids)]).toEqual(['/api/greetings?accountUUID=a1', { name: 'Kim' }])
  const ofRule: Operation = {
    ...greet,
    path: 'api/greetings/:id',
    parameters: [idOfPath('rule', 'The id of the rule.')],
  }
  expect(rowOf(ofRule).path(ids)).toBe('/api/greetings/8')
})

test('a call that only owners may make, or that has a limit for each account, has to say which account', () => {
  const { answer: _answer, parameters: _parameters, ...rest } = greet
  const define = (more: object) => () => defineCall({ ...rest, ...more, handle: () => new Response() } as never)
  expect(define({})).toThrow('greet names no account')
  expect(define({ limit: undefined, owner: 'keys' })).toThrow('greet names no account')
  expect(define({ limit: undefined })).not.toThrow()
})

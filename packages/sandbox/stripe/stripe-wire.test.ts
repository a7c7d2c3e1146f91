import { afterEach, beforeEach, expect, test } from 'vitest'
import { days } from '#app/lib/duration.ts'
import { SANDBOX_STRIPE } from './stripe-options.ts'
import { openStripe, type TestStripe } from './testing.server.ts'

let stage: TestStripe
beforeEach(async () => {
  stage = await openStripe()
})
afterEach(() => stage.stop())

async function call(
  path: string,
  input: { key?: string; form?: string; method?: string; headers?: Record<string, string> } = {},
) {
  const { key = SANDBOX_STRIPE.secretKey, form, headers = {} } = input
  const response = await fetch(`${stage.origin}${SANDBOX_STRIPE.basePath}${path}`, {
    method: input.method ?? (form === undefined ? 'GET' : 'POST'),
    headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...headers },
    body: form === undefined ? undefined : new URLSearchParams(form),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Record<string, unknown> }
}

const error = (rest: Record<string, unknown>) => ({ error: expect.objectContaining(rest) })

test('without the right key nothing is told', async () => {
  expect(await call('/v1/customers', { key: '' })).toMatchObject({
    status: 401,
    body: error({ type: 'invalid_request_error' }),
  })
  expect((await call('/v1/customers', { key: 'sk_live_x' })).status).toBe(401)
  expect(await call('/v1/customers', { key: SANDBOX_STRIPE.publishableKey })).toMatchObject({
    status: 403,
    body: error({ code: 'secret_key_required' }),
  })
  const basic = Buffer.from(`${SANDBOX_STRIPE.secretKey}:`).toString('base64')
  expect((await call('/v1/customers', { key: '', headers: { authorization: `Basic ${basic}` } })).status).toBe(200)
})

test('every answer has a request id and errors have the right shape', async () => {
  const good = await call('/v1/customers')
  expect(good.headers.get('request-id')).toMatch(/^req_\w+$/)
  expect(await call('/v1/dragons')).toMatchObject({ status: 404, body: error({ type: 'invalid_request_error' }) })
  expect(await call('/v1/customers/cus_nobody')).toMatchObject({
    status: 404,
    body: error({ code: 'resource_missing', param: 'id', message: "No such customer: 'cus_nobody'" }),
  })
  expect(await call('/v1/customers', { form: 'colour=red' })).toMatchObject({
    status: 400,
    body: error({ code: 'parameter_unknown', param: 'colour' }),
  })
  expect(await call('/v1/products', { form: '' })).toMatchObject({
    status: 400,
    body: error({ code: 'parameter_missing', param: 'name' }),
  })
  expect((await call('/v1/customers', { headers: { 'stripe-version': '2020-08-27' } })).status).toBe(400)
  for (const id of ['__proto__', 'constructor', 'toString', '%E0%A4%A']) {
    expect((await call(`/v1/customers/${id}`)).status).toBe(404)
  }
})

test('a repeated key gives the first answer again, and another body with it is an error', async () => {
  const headers = { 'idempotency-key': 'customer:1' }
  const first = await call('/v1/customers', { form: 'name=Mia', headers })
  const again = await call('/v1/customers', { form: 'name=Mia', headers })
  expect(again.body).toEqual(first.body)
  expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true'])
  expect(stage.payments.ledger().customers).toSatisfy((all: object) => Object.keys(all).length === 1)
  expect(await call('/v1/customers', { form: 'name=Max', headers })).toMatchObject({
    status: 400,
    body: error({ type: 'idempotency_error' }),
  })
  expect((await call('/v1/products', { form: 'name=Mia', headers })).status).toBe(400)
})

test('a refusal is kept with its key, wrong parameters are not, and a day later the key is free', async () => {
  const headers = { 'idempotency-key': 'k' }
  const form = 'product=addon_nothing&currency=gbp&unit_amount=5'
  expect((await call('/v1/prices', { form, headers })).status).toBe(400)
  await call('/v1/products', { form: 'id=addon_nothing&name=Nothing' })
  const kept = await call('/v1/prices', { form, headers })
  expect([kept.status, kept.headers.get('idempotent-replayed')]).toEqual([400, 'true'])
  await stage.pass(days(1) + 1000)
  expect((await call('/v1/prices', { form, headers })).status).toBe(200)
  const other = { 'idempotency-key': 'wrong' }
  expect((await call('/v1/products', { form: 'colour=red', headers: other })).status).toBe(400)
  expect((await call('/v1/products', { form: 'name=Right', headers: other })).status).toBe(200)
})

test('lists come newest first, a page at a time', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) await stage.stripe.customers.create({ name })
  const first = await stage.stripe.customers.list({ limit: 2 })
  expect([first.data.map((one) => one.name), first.has_more]).toEqual([['e', 'd'], true])
  const next = await stage.stripe.customers.list({ limit: 2, starting_after: first.data[1]?.id ?? '' })
  expect([next.data.map((one) => one.name), next.has_more]).toEqual([['c', 'b'], true])
  const back = await stage.stripe.customers.list({ limit: 2, ending_before: next.data[1]?.id ?? '' })
  expect(back.data.map((one) => one.name)).toEqual(['d', 'c'])
  const all: (string | null | undefined)[] = []
  for await (const one of stage.stripe.customers.list({ limit: 2 })) all.push(one.name)
  expect(all).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect((await call('/v1/customers?limit=101')).status).toBe(400)
  expect((await call('/v1/customers?starting_after=cus_nobody')).status).toBe(400)
})

test('what cannot be shown in full is refused', async () => {
  const { id } = await stage.stripe.customers.create({})
  expect((await call(`/v1/customers/${id}?expand[]=colour`)).status).toBe(400)
  expect((await call(`/v1/customers/${id}?expand[]=a.b.c.d.e`)).status).toBe(400)
  expect((await call(`/v1/customers/${id}?expand[]=invoice_settings.default_payment_method`)).status).toBe(200)
})

test('calls go wrong on demand, and other calls do not', async () => {
  const { world } = stage.sandbox
  world.addFault({ path: '/stripe/v1/customers*', effect: { kind: 'status', status: 503 } })
  world.addFault({ path: '/api_1.0/*', effect: { kind: 'status', status: 500 } })
  expect((await call('/v1/products')).status).toBe(200)
  expect(await call('/v1/customers')).toMatchObject({ status: 503, body: error({ type: 'api_error' }) })
  expect((await call('/v1/customers')).status).toBe(200)
  world.addFault({ path: '/stripe/*', effect: { kind: 'status', status: 429 } })
  expect(await call('/v1/customers')).toMatchObject({ status: 429, body: error({ type: 'rate_limit_error' }) })
  world.addFault({ path: '/stripe/*', effect: { kind: 'drop' } })
  await expect(call('/v1/customers')).rejects.toThrow()
})

test('an answer that was lost is given again to the same key', async () => {
  stage.sandbox.world.addFault({ path: '/stripe/v1/customers', effect: { kind: 'lose_answer' } })
  const headers = { 'idempotency-key': 'lost' }
  await expect(call('/v1/customers', { form: 'name=Mia', headers })).rejects.toThrow()
  const again = await call('/v1/customers', { form: 'name=Mia', headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(Object.keys(stage.payments.ledger().customers)).toEqual([again.body.id])
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type BillingCall, billingCalls } from '#tests/support/billing-calls.server.ts'
import { type BillingWorld, BRISBANE, billingWorld, deliverTold, LEEDS } from '#tests/support/billing-world.server.ts'
import { action as hook } from '../hooks/payment-events.ts'

const createPaymentIntent = apiRoute('api/create-payment-intent/:accountUUID')
const subscription = apiRoute('api/subscription/:accountUUID')
const upgrade = apiRoute('api/subscription/:accountUUID/upgrade')

let world: BillingWorld
let call: BillingCall
beforeEach(async () => {
  world = billingWorld()
  call = await billingCalls(world)
})
afterEach(() => world.close())

const params = { accountUUID: LEEDS }
const get = (as: string | null = LEEDS, by = call) => by(subscription, `/api/subscription/${LEEDS}`, { as, params })
const ensure = (as: string | null = LEEDS, by = call) =>
  by(subscription, `/api/subscription/${LEEDS}`, { method: 'POST', as, params })
const pay = (body: unknown, as: string | null = LEEDS, by = call) =>
  by(createPaymentIntent, `/api/create-payment-intent/${LEEDS}`, { method: 'POST', as, body, params })
const ask = (body: unknown, as: string | null = LEEDS, by = call) =>
  by(upgrade, `/api/subscription/${LEEDS}/upgrade`, { method: 'POST', as, body, params })

describe('reading', () => {
  test('the trial is made once, and read with its use and period', async () => {
    const made = await ensure()
    expect(made.status).toBe(200)
    expect(made.json).toEqual({
      subscription: {
        status: 'trial',
        trialEndsAt: new Date(world.clock.now() + days(14)).toISOString(),
        currentPeriodStart: null,
        currentPeriodEnd: null,
        cancelAtPeriodEnd: false,
        held: null,
      },
      usage: { apiCalls: 0, webhooksReceived: 0, webhooksForwarded: 0, total: 0 },
      billingPeriod: {
        start: new Date(world.clock.now()).toISOString(),
        end: new Date(world.clock.now() + days(14)).toISOString(),
      },
    })
    world.clock.advance(hours(2))
    expect((await ensure()).json).toEqual(made.json)
    expect((await get()).json).toEqual(made.json)
  })

  test('answers no secret and no id of the provider', async () => {
    await pay({ amount: 500 })
    expect((await get()).text).not.toMatch(/cus_|sub_|pi_|secret/)
  })
})

describe('who may', () => {
  test('without a session 401, for another account the bytes of one that does not exist', async () => {
    for (const answered of [
      await get(null),
      await ensure(null),
      await pay({ amount: 500 }, null),
      await ask({}, null),
    ]) {
      expect([answered.status, answered.text]).toEqual([401, '{"message":"Authentication required"}'])
    }
    const others = [
      await get(BRISBANE),
      await ensure(BRISBANE),
      await pay({ amount: 500 }, BRISBANE),
      await ask({ newPlan: 'premium', prorated: true }, BRISBANE),
      await call(subscription, '/api/subscription/nobody', { params: { accountUUID: 'nobody' } }),
    ]
    for (const answered of others) expect([answered.status, answered.text]).toEqual([404, '{"message":"Not found"}'])
    expect(world.payments.calls).toEqual([])
    expect(world.rows('SELECT id FROM plan')).toEqual([])
  })

  test('other methods are told which ones there are', async () => {
    const put = await call(subscription, `/api/subscription/${LEEDS}`, { method: 'PUT', params })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect((await call(upgrade, `/api/subscription/${LEEDS}/upgrade`, { params })).status).toBe(405)
    expect((await call(createPaymentIntent, `/api/create-payment-intent/${LEEDS}`, { params })).status).toBe(405)
    expect((await call(hook, '/hooks/stripe')).status).toBe(405)
  })
})

describe('paying', () => {
  test('answers the secret, and what will be taken', async () => {
    const answered = await pay({ amount: 500 })
    expect([answered.status, answered.json]).toEqual([
      200,
      {
        clientSecret: expect.stringMatching(/^pi_/),
        amount: 500,
        currency: 'gbp',
        description: '£5.00 today. Your paid month starts now and your remaining 14 trial days end.',
      },
    ])
  })

  test.each([
    [{ amount: 30 }, 'Invalid amount'],
    [{ amount: 5000 }, 'Invalid amount'],
    [{ amount: '500' }, 'Invalid amount'],
    [{ amount: 500.5 }, 'Invalid amount'],
    [{ amount: null }, 'Invalid amount'],
    [{}, 'Invalid amount'],
    [{ amount: 500, currency: 'usd' }, 'Not allowed: currency'],
    [[], 'The body must be a JSON object.'],
    ['{"amount":', 'The body is not valid JSON.'],
  ])('%j is refused', async (body, message) => {
    const answered = await pay(body)
    expect([answered.status, answered.json.message]).toEqual([400, message])
    expect(world.payments.calls).toEqual([])
  })

  test('again when it is active is refused', async () => {
    world.payments.pay((await pay({ amount: 500 })).json.clientSecret)
    await deliverTold(world)
    const answered = await pay({ amount: 500 })
    expect([answered.status, answered.json]).toEqual([
      409,
      { message: 'Your subscription is already active: nothing is due now.' },
    ])
  })

  test('what the bank says is 402, a provider that is away 503, our fault 500 without its words', async () => {
    for (const [code, status, words] of [
      ['card', 402, 'the provider said card'],
      ['unavailable', 503, 'cannot be reached'],
      ['denied', 503, 'cannot be reached'],
      ['refused', 500, 'could not be started'],
    ] as const) {
      world.payments.failNext(code, 1, 'listSubscriptions')
      const answered = await pay({ amount: 500 })
      expect([answered.status, answered.json.message]).toEqual([status, expect.stringContaining(words)])
    }
  })

  test('more often than anybody would is braked', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 21; n++) statuses.push((await pay({ amount: 1 })).status)
    expect(statuses).toEqual([...Array(20).fill(400), 429])
  })
})

describe('upgrading', () => {
  test('out of the trial, prorated and at full price', async () => {
    const prorated = await ask({ newPlan: 'premium', prorated: true })
    expect([prorated.status, prorated.json]).toMatchObject([
      200,
      { amount: 267, description: expect.stringContaining('£5.00 less £2.33') },
    ])
    const full = await ask({ newPlan: 'premium', prorated: false })
    expect(full.json).toMatchObject({ amount: 500, clientSecret: expect.stringMatching(/^pi_/) })
  })

  test.each([
    [{ newPlan: 'gold', prorated: true }, 'There is one plan: premium'],
    [{ prorated: true }, 'There is one plan: premium'],
    [{ newPlan: 'premium', prorated: 'yes' }, 'Must be true or false'],
    [{ newPlan: 'premium' }, 'Must be true or false'],
    [{ newPlan: 'premium', prorated: false, amount: 1 }, 'Not allowed: amount'],
  ])('%j is refused', async (body, message) => {
    const answered = await ask(body)
    expect([answered.status, answered.json.message]).toEqual([400, message])
    expect(world.payments.calls).toEqual([])
  })
})

test('without a provider payments answer 503, and the subscription is still read', async () => {
  const off = await billingCalls(world, { payments: null })
  const message = 'Card payments are not configured.'
  expect((await ensure(LEEDS, off)).json.subscription.status).toBe('trial')
  for (const answered of [
    await pay({ amount: 500 }, LEEDS, off),
    await ask({ newPlan: 'premium', prorated: true }, LEEDS, off),
    await off(hook, '/hooks/stripe', { method: 'POST', as: null, body: {} }),
  ]) {
    expect([answered.status, answered.json.message]).toEqual([503, message])
  }
})

describe('the provider’s events', () => {
  const post = (body: unknown, signature?: string) =>
    call(hook, '/hooks/stripe', {
      method: 'POST',
      as: null,
      body,
      ...(signature !== undefined && { headers: { 'stripe-signature': signature } }),
    })

  test('are received when they are signed, and once', async () => {
    world.payments.pay((await pay({ amount: 500 })).json.clientSecret)
    const event = world.payments.told.find(({ type }) => type === 'invoice.paid')
    for (let n = 0; n < 2; n++) {
      const answered = await post(event, 'good')
      expect([answered.status, answered.json]).toEqual([200, { received: true }])
    }
    expect((await get()).json.subscription.status).toBe('active')
    expect(world.rows('SELECT type FROM payment_event')).toEqual([{ type: 'invoice.paid' }])
  })

  test('without a signature, or with a bad one, are 400', async () => {
    expect((await post({ id: 'evt_1' })).status).toBe(400)
    expect((await post({ id: 'evt_1' }, 'forged')).status).toBe(400)
    expect(world.rows('SELECT id FROM payment_event')).toEqual([])
  })

  test('that cannot be worked on are 500, so that they come again', async () => {
    await pay({ amount: 500 })
    world.payments.failNext('unavailable')
    expect((await post(world.payments.told[0], 'good')).status).toBe(500)
    expect((await post(world.payments.told[0], 'good')).status).toBe(200)
  })

  test('that are too large are not read', async () => {
    expect((await post(JSON.stringify({ id: 'x'.repeat(300_000) }), 'good')).status).toBe(413)
  })
})

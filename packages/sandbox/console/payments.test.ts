import { afterEach, beforeEach, expect, test } from 'vitest'
import { SANDBOX_STRIPE } from '../stripe/stripe-options.ts'
import { openConsole, type TestConsole } from './testing.server.ts'

let stage: TestConsole
let account: string
beforeEach(async () => {
  stage = await openConsole()
  account = stage.world.accounts()[0]?.uuid ?? ''
})
afterEach(() => stage.stop())

async function stripe(path: string, form: Record<string, string>, key: string = SANDBOX_STRIPE.secretKey) {
  const response = await fetch(`${stage.origin}${SANDBOX_STRIPE.basePath}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: new URLSearchParams(form),
  })
  return (await response.json()) as Record<string, unknown>
}

async function subscribe(): Promise<{ customer: string; secret: string }> {
  const customer = String((await stripe('/customers', { 'metadata[accountUUID]': account })).id)
  const sub = await stripe('/subscriptions', {
    customer,
    'items[0][price]': 'price_sandbox_monthly',
    payment_behavior: 'default_incomplete',
    'payment_settings[save_default_payment_method]': 'on_subscription',
    'expand[]': 'latest_invoice.confirmation_secret',
  })
  const invoice = sub.latest_invoice as { confirmation_secret: { client_secret: string } }
  const secret = invoice.confirmation_secret.client_secret
  await stripe(
    `/payment_intents/${secret.split('_secret_')[0]}/confirm`,
    {
      client_secret: secret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': '4242424242424242',
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '40',
      'payment_method_data[card][cvc]': '123',
    },
    SANDBOX_STRIPE.publishableKey,
  )
  return { customer, secret }
}

const page = async () => (await stage.get(`/sandbox/console/accounts/${account}/payments`)).text
const press = (action: string, fields: Record<string, string> = {}) =>
  stage.pressAndLook(`accounts/${account}/payments/${action}`, {
    back: `/sandbox/console/accounts/${account}/payments`,
    ...fields,
  })

test('an account that never paid is unknown, and the cards to pay with are listed', async () => {
  const text = await page()
  expect(text).toContain('does not know this account yet')
  expect(text).toContain('4242 4242 4242 4242')
  expect(text).toContain('Is declined')
})

test('customer, subscription, invoice and events are shown, secrets are not', async () => {
  const { customer, secret } = await subscribe()
  await stage.world.settled()
  const text = await page()
  for (const words of [customer, 'Active', 'First month', 'Paid', '£5.00', 'ends in 4242', 'invoice.paid']) {
    expect(text).toContain(words)
  }
  expect(text).not.toContain(secret)
  const other = stage.world.accounts()[1]?.uuid ?? ''
  expect((await stage.get(`/sandbox/console/accounts/${other}/payments`)).text).not.toContain(customer)
})

test('switches are saved, held events are let go, an event is sent again', async () => {
  expect((await press('switches', { holdEvents: '1', unpaidAfterRetries: '1' })).text).toContain(
    'The switches are saved.',
  )
  expect(stage.world.payments.switches()).toEqual({
    duplicateEvents: false,
    shuffleEvents: false,
    holdEvents: true,
    afterRetries: 'unpaid',
  })
  await subscribe()
  const held = stage.world.payments.ledger().posts.length
  expect(await page()).toContain(`Let ${held} events go`)
  expect((await press('release')).text).toContain(`${held} events are on the way.`)
  await press('switches')
  const event = stage.world.payments.ledger().posts[0]?.event ?? ''
  expect((await press('resend', { event })).text).toContain('The event is sent once more.')
  expect(stage.world.payments.posts(event)).toHaveLength(2)
  await stage.world.settled()
})

test('a renewal is declined on demand', async () => {
  const { customer } = await subscribe()
  expect((await press('decline', { customer, decline: '1' })).text).toContain('The next renewal will be declined.')
  expect(stage.world.payments.ledger().customers[customer]?.declineNext).toBe(true)
  await stage.press('clock', { by: '14d' })
  await stage.press('clock', { by: '14d' })
  await stage.press('clock', { by: '3d' })
  await stage.press('clock', { by: '1h' })
  await stage.world.settled()
  expect(await page()).toContain('Payment failed')
  expect(stage.world.payments.ledger().customers[customer]?.declineNext).toBe(false)
})

test('calls go wrong on demand, apart from those of the platform', async () => {
  expect((await press('fault', { effect: 'status=503', times: '2' })).text).toContain('2 calls to the payment provider')
  expect(await page()).toContain('Answers 503')
  expect((await stage.get(`/sandbox/console/accounts/${account}/switches`)).text).toContain('Nothing is spoiled')
  expect(await stripe('/customers', {})).toMatchObject({ error: { type: 'api_error' } })
  await stage.pressAndLook(`accounts/${account}/clear-faults`, {})
  expect(await stripe('/customers', {})).toMatchObject({ error: { type: 'api_error' } })
  expect(await stripe('/customers', {})).toMatchObject({ object: 'customer' })
  await press('fault', { effect: 'hang', times: '5' })
  await press('clear-faults')
  expect(await stripe('/customers', {})).toMatchObject({ object: 'customer' })
  expect((await press('fault', { effect: 'explode', times: '1' })).text).toContain('Nothing was changed')
})

test('buttons of other pages and buttons that do not exist do nothing', async () => {
  const path = `accounts/${account}/payments/switches`
  expect((await stage.press(path, {}, { origin: 'https://example.com' })).status).toBe(403)
  expect((await stage.press(`accounts/${account}/payments/dance`, {})).status).toBe(404)
  expect((await stage.press(`accounts/${account}/payments/decline`, { customer: 'cus_nobody' })).status).toBe(404)
})

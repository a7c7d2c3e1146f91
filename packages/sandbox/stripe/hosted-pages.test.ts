import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { openStripe, type TestStripe } from './testing.server.ts'

let stage: TestStripe
let customer: string
let sub: Stripe.Subscription
let secret: string
beforeEach(async () => {
  stage = await openStripe()
  const furnished = await stage.furnish()
  customer = furnished.customer
  sub = await stage.stripe.subscriptions.create({
    customer,
    items: [{ price: furnished.monthly }],
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: ['latest_invoice.confirmation_secret'],
  })
  secret = (sub.latest_invoice as Stripe.Invoice).confirmation_secret?.client_secret ?? ''
})
afterEach(() => stage.stop())

async function press(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin: stage.origin },
) {
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' })
  return { status: response.status, to: response.headers.get('location') ?? '', text: await response.text() }
}

interface NextAction {
  redirect_to_url: { url: string; return_url: string }
}

async function ask(returnUrl = `${stage.origin}/subscription?accountUUID=x`): Promise<string> {
  const { body } = await stage.confirm(secret, '4000002760003184', { return_url: returnUrl })
  expect(body.status).toBe('requires_action')
  return (body.next_action as NextAction).redirect_to_url.url
}

const state = async () => (await stage.stripe.subscriptions.retrieve(sub.id)).status

test('the bank’s page asks, and “Complete” pays and leads back with three parameters', async () => {
  const url = await ask()
  const page = await fetch(url)
  const text = await page.text()
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).toContain('£5.00')
  expect(text).toContain('3184')
  for (const button of ['Complete', 'Fail']) expect(text).toContain(`>${button}</button>`)
  const { status, to } = await press(url, { client_secret: secret, answer: 'complete' })
  expect(status).toBe(303)
  const back = new URL(to)
  expect(`${back.origin}${back.pathname}`).toBe(`${stage.origin}/subscription`)
  expect(Object.fromEntries(back.searchParams)).toEqual({
    accountUUID: 'x',
    payment_intent: secret.split('_secret_')[0],
    payment_intent_client_secret: secret,
    redirect_status: 'succeeded',
  })
  expect(await state()).toBe('active')
  expect((await press(url, { client_secret: secret, answer: 'fail' })).status).toBe(404)
  expect(await state()).toBe('active')
})

test('“Fail” leaves it unpaid with a reason, and the secret can be used again', async () => {
  const url = await ask()
  const { to } = await press(url, { client_secret: secret, answer: 'fail' })
  expect(new URL(to).searchParams.get('redirect_status')).toBe('failed')
  const payment = await stage.stripe.paymentIntents.retrieve(secret.split('_secret_')[0] ?? '')
  expect(payment).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code: 'payment_intent_authentication_failure' },
  })
  expect(await state()).toBe('incomplete')
  expect((await stage.confirm(secret, '4242424242424242')).body.status).toBe('succeeded')
})

test('nobody answers for somebody else, and nobody is led off this machine', async () => {
  const url = await ask('https://example.com/steal')
  const foreign = { origin: 'https://example.com' }
  expect((await press(url, { client_secret: secret, answer: 'complete' }, foreign)).status).toBe(403)
  expect((await press(url, { client_secret: 'guess', answer: 'complete' })).status).toBe(404)
  expect((await fetch(url.replace(/client_secret=.*/, 'client_secret=guess'))).status).toBe(404)
  expect(await state()).toBe('incomplete')
  const { status, to } = await press(url, { client_secret: secret, answer: 'complete' })
  expect([status, to]).toEqual([200, ''])
})

async function openPortal(cancel = true): Promise<string> {
  const configuration = await stage.stripe.billingPortal.configurations.create({
    features: {
      payment_method_update: { enabled: true },
      invoice_history: { enabled: true },
      subscription_cancel: { enabled: cancel, mode: 'at_period_end' },
    },
  })
  const { url } = await stage.stripe.billingPortal.sessions.create({
    customer,
    configuration: configuration.id,
    return_url: `${stage.origin}/subscription?accountUUID=x`,
  })
  return url
}

test('the portal ends a subscription with its period and takes that back', async () => {
  await stage.confirm(secret, '4242424242424242')
  await stage.payments.settled()
  stage.events.length = 0
  const url = await openPortal()
  const text = await (await fetch(url)).text()
  expect(text).toContain('Renews on 5 Feb 2026')
  expect(text).toContain('visa ending in 4242')
  expect(text).toContain('£5.00')
  expect(text).toContain(`href="${stage.origin}/subscription?accountUUID=x"`)
  const { to } = await press(`${url}/cancel`, { subscription: sub.id })
  const after = await (await fetch(`${stage.origin}${to}`)).text()
  expect(after).toContain('Your subscription ends with the paid month.')
  expect(after).toContain('Ends on 5 Feb 2026')
  expect(await stage.stripe.subscriptions.retrieve(sub.id)).toMatchObject({ cancel_at_period_end: true })
  await press(`${url}/resume`, { subscription: sub.id })
  expect(await stage.stripe.subscriptions.retrieve(sub.id)).toMatchObject({ cancel_at_period_end: false })
  await stage.payments.settled()
  expect(stage.types()).toEqual(['customer.subscription.updated', 'customer.subscription.updated'])
})

test('the portal changes the card and pays what is open', async () => {
  await stage.confirm(secret, '4000000000000341')
  await stage.pass(days(31) + hours(1))
  expect(await state()).toBe('past_due')
  const url = await openPortal()
  const [open] = (await stage.stripe.invoices.list({ subscription: sub.id, status: 'open' })).data
  expect((await press(`${url}/pay`, { invoice: open?.id ?? '' })).to).toContain('said=not-paid')
  const card = { number: '4242424242424242', expiry: '12 / 40', cvc: '123' }
  expect((await press(`${url}/card`, { ...card, number: '5555555555554444' })).to).toContain('said=not-card')
  expect((await press(`${url}/card`, { ...card, expiry: '01 / 20' })).to).toContain('said=not-card')
  expect((await press(`${url}/card`, card)).to).toContain('said=card')
  expect((await press(`${url}/pay`, { invoice: open?.id ?? '' })).to).toContain('said=paid')
  expect(await state()).toBe('active')
})

test('a portal does only what it was opened for, for an hour', async () => {
  await stage.confirm(secret, '4242424242424242')
  const url = await openPortal(false)
  expect((await press(`${url}/cancel`, { subscription: sub.id })).status).toBe(404)
  expect((await press(`${url}/card`, {}, { origin: 'https://example.com' })).status).toBe(403)
  expect((await press(`${url}/dance`, {})).status).toBe(404)
  expect((await fetch(`${url.slice(0, -1)}`)).status).toBe(404)
  await stage.pass(hours(1) + 1000)
  expect((await fetch(url)).status).toBe(404)
})

test('the stand-in for Stripe.js is served with its cards filled in', async () => {
  const response = await fetch(`${stage.origin}/sandbox/stripe.js`)
  const text = await response.text()
  expect(response.headers.get('content-type')).toContain('text/javascript')
  expect(text).toContain('"4242424242424242"')
  expect(text).not.toMatch(/__[A-Z]/)
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { openStripe, type TestStripe } from './testing.server.ts'

let folder: string
let stage: TestStripe
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stripe-'))
  stage = await openStripe({ stateFile: join(folder, 'sandbox.json') })
})
afterEach(async () => {
  await stage.stop()
  rmSync(folder, { recursive: true })
})

async function begin(): Promise<string> {
  const { customer, monthly } = await stage.furnish()
  const sub = await stage.stripe.subscriptions.create({
    customer,
    items: [{ price: monthly }],
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: ['latest_invoice.confirmation_secret'],
  })
  return (sub.latest_invoice as Stripe.Invoice).confirmation_secret?.client_secret ?? ''
}

const undelivered = () => stage.stripe.events.list({ delivery_success: false, limit: 100 })

test('events carry a signature by the shared clock, and another secret does not fit it', async () => {
  await stage.pass(days(200))
  await stage.confirm(await begin(), '4242424242424242')
  await stage.payments.settled()
  expect(stage.forged).toEqual([])
  expect(stage.types()).toContain('invoice.paid')
  const [event] = stage.events
  const body = JSON.stringify(event)
  const header = stage.stripe.webhooks.generateTestHeaderString({ payload: body, secret: 'whsec_other' })
  expect(() => stage.stripe.webhooks.constructEvent(body, header, 'whsec_sandbox_fieldhook_local_only')).toThrow(
    Stripe.errors.StripeSignatureVerificationError,
  )
})

test('an event that nobody takes is tried again for three days, and found in the list of lost ones', async () => {
  stage.answerEvents(500)
  await begin()
  await stage.payments.settled()
  expect(stage.types()).toEqual(['customer.subscription.created'])
  expect((await undelivered()).data.map((one) => one.type)).toEqual(['customer.subscription.created'])
  await stage.pass(seconds(5))
  await stage.pass(minutes(1))
  expect(stage.types()).toHaveLength(3)
  expect(new Set(stage.events.map((one) => one.id)).size).toBe(1)
  stage.answerEvents(200)
  await stage.pass(minutes(5))
  expect(stage.types()).toHaveLength(4)
  expect((await undelivered()).data).toEqual([])
  await stage.pass(hours(12))
  expect(stage.events.filter((one) => one.type === 'customer.subscription.created')).toHaveLength(4)
})

test('after three days it is given up, and can be sent again by hand', async () => {
  stage.answerEvents(500)
  await begin()
  for (let hour = 0; hour < 80; hour += 4) await stage.pass(hours(4))
  const [post] = stage.payments.ledger().posts
  expect(post).toMatchObject({ state: 'given_up', nextAt: null })
  stage.answerEvents(200)
  stage.events.length = 0
  expect(stage.payments.resendEvent(post?.event ?? '')).toBe(true)
  await stage.payments.settled()
  expect(stage.types()).toEqual(['customer.subscription.created'])
})

test('every event comes twice on demand', async () => {
  stage.payments.setSwitches({ duplicateEvents: true })
  await stage.confirm(await begin(), '4242424242424242')
  await stage.payments.settled()
  const counts = new Map<string, number>()
  for (const { id } of stage.events) counts.set(id, (counts.get(id) ?? 0) + 1)
  expect(counts.size).toBeGreaterThan(3)
  expect(new Set(counts.values())).toEqual(new Set([2]))
})

test('held events wait until they are let go, and come in disorder on demand', async () => {
  stage.payments.setSwitches({ holdEvents: true, shuffleEvents: true })
  for (let round = 0; round < 4; round++) await stage.confirm(await begin(), '4242424242424242')
  await stage.pass(hours(2))
  expect(stage.events).toEqual([])
  const inOrder = stage.payments.ledger().posts.map((one) => one.event)
  expect(stage.payments.releaseEvents()).toBe(inOrder.length)
  await stage.payments.settled()
  const came = stage.events.map((one) => one.id)
  expect([...came].sort()).toEqual([...inOrder].sort())
  expect(came).not.toEqual(inOrder)
})

test('an event shows what was, whatever becomes of the object', async () => {
  stage.payments.setSwitches({ holdEvents: true })
  await stage.confirm(await begin(), '4242424242424242')
  stage.payments.releaseEvents()
  await stage.payments.settled()
  const created = stage.events.find((one) => one.type === 'customer.subscription.created')
  const updated = stage.events.findLast((one) => one.type === 'customer.subscription.updated')
  expect(created?.data.object).toMatchObject({ status: 'incomplete' })
  expect(updated?.data).toMatchObject({ object: { status: 'active' }, previous_attributes: { status: 'incomplete' } })
})

test('a restarted process knows everything, goes on with time, and sends what waited', async () => {
  const secret = await begin()
  stage.answerEvents(500)
  await stage.confirm(secret, '4242424242424242')
  await stage.payments.settled()
  const text = readFileSync(join(folder, 'sandbox.json'), 'utf8')
  expect(JSON.parse(text).payments.subscriptions).not.toEqual({})
  stage.answerEvents(200)
  stage.events.length = 0
  await stage.restart()
  const { data } = await stage.stripe.subscriptions.list({ status: 'active' })
  expect(data).toHaveLength(1)
  await stage.pass(minutes(10))
  expect(stage.types()).toEqual(expect.arrayContaining(['invoice.paid', 'customer.subscription.updated']))
  await stage.pass(days(31) + hours(1))
  const { data: invoices } = await stage.stripe.invoices.list({ subscription: data[0]?.id ?? '' })
  expect(invoices.map((one) => one.status)).toEqual(['paid', 'paid'])
})

test('a file from before there were payments opens with the prices in place', async () => {
  await stage.stop()
  const file = join(folder, 'sandbox.json')
  const { payments: _none, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, JSON.stringify(older))
  stage = await openStripe({ stateFile: file })
  const { data } = await stage.stripe.prices.list({ lookup_keys: ['premium_monthly_gbp'], active: true })
  expect(data).toMatchObject([{ unit_amount: 500, currency: 'gbp', product: 'addon_premium' }])
  expect(stage.sandbox.world.accounts()).toHaveLength(2)
})

test('events go to addresses of this machine only', async () => {
  const enabled_events: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = ['*']
  await expect(
    stage.stripe.webhookEndpoints.create({ url: 'https://example.com/hook', enabled_events }),
  ).rejects.toThrow('this machine')
  const made = await stage.stripe.webhookEndpoints.create({ url: `${stage.origin}/elsewhere`, enabled_events })
  expect(made.secret).toMatch(/^whsec_\w+$/)
  expect((await stage.stripe.webhookEndpoints.retrieve(made.id)).secret).toBeUndefined()
})

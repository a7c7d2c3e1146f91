import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days, hours, minutes } from '#app/lib/duration.ts'
import {
  type BillingWorld,
  billingWorld,
  deliverTold,
  LEEDS,
  NEVER_ABORTED,
} from '#tests/support/billing-world.server.ts'
import { startFirstPayment } from './first-payment.server.ts'
import { setCancellation } from './manage-billing.server.ts'
import { receivePaymentEvent } from './payment-events.server.ts'
import { ensurePlan } from './plan.server.ts'
import { settleReturn } from './settle-return.server.ts'
import { startUpgrade } from './upgrade.server.ts'
import { catchUpPayments, reconcilePlans } from './upkeep.server.ts'

let world: BillingWorld
beforeEach(() => {
  world = billingWorld()
})
afterEach(() => world.close())

async function upgrade(prorated: boolean) {
  const start = await startUpgrade(world.app, LEEDS, { prorated })
  if (start.outcome !== 'pay') throw new Error(start.message)
  return start
}

async function activeFor(ms: number) {
  const start = await startFirstPayment(world.app, LEEDS, { amount: 500 })
  if (start.outcome !== 'pay') throw new Error(start.message)
  world.payments.pay(start.clientSecret)
  await deliverTold(world)
  world.clock.advance(ms)
  return plan()
}

async function plan() {
  const found = await world.app.store.billing.findPlan(LEEDS)
  if (!found) throw new Error('no plan')
  return found
}

const paymentOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? ''

test('a cancelled subscription is not paid for early: the new month would end with it', async () => {
  await activeFor(days(10))
  await setCancellation(world.app, LEEDS, true)
  const refused = { outcome: 'refused', status: 409, message: expect.stringContaining('Keep it first') }
  expect(await startUpgrade(world.app, LEEDS, { prorated: false })).toMatchObject(refused)
  await setCancellation(world.app, LEEDS, false)
  expect(await startUpgrade(world.app, LEEDS, { prorated: false })).toMatchObject({ outcome: 'pay' })
})

describe('a form left open pays nothing', () => {
  test.each<[string, (subscriptionId: string) => Promise<unknown> | undefined]>([
    ['after cancelling in another tab', () => setCancellation(world.app, LEEDS, true)],
    ['after the next month began', (id) => void world.payments.renew(id, 'paid')],
    ['after a failed renewal', (id) => void world.payments.renew(id, 'failed')],
    ['after the subscription ended', (id) => void world.payments.cancel(id)],
  ])('%s', async (_, happens) => {
    const { subscriptionId } = await activeFor(days(10))
    const { clientSecret } = await upgrade(true)
    world.clock.advance(days(20))
    await happens(subscriptionId ?? '')
    await deliverTold(world)
    expect(() => world.payments.pay(clientSecret)).toThrow('pays nothing')
    expect(await plan()).toMatchObject({ openRenewalId: null })
  })

  test('and what is paid at that very moment is applied', async () => {
    await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.meanwhile('cancelPayment', () => world.payments.pay(clientSecret))
    expect(await setCancellation(world.app, LEEDS, true)).toEqual({ outcome: 'saved' })
    expect(await plan()).toMatchObject({ currentPeriodStart: world.clock.now(), openRenewalId: null })
  })
})

describe('out of the trial', () => {
  test('at full price it is the same payment as subscribing', async () => {
    const start = await upgrade(false)
    expect(start).toMatchObject({
      amount: 500,
      description: '£5.00 today. Your paid month starts now and your remaining 14 trial days end.',
    })
    expect(await startFirstPayment(world.app, LEEDS, { amount: 500 })).toEqual(start)
  })

  test('prorated takes off what is unused of it', async () => {
    await ensurePlan(world.app, LEEDS)
    const start = await upgrade(true)
    expect(start).toMatchObject({
      amount: 267,
      description: '£2.67 today: £5.00 less £2.33 for 14 unused trial days. Your paid month starts now.',
    })
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    expect(await plan()).toMatchObject({ status: 'active', trialEndsAt: world.clock.now() })
    expect(world.payments.taken()).toBe(267)
  })

  test('another offer gives the first one up, so that only one of them can be paid', async () => {
    const full = await upgrade(false)
    const credit = await upgrade(true)
    expect(() => world.payments.pay(full.clientSecret)).toThrow('pays nothing')
    world.payments.pay(credit.clientSecret)
    await deliverTold(world)
    expect(await plan()).toMatchObject({ status: 'active' })
    expect(world.payments.taken()).toBe(267)
  })

  test('what is paid at the very moment it is given up goes back', async () => {
    const full = await upgrade(false)
    world.payments.meanwhile('endSubscription', () => world.payments.pay(full.clientSecret))
    const credit = await upgrade(true)
    expect(world.payments.refunds).toEqual([paymentOf(full.clientSecret)])
    world.payments.pay(credit.clientSecret)
    await deliverTold(world)
    expect(world.payments.taken()).toBe(267)
  })

  test('after the trial there is nothing to take off', async () => {
    await ensurePlan(world.app, LEEDS)
    world.clock.advance(days(15))
    expect(await upgrade(true)).toMatchObject({
      amount: 500,
      description: '£5.00 today. Your paid month starts now.',
    })
  })
})

describe('of a paid month', () => {
  test('nothing changes until it is paid; then a new month begins', async () => {
    const before = await activeFor(days(10))
    const start = await upgrade(false)
    expect(start).toMatchObject({
      amount: 500,
      description: '£5.00 today. A new month starts now. The rest of this month is not refunded.',
    })
    expect(await plan()).toMatchObject({ currentPeriodEnd: before.currentPeriodEnd })
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    expect(await plan()).toMatchObject({
      status: 'active',
      currentPeriodStart: world.clock.now(),
      openRenewalId: null,
    })
    expect(world.rows('SELECT state, amount FROM renewal_payment')).toEqual([{ state: 'applied', amount: 500 }])
  })

  test('prorated takes off what is unused of it', async () => {
    await activeFor(days(15))
    const start = await upgrade(true)
    expect(start).toMatchObject({
      amount: 250,
      description: '£2.50 today: £5.00 less the unused part of this month. A new month starts now.',
    })
  })

  test('there is nothing to pay yet when almost all of the month is left', async () => {
    await activeFor(hours(12))
    expect(await startUpgrade(world.app, LEEDS, { prorated: true })).toEqual({
      outcome: 'refused',
      status: 409,
      message: 'Nothing to pay yet: the rest of this month covers it.',
    })
  })

  test('asked again it is the same payment; another offer stops the first', async () => {
    await activeFor(days(10))
    const [one, two] = await Promise.all([upgrade(false), upgrade(false)])
    expect(one.clientSecret).toBe(two.clientSecret)
    const prorated = await upgrade(true)
    expect(world.payments.payment(paymentOf(one.clientSecret)).status).toBe('canceled')
    world.clock.advance(hours(2))
    const later = await upgrade(true)
    expect(later.clientSecret).not.toBe(prorated.clientSecret)
    expect(later.amount).toBeGreaterThan(prorated.amount)
  })

  test('paid while another offer is asked for is applied, and the other one refused', async () => {
    await activeFor(days(10))
    const first = await upgrade(false)
    world.payments.meanwhile('cancelPayment', () => world.payments.pay(first.clientSecret))
    expect(await startUpgrade(world.app, LEEDS, { prorated: true })).toMatchObject({ outcome: 'refused', status: 409 })
    expect(await plan()).toMatchObject({ currentPeriodStart: world.clock.now() })
    expect(world.payments.taken()).toBe(1000)
  })

  test('is applied once, by the event, the return and the job together', async () => {
    await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.pay(clientSecret)
    const event = world.payments.told.find(({ type }) => type === 'payment_intent.succeeded')
    const input = { body: JSON.stringify(event), signature: 'good' }
    await Promise.all([
      receivePaymentEvent(world.app, input),
      settleReturn(world.app, LEEDS, paymentOf(clientSecret)),
      catchUpPayments(world.app, NEVER_ABORTED),
    ])
    expect(world.payments.calls.filter((call) => call === 'applyRenewal')).toHaveLength(1)
  })

  test('that broke off between paying and applying is finished by the hourly job', async () => {
    await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.pay(clientSecret)
    world.payments.told.length = 0
    world.payments.failNext('unavailable', 1, 'applyRenewal')
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'processing' })
    expect(world.rows('SELECT state FROM renewal_payment')).toEqual([{ state: 'paid' }])
    world.clock.advance(minutes(30))
    await catchUpPayments(world.app, NEVER_ABORTED)
    expect(world.rows('SELECT state FROM renewal_payment')).toEqual([{ state: 'applied' }])
  })

  test('that nobody told us about is found by the daily look', async () => {
    await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.pay(clientSecret)
    world.payments.told.length = 0
    world.clock.advance(days(1))
    await reconcilePlans(world.app, NEVER_ABORTED)
    expect(await plan()).toMatchObject({ currentPeriodStart: world.clock.now(), openRenewalId: null })
  })

  test('that cannot be applied any more goes back', async () => {
    const { subscriptionId } = await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.cancel(subscriptionId ?? '')
    world.payments.pay(clientSecret)
    await deliverTold(world)
    expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
    expect(world.rows('SELECT state FROM renewal_payment')).toEqual([{ state: 'refunded' }])
    expect(await plan()).toMatchObject({ status: 'canceled', openRenewalId: null })
    expect(world.payments.taken()).toBe(500)
  })

  test('whose refund is refused is told to the operator, and stops nothing else', async () => {
    const { subscriptionId } = await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.cancel(subscriptionId ?? '')
    world.payments.pay(clientSecret)
    world.payments.failNext('refused', 1, 'refund')
    await deliverTold(world)
    expect(world.logged).toContain('payments.not_refunded')
    expect(await plan()).toMatchObject({ status: 'canceled', openRenewalId: null })
  })

  test('whose refund is refused is not called active, and is tried again until it is back', async () => {
    await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.failNext('refused', 3, 'applyRenewal')
    world.payments.failNext('refused', 2, 'refund')
    world.payments.pay(clientSecret)
    const owed = { outcome: 'failed', message: 'This payment could not start a new month. We will refund it.' }
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual(owed)
    // It stands in the way of nothing.
    expect(await startUpgrade(world.app, LEEDS, { prorated: false })).toMatchObject({ outcome: 'pay' })
    const states = () => world.rows('SELECT state FROM renewal_payment').map(({ state }) => state)
    for (const state of ['paid', 'refunded']) {
      await catchUpPayments(world.app, NEVER_ABORTED)
      expect([states(), world.payments.refunds.length]).toEqual([[state], state === 'paid' ? 0 : 1])
    }
    expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
  })

  test('says so to who comes back from paying, whether the event came first or not', async () => {
    const { subscriptionId } = await activeFor(days(10))
    const { clientSecret } = await upgrade(false)
    world.payments.cancel(subscriptionId ?? '')
    world.payments.pay(clientSecret)
    const refunded = { outcome: 'failed', message: 'This payment could not start a new month, so we refunded it.' }
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual(refunded)
    await deliverTold(world)
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual(refunded)
    expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
  })
})

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PaymentEvent } from '#app/adapters/payments.ts'
import { days } from '#app/lib/duration.ts'
import {
  type BillingWorld,
  BRISBANE,
  billingWorld,
  deliverTold,
  LEEDS,
  NEVER_ABORTED,
} from '#tests/support/billing-world.server.ts'
import { startFirstPayment } from './first-payment.server.ts'
import { receivePaymentEvent } from './payment-events.server.ts'
import { ensurePlan } from './plan.server.ts'
import { syncPlan } from './sync.server.ts'
import { startUpgrade } from './upgrade.server.ts'
import { catchUpPayments } from './upkeep.server.ts'

let world: BillingWorld
beforeEach(() => {
  world = billingWorld()
})
afterEach(() => world.close())

const receive = (event: unknown, signature = 'good', on = world) =>
  receivePaymentEvent(on.app, { body: JSON.stringify(event), signature })

async function paid(on = world) {
  const start = await startFirstPayment(on.app, LEEDS, { amount: 500 })
  if (start.outcome !== 'pay') throw new Error(start.message)
  on.payments.pay(start.clientSecret)
  return (await on.app.store.billing.findPlan(LEEDS))?.openSubscriptionId ?? ''
}

describe('an event', () => {
  test('is worked on once, however often it comes', async () => {
    await paid()
    const event = world.payments.told.find(({ type }) => type === 'invoice.paid')
    expect(await receive(event)).toEqual({ outcome: 'received' })
    const asked = world.payments.calls.length
    expect(await receive(event)).toEqual({ outcome: 'received' })
    expect(world.payments.calls).toHaveLength(asked)
    expect(world.row('SELECT failures, processed_at FROM payment_event')).toEqual({
      failures: 0,
      processed_at: world.clock.now(),
    })
  })

  /** The plan as a backup from before the first payment has it. */
  const restore = () =>
    world.rows(
      `UPDATE plan SET customer_id = NULL, subscription_id = NULL, open_subscription_id = NULL, status = 'trial' RETURNING id`,
    )

  test('after a restore finds the customer that paid since, by what is noted on it', async () => {
    await ensurePlan(world.app, BRISBANE)
    await paid()
    await restore()
    const told = world.payments.told.find(({ type }) => type === 'invoice.paid') as PaymentEvent
    const event = { ...told, accountUuid: LEEDS }
    expect(await receive({ ...event, id: 'evt_other', accountUuid: BRISBANE })).toEqual({ outcome: 'received' })
    expect(await world.app.store.billing.findPlan(BRISBANE)).toMatchObject({ status: 'trial', customerId: null })
    expect(await receive(event)).toEqual({ outcome: 'received' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'active',
      customerId: event.customerId,
    })
  })

  test('that never comes after a restore: nobody pays twice', async () => {
    await paid()
    await restore()
    expect(await startFirstPayment(world.app, LEEDS, { amount: 500 })).toMatchObject({
      outcome: 'refused',
      status: 409,
    })
    expect(world.payments.taken()).toBe(500)
  })

  test('a customer that was deleted a moment ago is not taken for a known one', async () => {
    world.payments.findCustomerOf = async () => 'cus_deleted'
    await paid()
    const plan = await world.app.store.billing.findPlan(LEEDS)
    expect(await world.payments.findCustomer(plan?.customerId ?? '')).toEqual({ accountUuid: LEEDS })
  })

  test('with a bad signature leaves no trace', async () => {
    await paid()
    expect(await receive(world.payments.told[0], 'forged')).toEqual({ outcome: 'bad_signature' })
    expect(world.rows('SELECT id FROM payment_event')).toEqual([])
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'trial' })
  })

  test('that could not be worked on is not done, and works when it comes again', async () => {
    await paid()
    const event = world.payments.told.find(({ type }) => type === 'invoice.paid')
    world.payments.failNext('unavailable')
    expect(await receive(event)).toEqual({ outcome: 'failed' })
    expect(world.row('SELECT failures, processed_at, error FROM payment_event')).toEqual({
      failures: 1,
      processed_at: null,
      error: 'the provider said unavailable',
    })
    expect(await receive(event)).toEqual({ outcome: 'received' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active' })
    expect(world.row('SELECT failures, processed_at, error FROM payment_event')).toEqual({
      failures: 1,
      processed_at: world.clock.now(),
      error: null,
    })
  })

  test('about nobody we know is received and changes nothing', async () => {
    const event = { id: 'evt_x', type: 'invoice.paid', createdAt: 1, customerId: 'cus_x', accountUuid: 'nobody' }
    expect(await receive({ ...event, paymentId: null })).toEqual({ outcome: 'received' })
    expect(world.rows('SELECT status FROM plan')).toEqual([])
  })

  test('of a dispute names its payment alone, and is found by whose payment it is', async () => {
    const { latestInvoice } = world.payments.subscription(await paid())
    const paymentId = latestInvoice?.paymentId ?? ''
    const dispute = { id: 'evt_d', type: 'charge.dispute.created', createdAt: 1, customerId: null, accountUuid: null }
    expect(await receive({ ...dispute, paymentId })).toEqual({ outcome: 'received' })
    expect(world.logged).toContain('payment.disputed')
    expect(await receive({ ...dispute, id: 'evt_e', paymentId: 'pi_of_nobody' })).toEqual({ outcome: 'received' })
    expect(world.logged.filter((line) => line === 'payment.disputed')).toHaveLength(1)
  })

  test('that claims something says nothing: what is so is read', async () => {
    await startFirstPayment(world.app, LEEDS, { amount: 500 })
    const { customerId } = (await world.app.store.billing.findPlan(LEEDS)) ?? {}
    const claim = { type: 'invoice.paid', createdAt: 1, customerId, accountUuid: LEEDS, paymentId: null }
    expect(await receive({ ...claim, id: 'evt_1' })).toEqual({ outcome: 'received' })
    expect(await receive({ ...claim, id: 'evt_2', type: 'customer.subscription.deleted' })).toEqual({
      outcome: 'received',
    })
    expect(await receive({ ...claim, id: 'evt_3', type: 'customer.deleted' })).toEqual({ outcome: 'received' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'trial', customerId })
  })

  test('about an old subscription that expires does not touch the one that is active', async () => {
    const first = await startFirstPayment(world.app, LEEDS, { amount: 500 })
    const old = (await world.app.store.billing.findPlan(LEEDS))?.openSubscriptionId ?? ''
    const second = await startUpgrade(world.app, LEEDS, { prorated: true })
    if (first.outcome !== 'pay' || second.outcome !== 'pay') throw new Error('not offered')
    world.payments.pay(second.clientSecret)
    await deliverTold(world)
    const active = await world.app.store.billing.findPlan(LEEDS)
    expect(active).toMatchObject({ status: 'active' })
    world.payments.expire(old)
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'active',
      subscriptionId: active?.subscriptionId,
    })
  })

  test('that the provider could not hand over is fetched', async () => {
    await paid()
    world.payments.undelivered = world.payments.told.splice(0)
    await catchUpPayments(world.app, NEVER_ABORTED)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active' })
    const asked = world.payments.calls.length
    await catchUpPayments(world.app, NEVER_ABORTED)
    expect(world.payments.calls.slice(asked)).toEqual(['undeliveredEvents'])
  })
})

/** A whole life at the provider, without anybody being told yet: paid, renewed, declined, recovered, renewed early, ended. */
async function live(on: BillingWorld): Promise<PaymentEvent[]> {
  const { clock, payments } = on
  const id = await paid(on)
  await syncPlan(on.app, LEEDS)
  clock.advance(days(30))
  payments.renew(id, 'paid')
  clock.advance(days(30))
  payments.renew(id, 'failed')
  const [owed] = await payments.openInvoices(id)
  payments.decline(owed?.clientSecret ?? '')
  payments.pay(owed?.clientSecret ?? '')
  await syncPlan(on.app, LEEDS)
  const early = await startUpgrade(on.app, LEEDS, { prorated: false })
  if (early.outcome !== 'pay') throw new Error(early.message)
  payments.pay(early.clientSecret)
  clock.advance(days(1))
  payments.cancel(id)
  return payments.told.splice(0)
}

describe('a whole life', () => {
  const LIFE_EVENTS = 17

  test('ends in what the provider says, in whatever order and however often its events come', async () => {
    const order = fc.record({
      keys: fc.array(fc.integer(), { minLength: LIFE_EVENTS, maxLength: LIFE_EVENTS }),
      twice: fc.array(fc.nat(LIFE_EVENTS - 1), { maxLength: 6 }),
      lost: fc.array(fc.nat(LIFE_EVENTS - 1), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(order, async ({ keys, twice, lost }) => {
        const here = billingWorld()
        try {
          const events = await live(here)
          expect(events).toHaveLength(LIFE_EVENTS)
          const shuffled = events
            .map((event, index) => ({ event, index, key: keys[index] ?? 0 }))
            .sort((a, b) => a.key - b.key)
          const heard = [...shuffled, ...twice.flatMap((index) => shuffled[index] ?? [])].filter(
            ({ index }) => !lost.includes(index),
          )
          for (const { event } of heard) await receive(event, 'good', here)
          // What was lost altogether, the daily look finds.
          if (heard.length === 0) await syncPlan(here.app, LEEDS)
          const { subscriptionId } = (await here.app.store.billing.findPlan(LEEDS)) ?? {}
          const truth = here.payments.subscription(subscriptionId ?? '')
          expect(await here.app.store.billing.findPlan(LEEDS)).toMatchObject({
            status: truth.status,
            currentPeriodStart: truth.periodStart,
            currentPeriodEnd: truth.periodEnd,
            pastDueSince: null,
            openSubscriptionId: null,
            openRenewalId: null,
            trialEndsAt: here.clock.now() - days(61),
            holdReason: 'subscription_ended',
          })
          // It had ended before the early renewal could be applied: that money goes back, once.
          expect(here.payments.refunds).toHaveLength(1)
          expect(here.payments.taken()).toBe(1500)
        } finally {
          here.close()
        }
      }),
      { numRuns: 30 },
    )
  })

  test('heard as it happens it is the same at each station', async () => {
    const { clock, payments } = world
    const stations: string[] = []
    const look = async () => {
      await deliverTold(world)
      stations.push((await world.app.store.billing.findPlan(LEEDS))?.status ?? '')
    }
    const id = await paid()
    await look()
    clock.advance(days(30))
    payments.renew(id, 'paid')
    await look()
    clock.advance(days(30))
    payments.renew(id, 'failed')
    await look()
    const [owed] = await payments.openInvoices(id)
    payments.pay(owed?.clientSecret ?? '')
    await look()
    clock.advance(days(30))
    payments.renew(id, 'failed')
    payments.giveUp(id)
    await look()
    payments.cancel(id)
    await look()
    expect(stations).toEqual(['active', 'active', 'past_due', 'active', 'unpaid', 'canceled'])
  })
})

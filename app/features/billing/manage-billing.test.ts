import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days } from '#app/lib/duration.ts'
import { type BillingWorld, billingWorld, deliverTold, LEEDS } from '#tests/support/billing-world.server.ts'
import { startFirstPayment } from './first-payment.server.ts'
import { endCharges, setCancellation } from './manage-billing.server.ts'
import { startUpgrade } from './upgrade.server.ts'

let world: BillingWorld
beforeEach(() => {
  world = billingWorld()
})
afterEach(() => world.close())

async function started() {
  const start = await startFirstPayment(world.app, LEEDS, { amount: 500 })
  if (start.outcome !== 'pay') throw new Error(start.message)
  return start
}

async function paid() {
  const { clientSecret } = await started()
  world.payments.pay(clientSecret)
  await deliverTold(world)
  return world.app.store.billing.findPlan(LEEDS)
}

const paymentOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? ''

describe('an account that is going', () => {
  const end = () => endCharges(world.app, LEEDS)
  const subscription = async () =>
    world.payments.subscription((await world.app.store.billing.findPlan(LEEDS))?.subscriptionId ?? '')

  test('without anything at the provider asks and makes nothing', async () => {
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(world.rows('SELECT id FROM plan')).toEqual([])
  })

  test('keeps the month that is paid, and pays no other', async () => {
    await paid()
    for (let n = 0; n < 2; n++) expect(await end()).toEqual({ outcome: 'saved' })
    expect(await subscription()).toMatchObject({ status: 'active', endsWithPeriod: true })
    expect(world.payments.refunds).toEqual([])
  })

  test.each(['past_due', 'unpaid'])('ends one that is %s at once: no card is tried again', async (status) => {
    const { subscriptionId } = (await paid()) ?? {}
    world.payments.renew(subscriptionId ?? '', 'failed')
    if (status === 'unpaid') world.payments.giveUp(subscriptionId ?? '')
    expect((await subscription()).status).toBe(status)
    const { clientSecret } = await started()
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(await subscription()).toMatchObject({ status: 'canceled' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'canceled' })
    // A form for the unpaid month was left open.
    expect(() => world.payments.pay(clientSecret)).toThrow('this secret pays nothing')
  })

  test('is told when the late month is paid at that very moment, and then keeps it', async () => {
    const { subscriptionId } = (await paid()) ?? {}
    world.payments.renew(subscriptionId ?? '', 'failed')
    const { clientSecret } = await started()
    world.payments.meanwhile('voidInvoice', () => world.payments.pay(clientSecret))
    expect(await end()).toMatchObject({ outcome: 'refused' })
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(await subscription()).toMatchObject({ status: 'active', endsWithPeriod: true })
  })

  test('cannot be paid for in a tab that was left open', async () => {
    const { clientSecret } = await started()
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(() => world.payments.pay(clientSecret)).toThrow('this secret pays nothing')
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'trial', openSubscriptionId: null })
  })

  test('gets back what was paid at that very moment', async () => {
    const { clientSecret } = await started()
    world.payments.meanwhile('endSubscription', () => world.payments.pay(clientSecret))
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
    expect(world.payments.taken()).toBe(0)
  })

  test('gives up a new month that is not paid yet, and keeps one that is', async () => {
    await paid()
    const early = await startUpgrade(world.app, LEEDS, { prorated: false })
    if (early.outcome !== 'pay') throw new Error(early.message)
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(world.payments.payment(paymentOf(early.clientSecret)).status).toBe('canceled')
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      openRenewalId: null,
      cancelAtPeriodEnd: true,
    })

    await setCancellation(world.app, LEEDS, false)
    world.clock.advance(days(5))
    const again = await startUpgrade(world.app, LEEDS, { prorated: false })
    if (again.outcome !== 'pay') throw new Error(again.message)
    world.payments.meanwhile('cancelPayment', () => world.payments.pay(again.clientSecret))
    expect(await end()).toEqual({ outcome: 'saved' })
    expect(await subscription()).toMatchObject({
      endsWithPeriod: true,
      periodStart: world.clock.now(),
      renewedBy: paymentOf(again.clientSecret),
    })
  })

  test('is told when the provider cannot be reached', async () => {
    await paid()
    world.payments.failNext('unavailable', 1, 'setEndsWithPeriod')
    expect(await end()).toMatchObject({ outcome: 'refused', status: 503 })
  })
})

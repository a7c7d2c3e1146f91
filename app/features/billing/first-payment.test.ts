// Long: one world of a firm and its payments, from the first form to months that are owed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import {
  type BillingWorld,
  BRISBANE,
  billingWorld,
  deliverTold,
  LEEDS,
  NEVER_ABORTED,
} from '#tests/support/billing-world.server.ts'
import { startFirstPayment } from './first-payment.server.ts'
import { openPortal, setCancellation } from './manage-billing.server.ts'
import { KEEP_FIRST, NOT_CHANGED, NOT_OPENED } from './payment.ts'
import { flashOfReturn } from './payment-answer.ts'
import { beginTrial, ensurePlan, findPlanNotice, loadSubscription } from './plan.server.ts'
import { planView } from './plan-view.ts'
import { settleReturn } from './settle-return.server.ts'
import { syncPlan } from './sync.server.ts'
import { startUpgrade } from './upgrade.server.ts'
import { judgeHolds } from './upkeep.server.ts'

let world: BillingWorld
beforeEach(() => {
  world = billingWorld()
})
afterEach(() => world.close())

const FULL = { amount: 500 }
const BACK = `/subscription?accountUUID=${LEEDS}&admin=yes`

async function started(account = LEEDS) {
  const start = await startFirstPayment(world.app, account, FULL)
  if (start.outcome !== 'pay') throw new Error(start.message)
  return start
}

async function paid(account = LEEDS) {
  const { clientSecret } = await started(account)
  world.payments.pay(clientSecret)
  await deliverTold(world)
  return world.app.store.billing.findPlan(account)
}

const paymentOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? ''

describe('the trial', () => {
  test('is made once and stays as it was', async () => {
    const plan = await ensurePlan(world.app, LEEDS)
    expect(plan).toMatchObject({ status: 'trial', trialEndsAt: world.clock.now() + days(14), customerId: null })
    world.clock.advance(days(3))
    expect(await ensurePlan(world.app, LEEDS)).toEqual(plan)
  })

  test('begins with signing in, but not where nobody could pay when it is over', async () => {
    await beginTrial({ ...world.app, payments: null }, LEEDS)
    expect(await world.app.store.billing.findPlan(LEEDS)).toBeNull()
    await beginTrial(world.app, LEEDS)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'trial' })
  })

  test('survives that the account disconnects and comes back', async () => {
    const plan = await ensurePlan(world.app, LEEDS)
    world.run('DELETE FROM account WHERE uuid = ?', LEEDS)
    world.clock.advance(days(20))
    expect(await ensurePlan(world.app, LEEDS)).toEqual(plan)
  })

  test('counts the use of its days, and nothing of another account', async () => {
    await ensurePlan(world.app, LEEDS)
    const today = Math.floor(world.clock.now() / days(1))
    for (const [account, day, kind, count] of [
      [LEEDS, today, 'api_call', 3],
      [LEEDS, today + 1, 'webhook_received', 5],
      [LEEDS, today + 1, 'webhook_forwarded', 4],
      [LEEDS, today + 1, 'duplicate', 9],
      [LEEDS, today - 1, 'api_call', 100],
      [BRISBANE, today, 'api_call', 100],
    ] as const) {
      world.run('INSERT INTO usage_day (account_uuid, day, kind, count) VALUES (?, ?, ?, ?)', account, day, kind, count)
    }
    world.clock.advance(days(1))
    expect((await loadSubscription(world.app, LEEDS)).usage).toEqual({
      apiCalls: 3,
      webhooksReceived: 5,
      webhooksForwarded: 4,
      total: 12,
    })
  })
})

test('a paid month counts its whole UTC days, as the meter does, and none of them twice', async () => {
  await paid()
  const { currentPeriodStart, currentPeriodEnd } = (await world.app.store.billing.findPlan(LEEDS)) ?? {}
  const first = Math.floor((currentPeriodStart ?? 0) / days(1))
  const last = Math.floor((currentPeriodEnd ?? 0) / days(1))
  for (const [day, count] of [
    [first, 24],
    [first + 1, 5],
    [last - 1, 7],
    [last, 100],
  ] as const) {
    world.run("INSERT INTO usage_day (account_uuid, day, kind, count) VALUES (?, ?, 'api_call', ?)", LEEDS, day, count)
  }
  expect((await loadSubscription(world.app, LEEDS)).usage.total).toBe(12)
})

describe('a first payment', () => {
  test('changes nothing about the trial until it is paid, then the plan is active and the trial over', async () => {
    const before = await ensurePlan(world.app, LEEDS)
    world.clock.advance(days(2))
    const start = await started()
    expect(start).toEqual({
      outcome: 'pay',
      clientSecret: start.clientSecret,
      amount: 500,
      currency: 'gbp',
      description: '£5.00 today. Your paid month starts now and your remaining 12 trial days end.',
    })
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'trial',
      trialEndsAt: before.trialEndsAt,
    })
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'active',
      trialEndsAt: world.clock.now(),
      currentPeriodStart: world.clock.now(),
      currentPeriodEnd: world.clock.now() + days(30),
      openSubscriptionId: null,
    })
    expect(world.payments.taken()).toBe(500)
  })

  test('asked again is the same payment', async () => {
    const first = await started()
    world.clock.advance(hours(2))
    expect((await started()).clientSecret).toBe(first.clientSecret)
  })

  test('two at once are one customer, one subscription and one charge', async () => {
    const [one, two] = await Promise.all([started(), started()])
    expect(one.clientSecret).toBe(two.clientSecret)
    expect(world.payments.calls.filter((call) => call === 'createSubscription')).toHaveLength(1)
    world.payments.pay(one.clientSecret)
    expect(() => world.payments.pay(two.clientSecret)).toThrow('paid twice')
    expect(world.payments.taken()).toBe(500)
  })

  test('two processes at once still make one', async () => {
    const other = world.otherProcess()
    const [one, two] = await Promise.all([
      startFirstPayment(world.app, LEEDS, FULL),
      startFirstPayment(other, LEEDS, FULL),
    ])
    expect(one).toEqual(two)
    const plan = await world.app.store.billing.findPlan(LEEDS)
    expect(await world.payments.listSubscriptions(plan?.customerId ?? '')).toHaveLength(1)
  })

  test('of another amount is refused before anything is made', async () => {
    for (const amount of [30, 499, 501, 0, -500]) {
      expect(await startFirstPayment(world.app, LEEDS, { amount })).toEqual({
        outcome: 'refused',
        status: 400,
        message: 'Invalid amount',
      })
    }
    expect(world.payments.calls).toEqual([])
  })

  test('is refused when the subscription is active', async () => {
    await paid()
    expect(await startFirstPayment(world.app, LEEDS, FULL)).toMatchObject({ outcome: 'refused', status: 409 })
    expect(world.payments.taken()).toBe(500)
  })

  test('is refused when the provider has another price or asks for another amount', async () => {
    world.payments.price = { id: 'price_monthly', amount: 600, currency: 'gbp' }
    expect(await startFirstPayment(world.app, LEEDS, FULL)).toMatchObject({ outcome: 'refused', status: 500 })
    world.payments.price = { id: 'price_monthly', amount: 500, currency: 'gbp' }
    world.payments.wrongBy = 100
    expect(await startFirstPayment(world.app, LEEDS, FULL)).toMatchObject({ outcome: 'refused', status: 500 })
    world.payments.wrongBy = 0
    const { customerId } = (await world.app.store.billing.findPlan(LEEDS)) ?? {}
    const [wrong] = await world.payments.listSubscriptions(customerId ?? '')
    expect(wrong?.status).toBe('canceled')
    expect((await started()).amount).toBe(500)
  })

  test('goes on with what a crash between making and saving has left', async () => {
    const { clientSecret } = await started()
    world.run('UPDATE plan SET open_subscription_id = NULL, open_offer = NULL, payment_attempt = 0')
    expect((await started()).clientSecret).toBe(clientSecret)
    expect(world.payments.calls.filter((call) => call === 'createSubscription')).toHaveLength(1)
  })

  test('is a new one after the old one has expired, even when the number was not saved', async () => {
    const first = await started()
    const { openSubscriptionId } = (await world.app.store.billing.findPlan(LEEDS)) ?? {}
    world.clock.advance(hours(23))
    world.payments.expire(openSubscriptionId ?? '')
    world.run('UPDATE plan SET payment_attempt = 0')
    await deliverTold(world)
    const second = await started()
    expect(second.clientSecret).not.toBe(first.clientSecret)
    world.payments.pay(second.clientSecret)
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active' })
  })

  test('that a bank declines leaves the trial, says why, and can be tried again with the same payment', async () => {
    const { clientSecret } = await started()
    world.payments.decline(clientSecret, 'Your card has insufficient funds.')
    await deliverTold(world)
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({
      outcome: 'failed',
      message: 'Your card has insufficient funds.',
    })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'trial' })
    expect((await started()).clientSecret).toBe(clientSecret)
    world.payments.pay(clientSecret)
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active' })
  })

  test.each([
    ['monthlyPrice', 'unavailable', 503],
    ['createCustomer', 'unavailable', 503],
    ['listSubscriptions', 'unavailable', 503],
    ['createSubscription', 'unavailable', 503],
    ['createSubscription', 'denied', 503],
    ['createSubscription', 'card', 402],
    ['createSubscription', 'refused', 500],
  ] as const)('when %s is %s the answer is a refusal, and the next try works', async (call, code, status) => {
    world.payments.failNext(code, 1, call)
    const refused = await startFirstPayment(world.app, LEEDS, FULL)
    expect(refused).toMatchObject({ outcome: 'refused', status })
    const { paymentAttempt } = (await world.app.store.billing.findPlan(LEEDS)) ?? {}
    // What the provider keeps under a key for a day is asked for under another one.
    expect(paymentAttempt ?? 0).toBe(call.startsWith('create') ? 1 : 0)
    expect((await started()).amount).toBe(500)
  })

  test('works anew for a customer who was deleted at the provider', async () => {
    const before = await paid()
    world.payments.deleteCustomer(before?.customerId ?? '')
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'canceled',
      customerId: null,
      subscriptionId: null,
    })
    await paid()
    const after = await world.app.store.billing.findPlan(LEEDS)
    expect(after).toMatchObject({ status: 'active' })
    expect(after?.customerId).not.toBe(before?.customerId)
  })

  test('is off without a provider', async () => {
    const off = { ...world.app, payments: null }
    const refused = { outcome: 'refused', status: 503, message: 'Card payments are not configured.' }
    expect(await startFirstPayment(off, LEEDS, FULL)).toEqual(refused)
    expect(await startUpgrade(off, LEEDS, { prorated: true })).toEqual(refused)
    expect(await openPortal(off, LEEDS, BACK)).toEqual(refused)
    expect(await setCancellation(off, LEEDS, true)).toEqual(refused)
    expect((await loadSubscription(off, LEEDS)).plan.status).toBe('trial')
  })
})

describe('a return', () => {
  test('of a payment of somebody else, or of nobody, is unknown', async () => {
    const { clientSecret } = await started(BRISBANE)
    world.payments.pay(clientSecret)
    await started(LEEDS)
    for (const id of [paymentOf(clientSecret), 'pi_none', 'sub_1', '../v1/customers', '']) {
      expect(await settleReturn(world.app, LEEDS, id)).toEqual({ outcome: 'unknown' })
    }
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'trial' })
  })

  test('before the event brings the plan up to date, and the event then changes nothing', async () => {
    const { clientSecret } = await started()
    world.payments.pay(clientSecret)
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
    const { updatedAt: _, lastSyncedAt: __, ...active } = (await world.app.store.billing.findPlan(LEEDS)) ?? {}
    world.clock.advance(minutes(1))
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject(active)
  })

  test('from a new form after an end never says ended, also while the provider still reads it as open', async () => {
    const before = await paid()
    world.payments.cancel(before?.subscriptionId ?? '')
    await deliverTold(world)
    const { clientSecret } = await started()
    const seen = await world.payments.listSubscriptions(before?.customerId ?? '')
    world.payments.pay(clientSecret)
    world.payments.listSubscriptions = async () => seen
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
  })

  test('while the provider cannot be asked is being processed', async () => {
    const { clientSecret } = await started()
    world.payments.failNext('unavailable')
    expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'processing' })
  })

  test('is not needed: the page reads the provider while a payment is open, and shows what is known when it is away', async () => {
    const { clientSecret } = await started()
    world.payments.pay(clientSecret)
    world.payments.failNext('unavailable')
    expect((await loadSubscription(world.app, LEEDS)).plan.status).toBe('trial')
    expect((await loadSubscription(world.app, LEEDS)).plan.status).toBe('active')
    const asked = world.payments.calls.length
    await loadSubscription(world.app, LEEDS)
    expect(world.payments.calls).toHaveLength(asked)
  })
})

describe('what is owed', () => {
  test('is paid through the open invoice, and the account goes on', async () => {
    const plan = await paid()
    world.clock.advance(days(30))
    world.payments.renew(plan?.subscriptionId ?? '', 'failed')
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'past_due',
      pastDueSince: world.clock.now(),
    })
    expect((await started()).description).toBe('£5.00 today for the month that was not paid. Nothing stops.')
    world.clock.advance(days(8))
    await judgeHolds(world.app, NEVER_ABORTED)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ holdReason: 'payment_failed' })
    const start = await started()
    expect(start.description).toBe('£5.00 today for the month that was not paid. Everything resumes at once.')
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'active',
      pastDueSince: null,
      heldSince: null,
      holdReason: null,
    })
  })

  test('for two months is paid one by one, and nothing resumes before the last', async () => {
    const plan = await paid()
    for (const _ of [1, 2]) {
      world.clock.advance(days(30))
      world.payments.renew(plan?.subscriptionId ?? '', 'failed')
    }
    await deliverTold(world)
    const oldest = await started()
    expect(oldest.description).toBe('£5.00 today for the oldest of 2 unpaid months.')
    world.payments.pay(oldest.clientSecret)
    const first = await settleReturn(world.app, LEEDS, paymentOf(oldest.clientSecret))
    expect(flashOfReturn(first)).toMatchObject({
      title: 'Payment received',
      description: 'Another month is still open.',
    })
    const last = await started()
    expect(last.description).toContain('Nothing stops.')
    world.payments.pay(last.clientSecret)
    expect(await settleReturn(world.app, LEEDS, paymentOf(last.clientSecret))).toEqual({ outcome: 'paid' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active', heldSince: null })
  })

  test('when nothing of it can be paid any more: late it is refused, given up it begins anew', async () => {
    const plan = await paid()
    const old = plan?.subscriptionId ?? ''
    world.clock.advance(days(30))
    world.payments.renew(old, 'failed')
    world.payments.voidInvoices(old)
    expect(await startFirstPayment(world.app, LEEDS, FULL)).toMatchObject({
      outcome: 'refused',
      status: 409,
      message: 'Nothing is owed at the moment. Please reload the page.',
    })
    world.payments.giveUp(old)
    const start = await started()
    expect(world.payments.subscription(old).status).toBe('canceled')
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    const after = await world.app.store.billing.findPlan(LEEDS)
    expect(after).toMatchObject({ status: 'active', heldSince: null })
    expect(after?.subscriptionId).not.toBe(old)
  })

  describe('of one that is given up when its next month begins', () => {
    async function givenUp() {
      const id = (await paid())?.subscriptionId ?? ''
      world.clock.advance(days(30))
      world.payments.renew(id, 'failed')
      world.payments.giveUp(id)
      await deliverTold(world)
      const { clientSecret } = await started()
      world.clock.advance(days(30))
      world.payments.renew(id, 'failed')
      await deliverTold(world)
      return { id, clientSecret }
    }

    test('is one payment, and all resumes', async () => {
      const { id, clientSecret } = await givenUp()
      const start = await started()
      expect(start.description).toBe(
        '£5.00 today. Your paid month starts now. The unpaid subscription has ended: nothing of it is due.',
      )
      expect(await world.payments.openInvoices(id)).toEqual([])
      await deliverTold(world)
      // "Pay now" is no longer there: the line on every page, the cards and the subscription page all say what has ended.
      const notice = await findPlanNotice(world.app, LEEDS, { role: 'owner', staffUuid: null, freshAt: 0 })
      expect(notice).toMatchObject({ action: { label: 'Subscribe' } })
      const facts = await loadSubscription(world.app, LEEDS)
      const setting = { mode: 'stripe', now: world.clock.now(), zone: 'Europe/London', overageCharged: false } as const
      const words = [planHoldText(facts.plan.holdReason ?? ''), planView(facts, setting).sentence, notice?.sentence]
      for (const text of words) expect(text).toMatch(/ubscription (has )?ended: subscribe to resume/)
      expect(() => world.payments.pay(clientSecret)).toThrow('this secret pays nothing')
      world.payments.pay(start.clientSecret)
      expect(await settleReturn(world.app, LEEDS, paymentOf(start.clientSecret))).toEqual({ outcome: 'paid' })
      expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active', heldSince: null })
      expect(world.payments.taken()).toBe(1000)
    })

    test('sells no month that renews while it is canceled', async () => {
      const { id } = await givenUp()
      await setCancellation(world.app, LEEDS, true)
      expect(await startFirstPayment(world.app, LEEDS, FULL)).toMatchObject({ status: 409, message: KEEP_FIRST })
      expect(world.payments.subscription(id).status).toBe('unpaid')
      await setCancellation(world.app, LEEDS, false)
      await started()
    })

    test('is not called active when a form from before is paid', async () => {
      const { clientSecret } = await givenUp()
      world.payments.pay(clientSecret)
      expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'still_owed' })
    })
  })

  describe('in a form left open when the retries are used up', () => {
    async function leftOpen() {
      const id = (await paid())?.subscriptionId ?? ''
      world.clock.advance(days(30))
      world.payments.renew(id, 'failed')
      const { clientSecret } = await started()
      world.payments.told.length = 0
      return { id, clientSecret, end: () => world.payments.cancel(id) }
    }

    test('is closed with the subscription, and nothing more is asked for', async () => {
      const { clientSecret, end } = await leftOpen()
      end()
      await deliverTold(world)
      expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'canceled' })
      expect(() => world.payments.pay(clientSecret)).toThrow('this secret pays nothing')
      world.clock.advance(days(31))
      const asked = world.payments.calls.length
      await syncPlan(world.app, LEEDS)
      expect(world.payments.calls.slice(asked)).toEqual(['listSubscriptions'])
    })

    test.each(['before we hear of it', 'at that very moment'])('goes back when it is paid %s', async (when) => {
      const { clientSecret, end } = await leftOpen()
      end()
      if (when === 'at that very moment') {
        world.payments.meanwhile('voidInvoice', () => world.payments.pay(clientSecret))
        await deliverTold(world)
      } else world.payments.pay(clientSecret)
      const settled = await settleReturn(world.app, LEEDS, paymentOf(clientSecret))
      expect(flashOfReturn(settled)).toMatchObject({
        title: 'Payment Failed',
        description: 'This payment could not start a new month, so we refunded it.',
      })
      expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
      expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'canceled' })
    })

    test('goes back also when it is the older of two months', async () => {
      const { id, clientSecret, end } = await leftOpen()
      world.clock.advance(days(30))
      world.payments.renew(id, 'failed')
      end()
      world.payments.pay(clientSecret)
      expect(await settleReturn(world.app, LEEDS, paymentOf(clientSecret))).toMatchObject({ outcome: 'failed' })
      expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
      expect(await world.payments.openInvoices(id)).toEqual([])
    })

    test('whose refund is refused stops nothing else, and one refund is enough', async () => {
      const { clientSecret, end } = await leftOpen()
      end()
      world.payments.pay(clientSecret)
      world.payments.failNext('unavailable', 1, 'refund')
      await expect(syncPlan(world.app, LEEDS)).rejects.toThrow('unavailable')
      world.payments.failNext('refused', 1, 'refund')
      expect((await started()).description).toBe('£5.00 today. Your paid month starts now.')
      expect(world.logged).toContain('payments.not_refunded')
      expect(world.payments.refunds).toEqual([])
      await syncPlan(world.app, LEEDS)
      expect(world.payments.refunds).toEqual([paymentOf(clientSecret)])
      world.logged.length = 0
      world.payments.calls.length = 0
      await syncPlan(world.app, LEEDS)
      expect(world.logged).toEqual([])
      expect(world.payments.calls).not.toContain('refund')
    })

    test('is no bill for use above the included one, which comes at the end and stays owed', async () => {
      const id = (await paid())?.subscriptionId ?? ''
      world.clock.advance(days(30))
      world.payments.cancel(id)
      world.clock.advance(hours(1))
      const secret = world.payments.billUse(id)
      await deliverTold(world)
      await syncPlan(world.app, LEEDS)
      world.payments.pay(secret)
      await syncPlan(world.app, LEEDS)
      expect(world.payments.payment(paymentOf(secret)).status).toBe('paid')
      expect(world.payments.refunds).toEqual([])
    })

    test('is closed also when the bill for use, made at the end, was paid first', async () => {
      const { id, clientSecret, end } = await leftOpen()
      end()
      world.clock.advance(hours(1))
      world.payments.pay(world.payments.billUse(id))
      await deliverTold(world)
      expect(() => world.payments.pay(clientSecret)).toThrow('this secret pays nothing')
      expect(world.payments.refunds).toEqual([])
    })

    test('keeps what was paid before, and never calls it active', async () => {
      const { clientSecret, end } = await leftOpen()
      world.payments.pay(clientSecret)
      end()
      const settled = await settleReturn(world.app, LEEDS, paymentOf(clientSecret))
      expect(flashOfReturn(settled)).toMatchObject({ description: 'Your subscription has ended.' })
      expect(world.payments.refunds).toEqual([])
    })
  })

  test('of a subscription that ended is nothing: the next payment begins a new one', async () => {
    const plan = await paid()
    world.payments.cancel(plan?.subscriptionId ?? '')
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({
      status: 'canceled',
      holdReason: 'subscription_ended',
    })
    const start = await started()
    expect(start.description).toBe('£5.00 today. Your paid month starts now.')
    world.payments.pay(start.clientSecret)
    await deliverTold(world)
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active', heldSince: null })
  })
})

describe('managing', () => {
  test('needs a customer', async () => {
    expect(await openPortal(world.app, LEEDS, BACK)).toMatchObject({ outcome: 'refused', status: 409 })
    await started()
    const opening = await openPortal(world.app, LEEDS, BACK)
    const back = encodeURIComponent(`https://hooks.example.com${BACK}`)
    expect(opening).toEqual({ outcome: 'open', url: expect.stringContaining(back) })
  })

  test.each(['missing', 'refused'] as const)('says what could not be done when the provider says %s', async (code) => {
    await paid()
    world.payments.failNext(code, 1, 'openPortal')
    expect(await openPortal(world.app, LEEDS, BACK)).toMatchObject({ message: NOT_OPENED, status: 500 })
    world.payments.failNext(code, 1, 'setEndsWithPeriod')
    expect(await setCancellation(world.app, LEEDS, true)).toMatchObject({ message: NOT_CHANGED, status: 500 })
  })

  test('ends the subscription with its month and takes that back', async () => {
    expect(await setCancellation(world.app, LEEDS, true)).toMatchObject({ outcome: 'refused', status: 409 })
    await paid()
    expect(await setCancellation(world.app, LEEDS, true)).toEqual({ outcome: 'saved' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await setCancellation(world.app, LEEDS, false)).toEqual({ outcome: 'saved' })
    expect(await world.app.store.billing.findPlan(LEEDS)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
  })
})

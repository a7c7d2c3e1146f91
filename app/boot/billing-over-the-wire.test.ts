// Long: one journey of payments over the wire, with every event that can come between.
// Money over the wire: our use cases, the real adapter and the official SDK against the sandbox's payment provider, whose signed
// events come back to us while all this goes on.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import { endCharges, openPortal, setCancellation } from '#app/features/billing/manage-billing.server.ts'
import { receivePaymentEvent } from '#app/features/billing/payment-events.server.ts'
import { loadSubscription } from '#app/features/billing/plan.server.ts'
import { settleReturn } from '#app/features/billing/settle-return.server.ts'
import { startUpgrade } from '#app/features/billing/upgrade.server.ts'
import { catchUpPayments, judgeHolds, reconcilePlans, reportUsage } from '#app/features/billing/upkeep.server.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS, NEVER_ABORTED } from '#tests/support/billing-world.server.ts'
import { openStripeStage, type StripeStage } from '#tests/support/stripe-stage.server.ts'

const BACK = `/subscription?accountUUID=${LEEDS}`
const DECLINED = '4000000000000002'
const FAILS_LATER = '4000000000000341'
const ASKS_WHO = '4000002500003155'

let stage: StripeStage
beforeEach(async () => {
  stage = await openStripeStage()
})
afterEach(() => stage.stop())

const app = () => stage.billing.app

async function plan(account = LEEDS) {
  const found = await app().store.billing.findPlan(account)
  if (!found) throw new Error('no plan')
  return found
}

async function start(account = LEEDS) {
  const started = await startFirstPayment(app(), account, { amount: 500 })
  if (started.outcome !== 'pay') throw new Error(started.message)
  return started
}

async function upgrade(prorated: boolean) {
  const started = await startUpgrade(app(), LEEDS, { prorated })
  if (started.outcome !== 'pay') throw new Error(started.message)
  return started
}

async function subscribe(card?: string, account = LEEDS) {
  const { clientSecret } = await start(account)
  expect(await stage.confirm(clientSecret, card)).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  await stage.settled()
  expect(await plan(account)).toMatchObject({ status: 'active' })
}

const paymentOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? ''

describe('the first payment', () => {
  test('a good card makes the plan active by the event alone', async () => {
    const started = await start()
    expect(started).toMatchObject({
      amount: 500,
      currency: 'gbp',
      clientSecret: expect.stringMatching(/^pi_.+_secret_/),
    })
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'trial', subscriptionId: null })
    await stage.confirm(started.clientSecret)
    await stage.settled()
    expect(await plan()).toMatchObject({
      status: 'active',
      trialEndsAt: app().clock.now(),
      currentPeriodStart: app().clock.now(),
      priceId: 'price_sandbox_monthly',
      openSubscriptionId: null,
    })
    expect(new Set(stage.answered)).toEqual(new Set([200]))
    expect(await startFirstPayment(app(), LEEDS, { amount: 500 })).toMatchObject({ outcome: 'refused', status: 409 })
  })

  test('asked for twice at once it is one customer, one subscription and one payment', async () => {
    const [one, two] = await Promise.all([start(), start()])
    expect(one.clientSecret).toBe(two.clientSecret)
    await stage.confirm(one.clientSecret)
    expect((await stage.confirm(two.clientSecret)).status).toBe(400)
    const ledger = stage.sandbox.world.payments.ledger()
    expect(Object.keys(ledger.customers)).toHaveLength(1)
    expect(Object.keys(ledger.subscriptions)).toHaveLength(1)
  })

  test('Stripe knows whom to write to', async () => {
    await app().store.notices.noteAccountEmail(LEEDS, 'office@leeds.example')
    await start()
    const [customer] = Object.values(stage.sandbox.world.payments.ledger().customers)
    const name = (await app().store.accounts.findAccount(LEEDS))?.name
    expect(customer).toMatchObject({ email: 'office@leeds.example', name, metadata: { accountUUID: LEEDS } })
  })

  test('two processes at once still make one', async () => {
    const other = stage.billing.otherProcess()
    const answers = await Promise.all([
      startFirstPayment(app(), LEEDS, { amount: 500 }),
      startFirstPayment(other, LEEDS, { amount: 500 }),
    ])
    expect(answers[0]).toEqual(answers[1])
    expect(Object.keys(stage.sandbox.world.payments.ledger().subscriptions)).toHaveLength(1)
  })

  test('declined, then paid with the same secret; the bank’s words come back', async () => {
    const { clientSecret } = await start()
    expect((await stage.confirm(clientSecret, DECLINED)).status).toBe(402)
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({
      outcome: 'failed',
      message: 'Your card was declined.',
    })
    expect(await plan()).toMatchObject({ status: 'trial' })
    expect((await start()).clientSecret).toBe(clientSecret)
    await stage.confirm(clientSecret)
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
    expect(await plan()).toMatchObject({ status: 'active' })
    expect(await settleReturn(app(), BRISBANE, paymentOf(clientSecret))).toEqual({ outcome: 'unknown' })
    expect(await settleReturn(app(), LEEDS, 'pi_nothing')).toEqual({ outcome: 'unknown' })
  })

  test('a card that asks who somebody is leaves the trial until it is answered', async () => {
    const { clientSecret } = await start()
    expect(await stage.confirm(clientSecret, ASKS_WHO)).toMatchObject({ body: { status: 'requires_action' } })
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'trial' })
    const answered = await settleReturn(app(), LEEDS, paymentOf(clientSecret))
    expect(answered).toEqual({ outcome: 'failed', message: 'The payment was not confirmed. Nothing was charged.' })
  })

  test('a bank that is not told who somebody is says so, in words for them', async () => {
    const { clientSecret } = await start()
    const { next_action: next } = (await stage.confirm(clientSecret, ASKS_WHO)).body
    const page = new URL((next as { redirect_to_url: { url: string } }).redirect_to_url.url)
    const body = new URLSearchParams({ client_secret: clientSecret, answer: 'fail' })
    await fetch(page.origin + page.pathname, {
      method: 'POST',
      headers: { origin: stage.origin },
      body,
      redirect: 'manual',
    })
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({
      outcome: 'failed',
      message: expect.stringMatching(/^We are unable to authenticate your payment method\. Please choose a different/),
    })
    await stage.confirm(clientSecret)
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
  })

  test('given up by who opened it, it expires after a day, and the next one is new', async () => {
    const first = await start()
    await stage.pass(hours(24))
    expect(await plan()).toMatchObject({ status: 'trial', openSubscriptionId: null })
    const second = await start()
    expect(second.clientSecret).not.toBe(first.clientSecret)
    await stage.confirm(second.clientSecret)
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'active' })
  })

  test('prorated takes the unused trial off the first invoice; changing one’s mind gives the other up', async () => {
    const full = await upgrade(false)
    const credit = await upgrade(true)
    expect(credit).toMatchObject({
      amount: 267,
      description: '£2.67 today: £5.00 less £2.33 for 14 unused trial days. Your paid month starts now.',
    })
    expect((await stage.confirm(full.clientSecret)).status).toBe(400)
    expect(await stage.confirm(credit.clientSecret)).toMatchObject({ body: { amount: 267, status: 'succeeded' } })
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'active' })
  })
})

describe('the months that follow', () => {
  test('are paid by themselves', async () => {
    await subscribe()
    const before = await plan()
    await stage.pass(days(32))
    expect(await plan()).toMatchObject({ status: 'active', currentPeriodStart: before.currentPeriodEnd })
  })

  test('a card that fails leads to past due, grace and a hold; paying lets everything go on', async () => {
    await subscribe(FAILS_LATER)
    const before = await plan()
    await stage.pass(days(30) + hours(3))
    expect(await plan()).toMatchObject({ status: 'past_due' })
    const late = (await plan()).pastDueSince ?? 0
    expect(late - (before.currentPeriodEnd ?? 0)).toBeLessThan(hours(2))
    await judgeHolds(app(), NEVER_ABORTED)
    expect(await plan()).toMatchObject({ heldSince: null })
    const owed = await start()
    expect(owed).toMatchObject({ amount: 500, description: expect.stringContaining('for the month that was not paid') })
    await stage.confirm(owed.clientSecret)
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'active', pastDueSince: null, heldSince: null })
  })

  test('nobody pays: in the end it is canceled or unpaid, held at once, and a new beginning is possible', async () => {
    await subscribe(FAILS_LATER)
    await stage.pass(days(30) + hours(3))
    for (let week = 0; week < 5; week++) await stage.pass(days(7))
    const { status, holdReason } = await plan()
    expect(['canceled', 'unpaid']).toContain(status)
    expect(holdReason).not.toBeNull()
    const again = await start()
    await stage.confirm(again.clientSecret)
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'active', heldSince: null })
  })

  test('a late month paid after the end goes back', async () => {
    await subscribe(FAILS_LATER)
    await stage.pass(days(30) + hours(3))
    const owed = await start()
    stage.sandbox.world.payments.setSwitches({ holdEvents: true })
    await app().payments.endSubscription((await plan()).subscriptionId ?? '')
    await stage.pass(minutes(1))
    expect((await stage.confirm(owed.clientSecret)).status).toBe(200)
    expect(await settleReturn(app(), LEEDS, paymentOf(owed.clientSecret))).toMatchObject({ outcome: 'failed' })
    expect(await plan()).toMatchObject({ status: 'canceled' })
    expect(Object.values(stage.sandbox.world.payments.ledger().refunds)).toHaveLength(1)
  })

  test('a form for a late month is closed with the subscription', async () => {
    await subscribe(FAILS_LATER)
    await stage.pass(days(30) + hours(3))
    const left = await start()
    await app().payments.endSubscription((await plan()).subscriptionId ?? '')
    await stage.settled()
    expect((await stage.confirm(left.clientSecret)).status).toBe(400)
  })

  test('cancelling ends it with the month, and can be taken back before', async () => {
    await subscribe()
    expect(await setCancellation(app(), LEEDS, true)).toEqual({ outcome: 'saved' })
    expect(await plan()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await setCancellation(app(), LEEDS, false)).toEqual({ outcome: 'saved' })
    expect(await plan()).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
    await setCancellation(app(), LEEDS, true)
    await stage.pass(days(32))
    expect(await plan()).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false })
  })

  test('a day of the end after this month is no end with it, and an erasure charges no further month', async () => {
    await subscribe()
    const { currentPeriodEnd, subscriptionId } = await plan()
    const { default: Stripe } = await import('stripe')
    const base = new URL(stage.origin)
    const sdk = new Stripe('sk_sandbox_fieldhook', { host: base.hostname, port: base.port, protocol: 'http' })
    const endOn = async (day: number) => {
      const path = `/sandbox/stripe/v1/subscriptions/${subscriptionId}`
      await sdk.rawRequest('POST', path, { cancel_at: Math.floor(day / 1000) }, {})
      await stage.settled()
    }
    const end = currentPeriodEnd ?? 0
    await endOn(end - days(2))
    expect(await plan()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await endOn(end + days(40))
    expect(await plan()).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
    expect(await endCharges(app(), LEEDS)).toEqual({ outcome: 'saved' })
    await stage.pass(days(62))
    expect(await plan()).toMatchObject({ status: 'canceled', currentPeriodEnd: end })
    expect(Object.keys(stage.sandbox.world.payments.ledger().invoices)).toHaveLength(1)
  })

  test('the provider’s own page opens for who has paid once', async () => {
    expect(await openPortal(app(), LEEDS, BACK)).toMatchObject({ outcome: 'refused', status: 409 })
    await subscribe()
    const opening = await openPortal(app(), LEEDS, BACK)
    if (opening.outcome !== 'open') throw new Error(opening.message)
    expect((await fetch(opening.url)).status).toBe(200)
  })
})

describe('an early renewal', () => {
  test('at full price begins a new month once it is paid, and not before', async () => {
    await subscribe()
    await stage.pass(days(10))
    const before = await plan()
    const { clientSecret, amount } = await upgrade(false)
    expect(amount).toBe(500)
    await stage.settled()
    expect(await plan()).toMatchObject({ currentPeriodStart: before.currentPeriodStart, status: 'active' })
    await stage.confirm(clientSecret)
    await stage.settled()
    expect(await plan()).toMatchObject({
      status: 'active',
      currentPeriodStart: app().clock.now(),
      openRenewalId: null,
      subscriptionId: before.subscriptionId,
    })
    expect(stage.billing.rows('SELECT state, amount FROM renewal_payment')).toEqual([{ state: 'applied', amount: 500 }])
    expect(stage.sandbox.world.payments.ledger().refunds).toEqual({})
  })

  test('prorated costs what is used up, and settles its invoice exactly', async () => {
    await subscribe()
    await stage.pass(days(15))
    const { clientSecret, amount } = await upgrade(true)
    expect(amount).toBeGreaterThan(230)
    expect(amount).toBeLessThan(270)
    await stage.pass(minutes(10))
    await stage.confirm(clientSecret)
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'active', currentPeriodStart: app().clock.now() })
    const unpaid = Object.values(stage.sandbox.world.payments.ledger().invoices).filter(
      ({ status }) => status === 'open',
    )
    expect(unpaid).toEqual([])
  })

  test('that broke off between its two calls is finished, and the month does not begin twice', async () => {
    await subscribe()
    await stage.pass(days(10))
    const { clientSecret } = await upgrade(false)
    stage.sandbox.world.payments.setSwitches({ holdEvents: true })
    await stage.confirm(clientSecret)
    const { default: Stripe } = await import('stripe')
    const base = new URL(stage.origin)
    const sdk = new Stripe('sk_sandbox_fieldhook', { host: base.hostname, port: base.port, protocol: 'http' })
    const half = await sdk.rawRequest(
      'POST',
      `/sandbox/stripe/v1/subscriptions/${(await plan()).subscriptionId}`,
      {
        billing_cycle_anchor: { type: 'now' },
        proration_behavior: 'none',
        payment_behavior: 'default_incomplete',
        metadata: { renewedBy: paymentOf(clientSecret) },
      },
      {},
    )
    expect(half).toMatchObject({ status: 'past_due' })
    await stage.pass(days(2))
    await reconcilePlans(app(), NEVER_ABORTED)
    expect(await plan()).toMatchObject({ status: 'active', currentPeriodStart: app().clock.now() - days(2) })
    expect(stage.billing.rows('SELECT state FROM renewal_payment')).toEqual([{ state: 'applied' }])
  })

  test('whose card was taken off meanwhile stays applied: the month has begun', async () => {
    await subscribe()
    await stage.pass(days(10))
    const { clientSecret } = await upgrade(false)
    stage.sandbox.world.payments.setSwitches({ holdEvents: true })
    await stage.confirm(clientSecret)
    const ledger = stage.sandbox.world.payments.ledger()
    const card = Object.values(ledger.intents).find(({ id }) => id === paymentOf(clientSecret))?.paymentMethod
    const { default: Stripe } = await import('stripe')
    const base = new URL(stage.origin)
    const sdk = new Stripe('sk_sandbox_fieldhook', { host: base.hostname, port: base.port, protocol: 'http' })
    await sdk.rawRequest('POST', `/sandbox/stripe/v1/payment_methods/${card}/detach`, {}, {})
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
    expect(stage.billing.rows('SELECT state FROM renewal_payment')).toEqual([{ state: 'applied' }])
    expect(stage.sandbox.world.payments.ledger().refunds).toEqual({})
    expect(await plan()).toMatchObject({ currentPeriodStart: app().clock.now() })
  })

  test('of a subscription that was canceled meanwhile goes back', async () => {
    await subscribe()
    await stage.pass(days(10))
    const { clientSecret } = await upgrade(false)
    // Had we heard of the end, the form would be closed.
    stage.sandbox.world.payments.setSwitches({ holdEvents: true })
    await stage.billing.payments.endSubscription((await plan()).subscriptionId ?? '')
    await stage.confirm(clientSecret)
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toMatchObject({ outcome: 'failed' })
    expect(stage.billing.rows('SELECT state FROM renewal_payment')).toEqual([{ state: 'refunded' }])
    expect(Object.keys(stage.sandbox.world.payments.ledger().refunds)).toHaveLength(1)
    expect(await plan()).toMatchObject({ status: 'canceled' })
  })
})

describe('events', () => {
  test('twice each and out of order end in the same', async () => {
    stage.sandbox.world.payments.setSwitches({ duplicateEvents: true, shuffleEvents: true })
    await subscribe()
    await stage.pass(days(32))
    expect(await plan()).toMatchObject({ status: 'active' })
  })

  test('held back, the return and the daily look know anyway', async () => {
    stage.sandbox.world.payments.setSwitches({ holdEvents: true })
    const { clientSecret } = await start()
    await stage.confirm(clientSecret)
    expect(await settleReturn(app(), LEEDS, paymentOf(clientSecret))).toEqual({ outcome: 'paid' })
    await stage.pass(days(31))
    await reconcilePlans(app(), NEVER_ABORTED)
    const { currentPeriodEnd } = await plan()
    expect(currentPeriodEnd).toBeGreaterThan(app().clock.now())
    const lost = await stage.billing.payments.undeliveredEvents()
    expect(lost.map(({ type }) => type)).toContain('invoice.paid')
    expect(lost.map(({ createdAt }) => createdAt)).toEqual(lost.map(({ createdAt }) => createdAt).sort((a, b) => a - b))
    stage.sandbox.world.payments.setSwitches({ holdEvents: false })
    stage.sandbox.world.payments.releaseEvents()
    await stage.settled()
    expect(await plan()).toMatchObject({ status: 'active', currentPeriodEnd })
    await catchUpPayments(app(), NEVER_ABORTED)
    expect(await plan()).toMatchObject({ status: 'active', currentPeriodEnd })
  })

  test('forged, changed or too old ones are refused', async () => {
    const body = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'invoice.paid',
      created: 1,
      data: { object: {} },
    })
    const { default: Stripe } = await import('stripe')
    const now = Math.floor(app().clock.now() / 1000)
    const sign = (secret: string, timestamp = now, payload = body) =>
      new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret, timestamp })
    const receive = (signature: string, sent = body) => receivePaymentEvent(app(), { body: sent, signature })
    const { SANDBOX_STRIPE } = await import('#sandbox/stripe/stripe-options.ts')
    const secret = SANDBOX_STRIPE.webhookSecret
    const bad = { outcome: 'bad_signature' }
    expect(await receive('')).toEqual(bad)
    expect(await receive('t=1,v1=00')).toEqual(bad)
    expect(await receive(sign('whsec_other'))).toEqual(bad)
    expect(await receive(sign(secret, now - 301))).toEqual(bad)
    expect(await receive(sign(secret), body.replace('evt_1', 'evt_2'))).toEqual(bad)
    expect(await receive(sign(secret, now, 'not json'), 'not json')).toEqual(bad)
    expect(stage.billing.rows('SELECT id FROM payment_event')).toEqual([])
    expect(await receive(sign(secret, now - 299))).toEqual({ outcome: 'received' })
    expect(await receive(sign('whsec_before'))).toEqual({ outcome: 'received' })
  })
})

describe('the provider away', () => {
  test('every wish is refused with a sentence, and what is known is shown', async () => {
    await subscribe()
    const gone = { ...app(), payments: (await away()).payments }
    expect(await startFirstPayment(gone, BRISBANE, { amount: 500 })).toMatchObject({ outcome: 'refused', status: 503 })
    expect(await startUpgrade(gone, LEEDS, { prorated: false })).toMatchObject({ outcome: 'refused', status: 503 })
    expect(await openPortal(gone, LEEDS, BACK)).toMatchObject({ outcome: 'refused', status: 503 })
    expect(await setCancellation(gone, LEEDS, true)).toMatchObject({ outcome: 'refused', status: 503 })
    expect((await loadSubscription(gone, LEEDS)).plan.status).toBe('active')
  })

  async function away() {
    const { createStripePayments } = await import('#app/adapters/stripe/stripe.server.ts')
    const { clock, log } = app()
    const options = { webhookSecrets: ['whsec_1'], monthlyPriceId: null, overagePriceId: null, clock, log }
    return {
      payments: createStripePayments({ ...options, secretKey: 'sk_wrong', apiBase: `${stage.origin}/sandbox/stripe` }),
    }
  }
})

describe('use over what is included', () => {
  test('is metered by the day where a price is configured', async () => {
    await stage.stop()
    stage = await openStripeStage({ overagePriceId: 'price_sandbox_overage' })
    await subscribe()
    const day = Math.floor(app().clock.now() / days(1)) + 1
    stage.billing.run("INSERT INTO usage_day VALUES (?, ?, 'api_call', 3000)", LEEDS, day)
    await stage.pass(days(2))
    await reportUsage(app(), NEVER_ABORTED)
    await reportUsage(app(), NEVER_ABORTED)
    expect(stage.billing.rows('SELECT count, failures FROM usage_report WHERE sent_at IS NOT NULL')).toEqual([
      { count: 3000, failures: 0 },
    ])
  })
})

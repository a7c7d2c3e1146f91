import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { billingPeriodOf, type Plan } from '#app/domain/plan.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { chooseFirstPayment, isAsAgreed, isSameRenewal, type PayableSubscription } from './first-payment-choice.ts'
import { holdChange, holdReasonOf } from './hold.ts'
import { daysLeft, firstPaymentText, offersFor, pounds, renewalText, trialCredit } from './offers.ts'
import { planNotice } from './plan-notice.ts'
import { followed, projectPlan, withoutCustomer } from './projection.ts'

const NOW = Date.UTC(2026, 10, 22, 9)

function aPlan(more: Partial<Plan> = {}): Plan {
  return {
    accountUuid: 'account-1',
    status: 'trial',
    trialStartedAt: NOW,
    trialEndsAt: NOW + days(14),
    currentPeriodStart: null,
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
    pastDueSince: null,
    customerId: 'cus_1',
    subscriptionId: null,
    priceId: null,
    openSubscriptionId: null,
    openOffer: null,
    openRenewalId: null,
    paymentAttempt: 0,
    heldSince: null,
    holdReason: null,
    lastSyncedAt: null,
    updatedAt: NOW,
    ...more,
  }
}

function seen(id: string, status: string, more: Partial<PayableSubscription> = {}): PayableSubscription {
  return {
    id,
    status,
    priceId: 'price_1',
    offer: 'full',
    createdAt: NOW + days(2),
    trialEndsAt: null,
    periodStart: NOW + days(2),
    periodEnd: NOW + days(32),
    endsWithPeriod: false,
    latestInvoice: {
      id: `in_${id}`,
      status: 'open',
      total: 500,
      remaining: 500,
      currency: 'gbp',
      clientSecret: `pi_${id}_secret_x`,
      paymentId: `pi_${id}`,
      createdAt: NOW + days(2),
    },
    ...more,
  }
}

const FIRST = aPlan()
const ACTIVE = aPlan({ status: 'active', subscriptionId: 'sub_1', trialEndsAt: NOW, ...period(0) })

function period(from: number) {
  return { currentPeriodStart: NOW + days(from), currentPeriodEnd: NOW + days(from + 30) }
}

describe('what a plan becomes', () => {
  const project = (plan: Plan, ...subscriptions: PayableSubscription[]) =>
    projectPlan(plan, subscriptions, NOW + days(3))

  test('nothing at the provider changes nothing', () => {
    expect(project(FIRST).change).toMatchObject({ status: 'trial', trialEndsAt: NOW + days(14), subscriptionId: null })
  })

  test.each(['incomplete', 'incomplete_expired', 'canceled'])('a first one that is %s leaves the trial', (status) => {
    expect(project(FIRST, seen('sub_1', status)).change).toMatchObject({
      status: 'trial',
      trialEndsAt: NOW + days(14),
      subscriptionId: null,
      openSubscriptionId: status === 'incomplete' ? 'sub_1' : null,
    })
  })

  test('the first paid month ends the trial, or the page would still say so', () => {
    expect(project(FIRST, seen('sub_1', 'active')).change).toMatchObject({
      status: 'active',
      trialEndsAt: NOW + days(2),
      currentPeriodEnd: NOW + days(32),
    })
    const over = aPlan({ trialEndsAt: NOW + days(1) })
    expect(project(over, seen('sub_1', 'active')).change.trialEndsAt).toBe(NOW + days(1))
  })

  test('a payment is late since its invoice, and stays late since then', () => {
    const late = seen('sub_1', 'past_due')
    expect(project(ACTIVE, late).change).toMatchObject({ status: 'past_due', pastDueSince: NOW + days(2) })
    const since = aPlan({ ...ACTIVE, status: 'past_due', pastDueSince: NOW })
    expect(project(since, late).change.pastDueSince).toBe(NOW)
    expect(project(since, seen('sub_1', 'active')).change.pastDueSince).toBeNull()
  })

  test('one of its own that stands is followed, whatever else there is', () => {
    const old = seen('sub_0', 'canceled', { createdAt: NOW - days(90) })
    const other = seen('sub_2', 'active', { createdAt: NOW + days(3) })
    expect(followed(ACTIVE, [other, seen('sub_1', 'past_due'), old])?.id).toBe('sub_1')
    expect(project(ACTIVE, other, seen('sub_1', 'past_due'), old).doubles).toEqual(['sub_2'])
    expect(followed(ACTIVE, [old, seen('sub_1', 'canceled'), other])?.id).toBe('sub_2')
    expect(followed(FIRST, [old])).toBeNull()
  })

  test('what is open beside one that runs has to end, and so has the older of two open ones', () => {
    const open = seen('sub_2', 'incomplete')
    expect(project(ACTIVE, seen('sub_1', 'active'), open)).toMatchObject({
      strays: ['sub_2'],
      change: { openSubscriptionId: null },
    })
    const newer = seen('sub_3', 'incomplete', { createdAt: NOW + days(3) })
    expect(project(FIRST, open, newer)).toMatchObject({
      strays: ['sub_2'],
      change: { openSubscriptionId: 'sub_3', openOffer: 'full' },
    })
  })

  test('its own that is gone is canceled, and without its customer it can begin anew', () => {
    expect(project(ACTIVE).change).toMatchObject({ status: 'canceled', subscriptionId: null })
    expect(withoutCustomer(ACTIVE)).toMatchObject({ status: 'canceled', customerId: null, paymentAttempt: 1 })
    expect(withoutCustomer(FIRST)).toMatchObject({ status: 'trial', customerId: null })
  })

  test('reading again what was read changes nothing, in whatever order it is listed', () => {
    const status = fc.constantFrom('active', 'past_due', 'unpaid', 'canceled', 'incomplete', 'incomplete_expired')
    const list = fc.uniqueArray(fc.record({ n: fc.nat(5), status, age: fc.nat(40) }), {
      selector: ({ n }) => n,
      maxLength: 5,
    })
    fc.assert(
      fc.property(list, fc.boolean(), (given, paying) => {
        const all = given.map(({ n, status: word, age }) => seen(`sub_${n}`, word, { createdAt: NOW + days(age) }))
        const plan = paying ? ACTIVE : FIRST
        const once = projectPlan(plan, all, NOW + days(50))
        const again = projectPlan({ ...plan, ...once.change }, [...all].reverse(), NOW + days(60))
        expect(again.change).toEqual(once.change)
        const runs = all.filter(({ status: word }) => word === 'active' || word === 'past_due')
        if (runs.length > 0) expect(['active', 'past_due']).toContain(once.change.status)
        if (once.change.status === 'active') expect(once.change.pastDueSince).toBeNull()
        expect(once.change.trialEndsAt).toBeLessThanOrEqual(plan.trialEndsAt)
      }),
    )
  })
})

describe('when nothing is sent', () => {
  const reason = (plan: Partial<Plan>, at: number) => holdReasonOf(aPlan(plan), 'stripe', at)

  test('three days after the trial', () => {
    expect(reason({}, NOW + days(17) - 1)).toBeNull()
    expect(reason({}, NOW + days(17))).toBe('trial_ended')
  })

  test('seven days after a payment failed', () => {
    const late = { status: 'past_due', pastDueSince: NOW }
    expect(reason(late, NOW + days(7) - 1)).toBeNull()
    expect(reason(late, NOW + days(7))).toBe('payment_failed')
  })

  test.each([
    ['unpaid', 'payment_failed'],
    ['canceled', 'subscription_ended'],
  ])('at once when it is %s', (status, words) => {
    expect(reason({ status }, NOW)).toBe(words)
  })

  test('never when it is active, never for a word we do not know, never without payments', () => {
    expect(reason({ status: 'active' }, NOW + days(999))).toBeNull()
    expect(reason({ status: 'hibernating' }, NOW + days(999))).toBeNull()
    expect(holdReasonOf(aPlan({ status: 'canceled' }), 'off', NOW + days(999))).toBeNull()
  })

  test('a hold keeps its beginning when its reason changes, and is saved only when it does', () => {
    const held = aPlan({ heldSince: NOW, holdReason: 'trial_ended' })
    expect(holdChange(held, 'stripe', NOW + days(20))).toBeNull()
    expect(holdChange({ ...held, status: 'canceled' }, 'stripe', NOW + days(20))).toEqual({
      heldSince: NOW,
      holdReason: 'subscription_ended',
    })
    expect(holdChange({ ...held, status: 'active' }, 'stripe', NOW)).toEqual({ heldSince: null, holdReason: null })
    expect(holdChange(aPlan(), 'stripe', NOW)).toBeNull()
  })
})

describe('what a first payment means', () => {
  const WANTED = { priceId: 'price_1', offer: 'full' as const, total: 500 }
  const choose = (plan: Plan, ...all: PayableSubscription[]) => chooseFirstPayment(plan, all, WANTED)

  test.each([
    ['active', 'active'],
    ['past_due', 'owed'],
    ['unpaid', 'owed'],
    ['canceled', 'create'],
    ['incomplete_expired', 'create'],
    ['incomplete', 'reuse'],
  ])('with one that is %s: %s', (status, kind) => {
    expect(choose(aPlan({ subscriptionId: 'sub_1' }), seen('sub_1', status)).kind).toBe(kind)
  })

  test('an open one of another price, offer or amount, or without anything to pay, is given up', () => {
    const open = seen('sub_1', 'incomplete')
    for (const other of [
      { ...open, priceId: 'price_2' },
      { ...open, offer: 'credit' as const },
      { ...open, latestInvoice: open.latestInvoice && { ...open.latestInvoice, total: 267 } },
      { ...open, latestInvoice: open.latestInvoice && { ...open.latestInvoice, clientSecret: null } },
      { ...open, latestInvoice: open.latestInvoice && { ...open.latestInvoice, status: 'void' } },
    ]) {
      expect(choose(FIRST, other)).toEqual({ kind: 'create', abandon: [other] })
    }
  })

  test('only the amount that was agreed on is handed out; a balance may lower it', () => {
    const invoice = seen('sub_1', 'incomplete').latestInvoice
    const agreed = { total: 500, currency: 'gbp' }
    expect(isAsAgreed(invoice, agreed)).toBe(true)
    expect(isAsAgreed(invoice && { ...invoice, remaining: 300 }, agreed)).toBe(true)
    expect(isAsAgreed(invoice && { ...invoice, remaining: 600 }, agreed)).toBe(false)
    expect(isAsAgreed(invoice && { ...invoice, total: 600 }, agreed)).toBe(false)
    expect(isAsAgreed(invoice && { ...invoice, currency: 'usd' }, agreed)).toBe(false)
    expect(isAsAgreed(null, agreed)).toBe(false)
  })

  test('a quote for a renewal is good for its subscription, its offer, its month and an hour', () => {
    const renewal = { subscriptionId: 'sub_1', prorated: true, quotedAt: NOW }
    const wanted = {
      subscriptionId: 'sub_1',
      prorated: true,
      periodStart: NOW - days(1),
      goodForMs: hours(1),
      now: NOW,
    }
    const same = (status: 'open' | 'paid', more: Partial<typeof wanted> = {}) =>
      isSameRenewal({ status, renewal }, { ...wanted, ...more })
    expect(same('open')).toBe(true)
    expect(same('paid')).toBe(false)
    expect(same('open', { prorated: false })).toBe(false)
    expect(same('open', { subscriptionId: 'sub_2' })).toBe(false)
    expect(same('open', { periodStart: NOW + 1 })).toBe(false)
    expect(same('open', { now: NOW + minutes(61) })).toBe(false)
  })
})

describe('offers', () => {
  test.each([
    [FIRST, 0, ['upgrade']],
    [FIRST, 10.9, ['upgrade']],
    [FIRST, 11, ['subscribe']],
    [FIRST, 14, ['subscribe']],
    [ACTIVE, 5, ['early_prorated', 'early_full']],
    [aPlan({ ...ACTIVE, status: 'past_due' }), 5, ['pay_now']],
    [aPlan({ ...ACTIVE, status: 'unpaid' }), 5, ['pay_now']],
    [aPlan({ ...ACTIVE, status: 'canceled' }), 5, ['subscribe']],
  ])('%#', (plan, day, offers) => {
    expect(offersFor(plan, NOW + days(day))).toEqual(offers)
  })

  test('the credit for a trial is by the second and never more than the price', () => {
    expect(trialCredit(FIRST, NOW)).toBe(233)
    expect(trialCredit(FIRST, NOW + days(14))).toBe(0)
    expect(trialCredit(FIRST, NOW + days(15))).toBe(0)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: days(14) }), (passed) => {
        const credit = trialCredit(FIRST, NOW + passed)
        expect(Number.isInteger(credit)).toBe(true)
        expect(credit).toBeLessThanOrEqual(233)
        expect(credit).toBeGreaterThanOrEqual(trialCredit(FIRST, NOW + passed + 1000))
      }),
    )
  })

  test('each says in a sentence what is paid today', () => {
    const first = { plan: FIRST, amount: 500, creditPence: 0, now: NOW + days(13) }
    expect(firstPaymentText(first)).toBe('£5.00 today. Your paid month starts now and your remaining 1 trial day ends.')
    expect(renewalText({ amount: 500, prorated: false })).toBe(
      '£5.00 today. A new month starts now. The rest of this month is not refunded.',
    )
    expect([pounds(500), pounds(267), pounds(30), pounds(5)]).toEqual(['£5.00', '£2.67', '£0.30', '£0.05'])
  })

  test('days that have begun are left', () => {
    expect([daysLeft(NOW + 1, NOW), daysLeft(NOW, NOW), daysLeft(NOW - 1, NOW), daysLeft(NOW + days(3), NOW)]).toEqual([
      1, 0, 0, 3,
    ])
  })
})

describe('the line on every page', () => {
  const line = (plan: Partial<Plan>, at: number) => planNotice(aPlan(plan), 'stripe', at, 'Europe/London')

  test('says nothing while there is nothing to say', () => {
    expect(line({}, NOW)).toBeNull()
    expect(line(ACTIVE, NOW + days(5))).toBeNull()
    expect(planNotice(aPlan({ status: 'canceled' }), 'off', NOW, 'UTC')).toBeNull()
  })

  test.each([
    [{}, 12, 'attention', 'Your trial ends in 2 days.'],
    [{}, 15, 'attention', 'Your trial has ended. Forwarding and automations continue until 9 December 2026.'],
    [{}, 17, 'held', 'Your trial has ended: subscribe to resume. Events of the last 72 hours go out then.'],
    [
      { status: 'past_due', pastDueSince: NOW },
      1,
      'failing',
      'Your last payment failed. Forwarding and automations continue until 29 November 2026.',
    ],
    [
      { status: 'past_due', pastDueSince: NOW },
      8,
      'held',
      'Payment failed: pay to resume. Events of the last 72 hours go out then.',
    ],
    [
      { ...ACTIVE, cancelAtPeriodEnd: true },
      8,
      'attention',
      'Your subscription ends on 22 December 2026. Forwarding and automations stop then.',
    ],
    [
      { status: 'canceled' },
      8,
      'held',
      'Your subscription has ended: subscribe to resume. Events of the last 72 hours go out then.',
    ],
  ])('%#', (plan, day, tone, sentence) => {
    expect(line(plan, NOW + days(day))).toMatchObject({ tone, sentence })
  })

  test('the period of use is the paid month, else the trial', () => {
    expect(billingPeriodOf(FIRST)).toEqual({ start: NOW, end: NOW + days(14) })
    expect(billingPeriodOf(ACTIVE)).toEqual({ start: NOW, end: NOW + days(30) })
  })
})

import { describe, expect, it, test } from 'vitest'
import type { Plan } from '#app/domain/plan.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { samplePaidPlan, samplePlan, samplePlanView, TRIAL_BEGAN } from '#tests/support/sample-plans.ts'

const after = (ms: number) => TRIAL_BEGAN + ms

/** The labels in their order. */
function offered(plan: Plan, now: number): string[] {
  return samplePlanView(plan, { now }).offers.map((offer) => offer.label)
}

describe('a trial', () => {
  it('begins with 14 days and offers to upgrade, with what that costs and until when', () => {
    expect(samplePlanView(samplePlan())).toMatchObject({
      phase: 'trial',
      word: 'Trial',
      providerWord: null,
      sentence: 'Your free trial has 14 days left.',
      next: [
        'It ends on 5 December 2026, 14:03.',
        'Everything keeps working for 3 more days after that. Then deliveries and automation runs wait until you subscribe. Events are still received, and kept for 30 days.',
      ],
      progress: { done: 0, of: 14, words: '0 of 14 days' },
      offers: [
        {
          offer: 'upgrade',
          label: 'Upgrade Now - £5/month',
          sentence:
            '£5.00 today for a month until 21 December 2026, then £5.00 every month. Cancel any time. Your remaining 14 trial days end today.',
        },
      ],
      cancellation: null,
      portal: false,
    })
  })

  it.each([
    { passed: days(10), done: 10, left: '4 days', label: 'Upgrade Now - £5/month' },
    { passed: days(11) - seconds(1), done: 10, left: '4 days', label: 'Upgrade Now - £5/month' },
    { passed: days(11), done: 11, left: '3 days', label: 'Subscribe Now - £5/month' },
    { passed: days(12), done: 12, left: '2 days', label: 'Subscribe Now - £5/month' },
    { passed: days(14) - minutes(1), done: 13, left: '1 day', label: 'Subscribe Now - £5/month' },
  ])('after $passed ms has $left left and offers "$label"', ({ passed, done, left, label }) => {
    const view = samplePlanView(samplePlan(), { now: after(passed) })
    expect(view.sentence).toBe(`Your free trial has ${left} left.`)
    expect(view.progress?.done).toBe(done)
    expect(view.offers.map((offer) => offer.label)).toEqual([label])
  })

  it('says of its last day that it ends today', () => {
    expect(samplePlanView(samplePlan(), { now: after(days(13)) }).offers[0]?.sentence).toBe(
      '£5.00 today for a month until 4 January 2027, then £5.00 every month. Cancel any time. Your remaining 1 trial day ends today.',
    )
  })

  it('is shown as long as it lasts, whatever the provider says', () => {
    const plan = samplePlan({ status: 'active', currentPeriodStart: TRIAL_BEGAN, currentPeriodEnd: after(days(30)) })
    expect(samplePlanView(plan)).toMatchObject({ phase: 'trial', word: 'Trial' })
  })

  it('that has ended goes on for three days, then everything waits', () => {
    const grace = samplePlanView(samplePlan(), { now: after(days(14)) })
    expect(grace).toMatchObject({
      word: 'Trial ended',
      tone: 'attention',
      sentence: 'Your free trial ended on 5 December 2026.',
      progress: null,
    })
    expect(grace.next[0]).toBe('Everything keeps working until 8 December 2026, 14:03.')
    expect(grace.offers).toEqual([
      {
        offer: 'subscribe',
        label: 'Subscribe Now - £5/month',
        sentence: '£5.00 today for a month until 5 January 2027, then £5.00 every month. Cancel any time.',
      },
    ])

    const held = samplePlanView(samplePlan(), { now: after(days(17)) })
    expect(held).toMatchObject({ word: 'Trial ended', tone: 'held', sentence: 'Trial ended: subscribe to resume.' })
    expect(held.next).toEqual([
      'Since 8 December 2026, 14:03 deliveries and automation runs wait. Events are still received, and kept for 30 days.',
      'When you pay, events of the last 72 hours go out. Resend older ones from the webhook.',
    ])
    expect(held.offers.map((offer) => offer.label)).toEqual(['Subscribe Now - £5/month'])

    // Payments were switched on long after: everything went out until then.
    const late = samplePlanView(samplePlan({ heldSince: after(days(90)) }), { now: after(days(90) + hours(2)) })
    expect(late.next[0]).toContain('Since 19 February 2027, 14:03 deliveries and automation runs wait.')
  })
})

describe('an active subscription', () => {
  const now = after(days(15))

  it('says when it is charged next, and what an early month would cost', () => {
    expect(samplePlanView(samplePaidPlan(), { now })).toMatchObject({
      phase: 'active',
      word: 'Active',
      tone: 'working',
      next: ['£5.00 for the next month is charged on 21 December 2026.'],
      progress: { done: 15, of: 30, words: '15 of 30 days' },
      offers: [
        {
          label: 'Upgrade Early (Prorated)',
          sentence:
            'About £2.50 today for a new month until 6 January 2027: £5.00 less £2.50 for the unused part of this month.',
        },
        {
          label: 'Upgrade Early (Full Price)',
          sentence: '£5.00 today for a new month until 6 January 2027. The rest of this month is not refunded.',
        },
      ],
      cancellation: { kind: 'cancel' },
      portal: true,
    })
  })

  it('has nothing prorated to pay while less than the smallest charge is used up', () => {
    const [prorated] = samplePlanView(samplePaidPlan(), { now: after(hours(1)) }).offers
    expect(prorated?.sentence).toBe(
      'Nothing to pay yet, because this month has just begun. Available from 24 November 2026.',
    )
  })

  it('counts the days of a month once, whether it has 28 or 31', () => {
    for (const length of [28, 30, 31]) {
      const plan = samplePaidPlan({ currentPeriodEnd: after(days(length)) })
      const view = samplePlanView(plan, { now: TRIAL_BEGAN })
      expect(view.progress?.words).toBe('0 of 30 days')
      for (const { sentence } of view.offers) expect(sentence).not.toMatch(/\d+ days?\b/)
    }
  })

  it('that is to end says on which day, takes no early payment, and can be kept', () => {
    const view = samplePlanView(samplePaidPlan({ cancelAtPeriodEnd: true }), { now })
    expect(view).toMatchObject({
      phase: 'ending',
      word: 'Active',
      sentence: 'Ends on 21 December 2026.',
      offers: [],
      cancellation: {
        kind: 'keep',
        sentence: 'Changed your mind? Your subscription continues: £5.00 on 21 December 2026 and every month.',
      },
    })
  })

  it('whose month is over and not yet renewed says that this is under way', () => {
    const view = samplePlanView(samplePaidPlan(), { now: after(days(30) + minutes(5)) })
    expect(view.next).toEqual(['The month ended on 21 December 2026. The next £5.00 is being charged.'])
    expect(view.progress).toMatchObject({ done: 30, of: 30 })
  })
})

describe('a subscription in trouble', () => {
  const failed = after(days(30))

  it('goes on for seven days when a payment failed, and offers to pay', () => {
    const plan = samplePaidPlan({ status: 'past_due', pastDueSince: failed })
    const view = samplePlanView(plan, { now: failed + days(1) })
    expect(view).toMatchObject({
      word: 'Past due',
      providerWord: 'past_due',
      tone: 'failing',
      sentence: 'Your last payment did not go through.',
      portal: true,
    })
    expect(view.next).toEqual([
      'Everything keeps working until 28 December 2026, 14:03.',
      'Then deliveries and automation runs wait until you pay. Events are still received, and kept for 30 days.',
    ])
    expect(view.offers.map((offer) => offer.label)).toEqual(['Pay now'])
    expect(view.cancellation).toMatchObject({
      kind: 'cancel',
      sentence: expect.stringMatching(/ What is open now stays due\.$/),
    })
    // It can be taken back, as before the payment failed.
    const ending = samplePlanView({ ...plan, cancelAtPeriodEnd: true }, { now: failed + days(1) })
    expect(ending.cancellation).toMatchObject({ kind: 'keep', sentence: expect.stringMatching(/^Changed your mind\?/) })
    expect(ending.next[2]).toBe('It is canceled: it ends on 21 December 2026. What is open now stays due.')
    const held = samplePlanView(plan, { now: failed + days(7) })
    expect(held).toMatchObject({
      tone: 'held',
      sentence: 'Your last payment did not go through: pay now to resume.',
    })
    const short = samplePlanView(plan, { now: failed + days(7), retentionDays: 5 })
    expect(short.next[0]).toMatch(/ Events are still received, and kept for 5 days\.$/)
  })

  it('waits at once when it is unpaid or has ended', () => {
    const unpaid = samplePaidPlan({ status: 'unpaid', heldSince: failed })
    expect(samplePlanView(unpaid, { now: failed + hours(1) })).toMatchObject({ word: 'Unpaid', tone: 'held' })
    expect(offered(unpaid, failed)).toEqual(['Pay now'])
    expect(samplePlanView(unpaid, { now: failed }).cancellation).toMatchObject({ kind: 'cancel' })
    const ending = samplePlanView({ ...unpaid, cancelAtPeriodEnd: true }, { now: failed })
    expect(ending.next).toContain('It is canceled: it ends on 21 December 2026. What is open now stays due.')
    expect(ending.cancellation?.sentence).toBe('Changed your mind? Then keep it, and pay what is open.')

    const canceled = samplePaidPlan({ status: 'canceled', heldSince: failed })
    const view = samplePlanView(canceled, { now: failed + hours(1) })
    expect(view).toMatchObject({
      word: 'Canceled',
      tone: 'held',
      sentence: 'Your subscription has ended: subscribe to resume.',
      cancellation: null,
    })
    expect(view.usage.period).toBe(
      'Your last billing period, 21 November 2026 to 21 December 2026. Whole days (UTC) count',
    )
    expect(view.next[0]).toContain('Since 21 December 2026, 14:03 deliveries and automation runs wait.')
    expect(offered(canceled, failed)).toEqual(['Subscribe Now - £5/month'])
  })

  it('in a state that is new to us is shown as it is', () => {
    expect(samplePlanView(samplePaidPlan({ status: 'under_review' }), { now: failed })).toMatchObject({
      phase: 'other',
      word: 'under_review',
      tone: 'attention',
    })
  })
})

describe('without card payments', () => {
  it.each([
    { plan: samplePlan(), now: TRIAL_BEGAN },
    { plan: samplePlan(), now: after(days(40)) },
    { plan: samplePaidPlan({ status: 'past_due', pastDueSince: TRIAL_BEGAN }), now: after(days(40)) },
    { plan: samplePaidPlan({ status: 'canceled' }), now: after(days(40)) },
    { plan: samplePaidPlan({ cancelAtPeriodEnd: true }), now: TRIAL_BEGAN },
  ])('nothing is limited, and nothing is held ($plan.status at $now)', ({ plan, now }) => {
    const view = samplePlanView(plan, { now, mode: 'off' })
    expect(view.paymentsOff).toBe('Card payments are not configured.')
    expect(view.tone).toBe('accent')
    expect(view.next.at(-1)).toBe('Nothing is limited: every webhook and automation keeps working.')
    expect(view.next.join()).not.toContain('wait')
    expect(view.portal).toBe(false)
    expect(view.cancellation).toBeNull()
  })
})

describe('use', () => {
  it('is compared with 1,000 and says over which days it was counted', () => {
    expect(samplePlanView(samplePlan()).usage).toMatchObject({
      total: 312,
      included: 1000,
      words: '312 of 1,000',
      period: 'During your trial, 21 November 2026 to 5 December 2026',
      over: null,
    })
    expect(samplePlanView(samplePaidPlan()).usage.period).toBe(
      'This billing period, 21 November 2026 to 21 December 2026. Whole days (UTC) count',
    )
  })

  test('exactly 1,000 is not over it, one more is, and what that costs is said honestly', () => {
    const overWith = (total: number, overageCharged: boolean, plan = samplePaidPlan()) =>
      samplePlanView(plan, { usage: { total }, overageCharged }).usage.over
    expect(overWith(1000, true)).toBeNull()
    expect(overWith(1001, true)).toEqual({
      note: "You've exceeded the base plan limit. Overage charges may apply.",
      meaning: '1 operation above the included ones: less than a penny on the next invoice.',
    })
    expect(overWith(1_001_000, true)?.meaning).toBe(
      '1,000,000 operations above the included ones: about £5.00 on the next invoice.',
    )
    expect(overWith(3500, false)?.meaning).toBe(
      '2,500 operations above the included ones. They are not charged at present.',
    )
    expect(overWith(3500, true, samplePlan())?.meaning).toBe(
      '2,500 operations above the included ones. Use during the trial is free.',
    )
  })
})

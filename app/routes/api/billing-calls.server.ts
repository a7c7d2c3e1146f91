// The calls about the subscription.
import { z } from 'zod'
import { accountOfPath, answered, moment, type Reference } from '#app/contract/operation.ts'
import { CURRENCY, MONTHLY_PENCE, type SubscriptionFacts } from '#app/domain/plan.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { WANTED } from '#app/domain/wanted.ts'
import { startFirstPayment } from '#app/features/billing/first-payment.server.ts'
import type { PaymentStart } from '#app/features/billing/payment.ts'
import { ensurePlan, loadSubscription } from '#app/features/billing/plan.server.ts'
import { startUpgrade } from '#app/features/billing/upgrade.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { problem } from '#app/http/respond.ts'
import { isoOrNull } from '#app/lib/clock.ts'

const count = z.int()
const subscription = z.object({
  subscription: z.object({
    status: z.string().describe("`trial`, or the payment provider's word: `active`, `past_due`, `unpaid`, `canceled`."),
    trialEndsAt: moment.nullable(),
    currentPeriodStart: moment.nullable(),
    currentPeriodEnd: moment.nullable(),
    cancelAtPeriodEnd: z.boolean(),
    held: z
      .object({ since: moment.nullable(), reason: z.string().nullable() })
      .nullable()
      .describe('While nothing is sent for the account; else null.'),
  }),
  usage: z
    .object({ apiCalls: count, webhooksReceived: count, webhooksForwarded: count, total: count })
    .describe('Counted by whole UTC days; `total` is the sum.'),
  billingPeriod: z.object({ start: moment.nullable(), end: moment.nullable() }),
}) satisfies z.ZodType<ReturnType<typeof subscriptionJson>>

const payment = z.object({
  clientSecret: z.string().describe("For the payment provider's form in the browser."),
  amount: z.int().describe('Pence.'),
  currency: z.literal(CURRENCY),
  description: z.string(),
}) satisfies z.ZodType<ReturnType<typeof paymentJson>>

const subscriptionExample = {
  subscription: {
    status: 'trial',
    trialEndsAt: '2026-12-04T23:00:00.000Z',
    currentPeriodStart: null,
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
    held: null,
  },
  usage: { apiCalls: 31, webhooksReceived: 120, webhooksForwarded: 118, total: 269 },
  billingPeriod: { start: '2026-11-20T00:00:00.000Z', end: '2026-12-04T00:00:00.000Z' },
}
const paymentExample: z.output<typeof payment> = {
  clientSecret: 'pi_example_secret_example',
  amount: MONTHLY_PENCE,
  currency: CURRENCY,
  description: 'Fieldhook, one month',
}
const refusals = {
  402: 'What the bank said.',
  409: 'Already active, nothing owed, nothing to pay yet, or a payment is under way.',
  500: 'Amounts do not agree. Nothing was charged.',
  503: 'The payment provider cannot be reached, or card payments are not configured.',
}

const firstPaymentBody = z.strictObject({ amount: z.int({ error: 'Invalid amount' }) })

const upgradeBody = z.strictObject({
  newPlan: z.literal('premium', { error: 'There is one plan: premium' }),
  prorated: z.boolean(WANTED.flag),
})

export const billingCalls: Reference<Call> = {
  tags: [{ name: 'Subscription', says: 'What the account has, what it used, and paying for it.' }],
  schemas: { Subscription: subscription, Payment: payment },
  operations: [
    defineCall({
      id: 'beginTrial',
      method: 'POST',
      path: 'api/subscription/:accountUUID',
      tag: 'Subscription',
      summary: 'Makes the 14-day trial once',
      description: ['Calling it again changes nothing.'],
      who: 'session',
      parameters: [accountOfPath],
      answers: [answered(200, 'What there is.', subscription, subscriptionExample)],
      handle: async ({ app, access: { accountUuid } }) => {
        await ensurePlan(app, accountUuid)
        return subscriptionJson(await loadSubscription(app, accountUuid))
      },
    }),
    defineCall({
      id: 'showSubscription',
      method: 'GET',
      path: 'api/subscription/:accountUUID',
      tag: 'Subscription',
      summary: 'Shows what the account has and what it used',
      description: [
        'Usage counts what webhooks and automations do. Calls like this one, pages and previews count nothing.',
      ],
      who: 'session',
      parameters: [accountOfPath],
      answers: [answered(200, 'What there is.', subscription, subscriptionExample)],
      handle: async ({ app, access }) => subscriptionJson(await loadSubscription(app, access.accountUuid)),
    }),
    defineCall({
      id: 'beginPayment',
      method: 'POST',
      path: 'api/create-payment-intent/:accountUUID',
      tag: 'Subscription',
      summary: 'Begins the first payment, or pays what is owed',
      description: ['What is paid is decided by the server. Asked again before it is paid, it is the same payment.'],
      who: 'session',
      parameters: [accountOfPath],
      body: {
        schema: firstPaymentBody,
        fields: { amount: `The price of a month in pence: ${MONTHLY_PENCE}. Anything else is refused.` },
        example: { amount: MONTHLY_PENCE },
      },
      answers: [answered(200, 'The payment, to be confirmed in the browser.', payment, paymentExample)],
      refusals,
      owner: 'pay',
      limit: LIMITS.pay,
      handle: async ({ app, body, access }) => paymentAnswer(await startFirstPayment(app, access.accountUuid, body)),
    }),
    defineCall({
      id: 'upgrade',
      method: 'POST',
      path: 'api/subscription/:accountUUID/upgrade',
      tag: 'Subscription',
      summary: 'Begins the paid month out of the trial, or renews a paid month early',
      description: ['Nothing changes until it is paid.'],
      who: 'session',
      parameters: [accountOfPath],
      body: {
        schema: upgradeBody,
        fields: {
          newPlan: 'There is one.',
          prorated: 'True = less the unused trial days, or less what is unused of the paid month.',
        },
        example: { newPlan: 'premium', prorated: true },
      },
      answers: [answered(200, 'The payment, to be confirmed in the browser.', payment, paymentExample)],
      refusals,
      owner: 'pay',
      limit: LIMITS.pay,
      handle: async ({ app, body: { prorated }, access }) =>
        paymentAnswer(await startUpgrade(app, access.accountUuid, { prorated })),
    }),
  ],
}

function paymentAnswer(started: PaymentStart) {
  return started.outcome === 'pay' ? paymentJson(started) : problem(started.status, started.message)
}

/** Dates are ISO 8601 UTC. */
function subscriptionJson({ plan, usage, billingPeriod }: SubscriptionFacts) {
  const { status, trialEndsAt, currentPeriodStart, currentPeriodEnd, cancelAtPeriodEnd, heldSince, holdReason } = plan
  return {
    subscription: {
      status,
      trialEndsAt: isoOrNull(trialEndsAt),
      currentPeriodStart: isoOrNull(currentPeriodStart),
      currentPeriodEnd: isoOrNull(currentPeriodEnd),
      cancelAtPeriodEnd,
      held: heldSince === null ? null : { since: isoOrNull(heldSince), reason: holdReason && planHoldText(holdReason) },
    },
    usage,
    billingPeriod: { start: isoOrNull(billingPeriod.start), end: isoOrNull(billingPeriod.end) },
  }
}

/** The data for a payment form, including the amount, which the provider's form does not show. */
function paymentJson({ clientSecret, amount, currency, description }: Extract<PaymentStart, { outcome: 'pay' }>) {
  return { clientSecret, amount, currency, description }
}

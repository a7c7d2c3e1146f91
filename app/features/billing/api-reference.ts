// The calls about the subscription, as the reference tells them.
import { z } from 'zod'
import { accountOfPath, moment, type ReferencePart } from '#app/contract/operation.ts'
import { CURRENCY, MONTHLY_PENCE } from '#app/domain/plan.ts'
import { firstPaymentBody, upgradeBody } from './payment-call.ts'
import type { paymentJson, subscriptionJson } from './subscription-json.ts'

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
const paymentExample = {
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

export const billingCalls: ReferencePart = {
  tags: [{ name: 'Subscription', says: 'What the account has, what it used, and paying for it.' }],
  schemas: { Subscription: subscription, Payment: payment },
  operations: [
    {
      id: 'beginTrial',
      method: 'POST',
      route: 'api/subscription/:accountUUID',
      tag: 'Subscription',
      summary: 'Makes the 14-day trial once',
      description: ['Calling it again changes nothing.'],
      who: 'session',
      parameters: [accountOfPath],
      answers: [{ status: 200, says: 'What there is.', schema: subscription, example: subscriptionExample }],
    },
    {
      id: 'showSubscription',
      method: 'GET',
      route: 'api/subscription/:accountUUID',
      tag: 'Subscription',
      summary: 'Shows what the account has and what it used',
      description: [
        'Usage counts what webhooks and automations do. Calls like this one, pages and previews count nothing.',
      ],
      who: 'session',
      parameters: [accountOfPath],
      answers: [{ status: 200, says: 'What there is.', schema: subscription, example: subscriptionExample }],
    },
    {
      id: 'beginPayment',
      method: 'POST',
      route: 'api/create-payment-intent/:accountUUID',
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
      answers: [
        { status: 200, says: 'The payment, to be confirmed in the browser.', schema: payment, example: paymentExample },
      ],
      refusals,
      limit: '20 a minute and account',
    },
    {
      id: 'upgrade',
      method: 'POST',
      route: 'api/subscription/:accountUUID/upgrade',
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
      answers: [
        { status: 200, says: 'The payment, to be confirmed in the browser.', schema: payment, example: paymentExample },
      ],
      refusals,
      limit: '20 a minute and account',
    },
  ],
}

import { afterEach, beforeEach, expect, test } from 'vitest'
import { setUpStripe } from '#app/adapters/stripe/stripe-setup.server.ts'
import { SANDBOX_STRIPE } from '#sandbox/stripe/stripe-options.ts'
import { openStripeStage, type StripeStage } from '#tests/support/stripe-stage.server.ts'

let stage: StripeStage
beforeEach(async () => {
  stage = await openStripeStage()
})
afterEach(() => stage.stop())

async function setUp(overage = false, origin = stage.origin) {
  const said: string[] = []
  const lines = await setUpStripe({
    secretKey: SANDBOX_STRIPE.secretKey,
    apiBase: `${stage.origin}${SANDBOX_STRIPE.basePath}`,
    origin,
    overage,
    say: (line) => said.push(line),
  })
  return { said, lines }
}

const ledger = () => stage.sandbox.world.payments.ledger()

test('what is there is left alone, and what is missing is made once', async () => {
  const first = await setUp(true)
  expect(first.lines).toEqual([
    'STRIPE_PRICE_MONTHLY=price_sandbox_monthly',
    'STRIPE_PRICE_OVERAGE=price_sandbox_overage',
  ])
  expect(first.said).toContain('Set up the customer portal.')
  const second = await setUp(true)
  expect(second.lines).toEqual(first.lines)
  expect(second.said.filter((line) => /^(Made|Set up)/.test(line))).toEqual([])
})

test('an empty account gets everything, and the webhook’s secret is shown', async () => {
  for (const part of [ledger().products, ledger().prices, ledger().meters, ledger().endpoints]) {
    for (const id of Object.keys(part)) delete (part as Record<string, unknown>)[id]
  }
  const { lines, said } = await setUp(true)
  expect(lines).toEqual([
    expect.stringMatching(/^STRIPE_PRICE_MONTHLY=price_/),
    expect.stringMatching(/^STRIPE_PRICE_OVERAGE=price_/),
    expect.stringMatching(/^STRIPE_WEBHOOK_SECRET=whsec_/),
  ])
  expect(said.filter((line) => /^(Made|Set up)/.test(line))).toHaveLength(6)
  expect((await setUp(true)).lines).toEqual(lines.slice(0, 2))
})

test('a price of another amount is replaced by one that takes its name', async () => {
  const price = Object.values(ledger().prices).find(({ id }) => id === 'price_sandbox_monthly')
  if (price) price.unitAmount = '700'
  const { lines } = await setUp()
  expect(lines).toEqual([expect.not.stringContaining('price_sandbox_monthly')])
  expect((await setUp()).lines).toEqual(lines)
})

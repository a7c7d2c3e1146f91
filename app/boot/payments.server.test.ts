import { afterAll, expect, test } from 'vitest'
import { fixedClock, movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox } from '#sandbox/sandbox.server.ts'
import { connectPayments } from './payments.server.ts'

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }
const PARTS = { clock: fixedClock(), log: QUIET }
const SANDBOX = createSandbox({
  clock: movableClock(),
  origin: 'https://hooks.example.com',
  appId: 'app',
  appSecret: 'secret',
  stateFile: null,
  log: QUIET,
})
afterAll(() => SANDBOX.stop())

test('a key makes it Stripe, on whatever platform', async () => {
  const stripe = {
    secretKey: 'sk_test_1',
    publishableKey: 'pk_test_1',
    webhookSecrets: ['whsec_1'],
    monthlyPriceId: null,
    overagePriceId: 'price_2',
    apiBase: null,
  }
  for (const sandbox of [null, SANDBOX]) {
    const paying = await connectPayments({ stripe }, sandbox, PARTS)
    expect(paying).toMatchObject({ mode: 'stripe', publishableKey: 'pk_test_1' })
    expect(paying.payments?.chargesOverage).toBe(true)
  }
})

test('without one the sandbox plays it, and a real platform has no payments', async () => {
  const sandbox = await connectPayments({ stripe: null }, SANDBOX, PARTS)
  expect(sandbox).toMatchObject({ mode: 'sandbox', publishableKey: 'pk_sandbox_local' })
  expect(sandbox.payments?.chargesOverage).toBe(false)
  expect(await connectPayments({ stripe: null }, null, PARTS)).toEqual({
    mode: 'off',
    publishableKey: null,
    payments: null,
  })
})

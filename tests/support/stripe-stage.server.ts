// Billing of two accounts through the real adapter and the sandbox's payment provider, over HTTP; its signed events
// return to our own call. The shared clock is moved manually.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Payments } from '#app/adapters/payments.ts'
import { createStripePayments } from '#app/adapters/stripe/stripe.server.ts'
import { receivePaymentEvent } from '#app/features/billing/payment-events.server.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { createSandbox, type Sandbox } from '#sandbox/sandbox.server.ts'
import { SANDBOX_STRIPE } from '#sandbox/stripe/stripe-options.ts'
import { type BillingWorld, billingWorldWith } from './billing-world.server.ts'
import { QUIET } from './test-app.server.ts'

const START = Date.UTC(2026, 10, 22, 9)

export interface StripeStage {
  billing: BillingWorld<Payments>
  sandbox: Sandbox
  origin: string
  /** The statuses of our answers to events, oldest first. */
  answered: number[]
  /** The browser's part: pays with this card and returns the result. */
  confirm(clientSecret: string, card?: string): Promise<{ status: number; body: Record<string, unknown> }>
  /** Moves the clock and waits until every event has arrived. */
  pass(ms: number): Promise<void>
  settled(): Promise<void>
  stop(): Promise<void>
}

const GOOD_CARD = '4242424242424242'

export async function openStripeStage(options: { overagePriceId?: string } = {}): Promise<StripeStage> {
  const started = fixedClock(START)
  const clock = { ...started, offset: () => started.now() - START }
  const answered: number[] = []
  let sandbox: Sandbox | null = null
  let billing: BillingWorld<Payments> | null = null

  const working = new Set<Promise<void>>()

  async function product(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const signature = String(req.headers['stripe-signature'] ?? '')
    const body = Buffer.concat(chunks).toString('utf8')
    const receipt = billing && (await receivePaymentEvent(billing.app, { body, signature }))
    const status = receipt?.outcome === 'received' ? 200 : receipt?.outcome === 'bad_signature' ? 400 : 500
    answered.push(status)
    res.writeHead(status).end()
  }

  const server = createServer((req, res) => {
    if (sandbox?.handle(req, res)) return
    const work = product(req, res).finally(() => working.delete(work))
    working.add(work)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const opened = createSandbox({ clock, origin, appId: 'app-1', appSecret: 'secret-1', stateFile: null, log: QUIET })
  sandbox = opened
  const payments = createStripePayments({
    secretKey: SANDBOX_STRIPE.secretKey,
    webhookSecrets: ['whsec_before', SANDBOX_STRIPE.webhookSecret],
    monthlyPriceId: null,
    overagePriceId: options.overagePriceId ?? null,
    apiBase: `${origin}${SANDBOX_STRIPE.basePath}`,
    clock,
    log: QUIET,
  })
  const world = billingWorldWith(started, payments, origin)
  billing = world

  return {
    billing: world,
    sandbox: opened,
    origin,
    answered,
    confirm: (clientSecret, card) => confirmPayment(origin, clientSecret, card),
    async pass(ms) {
      opened.world.advanceClock(ms)
      await opened.world.payments.settled()
    },
    settled: () => opened.world.payments.settled(),
    async stop() {
      await opened.world.payments.settled()
      await Promise.allSettled(working)
      await opened.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      world.close()
    },
  }
}

/** The browser's confirmation: the provider's own call, with the publishable key. */
export async function confirmPayment(origin: string, clientSecret: string, card = GOOD_CARD) {
  const id = clientSecret.split('_secret_')[0] ?? ''
  const response = await fetch(`${origin}${SANDBOX_STRIPE.basePath}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SANDBOX_STRIPE.publishableKey}` },
    body: new URLSearchParams({
      client_secret: clientSecret,
      return_url: `${origin}/subscription`,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': card,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2030',
      'payment_method_data[card][cvc]': '123',
    }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

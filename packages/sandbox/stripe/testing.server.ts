// For tests: the pretend payment provider on a real server, called by the provider's own SDK, and a product that
// records the events it receives.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { fixedClock, type MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox, type Sandbox } from '../sandbox.server.ts'
import { LONDON, SEED } from '../testing.server.ts'
import type { PaymentsWorld } from './payments-world.ts'
import { SANDBOX_STRIPE, SANDBOX_STRIPE_VERSION } from './stripe-options.ts'

/** 2026-01-05 09:00 in London. */
export const START = Date.UTC(2026, 0, 5, 9, 0, 0)

/** One call as it went over the wire. */
interface Recorded {
  method: string
  path: string
  query: string
  requestBody: string
  status: number
  answer: Record<string, unknown>
}

export interface TestStripe {
  stripe: Stripe
  sandbox: Sandbox
  payments: PaymentsWorld
  clock: MovableClock
  origin: string
  /** Every call the SDK made. */
  recorded: Recorded[]
  /** Every event with a valid signature at `/hooks/stripe`, in order. */
  events: Stripe.Event[]
  /** Posts with an invalid signature. */
  forged: string[]
  /** Sets the product's answer to events from now on. */
  answerEvents(status: number): void
  /** Creates a customer; also returns the prices that exist from the start. */
  furnish(): Promise<{ customer: string; monthly: string; overage: string }>
  /** Confirms like the stand-in in the browser. */
  confirm(clientSecret: string, number: string, more?: Record<string, string>): Promise<BrowserAnswer>
  /** Moves the clock and waits for the effects. */
  pass(ms: number): Promise<void>
  types(): string[]
  /** Restarts the process with the same file. */
  restart(): Promise<void>
  stop(): Promise<void>
}

interface BrowserAnswer {
  status: number
  body: Record<string, unknown> & { error?: Record<string, unknown> }
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

export async function openStripe(options: { stateFile?: string } = {}): Promise<TestStripe> {
  const events: Stripe.Event[] = []
  const forged: string[] = []
  const recorded: Recorded[] = []
  let eventStatus = 200
  let sandbox: Sandbox | undefined
  const fixed = fixedClock(START)
  const clock: MovableClock = { ...fixed, offset: () => fixed.now() - START }

  async function product(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    if (req.url === '/hooks/stripe') {
      const header = String(req.headers['stripe-signature'])
      try {
        const { secretKey, webhookSecret } = SANDBOX_STRIPE
        const { webhooks } = new Stripe(secretKey)
        events.push(webhooks.constructEvent(body, header, webhookSecret, 300, undefined, clock.now()))
      } catch {
        forged.push(body)
      }
    }
    res.writeHead(eventStatus).end('{}')
  }

  const server = createServer((req, res) => {
    if (!sandbox?.handle(req, res)) void product(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function open(): Sandbox {
    return createSandbox({
      clock,
      origin,
      appId: 'app-1',
      appSecret: 'secret-1',
      stateFile: options.stateFile ?? null,
      log: QUIET,
      seed: SEED,
      answerMs: 5_000,
    })
  }
  sandbox = open()
  const stripe = sdkFor(origin, recorded)

  const test: TestStripe = {
    stripe,
    sandbox,
    payments: sandbox.world.payments,
    clock,
    origin,
    recorded,
    events,
    forged,
    answerEvents(status) {
      eventStatus = status
    },
    async furnish() {
      const keys = [SANDBOX_STRIPE.monthlyLookupKey, 'premium_overage_gbp']
      const { data } = await stripe.prices.list({ lookup_keys: keys, active: true })
      const idOf = (key: string) => data.find((one) => one.lookup_key === key)?.id ?? ''
      const customer = await stripe.customers.create({ metadata: { accountUUID: LONDON } })
      return { customer: customer.id, monthly: idOf(keys[0] ?? ''), overage: idOf(keys[1] ?? '') }
    },
    async confirm(clientSecret, number, more = {}) {
      const id = clientSecret.split('_secret_')[0]
      const response = await fetch(`${origin}${SANDBOX_STRIPE.basePath}/v1/payment_intents/${id}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SANDBOX_STRIPE.publishableKey}` },
        body: new URLSearchParams({
          client_secret: clientSecret,
          return_url: `${origin}/subscription?accountUUID=x`,
          'payment_method_data[type]': 'card',
          'payment_method_data[card][number]': number,
          'payment_method_data[card][exp_month]': '12',
          'payment_method_data[card][exp_year]': '40',
          'payment_method_data[card][cvc]': '123',
          'payment_method_data[billing_details][address][postal_code]': 'SW1A 1AA',
          ...more,
        }),
      })
      return { status: response.status, body: (await response.json()) as BrowserAnswer['body'] }
    },
    async pass(ms) {
      test.sandbox.world.advanceClock(ms)
      await test.sandbox.world.settled()
    },
    types: () => events.map((one) => one.type),
    async restart() {
      await test.sandbox.stop()
      sandbox = open()
      test.sandbox = sandbox
      test.payments = sandbox.world.payments
    },
    async stop() {
      await test.sandbox.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return test
}

/** The SDK supports no path prefix: this adds one to its calls, and records them. */
function sdkFor(origin: string, recorded: Recorded[]): Stripe {
  const { hostname, port } = new URL(origin)
  const plain = Stripe.createNodeHttpClient()
  const prefixed: Stripe.HttpClient = {
    getClientName: () => plain.getClientName(),
    async makeRequest(host, toPort, path, method, headers, requestData, protocol, timeout) {
      const longer = `${SANDBOX_STRIPE.basePath}${path}`
      const response = await plain.makeRequest(host, toPort, longer, method, headers, requestData, protocol, timeout)
      const toJSON = response.toJSON.bind(response)
      response.toJSON = async () => {
        const answer = await toJSON()
        const [bare = '', query = ''] = path.split('?')
        const status = response.getStatusCode()
        // A copy: the SDK turns decimals into objects in place.
        recorded.push({
          method,
          path: bare,
          query,
          requestBody: requestData ?? '',
          status,
          answer: structuredClone(answer),
        })
        return answer
      }
      return response
    },
  }
  return new Stripe(SANDBOX_STRIPE.secretKey, {
    apiVersion: SANDBOX_STRIPE_VERSION,
    host: hostname,
    port,
    protocol: 'http',
    httpClient: prefixed,
    telemetry: false,
    maxNetworkRetries: 0,
  })
}

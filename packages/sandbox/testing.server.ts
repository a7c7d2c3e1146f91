// For tests: a sandbox on a real server of its own, two small accounts, and an add-on that records what it receives.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Millis } from '#app/lib/clock.ts'
import { type FixedClock, fixedClock, type MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox, type Sandbox } from './sandbox.server.ts'
import { SCOPES } from './servicem8/catalog.ts'
import type { SeedAccount, World } from './world.ts'

export const SYDNEY = 'a0000000-0000-4000-8000-000000000001'
export const LONDON = 'b0000000-0000-4000-8000-000000000001'
export const STAFF = 'a0000000-0000-4000-8000-0000000000a1'
export const COMPANY = 'a0000000-0000-4000-8000-0000000000c1'
export const JOB = 'a0000000-0000-4000-8000-000000000011'
export const OLD_JOB = 'a0000000-0000-4000-8000-000000000012'
export const QUEUE = 'a0000000-0000-4000-8000-0000000000e1'
export const BADGE = 'a0000000-0000-4000-8000-0000000000f1'

/** 2026-01-05 20:00 in Sydney, 09:00 in London. */
export const START = Date.UTC(2026, 0, 5, 9, 0, 0)

export const SEED: readonly SeedAccount[] = [
  {
    vendor: { uuid: SYDNEY, name: 'Harbour Plumbing', timezone_name: 'Australia/Sydney', currency: 'AUD' },
    records: {
      staff: [{ uuid: STAFF, first: 'Mia', last: 'Nguyen', email: 'mia@harbour.example' }],
      company: [{ uuid: COMPANY, name: 'Corner Bakery', address: '12 Bay Street, Newtown NSW 2042' }],
      queue: [{ uuid: QUEUE, name: 'Parts on order', default_timeframe: 14 }],
      badge: [{ uuid: BADGE, name: 'Warranty' }],
      job: [
        { uuid: JOB, status: 'Quote', company_uuid: COMPANY, job_address: '12 Bay Street', generated_job_id: '1041' },
        { uuid: OLD_JOB, status: 'Completed', active: 0, edit_date: { days: -30, at: '08:15' } },
      ],
      jobmaterial: [
        {
          uuid: 'a0000000-0000-4000-8000-0000000000d1',
          job_uuid: JOB,
          name: 'Tap',
          quantity: '2',
          price: '45.50',
          displayed_amount: '45.50',
        },
      ],
    },
  },
  {
    vendor: { uuid: LONDON, name: 'Thames Electrical', timezone_name: 'Europe/London', currency: 'GBP' },
    records: { job: [{ uuid: 'b0000000-0000-4000-8000-000000000011', status: 'Work Order' }] },
  },
]

interface Hit {
  path: string
  contentType: string
  body: string
}

interface AddonAnswer {
  status: number
  body?: string
  /** Never answers. */
  silent?: boolean
}

interface Called {
  status: number
  headers: Headers
  text: string
  json: <T = Record<string, unknown>>() => T
}

interface CallInput {
  method?: string
  token?: string
  form?: Record<string, string>
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
}

export interface TestStage {
  sandbox: Sandbox
  world: World
  clock: MovableClock
  origin: string
  /** Every post to the add-on except challenges, in order. */
  hits: Hit[]
  /** Sets the add-on's answer from now on; null: 200. Challenges are echoed unless `answerChallenges` says no. */
  answerWith(answer: ((hit: Hit) => AddonAnswer) | null): void
  answerChallenges(answer: ((challenge: string) => AddonAnswer) | null): void
  /** A call below `/sandbox/servicem8`; redirects are not followed. */
  call(path: string, input?: CallInput): Promise<Called>
  /** An access token of the Sydney account with every scope (or these). */
  token(scope?: string, account?: string): string
  /** Subscribes the add-on's address `/in/{object}` and returns the answer. */
  subscribe(token: string, object: string, fields: string, path?: string): Promise<Called>
  /** Moves the clock and waits until nothing is due. */
  pass(ms: Millis): Promise<void>
  stop(): Promise<void>
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

function stageClock(): FixedClock & MovableClock {
  const clock = fixedClock(START)
  return { ...clock, offset: () => clock.now() - START }
}

export async function openStage(
  options: { stateFile?: string; answerMs?: number; seed?: readonly SeedAccount[]; log?: Log } = {},
): Promise<TestStage> {
  const hits: Hit[] = []
  let answer: ((hit: Hit) => AddonAnswer) | null = null
  let challengeAnswer: ((challenge: string) => AddonAnswer) | null = null
  let sandbox: Sandbox | undefined

  async function addon(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const hit = { path: req.url ?? '', contentType: req.headers['content-type'] ?? '', body }
    const challenge = new URLSearchParams(body).get('challenge')
    if (challenge === null) hits.push(hit)
    const given =
      challenge === null
        ? (answer?.(hit) ?? { status: 200 })
        : (challengeAnswer?.(challenge) ?? { status: 200, body: challenge })
    if (given.silent) return
    res.writeHead(given.status, { 'content-type': 'text/plain' }).end(given.body ?? '')
  }

  const server = createServer((req, res) => {
    if (!sandbox?.handle(req, res)) void addon(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = stageClock()
  const opened = createSandbox({
    clock,
    origin,
    appId: 'app-1',
    appSecret: 'secret-1',
    stateFile: options.stateFile ?? null,
    log: options.log ?? QUIET,
    seed: options.seed ?? SEED,
    answerMs: options.answerMs ?? 5_000,
  })
  sandbox = opened

  async function call(path: string, input: CallInput = {}): Promise<Called> {
    const headers: Record<string, string> = { ...input.headers }
    if (input.token) headers.authorization = `Bearer ${input.token}`
    if (input.json !== undefined) headers['content-type'] = 'application/json'
    const body =
      input.json !== undefined ? JSON.stringify(input.json) : input.form ? new URLSearchParams(input.form) : input.body
    const method = input.method ?? (body === undefined ? 'GET' : 'POST')
    const response = await fetch(`${opened.apiUrl}${path}`, { method, headers, body, redirect: 'manual' })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
  }

  return {
    sandbox: opened,
    world: opened.world,
    clock,
    origin,
    hits,
    answerWith(next) {
      answer = next
    },
    answerChallenges(next) {
      challengeAnswer = next
    },
    call,
    token: (scope = [...SCOPES].join(' '), account = SYDNEY) => opened.world.grant(account, scope).access_token,
    subscribe: (token, object, fields, path = `/in/${object}`) =>
      call('/webhook_subscriptions/object', {
        token,
        form: { object, fields, callback_url: `${origin}${path}` },
      }),
    async pass(ms) {
      opened.world.advanceClock(ms)
      await opened.world.settled()
    },
    async stop() {
      await opened.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

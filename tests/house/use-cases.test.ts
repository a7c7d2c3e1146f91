// How many files a use case enters: the whole app runs in this process, V8 says in which files under app/ and db/ a function ran
// meanwhile. The figures may fall, and never rise.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActionFunctionArgs } from '@remix-run/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startApp } from '#app/boot/boot.server.ts'
import { readEnv } from '#app/boot/env.server.ts'
import { LAST_RUNS } from '#app/domain/automations/run-record.ts'
import { finishSignIn } from '#app/features/accounts/sign-in.server.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { answerApi } from '#app/routes/api/calls.server.ts'
import { action as paymentEvent } from '#app/routes/hooks/payment-events.ts'
import type { World } from '#sandbox/world.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startReceiver } from '#tests/support/recording-receiver.ts'
import { confirmPayment } from '#tests/support/stripe-stage.server.ts'
import { ROOT } from './planted-tree.ts'

/** Lower a figure when a use case has become straighter. */
const MOST = {
  // Without opening a connection, which only the first of three events does: 6 files more.
  'an event becomes an attempt': 59,
  'a webhook is created': 95,
  'an automation is saved': 126,
  'an automation texts a customer': 158,
  'a subscription is paid': 53,
}

/** What a run on a busy machine may add: work of the loops that is due meanwhile. */
const SLACK = 6

const NEWEST = {
  ...{ object: null, since: null, forwarding: 'all' as const, before: null, limit: 1 },
  ...{ withBody: false, withResponses: false },
}

let folder = ''
let running: Running
let world: World
let server: Server
let receiver: Awaited<ReturnType<typeof startReceiver>>
let account = ''
let rule = { id: 0 }
let origin = ''
const inspector = new Session()

type Route = (args: ActionFunctionArgs) => Promise<Response>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-cases-'))
  receiver = await startReceiver(() => 200)
  const port = await freePort()
  origin = `http://localhost:${port}`
  const env = readEnv({
    PORT: String(port),
    LOG_LEVEL: 'silent',
    DATABASE_URL: `file:${join(folder, 'fieldhook.db')}`,
    EGRESS_ALLOW: receiver.hostAndPort,
  })
  running = await startApp({ env })
  if (!running.sandbox) throw new Error('the cases need the sandbox')
  const { sandbox } = running
  world = sandbox.world
  server = createServer((req, res) => {
    if (running.platformIngress(req, res) || sandbox.handle(req, res)) return
    void bodyOf(req).then(async (body) => {
      const headers = { 'stripe-signature': String(req.headers['stripe-signature'] ?? '') }
      const answered = await call(paymentEvent, req.url ?? '', body, headers)
      res.writeHead(answered.status).end()
    })
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  running.started()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})

afterAll(async () => {
  inspector.disconnect()
  running.beginDrain()
  server.closeAllConnections()
  await running.stop()
  await new Promise((done) => server.close(done))
  await receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

async function signIn(accountUuid: string): Promise<void> {
  const { app } = running
  const granted = world.grant(accountUuid, app.settings.scopes.join(' '))
  await finishSignIn(app, {
    tokens: {
      accessToken: granted.access_token,
      refreshToken: granted.refresh_token,
      expiresAt: app.clock.now() + Number(granted.expires_in) * 1000,
      scope: granted.scope,
    },
    named: accountUuid,
    replaces: [],
  })
  await app.store.accounts.openSession({
    tokenHash: (app.settings.sessionHash ?? hashToken)(accountUuid),
    expiresAt: app.clock.now() + hours(8),
    account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: app.clock.now() },
    replaces: [],
    carryProofsSince: 0,
  })
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function call(route: Route, path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request(origin + path, {
    method: 'POST',
    headers: {
      cookie: `${sessionCookieName('tab', false)}=${account}`,
      'content-type': 'application/json',
      ...headers,
    },
    body,
  })
  const params = { accountUUID: account }
  const context = { app: running.app, clientIp: '203.0.113.9', nonce: '' }
  return route({ request, params, context, unstable_pattern: path } as ActionFunctionArgs)
}

async function created(route: Route, path: string, body: object) {
  const answered = await call(route, path, JSON.stringify(body))
  const text = await answered.text()
  expect([200, 201], text).toContain(answered.status)
  return JSON.parse(text)
}

/** Files under app/ and db/ in which a function ran while `work` was done. A file that was only loaded does not count. */
async function filesEntered(work: () => Promise<unknown>): Promise<string[]> {
  await inspector.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const entered = result
    .filter(({ functions }) => functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.replace(/^file:\/\//, '').replace(ROOT, ''))
  return [...new Set(entered)].filter((file) => /^(app|db)\/.*\.tsx?$/.test(file)).sort()
}

/** The loops turn by themselves while somebody waits for an answer. What goes through them on its way counts them. */
const LOOPS = /^app\/engine\/|^app\/boot\/(automation|delivery)-|^db\/sqlite\/ops\/operations\./
const GOES_THROUGH: (keyof typeof MOST)[] = ['an event becomes an attempt', 'an automation texts a customer']

const USE_CASES: Record<
  keyof typeof MOST,
  (measured: (work: () => Promise<unknown>) => Promise<void>) => Promise<void>
> = {
  'a webhook is created': (measured) =>
    measured(() =>
      created(answerApi, '/api/webhooks', { accountUUID: account, object: 'job', callback_url: receiver.url }),
    ),

  async 'an event becomes an attempt'(measured) {
    const jobs = world.records(account, 'job').filter((one) => one.status === 'Quote' && one.active === 1)
    const before = receiver.received.length
    const change = async (index: number) => {
      world.setJobStatus(account, String(jobs[index]?.uuid), 'Work Order')
      await receiver.until((received) => received.length > before + index, 10_000)
      await expect
        .poll(async () => (await running.app.store.events.listEventLog(account, NEWEST))[0]?.deliveries[0]?.attempts[0])
        .toMatchObject({ outcome: 'delivered' })
    }
    await change(0)
    await measured(() => change(1))
  },

  'an automation is saved': (measured) =>
    measured(async () => {
      rule = await created(answerApi, '/api/automation', {
        accountUUID: account,
        name: 'Tell the customer',
        triggerSource: 'webhook',
        object: 'job',
        triggerType: 'job_status',
        conditions: [
          { field: 'status', operator: 'equals', value: 'Completed' },
          { field: 'contact_mobile', operator: 'is_not_empty', value: '' },
        ],
        actions: [{ type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Done.' } }],
      })
    }),

  async 'an automation texts a customer'(measured) {
    await expect
      .poll(async () => (await running.app.store.automations.findAutomation(account, rule.id))?.baselined)
      .toBe(true)
    const reachable = new Set(
      world
        .records(account, 'jobcontact')
        .filter((contact) => contact.active === 1 && String(contact.mobile ?? '') !== '')
        .map((contact) => contact.job_uuid),
    )
    const job = world
      .records(account, 'job')
      .find((one) => one.status === 'Work Order' && one.active === 1 && reachable.has(String(one.uuid)))
    const texts = () => world.outbox(account).filter((item) => item.kind === 'sms')
    const before = texts().length
    await measured(async () => {
      world.setJobStatus(account, String(job?.uuid), 'Completed')
      await expect.poll(() => texts().length).toBe(before + 1)
      // Its last commit comes after the text, and would count for the next use case.
      await expect
        .poll(async () => (await running.app.store.runs.listRuns(account, { ...LAST_RUNS, limit: 1 }))[0]?.endedAt)
        .toEqual(expect.any(Number))
    })
  },

  'a subscription is paid': (measured) =>
    measured(async () => {
      const { clientSecret } = await created(answerApi, `/api/create-payment-intent/${account}`, { amount: 500 })
      expect(await confirmPayment(origin, clientSecret)).toMatchObject({ status: 200 })
      await world.payments.settled()
      await expect.poll(() => running.app.store.billing.findPlan(account)).toMatchObject({ status: 'active' })
    }),
}

test('no use case enters more files than before', async () => {
  const names = Object.keys(USE_CASES) as (keyof typeof MOST)[]
  const entered = new Map<string, string[]>()
  // Twice: what looks by the clock, and falls into one of them on a slow machine, has no part in it.
  for (const { uuid } of world.accounts().slice(0, 2)) {
    account = uuid
    await signIn(account)
    for (const name of names) {
      await USE_CASES[name](async (work) => {
        const files = await filesEntered(work)
        entered.set(name, entered.get(name)?.filter((file) => files.includes(file)) ?? files)
      })
    }
  }
  for (const name of names) {
    const files = (entered.get(name) ?? []).filter((file) => GOES_THROUGH.includes(name) || !LOOPS.test(file))
    expect.soft(files.length, `${name} enters:\n${files.join('\n')}`).toBeLessThanOrEqual(MOST[name] + SLACK)
    expect
      .soft(files.length, `better than before: write '${name}': ${files.length}`)
      .toBeGreaterThanOrEqual(MOST[name] - SLACK)
  }
})

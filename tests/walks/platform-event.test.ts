// Walk A in one process: from a change in the platform to a line in the log.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startApp } from '#app/boot/boot.server.ts'
import { readEnv } from '#app/boot/env.server.ts'
import { finishSignIn } from '#app/features/accounts/sign-in.server.ts'
import { createEndpoint, deleteEndpoint, listEndpoints } from '#app/features/endpoints/endpoints.server.ts'
import { loadWebhookLog } from '#app/features/endpoints/webhook-log.server.ts'
import { DEFAULT_LOG_FILTER } from '#app/features/events/log-view.ts'
import type { World } from '#sandbox/world.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startReceiver } from '#tests/support/recording-receiver.ts'
import { type WalkDatabase, walkDatabase } from '#tests/support/walk-database.server.ts'

let folder = ''
let database: WalkDatabase
let running: Running
let world: World
let server: Server
let receiver: Awaited<ReturnType<typeof startReceiver>>
let account = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-walk-'))
  database = await walkDatabase(folder)
  receiver = await startReceiver((body) => (body.includes('refuse-me') ? 500 : 200))
  const port = await freePort()
  const env = readEnv({
    PORT: String(port),
    LOG_LEVEL: 'silent',
    ...database.env,
    EGRESS_ALLOW: receiver.hostAndPort,
  })
  running = await startApp({ env })
  if (!running.sandbox) throw new Error('the walk needs the sandbox')
  world = running.sandbox.world
  const { sandbox } = running
  server = createServer((req, res) => {
    if (running.platformIngress(req, res) || sandbox.handle(req, res)) return
    res.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  running.started()

  account = world.accounts()[0]?.uuid ?? ''
  const granted = world.grant(account, running.app.settings.scopes.join(' '))
  const signedIn = await finishSignIn(running.app, {
    tokens: {
      accessToken: granted.access_token,
      refreshToken: granted.refresh_token,
      expiresAt: running.app.clock.now() + Number(granted.expires_in) * 1000,
      scope: granted.scope,
    },
    named: account,
    replaces: [],
  })
  expect(signedIn.outcome).toBe('signed_in')
})

afterAll(async () => {
  running.beginDrain()
  server.closeAllConnections()
  await running.stop()
  await new Promise((done) => server.close(done))
  await receiver.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const quote = () => world.records(account, 'job').find((job) => job.status === 'Quote' && job.active === 1)

test('a job becomes a work order in the platform, and the address gets the signed event; the log says so', async () => {
  const made = await createEndpoint(
    running.app,
    account,
    'webhook',
    { accountUUID: account, object: 'job', callback_url: receiver.url, fields: 'status' },
    { admin: false },
  )
  expect(made).toMatchObject({ outcome: 'created' })
  const job = quote()
  if (!job) throw new Error('the seed has no quote')
  expect(world.setJobStatus(account, job.uuid, 'Work Order').outcome).toBe('done')

  await receiver.until((received) => received.length === 1, 10_000)
  const [arrived] = receiver.received
  expect(JSON.parse(arrived?.body ?? '')).toEqual({
    object: 'job',
    entry: [
      { uuid: job.uuid, changed_fields: ['status'], time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
    ],
    resource_url: expect.stringContaining(`/api_1.0/job/${job.uuid}.json`),
  })
  const [webhook] = await listEndpoints(running.app, account, 'webhook')
  const verifier = new Webhook(webhook?.view.signingSecret ?? '')
  expect(verifier.verify(arrived?.body ?? '', arrived?.headers as Record<string, string>)).toMatchObject({
    object: 'job',
  })
  expect(arrived?.headers).toMatchObject({ 'content-type': 'application/json', 'x-fieldhook-attempt': '1' })

  await expect
    .poll(async () => (await loadWebhookLog(running.app, account, 'job', DEFAULT_LOG_FILTER))[0]?.forwardingResults, {
      timeout: 20_000,
    })
    .toMatchObject([{ success: true, statusCode: 200, url: receiver.url, error: null }])
})

test('a field nobody watches forwards nothing', async () => {
  const before = receiver.received.length
  const job = quote()
  if (!job) throw new Error('the seed has no quote')
  world.update(account, 'job', job.uuid, { job_description: 'Something else entirely' })
  await world.settled()
  expect(world.setJobStatus(account, job.uuid, 'Work Order').outcome).toBe('done')
  await receiver.until((received) => received.length > before, 10_000)
  expect(receiver.received.slice(before).map((one) => JSON.parse(one.body).entry[0].changed_fields)).toEqual([
    ['status'],
  ])
})

test('an address that fails is tried again within a minute, and every try is in the log with a sentence', async () => {
  const [webhook] = await listEndpoints(running.app, account, 'webhook')
  const uuid = 'refuse-me'
  const before = receiver.received.length
  const answer = await fetch(webhook?.view.forwardingUrl ?? '', {
    method: 'POST',
    body: JSON.stringify({ object: 'job', entry: [{ uuid, changed_fields: ['status'], time: '2026-01-05 09:00:00' }] }),
  })
  expect(answer.status).toBe(200)
  await receiver.until((received) => received.length > before, 10_000)
  world.clock.advance(60_000)
  await receiver.until((received) => received.length > before + 1, 10_000)
  const attempts = receiver.received.slice(before)
  expect(new Set(attempts.map((one) => one.headers['webhook-id'])).size).toBe(1)
  expect(attempts.map((one) => one.headers['x-fieldhook-attempt'])).toEqual(['1', '2'])
  await expect
    .poll(
      async () => {
        const log = await loadWebhookLog(running.app, account, 'job', {
          ...DEFAULT_LOG_FILTER,
          forwardingStatus: 'failed',
        })
        return log[0]?.forwardingResults.map((one) => [one.success, one.statusCode, (one.error ?? '').includes('500')])
      },
      { timeout: 20_000 },
    )
    .toEqual([
      [false, 500, true],
      [false, 500, true],
    ])
})

test('deleting the webhook unsubscribes at the platform, and the old address answers 410', async () => {
  const [webhook] = await listEndpoints(running.app, account, 'webhook')
  expect(webhook).toBeDefined()
  expect((await deleteEndpoint(running.app, account, webhook?.view.id ?? 0)).outcome).toBe('deleted')
  await expect.poll(() => world.subscriptions(account).filter((one) => one.active).length, { timeout: 20_000 }).toBe(0)
  const answer = await fetch(webhook?.view.forwardingUrl ?? '', { method: 'POST', body: '{"object":"job","entry":[]}' })
  expect(answer.status).toBe(410)
})

// A plain Remix app: the stock `remix-serve` runs the build, and the main job goes through its documented routes alone.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox, type Sandbox } from '#sandbox/sandbox.server.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startReceiver } from '#tests/support/recording-receiver.ts'
import { fieldValue, type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { type WalkDatabase, walkDatabase } from '#tests/support/walk-database.server.ts'

const APP = { id: 'app-1', secret: 'the-secret-of-the-add-on-in-a-test' }
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

let folder = ''
let database: WalkDatabase
let origin = ''
let platform: Server
let sandbox: Sandbox
let stock: ChildProcess
let browser: ScriptlessBrowser
let receiver: Awaited<ReturnType<typeof startReceiver>>
let printed = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-stock-'))
  database = await walkDatabase(folder)
  receiver = await startReceiver()
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  sandbox = createSandbox({
    clock: movableClock(),
    origin,
    appId: APP.id,
    appSecret: APP.secret,
    stateFile: null,
    log: QUIET,
  })
  platform = createServer((req, res) => void sandbox.handle(req, res))
  await new Promise<void>((done) => platform.listen(0, '127.0.0.1', done))
  const platformUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}/sandbox/servicem8`

  stock = spawn(process.execPath, ['node_modules/.bin/remix-serve', resolve('tests/support/stock-build.mjs')], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      APP_ORIGIN: origin,
      ...database.env,
      EGRESS_ALLOW: receiver.hostAndPort,
      LOG_LEVEL: 'warn',
      PLATFORM: 'sandbox',
      SERVICEM8_APP_ID: APP.id,
      SERVICEM8_APP_SECRET: APP.secret,
      SERVICEM8_API_URL: platformUrl,
      SERVICEM8_OAUTH_URL: platformUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [stock.stdout, stock.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
  }
  browser = scriptlessBrowser(origin)
  await vi.waitFor(
    async () => {
      const { status } = await browser.get(`${origin}/readyz`)
      if (status !== 200) throw new Error(`not ready: ${status}\n${printed}`)
    },
    { timeout: 30_000, interval: 100 },
  )
})

afterAll(async () => {
  stock.kill('SIGKILL')
  platform.closeAllConnections()
  platform.close()
  await sandbox.stop()
  await receiver.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('an account opens the add-on, makes a webhook, and a change in the platform arrives at its address', async () => {
  const { world } = sandbox
  const account = world.accounts()[0]?.uuid ?? ''

  const { jwt } = await world.signOpening(account)
  const headers = { 'content-type': 'text/plain', origin: 'https://go.servicem8.com', 'sec-fetch-site': 'cross-site' }
  const opening = await browser.rawText('POST', '/hooks/servicem8', jwt, headers)
  expect(opening.status, `${opening.text}\n${printed}`).toBe(200)
  const opened = await browser.submit('/launch', { ticket: fieldValue(opening.text, 'ticket'), confirmed: 'yes' })
  expect(opened.status, `${opened.url}\n${printed}`).toBe(200)

  const agreed = await signIn(browser, account)
  expect(agreed.status, `${agreed.url}\n${printed}`).toBe(200)

  const made = await browser.json('POST', '/api/webhooks', {
    accountUUID: account,
    object: 'job',
    callback_url: receiver.url,
    fields: 'status',
  })
  expect(made, printed).toMatchObject({ status: 201 })

  const job = world.records(account, 'job').find(({ status, active }) => status === 'Quote' && active === 1)
  expect(world.setJobStatus(account, String(job?.uuid), 'Work Order').outcome).toBe('done')
  await receiver.until((received) => received.length === 1, 20_000)
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    object: 'job',
    entry: [{ uuid: job?.uuid, changed_fields: ['status'] }],
  })

  await expect
    .poll(async () => (await browser.json('GET', `/api/webhook-logs/${account}/job`)).body, { timeout: 10_000 })
    .toMatchObject([{ forwardingResults: [{ success: true, statusCode: 200, url: receiver.url }] }])
  const page = await browser.get(`/fieldhook?accountUUID=${account}`)
  expect([page.status, page.text.includes(receiver.url)]).toEqual([200, true])
})

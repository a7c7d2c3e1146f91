// What one account makes long, nobody else waits for: the built server, an account that sends the heaviest checks there are, and
// another one whose events, forwards and signs of life are timed meanwhile.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyForm, formOfFields, toForm } from '#app/features/automations/form/form-state.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { NEVER_ENDS } from '#tests/support/stuck-words.mjs'
import { type WatchedPlaces, watchWhile } from '#tests/support/watched-meanwhile.ts'

/**
 * ms of its own processor time that the main thread may work without a break. Done on it, the longest took 187 to 7,353; what is left
 * is reading and drawing a page of 400 KB.
 */
const LONGEST_TURN = 180

let server: ServerProcess
let hostile: ScriptlessBrowser
let hostileAccount = ''
let places: WatchedPlaces
const arrived: string[] = []
const receiver = createServer((req, res) => {
  let body = ''
  req.on('data', (chunk) => {
    body += chunk
  })
  req.on('end', () => {
    arrived.push(body)
    res.end('ok')
  })
})

beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const { port } = receiver.address() as AddressInfo
  server = await startServerProcess({
    EGRESS_ALLOW: `127.0.0.1:${port}`,
    NODE_OPTIONS: `--import=${pathToFileURL(resolve('tests/support/stuck-work-preload.mjs')).href}`,
    // What stops this account after a while is shown elsewhere.
    ACCOUNT_WORK_MS: '0',
    ACCOUNTS_WORK_MS: '0',
    ACCOUNT_MB: '0',
    REQUESTS_PER_MINUTE: '1000000',
  })
  hostile = scriptlessBrowser(server.origin)
  const stage = await hostile.get('/sandbox')
  const links = [...stage.text.matchAll(/\/fieldhook\?accountUUID=([0-9a-f-]{36})/g)].map(([, id = '']) => id)
  const [first = '', second = ''] = [...new Set(links)]
  hostileAccount = first
  await signIn(hostile, first)
  const other = scriptlessBrowser(server.origin)
  await signIn(other, second)
  const webhook = {
    accountUUID: second,
    object: 'job',
    callback_url: `http://127.0.0.1:${port}/in`,
    fields: '',
    active: true,
  }
  const made = await other.json('POST', '/api/webhooks', webhook)
  expect(made.status).toBe(201)
  const { forwardingUrl } = made.body as { forwardingUrl: string }
  places = { origin: server.origin, forwardingUrl, arrived: () => arrived }
})
afterAll(async () => {
  await server.dispose()
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
})

/** ms of processor time that the main thread took at most without a break since this was asked last. */
async function longestTurn(): Promise<number> {
  const told = () => [...server.output().matchAll(/longest turn: ([\d.]+)/g)]
  const before = told().length
  process.kill(server.pid, 'SIGUSR2')
  await expect.poll(() => told().length, { timeout: 10_000 }).toBeGreaterThan(before)
  return Number(told().at(-1)?.[1])
}

const rule = (body: string, count = 1, description = '') => ({
  name: 'Long',
  description,
  active: false,
  triggerSource: 'manual_endpoint',
  actions: Array.from({ length: count }, () => ({
    type: 'send_email',
    parameters: { contentType: 'html', customHtmlSubject: 'x', customHtmlBody: body, htmlBody: body },
  })),
})
const save = (body: object) => hostile.json('POST', '/api/automation', { accountUUID: hostileAccount, ...body })

test('a check that never ends is ended by its deadline; everybody else is served meanwhile, and so is the next check', async () => {
  const long = '<p>Hello</p>'.repeat(500)
  await longestTurn()
  const { result, served } = await watchWhile(places, save(rule(long, 1, NEVER_ENDS)))
  expect(result).toMatchObject({
    status: 422,
    body: { message: 'This automation takes too long to check. Make its texts shorter.' },
  })
  expect(served).toMatchObject({ wrong: [] })
  expect(Math.min(served.healthz, served.ingress, served.delivered)).toBeGreaterThan(2)
  expect(await longestTurn()).toBeLessThan(LONGEST_TURN)
  expect(await save(rule(long))).toMatchObject({ status: 201 })
  const metrics = await (await fetch(`${server.origin}/metrics`)).text()
  expect(metrics).toContain('fieldhook_long_work_total{outcome="too_long"} 1')
})

test('the heaviest checks, imports and looks of one account, all at once: no turn is long, and everybody else is served', async () => {
  const form = (body: string) => Object.fromEntries(toForm({ ...emptyForm(), ...formOfFields(rule(body, 20)) }))
  const page = `/automation?accountUUID=${hostileAccount}`
  const look = `/automation/preview?accountUUID=${hostileAccount}`
  const attacks = [
    () => save(rule('<x>'.repeat(15_000))),
    () => hostile.submit(page, { ...form('{a or &quot;'.repeat(1_000)), intent: 'form.save' }),
    () => hostile.submit(page, { ...form('<b>x'.repeat(2_500)), intent: 'form.save' }),
    () =>
      hostile.submit(page, {
        act: 'import',
        json: JSON.stringify(Array(5).fill(rule(`${'[[a'.repeat(6_300)}{zq}`, 2))),
      }),
    () => hostile.submit(look, { ...form(`[[${' '.repeat(5_000)}`), look: 'backtest' }),
  ]
  // The first time, code is compiled.
  for (const attack of attacks) expect((await attack()).status).toBeLessThan(413)
  await longestTurn()
  const { served } = await watchWhile(places, Promise.all(attacks.map((attack) => attack())))
  expect(served).toMatchObject({ wrong: [] })
  expect(Math.min(served.healthz, served.ingress, served.delivered)).toBeGreaterThan(2)
  expect(await longestTurn()).toBeLessThan(LONGEST_TURN)
})

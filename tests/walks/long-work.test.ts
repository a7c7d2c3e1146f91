// What one account makes long, nobody else waits for: the built server, an account that sends the heaviest checks there are, and
// another one whose events, forwards and signs of life are timed meanwhile.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyForm, formOfFields } from '#app/features/automations/form-state.ts'
import { toForm } from '#app/features/automations/form-wire.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import { NEVER_ENDS } from '#tests/support/stuck-words.mjs'
import { type WatchedPlaces, watchWhile } from '#tests/support/watched-meanwhile.ts'

/** ms that anybody else may wait. On the code of before, one of these checks held up everybody for 1,000 ms and more. */
const MOST_WAIT = 250

let server: ServerProcess
let hostile: ScriptlessBrowser
let hostileAccount = ''
let places: WatchedPlaces
const arrived: { body: string; atMs: number }[] = []
const receiver = createServer((req, res) => {
  let body = ''
  req.on('data', (chunk) => {
    body += chunk
  })
  req.on('end', () => {
    arrived.push({ body, atMs: performance.now() })
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

test('a check that never ends is ended by its deadline; events, forwarding and signs of life go on, and so does the next check', {
  timeout: 30_000,
}, async () => {
  const long = '<p>Hello</p>'.repeat(500)
  const { result, waits } = await watchWhile(places, save(rule(long, 1, NEVER_ENDS)))
  expect(result).toMatchObject({
    status: 422,
    body: { message: 'This automation takes too long to check. Make its texts shorter.' },
  })
  expect(waits.wrong).toEqual([])
  expect(waits.answers).toBeGreaterThan(40)
  expect(Math.max(waits.healthz.longest, waits.ingress.longest, waits.delivery.longest)).toBeLessThan(MOST_WAIT)
  expect(await save(rule(long))).toMatchObject({ status: 201 })
  const metrics = await (await fetch(`${server.origin}/metrics`)).text()
  expect(metrics).toContain('fieldhook_long_work_total{outcome="too_long"} 1')
})

test('the heaviest checks, imports and looks of one account, at once and again and again: nobody else waits', {
  timeout: 60_000,
}, async () => {
  const form = (body: string) => {
    const state = { ...emptyForm(), ...formOfFields(rule(body, 20)) }
    return Object.fromEntries(toForm(state))
  }
  const page = `/automation?accountUUID=${hostileAccount}`
  const look = `/automation/look?accountUUID=${hostileAccount}`
  const attacks = [
    () => save(rule('<x>'.repeat(15_000))),
    () => hostile.submit(page, { ...form('{a or &quot;'.repeat(1_000)), intent: 'form.save' }),
    () => hostile.submit(page, { ...form('<b>x'.repeat(3_500)), intent: 'form.save' }),
    () => hostile.submit(page, { act: 'import', json: JSON.stringify(rule('[[a'.repeat(6_400), 10)) }),
    () => hostile.submit(look, { ...form('[[a'.repeat(2_500)), look: 'lookback' }),
  ]
  for (const [index, attack] of attacks.entries()) {
    await longestTurn()
    const began = performance.now()
    const { status } = await attack()
    console.log('attack', index, status, Math.round(performance.now() - began), await longestTurn())
    const { status: again } = await attack()
    console.log('attack', index, again, Math.round(performance.now() - began), await longestTurn())
  }
  const until = performance.now() + 6_000
  let done = 0
  const storm = Promise.all(
    attacks.map(async (attack) => {
      while (performance.now() < until) {
        const { status } = await attack()
        expect([200, 201, 400, 413, 422, 429]).toContain(status)
        done += 1
      }
    }),
  )
  const { waits } = await watchWhile(places, storm)
  console.log(JSON.stringify({ done, waits }), await longestTurn())
  expect(done).toBeGreaterThan(4)
  expect(waits.wrong).toEqual([])
  expect(Math.max(waits.healthz.longest, waits.ingress.longest, waits.delivery.longest)).toBeLessThan(MOST_WAIT)
})

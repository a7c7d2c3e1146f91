import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createServiceM8Api, type ServiceM8Api } from './servicem8.server.ts'
import type { PlatformCall } from './servicem8-call.ts'

const TOKEN = 'secret-access-token'
const nothing = () => undefined
const QUIET: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => QUIET }

let server: Server
let api: ServiceM8Api
let asked: number
let calls: PlatformCall[]
let respond: (res: ServerResponse) => void

beforeEach(async () => {
  asked = 0
  calls = []
  server = createServer((req, res) => {
    req.resume().on('end', () => {
      asked += 1
      respond(res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  api = createServiceM8Api({
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock: fixedClock(),
    log: QUIET,
    onCall: (call) => calls.push(call),
    timeouts: { read: 1_000, subscribe: 1_000 },
  })
})

afterEach(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

/** These statuses in turn, then a good answer. */
const inTurn = (...statuses: number[]): ((res: ServerResponse) => void) => {
  return (res) => {
    const status = statuses.shift()
    if (status === undefined) res.end('[{"uuid":"a"}]')
    else if (status === 0) res.destroy()
    else res.writeHead(status).end('Try later')
  }
}

test('what is often over a moment later is asked again where it was a read, and counts against the plan once', async () => {
  respond = inTurn(503, 0)
  const counting = api.actingFor('account', { counts: true })
  expect(await counting.vendor(TOKEN)).toMatchObject({ outcome: 'ok' })
  expect(calls.map(({ status, counts }) => [status, counts ?? false])).toEqual([
    [503, true],
    [null, false],
    [200, false],
  ])
})

test('each time the gate is asked: what it refuses is not asked', async () => {
  respond = inTurn(503, 503)
  let admitted = 0
  const refusal = { outcome: 'rate_limited', status: 429, message: 'Wait.', retryAt: 1 } as const
  const gate = { admit: async () => (++admitted > 1 ? refusal : null), limited: () => undefined }
  expect(await api.actingFor('account', { gate }).read(TOKEN, 'job', 'a')).toEqual(refusal)
  expect(asked).toBe(1)
})

test('to a write it is the answer, at once', async () => {
  respond = inTurn(503)
  const wish = { object: 'job', fields: ['status'], callbackUrl: 'https://x.example/hooks/platform/t' }
  expect(await api.subscribeObject(TOKEN, wish)).toMatchObject({ outcome: 'unavailable', status: 503 })
  respond = inTurn(503)
  expect(await api.deleteSubscription(TOKEN, 'a')).toMatchObject({ outcome: 'unavailable', status: 503 })
  expect(asked).toBe(2)
})

test('nothing is asked again that took its whole time, says when to come back, or is refused', async () => {
  respond = (res) => res.writeHead(503, { 'retry-after': '60' }).end()
  expect(await api.vendor(TOKEN)).toMatchObject({ outcome: 'unavailable' })
  respond = (res) => res.writeHead(404).end('Not found')
  expect(await api.vendor(TOKEN)).toMatchObject({ outcome: 'refused' })
  respond = () => undefined
  expect(await api.vendor(TOKEN)).toMatchObject({ outcome: 'unavailable', status: null })
  expect(asked).toBe(3)
})

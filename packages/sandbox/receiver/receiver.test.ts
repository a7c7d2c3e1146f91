import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock, type MovableClock } from '#app/lib/clocks.server.ts'
import { minutes } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { createReceiver, type Receiver } from './receiver.server.ts'

const START = Date.UTC(2026, 0, 5, 9, 0, 0)
const KEY = Buffer.alloc(32, 9)
const SECRET = `whsec_${KEY.toString('base64')}`
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

let receiver: Receiver
let clock: MovableClock
let base: string
let close: () => Promise<void>

beforeEach(async () => {
  const fixed = fixedClock(START)
  clock = { ...fixed, offset: () => fixed.now() - START }
  const server = createServer((req, res) => {
    if (!receiver.handle(req, res)) res.writeHead(418).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  receiver = createReceiver({ accounts: () => [] }, { clock, origin, log: QUIET })
  base = `${origin}/sandbox/receiver`
  close = async () => {
    receiver.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

afterEach(() => close())

function post(path: string, body = '{}', headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${base}/${path}`, { method: 'POST', body, headers, redirect: 'manual' })
}

async function seen(name: string) {
  const response = await fetch(`${base}/${name}?format=json`)
  return (await response.json()) as {
    name: string
    address: string
    total: number
    requests: {
      method: string
      target: string
      headers: Record<string, string>
      body: string
      at: string
      [key: string]: unknown
    }[]
  }
}

describe('what it keeps', () => {
  it('keeps method, address, headers, body and time of what arrives, newest first', async () => {
    await post('demo', '{"first":1}', { 'x-fieldhook-attempt': '1' })
    clock.advance(minutes(1))
    await fetch(`${base}/demo?a=b`, { method: 'PUT', body: 'second' })
    const { requests, total, address } = await seen('demo')
    expect(total).toBe(2)
    expect(address).toBe(`${base}/demo`)
    expect(requests.map((one) => [one.method, one.body, one.at])).toEqual([
      ['PUT', 'second', '2026-01-05T09:01:00.000Z'],
      ['POST', '{"first":1}', '2026-01-05T09:00:00.000Z'],
    ])
    expect(requests[0]?.target).toBe('/sandbox/receiver/demo?a=b')
    expect(requests[1]?.headers['x-fieldhook-attempt']).toBe('1')
  })

  it('keeps each name apart and takes names in any case', async () => {
    await post('one')
    await post('ONE')
    await post('two')
    expect((await seen('one')).total).toBe(2)
    expect(receiver.log.names()).toEqual(['one', 'two'])
  })

  it('answers JSON to whoever accepts only JSON', async () => {
    const response = await fetch(`${base}/demo`, { headers: { accept: 'application/json' } })
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toEqual({ name: 'demo', address: `${base}/demo`, total: 0, requests: [] })
  })

  it('keeps the last fifty and counts all', async () => {
    for (let index = 1; index <= 53; index++) await post('demo', `n${index}`)
    const { requests, total } = await seen('demo')
    expect(total).toBe(53)
    expect(requests.length).toBe(50)
    expect([requests[0]?.body, requests.at(-1)?.body]).toEqual(['n53', 'n4'])
  })

  it('keeps the beginning of a long body and refuses one over 1 MB', async () => {
    expect((await post('demo', 'x'.repeat(100_000))).status).toBe(200)
    const [long] = (await seen('demo')).requests
    expect([long?.body.length, long?.bodyBytes, long?.truncated]).toEqual([65_536, 100_000, true])
    const refused = await post('demo', 'x'.repeat(1024 * 1024 + 1)).then(
      (response) => response.status,
      () => 'hung up',
    )
    expect([413, 'hung up']).toContain(refused)
    expect((await seen('demo')).requests[0]?.status).toBe(413)
  })

  it('keeps no cookies', async () => {
    await post('demo', '', { cookie: 'session=secret' })
    expect((await seen('demo')).requests[0]?.headers.cookie).toBe('(not kept)')
  })

  it('forgets what is cleared', async () => {
    await post('demo')
    receiver.log.clear('demo')
    expect(await seen('demo')).toMatchObject({ total: 0, requests: [] })
  })

  it('takes no name with other characters, and leaves other paths alone', async () => {
    expect((await post('a%2Fb')).status).toBe(404)
    expect((await post('%3Cscript%3E')).status).toBe(404)
    expect((await fetch(`${base}ish`)).status).toBe(418)
  })
})

describe('how it misbehaves', () => {
  it('answers the asked status and body', async () => {
    const response = await post('demo?status=503&body=closed')
    expect([response.status, await response.text()]).toEqual([503, 'closed'])
  })

  it('redirects, but only what is sent to it and only to an address', async () => {
    const response = await post('demo?redirect=https://example.com/next')
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.com/next'])
    expect((await post('demo?redirect=/sandbox/receiver/other&status=307')).headers.get('location')).toBe(
      '/sandbox/receiver/other',
    )
    expect((await post('demo?redirect=javascript:alert(1)')).status).toBe(400)
    expect((await fetch(`${base}/demo?redirect=https://example.com`, { redirect: 'manual' })).status).toBe(200)
  })

  it('asks to be left alone for a while', async () => {
    const response = await post('demo?retryAfter=120')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '120'])
  })

  it('answers late', async () => {
    const before = performance.now()
    expect((await post('demo?delay=150')).status).toBe(200)
    expect(performance.now() - before).toBeGreaterThan(140)
  })

  it('hangs up when asked to drop', async () => {
    await expect(post('demo?drop=1')).rejects.toThrow('fetch failed')
    expect((await seen('demo')).requests[0]).toMatchObject({ status: null, mischief: 'hung up' })
  })

  it('keeps a hanging request until it is stopped', async () => {
    const hanging = post('demo?hang=1').then(
      () => 'answered',
      () => 'let go',
    )
    while ((await seen('demo')).total === 0) await new Promise((resolve) => setImmediate(resolve))
    receiver.stop()
    expect(await hanging).toBe('let go')
  })

  it('says which value it does not understand instead of misbehaving somehow', async () => {
    const answers = await Promise.all(
      ['status=99', 'status=abc', 'delay=60001', 'delay=-1', 'retryAfter=%0d%0ax'].map((query) =>
        post(`demo?${query}`),
      ),
    )
    expect(answers.map((one) => one.status)).toEqual([400, 400, 400, 400, 400])
  })

  it('answers as chosen on its page unless the address says otherwise', async () => {
    receiver.log.setBehaviour('demo', 'status=500')
    expect((await post('demo')).status).toBe(500)
    expect((await post('demo?status=204')).status).toBe(204)
    expect((await post('other')).status).toBe(200)
  })
})

describe('the signature', () => {
  function signed(body: string, at = START, key = KEY): Record<string, string> {
    const timestamp = String(at / 1000)
    const mac = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64')
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,b3RoZXI= v1,${mac}` }
  }

  async function verdict(body: string, headers: Record<string, string>): Promise<unknown> {
    await post('demo', body, headers)
    return (await seen('demo')).requests[0]?.signature
  }

  it('is not checked without a secret', async () => {
    expect(await verdict('{}', signed('{}'))).toBe('no_secret')
  })

  it('is checked against the registered secret', async () => {
    expect(receiver.log.addSecret('demo', SECRET)).toBe('added')
    expect(await verdict('{"a":1}', signed('{"a":1}'))).toBe('valid')
    expect(await verdict('{"a":2}', signed('{"a":1}'))).toBe('invalid')
    expect(await verdict('{}', {})).toBe('unsigned')
    expect(await verdict('{}', signed('{}', START, Buffer.alloc(32, 1)))).toBe('invalid')
  })

  it('is called stale after five minutes', async () => {
    receiver.log.addSecret('demo', SECRET)
    expect(await verdict('{}', signed('{}', START - minutes(6)))).toBe('stale')
  })

  it('takes several secrets, and nothing that is none', async () => {
    expect(receiver.log.addSecret('demo', 'hello')).toBe('not_a_secret')
    receiver.log.addSecret('demo', `whsec_${Buffer.alloc(24, 5).toString('base64')}`)
    receiver.log.addSecret('demo', SECRET)
    expect(await verdict('{}', signed('{}'))).toBe('valid')
    receiver.log.forgetSecrets('demo')
    expect(await verdict('{}', signed('{}'))).toBe('no_secret')
  })
})

describe('the page', () => {
  it('shows hostile content as text and forbids scripts', async () => {
    await post('demo', '<script>alert(1)</script>', { 'x-note': '"><img src=x>' })
    const response = await fetch(`${base}/demo`)
    const page = await response.text()
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).toContain('&quot;&gt;&lt;img src=x&gt;')
    expect(page).not.toContain('<script')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('says what will appear while nothing has arrived, with the address to copy', async () => {
    const page = await (await fetch(`${base}/fresh`)).text()
    expect(page).toContain('Nothing has arrived yet')
    expect(page).toContain(`<code>${base}/fresh</code>`)
  })

  it('never runs what an address asks it to answer', async () => {
    const response = await post('demo?body=%3Cscript%3E1%3C/script%3E')
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  })
})

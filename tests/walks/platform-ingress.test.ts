// The platform's calls have two entrances: the short way before the framework, and the route module. Same call, same answer.
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlatformIngress } from '#app/boot/platform-ingress.server.ts'
import type { App } from '#app/context/app-context.ts'
import { createBudgets } from '#app/http/budgets.server.ts'
import { eventBrakeOf } from '#app/http/event-brake.server.ts'
import { createIntake, type Intake } from '#app/http/intake.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { action, loader } from '#app/routes/hooks/platform-events.ts'
import { BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'

let world: EngineWorld
let server: Server
let app: App
let port: number
let intake: Intake
const tokens: Record<string, string> = {}

beforeAll(async () => {
  world = engineWorld()
  world.endpoint()
  world.endpoint({ account: BRISBANE, object: 'staff' })
  const engine = world.engine()
  app = { ...world.app, acceptEvent: engine.acceptEvent } as unknown as App
  for (const [object, state] of [
    ['job', 'active'],
    ['company', 'deleted'],
    ['note', 'pending'],
    ['staff', 'other account'],
  ]) {
    const token = newToken()
    tokens[state ?? ''] = token
    world.client.sql
      .prepare(
        `INSERT INTO subscription (account_uuid, object, fields, token_hash, token_sealed, state, created_at, updated_at)
         VALUES (?, ?, '', ?, '', ?, 0, 0)`,
      )
      .run(
        state === 'other account' ? BRISBANE : LEEDS,
        object ?? '',
        hashToken(token),
        state === 'other account' ? 'active' : (state ?? ''),
      )
  }
  intake = createIntake({ bodyBytesOfOne: 400 * 1024, bodyBytes: 500 * 1024 })
  const { bodies } = intake
  const ingress = createPlatformIngress(app, { clientIp: () => '198.51.100.7', bodies, bodyWithinMs: 1_500 })
  server = createServer((req, res) => {
    if (!ingress(req, res)) {
      res.statusCode = 599
      res.end('not for the short way')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await world.close()
})

interface Call {
  path: string
  method?: string
  body?: string | Uint8Array
  contentType?: string
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

const KEPT = [
  'content-type',
  'cache-control',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
  'allow',
  'retry-after',
]
const kept = (get: (name: string) => string | null | undefined) =>
  Object.fromEntries(KEPT.map((name) => [name, get(name) ?? '']).filter(([, value]) => value !== ''))

function shortWay({ path, method = 'POST', body = '', contentType = 'application/json' }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, path, method, headers: { 'content-type': contentType, 'content-length': Buffer.byteLength(body) } },
      (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () =>
          resolve({
            status: res.statusCode ?? 0,
            headers: kept((name) => res.headers[name]?.toString()),
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function routeModule({
  path,
  method = 'POST',
  body = '',
  contentType = 'application/json',
}: Call): Promise<Answer> {
  const url = new URL(path, 'https://hooks.example.com')
  const bodyless = method === 'GET' || method === 'HEAD'
  const incoming = new Request(url, {
    method,
    headers: { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) },
    ...(bodyless ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  })
  const token = url.pathname.split('/')[3] ?? ''
  const args = { request: incoming, params: { token }, context: { app, clientIp: '198.51.100.7', nonce: '' } }
  const response = await (bodyless ? loader : action)(args)
  return { status: response.status, headers: kept((name) => response.headers.get(name)), body: await response.text() }
}

const notice = (time: string) =>
  JSON.stringify({
    object: 'job',
    entry: [{ uuid: 'record-1', changed_fields: ['status'], time }],
    resource_url: 'https://x/',
  })
const to = (state: string, query = '') => `/hooks/platform/${tokens[state]}${query}`

describe('both entrances', () => {
  it('answer every kind of call alike', async () => {
    const unknown = newToken()
    const cases: [string, () => Call, number][] = [
      ['an event', () => ({ path: to('active'), body: notice('1') }), 200],
      ['the same event again', () => ({ path: to('active'), body: notice('1') }), 200],
      [
        'an event in a form',
        () => ({
          path: to('active'),
          body: `payload=${encodeURIComponent(notice('2'))}`,
          contentType: 'application/x-www-form-urlencoded',
        }),
        200,
      ],
      [
        'an event with another content type',
        () => ({ path: to('active'), body: notice('3'), contentType: 'text/plain' }),
        200,
      ],
      [
        'a challenge in a form',
        () => ({
          path: to('active'),
          body: 'mode=subscribe&challenge=abc-1',
          contentType: 'application/x-www-form-urlencoded',
        }),
        200,
      ],
      ['a challenge in the query', () => ({ path: to('active', '?mode=subscribe&challenge=abc-2'), body: '' }), 200],
      ['a challenge in JSON', () => ({ path: to('pending'), body: '{"mode":"subscribe","challenge":"abc-3"}' }), 200],
      ['a challenge that is markup', () => ({ path: to('active'), body: 'mode=subscribe&challenge=%3Cb%3E' }), 400],
      ['an unknown token', () => ({ path: `/hooks/platform/${unknown}`, body: notice('1') }), 404],
      ['something that is no token', () => ({ path: '/hooks/platform/..%2F..%2Fetc', body: notice('1') }), 404],
      ['a deleted subscription', () => ({ path: to('deleted'), body: notice('1') }), 410],
      ['broken JSON', () => ({ path: to('active'), body: '{"object":' }), 400],
      ['nothing', () => ({ path: to('active'), body: '' }), 400],
      ['bytes that are no text', () => ({ path: to('active'), body: new Uint8Array([0xff, 0xfe, 0x00, 0x7b]) }), 400],
      ['256 KB', () => ({ path: to('active'), body: notice('4').padEnd(256 * 1024) }), 200],
      ['one byte more', () => ({ path: to('active'), body: notice('5').padEnd(256 * 1024 + 1) }), 413],
      ['1 MB', () => ({ path: to('active'), body: 'x'.repeat(1024 * 1024) }), 413],
      ['GET', () => ({ path: to('active'), method: 'GET' }), 405],
      ['PUT', () => ({ path: to('active'), method: 'PUT', body: notice('1') }), 405],
    ]
    for (const [name, call, status] of cases) {
      const short = await shortWay(call())
      expect([name, short.status]).toEqual([name, status])
      expect([name, await routeModule(call())]).toEqual([name, short])
    }
    expect(world.row('SELECT count(*) AS n FROM event')).toEqual({ n: 4 })
  })

  it('share what one address may bring', async () => {
    const settings = { ...app.settings, eventsPerSecond: 1 }
    const braked = { ...app, settings } as App
    const brake = eventBrakeOf(braked)
    const events = () => world.row('SELECT count(*) AS n FROM event').n
    const { id } = world.row("SELECT id FROM subscription WHERE state = 'active' AND object = 'job'") as { id: number }
    for (let n = 0; n < 9; n += 1) expect(brake(id, 1)).toBeNull()
    const before = Number(events())
    const statuses: number[] = []
    for (const time of ['b1', 'b2']) {
      const incoming = new Request(`https://hooks.example.com${to('active')}`, { method: 'POST', body: notice(time) })
      const context = { app: braked, clientIp: '198.51.100.7', nonce: '' }
      const answer = await action({ request: incoming, params: { token: tokens.active ?? '' }, context })
      statuses.push(answer.status)
      if (answer.status === 429) expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(statuses).toEqual([200, 429])
    expect(events()).toBe(before + 1)
  })

  it('store the bytes they are given', async () => {
    const body = (time: string) =>
      JSON.stringify({ object: 'job', entry: [{ uuid: 'record-é', time }], note: 'Zoë – ✓' }).replace('é', 'e')
    await shortWay({ path: to('active'), body: body('a') })
    await routeModule({ path: to('active'), body: body('b') })
    const bodies = world.rows('SELECT body FROM event_body ORDER BY seq DESC LIMIT 2').map((row) => row.body)
    expect(bodies).toEqual([body('b'), body('a')])
  })
})

describe('the short way', () => {
  it('leaves every other address alone', async () => {
    for (const path of [
      '/',
      '/hooks/platform',
      '/hooks/platform/',
      '/hooks/platform/a/b',
      '/hooks/servicem8',
      '/xhooks/platform/abc',
    ]) {
      expect((await shortWay({ path, body: '' })).status).toBe(599)
    }
  })

  it('answers 413 and hangs up when a body of unknown length grows too large', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
      })
      socket.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(received) : reject(error),
      )
      socket.on('close', () => resolve(received))
      socket.write(`POST ${to('active')} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
      const chunk = 'x'.repeat(64 * 1024)
      for (let n = 0; n < 5; n++) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    })
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text.toLowerCase()).toContain('connection: close')
  })

  it('reads nothing of a call to an address that does not exist: it is answered before its body has come', async () => {
    for (const [path, status] of [
      [`/hooks/platform/${newToken()}`, 404],
      [to('deleted'), 410],
    ] as const) {
      const peer = await unfinished(path, 100_000, 1_000)
      await expect.poll(peer.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(intake.bodies.held()).toBe(0)
      // What it sends now is thrown away, and then it is cut.
      peer.socket.write('x'.repeat(50_000))
      await peer.closed
      expect(intake.bodies.held()).toBe(0)
    }
  })

  it('holds so many bytes of unfinished bodies for one account, so many for all, and gives them back', async () => {
    const slow = await Promise.all([1, 2].map(() => unfinished(to('active'), 200_000, 190_000)))
    await expect.poll(intake.bodies.held).toBeGreaterThan(380_000)
    const next = await unfinished(to('pending'), 100_000, 90_000)
    await expect.poll(next.text).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 10/i)
    // Another account has room of its own, until all together have too much.
    const other = { path: to('other account'), body: notice('other').replace('job', 'staff') }
    expect((await shortWay(other)).status).toBe(200)
    const tooMuch = await unfinished(to('other account'), 150_000, 140_000)
    await expect.poll(tooMuch.text).toMatch(/^HTTP\/1\.1 503 /)
    // A body that does not end is given up.
    await expect
      .poll(() => slow.every(({ text }) => text().startsWith('HTTP/1.1 408 ')), { timeout: 20_000 })
      .toBe(true)
    for (const { socket } of slow) socket.destroy()
    await expect.poll(intake.bodies.held).toBe(0)
    expect((await shortWay({ path: to('active'), body: notice('after') })).status).toBe(200)
  })

  it('lets 256 calls of one account arrive at a time, and no more: the connections are for everybody', async () => {
    const slow = await Promise.all(Array.from({ length: 256 }, () => unfinished(to('active'), 1_000, 0)))
    const next = await unfinished(to('pending'), 1_000, 0)
    await expect.poll(next.text).toMatch(/^HTTP\/1\.1 429 /)
    // It waits for itself; nobody else does.
    expect((await shortWay({ path: to('other account'), body: notice('w').replace('job', 'staff') })).status).toBe(200)
    for (const { socket } of slow) socket.destroy()
    await expect.poll(async () => (await shortWay({ path: to('active'), body: notice('after all') })).status).toBe(200)
  })

  it('asks the account to wait that has used up its minute, and no other', async () => {
    const costs = { caller: { ms: 0, bytes: 0 }, account: { ms: 60_000, bytes: 1_000 }, accountsMs: 0 }
    const budgets = createBudgets(app, costs)
    const limited = createPlatformIngress(app, { clientIp: () => '198.51.100.7', budgets })
    const other = createServer((req, res) => void limited(req, res))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const send = async (path: string, body: string) => {
      const answer = await fetch(`http://127.0.0.1:${(other.address() as AddressInfo).port}${path}`, {
        method: 'POST',
        body,
      })
      return [answer.status, Number(answer.headers.get('retry-after'))]
    }
    const statuses = []
    for (const time of ['w1', 'w2', 'w3']) statuses.push(await send(to('active'), notice(time).padEnd(600)))
    expect(statuses.map(([status]) => status)).toEqual([200, 200, 429])
    expect(statuses[2]?.[1]).toBeGreaterThan(5)
    expect((await send(to('other account'), notice('w4').replace('job', 'staff')))[0]).toBe(200)
    other.closeAllConnections()
    await new Promise((resolve) => other.close(resolve))
  })

  it('forgets a caller that goes away in the middle', async () => {
    const before = world.row('SELECT count(*) AS n FROM event').n
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`POST ${to('active')} HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"object":`)
        setImmediate(() => socket.destroy())
      })
      socket.on('close', () => resolve())
    })
    expect((await shortWay({ path: to('active'), body: notice('last') })).status).toBe(200)
    expect(world.row('SELECT count(*) AS n FROM event').n).toBe(Number(before) + 1)
  })
})

/** A call of which only the beginning is sent. */
function unfinished(path: string, length: number, sent: number) {
  return new Promise<{ socket: Socket; text(): string; closed: Promise<void> }>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(sent)}`)
      resolve({ socket, text: () => received, closed })
    })
    let received = ''
    const closed = new Promise<void>((done) => socket.once('close', () => done()))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
  })
}

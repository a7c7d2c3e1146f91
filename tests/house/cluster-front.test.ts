// The front of `npm run start:cluster` on real connections: what is tried again elsewhere, and what never is.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFront } from '../../scripts/cluster-front.mjs'

interface Behind {
  port: number
  ready: boolean
  server: Server
  seen: string[]
}

let behind: Behind[]
let front: ReturnType<typeof createFront>
let origin: string

async function instance(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<Behind> {
  const seen: string[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (bytes: Buffer) => {
      body += bytes
    })
    req.on('end', () => {
      seen.push(`${req.method} ${req.url} ${body}`.trim())
      answer(req, res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, ready: true, server, seen }
}
const ok = (req: IncomingMessage, res: ServerResponse) => {
  res.setHeader('set-cookie', ['a=1', 'b=2'])
  res.end(String(req.headers['fly-client-ip']))
}
const dies = (_req: IncomingMessage, res: ServerResponse) => res.destroy()
async function end({ server }: Behind): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

beforeEach(async () => {
  behind = []
  front = createFront(() => behind)
  origin = `http://127.0.0.1:${await front.listen(0, '127.0.0.1')}`
})
afterEach(async () => {
  await front.close()
  await Promise.all(behind.map(end))
})

test('each request goes to the next instance, with the address of the visitor and not what he says of it', async () => {
  behind = [await instance(ok), await instance(ok)]
  for (let n = 0; n < 6; n++) {
    const answer = await fetch(`${origin}/${n}`, { headers: { 'fly-client-ip': '203.0.113.1' } })
    expect(await answer.text()).toBe('127.0.0.1')
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  }
  expect(behind.map(({ seen }) => seen.length)).toEqual([3, 3])
})

test('one that is not ready gets nothing, and without a ready one the answer is 503', async () => {
  behind = [await instance(ok), await instance(ok)]
  for (const one of behind.slice(0, 1)) one.ready = false
  for (let n = 0; n < 4; n++) expect((await fetch(origin)).status).toBe(200)
  expect(behind.map(({ seen }) => seen.length)).toEqual([0, 4])
  for (const one of behind) one.ready = false
  const answer = await fetch(origin, { method: 'POST', body: 'x' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
})

test('a refused connection leads to the next one, with the whole body, and is remembered', async () => {
  const gone = await instance(ok)
  await end(gone)
  behind = [gone, await instance(ok)]
  for (let n = 0; n < 4; n++) {
    expect((await fetch(`${origin}/${n}`, { method: 'POST', body: 'abc' })).status).toBe(200)
  }
  expect(behind[1]?.seen).toEqual(['POST /0 abc', 'POST /1 abc', 'POST /2 abc', 'POST /3 abc'])
  expect(gone.ready).toBe(false)
})

test('what was sent to an instance that ends is answered 502 and sent nowhere else; what changes nothing is', async () => {
  behind = [await instance(dies), await instance(dies)]
  expect((await fetch(origin, { method: 'POST', body: 'abc' })).status).toBe(502)
  expect(behind.flatMap(({ seen }) => seen)).toEqual(['POST / abc'])
  behind.push(await instance(ok))
  for (let n = 0; n < 3; n++) expect((await fetch(`${origin}/page`)).status).toBe(200)
})

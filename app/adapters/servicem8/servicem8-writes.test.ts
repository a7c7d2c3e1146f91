import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import type { CallGate } from '../platform.ts'
import { createServiceM8Api, type ServiceM8Api } from './servicem8.server.ts'
import type { PlatformCall } from './servicem8-call.ts'

interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
  /** Which connection it came over. */
  connection: number
}

let server: Server
let api: ServiceM8Api
let asked: Asked[]
let calls: PlatformCall[]
let respond: (asked: Asked, res: ServerResponse) => void
let port: number

const TOKEN = 'secret-access-token'
const JOB = '11111111-2222-4333-8444-555555555555'
const OURS = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

beforeEach(async () => {
  asked = []
  calls = []
  respond = json({ errorCode: 0, message: 'OK' })
  const connections = new WeakMap<object, number>()
  let opened = 0
  server = createServer((req, res) => {
    const chunks: Buffer[] = []
    const connection = connections.get(req.socket) ?? ++opened
    connections.set(req.socket, connection)
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url = '', headers } = req
      const one = { method, url, headers, body: Buffer.concat(chunks), connection }
      asked.push(one)
      respond(one, res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  api = client(port)
})

afterEach(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

function client(at: number): ServiceM8Api {
  return createServiceM8Api({
    apiUrl: `http://127.0.0.1:${at}`,
    clock: fixedClock(),
    log: QUIET,
    onCall: (call) => calls.push(call),
    timeouts: { read: 2_000, subscribe: 2_000, send: 2_000, document: 2_000 },
  })
}

function json(body: unknown, headers: Record<string, string> = {}, status = 200): typeof respond {
  return (_asked, res) =>
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function plain(status: number, type: string, body: string | Buffer): typeof respond {
  return (_asked, res) => res.writeHead(status, { 'content-type': type }).end(body)
}

const bodyOf = (one: Asked | undefined) => JSON.parse(one?.body.toString('utf8') ?? '') as unknown

describe('records', () => {
  it('are made with an id of ours, and their id is read from the header', async () => {
    respond = json({ errorCode: '0', message: 'OK' }, { 'x-record-uuid': OURS.toUpperCase() })
    const made = await api.create(TOKEN, 'job', { status: 'Quote' }, { uuid: OURS })
    expect(made).toEqual({ outcome: 'ok', value: { uuid: OURS } })
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/api_1.0/job.json' })
    expect(asked[0]?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' })
    expect(bodyOf(asked[0])).toEqual({ status: 'Quote', uuid: OURS })
  })

  it('have the id the platform gave when it gave another one', async () => {
    respond = json({ errorCode: 0 }, { 'x-record-uuid': JOB })
    expect(await api.create(TOKEN, 'job', {}, { uuid: OURS })).toEqual({ outcome: 'ok', value: { uuid: JOB } })
  })

  it('that were made but have no id are unreadable', async () => {
    expect(await api.create(TOKEN, 'job', { status: 'Quote' })).toMatchObject({ outcome: 'unavailable' })
  })

  it('are refused with the status, so that a repeat can be told', async () => {
    respond = json({ errorCode: 409, message: 'A record with this uuid already exists' }, {}, 409)
    const made = await api.create(TOKEN, 'task', { name: 'x' }, { uuid: OURS })
    expect(made).toEqual({ outcome: 'refused', status: 409, message: 'A record with this uuid already exists' })
  })

  it('are changed field by field, as somebody', async () => {
    await api.update(TOKEN, 'job', JOB, { status: 'Completed' }, { asStaffUuid: OURS })
    expect(asked[0]).toMatchObject({ method: 'POST', url: `/api_1.0/job/${JOB}.json` })
    expect(asked[0]?.headers['x-impersonate-uuid']).toBe(OURS)
    expect(bodyOf(asked[0])).toEqual({ status: 'Completed' })
  })

  it('say flags and numbers as the numbers they are described as, and empty a field with an empty text', async () => {
    const fields = { active: '0', quote_sent: '1', queue_uuid: '', quantity: '2', payment_received: '' }
    await api.update(TOKEN, 'job', JOB, fields)
    expect(bodyOf(asked[0])).toEqual({ ...fields, active: 0, quote_sent: 1 })
  })

  it.each([
    ['job', `/api_1.0/job/${JOB}.json`],
    ['note', `/api_1.0/dbonote/${JOB}.json`],
    ['attachment', `/api_1.0/dboattachment/${JOB}.json`],
  ])('%s are deleted at %s', async (object, path) => {
    expect(await api.remove(TOKEN, object, JOB)).toEqual({ outcome: 'ok', value: null })
    expect(`${asked[0]?.method} ${asked[0]?.url}`).toBe(`DELETE ${path}`)
  })

  it('build no path from a strange name, and keep an id inside its part', async () => {
    await expect(api.create(TOKEN, '../oauth', {})).rejects.toThrow('not an object name')
    await api.update(TOKEN, 'job', '../../x?y', {})
    expect(asked.map((one) => one.url)).toEqual(['/api_1.0/job/..%2F..%2Fx%3Fy.json'])
  })
})

describe('messages', () => {
  it('go out as JSON, without what is empty', async () => {
    respond = json({ errorCode: 0, message: 'OK', messageID: 'm-1' })
    expect(await api.sendSms(TOKEN, { to: '+447700900123', message: 'Hello', regardingJobUuid: JOB })).toEqual({
      outcome: 'ok',
      value: { messageId: 'm-1' },
    })
    expect(asked[0]?.url).toBe('/platform_service_sms')
    expect(bodyOf(asked[0])).toEqual({ to: '+447700900123', message: 'Hello', regardingJobUUID: JOB })
    await api.sendEmail(TOKEN, { to: 'a@b.example', subject: 'S', htmlBody: '<p>x</p>', cc: '', asStaffUuid: OURS })
    expect(asked[1]?.url).toBe('/platform_service_email')
    expect(asked[1]?.headers['x-impersonate-uuid']).toBe(OURS)
    expect(bodyOf(asked[1])).toEqual({ to: 'a@b.example', subject: 'S', htmlBody: '<p>x</p>' })
  })

  it('without a message id were not sent, and that is certain', async () => {
    respond = json({ errorCode: 0, message: 'OK' })
    const sms = await api.sendSms(TOKEN, { to: '+447700900123', message: 'Hello' })
    expect(sms).toMatchObject({ outcome: 'unavailable', status: 200, undone: true })
    const email = await api.sendEmail(TOKEN, { to: 'a@b.example', subject: 'S', textBody: 'x' })
    expect(email).toMatchObject({ outcome: 'unavailable', status: 200, undone: true })
  })

  it('with an answer nobody can read may have been sent', async () => {
    respond = plain(200, 'text/html', '<h1>OK</h1>')
    const sms = await api.sendSms(TOKEN, { to: '+447700900123', message: 'Hello' })
    expect(sms).toMatchObject({ outcome: 'unavailable' })
    expect(sms).not.toHaveProperty('undone')
  })

  it('have a limit of their own, told apart from the one of calls', async () => {
    respond = json({ errorCode: 429, message: 'Messaging throttled: 24 hour quota exceeded' }, {}, 429)
    const throttled = await api.sendSms(TOKEN, { to: '+447700900123', message: 'Hello' })
    expect(throttled).toMatchObject({
      outcome: 'rate_limited',
      ofMessages: true,
      retryAt: fixedClock().now() + 3_600_000,
    })
    respond = plain(429, 'text/plain', 'Number of allowed API requests per minute exceeded')
    const limited = await api.sendSms(TOKEN, { to: '+447700900123', message: 'Hello' })
    expect(limited).toMatchObject({ outcome: 'rate_limited', retryAt: fixedClock().now() + 60_000 })
    expect(limited).not.toHaveProperty('ofMessages')
  })

  it('are not shown in what is told about the call', async () => {
    respond = json({ errorCode: 0, messageID: 'm-1' })
    await api.sendSms(TOKEN, { to: '+447700900123', message: 'A private word' })
    await api.create(TOKEN, 'note', { note: 'A private word', related_object_uuid: JOB })
    expect(calls.map((call) => call.request)).toEqual([
      { to: '+44…123', text: '14 characters' },
      { fields: 'note, related_object_uuid' },
    ])
    expect(JSON.stringify(calls)).not.toMatch(/private|447700900123|secret-access-token/i)
  })
})

describe('an unclear end', () => {
  const send = () => api.sendSms(TOKEN, { to: '+447700900123', message: 'Hello' })

  it('is certain when no connection was made', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port: freed } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const answer = await client(freed).sendSms(TOKEN, { to: '+447700900123', message: 'Hello' })
    expect(answer).toMatchObject({ outcome: 'unavailable', undone: true })
  })

  it('is certain when the platform itself says so', async () => {
    respond = json({ errorCode: 500, message: 'The SMS gateway is down' }, {}, 500)
    expect(await send()).toMatchObject({ outcome: 'unavailable', status: 500, undone: true })
    respond = plain(503, 'text/html', '<h1>503</h1>')
    expect(await send()).toMatchObject({ outcome: 'unavailable', status: 503, undone: true })
  })

  it.each([500, 502, 504])('stays open when a gateway answers %i with a page', async (status) => {
    respond = plain(status, 'text/html', '<h1>Oops</h1>')
    const answer = await send()
    expect(answer).toMatchObject({ outcome: 'unavailable', status })
    expect(answer).not.toHaveProperty('undone')
  })

  it('stays open when the answer is lost', async () => {
    respond = (_one, res) => res.destroy()
    const answer = await send()
    expect(answer).toMatchObject({ outcome: 'unavailable', status: null })
    expect(answer).not.toHaveProperty('undone')
  })

  it('waits for no other: what the platform never saw would count as perhaps sent', async () => {
    const held: ServerResponse[] = []
    respond = (one, res) => {
      held.push(res)
      if (held.length < 40) return
      for (const each of held) json({ errorCode: 0, message: 'OK', messageID: JOB })(one, each)
    }
    const sms = { to: '+61491570156', message: 'Hi' }
    const sent = await Promise.all(Array.from({ length: 40 }, () => api.sendSms(TOKEN, sms)))
    expect(new Set(sent.map(({ outcome }) => outcome))).toEqual(new Set(['ok']))
  })

  it('is not made by a connection that the other side was just closing: each write has its own', async () => {
    respond = json({ errorCode: 0, messageID: 'm' })
    await send()
    await send()
    await api.update(TOKEN, 'job', JOB, { status: 'Quote' })
    expect(new Set(asked.map((one) => one.connection)).size).toBe(3)
  })
})

describe('documents', () => {
  const order = {
    objectType: 'Job',
    objectUuid: JOB,
    templateType: 'Invoice',
    outputFormat: 'pdf',
    storeToDiary: false,
  } as const

  it('are the bytes of the answer', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.from([0xff, 0x00, 0xfe])])
    respond = plain(200, 'application/pdf', bytes)
    const made = await api.produceDocument(TOKEN, { ...order, templateUuid: OURS })
    expect(made).toMatchObject({ outcome: 'ok', value: { mediaType: 'application/pdf' } })
    if (made.outcome === 'ok') expect(Buffer.from(made.value.bytes).equals(bytes)).toBe(true)
    expect(asked[0]?.url).toBe('/platform_produce_document')
    expect(bodyOf(asked[0])).toEqual({
      objectType: 'Job',
      objectUUID: JOB,
      templateType: 'Invoice',
      templateUUID: OURS,
      outputFormat: 'pdf',
      storeToDiary: false,
    })
  })

  it('are told by their first bytes, whatever the type says', async () => {
    respond = plain(200, 'application/json', '%PDF-1.7 and more')
    expect(await api.produceDocument(TOKEN, order)).toMatchObject({ outcome: 'ok' })
    respond = plain(200, 'application/pdf', '{"errorCode":400,"message":"Unknown template"}')
    expect(await api.produceDocument(TOKEN, order)).toMatchObject({ outcome: 'unavailable' })
  })

  it('may be an error with status 200', async () => {
    respond = json({ errorCode: 404, message: 'Job not found' })
    expect(await api.produceDocument(TOKEN, order)).toMatchObject({ outcome: 'refused', message: 'Job not found' })
  })

  it.each(['', '<html>', 'PK\u0003\u0004zip'])('are none when the answer holds something else: %j', async (body) => {
    respond = plain(200, 'application/octet-stream', body)
    expect(await api.produceDocument(TOKEN, order)).toMatchObject({ outcome: 'unavailable' })
  })
})

describe('files', () => {
  const file = {
    uuid: OURS,
    relatedObject: 'job',
    relatedObjectUuid: JOB,
    name: 'Invoice 1042.pdf',
    fileType: '.pdf',
    bytes: new Uint8Array([1, 2, 3]),
  } as const

  it('are a record and then their bytes', async () => {
    respond = json({ errorCode: 0 }, { 'x-record-uuid': OURS })
    expect(await api.uploadFile(TOKEN, file)).toEqual({ outcome: 'ok', value: { uuid: OURS } })
    expect(asked.map((one) => `${one.method} ${one.url}`)).toEqual([
      'POST /api_1.0/attachment.json',
      `POST /api_1.0/attachment/${OURS}.file`,
    ])
    expect(bodyOf(asked[0])).toMatchObject({
      uuid: OURS,
      active: 1,
      related_object: 'job',
      related_object_uuid: JOB,
      attachment_name: 'Invoice 1042.pdf',
      file_type: '.pdf',
    })
    expect(asked[1]?.headers['content-type']).toBe('application/octet-stream')
    expect([...(asked[1]?.body ?? [])]).toEqual([1, 2, 3])
  })

  it('leave no empty record behind when the bytes are refused', async () => {
    respond = (one, res) =>
      one.url.endsWith('.file')
        ? json({ errorCode: 400, message: 'The storage is full' }, {}, 400)(one, res)
        : json({ errorCode: 0 }, { 'x-record-uuid': OURS })(one, res)
    expect(await api.uploadFile(TOKEN, file)).toMatchObject({ outcome: 'refused', message: 'The storage is full' })
    expect(`${asked[2]?.method} ${asked[2]?.url}`).toBe(`DELETE /api_1.0/dboattachment/${OURS}.json`)
  })

  it('fill the record that an earlier try made and emptied', async () => {
    respond = (one, res) =>
      one.url === '/api_1.0/attachment.json'
        ? json({ errorCode: 409, message: 'exists' }, {}, 409)(one, res)
        : json({ errorCode: 0 })(one, res)
    expect(await api.uploadFile(TOKEN, file)).toEqual({ outcome: 'ok', value: { uuid: OURS } })
    expect(asked.map((one) => one.url)).toEqual([
      '/api_1.0/attachment.json',
      `/api_1.0/dboattachment/${OURS}.json`,
      `/api_1.0/attachment/${OURS}.file`,
    ])
    expect(bodyOf(asked[1])).toEqual({ active: 1 })
  })

  it('have an address for a while, which is not followed', async () => {
    respond = (_one, res) => res.writeHead(302, { location: 'https://files.example/x?signature=1' }).end()
    expect(await api.fileAddress(TOKEN, OURS)).toEqual({
      outcome: 'ok',
      value: { url: 'https://files.example/x?signature=1' },
    })
    expect(asked).toHaveLength(1)
    respond = (_one, res) => res.writeHead(302, { location: 'javascript:alert(1)' }).end()
    expect(await api.fileAddress(TOKEN, OURS)).toMatchObject({ outcome: 'unavailable' })
    respond = json({ errorCode: 404, message: 'File not found' }, {}, 404)
    expect(await api.fileAddress(TOKEN, OURS)).toMatchObject({ outcome: 'refused', status: 404 })
  })
})

describe('the feed', () => {
  it('is posted to where the configuration says', async () => {
    const posted = await api.postToFeed(TOKEN, { path: '/unverified_feed', message: 'Done', showActionBar: true })
    expect(posted).toEqual({ outcome: 'ok', value: null })
    expect(asked[0]?.url).toBe('/unverified_feed')
    expect(bodyOf(asked[0])).toEqual({ message: 'Done', showActionBar: true })
  })
})

describe('the gate', () => {
  it('is asked before every exchange, pages of a list included, and told about limits', async () => {
    const told: number[] = []
    let left = 2
    const gate: CallGate = {
      admit: async () =>
        left-- > 0 ? null : { outcome: 'rate_limited', status: 429, message: 'Our own share', retryAt: 7 },
      limited: (until) => told.push(until),
    }
    const acting = api.actingFor('account-1', { gate })
    respond = json([{ uuid: '1' }], { 'x-next-cursor': 'more' })
    let page = 0
    const pages = respond
    respond = (one, res) => (++page > 1 ? json([{ uuid: '2' }], { 'x-next-cursor': `c${page}` }) : pages)(one, res)
    expect(await acting.list(TOKEN, 'job')).toEqual({
      outcome: 'rate_limited',
      status: 429,
      message: 'Our own share',
      retryAt: 7,
    })
    expect(asked).toHaveLength(2)
    left = 1
    respond = plain(429, 'text/plain', 'Number of allowed API requests per minute exceeded')
    await acting.vendor(TOKEN)
    expect(told).toEqual([fixedClock().now() + 60_000])
  })
})

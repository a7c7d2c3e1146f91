import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createServiceM8Api, type ServiceM8Api } from './servicem8.server.ts'
import type { PlatformCall } from './servicem8-call.ts'

interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

let server: Server
let api: ServiceM8Api
let asked: Asked[]
let calls: PlatformCall[]
let logged: string
let respond: (asked: Asked, res: ServerResponse) => void

const TOKEN = 'secret-access-token'

beforeEach(async () => {
  asked = []
  calls = []
  logged = ''
  server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    req.on('end', () => {
      const one = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body }
      asked.push(one)
      respond(one, res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const note = (fields: unknown, message: string) => {
    logged += `${message} ${JSON.stringify(fields)}\n`
  }
  const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log }
  api = createServiceM8Api({
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock: fixedClock(),
    log,
    onCall: (call) => calls.push(call),
    timeouts: { read: 300, subscribe: 900, send: 300 },
  })
})

afterEach(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

function json(body: unknown, headers: Record<string, string> = {}): typeof respond {
  return (_asked, res) =>
    res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

describe('reading', () => {
  it('asks with the token as bearer and for JSON', async () => {
    respond = json([{ uuid: 'a', name: 'A', timezone_name: 'UTC' }])
    expect(await api.vendor(TOKEN)).toEqual({
      outcome: 'ok',
      value: { uuid: 'a', name: 'A', timezone: 'UTC', email: '' },
    })
    expect(asked[0]).toMatchObject({
      method: 'GET',
      url: '/api_1.0/vendor.json',
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
    })
  })

  it('follows the cursor until it is gone', async () => {
    respond = (one, res) => {
      const cursor = new URL(one.url, 'http://x').searchParams.get('cursor')
      const next: Record<string, string> =
        cursor === '-1' ? { 'x-next-cursor': 'c2' } : cursor === 'c2' ? { 'x-next-cursor': 'c3' } : {}
      json([{ uuid: `after ${cursor}` }], next)(one, res)
    }
    expect(await api.list(TOKEN, 'job')).toEqual({
      outcome: 'ok',
      value: [{ uuid: 'after -1' }, { uuid: 'after c2' }, { uuid: 'after c3' }],
    })
  })

  it('stops at the limit, and at a cursor that stands still', async () => {
    respond = json([{ uuid: '1' }, { uuid: '2' }], { 'x-next-cursor': 'same' })
    expect(await api.list(TOKEN, 'job', { limit: 3 })).toMatchObject({ outcome: 'ok', value: { length: 3 } })
    expect(asked).toHaveLength(2)
    asked.length = 0
    expect(await api.list(TOKEN, 'job')).toMatchObject({ outcome: 'ok', value: { length: 4 } })
    expect(asked).toHaveLength(2)
  })

  it('gives one page at a time, with the way to the next', async () => {
    respond = json([{ uuid: '1' }], { 'x-next-cursor': 'c2' })
    const filter = "edit_date gt '2026-01-05 07:00:00'"
    expect(await api.listPage(TOKEN, 'jobcontact', { filter })).toEqual({
      outcome: 'ok',
      value: { records: [{ uuid: '1' }], next: 'c2' },
    })
    respond = json([{ uuid: '2' }])
    expect(await api.listPage(TOKEN, 'jobcontact', { filter, cursor: 'c2' })).toEqual({
      outcome: 'ok',
      value: { records: [{ uuid: '2' }], next: null },
    })
    const encoded = '%24filter=edit_date+gt+%272026-01-05+07%3A00%3A00%27'
    expect(asked.map((one) => one.url)).toEqual([
      `/api_1.0/jobcontact.json?cursor=-1&${encoded}`,
      `/api_1.0/jobcontact.json?cursor=c2&${encoded}`,
    ])
    // A cursor that stands still is the end.
    respond = json([], { 'x-next-cursor': 'c2' })
    expect(await api.listPage(TOKEN, 'jobcontact', { cursor: 'c2' })).toMatchObject({ value: { next: null } })
    respond = json({ not: 'a list' })
    expect(await api.listPage(TOKEN, 'jobcontact')).toMatchObject({ outcome: 'unavailable' })
  })

  it('encodes the name of the filter, which is ignored otherwise', async () => {
    respond = json([])
    await api.list(TOKEN, 'job', { filter: "status eq 'Quote'" })
    expect(asked[0]?.url).toBe('/api_1.0/job.json?cursor=-1&%24filter=status+eq+%27Quote%27')
  })

  it('gives no half list when a later page fails', async () => {
    respond = (one, res) => {
      if (one.url.includes('cursor=-1')) return json([{ uuid: '1' }], { 'x-next-cursor': 'c2' })(one, res)
      res.writeHead(500).end('<h1>Oops</h1>')
    }
    expect(await api.list(TOKEN, 'job')).toMatchObject({ outcome: 'unavailable', status: 500 })
  })

  it.each([
    ['job', '/api_1.0/job/u-1.json'],
    ['note', '/api_1.0/dbonote/u-1.json'],
    ['attachment', '/api_1.0/dboattachment/u-1.json'],
  ])('reads one %s from %s', async (object, path) => {
    respond = json({ uuid: 'u-1' })
    expect(await api.read(TOKEN, object, 'u-1')).toEqual({ outcome: 'ok', value: { uuid: 'u-1' } })
    expect(asked[0]?.url).toBe(path)
  })

  it('builds no path from a strange object name', async () => {
    await expect(api.read(TOKEN, '../vendor', 'u')).rejects.toThrow('not an object name')
    await expect(api.list(TOKEN, 'job/x')).rejects.toThrow('not an object name')
    expect(asked).toEqual([])
  })

  it('keeps a uuid inside its path part', async () => {
    respond = json({ uuid: 'x' })
    await api.read(TOKEN, 'job', '../../oauth?x=1')
    expect(asked[0]?.url).toBe('/api_1.0/job/..%2F..%2Foauth%3Fx%3D1.json')
  })
})

describe('subscriptions', () => {
  it('are asked for as a form', async () => {
    respond = json({ success: true })
    const input = { object: 'job', fields: ['status', 'date'], callbackUrl: 'https://f.example/hooks/platform/SECRET' }
    expect(await api.subscribeObject(TOKEN, input)).toEqual({ outcome: 'ok', value: null })
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/webhook_subscriptions/object' })
    expect(asked[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      object: 'job',
      fields: 'status,date',
      callback_url: 'https://f.example/hooks/platform/SECRET',
    })
  })

  it('need at least one field', async () => {
    await expect(api.subscribeObject(TOKEN, { object: 'job', fields: [], callbackUrl: 'https://a' })).rejects.toThrow(
      'empty',
    )
  })

  it('are refused with the words of the platform', async () => {
    respond = (_one, res) =>
      res.writeHead(400).end('{"success":false,"message":"Object Potato does not support subscription"}')
    expect(await api.subscribeObject(TOKEN, { object: 'potato', fields: ['a'], callbackUrl: 'https://a' })).toEqual({
      outcome: 'refused',
      status: 400,
      message: 'Object Potato does not support subscription',
    })
  })

  it('may take longer than a read, because the platform calls us back meanwhile', async () => {
    respond = (one, res) => setTimeout(() => json({ success: true })(one, res), 500)
    const input = { object: 'job', fields: ['status'], callbackUrl: 'https://a' }
    expect(await api.subscribeObject(TOKEN, input)).toMatchObject({ outcome: 'ok' })
    expect(await api.vendor(TOKEN)).toMatchObject({ outcome: 'unavailable', status: null })
  })

  it('are listed whether active or not, and deleted by uuid', async () => {
    respond = json([])
    expect(await api.listSubscriptions(TOKEN)).toEqual({ outcome: 'ok', value: [] })
    respond = (_one, res) => res.writeHead(404).end('{"message":"No matching webhook found"}')
    expect(await api.deleteSubscription(TOKEN, 'u-1')).toMatchObject({ outcome: 'refused', status: 404 })
    expect(asked.map((one) => `${one.method} ${one.url}`)).toEqual([
      'GET /webhook_subscriptions?status=all',
      'DELETE /webhook_subscriptions/u-1',
    ])
  })
})

describe('an e-mail', () => {
  const mail = { to: 'office@leeds.example', subject: 'Your Job webhook is failing', textBody: 'It fails.' }

  it('is sent as JSON, with nothing empty in it, and answers the id of the message', async () => {
    respond = json({ errorCode: 0, message: 'OK', messageID: 'm-1' })
    expect(await api.sendEmail(TOKEN, mail)).toEqual({ outcome: 'ok', value: { messageId: 'm-1' } })
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/platform_service_email' })
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` })
    expect(asked[0]?.headers['x-impersonate-uuid']).toBeUndefined()
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(mail)
  })

  it('can regard a job, carry files and be sent as somebody', async () => {
    respond = json({ messageID: 'm-1' })
    await api.sendEmail(TOKEN, {
      ...mail,
      htmlBody: '<p>It fails.</p>',
      cc: 'c@leeds.example',
      replyTo: 'r@leeds.example',
      regardingJobUuid: 'job-1',
      attachmentUuids: ['file-1'],
      asStaffUuid: 'staff-1',
    })
    expect(asked[0]?.headers['x-impersonate-uuid']).toBe('staff-1')
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      ...mail,
      htmlBody: '<p>It fails.</p>',
      cc: 'c@leeds.example',
      replyTo: 'r@leeds.example',
      regardingJobUUID: 'job-1',
      attachments: ['file-1'],
    })
  })

  it('without subject or text is a mistake of ours', async () => {
    // Thrown at once or as a rejection: it never leaves.
    const send = async (email: Parameters<typeof api.sendEmail>[1]) => api.sendEmail(TOKEN, email)
    await expect(send({ ...mail, subject: '' })).rejects.toThrow('subject and a text')
    await expect(send({ ...mail, textBody: '' })).rejects.toThrow('subject and a text')
    expect(asked).toEqual([])
  })

  it('was not sent when a good answer names no message', async () => {
    respond = json({ errorCode: 0, message: 'OK' })
    expect(await api.sendEmail(TOKEN, mail)).toMatchObject({ outcome: 'unavailable', status: 200, undone: true })
  })

  it('may have been sent when no answer comes, and was not when there was no connection', async () => {
    respond = () => undefined
    const unclear = await api.sendEmail(TOKEN, mail)
    expect(unclear).toMatchObject({ outcome: 'unavailable', status: null })
    expect(unclear).not.toHaveProperty('undone')
    const port = (server.address() as AddressInfo).port
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    expect(await api.sendEmail(TOKEN, mail)).toMatchObject({ outcome: 'unavailable', status: null, undone: true })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  })

  it.each([
    [403, '{"errorCode":403,"message":"insufficient_scope: publish_email"}', 'forbidden'],
    [429, 'Messaging throttled: too many messages per minute', 'rate_limited'],
    [400, '{"message":"x is not a valid email address"}', 'refused'],
    [503, '<h1>Oops</h1>', 'unavailable'],
  ])('that is answered %i %s is %s', async (status, body, outcome) => {
    respond = (_one, res) => res.writeHead(status).end(body)
    expect(await api.sendEmail(TOKEN, mail)).toMatchObject({ outcome, status })
  })

  it('is told about without its text, and without the whole address', async () => {
    respond = json({ messageID: 'm-1' })
    await api.sendEmail(TOKEN, mail)
    expect(calls[0]).toMatchObject({
      path: '/platform_service_email',
      request: { to: 'o…@leeds.example', subject: mail.subject },
    })
    expect(JSON.stringify(calls)).not.toMatch(/office@|It fails\./)
  })
})

describe('trouble', () => {
  it('on the wire is unavailable, with a sentence', async () => {
    respond = () => undefined
    expect(await api.vendor(TOKEN)).toEqual({
      outcome: 'unavailable',
      status: null,
      message: 'ServiceM8 did not answer within 0 seconds.',
    })
    respond = (_one, res) => res.destroy()
    expect(await api.vendor(TOKEN)).toEqual({
      outcome: 'unavailable',
      status: null,
      message: 'ServiceM8 could not be reached.',
    })
  })

  it('includes a body that never ends', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x')
    respond = (_one, res) => {
      const pour = () => {
        if (!res.destroyed) res.write(chunk, () => setImmediate(pour))
      }
      pour()
    }
    expect(await api.vendor(TOKEN)).toMatchObject({
      outcome: 'unavailable',
      message: expect.stringMatching(/too large|did not answer/),
    })
  })

  it.each(['<html>', '{"uuid":', '"OK"', '[]'])('includes an answer that is no account: %s', async (body) => {
    respond = (_one, res) => res.writeHead(200).end(body)
    expect(await api.vendor(TOKEN)).toEqual({
      outcome: 'unavailable',
      status: null,
      message: 'ServiceM8 sent an answer that could not be read as an account.',
    })
  })

  it('does not follow a redirect with the token in hand', async () => {
    respond = (_one, res) => res.writeHead(302, { location: '/elsewhere' }).end()
    expect(await api.vendor(TOKEN)).toMatchObject({ outcome: 'unavailable', status: 302 })
    expect(asked).toHaveLength(1)
  })
})

describe('what is told about a call', () => {
  it('names the account it was made for, and hides token, query and the secret part of our address', async () => {
    respond = json({ success: true })
    const acting = api.actingFor('account-1')
    await acting.subscribeObject(TOKEN, {
      object: 'job',
      fields: ['status'],
      callbackUrl: 'https://f.example/hooks/platform/SECRET',
    })
    respond = json([{ uuid: '1' }, { uuid: '2' }])
    await acting.list(TOKEN, 'job', { filter: "name eq 'Private'" })
    expect(calls).toEqual([
      {
        accountUuid: 'account-1',
        method: 'POST',
        path: '/webhook_subscriptions/object',
        request: { object: 'job', fields: 'status', callback_url: 'https://f.example/hooks/platform/…' },
        outcome: 'ok',
        status: 200,
        answer: 'OK',
        durationMs: expect.any(Number),
      },
      {
        accountUuid: 'account-1',
        method: 'GET',
        path: '/api_1.0/job.json',
        request: null,
        outcome: 'ok',
        status: 200,
        answer: '2 records',
        durationMs: expect.any(Number),
      },
    ])
    expect(`${JSON.stringify(calls)}${logged}`).not.toMatch(/secret-access-token|SECRET|Private/)
    calls.length = 0
    await acting.listPage(TOKEN, 'jobcontact', { routine: true })
    await acting.listPage(TOKEN, 'jobcontact')
    expect(calls.map((call) => call.routine)).toEqual([true, undefined])
  })
})

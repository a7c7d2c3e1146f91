import type { AppLoadContext } from '@remix-run/node'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TurnError } from '#app/lib/in-turn.server.ts'
import { answerCall } from './calls/call.server.ts'
import { readForm, readJson } from './guards.server.ts'
import { answer, invalid } from './respond.ts'

const schema = z.strictObject({ name: z.string({ error: 'Name is required' }), size: z.number().optional() })

async function caught(run: () => unknown): Promise<{ status: number; body: unknown }> {
  const thrown = await Promise.resolve()
    .then(run)
    .catch((error: unknown) => error)
  if (!(thrown instanceof Response)) throw new Error(`not an answer: ${String(thrown)}`)
  return { status: thrown.status, body: await thrown.json() }
}

function post(body: string, type: string | null = 'application/json'): Request {
  const request = new Request('https://fieldhook.test/api/x', { method: 'POST', body })
  request.headers.delete('content-type')
  if (type) request.headers.set('content-type', type)
  return request
}

describe('a JSON body', () => {
  it('is read as the schema says, with a charset or without', async () => {
    expect(await readJson(post('{"name":"a"}'), schema)).toEqual({ name: 'a' })
    expect(await readJson(post('{"name":"ä"}', 'Application/JSON; charset=utf-8'), schema)).toEqual({ name: 'ä' })
  })

  it('keeps both spellings of an account where nobody asks whether they agree', async () => {
    const body = { accountUUID: 'a', accountuuid: 'b' }
    expect(await readJson(post(JSON.stringify(body)), z.record(z.string(), z.string()))).toEqual(body)
    expect(await readJson(post('{"accountuuid":"b"}'), z.looseObject({}))).toEqual({ accountUUID: 'b' })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', null])('is not %s', async (type) => {
    expect(await caught(() => readJson(post('{"name":"a"}', type), schema))).toEqual({
      status: 415,
      body: { message: 'Send the body as application/json.' },
    })
  })

  it.each(['', '{', 'name=a', '{"name":"a"}}'])('is not the broken text %j', async (text) => {
    expect(await caught(() => readJson(post(text), schema))).toEqual({
      status: 400,
      body: { message: 'The body is not valid JSON.' },
    })
  })

  it('is refused when it is nested more deeply than anything can be written again', async () => {
    const nested = (levels: number) => `{"name":"a","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(await caught(() => readJson(post(nested(45_000)), z.unknown()))).toEqual({
      status: 400,
      body: { message: 'The body is nested too deeply.' },
    })
    expect(await readJson(post(nested(99)), z.looseObject({ name: z.string() }))).toMatchObject({ name: 'a' })
  })

  it('is refused by field', async () => {
    for (const open of [schema, z.record(z.string(), z.unknown())])
      expect(await caught(() => readJson(post('{"name":"x","size":1,"__proto__":{}}'), open))).toEqual({
        status: 400,
        body: { message: 'Not allowed: __proto__', errors: JSON.parse('{"__proto__":["Not allowed"]}') },
      })
    const parameters = z.object({ steps: z.array(z.record(z.string(), z.unknown())) })
    const deep = '{"steps":[{"a":1},{"parameters":{"__proto__":{"x":1}}}]}'
    expect(await caught(() => readJson(post(deep), parameters))).toMatchObject({
      status: 400,
      body: { message: 'Not allowed: steps.1.parameters.__proto__' },
    })
    expect(await caught(() => readJson(post('{"size":"x"}'), schema))).toEqual({
      status: 400,
      body: {
        message: 'Name is required',
        errors: { name: ['Name is required'], size: ['Invalid input: expected number, received string'] },
      },
    })
  })

  it('is refused for fields that are not its own', async () => {
    expect(await caught(() => readJson(post('{"name":"a","id":7,"status":"x"}'), schema))).toEqual({
      status: 400,
      body: { message: 'Not allowed: id, status', errors: { id: ['Not allowed'], status: ['Not allowed'] } },
    })
  })

  it('is refused above its size, announced or not', async () => {
    const large = `{"name":"${'x'.repeat(2000)}"}`
    expect(await caught(() => readJson(post(large), schema, 1024))).toEqual({
      status: 413,
      body: { message: 'The body is larger than 1 KB.' },
    })
    const request = post('{}')
    request.headers.set('content-length', '999999999')
    expect(await caught(() => readJson(request, schema))).toMatchObject({ status: 413 })
  })
})

describe('a form', () => {
  it('is read as fields', async () => {
    const fields = await readForm(post('a=1&b=x+y', 'application/x-www-form-urlencoded'))
    expect(Object.fromEntries(fields)).toEqual({ a: '1', b: 'x y' })
  })

  it('of more fields than any of ours is refused before they are read, which would take seconds', async () => {
    const form = (fields: number) => post('&a'.repeat(fields - 1), 'application/x-www-form-urlencoded')
    expect([...(await readForm(form(10_000)))]).toHaveLength(9_999)
    const began = performance.now()
    expect(await caught(() => readForm(form(500_000), 1024 * 1024))).toEqual({
      status: 413,
      body: { message: 'The form has more than 10,000 fields.' },
    })
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})

describe('errors by field', () => {
  it('do not reach into prototypes', async () => {
    const body = (await invalid([
      { path: ['__proto__'], message: 'No' },
      { path: [], message: 'Whole' },
    ]).json()) as object
    expect(JSON.stringify(body)).toBe('{"message":"No","errors":{"__proto__":["No"],"":["Whole"]}}')
  })
})

describe('the frame of a call', () => {
  const logged: string[] = []
  const error = (fields: { error?: unknown }, message: string) => logged.push(`${message} ${String(fields.error)}`)
  const context = { app: { log: { error } } } as unknown as AppLoadContext
  const call = (method: string, handlers: Parameters<typeof answerCall>[1]) =>
    answerCall({ request: new Request('https://fieldhook.test/api/x', { method }), context }, handlers)

  it('chooses by method and answers HEAD like GET', async () => {
    const handlers = { GET: () => answer(200, 'got'), POST: async () => answer(201, 'made') }
    expect(await (await call('GET', handlers)).json()).toBe('got')
    expect((await call('HEAD', handlers)).status).toBe(200)
    expect((await call('POST', handlers)).status).toBe(201)
  })

  it('answers 503 when another instance does not come to an end', async () => {
    const busy = await call('GET', { GET: () => Promise.reject(new TurnError('Please try again in a moment.')) })
    expect(busy.status).toBe(503)
    expect(await busy.json()).toEqual({ message: 'Please try again in a moment.' })
    expect(logged).toEqual([])
  })

  it.each(['DELETE', 'PATCH', 'OPTIONS', 'constructor'])('answers 405 to %s, with what is allowed', async (method) => {
    const answered = await call(method, { GET: () => answer(200, ''), POST: () => answer(200, '') })
    expect(answered.status).toBe(405)
    expect(answered.headers.get('allow')).toBe('GET, POST')
    expect(await answered.json()).toEqual({ message: 'This address takes GET, POST.' })
  })

  it('gives back what a guard throws', async () => {
    const answered = await call('GET', { GET: () => Promise.reject(answer(404, { message: 'Not found' })) })
    expect(answered.status).toBe(404)
  })

  it('logs a bug and tells nothing of it', async () => {
    const answered = await call('GET', { GET: () => Promise.reject(new Error('secret detail')) })
    expect(answered.status).toBe(500)
    expect(await answered.text()).toBe('{"message":"Something went wrong on our side. Please try again."}')
    expect(logged).toEqual(['call.failed Error: secret detail'])
  })
})

// The way of an event and of a run, as a collector sees it: a real one's wire, on this machine.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTraceparent, writeTraceparent } from '#app/adapters/tracing.ts'
import type { Committer } from '#app/features/automations/actions/action.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { ADDRESS, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { type ObservedParts, observeParts } from './observe/observed-parts.server.ts'
import { createPlatformIngress } from './platform-ingress.server.ts'

const SECRET_BODY = 'customer wants the boiler mended'
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true }

interface SeenSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
  facts: Record<string, unknown>
}

let world: EngineWorld
let collector: Server
let bodies: string[]
let headers: (string | undefined)[]
let answers: number
let observed: ObservedParts
beforeEach(async () => {
  world = engineWorld()
  bodies = []
  answers = 200
  headers = []
  collector = await listening((req, res) => {
    let body = ''
    req.on('data', (chunk) => {
      body += String(chunk)
    })
    req.on('end', () => {
      bodies.push(`${req.url} ${body}`)
      headers.push(req.headers['x-key']?.toString())
      res.writeHead(answers, { 'content-type': 'application/json' }).end('{}')
    })
  })
  observed = await observeParts({
    log: world.log,
    version: '1.2.3',
    tracing: { endpoint: originOf(collector), serviceName: 'hooks', headers: { 'x-key': 'collector-key' } },
  })
})
afterEach(async () => {
  collector.closeAllConnections()
  collector.close()
  await world.close()
})

async function listening(handler: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(handler ?? (() => {}))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}
const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Everything that was begun, by name, once all of it was sent. */
async function collected(): Promise<Map<string, SeenSpan>> {
  await observed.stop()
  const spans = bodies.flatMap((line) => {
    expect(line.startsWith('/v1/traces ')).toBe(true)
    const { resourceSpans } = JSON.parse(line.slice('/v1/traces '.length))
    return resourceSpans.flatMap((one: { scopeSpans: { spans: Record<string, unknown>[] }[] }) =>
      one.scopeSpans.flatMap(({ spans: all }) => all),
    )
  })
  const seen = spans.map(({ name, traceId, spanId, parentSpanId = '', attributes }): [string, SeenSpan] => {
    const facts = Object.fromEntries(
      attributes.map(({ key, value }: { key: string; value: object }) => [key, Object.values(value)[0]]),
    )
    return [name, { name, traceId, spanId, parentSpanId, facts }]
  })
  return new Map(seen)
}

function subscription(): string {
  const token = newToken()
  world.client.sql
    .prepare(
      `INSERT INTO subscription (account_uuid, object, fields, token_hash, token_sealed, state, created_at, updated_at)
       VALUES (?, 'job', 'status', ?, '', 'active', 0, 0)`,
    )
    .run(LEEDS, hashToken(token))
  return token
}

describe('with a collector', () => {
  it('an event is one trace from the call that brought it to the forward that carries it on', async () => {
    world.endpoint()
    const token = subscription()
    const engine = world.engine({
      store: observed.store(world.store),
      outbound: observed.outbound(world.outbound),
      around: observed.deliver,
    })
    engine.start()
    await world.clock.settle()
    const app = { ...world.app, acceptEvent: observed.acceptEvent(engine.acceptEvent) }
    const ingress = observed.ingress(createPlatformIngress(app, { clientIp: () => '203.0.113.9' }))
    const server = await listening((req, res) => void ingress(req, res))
    const answer = await fetch(`${originOf(server)}/hooks/platform/${token}`, {
      method: 'POST',
      headers: { traceparent: writeTraceparent(CALLER), connection: 'close' },
      body: JSON.stringify({
        object: 'job',
        entry: [{ uuid: LEEDS, changed_fields: ['status'], time: SECRET_BODY }],
        resource_url: 'https://x/',
      }),
    })
    expect(answer.status).toBe(200)
    await new Promise((resolve) => server.close(resolve))
    await world.clock.run(1_000)

    const spans = await collected()
    expect([...spans.keys()].sort()).toEqual(['attempt', 'commit', 'delivery', 'ingress'])
    const { ingress: first, commit, delivery, attempt } = Object.fromEntries(spans) as Record<string, SeenSpan>
    expect(new Set([...spans.values()].map(({ traceId }) => traceId))).toEqual(new Set([CALLER.traceId]))
    expect([first?.parentSpanId, commit?.parentSpanId, delivery?.parentSpanId, attempt?.parentSpanId]).toEqual([
      CALLER.spanId,
      first?.spanId,
      commit?.spanId,
      delivery?.spanId,
    ])
    expect(commit?.facts['fieldhook.event.seq']).toBe(delivery?.facts['fieldhook.event.seq'])
    expect(delivery?.facts['fieldhook.event.id']).toBe(world.row('SELECT id FROM event').id)
    expect(attempt?.facts).toMatchObject({ 'fieldhook.outcome': 'delivered', 'http.response.status_code': 200 })
    expect(readTraceparent(world.outbound.sent[0]?.headers.traceparent ?? null)).toEqual({
      ...CALLER,
      spanId: attempt?.spanId,
    })
    const sent = bodies.join('')
    for (const secret of [token, LEEDS, ADDRESS, SECRET_BODY, '203.0.113.9']) expect(sent).not.toContain(secret)
    expect(sent).toContain('"hooks"')
    expect(new Set(headers)).toEqual(new Set(['collector-key']))
  })

  it('a run holds its steps, and a fault marks it', async () => {
    const committer = observed.committer({
      commit: async () => ({ outcome: 'unknown', sentence: SECRET_BODY }),
    } as unknown as Committer)
    const broken = observed.run({ id: 7, account: LEEDS }, async () => {
      const context = { identity: { accountUuid: LEEDS, runId: 7, stepId: 's1' } }
      await committer.commit(
        { kind: 'send_sms' } as Parameters<Committer['commit']>[0],
        context as Parameters<Committer['commit']>[1],
      )
      throw new Error(SECRET_BODY)
    })
    await expect(broken).rejects.toThrow(SECRET_BODY)
    const spans = await collected()
    expect(spans.get('step')).toMatchObject({
      parentSpanId: spans.get('run')?.spanId,
      facts: { 'fieldhook.run.id': 7, 'fieldhook.step.id': 's1', 'fieldhook.outcome': 'unknown' },
    })
    expect(bodies.join('')).not.toContain(SECRET_BODY)
    expect(bodies.join('').match(/"code":2/g)).toHaveLength(2)
  })

  it('that refuses is said once, and costs nothing else', async () => {
    answers = 400
    await observed.run({ id: 1, account: LEEDS }, async () => {})
    await observed.stop()
    expect(world.logged.filter((line) => line === 'tracing.not_sent')).toHaveLength(1)
  })
})

describe('without one', () => {
  it('forwards carry no traceparent, and every part is what it was', async () => {
    const plain = await observeParts({ log: world.log, version: '1.2.3', tracing: null })
    world.endpoint()
    const deliver = async () => Promise.reject(new Error('never called'))
    expect(plain.deliver(deliver)).toBe(deliver)
    const outbound = plain.outbound(world.outbound)
    await outbound.post({ url: ADDRESS, headers: {}, body: '' })
    expect(world.outbound.sent[0]?.headers).toEqual({})
    await plain.stop()
    await observed.stop()
  })

  it('no library of it is loaded: one module imports them, and that one is imported only when there is a collector', () => {
    const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
    const texts = files
      .filter((file) => !file.includes('.test.'))
      .map((file) => [file, readFileSync(`app/${file}`, 'utf8')])
    const importing = (what: RegExp) => texts.filter(([, text]) => what.test(text ?? '')).map(([file]) => file)
    expect(importing(/from '@opentelemetry\//)).toEqual(['adapters/tracing.server.ts'])
    expect(importing(/from '.*(tracing|traced-parts)\.server\.ts'/)).toEqual([])
    expect(importing(/await import\('#app\/adapters\/tracing\.server\.ts'\)/)).toEqual([
      'boot/observe/observed-parts.server.ts',
    ])
  })
})

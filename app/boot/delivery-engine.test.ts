import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { webhookStatus } from '#app/features/endpoints/endpoint-status.ts'
import { watchEndpoints } from '#app/features/endpoints/notices/watch-endpoints.server.ts'
import { replaySince } from '#app/features/events/delivering/send-again.server.ts'
import { loadDelivery } from '#app/features/events/delivery-detail.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(async () => {
  await world.close()
})

async function started() {
  const engine = world.engine()
  engine.start()
  await world.clock.settle()
  return engine
}

describe('an event on its way', () => {
  it('is stored, sent at once and written down', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    const event = anEvent(world)
    expect(await engine.acceptEvent(event)).toMatchObject({ outcome: 'stored', deliveries: [{ endpointId }] })
    await engine.idle()
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.outbound.sent[0]).toMatchObject({ url: ADDRESS, body: event.body })
    expect(world.row('SELECT state, attempts, last_code FROM delivery')).toEqual({
      state: 'delivered',
      attempts: 1,
      last_code: 200,
    })
    expect(world.row('SELECT number, outcome, status_code, sentence FROM attempt')).toEqual({
      number: 1,
      outcome: 'delivered',
      status_code: 200,
      sentence: 'Delivered: your address answered 200.',
    })
    expect(world.row('SELECT pending_count, last_code FROM endpoint')).toEqual({ pending_count: 0, last_code: 200 })
    expect(world.row('SELECT pending_count, pending_bytes FROM account_load')).toEqual({
      pending_count: 0,
      pending_bytes: 0,
    })
    expect(world.rows('SELECT kind, count FROM usage_day ORDER BY kind')).toEqual([
      { kind: 'webhook_forwarded', count: 1 },
      { kind: 'webhook_received', count: 1 },
    ])
    expect(world.row('SELECT events, delivered, failed FROM endpoint_hour')).toEqual({
      events: 1,
      delivered: 1,
      failed: 0,
    })
  })

  it('carries headers a receiver can check', async () => {
    const endpointId = world.endpoint()
    const engine = await started()
    await engine.acceptEvent(anEvent(world, { body: '{"é":1}' }))
    await engine.idle()
    const { headers = {}, body } = world.outbound.sent[0] ?? {}
    const eventId = String(world.row('SELECT id FROM event').id).replaceAll('-', '')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Fieldhook/1.2.3',
      'webhook-id': `evt_${eventId}_${endpointId}`,
      'webhook-timestamp': String(world.clock.now() / 1000),
      'x-fieldhook-attempt': '1',
    })
    const sealed = String(world.row('SELECT secret_sealed FROM endpoint').secret_sealed)
    const opened = await world.app.secrets.open(`endpoint|${LEEDS}|secret`, sealed)
    const secret = opened.slice('whsec_'.length)
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const expected = createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${expected}`)
  })

  it('goes to a chat program in words: signed and retried as any other, and its page shows what was sent', async () => {
    const slack = 'https://hooks.slack.com/services/T0/B0/x'
    world.endpoint({ url: slack })
    world.outbound.when(slack, (_request, count) => ({ status: count < 2 ? 500 : 200 }))
    const seen = world.client.sql.prepare(
      `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
       VALUES (?, ?, ?, '', ?, ?, 0)`,
    )
    const engine = await started()
    const now = world.clock.now()
    seen.run(LEEDS, 'rules:job', 'job-1', '{"generated_job_id":"3128","company_uuid":"joan"}', now)
    seen.run(LEEDS, 'rules:company', 'joan', '{"name":"Joan <Hartley>"}', now + 1)
    await engine.acceptEvent(anEvent(world, { objectUuid: 'job-1' }))
    await world.clock.settle()
    const shown = async () => {
      const id = Number(world.row('SELECT id FROM delivery').id)
      return (await loadDelivery(world.app, LEEDS, id))?.request
    }
    const { sent } = world.outbound
    expect(sent.map(({ body }) => JSON.parse(body).text)).toEqual(['Job 3128 changed: status'])
    expect(await shown()).toMatchObject({ body: sent[0]?.body, chat: 'Slack' })
    await world.clock.run(minutes(1))
    expect(JSON.parse(sent[1]?.body ?? '').text).toBe('Job 3128 · Joan &lt;Hartley&gt; changed: status')
    expect(await shown()).toMatchObject({ body: sent[1]?.body })
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const sealed = String(world.row('SELECT secret_sealed FROM endpoint').secret_sealed)
    const secret = (await world.app.secrets.open(`endpoint|${LEEDS}|secret`, sealed)).slice('whsec_'.length)
    for (const { headers, body } of sent) {
      const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    }
  })

  it('asks what its record is called before it says so in a chat program, and nobody else’s sending waits for that', async () => {
    const slack = 'https://hooks.slack.com/services/T0/B0/x'
    for (const url of [slack, ADDRESS]) world.endpoint({ url })
    const asked: unknown[] = []
    const engine = world.engine({
      async namesOf(account, places) {
        asked.push([account, ...places])
        if (places[0]?.recordUuid === 'job-2') throw new Error('no answer')
        const fields = { generated_job_id: '3128' }
        await world.store.records.keepNames(
          account,
          [{ object: 'job', recordUuid: 'job-1', fields }],
          world.clock.now(),
        )
        return new Map()
      },
    })
    engine.start()
    await world.clock.settle()
    for (const objectUuid of ['job-1', 'job-2']) await engine.acceptEvent(anEvent(world, { objectUuid }))
    await engine.idle()
    const texts = world.outbound.sent.filter(({ url }) => url === slack).map(({ body }) => JSON.parse(body).text)
    expect(texts.sort()).toEqual(['Job 3128 changed: status', 'Job changed: status'])
    expect(world.outbound.sent).toHaveLength(4)
    expect(asked).toEqual(['job-1', 'job-2'].map((recordUuid) => [LEEDS, { object: 'job', recordUuid }]))
  })

  it('goes to every endpoint of its object whose filter it passes, and to nobody else', async () => {
    world.endpoint({ url: 'https://a.example.com/' })
    world.endpoint({ url: 'https://b.example.com/', fields: 'status,date' })
    world.endpoint({ url: 'https://c.example.com/', fields: 'date' })
    world.endpoint({ url: 'https://d.example.com/', object: 'company' })
    world.endpoint({ url: 'https://e.example.com/', account: BRISBANE })
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await engine.idle()
    expect(world.outbound.sent.map(({ url }) => url).sort()).toEqual([
      'https://a.example.com/',
      'https://b.example.com/',
    ])
  })

  it('is sent once however often the platform repeats it', async () => {
    world.endpoint()
    const engine = await started()
    const event = anEvent(world)
    const answers = await Promise.all([engine.acceptEvent(event), engine.acceptEvent(event), engine.acceptEvent(event)])
    await engine.acceptEvent(event)
    await engine.idle()
    expect(answers.map(({ outcome }) => outcome)).toEqual(['stored', 'duplicate', 'duplicate'])
    expect(world.outbound.sent).toHaveLength(1)
  })

  it('of one record arrives in the order received, never two at a time, while others pass', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { afterMs: 100 })
    const engine = await started()
    for (let n = 0; n < 30; n++) {
      await engine.acceptEvent(anEvent(world, { objectUuid: n % 3 === 0 ? 'same' : `other-${n}`, body: `{"n":${n}}` }))
      await world.clock.run(10)
    }
    await world.clock.run(seconds(10))
    expect(world.outbound.sent).toHaveLength(30)
    const same = world.outbound.sent.filter(({ body }) => JSON.parse(body).n % 3 === 0)
    expect(same.map(({ body }) => JSON.parse(body).n)).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
    for (const [index, request] of same.entries()) {
      expect(request.at - (same[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(100)
    }
    expect(world.outbound.mostAtOnce(ADDRESS)).toBeGreaterThan(1)
    expect(world.outbound.mostAtOnce(ADDRESS)).toBeLessThanOrEqual(4)
  })
})

describe('signing', () => {
  it('uses both secrets while one replaces the other, and only the new one afterwards', async () => {
    world.endpoint()
    const engine = await started()
    const old = world.row('SELECT secret_sealed FROM endpoint').secret_sealed
    const fresh = await world.app.secrets.seal(`endpoint|${LEEDS}|secret`, newSigningSecret())
    world.client.sql
      .prepare('UPDATE endpoint SET secret_sealed = ?, previous_secret_sealed = ?, previous_secret_until = ?')
      .run(fresh, old, world.clock.now() + minutes(1))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    await engine.acceptEvent(anEvent(world))
    await engine.idle()
    const signatures = world.outbound.sent.map(({ headers }) => headers['webhook-signature']?.split(' ').length)
    expect(signatures).toEqual([2, 1])
  })

  it('that is not possible sends nothing, is tried again, and is not held against the address', async () => {
    world.endpoint()
    world.client.sql.prepare("UPDATE endpoint SET secret_sealed = 'v1.k9.x.x.x'").run()
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(1))
    expect(world.outbound.sent).toHaveLength(0)
    expect(world.row('SELECT outcome, sentence FROM attempt')).toEqual({
      outcome: 'internal',
      sentence: 'An error on our side stopped this. We retry automatically.',
    })
    expect(world.row('SELECT failing_since, failure_streak FROM endpoint')).toEqual({
      failing_since: null,
      failure_streak: 0,
    })
    expect(world.row('SELECT state, attempts FROM delivery')).toEqual({ state: 'pending', attempts: 3 })
  })
})

describe('an address that fails', () => {
  it('is tried again after 5 s, 30 s, 2 min and so on, with the same id, until it works', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => ({ status: count < 5 ? 500 : 200 }))
    const engine = await started()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(30))
    const { sent } = world.outbound
    expect(sent.map((request, n) => request.at - (sent[n - 1]?.at ?? request.at))).toEqual([
      0, 5_500, 33_000, 132_000, 660_000,
    ])
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(sent.map(({ headers }) => headers['x-fieldhook-attempt'])).toEqual(['1', '2', '3', '4', '5'])
    expect(world.row('SELECT state, attempts FROM delivery')).toEqual({ state: 'delivered', attempts: 5 })
    expect(world.row('SELECT failing_since, failure_streak FROM endpoint')).toEqual({
      failing_since: null,
      failure_streak: 0,
    })
  })

  it('gets a last try exactly at the deadline, and then the event is given up', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { status: 500 })
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    const receivedAt = world.clock.now()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(hours(73))
    const { sent } = world.outbound
    expect(sent.at(-1)?.at).toBe(receivedAt + hours(72))
    expect(world.row('SELECT state, state_reason, attempts FROM delivery')).toMatchObject({
      state: 'expired',
      state_reason: expect.stringContaining('Not delivered within 72 hours.'),
      attempts: sent.length,
    })
    expect(world.row('SELECT count(*) AS attempts FROM attempt')).toEqual({ attempts: sent.length })
    expect(world.row('SELECT pending_count FROM account_load')).toEqual({ pending_count: 0 })
  })

  it('with 410 is stopped: nothing more is sent, what waits is kept for later', async () => {
    const endpointId = world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) => (count === 1 ? { status: 410, afterMs: 1_000 } : { status: 200 }))
    const engine = await started()
    for (let n = 0; n < 5; n++) await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(5))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(5))
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.row('SELECT state, pending_count FROM endpoint')).toEqual({ state: 'stopped', pending_count: 0 })
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'stopped'")).toEqual({ n: 6 })
    expect(
      world.row("SELECT count(*) AS n FROM attempt WHERE outcome = 'stopped' AND sentence LIKE 'Not sent%'"),
    ).toEqual({ n: 5 })

    const app = { ...world.app, wakeDeliveries: engine.wake }
    expect(await world.store.deliveries.resumeEndpoint(LEEDS, endpointId, world.clock.now())).toBe(true)
    const replay = await replaySince(app, LEEDS, endpointId, {
      since: 0,
      status: 'failed',
      objectUuid: null,
    })
    expect(replay).toMatchObject({ outcome: 'started', count: 6 })
    await world.clock.run(minutes(5))
    expect(world.outbound.sent).toHaveLength(7)
    expect(new Set(world.outbound.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(6)
  })

  it('with 429 is left alone as long as it asks, for all its events, and no step is used up', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, (_request, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '300' } } : { status: 200 },
    )
    const engine = await started()
    const first = world.clock.now()
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(10))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(minutes(4))
    expect(world.outbound.sent).toHaveLength(1)
    expect(world.row('SELECT hold_until, hold_reason, failing_since FROM endpoint')).toEqual({
      hold_until: first + minutes(5),
      hold_reason: 'Your address answered 429 and asked us to wait 5 minutes. We pause and send more slowly.',
      failing_since: null,
    })
    await world.clock.run(minutes(2))
    expect(world.outbound.sent.map(({ at }) => at - first).slice(0, 2)).toEqual([0, minutes(5)])
    expect(world.outbound.sent).toHaveLength(3)
    expect(world.row('SELECT min(steps) AS least, max(steps) AS most FROM delivery')).toEqual({ least: 0, most: 0 })
  })

  it('with 429 until all are given up counts as failing, also for those that had no last try', async () => {
    const endpointId = world.endpoint()
    world.outbound.when(ADDRESS, { status: 429, headers: { 'retry-after': '86400' } })
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    for (let n = 0; n < 5; n++) {
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(seconds(1))
    }
    await world.clock.run(hours(72) + minutes(20))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'expired'")).toEqual({ n: 5 })
    const { failing_since, failure_events } = world.row('SELECT failing_since, failure_events FROM endpoint')
    expect([failing_since, JSON.parse(String(failure_events)).length]).toEqual([expect.any(Number), 3])
    // A busy address always has something that waits.
    await world.clock.run(minutes(15))
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(seconds(1))
    await watchEndpoints({ ...world.app, outbound: world.outbound })
    expect(world.row('SELECT kind, subject_id FROM notice')).toEqual({ kind: 'failing', subject_id: endpointId })
    const { sql } = world.client
    const rule =
      "INSERT INTO forwarding_rule (account_uuid, name, object_type, created_at, updated_at) VALUES (?, '', 'job', 0, 0)"
    sql
      .prepare('UPDATE endpoint SET forwarding_rule_id = ? WHERE id = ?')
      .run(sql.prepare(rule).run(LEEDS).lastInsertRowid, endpointId)
    const [record] = await world.store.endpoints.listEndpoints(LEEDS, 'extra')
    if (!record) throw new Error('no record')
    const condition = { ...record, subscription: { stateReason: null }, polling: null, meanMs: null, note: null }
    const { status, sentence } = webhookStatus(condition, world.clock.now(), 'Europe/London')
    expect(status).toBe('failing')
    expect(sentence).toMatch(/ answered 429 .* We send again at .*\. 1 event waiting\.$/)
  })

  it('for good is probed with one event after the other instead of all of them', async () => {
    world.endpoint()
    world.outbound.when(ADDRESS, { status: 500 })
    const engine = world.engine({ beatMs: minutes(1) })
    engine.start()
    for (let n = 0; n < 60; n++) {
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(seconds(10))
    }
    const opened = world.outbound.sent.length
    expect(world.row('SELECT breaker, state FROM endpoint')).toEqual({ breaker: 'open', state: 'active' })
    await world.clock.run(hours(6))
    const probes = world.outbound.sent.slice(opened)
    expect(probes.length).toBeLessThan(35)
    expect(probes.length).toBeGreaterThan(20)
    const ids = probes.map(({ headers }) => headers['webhook-id'])
    for (const [index, id] of ids.entries()) expect(id).not.toBe(ids[index - 1])
    expect(new Set(ids).size).toBeGreaterThan(15)

    world.outbound.when(ADDRESS, {})
    await world.clock.run(minutes(16))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: 60 })
    expect(world.row('SELECT breaker, failing_since FROM endpoint')).toEqual({ breaker: 'closed', failing_since: null })
  })

  it('for 72 hours is switched off, keeps what arrives waiting, and starts again when told to', async () => {
    const endpointId = world.endpoint()
    world.outbound.when(ADDRESS, { fails: 'refused' })
    const engine = world.engine({ beatMs: minutes(10) })
    engine.start()
    for (let n = 0; n < 40; n++) {
      await engine.acceptEvent(anEvent(world))
      await world.clock.run(hours(2))
    }
    expect(world.row('SELECT state, state_reason FROM endpoint')).toMatchObject({
      state: 'failing',
      state_reason: expect.stringContaining('Nothing could be delivered for 72 hours.'),
    })
    const before = world.outbound.sent.length
    await engine.acceptEvent(anEvent(world))
    await world.clock.run(hours(2))
    expect(world.outbound.sent).toHaveLength(before)
    world.outbound.when(ADDRESS, {})
    await world.store.deliveries.resumeEndpoint(LEEDS, endpointId, world.clock.now())
    engine.wake(endpointId)
    await world.clock.run(minutes(1))
    expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'pending'")).toEqual({ n: 0 })
    expect(world.outbound.sent.length).toBeGreaterThan(before)
  })
})

// What an owner can look up, take along and end, at the built server: who did it and from where is known although nothing hands it
// through, and an erased account is gone from the file.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SignedInServer, signIn, startSignedInServer } from '#tests/support/signed-in-server.ts'

let stage: SignedInServer
let by: string

beforeAll(async () => {
  stage = await startSignedInServer()
  by = `?accountUUID=${stage.accountUUID}`
})
afterAll(() => stage.server.dispose())

interface Entry {
  action: string
  actor: string
  target: string
  outcome: string
  ip: string | null
  detail: Record<string, unknown>
}

async function entries(query = ''): Promise<Entry[]> {
  const answer = await stage.browser.json('GET', `/api/audit${by}${query}`)
  expect(answer.status).toBe(200)
  return (answer.body as { entries: Entry[] }).entries
}

async function make(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await stage.browser.json('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body as Record<string, unknown>
}

test('the log knows who asked, from where, and what Fieldhook did by itself', async () => {
  const { server, accountUUID } = stage
  await make('/api/webhooks', {
    callback_url: `${server.origin}/sandbox/receiver/care`,
    object: 'job',
    fields: '',
    active: true,
    accountUUID,
  })
  const rule = await make('/api/automation', {
    accountUUID,
    name: 'Text the customer',
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_updated',
    conditions: [{ field: 'contact_mobile', operator: 'is_not_empty', value: '' }],
    actions: [
      { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' } },
    ],
  })
  await make(`/api/automation/${rule.id}/run`, {})
  await expect.poll(async () => (await entries('&group=messages')).length, { timeout: 15_000, interval: 200 }).toBe(1)
  const told = await entries()
  const of = (action: string) => told.find((entry) => entry.action === action)
  const local = expect.stringMatching(/^(127\.0\.0\.1|::1)$/)
  expect(of('sign_in')).toMatchObject({ actor: 'session', outcome: 'done', ip: local })
  expect(of('webhook.created')).toMatchObject({ actor: 'session', ip: local, target: 'job' })
  expect(of('automation.created')).toMatchObject({ actor: 'session', ip: local, target: 'Text the customer' })
  expect(of('run.started')).toMatchObject({ actor: 'session', ip: local })
  // Set off by a person, done by the engine: it is the engine's, and it says of whose wish it was by the run.
  expect(of('message.sent')).toMatchObject({ actor: 'system', ip: null, target: 'a customer' })
  expect(JSON.stringify(told)).not.toMatch(/\+44|\+61|07\d{8}/)
})

test('an account that is erased is gone from the file, and signs in as new', async () => {
  const { server, browser, accountUUID } = stage
  const copy = await browser.raw('GET', `/api/export${by}`, undefined, {})
  expect(copy.status).toBe(200)
  const { name } = (JSON.parse(copy.text) as { account: { name: string } }).account
  const erased = await browser.json('POST', `/api/erase${by}`, { name })
  expect(erased.status).toBe(202)
  expect((await browser.json('GET', `/api/audit${by}`)).status).toBe(401)
  const headers = { origin: server.origin }
  const db = server.database.open()
  try {
    const left = () =>
      Object.fromEntries(
        ['account', 'credential', 'event', 'run', 'endpoint', 'automation', 'account_key', 'lease'].map((table) => {
          const column = table === 'account' ? 'uuid' : table === 'lease' ? 'name' : 'account_uuid'
          const count = db.prepare(`SELECT count(*) FROM ${table} WHERE ${column} LIKE ?`).pluck()
          return [table, count.get(`%${accountUUID}`)]
        }),
      )
    expect(left()).toMatchObject({ account: 1, lease: 1 })
    // The minute passes on the pretend platform's clock.
    const moved = await fetch(`${server.origin}/sandbox/console/clock`, {
      method: 'POST',
      body: new URLSearchParams({ by: '1h', back: '/sandbox' }),
      headers,
      redirect: 'manual',
    })
    expect(moved.status).toBeLessThan(400)
    await expect
      .poll(left, { timeout: 90_000, interval: 500 })
      .toEqual({ account: 0, credential: 0, event: 0, run: 0, endpoint: 0, automation: 0, account_key: 0, lease: 0 })
    const kept = db.prepare("SELECT action FROM audit_entry WHERE account_uuid = ? AND outcome = 'done'").pluck()
    expect(kept.all(accountUUID)).toEqual(expect.arrayContaining(['sign_in', 'exported', 'erasure.begun', 'erased']))
  } finally {
    db.close()
  }
  const back = await signIn(browser, accountUUID)
  expect(back.status).toBe(200)
  const webhooks = await browser.json('GET', `/api/webhooks${by}`)
  expect([webhooks.status, webhooks.body]).toEqual([200, []])
})

test('a browser that asks too often waits, and nobody else', async () => {
  const small = await startSignedInServer({ REQUESTS_PER_MINUTE: '60' })
  try {
    const path = `/api/accounts?accountUUID=${small.accountUUID}`
    let last = await small.browser.raw('GET', path, undefined, {})
    for (let n = 0; n < 80 && last.status === 200; n += 1) last = await small.browser.raw('GET', path, undefined, {})
    expect([last.status, JSON.parse(last.text)]).toEqual([
      429,
      { message: expect.stringContaining('Too many requests') },
    ])
    const stranger = await fetch(`${small.server.origin}${path}`)
    expect([stranger.status, await stranger.json()]).toEqual([200, []])
  } finally {
    await small.server.dispose()
  }
})

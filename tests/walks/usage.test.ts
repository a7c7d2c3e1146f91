// What counts against the plan, at the built server: what webhooks and automations do, and nothing that a person looks at.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MATRIX, type OwnedIds } from '#tests/support/call-matrix.ts'
import { type SignedInServer, startSignedInServer } from '#tests/support/signed-in-server.ts'

let stage: SignedInServer
let ids: OwnedIds
let forwardingUrl: string
let jobs: string[]

beforeAll(async () => {
  stage = await startSignedInServer({ REQUESTS_PER_MINUTE: '100000' })
  const { accountUUID: account } = stage
  const callback_url = `${stage.server.origin}/sandbox/receiver/usage`
  const webhook = await call('POST', '/api/webhooks', { accountUUID: account, object: 'job', callback_url })
  forwardingUrl = String(webhook.forwardingUrl)
  const rule = await call('POST', `/api/forwarding-rules?accountUUID=${account}`, {
    name: 'Second',
    objectType: 'company',
    forwardUrl: callback_url,
    fieldFilters: '',
  })
  const automation = await call('POST', '/api/automation', {
    accountUUID: account,
    name: 'Call back',
    triggerSource: 'manual_endpoint',
    actions: [{ type: 'create_task', parameters: { title: 'Call back about {entry.0.generated_job_id}' } }],
  })
  const listed = await stage.browser.json('GET', `/api/servicem8/jobs/${account}`)
  jobs = (listed.body as { uuid: string }[]).map(({ uuid }) => uuid)
  ids = {
    account,
    webhook: webhook.id,
    rule: rule.id,
    automation: automation.id,
    delivery: 1,
    run: 1,
    mute: 1,
    template: 1,
  }
})

afterAll(() => stage.server.dispose())

async function call(method: string, path: string, body: unknown) {
  const answer = await stage.browser.json(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as { id: number } & Record<string, unknown>
}

interface Usage {
  apiCalls: number
  webhooksReceived: number
  webhooksForwarded: number
  total: number
}

async function usage(): Promise<Usage> {
  const { body } = await stage.browser.json('GET', `/api/subscription/${ids.account}`)
  return (body as { usage: Usage }).usage
}

test('making a webhook and rules, every page and every reading call leave the counter where it was', async () => {
  const nothing = { apiCalls: 0, webhooksReceived: 0, webhooksForwarded: 0, total: 0 }
  expect(await usage()).toEqual(nothing)
  const by = `?accountUUID=${ids.account}`
  const pages = [
    ...MATRIX.filter(({ method }) => method === 'GET').map(({ path }) => path(ids)),
    ...['jobs', 'queues', 'staff', 'companies', 'email-templates', 'sms-templates', 'document-templates'].map(
      (list) => `/api/servicem8/${list}/${ids.account}`,
    ),
    `/automation${by}&edit=${ids.automation}`,
    `/automation${by}&tab=templates`,
    `/automation${by}&tab=api&admin=yes`,
    `/automation/runs${by}&view=why`,
    `/automation/runs${by}&view=upcoming`,
    `/fieldhook${by}&log=${ids.webhook}`,
  ]
  expect(pages.length).toBeGreaterThan(40)
  const counted: string[] = []
  let before = await usage()
  for (const path of pages) {
    const { status } = await stage.browser.raw('GET', path, undefined)
    expect([path, status < 500]).toEqual([path, true])
    const after = await usage()
    if (after.total !== before.total) counted.push(`${path}: ${JSON.stringify(after)}`)
    before = after
  }
  expect(counted).toEqual([])
})

test('a preview, a look back, a check of an address and a test event count nothing', async () => {
  const tried = [
    await stage.browser.json('POST', `/api/automation/${ids.automation}/run`, { preview: true, recordUuid: jobs[0] }),
    await stage.browser.json('POST', `/api/webhooks/${ids.webhook}/check`, {}),
    await stage.browser.json('POST', '/api/webhooks/test', { id: ids.webhook }),
    await stage.browser.raw('POST', `/automation/preview?accountUUID=${ids.account}`, { look: 'back' }),
  ]
  expect(tried.slice(0, 3).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await usage()).toMatchObject({ apiCalls: 0, webhooksForwarded: 0, total: 0 })
})

test('an event that is forwarded counts as received and as forwarded', async () => {
  const entry = [{ uuid: jobs[1], changed_fields: ['status'], time: '2026-01-05 09:00:00' }]
  const event = { object: 'job', entry, resource_url: `https://api.servicem8.com/api_1.0/job/${jobs[1]}.json` }
  await fetch(forwardingUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event),
  })
  await expect.poll(usage, { timeout: 20_000 }).toMatchObject({ webhooksReceived: 1, webhooksForwarded: 1 })
})

test('a run counts what it asks of ServiceM8', async () => {
  const before = await usage()
  await call('POST', `/api/automation/${ids.automation}/run`, { recordUuid: jobs[0] })
  await expect.poll(async () => (await usage()).apiCalls, { timeout: 20_000 }).toBeGreaterThan(before.apiCalls)
})

import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { seedWorld } from './seed/seed.ts'
import { COMPANY, JOB, openStage, QUEUE, STAFF, SYDNEY, type TestStage } from './testing.server.ts'
import { JOB_STATUSES } from './world.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage()
  token = stage.token()
})
afterEach(() => stage.stop())

test('paths outside the sandbox are left alone, unknown ones inside it are 404', async () => {
  await fetch(`${stage.origin}/sandboxes`, { method: 'POST', body: 'x' })
  expect(stage.hits.map((hit) => hit.path)).toEqual(['/sandboxes'])
  expect((await fetch(`${stage.origin}/sandbox/nowhere`)).status).toBe(404)
  expect((await stage.call('/nowhere', { token })).status).toBe(404)
})

test('accounts show their own time and whether the add-on is connected', () => {
  expect(stage.world.accounts()).toMatchObject([
    { uuid: SYDNEY, localNow: '2026-01-05 20:00:00', connected: true, ownerStaffUuid: STAFF },
    { name: 'Thames Electrical', localNow: '2026-01-05 09:00:00', connected: false },
  ])
})

test('looking at an account that is not there shows nothing, acting on it is refused', () => {
  const { world } = stage
  expect(world.findAccount('x')).toBeNull()
  expect(world.records('x', 'job')).toEqual([])
  expect(world.records(SYDNEY, 'dragon')).toEqual([])
  expect(world.outbox('x')).toEqual([])
  expect(world.setJobStatus('x', JOB, 'Quote')).toMatchObject({ outcome: 'refused', status: 404 })
  expect(world.setJobStatus(SYDNEY, 'x', 'Quote')).toMatchObject({ outcome: 'refused', status: 404 })
  expect(world.addNote(SYDNEY, 'x', 'Hi')).toMatchObject({ outcome: 'refused', status: 404 })
  expect(world.sendToQueue(SYDNEY, JOB, 'x')).toMatchObject({ outcome: 'refused', status: 404 })
  expect(world.checkOut(SYDNEY, JOB)).toMatchObject({ outcome: 'refused', status: 404 })
})

test('a person can work on a job in every way the console offers', () => {
  const { world } = stage
  const results = [
    world.addJob(SYDNEY, { description: 'Gas check', status: 'Work Order' }),
    world.addNote(SYDNEY, JOB, 'Called'),
    world.addPhoto(SYDNEY, JOB),
    world.addMaterial(SYDNEY, JOB, { name: 'Pipe', quantity: 2.5, price: 4 }),
    world.addPayment(SYDNEY, JOB, 20),
    world.sendToQueue(SYDNEY, JOB, QUEUE, STAFF),
    world.schedule(SYDNEY, JOB),
    world.checkIn(SYDNEY, JOB),
    world.checkOut(SYDNEY, JOB),
  ]
  expect(results.map((one) => one.outcome)).toEqual(results.map(() => 'done'))
  expect(world.findRecord(SYDNEY, 'job', JOB)).toMatchObject({
    total_invoice_amount: '101.00',
    queue_assigned_staff_uuid: STAFF,
    job_is_scheduled_until_stamp: '2026-01-06 22:00:00',
  })
})

test('whoever watches is told of changes, once for many', async () => {
  let told = 0
  const before = stage.world.revision()
  const stop = stage.world.onChange(() => told++)
  stage.world.addNote(SYDNEY, JOB, 'one')
  stage.world.addNote(SYDNEY, JOB, 'two')
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toBe(1)
  expect(stage.world.revision()).toBeGreaterThan(before)
  stop()
  stage.world.addNote(SYDNEY, JOB, 'three')
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toBe(1)
})

test('a watcher that throws harms nobody', async () => {
  stage.world.onChange(() => {
    throw new Error('mine')
  })
  stage.world.addNote(SYDNEY, JOB, 'one')
  await new Promise((resolve) => setImmediate(resolve))
  expect((await stage.call('/api_1.0/note.json', { token })).json()).toHaveLength(1)
})

test('the inbox is wrapped and paged, and a message becomes a job', async () => {
  for (const subject of ['Leak', 'Quote please']) {
    stage.world.receiveInboxMessage(SYDNEY, { from: 'Ann', fromEmail: 'ann@shop.example', subject, text: 'Hello' })
  }
  const page = (await stage.call('/api_1.0/inboxmessage.json?limit=1', { token })).json<{
    messages: { uuid: string; subject: string }[]
    pagination: unknown
  }>()
  expect(page.pagination).toEqual({ offset: 0, limit: 1, total: 2, has_more: true })
  const path = `/api_1.0/inboxmessage/${page.messages[0]?.uuid}`
  expect((await stage.call(`${path}/read.json`, { token, method: 'PUT' })).json()).toEqual({ success: true })
  const made = (await stage.call(`${path}/convert-to-job.json`, { token, method: 'POST', json: {} })).json<{
    job: { uuid: string; job_number: string }
  }>()
  expect(stage.world.findRecord(SYDNEY, 'job', made.job.uuid)).toMatchObject({
    generated_job_id: made.job.job_number,
    job_description: 'Leak\n\nHello',
  })
  const unread = await stage.call('/api_1.0/inboxmessage.json?filter=unread', { token })
  expect(unread.json()).toMatchObject({ pagination: { total: 1 } })
})

test('what an integration puts into the inbox is checked, and used when it becomes a job', async () => {
  const put = (json: Record<string, unknown>) => stage.call('/api_1.0/inboxmessage.json', { token, json })
  expect((await put({ subject: 'Leak' })).status).toBe(400)
  expect((await put({ subject: 'Leak', message_text: 'Hi', regarding_company_uuid: JOB })).status).toBe(404)
  const jobData = { company_name: 'corner bakery', contact_first: 'Ann', billing_email: 'pay@shop.example' }
  const made = await put({ subject: 'Leak', message_text: 'Hi', json_data: { job_description: 'Tap drips' }, jobData })
  expect([made.status, made.json().message_type]).toEqual([201, 'form'])
  const path = `/api_1.0/inboxmessage/${made.json().uuid}`
  const snooze = await stage.call(`${path}/snooze.json`, { token, method: 'PUT', json: { snooze_until: 'soon' } })
  expect(snooze.status).toBe(400)
  const convert = { token, json: { note: 'Came by form' } }
  const { job } = (await stage.call(`${path}/convert-to-job.json`, convert)).json<{ job: { uuid: string } }>()
  expect(stage.world.findRecord(SYDNEY, 'job', job.uuid)).toMatchObject({
    job_description: 'Tap drips',
    company_uuid: COMPANY,
  })
  const ofJob = { job_uuid: job.uuid }
  expect(stage.world.records(SYDNEY, 'jobcontact')).toMatchObject([
    { ...ofJob, type: 'JOB', first: 'Ann' },
    { ...ofJob, type: 'BILLING', email: 'pay@shop.example' },
  ])
  expect(stage.world.records(SYDNEY, 'note')).toMatchObject([{ note: 'Came by form' }])
})

test('search finds active records the token may read', async () => {
  const all = (await stage.call('/api_1.0/search.json?q=bakery', { token })).json()
  expect(all).toMatchObject({ query: 'bakery', count: 1, results: [{ type: 'company', title: 'Corner Bakery' }] })
  const narrow = await stage.call('/api_1.0/search.json?q=bakery', { token: stage.token('read_jobs') })
  expect(narrow.json()).toMatchObject({ count: 0 })
  expect((await stage.call('/api_1.0/search/job.json?q=bay', { token })).json()).toMatchObject({ count: 1 })
  expect((await stage.call('/api_1.0/search/staff.json?q=mia', { token })).status).toBe(400)
  expect((await stage.call('/api_1.0/search.json', { token })).status).toBe(400)
})

test('strange requests do not harm the process', async () => {
  const { port } = new URL(stage.origin)
  for (const path of ['/%', '/api_1.0/%E0%A4%A.json', '/api_1.0/job/..%2f..json', '/oauth/authorize?redirect_uri=%']) {
    expect((await stage.call(path, { token })).status).toBeGreaterThanOrEqual(400)
  }
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write('POST /sandbox/servicem8/api_1.0/job.json HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"a"')
      socket.destroy()
      resolve()
    })
  })
  for (const key of ['__proto__', 'constructor', 'toString']) {
    expect((await stage.call(`/api_1.0/${key}.json`, { token })).status).toBe(400)
    expect((await stage.call(`/api_1.0/job/${key}.json`, { token })).status).toBe(404)
  }
  const json = JSON.parse('{"status":"Quote","__proto__":{"polluted":1}}')
  expect((await stage.call('/api_1.0/job.json', { token, json })).status).toBe(200)
  expect('polluted' in {}).toBe(false)
})

test('the demo accounts live in different zones and have work in every state', async () => {
  const demo = await openStage({ seed: seedWorld() })
  try {
    const accounts = demo.world.accounts()
    expect(new Set(accounts.map((one) => one.timezone)).size).toBeGreaterThan(1)
    for (const { uuid } of accounts) {
      const jobs = await demo.call('/api_1.0/job.json', { token: demo.token(undefined, uuid) })
      const statuses = new Set(jobs.json<{ status: string }[]>().map((job) => job.status))
      expect(statuses).toEqual(new Set(JOB_STATUSES))
    }
  } finally {
    await demo.stop()
  }
})

test('console and receiver answer beside the wire', async () => {
  const start = await fetch(`${stage.origin}/sandbox`)
  expect([start.status, start.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  expect(await start.text()).toContain('Harbour Plumbing')
  const received = await fetch(`${stage.origin}/sandbox/receiver/mine`, { method: 'POST', body: '{"a":1}' })
  expect(received.status).toBe(200)
})

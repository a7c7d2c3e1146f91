import { afterEach, beforeEach, expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { COMPANY, JOB, LONDON, OLD_JOB, openStage, QUEUE, STAFF, SYDNEY, type TestStage } from '../testing.server.ts'
import { OBJECTS } from './catalog.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage()
  token = stage.token()
})
afterEach(() => stage.stop())

type Row = Record<string, unknown>

async function read(path: string): Promise<Row> {
  return (await stage.call(path, { token })).json<Row>()
}

async function list(path: string): Promise<Row[]> {
  return (await stage.call(path, { token })).json<Row[]>()
}

async function create(object: string, json: Row): Promise<string> {
  const answer = await stage.call(`/api_1.0/${object}.json`, { token, json })
  expect([object, answer.status, answer.text]).toEqual([object, 200, expect.stringContaining('"message":"OK"')])
  return answer.headers.get('x-record-uuid') ?? ''
}

test('a new job has an id only in the header, a number, a date, a stamp and a place', async () => {
  const answer = await stage.call('/api_1.0/job.json', {
    token,
    json: { status: 'Quote', job_address: '5 High Street, Leeds LS1 4AP', no_such_field: 'x' },
  })
  expect(answer.json()).toEqual({ errorCode: 0, message: 'OK' })
  const uuid = answer.headers.get('x-record-uuid')
  expect(await read(`/api_1.0/job/${uuid}.json`)).toMatchObject({
    uuid,
    active: expect.toSatisfy((flag) => Number(flag) === 1),
    generated_job_id: '1043',
    date: '2026-01-05',
    quote_date: '2026-01-05 20:00:00',
    work_order_date: '0000-00-00 00:00:00',
    edit_date: '2026-01-05 20:00:00',
    created_by_staff_uuid: STAFF,
    total_invoice_amount: '0.00',
    geo_street: 'High Street',
    queue_uuid: '',
  })
  expect(await read(`/api_1.0/job/${uuid}.json`)).not.toHaveProperty('no_such_field')
})

test('an update changes only what it names, and a change of status is stamped', async () => {
  stage.clock.advance(minutes(30))
  const answer = await stage.call(`/api_1.0/job/${JOB}.json`, { token, json: { status: 'Completed' } })
  expect(answer.status).toBe(200)
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({
    status: 'Completed',
    completion_date: '2026-01-05 20:30:00',
    completion_actioned_by_uuid: STAFF,
    edit_date: '2026-01-05 20:30:00',
    company_uuid: COMPANY,
    generated_job_id: '1041',
  })
})

test('a delete is soft and can be undone', async () => {
  await stage.call(`/api_1.0/job/${JOB}.json`, { token, method: 'DELETE' })
  expect(Number((await read(`/api_1.0/job/${JOB}.json`)).active)).toBe(0)
  await stage.call(`/api_1.0/job/${JOB}.json`, { token, json: { active: 1 } })
  expect(Number((await read(`/api_1.0/job/${JOB}.json`)).active)).toBe(1)
})

test('a uuid chosen by the caller is kept, and refused with 409 the second time', async () => {
  const uuid = 'c0000000-0000-4000-8000-000000000099'
  expect(await create('company', { uuid, name: 'One' })).toBe(uuid)
  const again = await stage.call('/api_1.0/company.json', { token, json: { uuid, name: 'Two' } })
  expect([again.status, again.json().errorCode]).toEqual([409, 409])
  const odd = await stage.call('/api_1.0/company.json', { token, json: { uuid: 'seven', name: 'Two' } })
  expect(odd.status).toBe(400)
})

test('lists hold inactive records until a filter leaves them out', async () => {
  expect(await list('/api_1.0/job.json')).toHaveLength(2)
  const active = await list(`/api_1.0/job.json?%24filter=${encodeURIComponent("active eq '1'")}`)
  expect(active.map((row) => row.uuid)).toEqual([JOB])
  const old = await list(`/api_1.0/job.json?%24filter=${encodeURIComponent("edit_date lt '2026-01-01'")}`)
  expect(old.map((row) => row.uuid)).toEqual([OLD_JOB])
})

test('a filter that is not percent-encoded, or misspelt, is ignored without a word', async () => {
  expect(await list('/api_1.0/job.json?$filter=active%20eq%201')).toHaveLength(2)
  expect(await list('/api_1.0/job.json?filter=active%20eq%201&whatever=2')).toHaveLength(2)
  expect((await stage.call('/api_1.0/job.json?%24filter=active%20is%201', { token })).status).toBe(400)
})

test('pages follow the cursor until the header is missing', async () => {
  for (let number = 1; number <= 6; number++) await create('company', { name: `Customer ${number}` })
  stage.world.setOptions(SYDNEY, { pageSize: 3 })
  const names: unknown[] = []
  let cursor: string | null = '-1'
  let pages = 0
  while (cursor !== null) {
    const page = await stage.call(`/api_1.0/company.json?cursor=${cursor}`, { token })
    names.push(...page.json<Row[]>().map((row) => row.name))
    cursor = page.headers.get('x-next-cursor')
    pages++
  }
  expect(pages).toBe(3)
  expect(names).toEqual(['Corner Bakery', ...[1, 2, 3, 4, 5, 6].map((number) => `Customer ${number}`)])
  expect(await list('/api_1.0/company.json')).toHaveLength(7)
  expect((await stage.call('/api_1.0/company.json?cursor=nowhere', { token })).status).toBe(400)
})

test('object names are read in any case and single notes and attachments have two paths', async () => {
  expect(await list('/api_1.0/Job.json')).toHaveLength(2)
  const note = await create('note', { related_object: 'job', related_object_uuid: JOB, note: 'Gate code 12' })
  expect(await read(`/api_1.0/dbonote/${note}.json`)).toMatchObject({ note: 'Gate code 12' })
  expect(await read(`/api_1.0/note/${note}.json`)).toMatchObject({ note: 'Gate code 12', edit_by_staff_uuid: STAFF })
  const file = await create('attachment', { related_object: 'job', attachment_name: 'a.pdf', file_type: '.pdf' })
  expect(await read(`/api_1.0/dboattachment/${file}.json`)).toMatchObject({ uuid: file })
})

test('unknown objects and calls an object does not offer are refused with 400', async () => {
  const unknown = await stage.call('/api_1.0/invoice.json', { token })
  expect(unknown.status).toBe(400)
  expect(unknown.json()).toEqual({ errorCode: 400, message: 'invoice is not an authorised object type' })
  expect((await stage.call('/api_1.0/vendor.json', { token, json: { name: 'x' } })).status).toBe(400)
  expect((await stage.call('/api_1.0/sms.json', { token, json: {} })).status).toBe(400)
  expect((await stage.call(`/api_1.0/job/${LONDON}.json`, { token })).status).toBe(404)
})

test.each([
  ['no status', 'job', {}],
  ['a status that is none', 'job', { status: 'Paid' }],
  ['badges as a real array', 'job', { status: 'Quote', badges: ['x'] }],
  ['a name that is too long', 'company', { name: 'x'.repeat(101) }],
  ['a date that is none', 'job', { status: 'Quote', work_order_date: 'soon' }],
  ['a reference that is no uuid', 'job', { status: 'Quote', company_uuid: '17' }],
  ['an amount that is no number', 'jobpayment', { amount: 'lots' }],
  ['an activity that is both kinds', 'jobactivity', { activity_was_scheduled: 1, activity_was_recorded: 1 }],
  ['a bundle of nothing', 'jobmaterialbundle', { quantity: '0' }],
  ['a part that is no material', 'materialbundle', { item_number: 'B', material_list: [{ uuid: JOB, quantity: 1 }] }],
  ['parts that are not listed as such', 'materialbundle', { item_number: 'B', material_list: [JOB] }],
  ['a staff message to nobody', 'staffmessage', { from_staff_uuid: STAFF, message: 'hi' }],
])('a record with %s is refused', async (_case, object, json) => {
  const answer = await stage.call(`/api_1.0/${object}.json`, { token, json })
  expect(answer.status).toBe(400)
  expect(answer.json().errorCode).toBe(400)
})

test('broken JSON, a list and a body of two megabytes have clear answers', async () => {
  const headers = { 'content-type': 'application/json' }
  const broken = await stage.call('/api_1.0/job.json', { token, method: 'POST', body: '{"status":', headers })
  expect(broken.status).toBe(400)
  const listed = await stage.call('/api_1.0/job.json', { token, method: 'POST', body: '[1]', headers })
  expect(listed.status).toBe(400)
  const big = await stage.call('/api_1.0/job.json', { token, json: { status: 'Quote', x: 'y'.repeat(2_000_000) } })
  expect(big.status).toBe(413)
})

test('a form body is taken like JSON', async () => {
  const answer = await stage.call('/api_1.0/job.json', { token, form: { status: 'Work Order', active: '1' } })
  expect(answer.status).toBe(200)
})

test('a queue brings its expiry date, and leaving it clears everything', async () => {
  await stage.call(`/api_1.0/job/${JOB}.json`, { token, json: { queue_uuid: QUEUE } })
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({ queue_expiry_date: '2026-01-19 20:00:00' })
  await stage.call(`/api_1.0/job/${JOB}.json`, { token, json: { queue_uuid: '' } })
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({
    queue_uuid: '',
    queue_expiry_date: '0000-00-00 00:00:00',
    queue_assigned_staff_uuid: '',
  })
})

test('lines make the total of the job, and payments that cover it mark it as paid', async () => {
  await create('jobmaterial', { job_uuid: JOB, name: 'Washer', quantity: '3', price: '1.50' })
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({ total_invoice_amount: '95.50' })
  await create('jobpayment', { job_uuid: JOB, amount: 50, method: 'Cash' })
  expect(Number((await read(`/api_1.0/job/${JOB}.json`)).payment_received)).toBe(0)
  await create('jobpayment', { job_uuid: JOB, amount: '45.50', method: 'Cash' })
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({ payment_received_stamp: '2026-01-05 20:00:00' })
})

test('a booking moves the time until which the job is scheduled', async () => {
  const booking = { job_uuid: JOB, start_date: '2026-01-07 09:00:00', end_date: '2026-01-07 11:00:00' }
  const uuid = await create('jobactivity', { ...booking, staff_uuid: STAFF, activity_was_scheduled: 1 })
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({ job_is_scheduled_until_stamp: '2026-01-07 11:00:00' })
  await stage.call(`/api_1.0/jobactivity/${uuid}.json`, { token, method: 'DELETE' })
  expect(await read(`/api_1.0/job/${JOB}.json`)).toMatchObject({ job_is_scheduled_until_stamp: '0000-00-00 00:00:00' })
})

test('a completed task is stamped, a staff message is sent and visible', async () => {
  const task = await create('task', { name: 'Call back', related_object: 'job', related_object_uuid: JOB })
  await stage.call(`/api_1.0/task/${task}.json`, { token, json: { task_complete: 1 } })
  expect(await read(`/api_1.0/task/${task}.json`)).toMatchObject({
    completed_timestamp: '2026-01-05 20:00:00',
    completed_by_staff_uuid: STAFF,
  })
  const message = { from_staff_uuid: STAFF, to_staff_uuid: STAFF, message: 'Bring the ladder', regarding_job_uuid: JOB }
  const uuid = await create('staffmessage', message)
  expect(await read(`/api_1.0/staffmessage/${uuid}.json`)).toMatchObject({ sent_timestamp: '2026-01-05 20:00:00' })
  expect(stage.world.outbox(SYDNEY)[0]).toMatchObject({ kind: 'staff_message', message: 'Bring the ladder' })
})

test('a bundle lists its materials, each with a positive number', async () => {
  const uuid = await create('material', { name: 'Tap' })
  const bundle = (quantity: unknown) => ({ item_number: `B-${quantity}`, material_list: [{ uuid, quantity }] })
  const made = await create('materialbundle', bundle(2.5))
  expect(await read(`/api_1.0/materialbundle/${made}.json`)).toMatchObject({ material_list: [{ uuid, quantity: 2.5 }] })
  for (const quantity of ['2', 0, -1]) {
    expect((await stage.call('/api_1.0/materialbundle.json', { token, json: bundle(quantity) })).status).toBe(400)
  }
})

test('a number of a material is used once', async () => {
  await create('material', { name: 'Tap', item_number: 'T-1' })
  const again = await stage.call('/api_1.0/materialbundle.json', { token, json: { item_number: 'T-1', name: 'Set' } })
  expect(again.status).toBe(400)
})

test('where it is switched on, flags come quoted in some records, always in the same ones', async () => {
  expect((await stage.call('/api_1.0/note.json', { token, json: {} })).json()).toEqual({ errorCode: 0, message: 'OK' })
  stage.world.setOptions(SYDNEY, { quotedFlags: true })
  expect((await stage.call('/api_1.0/note.json', { token, json: {} })).json()).toEqual({
    errorCode: '0',
    message: 'OK',
  })
  const uuids: string[] = []
  for (let number = 0; number < 24; number++) uuids.push(await create('category', { name: `C${number}` }))
  const kinds = (await list('/api_1.0/category.json')).map((row) => typeof row.active)
  expect(new Set(kinds)).toEqual(new Set(['number', 'string']))
  expect((await list('/api_1.0/category.json')).map((row) => typeof row.active)).toEqual(kinds)
  stage.world.setOptions(SYDNEY, { quotedFlags: false })
  expect(new Set((await list('/api_1.0/category.json')).map((row) => typeof row.active))).toEqual(new Set(['number']))
  expect(uuids).toHaveLength(24)
})

test('times carry their offset when the header asks for it', async () => {
  const headers = { 'sm-date-format': 'ISO8601' }
  const job = (await stage.call(`/api_1.0/job/${JOB}.json`, { token, headers })).json<Row>()
  expect(job.edit_date).toBe('2026-01-05T20:00:00+11:00')
  expect(job.completion_date).toBe('0000-00-00 00:00:00')
})

test('each object asks for its own scope, by kind of call', async () => {
  const reader = stage.token('read_jobs')
  expect((await stage.call('/api_1.0/job.json', { token: reader })).status).toBe(200)
  const refused = await stage.call('/api_1.0/job.json', { token: reader, json: { status: 'Quote' } })
  expect([refused.status, refused.json().message]).toEqual([403, expect.stringContaining('create_jobs scope required')])
  const update = await stage.call(`/api_1.0/job/${JOB}.json`, { token: reader, json: { status: 'Quote' } })
  expect(update.json().message).toContain('manage_jobs scope required')
  expect((await stage.call('/api_1.0/queue.json', { token: reader })).json().message).toContain('read_job_queues')
})

test('no token, a wrong one and an unknown staff member to act as are refused', async () => {
  expect((await stage.call('/api_1.0/job.json')).status).toBe(401)
  expect((await stage.call('/api_1.0/job.json', { token: 'nobody' })).status).toBe(401)
  const as = (uuid: string) => stage.call('/api_1.0/job.json', { token, headers: { 'x-impersonate-uuid': uuid } })
  expect((await as(STAFF)).status).toBe(200)
  expect((await as(COMPANY)).status).toBe(403)
})

test('one account never sees another', async () => {
  const other = stage.token(undefined, LONDON)
  expect((await stage.call(`/api_1.0/job/${JOB}.json`, { token: other })).status).toBe(404)
  expect((await stage.call('/api_1.0/job.json', { token: other })).json()).toHaveLength(1)
})

test('every object of the catalogue can be listed, and written where it says so', async () => {
  stage.world.setOptions(SYDNEY, { perMinute: 1000 })
  const filled: Record<string, Row> = {
    staffmessage: { from_staff_uuid: STAFF, to_staff_uuid: STAFF, message: 'x' },
    jobmaterialbundle: { quantity: '1' },
    job: { status: 'Quote' },
    staff: { first: 'A', last: 'B', email: 'a@b.example' },
  }
  for (const object of OBJECTS) {
    const path = `/api_1.0/${object.key}`
    if (object.methods.includes('list')) expect((await stage.call(`${path}.json`, { token })).status).toBe(200)
    // A message comes back whole.
    if (!object.methods.includes('create') || object.key === 'inboxmessage') continue
    const required = Object.fromEntries((object.required ?? []).map((name) => [name, '1']))
    const uuid = await create(object.key, { ...required, ...filled[object.key] })
    if (object.methods.includes('get')) expect(await read(`${path}/${uuid}.json`)).toMatchObject({ uuid })
    if (object.methods.includes('update')) {
      expect((await stage.call(`${path}/${uuid}.json`, { token, json: { active: 1 } })).status).toBe(200)
    }
    if (object.methods.includes('delete')) {
      expect((await stage.call(`${path}/${uuid}.json`, { token, method: 'DELETE' })).status).toBe(200)
    }
  }
})

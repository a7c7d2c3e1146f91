import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { BADGE, JOB, openStage, QUEUE, STAFF, SYDNEY, type TestStage } from '../testing.server.ts'
import { EVENTS } from './catalog.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage()
  token = stage.token()
})
afterEach(() => stage.stop())

interface Notice {
  object: string
  entry: { uuid: string; changed_fields: string[]; time: string }[]
  resource_url: string
}

function notices(): Notice[] {
  return stage.hits.map((hit) => JSON.parse(hit.body) as Notice)
}

function subscription() {
  const [one] = stage.world.subscriptions(SYDNEY)
  if (!one) throw new Error('no subscription')
  return one
}

async function setStatus(status: 'Quote' | 'Work Order' | 'Completed' | 'Unsuccessful') {
  stage.world.setJobStatus(SYDNEY, JOB, status)
  await stage.world.settled()
}

test('a change of a watched field arrives as names without values, in local time', async () => {
  await stage.subscribe(token, 'job', 'status,queue_uuid')
  await setStatus('Work Order')
  expect(stage.hits).toEqual([
    { path: '/in/job', contentType: 'application/json', body: expect.not.stringContaining('Work Order') },
  ])
  expect(notices()).toEqual([
    {
      object: 'job',
      entry: [{ uuid: JOB, changed_fields: ['status'], time: '2026-01-05 20:00:00' }],
      resource_url: `${stage.sandbox.apiUrl}/api_1.0/job/${JOB}.json`,
    },
  ])
})

test('a change over REST travels like one of a person', async () => {
  await stage.subscribe(token, 'job', 'status')
  await stage.call(`/api_1.0/job/${JOB}.json`, { token, json: { status: 'Unsuccessful' } })
  await stage.world.settled()
  expect(notices()).toHaveLength(1)
})

test('unwatched fields and saves that change nothing stay silent', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.world.update(SYDNEY, 'job', JOB, { job_description: 'New tap' })
  stage.world.setJobStatus(SYDNEY, JOB, 'Quote')
  await stage.world.settled()
  expect(stage.hits).toEqual([])
})

test('a new record is told with the watched fields it holds; a subscription to uuid hears of nothing else', async () => {
  await stage.subscribe(token, 'job', 'uuid', '/created')
  await stage.subscribe(token, 'job', 'status,queue_uuid,company_uuid', '/watched')
  const made = stage.world.addJob(SYDNEY, { description: 'Blocked drain' })
  const uuid = made.outcome === 'done' ? made.record.uuid : ''
  stage.world.setJobStatus(SYDNEY, uuid, 'Completed')
  await stage.world.settled()
  expect(stage.hits.map((hit) => [hit.path, (JSON.parse(hit.body) as Notice).entry[0]?.changed_fields])).toEqual([
    ['/created', ['uuid']],
    ['/watched', ['status']],
    ['/watched', ['status']],
  ])
})

test('a deletion is a change of active', async () => {
  await stage.subscribe(token, 'job', 'active')
  stage.world.remove(SYDNEY, 'job', JOB)
  await stage.world.settled()
  expect(notices()[0]?.entry[0]?.changed_fields).toEqual(['active'])
})

test('what follows from a change is told too: a line changes the total of its job', async () => {
  await stage.subscribe(token, 'job', 'total_invoice_amount')
  stage.world.addMaterial(SYDNEY, JOB, { name: 'Valve', quantity: 1, price: 20 })
  await stage.world.settled()
  expect(notices()[0]?.entry[0]).toMatchObject({ uuid: JOB, changed_fields: ['total_invoice_amount'] })
})

test('nothing is signed and nothing names the account', async () => {
  await stage.subscribe(token, 'job', 'status')
  await setStatus('Completed')
  expect(JSON.stringify(stage.hits)).not.toContain(SYDNEY)
})

test('a failing address is tried again until it answers', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.answerWith(() => ({ status: 503 }))
  await setStatus('Completed')
  await stage.pass(seconds(10))
  expect(stage.world.deliveries(SYDNEY)[0]).toMatchObject({ state: 'waiting' })
  stage.answerWith(null)
  await stage.pass(seconds(30))
  expect(stage.world.deliveries(SYDNEY)[0]).toMatchObject({
    state: 'delivered',
    attempts: [{ status: 503 }, { status: 503 }, { status: 200 }],
  })
  expect(new Set(stage.hits.map((hit) => hit.body)).size).toBe(1)
})

test('after twelve hours of failing the subscription is inactive with a reason; after 72 the delivery is given up', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.answerWith(() => ({ status: 500 }))
  await setStatus('Completed')
  for (let hour = 0; hour < 11; hour++) await stage.pass(hours(1))
  expect(subscription().active).toBe(true)
  for (let hour = 0; hour < 11; hour++) await stage.pass(hours(1))
  expect(subscription()).toMatchObject({ active: false, lastFailureReason: 'Webhook request failed for over 12 hours' })
  await setStatus('Quote')
  expect(stage.world.deliveries(SYDNEY)).toHaveLength(1)
  for (let day = 0; day < 6; day++) await stage.pass(hours(12))
  expect(stage.world.deliveries(SYDNEY)[0]).toMatchObject({ state: 'given_up', nextAt: null })
  expect(subscription().lastFailureReason).toBe('Webhook request failed for over 72 hours')
})

test('410 unsubscribes at once and drops what was waiting', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.answerWith(() => ({ status: 500 }))
  await setStatus('Completed')
  stage.answerWith(() => ({ status: 410 }))
  await setStatus('Quote')
  expect(subscription()).toMatchObject({ active: false, deleted: true, lastFailureReason: null })
  expect(stage.world.deliveries(SYDNEY).map((one) => one.state)).toEqual(['unsubscribed', 'unsubscribed'])
  await setStatus('Completed')
  await stage.pass(hours(1))
  expect(stage.hits).toHaveLength(2)
})

test('429 slows every delivery of the account', async () => {
  await stage.subscribe(token, 'job', 'status')
  await stage.subscribe(token, 'company', 'name')
  stage.answerWith(() => ({ status: 429 }))
  await setStatus('Completed')
  stage.answerWith(null)
  stage.world.create(SYDNEY, 'company', { name: 'New customer' })
  await stage.pass(seconds(30))
  expect(stage.hits).toHaveLength(1)
  await stage.pass(seconds(31))
  expect(stage.hits).toHaveLength(3)
  expect(stage.world.deliveries(SYDNEY).map((one) => one.state)).toEqual(['delivered', 'delivered'])
})

test('no answer in time counts as failed', async () => {
  const slow = await openStage({ answerMs: 150 })
  try {
    await slow.subscribe(slow.token(), 'job', 'status')
    slow.answerWith(() => ({ status: 200, silent: true }))
    slow.world.setJobStatus(SYDNEY, JOB, 'Completed')
    await slow.world.settled()
    const [attempt] = slow.world.deliveries(SYDNEY)[0]?.attempts ?? []
    expect(attempt).toMatchObject({ status: null, error: 'no answer in time' })
  } finally {
    await slow.stop()
  }
})

test('changes of one record arrive in order, those of many records all arrive', async () => {
  await stage.subscribe(token, 'job', 'status,job_description')
  for (let number = 0; number < 30; number++) {
    stage.world.update(SYDNEY, 'job', JOB, { job_description: `Text ${number}` })
    stage.world.addJob(SYDNEY, { description: `Job ${number}` })
  }
  await stage.world.settled()
  const ids = stage.world.deliveries(SYDNEY, 1000).map((one) => one.state)
  expect(ids).toEqual(Array.from({ length: 60 }, () => 'delivered'))
  expect(notices().filter((one) => one.entry[0]?.uuid === JOB)).toHaveLength(30)
})

test('a waiting delivery can be sent now', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.answerWith(() => ({ status: 500 }))
  await setStatus('Completed')
  stage.answerWith(null)
  expect(stage.world.retryDeliveriesNow(SYDNEY)).toBe(1)
  await stage.world.settled()
  expect(stage.world.deliveries(SYDNEY)[0]?.state).toBe('delivered')
})

test('oddities on demand: spelling, wrapping, copies, losses, delay', async () => {
  await stage.subscribe(token, 'job', 'status')
  const odd = (patch: Parameters<typeof stage.world.setOptions>[1]) => stage.world.setOptions(SYDNEY, patch)

  odd({ objectSpelling: 'upper', deliveryWrapping: 'form_key' })
  await setStatus('Completed')
  expect(stage.hits[0]?.contentType).toBe('application/x-www-form-urlencoded')
  const [key = ''] = [...new URLSearchParams(stage.hits[0]?.body).keys()]
  expect(JSON.parse(key)).toMatchObject({ object: 'JOB' })

  odd({ objectSpelling: 'title', deliveryWrapping: 'form_value', duplicateDeliveries: true })
  await setStatus('Quote')
  expect(stage.hits.slice(1).map((hit) => hit.body)).toEqual([stage.hits[1]?.body, stage.hits[1]?.body])
  const [value = ''] = [...new URLSearchParams(stage.hits[1]?.body).values()]
  expect(JSON.parse(value)).toMatchObject({ object: 'Job' })

  odd({ duplicateDeliveries: false, dropNextDeliveries: 1 })
  await setStatus('Completed')
  expect(stage.hits).toHaveLength(3)
  expect(stage.world.deliveries(SYDNEY)[0]?.state).toBe('dropped')

  odd({ deliveryDelayMs: minutes(5) })
  await setStatus('Quote')
  expect(stage.hits).toHaveLength(3)
  await stage.pass(minutes(5))
  expect(stage.hits).toHaveLength(4)
})

test('with reordering on, every second delivery overtakes', async () => {
  await stage.subscribe(token, 'job', 'status')
  stage.world.setOptions(SYDNEY, { reorderDeliveries: true })
  for (let number = 0; number < 4; number++) stage.world.addJob(SYDNEY, { description: `Job ${number}` })
  await stage.pass(seconds(2))
  const sent = stage.hits.map((hit) => (JSON.parse(hit.body) as Notice).entry[0]?.uuid)
  const made = stage.world
    .records(SYDNEY, 'job')
    .slice(-4)
    .map((job) => job.uuid)
  expect(sent).toHaveLength(4)
  expect(sent).not.toEqual(made)
  expect([...sent].sort()).toEqual([...made].sort())
})

test('events carry an id, their type and the whole record', async () => {
  const callback_url = `${stage.origin}/event`
  for (const event of ['job.status_changed', 'job.quote_accepted', 'job.completed', 'job.queued', 'job.note_added']) {
    await stage.call('/webhook_subscriptions/event', { token, form: { event, callback_url } })
  }
  stage.world.acceptQuote(SYDNEY, JOB)
  stage.world.sendToQueue(SYDNEY, JOB, QUEUE)
  stage.world.addNote(SYDNEY, JOB, 'Call first')
  stage.world.setJobStatus(SYDNEY, JOB, 'Completed')
  await stage.world.settled()
  const bodies = stage.hits.map((hit) => JSON.parse(hit.body) as Record<string, unknown>)
  expect(bodies.map((body) => body.type).sort()).toEqual(
    [
      'job.completed',
      'job.note_added',
      'job.queued',
      'job.quote_accepted',
      'job.status_changed',
      'job.status_changed',
    ].sort(),
  )
  expect(bodies.find((body) => body.type === 'job.quote_accepted')).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    createdAt: '2026-01-05T09:00:00.000Z',
    data: { uuid: JOB, status: 'Work Order', work_order_date: '2026-01-05 20:00:00' },
  })
})

test('a day makes every event there is, but those of proposals', async () => {
  const callback_url = `${stage.origin}/event`
  stage.world.setOptions(SYDNEY, { perMinute: 1_000 })
  const wanted = EVENTS.filter((event) => !event.startsWith('proposal.'))
  expect(wanted).toHaveLength(23)
  for (const event of wanted) {
    expect((await stage.call('/webhook_subscriptions/event', { token, form: { event, callback_url } })).status).toBe(
      200,
    )
  }
  const { world } = stage
  const company = world.create(SYDNEY, 'company', { name: 'Second shop' })
  const companyUuid = company.outcome === 'done' ? company.record.uuid : ''
  world.update(SYDNEY, 'company', companyUuid, { name: 'Second shop Ltd' })
  world.addJob(SYDNEY, { companyUuid })
  world.addBadge(SYDNEY, JOB, BADGE)
  world.removeBadge(SYDNEY, JOB, BADGE)
  world.addPhoto(SYDNEY, JOB)
  world.checkIn(SYDNEY, JOB, STAFF)
  world.checkOut(SYDNEY, JOB)
  world.markQuoteSent(SYDNEY, JOB)
  world.markInvoiceSent(SYDNEY, JOB)
  world.addPayment(SYDNEY, JOB, 91)
  world.addNote(SYDNEY, JOB, 'Key at the bar')
  world.sendToQueue(SYDNEY, JOB, QUEUE)
  world.acceptQuote(SYDNEY, JOB)
  world.setJobStatus(SYDNEY, JOB, 'Completed')
  const onJob = { related_object: 'job', related_object_uuid: JOB }
  world.create(SYDNEY, 'attachment', { ...onJob, attachment_name: 'leak.mp4', file_type: '.mp4' })
  world.create(SYDNEY, 'feedback', { ...onJob, rating: '5', comment: 'Quick' })
  expect(world.clockStaff(SYDNEY, STAFF, 'on').outcome).toBe('done')
  expect(world.clockStaff(SYDNEY, STAFF, 'off').outcome).toBe('done')
  expect(world.clockStaff(SYDNEY, JOB, 'on').outcome).toBe('refused')
  const form = world.create(SYDNEY, 'form', { name: 'Safety check' })
  expect(form.outcome).toBe('done')
  world.submitForm(SYDNEY, JOB)
  world.receiveInboxMessage(SYDNEY, { from: 'Ann', fromEmail: 'ann@shop.example', subject: 'Leak', text: 'Help' })
  await world.settled()
  const told = stage.hits.map((hit) => JSON.parse(hit.body) as { type: string; data: { uuid: string } })
  expect([...new Set(told.map((one) => one.type))].sort()).toEqual([...wanted].sort())
  expect(told.filter((one) => one.type === 'staff.clocked_on')).toMatchObject([{ data: { uuid: STAFF, first: 'Mia' } }])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PlatformApi, PlatformRecord, PlatformResult } from '#app/adapters/platform.ts'
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { fullName } from '#app/domain/record-name.ts'
import { days, minutes } from '#app/lib/duration.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { loadWebhookActivity } from './activity.server.ts'
import { forgetNames, namesForPage } from './record-names.server.ts'

const RECORDS: Record<string, PlatformRecord> = {
  'job 1': { uuid: '1', generated_job_id: '3128', company_uuid: 'joan', job_address: '2 Mill Lane', status: 'Quote' },
  'job 2': { uuid: '2', generated_job_id: '3129', company_uuid: 'joan' },
  'note 7': { uuid: '7', related_object: 'job', related_object_uuid: '1', note: 'Ring the bell' },
  'company joan': { uuid: 'joan', name: 'Joan Hartley' },
}

let world: WebhookWorld
let read: string[]
let answer: (object: string, uuid: string) => Promise<PlatformResult<PlatformRecord>>

beforeEach(async () => {
  world = await openWebhookWorld()
  read = []
  answer = async (object, uuid) => {
    const value = RECORDS[`${object} ${uuid}`]
    return value ? { outcome: 'ok', value } : { outcome: 'refused', status: 404, message: 'No such record' }
  }
})
afterEach(() => world.close())

async function names(...asked: [object: string, recordUuid: string][]) {
  const places = asked.map(([object, recordUuid]) => ({ object, recordUuid }))
  const found = await pageNames()(LEEDS, places)
  return asked.map(([, uuid]) => {
    const name = found.get(uuid)
    return name === undefined ? null : fullName(name)
  })
}

function pageNames() {
  const api = {
    read: (_token: string, object: string, uuid: string) => {
      read.push(`${object} ${uuid}`)
      return answer(object, uuid)
    },
  } as unknown as PlatformApi
  const app = {
    ...world.app,
    callAsAccount: (async (_account, call) => call(api, 'token')) as typeof world.app.callAsAccount,
  }
  return namesForPage(app)
}

test('an account without automations reads what a page shows, once, with its job and its customer', async () => {
  expect(await names(['job', '1'], ['job', '2'], ['note', '7'])).toEqual([
    'Job 3128 · Joan Hartley',
    'Job 3129 · Joan Hartley',
    'Note on job 3128 · Joan Hartley',
  ])
  expect(read.toSorted()).toEqual(['company joan', 'job 1', 'job 2', 'note 7'])
  expect(await names(['job', '1'], ['note', '7'])).toEqual([
    'Job 3128 · Joan Hartley',
    'Note on job 3128 · Joan Hartley',
  ])
  expect(read).toHaveLength(4)
  expect((await world.app.store.records.listRecordsCalled(LEEDS, 'joan', 9)).uuids.sort()).toEqual([
    '1',
    '2',
    '7',
    'joan',
  ])
})

test('only what names a record is kept, and for a week', async () => {
  await names(['note', '7'])
  const rows = world.client.sql.prepare<[], { object: string; fields: string }>(
    'SELECT object, fields FROM record_snapshot ORDER BY object',
  )
  const kept = () => rows.all().map(({ object, fields }) => [object, fields])
  expect(kept()).toEqual([
    ['names:company', '{"name":"Joan Hartley"}'],
    ['names:job', '{"generated_job_id":"3128","job_address":"2 Mill Lane","company_uuid":"joan"}'],
    ['names:note', '{"related_object":"job","related_object_uuid":"1"}'],
  ])
  world.clock.advance(days(6))
  await names(['job', '2'])
  world.clock.advance(days(2))
  await forgetNames(world.app)
  expect(await world.app.store.records.knownOf(LEEDS, [{ object: 'job', recordUuid: '1' }])).toEqual([])
  expect(await names(['job', '2'])).toEqual(['Job 3129 · Joan Hartley'])
  expect(read.filter((one) => one === 'company joan')).toHaveLength(2)
})

test('a record that is gone is asked for once', async () => {
  expect(await names(['job', 'gone'])).toEqual(['Job'])
  expect(await names(['job', 'gone'])).toEqual(['Job'])
  expect(read).toEqual(['job gone'])
})

test('without an answer the page shows what is known, and asks again a minute later', async () => {
  answer = async () => ({ outcome: 'unavailable', status: 503, message: 'busy' })
  for (let looks = 0; looks < 20; looks++) expect(await names(['job', '1'])).toEqual([null])
  expect(read).toEqual(['job 1'])
  world.clock.advance(minutes(1))
  answer = async () => Promise.reject(new Error('broken'))
  expect(await names(['job', '1'])).toEqual([null])
  expect(read).toHaveLength(2)
})

test('a page waits a second for names, and reads at most twelve of a kind', async () => {
  const asked = Array.from({ length: 40 }, (_, at) => ['job', `${at + 100}`] as [string, string])
  await names(...asked)
  expect(read).toHaveLength(12)
  answer = () => new Promise(() => {})
  const began = performance.now()
  expect(await names(['job', '1'])).toEqual([null])
  expect(performance.now() - began).toBeLessThan(3_000)
})

test('tests of several objects on one page are called by their own, and ServiceM8 is not asked for them', async () => {
  const event = world.client.sql.prepare(
    `INSERT INTO event (id, account_uuid, received_at, object, object_uuid, changed_fields, source, dedupe)
     VALUES (?, ?, ?, ?, ?, '[]', 'test', ?)`,
  )
  for (const object of ['job', 'company']) event.run(object, LEEDS, world.clock.now(), object, SAMPLE_UUID, object)
  const gone = [{ object: 'company', recordUuid: SAMPLE_UUID, fields: {} }]
  await world.app.store.records.keepNames(LEEDS, gone, world.clock.now())
  for (const namesOf of [undefined, pageNames()]) {
    const shown = await loadWebhookActivity(world.app, LEEDS, namesOf)
    expect(shown.map(({ recordName }) => recordName)).toEqual(['Company', 'Job'])
  }
  expect(read).toEqual([])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { asCaller } from '#app/lib/caller.server.ts'
import { workFor } from '#app/lib/work-meter.server.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  TRIGGERED,
} from '#tests/support/automation-world.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import type { RecordStore } from '../../store/records.ts'

let world: AutomationWorld
let store: RecordStore
beforeEach(async () => {
  world = await automationWorld()
  store = world.store.records
})
afterEach(() => world.close())

/** As rules and polls leave it. */
function seen(object: string, recordUuid: string, fields: Record<string, string>, account = LEEDS) {
  world.client.sql
    .prepare(
      `INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
       VALUES (?, ?, ?, '', ?, 0, 0)`,
    )
    .run(account, object, recordUuid, JSON.stringify(fields))
}

function furnish(account = LEEDS) {
  seen('rules:job', 'job-1', { generated_job_id: '3128', company_uuid: 'joan', job_address: '2 Mill Lane' }, account)
  seen('rules:job', 'job-2', { generated_job_id: '31', company_uuid: 'tariq', job_address: '9 Elm Road' }, account)
  seen('rules:company', 'joan', { name: 'Joan Hartley' }, account)
  seen('jobcontact', 'contact-1', { job_uuid: 'job-1', first: 'Ann', last: 'Lee' }, account)
  seen('rules:note', 'note-1', { related_object: 'job', related_object_uuid: 'job-2' }, account)
}

const asked = (...pairs: [string, string][]) => pairs.map(([object, recordUuid]) => ({ object, recordUuid }))

test('a record is known by itself, its job and its customer', async () => {
  furnish()
  const known = await store.knownOf(
    LEEDS,
    asked(['job', 'job-1'], ['jobcontact', 'contact-1'], ['note', 'note-1'], ['job', 'none']),
  )
  const brief = known.map(({ recordUuid, job, company }) => [recordUuid, job?.generated_job_id, company?.name])
  expect(brief.sort()).toEqual([
    ['contact-1', '3128', 'Joan Hartley'],
    ['job-1', '3128', 'Joan Hartley'],
    ['note-1', '31', undefined],
  ])
  expect(await store.knownOf(BRISBANE, asked(['job', 'job-1'], ['company', 'joan']))).toEqual([])
})

/** What a run remembers of its job. */
const matched = (companyName: string) => ({
  triggerData: {
    ...TRIGGERED,
    conditionMatching: {
      totalRecords: 1,
      matchedRecords: [
        { jobId: '31', status: '', jobDescription: '', companyName, jobAddress: '', totalInvoiceAmount: '' },
      ],
    },
  },
})

test('a customer without a snapshot is known from the latest run of the job', async () => {
  furnish()
  const rule = await world.rule(aRule([aStep('s1', 'create_task', { title: 'Ring', description: '' })]))
  await world.start(rule, ['job-2'], matched('Tariq'))
  await world.start(rule, ['job-2'], matched('Tariq Aziz'))
  const [note] = await store.knownOf(LEEDS, asked(['note', 'note-1']))
  expect(note?.customer).toBe('Tariq Aziz')
  expect((await store.listRecordsCalled(LEEDS, 'tariq', 10)).uuids.sort()).toEqual(['job-2', 'note-1'])
})

test('people find records by job number, customer and address, in their own account only', async () => {
  furnish()
  seen('rules:job', 'other', { generated_job_id: '3128', company_uuid: 'x', job_address: '' }, BRISBANE)
  const called = async (text: string) => (await store.listRecordsCalled(LEEDS, text, 10)).uuids.sort()
  expect(await called('3128')).toEqual(['contact-1', 'job-1'])
  expect(await called('312')).toEqual([])
  expect(await called(' hartley ')).toEqual(['contact-1', 'joan', 'job-1'])
  expect(await called('elm road')).toEqual(['job-2', 'note-1'])
  expect(await called('e%m')).toEqual([])
  expect(await called('')).toEqual([])
  expect(await store.listRecordsCalled(BRISBANE, '3128', 10)).toEqual({ uuids: ['other'], more: false })
})

test('a job is also called by its uuid, and with it what belongs to it', async () => {
  const job = '11111111-0000-4000-8000-00000000000a'
  seen('rules:note', 'note-1', { related_object: 'job', related_object_uuid: job })
  const { uuids } = await store.listRecordsCalled(LEEDS, job.toUpperCase(), 10)
  expect(uuids.sort()).toEqual([job, 'note-1'])
})

test('an apostrophe is found straight or curly, and spaces count once', async () => {
  seen('rules:company', 'curly', { name: 'Mrs O’Brien' })
  seen('rules:company', 'straight', { name: "Mr O'Brien" })
  const called = async (text: string) => (await store.listRecordsCalled(LEEDS, text, 10)).uuids.sort()
  for (const text of ["o'brien", 'O’Brien', 'O‘Brien']) expect(await called(text)).toEqual(['curly', 'straight'])
  expect(await called('mrs  o’brien')).toEqual(['curly'])
  expect(await called("o''brien")).toEqual([])
  seen('rules:company', 'spaced', { name: 'John  Smith' })
  seen('rules:job', 'lines', { generated_job_id: '7', job_address: `c/o John \r\n\t${' '.repeat(40)}Smith` })
  seen('rules:company', 'unbroken', { name: 'John\u00a0Smith' })
  seen('rules:company', 'others', { name: 'Johnson & Goldsmith Ltd' })
  for (const text of ['john smith', 'John  Smith', 'john\u202fsmith'])
    expect(await called(text)).toEqual(['lines', 'spaced', 'unbroken'])
})

test('the search reads more than one window and keeps to its limit', async () => {
  for (let number = 0; number < 2_100; number += 1)
    seen('rules:job', `job-${String(number).padStart(5, '0')}`, {
      generated_job_id: String(number),
      job_address: 'Quay',
    })
  expect(await store.listRecordsCalled(LEEDS, '2099', 10)).toEqual({ uuids: ['job-02099'], more: false })
  const found = await store.listRecordsCalled(LEEDS, 'quay', 10)
  expect([found.uuids.length, found.more]).toEqual([10, true])
  expect((await store.listRecordsCalled(LEEDS, 'quay', 2_100)).more).toBe(false)
})

test('a customer is found by a run that is not among the newest', async () => {
  const rule = await world.rule(aRule([aStep('s1', 'create_task', { title: 'Ring', description: '' })]))
  await world.start(rule, ['job-1'], matched('Ann Whitaker'))
  const ownColumns = Object.keys(world.client.sql.prepare('SELECT * FROM run').get() as object)
  const columns = ownColumns.filter((name) => !['id', 'record_uuid', 'trigger_data'].includes(name)).join(', ')
  world.client.sql.exec(`WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 2001)
    INSERT INTO run (${columns}, trigger_data) SELECT ${columns}, '{}' FROM run, n`)
  expect(await store.listRecordsCalled(LEEDS, 'whitaker', 10)).toEqual({ uuids: ['job-1'], more: false })
})

// A server does the work of a window elsewhere.
test.skipIf(aboutTheFile('turns of this process'))('every window is the work of whoever asked', async () => {
  const fill = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO record_snapshot (account_uuid, object, record_uuid, edit_date, fields, first_seen_at, updated_at)
    SELECT ?, 'rules:company', 'c' || i, '', '{"name":"Any"}', 0, 0 FROM n`
  world.client.sql.prepare(fill).run(LEEDS)
  const [own, other] = [
    { ms: 0, account: null },
    { ms: 0, account: null },
  ]
  let isOver = false
  const disturb = () => {
    workFor(other)
    if (!isOver) setImmediate(disturb)
  }
  disturb()
  workFor(own)
  await asCaller('192.0.2.1', () => store.listRecordsCalled(LEEDS, 'Nobody', 5), own)
  isOver = true
  workFor(null)
  expect(own.ms).toBeGreaterThan(3 * other.ms)
})

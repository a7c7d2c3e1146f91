import { expect, onTestFinished, test } from 'vitest'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  LEEDS,
  TRIGGERED,
} from '#tests/support/automation-world.server.ts'
import { loadHistory, readHistory } from './history-page.server.ts'
import { runsByDay } from './run-list-view.ts'

const read = (query: string, zone = 'Europe/London') => readHistory(new URLSearchParams(query), zone)

test('an empty form asks for everything, one more than is shown', () => {
  expect(read('')).toMatchObject({
    outcome: 'query',
    query: { limit: 26, before: null, automationId: null, status: null, since: null, until: null, text: null },
  })
})

test('days are of the account, and the last one is included', () => {
  expect(read('from=2026-06-01&until=2026-06-01', 'Australia/Brisbane')).toMatchObject({
    query: { since: Date.UTC(2026, 4, 31, 14), until: Date.UTC(2026, 5, 1, 14) },
  })
})

test('a day on which the clock changes is as long as it is', () => {
  expect(read('from=2026-03-29&until=2026-03-29')).toMatchObject({
    query: { since: Date.UTC(2026, 2, 29), until: Date.UTC(2026, 2, 29, 23) },
  })
})

test('everything that can be asked is read', () => {
  const record = '11111111-0000-4000-8000-00000000000A'
  expect(read(`text= Smith &rule=4&status=needs_you&record=${record}&before=90`)).toMatchObject({
    form: { text: 'Smith' },
    query: { text: 'Smith', automationId: 4, status: 'needs_you', recordUuid: record.toLowerCase(), before: 90 },
  })
})

test.each([
  ['rule=x', 'rule'],
  ['status=odd', 'status'],
  ['from=2026-02-30', 'from'],
  ['until=tomorrow', 'until'],
  ['from=2026-03-02&until=2026-03-01', 'until'],
  ['record=%', 'record'],
  ['before=-1', 'before'],
])('%s is refused at its field, and stays as typed', (query, field) => {
  const answer = read(query)
  expect(answer.outcome).toBe('invalid')
  expect(answer.outcome === 'invalid' && Object.keys(answer.errors)).toEqual([field])
})

const JOB = '11111111-0000-4000-8000-000000003129'

/** An account whose runs are those of two bookings: only the first is on job 3129, of Mrs O'Brien. */
async function withBookings(): Promise<{
  world: AutomationWorld
  runs: number[]
  found: (query: string) => Promise<unknown>
}> {
  const world = await automationWorld()
  onTestFinished(world.close)
  const keep = (object: string, recordUuid: string, fields: Record<string, string>) =>
    world.store.records.keepNames(LEEDS, [{ object, recordUuid, fields }], 0)
  await keep('jobactivity', 'booking-1', { job_uuid: JOB })
  await keep('job', JOB, { generated_job_id: '3129', company_uuid: 'company-1', job_address: '2 Mill Lane' })
  await keep('company', 'company-1', { name: "Mrs O'Brien" })
  const rule = await world.rule(aRule([aStep('s1', 'create_task', { title: 'Ring', description: '' })]))
  const nameless = {
    jobId: 'booking',
    status: '',
    jobDescription: '',
    companyName: '',
    jobAddress: '',
    totalInvoiceAmount: '',
  }
  const conditionMatching = { totalRecords: 1, matchedRecords: [nameless] }
  const more = { object: 'jobactivity', held: 'Ask me.', triggerData: { ...TRIGGERED, conditionMatching } }
  const runs = [await world.start(rule, ['booking-1'], more), await world.start(rule, ['booking-2'], more)]
  const app = { ...world.app, namesOf: async () => new Map() }
  const found = async (query: string) =>
    (await loadHistory(app, LEEDS, new URLSearchParams(query), 'UTC')).lines?.map(({ id }) => id)
  return { world, runs, found }
}

test('the run of a booking is found by the job and the customer of the booking', async () => {
  const { runs, found } = await withBookings()
  const [booking] = runs
  expect(await found('')).toHaveLength(2)
  for (const query of ['text=3129', 'text=Job 3129', 'text=%233129', "text=o'brien", 'text=mill lane', `record=${JOB}`])
    expect(await found(query), query).toEqual([booking])
})

test('over two pages the shown times only fall, also of runs that went out later', async () => {
  const { world, runs } = await withBookings()
  const rule = (await world.run(runs[0] ?? 0)).automationId
  for (let count = 0; count < 28; count += 1) {
    await world.clock.run(60_000)
    await world.start(rule, ['job-x'], { held: 'Ask me.' })
  }
  const later = world.client.sql.prepare('UPDATE run SET started_at = ? WHERE id = ?')
  for (const id of [3, 20]) later.run(world.clock.now() + 60_000, id)
  const page = async (query: string) =>
    loadHistory({ ...world.app, namesOf: async () => new Map() }, LEEDS, new URLSearchParams(query), 'UTC')
  const newest = await page('')
  const older = await page(`before=${newest.next}`)
  const times = [newest, older]
    .flatMap(({ lines }) => runsByDay(lines ?? [], world.clock.now(), 'UTC'))
    .flatMap(({ lines }) => lines)
  expect(times).toHaveLength(30)
  expect(times.map(({ at }) => at)).toEqual(times.map(({ at }) => at).toSorted((a, b) => b - a))
  expect(times.flatMap(({ id, startedAt }) => (startedAt === null ? [] : [id]))).toEqual([20, 3])
})

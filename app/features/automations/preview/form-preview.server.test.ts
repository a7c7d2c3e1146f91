import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'
import { draftOf } from '../form/form-body.ts'
import type { FormPreview, PreviewKind } from '../form/form-preview.ts'
import { formOfFields } from '../form/form-state.ts'
import { DEFAULT_ACCOUNT_GUARDS } from '../rules/guards.ts'
import { backtestRule } from './backtest.server.ts'
import { previewForm } from './form-preview.server.ts'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const SMS = {
  type: 'send_sms',
  parameters: { to: '', message: 'Hi {entry.0.contact_first_name}, job {entry.0.generated_job_id}' },
}
const EVENTS = {
  name: 'Thanks',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }],
  actions: [SMS],
}
const POLLED = {
  ...EVENTS,
  triggerSource: 'api_polling',
  apiEndpoint: '/api_1.0/job.json',
  pollInterval: 'daily',
  runTime: '09:00',
}

async function preview<Kind extends FormPreview['kind']>(
  kind: Kind,
  what: PreviewKind,
  fields: Record<string, unknown>,
  { record = '', search = '' } = {},
): Promise<Extract<FormPreview, { kind: Kind }>> {
  const state = formOfFields(fields)
  const found = await previewForm(calls.app, state, { preview: what, accountUuid: LEEDS, record, search, names: {} })
  if (found.kind !== kind) throw new Error(`it is ${JSON.stringify(found)}`)
  return found as Extract<FormPreview, { kind: Kind }>
}

/** Exchanges with the platform since the last time this was asked. */
let seen = 0
function asked(): string[] {
  const all = calls.world.platform.exchanges.map(({ verb, object }) => `${verb} ${object}`)
  const now = all.slice(seen)
  seen = all.length
  return now
}
beforeEach(() => {
  seen = 0
})

describe('the preview of an unsaved rule', () => {
  test('takes the newest record that fits, with final texts, and writes nothing', async () => {
    const old = calls.world.job(LEEDS, { status: 'Completed', edit_date: '2026-01-02 08:00:00' })
    calls.world.job(LEEDS, { status: 'Quote' })
    const found = await preview('preview', 'preview', EVENTS)
    expect(found.record).toEqual({ uuid: old, label: 'Job 1 · Customer 1 · 12 High Street, Dundee', matches: true })
    expect(found.failed).toEqual([])
    expect(found.choices.map(({ label, matches }) => [label.slice(0, 5), matches])).toEqual([
      ['Job 2', false],
      ['Job 1', true],
    ])
    expect(found.preview.steps[0]?.effects[0]).toMatchObject({
      to: '+447700900001',
      texts: [{ label: 'Text', text: 'Hi Margaret, job 1' }],
      credits: 1,
    })
    expect(calls.world.platform.messages).toEqual([])
    expect(calls.world.rows('SELECT count(*) AS count FROM run')).toEqual([{ count: 0 }])
  })

  test('of a record that does not fit says which condition it is, and shows the texts all the same', async () => {
    const job = calls.world.job(LEEDS)
    const found = await preview('preview', 'preview', EVENTS, { record: job })
    expect(found.failed).toEqual([expect.stringContaining('Completed')])
    expect(found.preview.steps[0]?.outcome).toBe('would_run')
  })

  test('a record is found by its number, however old, and by its customer', async () => {
    calls.world.job(LEEDS, { edit_date: '2024-03-01 10:00:00' })
    calls.world.job(LEEDS)
    expect((await preview('preview', 'preview', EVENTS, { search: '1' })).record.label).toMatch(/^Job 1 /)
    expect((await preview('preview', 'preview', EVENTS, { search: 'customer 2' })).record.label).toMatch(/^Job 2 /)
    const none = await preview('preview', 'preview', EVENTS, { search: 'Nobody' })
    expect(none.note).toBe('Nothing was found for “Nobody”.')
    expect(none.record.label).toMatch(/^Job 2 /)
  })

  test('of a check takes an old record that fits; a search finds one too', async () => {
    const at = { edit_date: '2025-10-01 10:00:00', completion_date: '2025-10-01 10:00:00', job_address: '1 Mill Lane' }
    const old = calls.world.job(LEEDS, { status: 'Completed', ...at })
    for (let index = 0; index < 3; index += 1) calls.world.job(LEEDS, { status: 'Quote' })
    const late = { field: 'days_since_completion', operator: 'greater_than', value: '30' }
    const fields = { ...POLLED, conditions: [...POLLED.conditions, late] }
    const found = await preview('preview', 'preview', fields)
    expect(found.record).toEqual({ uuid: old, label: 'Job 1 · Customer 1 · 1 Mill Lane', matches: true })
    const searched = await preview('preview', 'preview', EVENTS, { search: 'customer 1 mill' })
    expect([searched.record.uuid, searched.note]).toEqual([old, null])
  })

  test('asks the platform once, however often the words change', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    await preview('preview', 'preview', EVENTS)
    expect(asked().length).toBeGreaterThan(0)
    const message = 'Other words, {entry.0.contact_first_name}'
    await preview('preview', 'preview', { ...EVENTS, actions: [{ ...SMS, parameters: { message } }] })
    expect(asked()).toEqual([])
  })

  test('an unfinished action says what is missing; the others are shown', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    const actions = [{ type: 'create_task', parameters: {} }, SMS]
    const found = await preview('preview', 'preview', { ...EVENTS, actions })
    expect(found.preview.steps.map(({ outcome }) => outcome)).toEqual(['unanswered', 'would_run'])
    expect(found.preview.steps[0]?.sentence).toMatch(/title/i)
  })

  test('a rule for groups is shown with the whole group', async () => {
    const company_uuid = '77777777-0000-4000-8000-000000000001'
    for (const day of ['02', '01']) {
      calls.world.job(LEEDS, { status: 'Completed', company_uuid, edit_date: `2026-01-${day} 08:00:00` })
    }
    calls.world.job(LEEDS, { status: 'Completed' })
    const actions = [{ type: 'create_task', parameters: { title: '{count} jobs: {all_job_ids}' } }]
    const first = calls.world.platform.records(LEEDS, 'job').keys().next().value ?? ''
    const grouped = { ...POLLED, enableGrouping: true, groupingField: 'company_uuid', actions }
    const found = await preview('preview', 'preview', grouped, { record: first })
    expect(found.preview.steps[0]?.effects[0]?.texts[0]?.text).toBe('2 jobs: 1, 2')
  })

  test('one run for all has all of them, in the preview and in the look back', async () => {
    for (let made = 0; made < 130; made++) calls.world.job(LEEDS, { status: 'Completed' })
    const actions = [{ type: 'create_task', parameters: { title: '{count} jobs' } }]
    const digest = { ...POLLED, digest: true, actions }
    const found = await preview('preview', 'preview', digest)
    expect(found.preview.steps[0]?.effects[0]?.texts[0]?.text).toBe('130 jobs')
    const { rows } = await preview('backtest', 'backtest', digest)
    expect(rows[0]).toMatchObject({ title: 'All of them (130)', does: [{ summary: 'Task "130 jobs" on job 130' }] })
  })

  test('a message that is held says why once, beside it', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    const quiet = { quietFrom: '08:00', quietTo: '18:00', quietForAll: true }
    await calls.world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, ...quiet }, 0)
    const [step] = (await preview('preview', 'preview', EVENTS)).preview.steps
    expect(step?.effects[0]?.held).toContain('quiet hours')
    expect(step?.warnings.join()).not.toContain('quiet hours')
  })

  test('while the platform is down says so in words', async () => {
    calls.world.platform.fate = () => 'not_reached'
    expect((await preview('trouble', 'preview', EVENTS)).message).toMatch(/ServiceM8 did not answer/)
  })
})

test('placeholders have the values of a real record; what is empty is empty, what only a run knows is left out', async () => {
  const paid = { total_invoice_amount: '671.80', completion_date: '2025-12-20 10:00:00' }
  const quoted = { quote_sent_stamp: '2025-12-01 14:30:00' }
  calls.world.job(LEEDS, { status: 'Completed', purchase_order_number: '', ...paid, ...quoted })
  const found = await preview('samples', 'samples', { ...EVENTS, actions: [{ type: 'create_job', parameters: {} }] })
  expect(found.about).toBe('Job 1 · Customer 1 · 12 High Street, Dundee')
  expect(found.values).toMatchObject({
    'entry.0.generated_job_id': '1',
    'entry.0.contact_first_name': 'Margaret',
    'entry.0.purchase_order_number': '',
    'business name': 'Leeds Electrical',
    'entry.0.total_invoice_amount': '671.80',
    'entry.0.total_invoice_amount as money': '£671.80',
    'entry.0.completion_date as date': '20 Dec 2025',
    'entry.0.quote_sent_stamp as date': '1 Dec 2025',
    'entry.0.quote_sent_stamp as time': '14:30',
  })
  expect(Object.keys(found.values).some((name) => name.startsWith('action_'))).toBe(false)
})

describe('the last 30 days', () => {
  test('of a rule on a status: jobs that came to it in that time, each with what it would have sent', async () => {
    calls.world.job(LEEDS, { status: 'Completed', completion_date: '2025-12-20 10:00:00' })
    calls.world.job(LEEDS, { status: 'Completed', completion_date: '2025-08-01 10:00:00' })
    calls.world.job(LEEDS, { status: 'Quote' })
    const found = await preview('backtest', 'backtest', EVENTS)
    expect(found.headline).toBe(
      'In the last 30 days this automation would have acted on 1 job: 1 message to customers, 1 SMS credit.',
    )
    expect(found.rows).toEqual([
      expect.objectContaining({
        title: 'Job 1',
        customer: 'Customer 1',
        on: Date.UTC(2025, 11, 20, 10),
        ran: false,
        does: [expect.objectContaining({ to: '+447700900001', text: 'Hi Margaret, job 1', credits: 1 })],
      }),
    ])
    expect(found.basis.join(' ')).toContain('Jobs that have moved on since are missing')
    expect(calls.world.platform.messages).toEqual([])
  })

  test('of a rule by the clock: what it would have met at one of its looks, also when it no longer does', async () => {
    const quoted = { quote_date: '2025-12-20 10:00:00', edit_date: '2025-12-20 10:00:00' }
    calls.world.job(LEEDS, quoted)
    const conditions = [{ field: 'days_since_quote', operator: 'equals', value: '3' }]
    const found = await preview('backtest', 'backtest', { ...POLLED, conditions })
    expect(found.rows.map(({ title, on }) => [title, on])).toEqual([['Job 1', Date.UTC(2025, 11, 23, 9)]])
    expect(found.basis.join(' ')).toContain('Estimate for every check')
  })

  test('of a rule by the clock: also what nobody changed and only grew older, and not what fitted long before', async () => {
    const completed = (day: string) =>
      calls.world.job(LEEDS, {
        status: 'Completed',
        completion_date: `${day} 10:00:00`,
        edit_date: `${day} 10:00:00`,
      })
    completed('2025-02-01')
    completed('2024-06-01')
    completed('2025-10-01')
    const conditions = [{ field: 'days_since_completion', operator: 'greater_than', value: '329' }]
    const yearly = await preview('backtest', 'backtest', { ...POLLED, conditions })
    expect(yearly.rows.map(({ title, on }) => [title, on])).toEqual([['Job 1', Date.UTC(2025, 11, 28, 9)]])
    expect(yearly.basis.slice(0, 2)).toEqual([
      'How often for the same job: once per job.',
      'Based on every job, with its current values.',
    ])
    const none = [{ field: 'days_since_completion', operator: 'equals', value: '9000' }]
    expect((await preview('backtest', 'backtest', { ...POLLED, conditions: none })).headline).toBe(
      'In the last 30 days this automation would have done nothing: of 3 jobs, none matches.',
    )
    // One look now finds whatever fits now.
    const now = await preview('backtest', 'backtest', { ...POLLED, pollInterval: 'on_demand', conditions })
    expect(now.count).toBe(2)
  })

  test('of one run for many: a run for each check and group, said as of then, and only a real one did run', async () => {
    const { world } = calls
    const company_uuid = '77777777-0000-4000-8000-000000000001'
    for (const day of ['20', '20', '21']) {
      const quoted = `2025-12-${day} 10:00:00`
      world.job(LEEDS, { company_uuid, quote_date: quoted, edit_date: quoted })
    }
    const conditions = [{ field: 'days_since_quote', operator: 'equals', value: '3' }]
    const actions = [{ type: 'create_task', parameters: { title: '{today}: {count} jobs' } }]
    const grouped = { ...POLLED, conditions, actions, once: 'period', enableGrouping: true }
    const found = await preview('backtest', 'backtest', { ...grouped, groupingField: 'company_uuid' })
    expect(found.headline).toContain('would have run 2 times')
    expect(found.rows.map(({ title, on, ran, does }) => [title, on, ran, does[0]?.summary])).toEqual([
      ['Customer 3 (1)', Date.UTC(2025, 11, 24, 9), false, expect.stringContaining('24')],
      ['Customer 3 (2)', Date.UTC(2025, 11, 23, 9), false, expect.stringContaining('23')],
    ])
    const fields = { ...grouped, conditions: [], groupingField: 'company_uuid' }
    const rule = await world.rule(draftOf(formOfFields(fields)))
    const records = [...world.platform.records(LEEDS, 'job').keys()]
    await world.start(rule, records, { groupKey: company_uuid })
    world.app.wakeRuns()
    await world.clock.run(5_000)
    // As if it had waited over midnight.
    world.rows('UPDATE run SET started_at = started_at + 86400000 RETURNING id')
    expect((await ranRows(rule)).slice(0, 2)).toEqual([
      [Date.UTC(2026, 0, 5, 9), true],
      [Date.UTC(2026, 0, 4, 9), false],
    ])
  })

  /** Which entries of a stored rule did run. */
  async function ranRows(rule: number) {
    const row = await calls.world.store.automations.findAutomation(LEEDS, rule)
    const stored = row && (await backtestRule(calls.app, row))
    return stored?.kind === 'backtest' ? stored.rows.map(({ on, ran }) => [on, ran]) : []
  }

  test.each([
    { digest: true, groupKey: null },
    { enableGrouping: true, groupingField: 'status', groupKey: 'quote' },
  ])('of one run for many whose check does not repeat: it did run whenever it did', async ({ groupKey, ...many }) => {
    const { world } = calls
    for (const status of ['Quote', 'Completed']) world.job(LEEDS, { status })
    const fields = { ...POLLED, ...many, conditions: [], pollInterval: 'on_demand' }
    const rule = await world.rule(draftOf(formOfFields({ ...fields, actions: [SMS] })))
    expect((await ranRows(rule)).some(([, ran]) => ran)).toBe(false)
    await world.start(rule, [...world.platform.records(LEEDS, 'job').keys()], { groupKey })
    world.app.wakeRuns()
    await world.clock.run(5_000)
    expect((await ranRows(rule)).filter(([, ran]) => ran)).toEqual([[null, true]])
  })

  test('of many shows fifty, counts all, and asks the platform a bounded number of times', async () => {
    for (let each = 0; each < 60; each += 1) calls.world.job(LEEDS, { status: 'Completed' })
    const found = await preview('backtest', 'backtest', POLLED)
    expect([found.rows.length, found.count]).toEqual([50, 60])
    expect(asked().length).toBeLessThan(12)
    expect(found.rows.at(-1)?.does[0]?.text).toMatch(/^Hi Margaret, job \d+$/)
  })

  test('of one run for all that changes each job: a bounded number of records is planned and told, all runs are counted', async () => {
    for (let each = 0; each < 1_000; each += 1) calls.world.job(LEEDS, { status: 'Completed' })
    const change = { type: 'update_job_field', parameters: { fieldName: 'purchase_order_number', fieldValue: 'A' } }
    const digest = { ...POLLED, digest: true, once: 'period', actions: [change] }
    const found = await preview('backtest', 'backtest', digest)
    expect([found.rows.length, found.count]).toEqual([5, 30])
    expect(found.headline).toMatch(/would have run 30 times.* The first 5 entries are below and counted\.$/)
    expect(found.rows[0]?.does.map(({ summary }) => summary).slice(9)).toEqual([
      expect.stringContaining('Purchase order number'),
      'And 990 more changes.',
    ])
    expect(JSON.stringify(found).length).toBeLessThan(10_000)
  }, 30_000)

  test('of one run for all, every hour: says on how many days, and that one check a day is counted', async () => {
    calls.world.job(LEEDS, { status: 'Completed', date: '2025-01-01' })
    const hourly = { ...POLLED, pollInterval: 'hourly', digest: true, once: 'period', actions: [SMS] }
    const found = await preview('backtest', 'backtest', hourly)
    expect(found.headline).toMatch(/would have run on 30 days: \d+ messages/)
    expect(found.basis.join(' ')).toContain('One check a day is shown and counted. This automation checks more often.')
    expect(found.basis.join(' ')).not.toContain('every check')
    const alone = await preview('backtest', 'backtest', { ...POLLED, pollInterval: 'hourly' })
    expect(alone.basis.join(' ')).toContain('One check a day')
    expect([alone.headline, ...alone.basis].join(' ')).not.toMatch(/ on \d+ days|every check/)
  })

  test('of a rule that is called from outside nothing can be said, and it says so', async () => {
    calls.world.job(LEEDS)
    const found = await preview('backtest', 'backtest', { ...EVENTS, triggerSource: 'manual_endpoint' })
    expect(found.rows).toEqual([])
    expect(found.basis).toEqual([expect.stringContaining('another program')])
  })
})

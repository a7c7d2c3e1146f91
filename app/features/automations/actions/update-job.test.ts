// Long: one table of changes to a job: what is written, left out, and said of it.
import { beforeEach, describe, expect, it } from 'vitest'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import {
  ACCOUNT,
  type ActionWorld,
  actionWorld,
  CARING_QUEUE,
  CUSTOMER,
  effectsOf,
  HEATING,
  JOB,
  OLD_QUEUE,
  OTHER_JOB,
  PRIYA,
  QUEUE,
  TOM,
} from '#tests/support/action-platform.server.ts'
import { partsOfSteps } from '../runs/run-parts.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const job = (values: Record<string, string> = {}, uuid = OTHER_JOB) =>
  world.put('job', { uuid, status: 'Work Order', generated_job_id: '1042', company_uuid: CUSTOMER, ...values })

describe('update_job_status', () => {
  it('sets the status, showing what it was', async () => {
    const [effect] = effectsOf(await world.plan('update_job_status', { status: 'completed' }), 'update_record')
    expect(effect).toEqual({
      kind: 'update_record',
      class: 'set',
      object: 'job',
      recordUuid: JOB,
      before: { status: 'Quote', edit_date: '2026-01-04 17:30:00' },
      fields: { status: 'Completed' },
      summary: 'Set on job 1041: Status "Quote" → "Completed"',
    })
  })

  it('changes nothing at the platform while it plans', async () => {
    await world.plan('update_job_status', { status: 'Completed' })
    expect(world.platform.changed).toEqual([])
  })

  it('skips a job that is so already, because an empty write would set off rules', async () => {
    expect(await world.plan('update_job_status', { status: 'Quote' })).toMatchObject({
      outcome: 'skipped',
      sentence: 'Nothing to change: job 1041 is so already.',
    })
    // ServiceM8 gives a date back with a time.
    const date = (fieldValue: string) => world.plan('update_job_field', { fieldName: 'date', fieldValue })
    expect(await date('2026-01-02')).toMatchObject({ sentence: 'Nothing to change: job 1041 is so already.' })
    const [effect] = effectsOf(await date('2026-01-03'), 'update_record')
    expect(effect?.summary).toBe('Set on job 1041: Job date 2 January 2026 → 3 January 2026')
  })

  it.each(['', 'Finished', '{entry.0.nothing_like_it}'])('refuses %j', async (status) => {
    expect(await world.plan('update_job_status', { status })).toMatchObject({
      outcome: 'impossible',
      errorClass: 'value',
    })
  })

  it('takes a status out of a placeholder', async () => {
    const plan = await world.plan(
      'update_job_status',
      { status: '{status_wanted}' },
      { trigger: { status_wanted: 'Work Order' } },
    )
    expect(effectsOf(plan, 'update_record')[0]?.fields).toEqual({ status: 'Work Order' })
  })

  it('sets every job of a group, each once, and leaves out what is deleted', async () => {
    job()
    const records = [await world.record(), await world.record('job', OTHER_JOB), await world.record()]
    const gone = { ...records[0], jobUuid: 'x', recordUuid: 'x', active: false }
    const plan = await world.plan(
      'update_job_status',
      { status: 'Completed' },
      { records: [...records, gone as never] },
    )
    expect(effectsOf(plan, 'update_record').map((effect) => effect.recordUuid)).toEqual([JOB, OTHER_JOB])
    expect(plan).toMatchObject({ warnings: [{ code: 'job_left_out' }] })
  })

  it('reads the job of a booking now', async () => {
    world.put('jobactivity', { uuid: '12000000-0000-4000-8000-000000000001', job_uuid: JOB, staff_uuid: TOM })
    const record = await world.record('jobactivity', '12000000-0000-4000-8000-000000000001')
    const plan = await world.plan('update_job_status', { status: 'Completed' }, { records: [record] })
    expect(effectsOf(plan, 'update_record')[0]).toMatchObject({ recordUuid: JOB, before: { status: 'Quote' } })
    expect(world.asked()).toEqual(['read job'])
    world.platform.records(ACCOUNT, 'job').delete(JOB)
    expect(await world.plan('update_job_status', { status: 'Completed' }, { records: [record] })).toMatchObject({
      outcome: 'impossible',
      errorClass: 'not_found',
    })
  })

  it('needs a job', async () => {
    const record = await world.record('company', CUSTOMER)
    expect(await world.plan('update_job_status', { status: 'Quote' }, { records: [record] })).toMatchObject({
      outcome: 'impossible',
      sentence: 'This action needs a job, and this record belongs to none.',
    })
  })
})

describe('assign_to_queue', () => {
  it("sets the queue and until when, by the queue's own days in the account's time", async () => {
    const [effect] = effectsOf(await world.plan('assign_to_queue', { queueUuid: QUEUE }), 'update_record')
    expect(effect?.fields).toEqual({ queue_uuid: QUEUE, queue_expiry_date: '2026-01-12 09:00:00' })
    expect(effect?.before).toMatchObject({ queue_uuid: '', queue_expiry_date: '' })
  })

  it('names whoever is responsible for the job where the queue wants somebody', async () => {
    const record = await world.record()
    const known = { ...record, values: { ...record.values, queue_assigned_staff_uuid: TOM } }
    const plan = await world.plan('assign_to_queue', { queueUuid: CARING_QUEUE }, { records: [known] })
    expect(effectsOf(plan, 'update_record')[0]?.fields).toEqual({
      queue_uuid: CARING_QUEUE,
      queue_expiry_date: '2026-01-08 09:00:00',
    })
    const nobody = await world.plan('assign_to_queue', { queueUuid: CARING_QUEUE })
    expect(effectsOf(nobody, 'update_record')[0]?.fields).toMatchObject({ queue_assigned_staff_uuid: PRIYA })
    expect(nobody).toMatchObject({
      warnings: [{ code: 'queue_staff_by_default', sentence: expect.stringContaining('so it is Priya Alder') }],
    })
  })

  it('leaves a job alone that stands in the queue: its time must not start again', async () => {
    job({ queue_uuid: QUEUE, queue_expiry_date: '2026-01-06 09:00:00' })
    const records = [await world.record('job', OTHER_JOB)]
    expect(await world.plan('assign_to_queue', { queueUuid: QUEUE }, { records })).toMatchObject({ outcome: 'skipped' })
  })

  it('finds a queue by its name', async () => {
    const plan = await world.plan('assign_to_queue', { queueUuid: 'waiting for PARTS' })
    expect(effectsOf(plan, 'update_record')[0]?.fields.queue_uuid).toBe(QUEUE)
  })

  it.each([
    [OLD_QUEUE, 'was deleted in ServiceM8'],
    ['40000000-0000-4000-8000-00000000dead', 'was deleted in ServiceM8'],
    ['No such queue', 'There is no queue called "No such queue"'],
    ['', 'No queue was chosen'],
  ])('cannot use %s', async (queueUuid, sentence) => {
    expect(await world.plan('assign_to_queue', { queueUuid })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining(sentence),
    })
  })

  it('is tried again when the platform does not say whether the queue is there', async () => {
    world.platform.fate = ({ object }) => (object === 'queue' ? 'broken' : 'well')
    expect(await world.plan('assign_to_queue', { queueUuid: QUEUE })).toMatchObject({
      outcome: 'later',
      errorClass: 'unavailable',
      retryAt: null,
    })
    world.platform.fate = ({ object }) => (object === 'queue' ? 'too_many' : 'well')
    expect(await world.plan('assign_to_queue', { queueUuid: QUEUE })).toMatchObject({
      outcome: 'later',
      errorClass: 'rate_limited',
      retryAt: world.clock.now() + 20_000,
    })
  })
})

describe('update_job_field', () => {
  const set = async (fieldName: string, fieldValue: string) =>
    effectsOf(await world.plan('update_job_field', { fieldName, fieldValue }), 'update_record')[0]?.fields

  it('writes texts, dates, flags and ids as the platform takes them', async () => {
    expect(await set('purchase_order_number', 'Billed on {entry.0.generated_job_id}')).toEqual({
      purchase_order_number: 'Billed on 1041',
    })
    expect(await set('date', 'TODAY')).toEqual({ date: '2026-01-05' })
    expect(await set('completion_date', 'TODAY+2')).toEqual({ completion_date: '2026-01-07 00:00:00' })
    expect(await set('quote_date', '2026-01-05 14:30')).toEqual({ quote_date: '2026-01-05 14:30:00' })
    expect(await set('invoice_sent', 'yes')).toEqual({ invoice_sent: '1' })
    expect(await set('company_uuid', JOB.toUpperCase())).toEqual({ company_uuid: JOB })
    expect(await set('badges', `${TOM}, ${PRIYA}`)).toEqual({ badges: JSON.stringify([TOM, PRIYA]) })
    expect(await set('status', 'Completed')).toEqual({ status: 'Completed' })
    expect(await set('job_description', '')).toEqual({ job_description: '' })
  })

  it('knows the names the specification uses for fields the platform calls differently', async () => {
    expect(await set('created_date', '2026-02-01')).toEqual({ date: '2026-02-01' })
    expect(await set('assigned_staff', TOM)).toEqual({ queue_assigned_staff_uuid: TOM })
    expect(await set('description', 'New')).toEqual({ job_description: 'New' })
  })

  it('takes a category by its id or by its name, as Create Job does', async () => {
    world.set('job', JOB, { category_uuid: '' })
    expect(await set('category_uuid', 'heating')).toEqual({ category_uuid: HEATING })
    expect(await set('category_uuid', HEATING.toUpperCase())).toEqual({ category_uuid: HEATING })
    expect(await set('company_uuid', JOB)).toEqual({ company_uuid: JOB })
  })

  it('moves a job into a queue with its time', async () => {
    expect(await set('queue_uuid', QUEUE)).toEqual({ queue_uuid: QUEUE, queue_expiry_date: '2026-01-12 09:00:00' })
  })

  it('keeps what a value contains as it is: braces, markup and line ends are text', async () => {
    job({ job_description: '{company_email} <b>&</b>\r\n"x" __proto__' }, JOB)
    const fields = await set('work_done_description', '{entry.0.job_description}')
    expect(fields).toEqual({ work_done_description: '{company_email} <b>&</b>\n"x" __proto__' })
  })

  it('means the job at hand by entry 0, in a group too', async () => {
    job({ job_description: 'The second' })
    const records = [await world.record(), await world.record('job', OTHER_JOB)]
    const step = { fieldName: 'work_done_description', fieldValue: '{entry.0.job_description}' }
    const effects = effectsOf(await world.plan('update_job_field', step, { records }), 'update_record')
    expect(effects.map((effect) => effect.fields.work_done_description)).toEqual(['Replace the boiler', 'The second'])
  })

  it('counts each job once in its values, alone and in a group', async () => {
    job({ total_invoice_amount: '50.0000' })
    world.set('job', JOB, { total_invoice_amount: '100.0000' })
    const records = [await world.record(), await world.record('job', OTHER_JOB)]
    const step = { fieldName: 'purchase_order_number', fieldValue: '{count} {all_job_ids} {sum_total}' }
    const written = async (of: typeof records) =>
      effectsOf(await world.plan('update_job_field', step, { records: of }), 'update_record').map(
        ({ fields }) => fields.purchase_order_number,
      )
    expect(await written(records.slice(0, 1))).toEqual(['1 1041 100.00'])
    expect(await written(records)).toEqual(['2 1041, 1042 150.00', '2 1042, 1041 150.00'])
  })

  it('counts two bookings of one job as two', async () => {
    const ids = ['12000000-0000-4000-8000-000000000001', '12000000-0000-4000-8000-000000000002']
    for (const uuid of ids) world.put('jobactivity', { uuid, job_uuid: JOB })
    const records = await Promise.all(ids.map((uuid) => world.record('jobactivity', uuid)))
    const step = { fieldName: 'purchase_order_number', fieldValue: '{count}' }
    const [effect] = effectsOf(await world.plan('update_job_field', step, { records }), 'update_record')
    expect(effect?.fields).toEqual({ purchase_order_number: '2' })
  })

  it('says what changes in words: labels, names, days, yes and no', async () => {
    const VIP = '90000000-0000-4000-8000-000000000001'
    world.put('badge', { uuid: VIP, name: 'VIP' })
    world.set('job', JOB, { badges: JSON.stringify([TOM]), quote_sent: '0', queue_uuid: '' })
    const said = async (fieldName: string, fieldValue: string) =>
      effectsOf(await world.plan('update_job_field', { fieldName, fieldValue }), 'update_record')[0]?.summary
    expect(await said('queue_uuid', QUEUE)).toBe(
      'Set on job 1041: Queue empty → "Waiting for parts", In the queue until empty → 12 January 2026 at 09:00',
    )
    expect(await said('quote_sent', 'yes')).toBe('Set on job 1041: Quote sent no → yes')
    expect(await said('badges', 'VIP')).toBe('Set on job 1041: Badges + VIP, − a badge')
    expect(await said('company_uuid', OTHER_JOB)).toMatch(/^Set on job 1041: Customer ".+" → another one$/)
    world.set('job', JOB, { category_uuid: '' })
    expect(await said('category_uuid', HEATING)).toBe('Set on job 1041: Category empty → "Heating"')
  })

  it('names what a job loses: its queue, its category, badges that are erased or written as ids', async () => {
    const [VIP, CHASE] = ['90000000-0000-4000-8000-000000000001', '90000000-0000-4000-8000-000000000002']
    world.put('badge', { uuid: VIP, name: 'VIP' })
    world.put('badge', { uuid: CHASE, name: 'Do not chase' })
    world.set('job', JOB, { badges: JSON.stringify([VIP]), queue_uuid: QUEUE, category_uuid: HEATING })
    const said = async (type: ActionType, parameters: Record<string, string>) => {
      const parts = partsOfSteps({ steps: [{ id: 's1', type, parameters, waitForPrevious: false }] }, 'job')
      const loaded = await world.facts.one(ACCOUNT, 'job', JOB, parts)
      if (loaded.outcome !== 'ok') throw new Error(loaded.outcome)
      return effectsOf(await world.plan(type, parameters, { records: [loaded.facts] }), 'update_record')[0]?.summary
    }
    const field = (fieldName: string, fieldValue = '') => said('update_job_field', { fieldName, fieldValue })
    expect(await field('badges')).toBe('Set on job 1041: Badges − VIP')
    expect(await field('badges', CHASE)).toBe('Set on job 1041: Badges + Do not chase, − VIP')
    expect(await field('queue')).toBe('Set on job 1041: Queue "Waiting for parts" → empty')
    expect(await field('category_uuid')).toBe('Set on job 1041: Category "Heating" → empty')
    expect(await said('assign_to_queue', { queueUuid: CARING_QUEUE })).toContain('Queue "Waiting for parts" → "')
  })

  it('does so without the name where its list cannot be read', async () => {
    world.platform.fate = ({ verb, object }) => (verb === 'list' && object === 'category' ? 'forbidden' : 'well')
    const parameters = { fieldName: 'category_uuid', fieldValue: '' }
    const steps = [{ id: 's1', type: 'update_job_field' as const, parameters, waitForPrevious: false }]
    const loaded = await world.facts.one(ACCOUNT, 'job', JOB, partsOfSteps({ steps }, 'job'))
    if (loaded.outcome !== 'ok') throw new Error(loaded.outcome)
    const plan = await world.planned('update_job_field', parameters, { records: [loaded.facts] })
    expect(effectsOf(plan, 'update_record')[0]).toMatchObject({
      fields: { category_uuid: '' },
      summary: 'Set on job 1041: Category → empty',
    })
  })

  it('leaves a job out where the placeholder of its value is empty, and empties a field only as written', async () => {
    world.set('job', JOB, { purchase_order_number: 'G1', badges: JSON.stringify([TOM]), queue_uuid: '' })
    for (const fieldName of ['purchase_order_number', 'badges', 'queue_uuid', 'date']) {
      const plan = await world.plan('update_job_field', { fieldName, fieldValue: ' {queue_name}' })
      expect(plan).toMatchObject({
        outcome: 'skipped',
        sentence: 'Nothing was changed on job 1041: {queue_name} is empty here.',
        // That "nothing stands in its place" is said of what is written.
        warnings: [],
      })
    }
    for (const fieldValue of ['{queue_name}, {queue_name}', '["{queue_name}"]']) {
      const plan = await world.plan('update_job_field', { fieldName: 'badges', fieldValue })
      expect(plan).toMatchObject({ outcome: 'skipped', sentence: expect.stringContaining('{queue_name} is empty') })
    }
    expect(await world.plan('assign_to_queue', { queueUuid: '{queue_name}' })).toMatchObject({ outcome: 'skipped' })
    expect(await world.plan('update_job_field', { fieldName: 'badges', fieldValue: '{no_such}' })).toMatchObject({
      outcome: 'impossible',
      sentence: 'Nothing was changed on job 1041: {no_such} means nothing here.',
      warnings: [],
    })
    expect(await set('purchase_order_number', '{queue_name or ""}')).toEqual({ purchase_order_number: '' })
    expect(await set('badges', '')).toEqual({ badges: '' })

    job({ queue_uuid: QUEUE })
    const records = [await world.record(), await world.record('job', OTHER_JOB)]
    const step = { fieldName: 'purchase_order_number', fieldValue: '{entry.0.queue_name}' }
    const plan = await world.planned('update_job_field', step, { records })
    expect(effectsOf(plan, 'update_record').map(({ recordUuid }) => recordUuid)).toEqual([OTHER_JOB])
    const sentence = 'Nothing was changed on job 1041: {entry.0.queue_name} is empty here.'
    expect(plan.warnings).toEqual([{ code: 'job_left_out', sentence }])
    world.set('job', OTHER_JOB, { purchase_order_number: records[1]?.values.queue_name })
    const same = [await world.record(), await world.record('job', OTHER_JOB)]
    expect(await world.plan('update_job_field', step, { records: same })).toMatchObject({
      ...{ outcome: 'skipped', errorClass: 'nothing_to_do', sentence: expect.stringContaining('is so already') },
      warnings: [{ code: 'job_left_out', sentence }],
    })
  })

  it.each([
    ['generated_job_id', '7', 'ServiceM8 keeps the field generated_job_id itself'],
    ['total_cost', '7', 'ServiceM8 keeps the field total_cost itself'],
    ['priority', 'High', 'ServiceM8 jobs have no priority'],
    ['__proto__', 'x', 'An automation cannot set the field'],
    ['active', '0', 'An automation cannot set the field'],
    ['', 'x', 'No field was chosen'],
    ['date', 'some day', '"some day" is not a date'],
    ['invoice_sent', 'perhaps', 'neither yes nor no'],
    ['category_uuid', 'Solar', 'no category called "Solar"'],
    ['category_uuid', JOB, 'category of this automation no longer exists'],
    ['badges', 'VIP', 'There is no badge called "VIP" in ServiceM8'],
    ['purchase_order_number', 'x'.repeat(101), 'at most 100 characters'],
  ])('refuses %s = %s', async (fieldName, fieldValue, sentence) => {
    expect(await world.plan('update_job_field', { fieldName, fieldValue })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining(sentence),
    })
  })
})

describe('badges', () => {
  const VIP = '90000000-0000-4000-8000-000000000001'
  const CHASE = '90000000-0000-4000-8000-000000000002'
  const OLD = '90000000-0000-4000-8000-000000000003'
  const change = async (badgeChange: string, fieldValue: string) => {
    const plan = await world.plan('update_job_field', { fieldName: 'badges', fieldValue, badgeChange })
    if (plan.outcome !== 'planned') return plan.sentence
    return effectsOf(plan, 'update_record')[0]?.fields.badges
  }

  beforeEach(() => {
    world.put('badge', { uuid: VIP, name: 'VIP' })
    world.put('badge', { uuid: CHASE, name: 'Do not chase' })
    world.put('badge', { uuid: OLD, name: 'Winter', active: 0 })
    world.set('job', JOB, { badges: JSON.stringify([CHASE]) })
  })

  it('are added by name, beside those the job has', async () => {
    expect(await change('add', 'vip')).toBe(JSON.stringify([CHASE, VIP]))
    expect(await change('add', `VIP, ${OLD}`)).toBe(JSON.stringify([CHASE, VIP, OLD]))
  })

  it('may have a comma in their name', async () => {
    const PARTS = '90000000-0000-4000-8000-000000000004'
    world.put('badge', { uuid: PARTS, name: 'Parts, waiting' })
    expect(await change('add', 'parts, waiting')).toBe(JSON.stringify([CHASE, PARTS]))
    expect(await change('replace', '["Parts, waiting","VIP"]')).toBe(JSON.stringify([PARTS, VIP]))
    expect(await change('add', 'VIP, Parts')).toContain('There is no badge called "Parts"')
    const both = JSON.stringify([VIP, PARTS])
    for (const written of ['VIP, Parts, waiting', 'VIP,Parts,waiting', '["VIP","Parts, waiting"]']) {
      expect(await change('replace', written)).toBe(both)
    }
    world.set('job', JOB, { badges: both })
    expect(await change('replace', 'VIP, Parts, waiting')).toContain('Nothing to change')
    expect(await change('replace', 'Parts, waiting, VIP, Parts')).toContain('There is no badge called "Parts"')
    world.set('job', JOB, { badges: JSON.stringify([VIP, PARTS]) })
    expect(await change('remove', 'Parts, waiting')).toBe(JSON.stringify([VIP]))
    // A list says itself where a name ends.
    world.put('badge', { uuid: OLD, name: 'Parts' })
    world.put('badge', { uuid: CHASE, name: 'waiting' })
    expect(await change('replace', '["Parts","waiting"]')).toBe(JSON.stringify([OLD, CHASE]))
    expect(await change('replace', 'Parts, waiting')).toBe(JSON.stringify([PARTS]))
    expect(await change('replace', '["Parts,waiting"]')).toBe(JSON.stringify([PARTS]))
  })

  it('are removed by name, and the others stay', async () => {
    world.set('job', JOB, { badges: JSON.stringify([VIP, CHASE, OLD]) })
    expect(await change('remove', 'Do not chase')).toBe(JSON.stringify([VIP, OLD]))
    expect(await change('remove', 'winter')).toBe(JSON.stringify([VIP, CHASE]))
  })

  it('replace the whole list where the rule says so, by name or id', async () => {
    expect(await change('replace', 'VIP')).toBe(JSON.stringify([VIP]))
    expect(await change('', `${VIP}, Do not chase`)).toBe(JSON.stringify([VIP, CHASE]))
    expect(await change('', '')).toBe('')
  })

  it('that are so already change nothing', async () => {
    expect(await change('add', 'Do not chase')).toContain('Nothing to change')
    expect(await change('remove', 'VIP')).toContain('Nothing to change')
  })

  it('nobody knows are told, and a deleted one is put on no job', async () => {
    expect(await change('add', 'Winter')).toContain('There is no badge called "Winter" in ServiceM8')
    expect(await change('add', '')).toContain('No badge was chosen')
  })
})

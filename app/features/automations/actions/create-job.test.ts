// Long: one table of what a new job takes over, and from where.
import { beforeEach, describe, expect, it } from 'vitest'
import type { Effect } from '#app/domain/automations/effect.ts'
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
} from '#tests/support/action-platform.server.ts'

const BUNDLE = '60000000-0000-4000-8000-000000000001'
let world: ActionWorld

const TAP = '90000000-0000-4000-8000-000000000001'
const PIPE = '90000000-0000-4000-8000-000000000002'
const COMBI = '91000000-0000-4000-8000-000000000001'
const NEW = { company_uuid: '{company_uuid}', status: 'Quote' }

beforeEach(() => {
  world = actionWorld()
  world.put('material', {
    uuid: TAP,
    name: 'Tap',
    price: '45.50',
    cost: '20.00',
    tax_rate_uuid: 'tax',
    price_includes_taxes: 0,
  })
  world.put('material', { uuid: PIPE, name: 'Pipe', price: '17.40', cost: '9.90', price_includes_taxes: 1 })
  world.put('materialbundle', {
    uuid: COMBI,
    item_number: 'BND-1',
    name: 'Combi swap',
    material_list: [
      { material_uuid: TAP, quantity: '1.5' },
      { uuid: PIPE, quantity: '2' },
    ],
  })
})

const job = (parameters: Parameters<ActionWorld['plan']>[1], more?: Parameters<ActionWorld['plan']>[2]) =>
  world.plan('create_job', { ...NEW, ...parameters }, more)
const made = async (...input: Parameters<typeof job>) => effectsOf(await job(...input), 'create_record')
const brief = (effects: readonly Effect[]) =>
  effects.map((effect) => {
    if (effect.kind === 'create_record')
      return [effect.object, effect.fields.name ?? '', effect.fields.quantity ?? '', effect.parents]
    return effect.kind === 'update_record'
      ? [`move ${effect.object}`, effect.recordUuid, '', effect.parents]
      : [effect.kind]
  })

const line = (uuid: string, name: string, more = {}) =>
  world.put('jobmaterial', {
    uuid,
    job_uuid: JOB,
    name,
    quantity: '2',
    price: '10.00',
    displayed_amount: '10.00',
    cost: '4.00',
    sort_order: '1',
    job_material_bundle_uuid: '',
    edit_date: '2026-01-01 00:00:00',
    ...more,
  })

/** Two loose lines, and a bundle with one line. */
function stock(): void {
  line('l-2', 'Second', { sort_order: '2' })
  line('l-1', 'First')
  line('l-3', 'In the bundle', { job_material_bundle_uuid: BUNDLE, sort_order: '3' })
  line('l-4', 'Deleted', { active: 0 })
  line('l-5', 'Elsewhere', { job_uuid: OTHER_JOB })
  world.put('jobmaterialbundle', {
    uuid: BUNDLE,
    job_uuid: JOB,
    name: 'Old combi',
    item_number: 'B',
    quantity: '1',
    material_bundle_uuid: COMBI,
  })
}

describe('a new job', () => {
  it('has everything it was told, and its number is read back', async () => {
    const parameters = {
      job_description: 'Yearly service, last done for job {entry.0.generated_job_id}',
      job_address: '{entry.0.job_address}',
      billing_address: 'PO Box 9',
      date: 'TODAY',
      purchase_order_number: 'PO-7',
      category_uuid: 'heating',
      queue_uuid: QUEUE,
    }
    const plan = await job(parameters)
    expect(effectsOf(plan, 'create_record')).toEqual([
      {
        kind: 'create_record',
        class: 'create',
        object: 'job',
        fields: {
          company_uuid: CUSTOMER,
          status: 'Quote',
          job_description: 'Yearly service, last done for job 1041',
          job_address: '12 High Street, Dundee',
          billing_address: 'PO Box 9',
          date: '2026-01-05',
          purchase_order_number: 'PO-7',
          category_uuid: HEATING,
          queue_uuid: QUEUE,
          queue_expiry_date: '2026-01-12 09:00:00',
        },
        parents: {},
        readBack: ['generated_job_id'],
        summary: 'New job (Quote) for Smith & Sons',
      },
    ])
    expect(plan).toMatchObject({
      standIn: {
        job_uuid: expect.stringContaining('when it runs'),
        generated_job_id: 'new job number (set when it runs)',
      },
    })
  })

  it('names somebody where its queue wants that', async () => {
    const plan = await job({ queue_uuid: CARING_QUEUE })
    expect(effectsOf(plan, 'create_record')[0]?.fields.queue_assigned_staff_uuid).toBe(PRIYA)
    expect(plan).toMatchObject({ warnings: [{ code: 'queue_staff_by_default' }] })
  })

  it.each([
    [{ company_uuid: '' }, 'there is no customer'],
    [{ company_uuid: 'Smith' }, '"smith" is not a customer'],
    [{ company_uuid: OTHER_JOB }, 'no longer exists'],
    [{ status: '' }, 'is none of Quote'],
    [{ status: 'Open' }, 'is none of Quote'],
    [{ date: 'next week' }, '"next week" is not a date'],
    [{ queue_uuid: OLD_QUEUE }, 'was deleted in ServiceM8'],
    [{ category_uuid: 'Solar' }, 'no category called "Solar"'],
    [{ category_uuid: JOB }, 'category of this automation no longer exists'],
    [{ purchase_order_number: 'x'.repeat(101) }, 'at most 100 characters'],
    [{ copyMaterialsFromJob: true, updateExistingMaterials: true }, 'copied or moved, not both'],
    [{ materials: [{ material_uuid: TAP, quantity: 'many' }] }, '"many" is not a quantity'],
    [{ materials: [{ material_uuid: OTHER_JOB, quantity: 1 }] }, 'A material of this automation no longer exists'],
    [{ material_bundles: [{ bundle_uuid: 'combi', quantity: 1 }] }, 'A bundle was not chosen'],
    [{ copyMaterialsFromJob: true, sourceJobUuid: 'that one' }, 'is not a job'],
  ])('cannot be made with %j', async (parameters, sentence) => {
    expect(await job(parameters)).toMatchObject({ outcome: 'impossible', sentence: expect.stringContaining(sentence) })
  })

  it('is not made for a customer who was deleted', async () => {
    world.set('company', CUSTOMER, { active: 0 })
    expect(await job({})).toMatchObject({ outcome: 'impossible', sentence: expect.stringContaining('was deleted') })
  })
})

describe('materials that were typed in', () => {
  it('are lines of their own, at their price or the one given, ex tax', async () => {
    const plan = await job({ materials: [{ material_uuid: TAP, quantity: 2, unit_cost: 50 }, { material_uuid: PIPE }] })
    expect(
      effectsOf(plan, 'create_record')
        .slice(1)
        .map((effect) => [effect.object, effect.fields, effect.parents]),
    ).toEqual([
      [
        'jobmaterial',
        {
          material_uuid: TAP,
          name: 'Tap',
          quantity: '2',
          price: '50.00',
          displayed_amount: '50.00',
          displayed_amount_is_tax_inclusive: '0',
          cost: '20.00',
          displayed_cost: '20.00',
          tax_rate_uuid: 'tax',
        },
        { job_uuid: 0 },
      ],
      [
        'jobmaterial',
        {
          material_uuid: PIPE,
          name: 'Pipe',
          quantity: '1',
          price: '17.40',
          displayed_amount: '17.40',
          displayed_amount_is_tax_inclusive: '1',
          cost: '9.90',
          displayed_cost: '9.90',
        },
        { job_uuid: 0 },
      ],
    ])
  })

  it('are forgotten where copying or moving was chosen', async () => {
    stock()
    const effects = await made({ materials: [{ material_uuid: TAP, quantity: 9 }], copyMaterialsFromJob: true })
    expect(effects.map((effect) => effect.fields.name)).not.toContain('Tap')
  })

  it('can be bundles: a bundle, then its parts times its quantity, pointing at it', async () => {
    const plan = await job({
      material_bundles: [{ bundle_uuid: COMBI, quantity: 2 }],
      materials: [{ material_uuid: TAP, quantity: 1 }],
    })
    expect(brief(effectsOf(plan, 'create_record'))).toEqual([
      ['job', '', '', {}],
      ['jobmaterialbundle', 'Combi swap', '2', { job_uuid: 0 }],
      ['jobmaterial', 'Tap', '3', { job_uuid: 0, job_material_bundle_uuid: 1 }],
      ['jobmaterial', 'Pipe', '4', { job_uuid: 0, job_material_bundle_uuid: 1 }],
      ['jobmaterial', 'Tap', '1', { job_uuid: 0 }],
    ])
    expect(effectsOf(plan, 'create_record')[1]?.fields).toEqual({
      material_bundle_uuid: COMBI,
      item_number: 'BND-1',
      name: 'Combi swap',
      quantity: '2',
    })
  })
})

describe('copied materials', () => {
  beforeEach(stock)

  it('come from the job of the run, in its order, without what belongs to the old line', async () => {
    const effects = await made({ copyMaterialsFromJob: true })
    expect(brief(effects).slice(1)).toEqual([
      ['jobmaterial', 'First', '2', { job_uuid: 0 }],
      ['jobmaterial', 'Second', '2', { job_uuid: 0 }],
      ['jobmaterial', 'In the bundle', '2', { job_uuid: 0 }],
    ])
    expect(effects[1]?.fields).toEqual({
      name: 'First',
      quantity: '2',
      price: '10.00',
      displayed_amount: '10.00',
      cost: '4.00',
    })
  })

  it('come from the job named', async () => {
    expect(brief(await made({ copyMaterialsFromJob: true, sourceJobUuid: OTHER_JOB.toUpperCase() })).slice(1)).toEqual([
      ['jobmaterial', 'Elsewhere', '2', { job_uuid: 0 }],
    ])
    const wanted = { trigger: { wanted_job: OTHER_JOB } }
    expect(await made({ copyMaterialsFromJob: true, sourceJobUuid: '{wanted_job}' }, wanted)).toHaveLength(2)
  })

  it('come with their bundles where those are copied too, each line once', async () => {
    const effects = await made({ copyMaterialsFromJob: true, copyBundlesFromJob: true })
    expect(brief(effects).slice(1)).toEqual([
      ['jobmaterialbundle', 'Old combi', '1', { job_uuid: 0 }],
      ['jobmaterial', 'In the bundle', '2', { job_uuid: 0, job_material_bundle_uuid: 1 }],
      ['jobmaterial', 'First', '2', { job_uuid: 0 }],
      ['jobmaterial', 'Second', '2', { job_uuid: 0 }],
    ])
  })

  it('can be the bundles alone, from their own job', async () => {
    world.put('jobmaterialbundle', { uuid: 'b-2', job_uuid: OTHER_JOB, name: 'Other bundle', quantity: '3' })
    expect(brief(await made({ copyBundlesFromJob: true, sourceBundleJobUuid: OTHER_JOB })).slice(1)).toEqual([
      ['jobmaterialbundle', 'Other bundle', '3', { job_uuid: 0 }],
    ])
  })

  it('are counted in the history, also a single one', async () => {
    const said = async (sourceJobUuid: string) =>
      (await made({ copyMaterialsFromJob: true, sourceJobUuid }))[0]?.summary
    expect(await said(OTHER_JOB)).toMatch(/, with 1 line$/)
    expect(await said(JOB)).toMatch(/, with [2-9] lines$/)
  })

  it('come from all jobs of the group when the rule groups', async () => {
    world.put('job', { uuid: OTHER_JOB, company_uuid: CUSTOMER })
    const records = [await world.record(), await world.record('job', OTHER_JOB)]
    const effects = await made({ copyFromAllJobs: true }, { records, grouped: true })
    expect(effects.slice(1).map((effect) => effect.fields.name)).toEqual([
      'First',
      'Second',
      'In the bundle',
      'Elsewhere',
    ])
  })

  it("come from the customer's other jobs otherwise: never from the one that set it off, nor a deleted one", async () => {
    world.put('job', { uuid: OTHER_JOB, company_uuid: CUSTOMER })
    world.put('job', { uuid: '10000000-0000-4000-8000-000000000003', company_uuid: CUSTOMER, active: 0 })
    line('l-6', 'Of a deleted job', { job_uuid: '10000000-0000-4000-8000-000000000003' })
    const effects = await made({ copyFromAllJobs: true, copyBundlesFromAllJobs: true })
    expect(effects.slice(1).map((effect) => effect.fields.name)).toEqual(['Elsewhere'])
  })

  it('are all found, also where the account has more lines than one list', async () => {
    const filler = Array.from({ length: 50_000 }, (_, index) => ({
      uuid: `f-${index}`,
      job_uuid: 'another',
      active: 1,
    }))
    for (let index = 0; index < 11; index += 1) {
      world.put('job', { uuid: `10000000-0000-4000-8000-0000000001${index + 10}`, company_uuid: CUSTOMER })
    }
    line('l-7', 'The last one', { job_uuid: '10000000-0000-4000-8000-000000000120' })
    const real = world.facts.reader(ACCOUNT)
    const list: typeof real.list = async (object, input) =>
      input?.limit === 50_000 ? { outcome: 'ok', value: filler } : real.list(object, input)
    const effects = await made({ copyFromAllJobs: true }, { read: { ...real, list } })
    expect(effects.slice(1).map((effect) => effect.fields.name)).toEqual(['The last one'])
  })

  it('that are not there leave the job as it is, with a word', async () => {
    world.platform.records(ACCOUNT, 'jobmaterial').clear()
    expect(
      await job({ copyMaterialsFromJob: true, transferBundles: true, sourceBundleJobUuid: OTHER_JOB }),
    ).toMatchObject({
      outcome: 'planned',
      effects: { length: 1 },
      warnings: [{ code: 'nothing_to_copy' }, { code: 'nothing_to_copy' }],
    })
  })

  it('that are too many for one automation are refused before anything is made', async () => {
    for (let index = 0; index < 301; index += 1) line(`m-${index}`, `Line ${index}`)
    expect(await job({ copyMaterialsFromJob: true })).toMatchObject({
      outcome: 'impossible',
      errorClass: 'too_many_lines',
    })
  })
})

describe('moved materials', () => {
  beforeEach(stock)

  it('change their job; bundles that stay keep their lines, with a word', async () => {
    const plan = await job({ updateExistingMaterials: true })
    expect(plan).toMatchObject({ warnings: [{ code: 'bundles_stay' }] })
    expect(effectsOf(plan, 'update_record')).toEqual([
      {
        kind: 'update_record',
        class: 'set',
        object: 'jobmaterial',
        recordUuid: 'l-1',
        before: { job_uuid: JOB },
        fields: {},
        parents: { job_uuid: 0 },
        summary: 'Move 2 × First to the new job',
      },
      expect.objectContaining({ recordUuid: 'l-2' }),
    ])
  })

  it('leave those of the job that set it off where they are', async () => {
    const plan = await job({ transferFromAllJobs: true, transferBundlesFromAllJobs: true })
    if (plan.outcome !== 'planned') throw new Error(plan.outcome)
    expect(brief(plan.effects).slice(1)).toEqual([])
  })

  it('take their bundles along, whose lines follow them', async () => {
    world.put('job', { uuid: OTHER_JOB, company_uuid: CUSTOMER })
    const records = [await world.record('job', OTHER_JOB)]
    const plan = await job({ transferFromAllJobs: true, transferBundlesFromAllJobs: true }, { records })
    if (plan.outcome !== 'planned') throw new Error(plan.outcome)
    expect(brief(plan.effects).slice(1)).toEqual([
      ['move jobmaterialbundle', BUNDLE, '', { job_uuid: 0 }],
      ['move jobmaterial', 'l-3', '', { job_uuid: 0, job_material_bundle_uuid: 1 }],
      ['move jobmaterial', 'l-1', '', { job_uuid: 0 }],
      ['move jobmaterial', 'l-2', '', { job_uuid: 0 }],
    ])
    expect(plan.warnings).toEqual([])
  })
})

describe('done at the platform', () => {
  beforeEach(stock)

  it('the job exists with its lines, and later steps know its number', async () => {
    const plan = await world.planned('create_job', { ...NEW, copyMaterialsFromJob: true, copyBundlesFromJob: true })
    const ended = await world.commitAll(plan)
    expect(ended.map((one) => one.outcome)).toEqual(['sent', 'sent', 'sent', 'sent', 'sent'])
    const [first] = ended
    if (first?.outcome !== 'sent') throw new Error('the job was not made')
    expect(first.result).toEqual({ job_uuid: first.result.uuid, uuid: first.result.uuid, generated_job_id: '1001' })
    const lines = [...world.platform.records(ACCOUNT, 'jobmaterial').values()].filter(
      (one) => one.job_uuid === first.result.uuid,
    )
    expect(lines.map((one) => one.name)).toEqual(['In the bundle', 'First', 'Second'])
    const [bundle] = [...world.platform.records(ACCOUNT, 'jobmaterialbundle').values()].filter(
      (one) => one.job_uuid === first.result.uuid,
    )
    expect(lines[0]?.job_material_bundle_uuid).toBe(bundle?.uuid)
    // The source is as it was.
    expect(world.platform.records(ACCOUNT, 'jobmaterial').get('l-1')).toMatchObject({ job_uuid: JOB, active: 1 })
  })

  it('lines are moved by changing their job', async () => {
    const plan = await world.planned('create_job', { ...NEW, updateExistingMaterials: true, transferBundles: true })
    const [first, ...rest] = await world.commitAll(plan)
    const uuid = first?.outcome === 'sent' ? first.result.uuid : ''
    expect(rest.every((one) => one.outcome === 'sent')).toBe(true)
    expect(world.platform.records(ACCOUNT, 'jobmaterial').get('l-1')?.job_uuid).toBe(uuid)
    expect(world.platform.records(ACCOUNT, 'jobmaterial').get('l-3')).toMatchObject({
      job_uuid: uuid,
      job_material_bundle_uuid: BUNDLE,
    })
  })
})

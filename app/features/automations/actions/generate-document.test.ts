import { beforeEach, describe, expect, it } from 'vitest'
import {
  ACCOUNT,
  type ActionWorld,
  actionWorld,
  CUSTOMER,
  effectsOf,
  JOB,
} from '#tests/support/action-platform.server.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const TEMPLATE = '80000000-0000-4000-8000-000000000001'
const document = (parameters: Parameters<ActionWorld['plan']>[1], more?: Parameters<ActionWorld['plan']>[2]) =>
  world.plan('generate_document', parameters, more)
const first = async (...input: Parameters<typeof document>) =>
  effectsOf(await document(...input), 'produce_document')[0]

describe('a document', () => {
  it('is kept with the files of its job, under a name for people', async () => {
    const plan = await document({ templateType: 'Invoice', outputFormat: 'pdf', createAttachment: true })
    expect(effectsOf(plan, 'produce_document')).toEqual([
      {
        kind: 'produce_document',
        class: 'document',
        objectType: 'Job',
        objectUuid: JOB,
        templateType: 'Invoice',
        templateUuid: null,
        outputFormat: 'pdf',
        fileName: 'Invoice 1041.pdf',
        attachTo: { object: 'job', uuid: JOB },
        storeToDiary: false,
        summary: 'Invoice as PDF for job 1041, kept with its files',
      },
    ])
    expect(plan).toMatchObject({ warnings: [], standIn: { document_uuid: expect.stringContaining('when it runs') } })
  })

  it.each(['pdf', 'docx', 'jpg'])('can be a %s', async (outputFormat) => {
    expect(await first({ templateType: 'Quote', outputFormat })).toMatchObject({
      outputFormat,
      fileName: `Quote 1041.${outputFormat}`,
    })
  })

  it.each([
    [true, true, { object: 'job', uuid: JOB }, false, 'kept with its files'],
    [true, false, { object: 'job', uuid: JOB }, false, 'kept with its files'],
    [false, true, null, true, 'kept in its diary'],
    [false, false, null, false, 'not kept'],
  ])('as an attachment %s, in the diary %s', async (createAttachment, storeToDiary, attachTo, inDiary, words) => {
    const plan = await document({ templateType: 'Quote', createAttachment, storeToDiary })
    expect(effectsOf(plan, 'produce_document')[0]).toMatchObject({
      attachTo,
      storeToDiary: inDiary,
      summary: `Quote as PDF for job 1041, ${words}`,
    })
    expect(plan).toMatchObject({ warnings: [], standIn: attachTo ? { document_uuid: expect.any(String) } : {} })
  })

  it.each([
    [true, true, 1],
    [true, false, 1],
    [false, true, 1],
    [false, false, 0],
  ])('made as an attachment %s and in the diary %s leaves %i file', async (createAttachment, storeToDiary, count) => {
    const ended = await world.commitAll(
      await world.planned('generate_document', { templateType: 'Quote', createAttachment, storeToDiary }),
    )
    expect([...world.platform.records(ACCOUNT, 'attachment').values()]).toHaveLength(count)
    expect(ended).toEqual([
      {
        outcome: 'sent',
        result: createAttachment ? { document_uuid: expect.any(String), document_url: expect.any(String) } : {},
      },
    ])
  })

  it.each([
    ['Quote', 'Quote'],
    ['Work Order', 'Work Order'],
    ['Completed', 'Invoice'],
    ['Unsuccessful', 'Quote'],
  ])('without a type fits the status %s', async (status, type) => {
    const record = await world.record()
    const records = [{ ...record, values: { ...record.values, status } }]
    expect(await first({}, { records })).toMatchObject({ templateType: type })
  })

  it('takes its type as people write it', async () => {
    expect(await first({ templateType: 'work_order' })).toMatchObject({ templateType: 'Work Order' })
  })

  it('can be made from a template by id or by name', async () => {
    world.put('documenttemplate', { uuid: TEMPLATE, name: 'Invoice with photos', template_type: 'Invoice' })
    const made = { templateType: 'Invoice', templateUuid: TEMPLATE }
    expect(await first({ templateType: TEMPLATE })).toMatchObject(made)
    expect(await first({ templateType: 'invoice WITH photos' })).toMatchObject(made)
    world.set('documenttemplate', TEMPLATE, { active: 0 })
    const gone = { outcome: 'impossible', errorClass: 'template_missing' }
    expect(await document({ templateType: TEMPLATE })).toMatchObject(gone)
    expect(await document({ templateType: 'Nothing like it' })).toMatchObject(gone)
  })

  it('has no path in its name', async () => {
    const record = await world.record()
    const records = [{ ...record, values: { ...record.values, generated_job_id: '../../etc/passwd\u0000 "x"' } }]
    expect((await first({ templateType: 'Quote' }, { records }))?.fileName).toMatch(/^Quote [\w .-]+\.pdf$/)
  })

  it('for a customer is tried, with a word about it', async () => {
    const plan = await document({ objectType: 'Company', templateType: 'Invoice', createAttachment: true })
    expect(effectsOf(plan, 'produce_document')[0]).toMatchObject({
      objectType: 'Company',
      objectUuid: CUSTOMER,
      fileName: 'Invoice Smith & Sons.pdf',
      attachTo: { object: 'company', uuid: CUSTOMER },
    })
    expect(plan).toMatchObject({ warnings: [{ code: 'company_document' }] })
  })

  it.each([
    [{ outputFormat: 'exe' }, 'none of pdf, docx and jpg'],
    [{ templateType: '' }, 'belongs to none'],
  ])('cannot be made of %j', async (parameters, sentence) => {
    const records = sentence === 'belongs to none' ? [await world.record('company', CUSTOMER)] : [await world.record()]
    expect(await document(parameters, { records })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining(sentence),
    })
  })

  it('is not made for a job that was deleted', async () => {
    world.set('job', JOB, { active: 0 })
    expect(await document({ templateType: 'Quote' })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining('job 1041 was deleted'),
    })
  })
})

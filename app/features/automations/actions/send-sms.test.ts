import { beforeEach, describe, expect, it } from 'vitest'
import {
  ACCOUNT,
  type ActionWorld,
  actionWorld,
  CUSTOMER,
  effectsOf,
  JOB,
  OTHER_JOB,
} from '#tests/support/action-platform.server.ts'
import { partsOfSteps } from '../runs/run-parts.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const TEMPLATE = '60000000-0000-4000-8000-000000000001'
const sms = (parameters: Parameters<ActionWorld['plan']>[1], more?: Parameters<ActionWorld['plan']>[2]) =>
  world.plan('send_sms', parameters, more)

describe('a text message', () => {
  it('goes to the number as the platform wants it, with its cost', async () => {
    const plan = await sms({ to: '{entry.0.contact_mobile}', message: 'Hello {entry.0.contact_first_name}!' })
    expect(effectsOf(plan, 'send_sms')).toEqual([
      {
        kind: 'send_sms',
        class: 'customer',
        to: '+447700900123',
        message: 'Hello Margaret!',
        credits: 1,
        regardingJobUuid: null,
        summary: 'Text message to +447700900123 (1 credit)',
      },
    ])
    expect(plan).toMatchObject({
      warnings: [{ code: 'not_e164', sentence: '"07700 900123" is written as +447700900123.' }],
      standIn: { sms_id: expect.stringContaining('when it runs'), status: 'sent' },
    })
  })

  it('says which values it put in', async () => {
    expect(await sms({ to: '+447700900123', message: 'Hi {entry.0.contact_first_name or "there"}' })).toMatchObject({
      replacements: [
        {
          variable: 'entry.0.contact_first_name',
          written: '{entry.0.contact_first_name or "there"}',
          originalValue: 'Margaret',
          resolvedValue: 'Margaret',
        },
      ],
    })
  })

  it('is linked to the job when asked', async () => {
    const [effect] = effectsOf(await sms({ to: '+447700900123', message: 'x', linkToJob: true }), 'send_sms')
    expect(effect?.regardingJobUuid).toBe(JOB)
  })

  it('costs a credit for each 153 characters begun', async () => {
    const credits = async (length: number) =>
      effectsOf(await sms({ to: '+447700900123', message: 'x'.repeat(length) }), 'send_sms')[0]?.credits
    expect([await credits(153), await credits(154), await credits(306), await credits(1600)]).toEqual([1, 2, 2, 11])
  })

  it('that is too long once its values are in is not sent', async () => {
    world.put('job', { uuid: JOB, job_description: 'y'.repeat(1_700), company_uuid: '' })
    expect(await sms({ to: '+447700900123', message: 'About {entry.0.job_description}' })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining('1706 characters; at most 1600'),
    })
  })

  it('goes to several numbers one by one, each once, colleagues told apart', async () => {
    const to = '{entry.0.contact_mobile}, +44 7700 900102; 07700 900123\n0113 496 0000'
    const plan = await sms({ to, message: 'x' })
    expect(effectsOf(plan, 'send_sms').map((effect) => [effect.to, effect.class])).toEqual([
      ['+447700900123', 'customer'],
      ['+447700900102', 'staff'],
      ['+441134960000', 'customer'],
    ])
  })

  describe('without a number', () => {
    const PERSON = '21000000-0000-4000-8000-000000000001'
    const steps = [
      { id: 's1', type: 'send_sms' as const, parameters: { to: ' ', message: 'x' }, waitForPrevious: false },
    ]
    /** With only what planning loads for the step. */
    const loaded = (object: string, uuid: string) =>
      world.facts.one(ACCOUNT, object, uuid, partsOfSteps({ steps }, object))

    it.each([
      ['job', JOB, '+447700900123'],
      ['company', CUSTOMER, '+447700900124'],
      ['jobcontact', '11000000-0000-4000-8000-000000000002', '+447700900125'],
    ])('goes to the contact of the %s', async (object, uuid, to) => {
      world.set('companycontact', PERSON, { mobile: '07700 900124' })
      world.set('jobcontact', '11000000-0000-4000-8000-000000000002', { mobile: '07700 900125' })
      const found = await loaded(object, uuid)
      const records = found.outcome === 'ok' ? [found.facts] : []
      expect(effectsOf(await sms({ to: ' ', message: 'x' }, { records }), 'send_sms').map((one) => one.to)).toEqual([
        to,
      ])
    })

    it('waits while the contact cannot be read', async () => {
      world.platform.fate = ({ object }) => (object === 'jobcontact' ? 'broken' : 'well')
      expect(await loaded('job', JOB)).toMatchObject({ outcome: 'unavailable' })
    })
  })
})

describe('a text message without a receiver', () => {
  it.each([
    ['{entry.0.contact_phone or ""}', 'There is no number'],
    ['0770 09', 'too short'],
    ['ring me', 'is not a phone number'],
    ['{company_uuid}', 'not a phone number'],
  ])('is skipped, and says why: %s', async (to) => {
    const record = await world.record()
    const silent = { ...record, values: { ...record.values, contact_phone: '' } }
    const plan = await sms({ to, message: 'x' }, { records: [silent] })
    expect(plan).toMatchObject({ outcome: 'skipped', sentence: expect.stringContaining('No text message') })
    expect(plan).toMatchObject({ warnings: expect.arrayContaining([expect.objectContaining({ code: 'no_number' })]) })
  })

  it('does not take a second receiver out of a value', async () => {
    const record = await world.record()
    const sly = { ...record, values: { ...record.values, contact_mobile: '07700 900123, +15005550006' } }
    const plan = await sms({ to: '{entry.0.contact_mobile}', message: 'x' }, { records: [sly] })
    expect(plan.outcome).toBe('skipped')
  })
})

describe('a value that is missing', () => {
  const silent = async () => {
    const record = await world.record()
    return { records: [{ ...record, values: { ...record.values, contact_first_name: '' } }] }
  }

  it('keeps the message from a customer, and names itself', async () => {
    expect(
      await sms({ to: '+447700900123', message: 'Hi {entry.0.contact_first_name}' }, await silent()),
    ).toMatchObject({
      outcome: 'skipped',
      sentence: 'No text message: {entry.0.contact_first_name} is empty here, and the text has no other word for it.',
    })
  })

  it('has its fallback', async () => {
    const plan = await sms(
      { to: '+447700900123', message: 'Hi {entry.0.contact_first_name or "there"}' },
      await silent(),
    )
    expect(effectsOf(plan, 'send_sms')[0]?.message).toBe('Hi there')
  })

  it('is left blank for a colleague, who gets the message alone', async () => {
    const to = '+447700900123, +447700900102'
    const plan = await sms({ to, message: 'Ring {entry.0.contact_first_name} now' }, await silent())
    expect(effectsOf(plan, 'send_sms').map((effect) => [effect.to, effect.message])).toEqual([
      ['+447700900102', 'Ring now'],
    ])
  })

  it('never leaves braces, "undefined" or "null" in what goes out', async () => {
    const record = await world.record()
    const odd = { ...record, values: { ...record.values, job_description: 'null', contact_last_name: 'undefined' } }
    const message =
      'A {entry.0.job_description or "-"} {entry.0.contact_last_name or "-"} {what_is_this} {entry.2.status or "-"}'
    const plan = await sms({ to: '+447700900102', message }, { records: [odd] })
    expect(effectsOf(plan, 'send_sms')[0]?.message).not.toMatch(/[{}]|undefined|null/)
    expect(plan).toMatchObject({ warnings: [{ code: 'unknown_placeholder' }] })
  })

  it('that holds braces, markup or commands stays what it is', async () => {
    const record = await world.record()
    const hostile = '{contact_email} <script>alert(1)</script> $(7*7) %0a'
    const sly = { ...record, values: { ...record.values, job_description: hostile } }
    const plan = await sms({ to: '+447700900123', message: 'About: {entry.0.job_description}' }, { records: [sly] })
    expect(effectsOf(plan, 'send_sms')[0]?.message).toBe(`About: ${hostile}`)
  })
})

describe('a template', () => {
  beforeEach(() => {
    world.put('smstemplate', {
      uuid: TEMPLATE,
      name: 'Thanks',
      message: 'Thank you {job.contact_first}, job {job.generated_job_id}. {vendor.name}',
    })
  })

  it("is read when it is sent, and the platform's own placeholders are put in", async () => {
    const plan = await sms({ useSmsTemplate: true, smsTemplateId: TEMPLATE, to: '+447700900123' })
    expect(effectsOf(plan, 'send_sms')[0]?.message).toBe('Thank you Margaret, job 1041. Alder & Finch')
  })

  it('gives way to what the form filled in from it', async () => {
    const plan = await sms({
      useSmsTemplate: true,
      smsTemplateId: TEMPLATE,
      to: '+447700900123',
      message: 'Hi {job.contact_first}',
    })
    expect(effectsOf(plan, 'send_sms')[0]?.message).toBe('Hi Margaret')
  })

  it('is not used when the switch is off', async () => {
    expect(await sms({ useSmsTemplate: false, smsTemplateId: TEMPLATE, to: '+447700900123' })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining('has no text'),
    })
  })

  it('that was deleted is told, with what to do', async () => {
    const gone = {
      outcome: 'impossible',
      errorClass: 'template_missing',
      sentence: expect.stringContaining('choose another'),
    }
    world.set('smstemplate', TEMPLATE, { active: 0 })
    const step = { useSmsTemplate: true, smsTemplateId: TEMPLATE, to: '+447700900123' }
    expect(await sms(step)).toMatchObject(gone)
    world.platform.records(ACCOUNT, 'smstemplate').delete(TEMPLATE)
    expect(await sms(step)).toMatchObject(gone)
    expect(await sms({ ...step, smsTemplateId: 'Thanks' })).toMatchObject(gone)
  })
})

describe('in a group', () => {
  it('one message goes out, to the first of them', async () => {
    world.put('job', { uuid: OTHER_JOB, status: 'Quote', generated_job_id: '1042' })
    const records = [await world.record(), await world.record('job', OTHER_JOB)]
    const plan = await sms({ to: '{entry.0.contact_mobile}', message: 'Jobs {all_job_ids}' }, { records })
    expect(effectsOf(plan, 'send_sms').map((effect) => effect.message)).toEqual(['Jobs 1041, 1042'])
  })
})

describe('about a record that was deleted', () => {
  it('says nothing to a customer, and goes to a colleague', async () => {
    world.set('job', JOB, { active: 0 })
    expect(await sms({ to: '+447700900123', message: 'x' })).toMatchObject({
      outcome: 'skipped',
      sentence: 'No text message: job 1041 was deleted in ServiceM8.',
    })
    const both = await sms({ to: '+447700900123, +447700900102', message: 'x' })
    expect(effectsOf(both, 'send_sms').map(({ to, class: to_ }) => [to, to_])).toEqual([['+447700900102', 'staff']])
  })

  it('says nothing about a booking whose job was deleted, nor about a deleted one', async () => {
    const uuid = '12000000-0000-4000-8000-000000000001'
    world.put('jobactivity', { uuid, job_uuid: JOB, active: 1 })
    const about = async () =>
      sms({ to: '{entry.0.contact_mobile}', message: 'x' }, { records: [await world.record('jobactivity', uuid)] })
    expect(await about()).toMatchObject({ outcome: 'planned' })
    world.set('jobactivity', uuid, { active: 0 })
    expect(await about()).toMatchObject({ sentence: 'No text message: the booking was deleted in ServiceM8.' })
    world.set('jobactivity', uuid, { active: 1 })
    world.set('job', JOB, { active: 0 })
    expect(await about()).toMatchObject({
      outcome: 'skipped',
      sentence: 'No text message: job 1041 was deleted in ServiceM8.',
    })
  })
})

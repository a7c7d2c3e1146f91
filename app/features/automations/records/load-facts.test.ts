import { beforeEach, describe, expect, it } from 'vitest'
import {
  ACCOUNT,
  type ActionWorld,
  actionWorld,
  CUSTOMER,
  EVERY_PART,
  HEATING,
  JOB,
  OTHER_JOB,
  PRIYA,
  QUEUE,
  TOM,
} from '#tests/support/action-platform.server.ts'
import type { FactPart } from './facts.ts'
import { readList } from './field-value.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const BOOKING = '12000000-0000-4000-8000-000000000001'
const asked = () => world.platform.exchanges.map(({ verb, object }) => `${verb} ${object}`)

async function factsOf(object: string, uuid: string, parts: readonly FactPart[]) {
  const loaded = await world.facts.one(ACCOUNT, object, uuid, parts)
  if (loaded.outcome !== 'ok') throw new Error(loaded.outcome)
  return loaded.facts
}

describe('a job', () => {
  it('has its own fields as text, unset times empty', async () => {
    const facts = await factsOf('job', JOB, [])
    expect(facts).toMatchObject({
      object: 'job',
      recordUuid: JOB,
      jobUuid: JOB,
      companyUuid: CUSTOMER,
      editDate: '2026-01-04 17:30:00',
      active: true,
      parts: [],
    })
    expect(facts.values).toMatchObject({ status: 'Quote', completion_date: '', active: '1' })
    expect(facts.values).not.toHaveProperty('contact_first_name')
    expect(asked()).toEqual(['read job'])
  })

  it('has its people, customer, staff, queue and category under the names of placeholders', async () => {
    world.set('job', JOB, { queue_uuid: QUEUE })
    world.set('job', JOB, { queue_assigned_staff_uuid: TOM })
    const { values } = await factsOf('job', JOB, EVERY_PART)
    expect(values).toMatchObject({
      contact_first_name: 'Margaret',
      contact_last_name: 'Smith',
      contact_phone: '0113 496 0000',
      contact_mobile: '07700 900123',
      contact_email: 'margaret@smith.example',
      company_name: 'Smith & Sons',
      company_address: '1 Low Road',
      company_payment_terms: '30 days',
      account_payment_terms: '21 days',
      company_phone: '0113 496 0001',
      company_email: 'office@smith.example',
      assigned_staff: TOM,
      staff_name: 'Tom Finch',
      staff_email: 'tom@alder.example',
      staff_mobile: '+447700900102',
      queue_name: 'Waiting for parts',
      queue_default_timeframe: '7',
      category_name: 'Heating',
    })
  })

  it('has the names of its badges, also of a job behind a booking', async () => {
    const badge = 'f0000000-0000-4000-8000-000000000001'
    const comma = 'f0000000-0000-4000-8000-000000000002'
    world.platform.put(ACCOUNT, 'badge', { uuid: badge, name: 'Do not chase' })
    world.platform.put(ACCOUNT, 'badge', { uuid: comma, name: 'Parts, waiting' })
    world.set('job', JOB, { badges: JSON.stringify([badge, 'f0000000-0000-4000-8000-0000000000ff']) })
    world.platform.put(ACCOUNT, 'jobactivity', { uuid: BOOKING, job_uuid: JOB })
    expect((await factsOf('job', JOB, ['badge'])).values.badge_names).toBe('Do not chase')
    expect((await factsOf('jobactivity', BOOKING, ['badge'])).values.badge_names).toBe('Do not chase')
    world.set('job', JOB, { badges: JSON.stringify([badge, comma]) })
    expect(readList((await factsOf('job', JOB, ['badge'])).values.badge_names ?? '')).toEqual([
      'Do not chase',
      'Parts, waiting',
    ])
  })

  it('has the staff of the latest booking where its queue names nobody', async () => {
    const booking = (uuid: string, staff_uuid: string, start_date: string, more = {}) =>
      world.put('jobactivity', { uuid, job_uuid: JOB, staff_uuid, start_date, activity_was_scheduled: '1', ...more })
    booking(BOOKING, PRIYA, '2026-01-06 08:00:00')
    booking('12000000-0000-4000-8000-000000000002', TOM, '2026-01-07 08:00:00')
    booking('12000000-0000-4000-8000-000000000003', PRIYA, '2026-01-09 08:00:00', { active: 0 })
    booking('12000000-0000-4000-8000-000000000004', PRIYA, '2026-01-10 08:00:00', { activity_was_scheduled: '0' })
    const { values } = await factsOf('job', JOB, ['staff'])
    expect(values).toMatchObject({ assigned_staff: TOM, staff_name: 'Tom Finch' })
  })

  it('that nobody works on and that belongs to nobody has empty names, not unknown ones', async () => {
    world.put('job', { uuid: OTHER_JOB, status: 'Quote', company_uuid: '' })
    const { values, companyUuid } = await factsOf('job', OTHER_JOB, EVERY_PART)
    expect(companyUuid).toBeNull()
    expect(values).toMatchObject({
      contact_mobile: '',
      company_name: '',
      company_email: '',
      staff_name: '',
      assigned_staff: '',
      queue_name: '',
      category_name: '',
    })
  })

  it('takes the billing contact only where there is no other', async () => {
    world.platform.records(ACCOUNT, 'jobcontact').delete('11000000-0000-4000-8000-000000000001')
    expect((await factsOf('job', JOB, ['contact'])).values.contact_email).toBe('pay@smith.example')
  })

  it('whose customer is gone still has facts', async () => {
    world.platform.records(ACCOUNT, 'company').delete(CUSTOMER)
    expect((await factsOf('job', JOB, ['company'])).values.company_name).toBe('')
  })

  it('that was deleted is told apart from one that never was', async () => {
    world.set('job', JOB, { active: '0' })
    expect(await factsOf('job', JOB, [])).toMatchObject({ active: false })
    expect(await world.facts.one(ACCOUNT, 'job', OTHER_JOB, [])).toEqual({ outcome: 'gone' })
  })

  it('holds no name that is not a field', async () => {
    const hostile = JSON.parse('{"__proto__":"x","constructor":"y","a b":"z","ok_name":"fine"}') as object
    world.put('job', { uuid: OTHER_JOB, ...hostile })
    const { values } = await factsOf('job', OTHER_JOB, [])
    expect(Object.keys(values).sort()).toEqual(['active', 'ok_name', 'uuid'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

describe('what hangs on a job', () => {
  beforeEach(() => {
    world.put('jobactivity', {
      uuid: BOOKING,
      job_uuid: JOB,
      staff_uuid: PRIYA,
      start_date: '2026-01-06 08:00:00',
      activity_was_scheduled: '1',
      edit_date: '2026-01-05 08:00:00',
    })
  })

  it('knows the job, its people and customer; its own fields and staff come first', async () => {
    const facts = await factsOf('jobactivity', BOOKING, EVERY_PART)
    expect(facts).toMatchObject({ jobUuid: JOB, companyUuid: CUSTOMER, editDate: '2026-01-05 08:00:00' })
    expect(facts.values).toMatchObject({
      uuid: BOOKING,
      start_date: '2026-01-06 08:00:00',
      generated_job_id: '1041',
      job_address: '12 High Street, Dundee',
      contact_first_name: 'Margaret',
      company_name: 'Smith & Sons',
      staff_name: 'Priya Alder',
      edit_date: '2026-01-05 08:00:00',
    })
  })

  it.each(['task', 'note'])('is found through what a %s is related to', async (object) => {
    world.put(object, { uuid: BOOKING, related_object: 'job', related_object_uuid: JOB, name: 'x' })
    expect(await factsOf(object, BOOKING, ['company'])).toMatchObject({ jobUuid: JOB, companyUuid: CUSTOMER })
    world.put(object, { uuid: BOOKING, related_object: 'company', related_object_uuid: CUSTOMER })
    expect(await factsOf(object, BOOKING, ['company'])).toMatchObject({ jobUuid: null, companyUuid: CUSTOMER })
  })

  it('does not read the job where only its own contact is asked for', async () => {
    await factsOf('jobactivity', BOOKING, ['contact'])
    expect(asked()).toEqual(['read jobactivity', 'list jobcontact'])
  })

  it('of a customer has the main contact under both kinds of names', async () => {
    const { values } = await factsOf('company', CUSTOMER, ['company', 'company_contact'])
    expect(values).toMatchObject({
      company_name: 'Smith & Sons',
      company_email: 'office@smith.example',
      contact_email: 'office@smith.example',
      contact_first_name: 'Ann',
    })
  })
})

describe('calls', () => {
  it('are one for a job once everything around it is known', async () => {
    await factsOf('job', JOB, ['contact', 'company', 'company_contact', 'queue', 'category'])
    const before = world.platform.exchanges.length
    await factsOf('job', JOB, ['contact', 'company', 'company_contact', 'queue', 'category'])
    expect(asked().slice(before)).toEqual(['read job'])
  })

  it('are made again after ten minutes for people and customers, after an hour for lists', async () => {
    await factsOf('job', JOB, ['contact', 'category'])
    world.set('jobcontact', '11000000-0000-4000-8000-000000000001', { first: 'Maggie' })
    world.clock.advance(9 * 60_000)
    expect((await factsOf('job', JOB, ['contact'])).values.contact_first_name).toBe('Margaret')
    world.clock.advance(60_001)
    const before = world.platform.exchanges.length
    expect((await factsOf('job', JOB, ['contact', 'category'])).values.contact_first_name).toBe('Maggie')
    expect(asked().slice(before)).toEqual(['read job', 'list jobcontact'])
    world.clock.advance(51 * 60_000)
    await factsOf('job', JOB, ['category'])
    expect(asked().at(-1)).toBe('list category')
  })

  it('are shared by those who ask for the same thing at the same time', async () => {
    await Promise.all(Array.from({ length: 5 }, () => factsOf('job', JOB, ['contact', 'company'])))
    expect(
      asked()
        .filter((one) => one !== 'read job')
        .sort(),
    ).toEqual(['list jobcontact', 'list vendor', 'read company'])
  })

  it('find a category that was made a moment ago, but do not ask again for every unknown one', async () => {
    await factsOf('job', JOB, ['category'])
    const fresh = '50000000-0000-4000-8000-000000000099'
    world.put('category', { uuid: fresh, name: 'Solar' })
    world.put('job', { uuid: OTHER_JOB, category_uuid: fresh })
    world.clock.advance(61_000)
    expect((await factsOf('job', OTHER_JOB, ['category'])).values.category_name).toBe('Solar')
    world.put('job', { uuid: OTHER_JOB, category_uuid: '50000000-0000-4000-8000-000000000098' })
    const before = world.platform.exchanges.length
    expect((await factsOf('job', OTHER_JOB, ['category'])).values.category_name).toBe('')
    expect(asked().slice(before)).toEqual(['read job'])
  })

  it('read a list once for many records, and nothing more for the next part of it', async () => {
    const jobs = Array.from({ length: 40 }, (_, index) => {
      const uuid = `10000000-0000-4000-8000-${String(100 + index).padStart(12, '0')}`
      const company_uuid = `20000000-0000-4000-8000-${String(100 + index).padStart(12, '0')}`
      world.put('company', { uuid: company_uuid, name: `Customer ${index}` })
      world.put('jobcontact', { uuid, job_uuid: uuid, type: 'JOB', first: `Person ${index}` })
      return { uuid, company_uuid, category_uuid: HEATING, active: 1 }
    })
    const first = await world.facts.join(ACCOUNT, 'job', jobs.slice(0, 20), ['contact', 'company', 'category'])
    expect(asked().sort()).toEqual(['list category', 'list company', 'list jobcontact', 'list vendor'])
    if (first.outcome !== 'ok') throw new Error(first.outcome)
    expect(first.facts.map((facts) => facts.values.contact_first_name)).toEqual(
      jobs.slice(0, 20).map((_, index) => `Person ${index}`),
    )
    const before = world.platform.exchanges.length
    const second = await world.facts.join(ACCOUNT, 'job', jobs.slice(20), ['contact', 'company', 'category'])
    expect(asked().slice(before)).toEqual([])
    expect(second).toMatchObject({ outcome: 'ok', facts: { length: 20 } })
  })

  const NEWER = { uuid: '10000000-0000-4000-8000-000000000299' }
  it('are made for who is not on a list that was read before, and nobody is missing for long', async () => {
    const jobs = Array.from({ length: 6 }, (_, index) => ({ uuid: `10000000-0000-4000-8000-00000000020${index}` }))
    for (const job of jobs) world.put('job', { ...job, active: 1 })
    const first = async (uuid: string) => (await factsOf('job', uuid, ['contact'])).values.contact_first_name
    await world.facts.join(ACCOUNT, 'job', jobs, ['contact'])
    // A moment later there is a new job with its contact.
    world.put('job', { uuid: OTHER_JOB, active: 1 })
    world.put('jobcontact', { uuid: 'new', job_uuid: OTHER_JOB, type: 'JOB', first: 'Nora' })
    expect(await first(OTHER_JOB)).toBe('Nora')
    // So it is among many that are as new as now.
    const together = await world.facts.join(ACCOUNT, 'job', [...jobs, NEWER], ['contact'])
    expect(together).toMatchObject({ outcome: 'ok' })
    world.put('jobcontact', { uuid: 'newer', job_uuid: NEWER.uuid, type: 'JOB', first: 'Ned' })
    world.clock.advance(1)
    const again = await world.facts.join(ACCOUNT, 'job', [...jobs, NEWER], ['contact'], world.clock.now())
    if (again.outcome !== 'ok') throw new Error(again.outcome)
    expect(again.facts.at(-1)?.values.contact_first_name).toBe('Ned')
    // And one gets the contact it did not have.
    const [late = { uuid: '' }] = jobs
    expect(await first(late.uuid)).toBe('')
    world.put('jobcontact', { uuid: 'late', job_uuid: late.uuid, type: 'JOB', first: 'Lee' })
    world.clock.advance(30_001)
    expect(await first(late.uuid)).toBe('Lee')
  })

  it('that fail are told as they are, and tried again next time', async () => {
    world.platform.fate = ({ object }) => (object === 'jobcontact' ? 'forbidden' : 'well')
    expect(await world.facts.one(ACCOUNT, 'job', JOB, ['contact'])).toMatchObject({ outcome: 'forbidden' })
    world.platform.fate = () => 'well'
    expect(await world.facts.one(ACCOUNT, 'job', JOB, ['contact'])).toMatchObject({ outcome: 'ok' })
  })
})

describe('the account', () => {
  it('has name, zone, currency and country, asked once an hour', async () => {
    const profile = {
      accountUuid: ACCOUNT,
      name: 'Alder & Finch',
      email: 'office@alder.example',
      zone: 'Europe/London',
    }
    const expected = { outcome: 'ok', profile: { ...profile, currency: 'GBP', country: 'GB' } }
    expect(await world.facts.profile(ACCOUNT)).toEqual(expected)
    expect(await world.facts.profile(ACCOUNT)).toEqual(expected)
    expect(asked()).toEqual(['list vendor'])
  })

  it.each([
    ['2026-11-23 22:00:00', '2026-11-24 08:00:00'],
    ['2026-11-23T22:00:00+10:00', '2026-11-23T22:00:00+10:00'],
    ['0000-00-00 00:00:00', ''],
  ])('gives a form response its time, which alone comes in UTC: %s', async (timestamp, local) => {
    world.put('vendor', { uuid: ACCOUNT, name: 'X', timezone_name: 'Australia/Brisbane', currency: 'AUD' })
    world.platform.put(ACCOUNT, 'formresponse', { uuid: BOOKING, edit_date: '2026-11-24 08:00:00', timestamp })
    const { values } = await factsOf('formresponse', BOOKING, [])
    expect(values).toMatchObject({ timestamp: local, edit_date: '2026-11-24 08:00:00' })
  })

  it('with a made-up zone is at UTC', async () => {
    world.put('vendor', { uuid: ACCOUNT, name: 'X', timezone_name: 'Mars/Olympus', currency: 'moon' })
    expect(await world.facts.profile(ACCOUNT)).toMatchObject({ profile: { zone: 'UTC', currency: '', country: '' } })
  })
})

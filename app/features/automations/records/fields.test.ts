import { describe, expect, it } from 'vitest'
import { AT, COMPANY_UUID, JOB_UUID, jobFacts, wholeJob } from '#tests/support/record-facts.ts'
import {
  AGE_FIELD_NAMES,
  CONDITION_FIELDS,
  conditionFields,
  EXTRA_JOB_FIELDS,
  fieldLabel,
  fieldsOf,
  findField,
  KNOWN_OBJECTS,
  objectNoun,
  offeredFields,
  PRIORITY_NEVER,
  partsFor,
  readField,
} from './fields.ts'

const POLLED = ['job', 'company', 'jobactivity', 'jobcontact', 'queue', 'material']
const WATCHED = [
  'job',
  'company',
  'jobactivity',
  'jobpayment',
  'jobmaterial',
  'note',
  'task',
  'material',
  'attachment',
  'formresponse',
]

describe('the catalogue', () => {
  it('knows every object that rules can look through or watch', () => {
    for (const object of [...POLLED, ...WATCHED]) expect(KNOWN_OBJECTS).toContain(object)
    expect(objectNoun('jobactivity')).toBe('booking')
    expect(objectNoun('unheard_of')).toBe('unheard_of')
    expect(['companycontact', 'staff', 'unheard_of', 'constructor'].map((one) => objectNoun(one, 'record'))).toEqual([
      'contact',
      'staff member',
      'record',
      'record',
    ])
  })

  it('has the fourteen fields of the specification on jobs, first and in its order', () => {
    const names = conditionFields('job').map(({ name }) => name)
    expect(names.slice(0, 14)).toEqual([...CONDITION_FIELDS])
    expect(names).toEqual(expect.arrayContaining([...EXTRA_JOB_FIELDS, ...AGE_FIELD_NAMES.slice(0, 5)]))
    expect(new Set(names).size).toBe(names.length)
  })

  it('says of priority that it never has a value, and why', () => {
    expect(findField('job', 'priority')?.never).toBe(PRIORITY_NEVER)
    expect(readField(jobFacts(), 'priority', AT)).toBe(null)
  })

  it('has a label and a type for every field', () => {
    for (const object of KNOWN_OBJECTS) {
      for (const [name, field] of fieldsOf(object)) {
        expect([object, name, field.label]).not.toEqual([object, name, ''])
        expect(['text', 'number', 'money', 'date', 'flag', 'uuid', 'choice', 'list', 'phone', 'age']).toContain(
          field.type,
        )
      }
    }
  })

  it("offers a booking's own fields before those of its job", () => {
    const fields = conditionFields('jobactivity')
    expect(fields.slice(0, 6).map(({ name }) => name)).toContain('start_date')
    expect(fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['days_until_booking', 'job_address', 'status']),
    )
  })

  it('offers no two fields of one name, but keeps what a rule uses', () => {
    for (const object of KNOWN_OBJECTS) {
      const labels = offeredFields(object).map(({ label }) => label)
      expect([object, labels.filter((label, at) => labels.indexOf(label) !== at)]).toEqual([object, []])
    }
    expect(offeredFields('job').map(({ name }) => name)).not.toContain('queue')
    expect(offeredFields('job', ['queue']).map(({ name }) => name)).toContain('queue')
    // Nothing is lost: each name that is left out reads the same field as one that is offered.
    expect(CONDITION_FIELDS.filter((name) => !offeredFields('job').some((field) => field.name === name))).toEqual([])
  })

  it('calls a field it does not know by its name in words', () => {
    expect(fieldLabel('job', 'total_cost')).toBe('Total cost')
    expect(fieldLabel('job', 'site_code')).toBe('Site code')
  })
})

describe('reading a field', () => {
  it("maps the specification's names to what the platform has", () => {
    const facts = wholeJob({ queue_assigned_staff_uuid: 'staff-1' })
    expect(readField(facts, 'created_date', AT)).toBe('2026-11-02 00:00:00')
    expect(readField(facts, 'updated_date', AT)).toBe('2026-11-20 17:30:00')
    expect(readField(facts, 'total_cost', AT)).toBe('1234.50')
    expect(readField(facts, 'assigned_staff', AT)).toBe('staff-1')
    expect(readField(facts, 'staff_uuid', AT)).toBe('staff-1')
    expect(readField(jobFacts({ assigned_staff: 'staff-2' }), 'staff_uuid', AT)).toBe('staff-2')
    expect(readField(jobFacts({ queue_assigned_staff_uuid: '' }), 'assigned_staff', AT)).toBe(null)
  })

  it('tells unknown from empty', () => {
    expect(readField(jobFacts(), 'job_description', AT)).toBe(null)
    expect(readField(jobFacts({ job_description: '' }), 'job_description', AT)).toBe('')
    expect(readField(jobFacts(), 'no_such_field', AT)).toBe(null)
    expect(readField(jobFacts({ custom_grade: 'A' }), 'custom_grade', AT)).toBe('A')
  })

  it('finds what is known of a record beside its values', () => {
    expect(readField(jobFacts(), 'company_uuid', AT)).toBe(COMPANY_UUID)
    expect(readField(jobFacts(), 'uuid', AT)).toBe(JOB_UUID)
    expect(readField(jobFacts({}, { active: false }), 'active', AT)).toBe('0')
    expect(readField(jobFacts({}, { object: 'jobpayment' }), 'job_uuid', AT)).toBe(JOB_UUID)
  })

  it('is not led astray by names of the language', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(readField(wholeJob(), name, AT)).toBe(null)
    }
  })

  it("answers a customer's contact names from its main contact", () => {
    const company = jobFacts({ company_first_name: 'Ann', name: 'Smith & Sons' }, { object: 'company', jobUuid: null })
    expect(readField(company, 'contact_first_name', AT)).toBe('Ann')
    expect(readField(company, 'company_name', AT)).toBe('Smith & Sons')
  })
})

describe('ages', () => {
  const age = (name: string, values: Record<string, string>, object = 'job') =>
    readField(jobFacts(values, { object }), name, AT)

  it('are whole calendar days of the account', () => {
    expect(age('days_since_completion', { completion_date: '2026-11-20 23:59:00' })).toBe('1')
    expect(age('days_since_completion', { completion_date: '2026-11-21 00:00:01' })).toBe('0')
    expect(age('days_since_change', { edit_date: '2026-10-21 08:00:00' })).toBe('31')
    expect(age('days_until_booking', { start_date: '2026-11-22 07:00:00' }, 'jobactivity')).toBe('1')
    expect(age('days_until_booking', { start_date: '2026-11-20 07:00:00' }, 'jobactivity')).toBe('-1')
  })

  it('count a day on both sides of a change of the clocks as one day', () => {
    const at = { now: Date.UTC(2026, 9, 26, 0, 30), zone: 'Europe/London' }
    expect(readField(jobFacts({ completion_date: '2026-10-24 23:30:00' }), 'days_since_completion', at)).toBe('2')
  })

  it('are empty where there is no such day, and unknown where nothing was loaded', () => {
    expect(age('days_since_completion', { completion_date: '0000-00-00 00:00:00' })).toBe('')
    expect(age('days_since_completion', {})).toBe(null)
    expect(age('days_until_booking', { start_date: '2026-11-22' })).toBe(null)
  })

  it('of a quote count from when it was sent, else from when it became one', () => {
    expect(age('days_since_quote', { quote_sent_stamp: '2026-11-20 10:00:00', quote_date: '2026-11-01' })).toBe('1')
    expect(age('days_since_quote', { quote_sent_stamp: '', quote_date: '2026-11-01 00:00:00' })).toBe('20')
  })

  it('in a queue count back from the day it may stay until, where that can be', () => {
    const queue_uuid = 'q'
    const until = (queue_expiry_date: string, queue_default_timeframe = '14') =>
      age('days_in_queue', { queue_uuid, queue_expiry_date, queue_default_timeframe })
    expect([until('2026-11-30 10:00:00'), until('2026-12-05 10:00:00')]).toEqual(['5', '0'])
    // Somebody extended the stay; the queue has no days, so the day is not of this queue.
    expect([until('2026-12-14 10:00:00'), until('2026-11-10 10:00:00', '0')]).toEqual([null, null])
    expect(age('days_in_queue', { queue_uuid: '' })).toBe('')
    expect(age('days_in_queue', { queue_uuid, queue_expiry_date: '2026-11-30' })).toBe(null)
  })

  it('overdue count from the invoice and the terms: the customer’s, the account’s, or 14 days', () => {
    const sent = { invoice_sent: '1', payment_received: '0', invoice_sent_stamp: '2026-11-01 12:00:00' }
    expect(age('days_overdue', { ...sent, company_payment_terms: '7 days', account_payment_terms: '30' })).toBe('13')
    expect(age('days_overdue', { ...sent, company_payment_terms: '', account_payment_terms: 'Net 30' })).toBe('-10')
    expect(age('days_overdue', sent)).toBe('6')
    expect(age('days_overdue', { ...sent, payment_received: '1' })).toBe('')
    expect(age('days_overdue', { ...sent, invoice_sent: '0' })).toBe('')
    expect(age('days_overdue', {})).toBe(null)
  })
})

describe('the parts that have to be loaded', () => {
  it('are those of the names asked for, and no more', () => {
    expect(partsFor(['status', 'total_cost', 'nonsense'], 'job')).toEqual([])
    expect(partsFor(['contact_mobile', 'company_name', 'company_phone', 'staff_name'], 'job')).toEqual([
      'company',
      'company_contact',
      'contact',
      'staff',
    ])
    expect(partsFor(['days_in_queue', 'days_overdue', 'days_since_quote'], 'job')).toEqual(['company', 'queue'])
  })

  it('go through the job for what hangs on one', () => {
    expect(partsFor(['status'], 'jobpayment')).toEqual(['job'])
    expect(partsFor(['company_name'], 'jobpayment')).toEqual(['company', 'job'])
    expect(partsFor(['contact_mobile'], 'jobpayment')).toEqual(['contact'])
    expect(partsFor(['staff_name'], 'jobactivity')).toEqual(['staff'])
    expect(partsFor(['staff_name'], 'jobpayment')).toEqual(['job', 'staff'])
    expect(partsFor(['days_since_completion'], 'jobactivity')).toEqual(['job'])
    expect(partsFor(['contact_mobile', 'first'], 'jobcontact')).toEqual([])
    expect(partsFor(['contact_mobile', 'company_name'], 'company')).toEqual(['company_contact'])
  })
})

import { describe, expect, it } from 'vitest'
import { AT, jobFacts, wholeJob } from '#tests/support/record-facts.ts'
import { calendarValues, DIGEST_NAMES, digestValues, partsForDigest } from './digest.ts'

const ACCOUNT = { ...AT, currency: 'GBP', country: 'GB' }
const records = [
  wholeJob({
    generated_job_id: '2',
    completion_date: '2026-11-19 10:00:00',
    total_invoice_amount: '0.20',
    company_name: 'Jones',
  }),
  wholeJob({ generated_job_id: '1', completion_date: '2026-11-18 10:00:00', total_invoice_amount: '0.10' }),
  wholeJob({
    generated_job_id: '3',
    status: 'Quote',
    completion_date: '',
    date: '2026-11-20',
    total_invoice_amount: '',
  }),
]
const values = digestValues(records, ACCOUNT)

describe('values over all records', () => {
  it('count and add up, in whole cents', () => {
    expect(values.count).toBe('3')
    expect(values.sum_total).toBe('0.30')
    expect(values['count.Completed']).toBe('2')
    expect(values['sum_total.Completed']).toBe('0.30')
    expect([values['count.Quote'], values['count.Work Order'], values['sum_total.Unsuccessful']]).toEqual([
      '1',
      '0',
      '0.00',
    ])
  })

  it('list one line for each, the oldest first', () => {
    expect(values.job_list).toBe(
      [
        '- Job 1, 18 Nov 2026, Smith & Sons, 12 High Street, Dundee, £0.10',
        '- Job 2, 19 Nov 2026, Jones, 12 High Street, Dundee, £0.20',
        '- Job 3, 20 Nov 2026, Smith & Sons, 12 High Street, Dundee',
      ].join('\n'),
    )
  })

  it('list them under headings', () => {
    expect(values['job_list by status']).toMatch(/^Completed \(2\)\n- Job 1.*\n- Job 2.*\n\nQuote \(1\)\n- Job 3/)
    expect(values['job_list by customer']?.split('\n\n')).toHaveLength(2)
    expect(values['job_list by queue']).toMatch(/^Not in a queue \(3\)/)
  })

  it('put the ids, descriptions and addresses in a row', () => {
    expect(values.all_job_ids).toBe('2, 1, 3')
    expect(values.all_job_descriptions).toBe('Replace boiler; Replace boiler; Replace boiler')
    expect(values.all_job_addresses?.split('; ')).toHaveLength(3)
    const written = ['Flat 14.', 'Ring twice...', 'Done.'].map((job_description) => wholeJob({ job_description }))
    expect(digestValues(written, ACCOUNT).all_job_descriptions).toBe('Flat 14; Ring twice; Done.')
  })

  it('count a job once, however many of its bookings there are, and each payment', () => {
    const [one, other] = ['44444444-0000-4000-8000-000000000001', '44444444-0000-4000-8000-000000000002']
    const of = (object: string, jobUuid: string, amount: string) =>
      jobFacts({ generated_job_id: jobUuid.slice(-1), total_invoice_amount: '80.00', amount }, { object, jobUuid })
    const all = (object: string) =>
      digestValues([of(object, one, '10'), of(object, one, '20'), of(object, other, '30')], ACCOUNT)
    expect(all('jobactivity')).toMatchObject({ count: '3', sum_total: '160.00', all_job_ids: '1, 2' })
    expect(all('jobpayment')).toMatchObject({ count: '3', sum_total: '60.00', all_job_ids: '1, 2' })
  })

  it('stay short and quick however many records there are: a thousand lines, and how many are left', () => {
    const many = Array.from({ length: 5_000 }, (_, n) =>
      wholeJob({ generated_job_id: String(n), status: `Status ${n % 900}`, company_name: 'Smith & Sons' }),
    )
    const began = performance.now()
    const all = digestValues(many, ACCOUNT)
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(all.count).toBe('5000')
    expect(all['count.Status 7']).toBe('6')
    expect(all.job_list?.split('\n')).toHaveLength(1_001)
    expect(all.job_list).toMatch(/\n… and 4,000 more$/)
  })

  it('leave the customer out of a list that is all about one', () => {
    const list = digestValues(
      [wholeJob({ generated_job_id: '7' }), wholeJob({ generated_job_id: '8' })],
      ACCOUNT,
    ).job_list
    expect(list).not.toMatch(/Smith/)
    expect(digestValues([wholeJob()], ACCOUNT).job_list).toMatch(/Smith & Sons/)
  })

  it('of bookings are a run sheet in the order of the day', () => {
    const booking = (start_date: string, more: Record<string, string> = {}) =>
      jobFacts(
        { start_date, job_address: '1 Low Road', company_name: 'Smith', contact_mobile: '07700', ...more },
        { object: 'jobactivity' },
      )
    const sheet = digestValues(
      [booking('2026-11-21 13:00:00'), booking('2026-11-21 08:30:00', { contact_mobile: '', contact_phone: '0113' })],
      ACCOUNT,
    )
    expect(sheet.job_list).toBe('- 08:30, 1 Low Road, Smith, 0113\n- 13:00, 1 Low Road, Smith, 07700')
  })

  it('keep to one line whatever a description holds, and never say nothing in words', () => {
    const odd = digestValues(
      [wholeJob({ job_description: 'a\r\nb', company_name: 'undefined', job_address: 'null' })],
      ACCOUNT,
    )
    expect(odd.all_job_descriptions).toBe('a b')
    expect(odd.job_list).toBe('- Job 1042, 18 Nov 2026, £1,234.50')
  })

  it('of no records are nothing, not missing', () => {
    const none = digestValues([], ACCOUNT)
    expect([none.count, none.sum_total, none.job_list, none.all_job_ids]).toEqual(['0', '0.00', '', ''])
  })

  it('are all named in the catalogue', () => {
    expect(Object.keys(digestValues([], ACCOUNT)).sort()).toEqual([...DIGEST_NAMES].sort())
  })

  it('count whatever statuses there are', () => {
    expect(digestValues([wholeJob({ status: 'Archived' })], ACCOUNT)['count.Archived']).toBe('1')
  })
})

it('the calendar is the account’s', () => {
  expect(calendarValues(AT)).toEqual({
    today: '2026-11-21',
    tomorrow: '2026-11-22',
    yesterday: '2026-11-20',
    week: '47',
    this_month: 'November 2026',
    last_month: 'October 2026',
    this_year: '2026',
  })
  expect(calendarValues({ now: Date.UTC(2026, 11, 31, 20), zone: 'Australia/Brisbane' })).toMatchObject({
    today: '2027-01-01',
    last_month: 'December 2026',
    this_year: '2027',
  })
})

it('the parts to load are those of the lines', () => {
  expect(partsForDigest('count', 'job')).toEqual([])
  expect(partsForDigest('sum_total', 'job')).toEqual([])
  expect(partsForDigest('job_list', 'job')).toEqual(['company'])
  expect(partsForDigest('job_list by staff', 'job')).toEqual(['company', 'staff'])
  expect(partsForDigest('job_list', 'jobactivity')).toEqual(['company', 'contact', 'job'])
  expect(partsForDigest('count.Completed', 'jobactivity')).toEqual(['job'])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AT, COMPANY_UUID, JOB_UUID, jobFacts, wholeJob } from '#tests/support/record-facts.ts'
import type { Destination } from './placeholder-format.ts'
import { type PlaceholderScope, resolveText } from './placeholders.ts'

const DESTINATIONS: Destination[] = ['plain', 'html', 'subject', 'sms', 'json', 'phone', 'date', 'field']

function scope(given: Partial<PlaceholderScope> = {}): PlaceholderScope {
  return {
    records: [wholeJob()],
    trigger: {},
    results: {},
    order: [],
    account: { name: 'Alder & Finch', email: 'office@example.test', zone: AT.zone, currency: 'GBP', country: 'GB' },
    now: AT.now,
    ...given,
  }
}
const say = (text: string, given: Partial<PlaceholderScope> = {}, destination: Destination = 'plain') =>
  resolveText(text, destination, scope(given)).text
const withJob = (values: Record<string, string>) => ({ records: [wholeJob(values)] })

describe('the placeholders of the specification', () => {
  it('stand for the fields of the first records', () => {
    const fields = {
      generated_job_id: '1042',
      job_description: 'Replace boiler',
      job_address: '12 High Street, Dundee',
      status: 'Completed',
      billing_address: 'PO Box 9',
      purchase_order_number: 'PO-7',
      date: '2026-11-02 00:00:00',
      contact_mobile: '07700 900123',
      contact_phone: '0113 496 0000',
      contact_email: 'margaret@example.test',
      contact_first_name: 'Margaret',
      contact_last_name: 'Smith',
      company_name: 'Smith & Sons',
      company_phone: '0113 496 0001',
      company_email: 'office@example.test',
      company_address: '1 Low Road',
      staff_name: 'Tom Finch',
      staff_email: 'tom@example.test',
      staff_mobile: '+447700900102',
    }
    const records = [wholeJob(), wholeJob({ status: 'Quote' }), wholeJob({ status: 'Unsuccessful' })]
    for (const [name, value] of Object.entries(fields)) {
      expect([name, say(`{entry.0.${name}}`, { records })]).toEqual([name, value])
    }
    expect(say('{entry.1.status}, {entry.2.status}', { records })).toBe('Quote, Unsuccessful')
  })

  it('beyond the records there are stand for nothing', () => {
    expect(
      resolveText('{entry.1.status}|{entry.99.status or "none"}|{entry.0.priority}', 'field', scope()),
    ).toMatchObject({
      text: '|none|',
      blanks: ['entry.1.status', 'entry.0.priority'],
      unknown: [],
    })
  })

  it('stand for what set the rule off, else for the first record', () => {
    const trigger = {
      description: 'Status changed',
      object: 'job',
      company_uuid: 'c',
      job_uuid: 'j',
      date: '2026-12-24',
    }
    expect(say('{description}|{object}|{company_uuid}|{job_uuid}|{date}', { trigger })).toBe(
      'Status changed|job|c|j|2026-12-24',
    )
    expect(say('{description}|{object}|{company_uuid}|{job_uuid}|{date as date}')).toBe(
      `Replace boiler|job|${COMPANY_UUID}|${JOB_UUID}|2 Nov 2026`,
    )
  })

  it('stand for all records together', () => {
    const records = [wholeJob(), wholeJob({ generated_job_id: '1043', total_invoice_amount: '0.50' })]
    expect(say('{all_job_ids}|{count}|{sum_total as money}|{count.Completed}|{Count.work order}', { records })).toBe(
      '1042, 1043|2|£1,235.00|2|0',
    )
    expect(say('{all_job_descriptions}|{all_job_addresses}', { records })).toBe(
      'Replace boiler; Replace boiler|12 High Street, Dundee; 12 High Street, Dundee',
    )
    expect(say('{job_list}', { records })).toMatch(/^- Job 1042.*\n- Job 1043/)
    expect(say('{job_list by status}', { records })).toMatch(/^Completed \(2\)\n/)
    expect(say('{count} at {sum_total as money}', { records, trigger: { count: '7', sum_total: '9.5' } })).toBe(
      '7 at £9.50',
    )
  })

  it('stand for what earlier actions gave, by position and by step', () => {
    const given = {
      order: ['s1', 'make_job', 's3'],
      results: { s1: { sms_id: 'm1', status: 'sent' }, make_job: { job_uuid: 'new', generated_job_id: '2001' } },
    }
    expect(
      say(
        '{action_1_result.sms_id} {action_2_result.generated_job_id} {step.make_job.job_uuid} {step.make_job.number}',
        given,
      ),
    ).toBe('m1 2001 new 2001')
    expect(say('{action_2_result}', given)).toBe('new')
    expect(resolveText('{action_3_result.x}|{action_9_result.x}|{step.gone.x}', 'plain', scope(given))).toMatchObject({
      text: '||',
      blanks: ['action_3_result.x'],
      unknown: ['action_9_result.x', 'step.gone.x'],
    })
  })

  it('know today, and days around it', () => {
    expect(say('{TODAY} {today+3} {TODAY-21 as date} {week} {this_month} {tomorrow}')).toBe(
      '2026-11-21 2026-11-24 31 Oct 2026 47 November 2026 2026-11-22',
    )
  })

  it('know ages and flags', () => {
    expect(say('{entry.0.days_since_completion} days, {days_since_change}')).toBe('3 days, 1')
  })
})

describe('friendly names and those of the platform’s templates', () => {
  it('the address in one line is one line', () => {
    const records = [jobFacts({ job_address: '12 High Street,\r\nFlat 2\nDundee\n' })]
    expect(say('{job.job_address_singleline}.', { records })).toBe('12 High Street, Flat 2, Dundee.')
  })

  it('lead to the same values', () => {
    expect(say('{first name} {customer.first_name} {Contact.Mobile} {customer} {company.name}')).toBe(
      'Margaret Margaret 07700 900123 Smith & Sons Smith & Sons',
    )
    expect(say('{job number}, {address}, {staff}, {business name}, {total as money}')).toBe(
      '1042, 12 High Street, Dundee, Tom Finch, Alder & Finch, £1,234.50',
    )
    expect(
      say(
        'Hi {job.contact_first}, job {job.generated_job_id} of {job.date} at {job.job_address}: {job.total_invoice_amount}. {vendor.name}',
      ),
    ).toBe('Hi Margaret, job 1042 of 2 Nov 2026 at 12 High Street, Dundee: £1,234.50. Alder & Finch')
    expect(resolveText('See {document} here', 'plain', scope())).toMatchObject({
      text: 'See here',
      blanks: [],
      unknown: [],
    })
  })

  it('give way to a field of the record itself, and to what came with the trigger', () => {
    const records = [jobFacts({ address: '1 Low Road', name: 'Smith', email: '' }, { object: 'company' })]
    expect(say('{address}, {name}', { records })).toBe('1 Low Road, Smith')
    expect(
      say('{site code}|{custom_grade}', { records: [wholeJob({ custom_grade: 'A' })], trigger: { 'site code': 'X1' } }),
    ).toBe('X1|A')
    expect(say('{queue}', withJob({ queue_uuid: 'q', queue_name: 'Parts' }))).toBe('Parts')
  })
})

describe('a value that is missing', () => {
  it('leaves its fallback, or nothing, and is reported when there is none', () => {
    const given = withJob({
      contact_first_name: '',
      completion_date: '0000-00-00 00:00:00',
      job_address: 'undefined',
      staff_name: 'null',
    })
    expect(
      resolveText(
        'Hi {contact_first_name or "there"}, {completion_date}{job_address}{staff_name}{contact_first_name}.',
        'plain',
        scope(given),
      ),
    ).toMatchObject({
      text: 'Hi there,.',
      blanks: ['completion_date', 'job_address', 'staff_name', 'contact_first_name'],
      unknown: [],
    })
  })

  it('leaves no gap before a mark or another word', () => {
    const given = withJob({ contact_first_name: '' })
    expect(say('Payment received, thank you {contact_first_name or ""}! Good to work for you.', given)).toBe(
      'Payment received, thank you! Good to work for you.',
    )
    expect(
      say('{contact_first_name or ""} Hello\n{contact_first_name or ""} you {contact_first_name or ""}', given),
    ).toBe('Hello\nyou')
    expect(say('a {contact_first_name or ""} b', given)).toBe('a b')
    expect(say('({contact_first_name or ""})', given)).toBe('()')
  })

  it('of a name that does not exist is reported as unknown, and never shows its braces', () => {
    expect(
      resolveText('a {nonsense} b {__proto__} c {constructor} {entry.0.toString or "x"}', 'plain', scope()),
    ).toMatchObject({
      text: 'a b c x',
      blanks: [],
      unknown: ['nonsense', '__proto__', 'constructor', 'entry.0.toString'],
    })
  })

  it('of a blank that nobody filled in is reported', () => {
    expect(resolveText('Regards, [[Business name]]', 'plain', scope())).toMatchObject({
      text: 'Regards,',
      blanks: ['[[Business name]]'],
    })
  })

  it('of a run without records is blank', () => {
    expect(resolveText('{contact_first_name} {count}', 'plain', scope({ records: [] }))).toMatchObject({
      text: '0',
      blanks: ['contact_first_name'],
    })
  })
})

describe('formats', () => {
  it('write values out as the account does', () => {
    const given = withJob({
      start: '2026-11-21 14:05:00',
      start_date: '2026-11-21 14:05:00',
      contact_first_name: 'MARGARET SMITH',
    })
    expect(say('{start_date as weekday} {start_date as date} {start_date as time}', given)).toBe(
      'Saturday 21 Nov 2026 14:05',
    )
    expect(say('{total_invoice_amount as money} {total_invoice_amount as number} {contact_mobile as phone}')).toBe(
      '£1,234.50 1,234.5 +447700900123',
    )
    expect(say('{contact_first_name as first name} {status as upper}', given)).toBe('Margaret COMPLETED')
  })

  it('leave alone what is not of their kind', () => {
    expect(
      say('{job_address as money} {job_address as date} {date as time} {job_address as phone} {status as roman}'),
    ).toBe(
      '12 High Street, Dundee 12 High Street, Dundee 2026-11-02 00:00:00'.replace('2026-11-02 00:00:00', '00:00') +
        ' 12 High Street, Dundee Completed',
    )
  })

  it('do not touch a fallback', () => {
    expect(say('{contact_first_name or "there" as upper}', withJob({ contact_first_name: '' }))).toBe('there')
  })
})

describe('where the text goes', () => {
  const nasty = withJob({
    job_description: '<b onclick="x(\'y\')">A & B</b>\r\nBcc: all@example.test\u0000{company_email}',
    website: 'javascript:alert(1)',
  })

  it('decides how values are made safe', () => {
    expect(say('<p>{job_description}</p>', nasty, 'html')).toBe(
      '<p>&lt;b onclick=&quot;x(&#39;y&#39;)&quot;&gt;A &amp; B&lt;/b&gt;<br>\nBcc: all@example.test{company_email}</p>',
    )
    expect(say('Job: {job_description}\r\nX', nasty, 'subject')).toBe(
      'Job: <b onclick="x(\'y\')">A & B</b> Bcc: all@example.test{company_email} X',
    )
    expect(JSON.parse(`{"a":"${say('{job_description}', nasty, 'json')}"}`)).toEqual({
      a: '<b onclick="x(\'y\')">A & B</b>\nBcc: all@example.test{company_email}',
    })
    expect(say('{job_description}', nasty, 'plain')).toBe(
      '<b onclick="x(\'y\')">A & B</b>\nBcc: all@example.test{company_email}',
    )
  })

  it('lets no address inside a tag run a script, and keeps the tag whole', () => {
    expect(say('<a href="{entry.0.website}">site</a>', nasty, 'html')).toBe('<a href="#">site</a>')
    expect(say('<a title="{job_description}">', nasty, 'html')).not.toMatch(/<br>|\n/)
  })

  it('prints the names of badges as words, also one with a comma', () => {
    expect(say('{badge_names}', withJob({ badge_names: '["VIP","Parts, waiting"]' }), 'plain')).toBe(
      'VIP, Parts, waiting',
    )
  })

  it('makes numbers E.164 where they can be', () => {
    expect(say('{contact_mobile}', {}, 'phone')).toBe('+447700900123')
    expect(say('0770 09', {}, 'phone')).toBe('0770 09')
  })

  it('makes dates what a date field takes', () => {
    expect(say('TODAY', {}, 'date')).toBe('2026-11-21')
    expect(say('TODAY+3', {}, 'date')).toBe('2026-11-24')
    expect(say('{entry.0.date}', {}, 'date')).toBe('2026-11-02')
    expect(say('{entry.0.completion_date}', {}, 'date')).toBe('2026-11-18 16:05:00')
    expect(say('{entry.0.unsuccessful_date or ""}', {}, 'date')).toBe('')
    expect(say('{entry.0.date as date}', {}, 'date')).toBe('2026-11-02')
    expect(say('{job.date}', {}, 'date')).toBe('2026-11-02')
    expect(say('{calculation.todays_date}', {}, 'date')).toBe('2026-11-21')
    expect(say('soon', {}, 'date')).toBe('soon')
    expect(say('TODAY', {}, 'field')).toBe('TODAY')
  })
})

describe('filling in', () => {
  it('happens once: what was filled in is never read again', () => {
    const given = withJob({
      job_description: '{company_email} {{x}} [[Blank]] {count}',
      company_email: 'secret@example.test',
    })
    for (const destination of ['plain', 'sms', 'field', 'subject'] as const) {
      const resolved = resolveText('{job_description}', destination, scope(given))
      expect(resolved.text).toBe('{company_email} {{x}} [[Blank]] {count}')
      expect(resolved.blanks).toEqual([])
    }
  })

  it('remembers every replacement', () => {
    expect(
      resolveText(
        '{total as money} {contact_first_name or "there"}',
        'html',
        scope(withJob({ contact_first_name: '' })),
      ).replacements,
    ).toEqual([
      { variable: 'total', written: '{total as money}', originalValue: '1234.50', resolvedValue: '£1,234.50' },
      {
        variable: 'contact_first_name',
        written: '{contact_first_name or "there"}',
        originalValue: '',
        resolvedValue: 'there',
      },
    ])
  })

  it('keeps text in braces that is no placeholder', () => {
    expect(say('<style>.a { color: red; } @media{.b{c:d}}</style>{{literal}}', {}, 'html')).toBe(
      '<style>.a { color: red; } @media{.b{c:d}}</style>{literal}',
    )
  })

  it('shows a value whole and safe wherever it goes, whatever it holds', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('{count}', '<script>', 'a\r\nb', '__proto__', '}}{{', '"\\', '[[x]]'),
    )
    fc.assert(
      fc.property(value, fc.constantFrom(...DESTINATIONS), (text, destination) => {
        const resolved = resolveText(
          'a{job_description}b{job_description or "-"}c',
          destination,
          scope(withJob({ job_description: text })),
        )
        expect(resolved.unknown).toEqual([])
        if (destination === 'html') expect(resolved.text.replaceAll('<br>', '')).not.toMatch(/[<>"]/)
        if (destination === 'subject') expect(resolved.text).not.toMatch(/[\r\n]/)
        if (destination === 'json') expect(typeof JSON.parse(`"${resolved.text}"`)).toBe('string')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may come through.
        expect(resolved.text).not.toMatch(/[\u0000-\u0008\r]/)
      }),
      { numRuns: 200 },
    )
  })

  it('never says "undefined" or "null", whatever is missing', () => {
    const names = [
      'contact_first_name',
      'entry.0.priority',
      'entry.7.status',
      'nonsense',
      'action_1_result.x',
      'step.s1.y',
      'count',
      'vendor.name',
      'date',
      '__proto__',
    ]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names), { maxLength: 6 }),
        fc.constantFrom(...DESTINATIONS),
        fc.boolean(),
        (list, destination, empty) => {
          const records = empty ? [] : [jobFacts({ contact_first_name: 'null', date: 'undefined' })]
          const { text } = resolveText(
            list.map((name) => `{${name}}`).join(' '),
            destination,
            scope({ records, order: ['s1'] }),
          )
          expect(text).not.toMatch(/undefined|null|\{|\}/)
        },
      ),
    )
  })
})

import { describe, expect, it } from 'vitest'
import type { Condition } from '#app/domain/automations/rule.ts'
import { condition } from '#tests/support/record-facts.ts'
import { createSuggestions } from '../checks/name-suggestion.ts'
import { checkPlaceholders, MOST_PLACEHOLDERS, type PlaceholderPlace, placeholderChoices } from './placeholder-check.ts'
import { friendlyName, meaningOf, partsForTexts } from './placeholder-names.ts'
import { placeholdersIn } from './placeholder-syntax.ts'
import { resolveText } from './placeholders.ts'

const STEPS = [
  { id: 's1', type: 'create_job' },
  { id: 's2', type: 'send_sms' },
  { id: 's3', type: 'update_job_status' },
] as const

function place(given: Partial<PlaceholderPlace> = {}): PlaceholderPlace {
  return {
    object: 'job',
    source: 'webhook',
    manyRecords: false,
    steps: STEPS,
    index: 2,
    destination: 'sms',
    toCustomer: false,
    ...given,
  }
}
const check = (text: string, given: Partial<PlaceholderPlace> = {}) =>
  checkPlaceholders(text, place(given)).map(({ severity, code, name, suggestion }) => [
    severity,
    code,
    name,
    suggestion,
  ])
const sentence = (text: string, given: Partial<PlaceholderPlace> = {}) =>
  checkPlaceholders(text, place(given))[0]?.sentence

describe('a text with very many placeholders', () => {
  it('is refused in one sentence, however many names are wrong in it', () => {
    expect(checkPlaceholders('{zq} '.repeat(MOST_PLACEHOLDERS), place())).toHaveLength(1)
    const found = checkPlaceholders('{zq}'.repeat(20_000), place())
    expect(found.map(({ code, severity, sentence }) => [code, severity, sentence])).toEqual([
      ['too_many', 'error', 'A text has at most 200 placeholders. This one has 20,000.'],
    ])
  })

  it('gets suggestions for the first five names, and the texts of one rule share them', () => {
    const text = 'statuz stattus sstatus tatus staus statuss'.replace(/\w+/g, '{$&}')
    const suggested = (from: string, suggest = createSuggestions()) =>
      checkPlaceholders(from, place(), suggest).map(({ suggestion }) => suggestion)
    expect(suggested(text)).toEqual([...Array(5).fill('status'), null])
    const shared = createSuggestions()
    suggested(text, shared)
    expect(suggested('{job_adress}', shared)).toEqual([null])
  })
})

describe('a text that is checked', () => {
  it('has nothing wrong when every name exists', () => {
    const text =
      'Hi {entry.0.contact_first_name or "there"}, {job number} {count} {TODAY} {action_1_result.job_uuid} {first name} {job_list by status}'
    expect(check(text)).toEqual([])
    expect(check('.a { color: red } {{literal}}', { destination: 'html' })).toEqual([])
  })

  it('may name everything the specification lists, of each of the first three records', () => {
    const fields =
      'generated_job_id job_description job_address status billing_address purchase_order_number priority date contact_mobile ' +
      'contact_phone contact_email contact_first_name contact_last_name company_name company_phone company_email ' +
      'company_address staff_name staff_email staff_mobile'
    const entries = [0, 1, 2].flatMap((entry) => fields.split(' ').map((field) => `{entry.${entry}.${field}}`))
    const others = '{company_uuid} {description} {object} {all_job_descriptions} {all_job_ids} {all_job_addresses}'
    const results =
      '{action_1_result.job_uuid} {action_1_result.generated_job_id} {action_2_result.document_uuid} ' +
      '{action_2_result.document_url} {action_3_result.message_id} {action_3_result.status} {action_4_result.sms_id} ' +
      '{action_4_result.status} {action_5_result.task_uuid}'
    const types = ['create_job', 'generate_document', 'send_email', 'send_sms', 'create_task', 'send_sms'] as const
    const steps = types.map((type, index) => ({ id: `s${index + 1}`, type }))
    const text = [...entries, others, results].join(' ')
    const found = checkPlaceholders(text, place({ manyRecords: true, steps, index: 5 }))
    expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('has unknown names, with the nearest that exists', () => {
    expect(check('{contact_fist_name} {entry.0.job_adress} {nonsense_of_all_kinds}')).toEqual([
      ['error', 'unknown', 'contact_fist_name', 'contact_first_name'],
      ['error', 'unknown', 'entry.0.job_adress', 'entry.0.job_address'],
      ['error', 'unknown', 'nonsense_of_all_kinds', null],
    ])
    expect(sentence('{contact_fist_name}')).toBe(
      'There is no {contact_fist_name} here. Did you mean {contact_first_name}?',
    )
  })

  it('names each trouble once', () => {
    expect(check('{nope_nope} {nope_nope}')).toHaveLength(1)
  })

  it('has results of steps that run later, do not exist or give nothing of the kind', () => {
    expect(check('{action_3_result.x}')).toEqual([['error', 'later_step', 'action_3_result.x', null]])
    expect(check('{step.s3.x}', { index: 1 })).toEqual([['error', 'later_step', 'step.s3.x', null]])
    expect(check('{action_7_result.x}')).toEqual([['error', 'unknown', 'action_7_result.x', null]])
    expect(sentence('{action_2_result.job_uuid}')).toBe('Action 2 gives sms_id and status, but not job_uuid.')
    expect(check('{action_1_result.number}')).toEqual([])
  })

  it('has values of the wrong kind for where they go', () => {
    expect(sentence('{job_description}', { destination: 'date' })).toBe('{job_description} is not a date.')
    expect(check('{date}', { destination: 'date' })).toEqual([])
    expect(check('{contact_mobile}', { destination: 'phone' })).toEqual([])
    expect(sentence('{job_address}', { destination: 'phone' })).toBe('{job_address} is not a phone number.')
    expect(
      check('{status as date} {date as money} {job_address as phone} {status as roman}').map(([, code]) => code),
    ).toEqual(['wrong_type', 'wrong_type', 'wrong_type', 'bad_format'])
  })

  it('may have gaps that keep a message from a customer', () => {
    expect(check('{contact_first_name} {generated_job_id} {total as money}', { toCustomer: true })).toEqual([
      ['warning', 'may_be_empty', 'contact_first_name', null],
    ])
    expect(check('{contact_first_name or "there"}', { toCustomer: true })).toEqual([])
    expect(check('{contact_first_name}', { toCustomer: false })).toEqual([])
  })

  it('has no gap where every way to match asks for a value', () => {
    const asked = (...conditions: Condition[]) =>
      check('{contact_mobile} {quote_date as date} {days_since_quote}', { toCustomer: true, conditions }).map(
        ([, , name]) => name,
      )
    const mobile = condition('contact_mobile', 'is_not_empty')
    const old = condition('days_since_quote', 'greater_than', '2')
    expect(asked(mobile, old)).toEqual([])
    expect(asked(mobile)).toEqual(['quote_date', 'days_since_quote'])
    expect(asked(mobile, old, { ...mobile, logicalOperator: 'OR' })).toEqual(['quote_date', 'days_since_quote'])
    expect(asked(condition('contact_mobile', 'not_equals', 'x'))).toContain('contact_mobile')
    expect(sentence('{contact_mobile}', { toCustomer: true, destination: 'phone' })).toMatch(/Add a condition/)
  })

  it('may speak of a second record where there is one only', () => {
    expect(check('{entry.1.status}')).toEqual([['warning', 'no_such_record', 'entry.1.status', null]])
    expect(check('{entry.1.status}', { manyRecords: true })).toEqual([])
  })

  it('has blanks to fill in and doubled braces to look at', () => {
    expect(check('[[Business name]] {{contact_first_name}} {{not a name at all}}')).toEqual([
      ['warning', 'double_braces', 'contact_first_name', 'contact_first_name'],
      ['warning', 'blank', 'Business name', null],
    ])
  })

  it('knows the names of the rule’s object, not those of others', () => {
    expect(check('{amount as money} {is_deposit} {job_address}', { object: 'jobpayment' })).toEqual([])
    expect(check('{amount as money}')).toEqual([['error', 'unknown', 'amount', null]])
  })
})

describe('the list to choose from', () => {
  it('has names that all exist, in every place', () => {
    const account = { name: 'A', email: 'e', zone: 'UTC', currency: 'GBP', country: 'GB' }
    for (const object of ['job', 'company', 'jobactivity', 'jobpayment', 'material']) {
      for (const source of ['webhook', 'api_polling', 'manual_endpoint'] as const) {
        const choices = placeholderChoices(place({ object, source }))
        expect(new Set(choices.map(({ name }) => name)).size).toBe(choices.length)
        for (const { name, label } of choices) {
          expect([
            object,
            name,
            label,
            check(`{${name}}`, { object, source, manyRecords: true, destination: 'plain', index: STEPS.length }),
          ]).toEqual([object, name, label, []])
          const scope = { records: [], trigger: {}, results: {}, order: ['s1', 's2', 's3'], account, now: 0 }
          if (object === 'job') expect(resolveText(`{${name}}`, 'plain', scope).unknown).toEqual([])
          // The friendly way to write it is the same value.
          const friendly = friendlyName(name, object)
          expect(meaningOf(friendly, { object })).toEqual(meaningOf(name, { object }))
          expect(placeholdersIn(`a {${friendly} or "b"} c`).map((one) => one.name)).toEqual([friendly])
        }
      }
    }
  })

  it.each([
    ['entry.0.contact_first_name', 'job', 'first name'],
    ['entry.0.generated_job_id', 'job', 'job number'],
    ['entry.0.total_invoice_amount', 'job', 'total'],
    ['entry.0.company_name', 'job', 'customer'],
    ['entry.0.completion_date', 'job', 'completion date'],
    // The names of the trigger win.
    ['entry.0.job_description', 'job', 'job description'],
    ['entry.0.date', 'job', 'entry.0.date'],
    // A customer's own field wins over the short name of another.
    ['entry.0.address', 'company', 'address'],
    ['entry.1.contact_first_name', 'job', 'entry.1.contact_first_name'],
    ['action_1_result.sms_id', 'job', 'action_1_result.sms_id'],
  ])('writes %s of a %s as {%s}', (name, object, friendly) => {
    expect(friendlyName(name, object)).toBe(friendly)
  })

  it('offers the call’s date to manual rules, and results of earlier steps only', () => {
    const names = (given: Partial<PlaceholderPlace>) => placeholderChoices(place(given)).map(({ name }) => name)
    expect(names({ source: 'manual_endpoint' })).toEqual(expect.arrayContaining(['date', 'job_uuid']))
    expect(names({ index: 1 })).toContain('action_1_result.generated_job_id')
    expect(names({ index: 1 })).not.toContain('action_2_result.sms_id')
    expect(names({})).toContain('entry.0.contact_first_name')
  })
})

it('the parts to load are those of the names in the texts', () => {
  expect(partsForTexts(['no names', '{status} {nope} {TODAY}'], 'job')).toEqual([])
  expect(partsForTexts(['Hi {first name}', '{entry.2.company_email or "x"} {staff.name}'], 'job')).toEqual([
    'company_contact',
    'contact',
    'staff',
  ])
  expect(partsForTexts(['{job_list} {days_overdue}'], 'job')).toEqual(['company'])
  expect(partsForTexts(['{description}'], 'jobpayment')).toEqual(['job'])
})

import { describe, expect, it } from 'vitest'
import type { ActionParameters, Step } from '#app/domain/automations/rule.ts'
import { problemsOf } from '../../form/form-check.ts'
import { formOfFields } from '../../form/form-state.ts'
import { literalProblems, needsCountry } from './literal-check.ts'

const UUID = '20000000-0000-4000-8000-000000000001'
const told = (type: Step['type'], parameters: ActionParameters, country: string | null = null) =>
  literalProblems(
    { type, parameters },
    { object: 'job', country, refusedAddresses: { 'https://10.0.0.1/': 'It is private.' } },
  )
const fields = (...input: Parameters<typeof told>) => told(...input).map(({ name }) => name)

const JOB_FOR = { company_uuid: UUID, status: 'Quote' }
const MAIL = { to: 'ann@smith.example', customSubject: 'Done', customBody: 'We are done.' }

describe('what a value says by itself is judged at its field', () => {
  it.each<[Step['type'], ActionParameters, string, string]>([
    ['send_email', { customBody: 'x' }, 'customSubject', 'The e-mail has no subject.'],
    ['send_email', { customSubject: 'x' }, 'customBody', 'The e-mail has no text.'],
    ['send_email', { ...MAIL, to: 'hello' }, 'to', '"hello" is not an e-mail address.'],
    ['send_email', { ...MAIL, cc: 'hello' }, 'cc', '"hello" is not an e-mail address.'],
    [
      'send_email',
      { contentType: 'html', customHtmlBody: '<p>x</p>' },
      'customHtmlSubject',
      'The e-mail has no subject.',
    ],
    [
      'send_email',
      { contentType: 'html', customHtmlSubject: 'x', customHtmlBody: '<p> </p>' },
      'customHtmlBody',
      'The e-mail has no text.',
    ],
    [
      'send_email',
      { contentType: 'template', emailTemplateId: '{entry.0.status}' },
      'emailTemplateId',
      'Choose a template from the list.',
    ],
    [
      'send_email',
      { contentType: 'template', emailTemplateId: '70000000-0000-4000-8000-000000000001', subject: '\u0000' },
      'subject',
      'The e-mail has no subject.',
    ],
    ['send_sms', { to: 'hello', message: 'x' }, 'to', '"hello" is not a phone number.'],
    ['send_sms', { to: '+4477', message: 'x' }, 'to', 'The number "+4477" is too short.'],
    ['send_sms', { message: '  ' }, 'message', 'Message is required'],
    [
      'create_job',
      { ...JOB_FOR, company_uuid: 'abc' },
      'company_uuid',
      '"abc" is not a customer. Choose one from the list.',
    ],
    [
      'create_job',
      { ...JOB_FOR, date: 'tomorrow' },
      'date',
      '"tomorrow" is not a date. Use a date such as 2026-11-21, or TODAY, TODAY+7.',
    ],
    [
      'create_job',
      { ...JOB_FOR, copyMaterialsFromJob: true, sourceJobUuid: 'abc' },
      'sourceJobUuid',
      '"abc" is not a job. Choose one from the list.',
    ],
    [
      'create_job',
      { ...JOB_FOR, materials: [{ material_uuid: UUID, quantity: 0 }] },
      'materials.0.quantity',
      'Quantity is a number above 0',
    ],
    [
      'create_job',
      { ...JOB_FOR, materials: [{ material_uuid: 'abc', quantity: 1 }] },
      'materials.0.material_uuid',
      'Choose a material from the list',
    ],
    [
      'update_job_field',
      { fieldName: 'total_cost', fieldValue: '1' },
      'fieldName',
      'ServiceM8 keeps the field total_cost itself, so it cannot be set. Choose another field.',
    ],
    [
      'update_job_field',
      { fieldName: 'date', fieldValue: 'tomorrow' },
      'fieldValue',
      'Job date was not set: "tomorrow" is not a date. Use a date such as 2026-11-21, or TODAY, TODAY+7.',
    ],
    [
      'update_job_field',
      { fieldName: 'quote_sent', fieldValue: 'perhaps' },
      'fieldValue',
      'Quote sent was not set: "perhaps" is neither yes nor no.',
    ],
    ['update_job_field', { fieldName: 'badges', badgeChange: 'add', fieldValue: '' }, 'fieldValue', 'Choose a badge.'],
    ['send_notification', { message: 'x', url: 'not a url' }, 'url', 'Must be a valid HTTPS URL'],
    ['send_notification', { message: 'x', url: 'https://10.0.0.1/' }, 'url', 'It is private.'],
    [
      'send_notification',
      { message: 'x', url: 'https://a.example/{entry.0.status}' },
      'url',
      'Write the whole address: placeholders have no value in it.',
    ],
  ])('%s %j', (type, parameters, name, message) => {
    expect(told(type, parameters)).toContainEqual(expect.objectContaining({ name, message }))
  })

  it('says of a job description why it is always empty', () => {
    const step = { type: 'send_staff_message' as const, parameters: { toStaffUuid: UUID, message: '{description}' } }
    const of = (object: string) => literalProblems(step, { object, country: null }).map(({ message }) => message)
    expect(of('material')).toContain('{description} is always empty: a material has no job. Enter a value.')
    expect(of('job')).toEqual([])
  })

  it('leaves alone what a placeholder or an open blank decides', () => {
    expect(fields('send_sms', { to: '{entry.0.contact_mobile}', message: '{job_list}' })).toEqual([])
    expect(fields('send_email', { ...MAIL, to: '[[Office e-mail]]', customSubject: '{count}' })).toEqual([])
    expect(fields('create_job', { company_uuid: '{company_uuid}', status: '{status}', date: '{date}' })).toEqual([])
    expect(fields('update_job_field', { fieldName: '[[Field]]', fieldValue: 'x' })).toEqual([])
    expect(fields('send_notification', { message: 'x', url: '[[Address]]' })).toEqual([])
  })

  it('takes one good receiver among several as enough for the step', () => {
    expect(told('send_sms', { to: '+447700900123, hello', message: 'x' })).toEqual([
      { name: 'to', message: '"hello" is not a phone number.', partial: true },
    ])
  })

  it('judges a number without a country code only where the country is known', () => {
    const sms = (to: string, country: string | null) => fields('send_sms', { to, message: 'x' }, country)
    expect(sms('07700 900123', null)).toEqual([])
    expect(sms('07700 900123', 'GB')).toEqual([])
    expect(sms('07700 900123', '')).toEqual(['to'])
    expect(sms('0412', 'AU')).toEqual(['to'])
    const asks = (to: string) =>
      needsCountry({ steps: [{ id: 's1', type: 'send_sms', parameters: { to }, waitForPrevious: false }] })
    expect(asks('07700 900123')).toBe(true)
    expect(asks('+447700900123, {entry.0.contact_mobile}, hello')).toBe(false)
  })
})

it('the form tells it before anything is sent, at the field', () => {
  const form = formOfFields({
    name: 'Any',
    triggerSource: 'manual_endpoint',
    actions: [
      { type: 'send_sms', parameters: { to: 'hello', message: 'x' } },
      { type: 'send_notification', parameters: { message: 'x', url: 'not a url' } },
    ],
  })
  expect(problemsOf(form)).toEqual({
    'actions.0.parameters.to': ['"hello" is not a phone number.'],
    'actions.1.parameters.url': ['Must be a valid HTTPS URL'],
  })
})

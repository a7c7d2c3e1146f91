import { describe, expect, test } from 'vitest'
import { sampleRule } from '#tests/support/sample-views.ts'
import { forwardingRuleJson } from './api/endpoint-json.ts'
import { fieldErrorsOf, filterWarning, forwardingRuleChange, forwardingRuleForm } from './endpoint.ts'

const FORM = {
  name: 'Accounting',
  objectType: 'job',
  forwardUrl: 'https://example.com/in',
  fieldFilters: 'status, date',
  accountUUID: 'account-1',
}

function errorsOf(change: Record<string, unknown>) {
  const parsed = forwardingRuleForm.safeParse({ ...FORM, ...change })
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

describe('the form of a rule', () => {
  test('reads names on one line and fields as a list', () => {
    const parsed = forwardingRuleForm.parse({ ...FORM, name: '  Accounting\n\t and  more ' })
    expect(parsed).toMatchObject({ name: 'Accounting and more', fieldFilters: ['status', 'date'] })
    expect(forwardingRuleForm.parse({ ...FORM, fieldFilters: undefined }).fieldFilters).toEqual([])
    expect(forwardingRuleForm.parse({ ...FORM, fieldFilters: ['status'] }).fieldFilters).toEqual(['status'])
  })

  test.each([
    [{ name: '' }, 'name', 'Rule name is required'],
    [{ name: ' \n ' }, 'name', 'Rule name is required'],
    [{ name: undefined }, 'name', 'Rule name is required'],
    [{ name: 'x'.repeat(101) }, 'name', 'A rule name has at most 100 characters.'],
    [{ objectType: '' }, 'objectType', 'Object type is required'],
    [{ objectType: undefined }, 'objectType', 'Object type is required'],
    [{ forwardUrl: '' }, 'forwardUrl', 'Must be a valid HTTPS URL'],
    [{ forwardUrl: 'nope' }, 'forwardUrl', 'Must be a valid HTTPS URL'],
    [{ forwardUrl: `https://a.example/${'x'.repeat(2048)}` }, 'forwardUrl', 'At most 2,048 characters'],
    [{ fieldFilters: 'a b' }, 'fieldFilters', expect.stringContaining('is not a field name')],
    [{ accountUUID: '' }, 'accountUUID', 'Account UUID is required'],
    [{ name: 7 }, 'name', 'Must be text'],
  ])('refuses %j for its %s', (change, field, message) => {
    expect(errorsOf(change)).toEqual({ [field]: [message] })
  })

  test('takes a typed object in the place of a chosen one only with its box ticked', () => {
    expect(errorsOf({ objectType: '', useCustom: 'on', customObject: 'staff' })).toEqual({})
    expect(errorsOf({ objectType: '', customObject: 'staff' })).toHaveProperty('objectType')
  })
})

describe('a change of a rule', () => {
  test('names only what changes', () => {
    expect(forwardingRuleChange.parse({ active: false })).toEqual({ active: false })
    expect(forwardingRuleChange.parse({ fieldFilters: '' })).toEqual({ fieldFilters: [] })
  })

  test.each([{ name: '' }, { forwardUrl: '' }, { active: 'perhaps' }])('refuses %j', (change) => {
    expect(forwardingRuleChange.safeParse(change).success).toBe(false)
  })
})

describe('a field the platform does not report', () => {
  test('is said, with what follows', () => {
    expect(filterWarning('company', ['email'])).toBe(
      'ServiceM8 does not report email for Company, so every change is forwarded.',
    )
    expect(filterWarning('job', ['job_status'])).toBe(
      'ServiceM8 does not report job_status for Job, so nothing will arrive. Choose other fields.',
    )
    expect(filterWarning('job', ['status', 'statsu'])).toBe('ServiceM8 does not report statsu for Job.')
    expect(filterWarning('company', ['email', 'name'])).toBe('ServiceM8 does not report email for Company.')
  })

  test.each([
    ['company', []],
    ['job', ['status']],
    ['staff', ['whatever']],
  ])('is no matter for %s with %j', (object, fields) => {
    expect(filterWarning(object, fields)).toBeNull()
  })
})

test('a rule is answered with the fields of its entity, and a warning only when there is one', () => {
  const details = { view: sampleRule({ fields: ['status', 'date'] }), accountUuid: 'account-1' }
  expect(forwardingRuleJson(details)).toEqual({
    id: 1,
    accountUUID: 'account-1',
    name: 'Accounting',
    objectType: 'job',
    forwardUrl: 'https://accounts.example.com/in',
    active: true,
    fieldFilters: 'status,date',
    createdAt: '2025-11-19T22:12:09.000Z',
    status: 'working',
    statusMessage: 'Working. Last delivered 2 minutes ago.',
    pending: 0,
  })
  expect(forwardingRuleJson(details, 'Careful.').warning).toBe('Careful.')
})

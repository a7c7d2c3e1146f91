import { describe, expect, test } from 'vitest'
import { fieldsToWatch, parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import {
  fieldErrorsOf,
  forwardingFilter,
  parseWebhookId,
  refuseFields,
  resolveObjectType,
  unwatchedSentence,
  webhookBody,
  webhookChange,
  webhookForm,
} from './endpoint.ts'

const GOOD = { callback_url: 'https://example.com/in', object: 'job', accountUUID: 'a-1' }

function errorsOf(form: Record<string, unknown>) {
  const parsed = webhookForm.safeParse({ ...GOOD, ...form })
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

describe('the webhook form', () => {
  test('reads what the documented client sends', () => {
    const parsed = webhookForm.parse({ ...GOOD, fields: ' status, , Date ,status', active: true })
    expect(parsed).toEqual({
      callback_url: 'https://example.com/in',
      object: 'job',
      fields: ['status', 'date'],
      customObject: '',
      useCustom: undefined,
      active: true,
      accountUUID: 'a-1',
    })
  })

  test('says of an address that is too long just that', () => {
    const long = `https://a.com/${'x'.repeat(2048)}`
    expect(errorsOf({ callback_url: long })).toEqual({ callback_url: ['At most 2,048 characters'] })
  })

  test.each(['', null, undefined])('takes %j as no callback address', (callback_url) => {
    expect(webhookForm.parse({ ...GOOD, callback_url }).callback_url).toBe('')
  })

  test.each([
    ['hooks.zapier.com/abc?x=1', 'https://hooks.zapier.com/abc?x=1'],
    [' Example.com ', 'https://Example.com'],
    ['example.com:8443/in', 'https://example.com:8443/in'],
    ['http://example.com/in', 'http://example.com/in'],
  ])('takes %j as the address %j', (callback_url, mended) => {
    expect(webhookForm.parse({ ...GOOD, callback_url }).callback_url).toBe(mended)
  })

  test.each([
    'example',
    'office@example.com',
    'ftp://example.com',
    'https://',
    'javascript:alert(1)',
    'https://a b.com',
    'https:\\\\a.com',
  ])('refuses %j as an address', (callback_url) =>
    expect(errorsOf({ callback_url })).toEqual({ callback_url: ['Must be a valid HTTPS URL'] }),
  )

  test('asks for the object type and the account in the words of the specification, all at once', () => {
    expect(errorsOf({ object: ' ', accountUUID: undefined, callback_url: 'x' })).toEqual({
      callback_url: ['Must be a valid HTTPS URL'],
      accountUUID: ['Account UUID is required'],
      object: ['Object type is required'],
    })
  })

  test('is content with a custom type instead, when the toggle is on', () => {
    expect(errorsOf({ object: '', useCustom: 'on', customObject: 'staff' })).toEqual({})
    expect(errorsOf({ object: '', useCustom: 'off', customObject: 'staff' })).toEqual({
      object: ['Object type is required'],
    })
  })

  test('refuses values of the wrong kind with a sentence, never by breaking', () => {
    expect(errorsOf({ callback_url: 7, object: {}, fields: 3, active: 'maybe' })).toMatchObject({
      callback_url: ['Must be text'],
      object: ['Must be text'],
      fields: ['Must be text or a list of texts'],
      active: ['Must be true or false'],
    })
  })

  test('refuses texts that are no field names, and too many of them', () => {
    expect(errorsOf({ fields: 'status,<script>' }).fields?.[0]).toMatch(/“<script>” is not a field name/)
    const many = Array.from({ length: 101 }, (_, n) => `field_${n}`)
    expect(refuseFields(many)).toMatch(/At most 100 fields/)
    expect(refuseFields(many.slice(1))).toBeNull()
    expect(refuseFields(['custom_field_of_ours'])).toBeNull()
  })

  test('splits lists as well as texts', () => {
    expect(parseFields(['a', ' b,c ', 'a'])).toEqual(['a', 'b', 'c'])
    expect(parseFields('')).toEqual([])
  })

  test('changes only what is named', () => {
    expect(webhookChange.parse({})).toEqual({})
    expect(webhookChange.parse({ fields: '', active: false })).toEqual({ fields: [], active: false })
    expect(webhookChange.parse({ callback_url: '' })).toEqual({ callback_url: '' })
  })

  test('reads the spellings of its own answers in a body', () => {
    expect(webhookBody({ objectType: 'job', callbackUrl: 'https://a.com', fields: 'x' })).toEqual({
      object: 'job',
      callback_url: 'https://a.com',
      fields: 'x',
    })
    expect(webhookBody({ object: 'job', objectType: 'note' })).toEqual({ object: 'job' })
    expect(webhookBody({ customObject: 'staff' })).toEqual({ customObject: 'staff', useCustom: true })
  })

  test('takes a positive whole number as an id', () => {
    expect(parseWebhookId('42')).toBe(42)
    for (const text of ['', '0', '-1', '1.5', '1e3', ' 1', '99999999999999999', 'abc']) {
      expect(parseWebhookId(text), text).toBeNull()
    }
  })
})

describe('resolving the object type', () => {
  const form = { object: 'job', customObject: 'staff', useCustom: true }

  test('uses the custom type in admin mode with the toggle on and a value set', () => {
    expect(resolveObjectType(form, true)).toEqual({ outcome: 'resolved', type: 'staff' })
  })

  test('uses the chosen type otherwise', () => {
    const job = { outcome: 'resolved', type: 'job' }
    expect(resolveObjectType(form, false)).toEqual(job)
    expect(resolveObjectType({ ...form, useCustom: undefined }, true)).toEqual(job)
    expect(resolveObjectType({ ...form, customObject: '' }, true)).toEqual(job)
    expect(resolveObjectType({ ...form, object: 'Job_' }, false)).toEqual(job)
  })

  test('says when nothing resolves', () => {
    expect(resolveObjectType({ object: ' _ ', customObject: '', useCustom: undefined }, false)).toEqual({
      outcome: 'missing',
      message: 'Please specify an object type',
    })
  })

  test('leaves other types to admins', () => {
    const staff = { object: 'staff', customObject: '', useCustom: undefined }
    expect(resolveObjectType(staff, false)).toMatchObject({ outcome: 'needs_admin' })
    expect(resolveObjectType(staff, true)).toEqual({ outcome: 'resolved', type: 'staff' })
    expect(resolveObjectType({ ...staff, object: 'st@ff' }, true)).toMatchObject({
      outcome: 'unsupported',
      field: 'object',
    })
  })

  test('takes what the platform sends no webhooks for, however it is spelled', () => {
    const contact = { object: 'Job Contact', customObject: 'job_material', useCustom: undefined }
    expect(resolveObjectType(contact, false)).toEqual({ outcome: 'resolved', type: 'jobcontact' })
    expect(resolveObjectType({ ...contact, useCustom: true }, true)).toEqual({
      outcome: 'resolved',
      type: 'jobmaterial',
    })
  })
})

describe('the fields to watch', () => {
  const company = findObjectKind('company')

  test('are the union of what everybody needs, sorted and without repeats', () => {
    const needs = [{ fields: ['status', 'date'] }, { fields: ['date', 'badges'] }]
    expect(fieldsToWatch('job', needs)).toEqual(['badges', 'date', 'status'])
  })

  test('are all of the object when somebody needs all', () => {
    const watched = fieldsToWatch('company', [{ fields: ['name'] }, { fields: [] }])
    expect(watched).toEqual([...(company?.watchFields ?? [])].sort())
  })

  test('are none when nobody needs the object', () => {
    expect(fieldsToWatch('job', [])).toEqual([])
  })

  test('leave out what the platform never reports for a company', () => {
    expect(fieldsToWatch('company', [{ fields: ['name', 'phone'] }])).toEqual(['name'])
  })

  test('are all of a company when only its contacts were chosen, and then every event is forwarded', () => {
    expect(fieldsToWatch('company', [{ fields: ['first', 'phone'] }])).toEqual([...(company?.watchFields ?? [])].sort())
    expect(forwardingFilter('company', ['first', 'phone'])).toBe('')
    expect(forwardingFilter('company', ['first', 'name'])).toBe('first,name')
    expect(forwardingFilter('job', [])).toBe('')
  })

  test('are those every record has, for an object outside the catalogue', () => {
    expect(fieldsToWatch('staff', [{ fields: [] }])).toEqual(['active', 'edit_date', 'uuid'])
    expect(fieldsToWatch('staff', [{ fields: ['mobile'] }])).toEqual(['mobile'])
  })

  test('are explained where the platform did not take them', () => {
    expect(unwatchedSentence('job', ['status'], ['date', 'status'])).toBeNull()
    expect(unwatchedSentence('job', ['status', 'statsu'], ['status'])).toBe('ServiceM8 does not report statsu for Job.')
    expect(unwatchedSentence('job', ['statsu'], ['status'])).toMatch(/so nothing will arrive\. Choose other fields\.$/)
    expect(unwatchedSentence('company', ['phone'], ['name'])).toMatch(/so every change is forwarded\.$/)
  })
})

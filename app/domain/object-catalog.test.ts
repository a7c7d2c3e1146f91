import { describe, expect, test } from 'vitest'
import {
  fieldPresets,
  findObjectKind,
  isPlausibleObjectType,
  isPolled,
  normalizeObjectType,
  OBJECT_KINDS,
  OBJECT_PAIRS,
  OBJECT_TYPES,
  objectLabel,
  otherSpellings,
  POLLED_TYPES,
  pickerFields,
  recordsText,
} from './object-catalog.ts'

describe('the object catalogue', () => {
  test('offers the 11 types of the specification with its labels', () => {
    expect(OBJECT_KINDS.map((kind) => [kind.type, kind.label])).toEqual([
      ['job', 'Job'],
      ['company', 'Company'],
      ['jobmaterial', 'Job Material'],
      ['jobcontact', 'Job Contact'],
      ['jobactivity', 'Job Activity'],
      ['jobpayment', 'Job Payment'],
      ['note', 'Note'],
      ['task', 'Task'],
      ['material', 'Material'],
      ['attachment', 'Attachment'],
      ['formresponse', 'Form Response'],
    ])
    expect(OBJECT_TYPES).toHaveLength(11)
  })

  test('knows that the platform sends nothing for job contacts and job materials, so that we look ourselves', () => {
    expect(POLLED_TYPES).toEqual(['jobmaterial', 'jobcontact'])
    expect(isPolled('jobcontact')).toBe(true)
    expect(isPolled('job')).toBe(false)
    expect(isPolled('potato')).toBe(false)
    expect(recordsText('jobcontact')).toBe('job contacts')
    expect(recordsText('jobmaterial')).toBe('job materials')
  })

  test.each(['jobactivity', 'JobActivity', 'job_activity', ' Job Activity ', 'JOB-ACTIVITY'])(
    'reads %j as jobactivity',
    (text) => expect(normalizeObjectType(text)).toBe('jobactivity'),
  )

  test('offers other spellings only where a name has several words', () => {
    expect(otherSpellings('jobactivity')).toEqual(['JobActivity', 'job_activity'])
    expect(otherSpellings('formresponse')).toEqual(['FormResponse', 'form_response'])
    expect(otherSpellings('job')).toEqual([])
    expect(otherSpellings('potato')).toEqual([])
  })

  test('takes a name of letters and digits for an object, and nothing else', () => {
    expect(isPlausibleObjectType('companycontact')).toBe(true)
    for (const text of ['', '1job', 'job.created', 'a'.repeat(65), 'job;drop', 'jöb']) {
      expect(isPlausibleObjectType(text), text).toBe(false)
    }
  })

  test('lists the fields of the specification for the picker, and none where it has none', () => {
    expect(pickerFields('jobactivity')).toHaveLength(15)
    expect(pickerFields('jobpayment')).toEqual([
      'active',
      'job_uuid',
      'actioned_by_uuid',
      'timestamp',
      'amount',
      'method',
      'note',
      'attachment_uuid',
      'is_deposit',
    ])
    expect(pickerFields('job')).toContain('related_knowledge_articles')
    expect(pickerFields('formresponse')).toEqual([])
  })

  test("offers the platform's own fields of what the specification lists none for but we look for", () => {
    expect(pickerFields('jobcontact')).toEqual('active job_uuid first last phone mobile email type'.split(' '))
    expect(pickerFields('jobmaterial')).toEqual(expect.arrayContaining(['active', 'job_uuid', 'quantity', 'price']))
    for (const type of POLLED_TYPES) expect(pickerFields(type)).toEqual(findObjectKind(type)?.watchFields)
  })

  test("offers a company's own fields, and knows those of the specification as never reported", () => {
    expect(pickerFields('company')).toContain('billing_address')
    expect(pickerFields('company')).not.toContain('is_primary_contact')
    expect(findObjectKind('company')?.neverReported).toEqual(
      'company_uuid first last phone mobile email type is_primary_contact'.split(' '),
    )
  })

  test('watches every field without uuid and edit_date, and always the one that tells of deletion', () => {
    for (const kind of OBJECT_KINDS) {
      expect(kind.watchFields, kind.type).toContain('active')
      expect(kind.watchFields, kind.type).not.toContain('uuid')
      expect(kind.watchFields, kind.type).not.toContain('edit_date')
      expect(new Set(kind.watchFields).size, kind.type).toBe(kind.watchFields.length)
    }
  })

  test('has the preset groups of the specification, made of fields that are offered', () => {
    expect(fieldPresets('job').map((preset) => preset.name)).toEqual([
      'Status Changes',
      'Payment Updates',
      'Scheduling',
      'Invoice Tracking',
      'Location Updates',
      'Basic Job Info',
    ])
    expect(fieldPresets('jobactivity').map((preset) => preset.name)).toEqual([
      'Activity Tracking',
      'Staff Assignment',
      'Location & Travel',
    ])
    expect(fieldPresets('jobpayment').map((preset) => preset.name)).toEqual(['Payment Details', 'Payment Tracking'])
    expect(fieldPresets('company').map((preset) => preset.name)).toEqual(['Contact Info', 'Company Details'])
    for (const kind of OBJECT_KINDS) {
      for (const preset of kind.presets) {
        expect(preset.fields.length, preset.name).toBeGreaterThan(1)
        for (const field of preset.fields) expect(kind.pickerFields, preset.name).toContain(field)
      }
    }
  })

  test('pairs the objects as the quick reference words them', () => {
    expect(OBJECT_PAIRS).toEqual([
      'Job and Job Activity',
      'Company and Job Contact',
      'Material and Job Material',
      'Task and Job Payment',
      'Note and Attachment',
      'Form Response',
    ])
  })

  test('calls a type it does not know by its own name', () => {
    expect(objectLabel('jobpayment')).toBe('Job Payment')
    expect(objectLabel('potato')).toBe('potato')
  })
})

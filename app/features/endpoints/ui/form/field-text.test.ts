import { describe, expect, it } from 'vitest'
import { addFields, splitFields, toggleField } from './field-text.ts'

describe('the text of the fields', () => {
  it('is split at commas, trimmed, without blanks', () => {
    expect(splitFields(' status, ,date,, ')).toEqual(['status', 'date'])
  })

  it('takes only the missing fields of a preset group, after those that are there', () => {
    expect(addFields('date,status', ['status', 'quote_date'])).toBe('date, status, quote_date')
  })

  it('takes a whole group when it was empty', () => {
    expect(addFields('', ['status', 'date'])).toBe('status, date')
  })

  it('gains a single field, and loses it again', () => {
    expect(toggleField('status', 'date')).toBe('status, date')
    expect(toggleField('status, date', 'status')).toBe('date')
  })
})

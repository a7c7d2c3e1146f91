import { describe, expect, it } from 'vitest'
import type { Operator } from '#app/domain/automations/rule.ts'
import { condition } from '#tests/support/record-facts.ts'
import { PRIORITY_NEVER } from '../../records/fields.ts'
import { conditionProblem, conditionText, failedText, groupText } from './condition-text.ts'

const problem = (field: string, operator: Operator, value = '') =>
  conditionProblem(condition(field, operator, value), 'job')

describe('conditions of other records', () => {
  it('are said as what those records are', () => {
    const booking = (operator: Operator, value: string) =>
      conditionText(condition('days_until_booking', operator, value), 'jobactivity')
    expect(booking('equals', '0')).toBe('the booking is today')
    expect(booking('equals', '1')).toBe('the booking is tomorrow')
    expect(booking('greater_than', '-1')).toBe('the booking is today or later')
    expect(booking('greater_than', '0')).toBe('the booking is after today')
    expect(conditionText(condition('start_date', 'greater_than', 'NOW'), 'jobactivity')).toBe('its start is after now')
    expect(booking('less_than', '0')).toBe('the booking is over')
    expect(booking('less_than', '3')).toBe('the booking is less than 3 days away')
    const deposit = [condition('active', 'equals', '1'), condition('is_deposit', 'equals', '1')]
    expect(groupText(deposit, 'jobpayment')).toBe('it is a deposit')
    expect(groupText(deposit.slice(0, 1), 'jobpayment')).toBe('it is not deleted')
    expect(conditionText(condition('days_in_queue', 'greater_than', '5'), 'job')).toBe(
      'it has been in its queue for more than 5 days',
    )
  })
})

describe('why a record did not match', () => {
  it('is said with what was seen and what is wanted', () => {
    expect(failedText({ field: 'status', operator: 'equals', value: 'Completed', seen: 'Quote' }, 'job')).toBe(
      '"Status" is Quote. The automation needs: its status is Completed.',
    )
    expect(failedText({ field: 'contact_mobile', operator: 'is_not_empty', value: '', seen: '' }, 'job')).toBe(
      '"Contact\'s mobile" is empty. The automation needs: it has a mobile number.',
    )
    expect(failedText({ field: 'payment_received', operator: 'equals', value: '1', seen: '0' }, 'job')).toBe(
      '"Paid" is no. The automation needs: it is paid.',
    )
    expect(
      failedText({ field: 'badges', operator: 'equals', value: 'VIP', seen: '["Parts, waiting","Blue"]' }, 'job'),
    ).toBe('"Badges" is "Parts, waiting, Blue". The automation needs: it has the badge "VIP".')
    const start = { field: 'completion_date', operator: 'greater_than', seen: '2026-11-21 08:30:05' } as const
    const wanted = ['NOW', '2026-11-21 09:00', '2026-11-22', '2026-11-21T22:00:00Z', '2026-11-21T22:00+11:00']
    const said = wanted.map((value) => failedText({ ...start, value }, 'job'))
    expect(said).toEqual([
      '"Completed on" is 21 November 2026 at 08:30. The automation needs: "Completed on" is after now.',
      '"Completed on" is 21 November 2026 at 08:30. The automation needs: "Completed on" is after 21 November 2026 at 09:00.',
      '"Completed on" is 21 November 2026. The automation needs: "Completed on" is after 22 November 2026.',
      '"Completed on" is 21 November 2026 at 08:30. The automation needs: "Completed on" is after 21 November 2026 at 22:00 UTC.',
      '"Completed on" is 21 November 2026 at 08:30. The automation needs: "Completed on" is after 21 November 2026 at 11:00 UTC.',
    ])
    expect(failedText({ field: 'days_overdue', operator: 'greater_than', value: '6', seen: null }, 'job')).toBe(
      '"Days overdue" of this job is unknown, so it does not match: it is more than 6 days overdue.',
    )
    expect(failedText({ field: 'days_in_queue', operator: 'greater_than', value: '5', seen: null }, 'job')).toMatch(
      / for more than 5 days\. Known only for queues with a number of days in ServiceM8\.$/,
    )
    expect(failedText({ field: 'priority', operator: 'equals', value: 'Urgent', seen: null }, 'job')).toBe(
      PRIORITY_NEVER,
    )
  })
})

describe('a condition as it was typed', () => {
  it('is fine when it can be asked', () => {
    expect(problem('status', 'equals', 'Quote')).toBe(null)
    expect(problem('contact_mobile', 'is_empty')).toBe(null)
    expect(problem('created_date', 'less_than', 'TODAY-3')).toBe(null)
    expect(problem('created_date', 'less_than', 'now')).toBe(null)
    expect(problem('total_cost', 'greater_than', '£1,000')).toBe(null)
    expect(problem('payment_received', 'equals', 'yes')).toBe(null)
    expect(problem('status', 'equals', '')).toBe(null)
    expect(problem('completion_date', 'starts_with', '2026-11')).toBe(null)
  })

  it('is refused with a sentence when it cannot', () => {
    expect(problem('', 'equals')).toEqual({ severity: 'error', at: 'field', sentence: 'Field is required' })
    expect(problem('stauts', 'equals', 'x')?.sentence).toBe('There is no field "stauts" on a job.')
    expect(problem('status', 'roughly' as Operator, 'x')?.sentence).toBe('"roughly" is not a comparison.')
    expect(problem('job_description', 'contains')?.sentence).toBe('Say what "Job description" is compared with.')
    expect(problem('total_cost', 'greater_than', 'lots')).toMatchObject({
      at: 'value',
      sentence: '"lots" is not a number.',
    })
    expect(problem('created_date', 'less_than', '21/11/2026')?.sentence).toMatch(/TODAY-3/)
    expect(problem('invoice_sent', 'equals', 'perhaps')?.sentence).toMatch(/yes or no/)
    expect(problem('days_overdue', 'greater_than', 'a week')?.severity).toBe('error')
  })

  it('is only warned about when it can never match, or has a blank', () => {
    expect(problem('priority', 'equals', 'Urgent')).toEqual({
      severity: 'warning',
      at: 'field',
      sentence: PRIORITY_NEVER,
    })
    expect(problem('badges', 'not_contains', '[[Badge]]')?.severity).toBe('warning')
  })
})

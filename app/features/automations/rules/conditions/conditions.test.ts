import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Condition, OPERATORS, type Operator } from '#app/domain/automations/rule.ts'
import { AT, condition, jobFacts, wholeJob } from '#tests/support/record-facts.ts'
import { conditionGroups, judge, namesInConditions, neededParts } from './conditions.ts'

const passes = (field: string, operator: Operator, value: string, values: Record<string, string>, object = 'job') =>
  judge([condition(field, operator, value)], jobFacts(values, { object, companyUuid: null }), AT).matched

describe('a list of conditions', () => {
  const facts = jobFacts({ status: 'Quote', job_address: 'Leeds' })
  const yes = condition('status', 'equals', 'Quote')
  const no = condition('status', 'equals', 'Completed')
  const or = (one: Condition): Condition => ({ ...one, logicalOperator: 'OR' })
  const matched = (...list: Condition[]) => judge(list, facts, AT).matched

  it('that is empty matches every record', () => {
    expect(matched()).toBe(true)
  })

  it('is OR of AND-groups: AND binds tighter', () => {
    expect(conditionGroups([yes, no, or(yes), no])).toHaveLength(2)
    expect(matched(yes, no, or(yes))).toBe(true)
    expect(matched(yes, or(no), no)).toBe(true)
    expect(matched(no, or(yes), no)).toBe(false)
    expect(matched(no, or(no), or(yes))).toBe(true)
  })

  it('does not care about the operator of its first line', () => {
    expect(matched(or(yes), no)).toBe(false)
    expect(matched(or(no))).toBe(false)
    expect(conditionGroups([or(yes), no])).toEqual([[or(yes), no]])
  })

  it('gives every line that failed, in order, with the value that was seen', () => {
    const list = [
      yes,
      no,
      condition('contact_mobile', 'is_not_empty'),
      or(condition('job_address', 'contains', 'York')),
    ]
    expect(judge(list, facts, AT)).toEqual({
      matched: false,
      failed: [
        { field: 'status', operator: 'equals', value: 'Completed', seen: 'Quote' },
        { field: 'contact_mobile', operator: 'is_not_empty', value: '', seen: null },
        { field: 'job_address', operator: 'contains', value: 'York', seen: 'Leeds' },
      ],
    })
  })

  it('agrees with its groups, whatever the list', () => {
    const line = fc.record({ ok: fc.boolean(), or: fc.boolean() })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const list = lines.map(({ ok, or: isOr }) => (isOr ? or(ok ? yes : no) : ok ? yes : no))
        const groups: boolean[][] = []
        lines.forEach(({ ok, or: isOr }, index) => {
          if (index === 0 || isOr) groups.push([ok])
          else groups.at(-1)?.push(ok)
        })
        const expected = groups.length === 0 || groups.some((group) => group.every(Boolean))
        expect(matched(...list)).toBe(expected)
      }),
    )
  })
})

describe('an unknown value', () => {
  it('passes no operator at all', () => {
    for (const operator of OPERATORS)
      expect([operator, passes('job_description', operator, 'x', {})]).toEqual([operator, false])
  })

  it('is what priority always has', () => {
    for (const operator of OPERATORS)
      expect([operator, passes('priority', operator, 'Urgent', {})]).toEqual([operator, false])
  })
})

describe('an empty value', () => {
  it('is empty, differs from everything, contains nothing and has no size', () => {
    const answers = OPERATORS.map((operator) => [
      operator,
      passes('job_description', operator, 'x', { job_description: '' }),
    ])
    expect(Object.fromEntries(answers)).toEqual({
      equals: false,
      not_equals: true,
      contains: false,
      not_contains: true,
      starts_with: false,
      ends_with: false,
      greater_than: false,
      less_than: false,
      is_empty: true,
      is_not_empty: false,
    })
  })

  it('includes times that were never set, empty lists and blanks', () => {
    expect(passes('completion_date', 'is_empty', '', { completion_date: '0000-00-00 00:00:00' })).toBe(true)
    expect(passes('completion_date', 'less_than', 'TODAY', { completion_date: '0000-00-00 00:00:00' })).toBe(false)
    expect(passes('badges', 'is_empty', '', { badges: '[]' })).toBe(true)
    expect(passes('job_description', 'is_empty', '', { job_description: ' \n' })).toBe(true)
    expect(passes('status', 'equals', '', { status: '' })).toBe(true)
    expect(passes('status', 'not_equals', '', { status: 'Quote' })).toBe(true)
  })
})

describe('a line that is not finished', () => {
  it('matches no record: a forgotten value is not everybody', () => {
    for (const operator of [
      'contains',
      'not_contains',
      'starts_with',
      'ends_with',
      'greater_than',
      'less_than',
    ] as const) {
      expect([operator, passes('status', operator, ' ', { status: 'Quote' })]).toEqual([operator, false])
    }
    expect(passes('badges', 'not_contains', '[[Do-not-chase badge]]', { badges: '[]' })).toBe(false)
    expect(passes('status', 'not_equals', '[[Status]]', { status: 'Quote' })).toBe(false)
  })
})

describe('text', () => {
  const text = (operator: Operator, value: string) =>
    passes('job_description', operator, value, { job_description: 'Burst PIPE, Café' })

  it('is compared without regard to case, outer blanks and ways to write an accent', () => {
    expect(text('contains', 'pipe')).toBe(true)
    expect(text('contains', 'cafe\u0301')).toBe(true)
    expect(text('not_contains', 'PIPE')).toBe(false)
    expect(text('starts_with', ' burst ')).toBe(true)
    expect(text('ends_with', 'CAFÉ')).toBe(true)
    expect(text('equals', 'burst pipe, café ')).toBe(true)
    expect(text('not_equals', 'burst pipe')).toBe(true)
  })

  it('is compared as numbers or dates when both sides are such, else by the alphabet', () => {
    const bigger = (seen: string, wanted: string) =>
      passes('purchase_order_number', 'greater_than', wanted, { purchase_order_number: seen })
    expect(bigger('10', '9')).toBe(true)
    expect(bigger('2026-11-02', '2026-10-30')).toBe(true)
    expect(bigger('beta', 'Alpha')).toBe(true)
    expect(bigger('10', '9b')).toBe(false)
  })

  it('knows TODAY only where there is a date', () => {
    expect(passes('job_description', 'contains', 'TODAY', { job_description: 'Call today' })).toBe(true)
    expect(passes('job_description', 'equals', 'TODAY', { job_description: '2026-11-21' })).toBe(false)
  })
})

describe('numbers and money', () => {
  it('are compared as numbers however they are written', () => {
    const total = (operator: Operator, value: string) =>
      passes('total_cost', operator, value, { total_invoice_amount: '1234.50' })
    expect(total('equals', '1,234.5')).toBe(true)
    expect(total('equals', '£1234.50')).toBe(true)
    expect(total('greater_than', '999')).toBe(true)
    expect(total('less_than', '2000')).toBe(true)
    expect(total('not_equals', '1234.5')).toBe(false)
    expect(total('greater_than', 'lots')).toBe(false)
    expect(total('less_than', 'lots')).toBe(false)
  })

  it('order like numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 10_000 }), fc.integer({ min: -10_000, max: 10_000 }), (a, b) => {
        const values = { total_invoice_amount: (a / 100).toFixed(2) }
        expect(passes('total_invoice_amount', 'greater_than', String(b / 100), values)).toBe(a > b)
        expect(passes('total_invoice_amount', 'less_than', String(b / 100), values)).toBe(a < b)
        expect(passes('total_invoice_amount', 'equals', String(b / 100), values)).toBe(a === b)
      }),
    )
  })
})

describe('dates', () => {
  const date = (operator: Operator, value: string, seen: string) =>
    passes('completion_date', operator, value, { completion_date: seen })

  it('are compared by the day when one side has no time, else to the second', () => {
    expect(date('equals', '2026-11-20', '2026-11-20 16:05:00')).toBe(true)
    expect(date('greater_than', '2026-11-20', '2026-11-20 16:05:00')).toBe(false)
    expect(date('greater_than', '2026-11-20 16:04:59', '2026-11-20 16:05:00')).toBe(true)
    expect(date('less_than', '2026-11-20T16:05', '2026-11-20 16:05:00')).toBe(false)
    expect(date('less_than', '2026-12-01', '2026-11-20')).toBe(true)
  })

  it('know TODAY with days before and after, in the account’s zone', () => {
    expect(date('equals', 'TODAY', '2026-11-21 00:00:00')).toBe(true)
    expect(date('equals', 'TODAY-3', '2026-11-18 23:59:59')).toBe(true)
    expect(date('less_than', 'TODAY+7', '2026-11-27')).toBe(true)
    const late = { now: Date.UTC(2026, 10, 21, 20), zone: 'Australia/Brisbane' }
    const facts = jobFacts({ completion_date: '2026-11-22 06:00:00' })
    expect(judge([condition('completion_date', 'equals', 'TODAY')], facts, late).matched).toBe(true)
  })

  it('know NOW to the second, in the account’s zone, and by the day where there is no time', () => {
    const at = { now: Date.UTC(2026, 10, 21, 20), zone: 'Australia/Brisbane' }
    const isAfter = (completion_date: string) =>
      judge([condition('completion_date', 'greater_than', 'now ')], jobFacts({ completion_date }), at).matched
    expect(['2026-11-22 06:00:01', '2026-11-22 06:00:00', '2026-11-22', '2026-11-23'].map(isAfter)).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  it('that cannot be read are neither before nor after anything', () => {
    for (const operator of ['greater_than', 'less_than', 'equals'] as const) {
      expect(date(operator, 'soon', '2026-11-20')).toBe(false)
      expect(date(operator, '2026-11-20', 'soon')).toBe(false)
    }
  })

  it('can be searched as text', () => {
    expect(date('starts_with', '2026-11', '2026-11-20 16:05:00')).toBe(true)
    expect(date('starts_with', 'TODAY', '2026-11-21 16:05:00')).toBe(true)
    expect(date('starts_with', 'NOW', '2026-11-21 16:05:00')).toBe(true)
    expect(date('not_contains', 'now ', '2026-11-21 16:05:00')).toBe(false)
  })
})

describe('flags', () => {
  const flag = (operator: Operator, value: string, seen: string) =>
    passes('payment_received', operator, value, { payment_received: seen })

  it('are set or not, in every spelling', () => {
    for (const seen of ['1', 'true'])
      for (const value of ['1', 'true', 'yes']) expect(flag('equals', value, seen)).toBe(true)
    for (const seen of ['0', 'false', ''])
      for (const value of ['0', 'no', 'false']) expect(flag('equals', value, seen)).toBe(true)
    expect(flag('not_equals', '1', '0')).toBe(true)
    expect(flag('equals', '1', '')).toBe(false)
    expect(flag('equals', 'maybe', '1')).toBe(false)
  })
})

describe('badges and other lists', () => {
  it.each([
    ['contains', true],
    ['equals', true],
    ['not_contains', false],
    ['not_equals', false],
  ] as const)('%s takes a badge by its name or its id: %s', (operator, is) => {
    const [vip, other] = ['f0000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000002']
    const job = { badges: JSON.stringify([vip]), badge_names: 'VIP' }
    for (const value of ['vip', vip]) expect(passes('badges', operator, value, job)).toBe(is)
    for (const value of ['Blue', other]) expect(passes('badges', operator, value, job)).toBe(!is)
  })

  it('by a name with a comma is that one, not a part of it', () => {
    const job = { badges: '["f0000000-0000-4000-8000-000000000001"]', badge_names: '["Parts, waiting"]' }
    expect(passes('badges', 'equals', 'parts, waiting', job)).toBe(true)
    expect(passes('badges', 'contains', 'Parts, wait', job)).toBe(true)
    expect(passes('badges', 'equals', 'Parts', job)).toBe(false)
  })

  const badges = (operator: Operator, value: string) =>
    passes('badges', operator, value, { badges: '["VIP","Do not chase"]' })

  it('have an entry or do not', () => {
    expect(badges('contains', 'chase')).toBe(true)
    expect(badges('not_contains', 'chase')).toBe(false)
    expect(badges('equals', 'vip')).toBe(true)
    expect(badges('equals', 'VI')).toBe(false)
    expect(badges('not_equals', 'Blue')).toBe(true)
    expect(badges('is_not_empty', '')).toBe(true)
  })
})

describe('phone numbers', () => {
  it('are the same with and without blanks', () => {
    const phone = (operator: Operator, value: string) =>
      passes('contact_mobile', operator, value, { contact_mobile: '07700 900-123' })
    expect(phone('equals', '07700900123')).toBe(true)
    expect(phone('starts_with', '077009')).toBe(true)
    expect(phone('contains', 'none')).toBe(false)
    expect(phone('contains', '-')).toBe(true)
    expect(phone('contains', '/')).toBe(false)
    expect(phone('not_contains', '/')).toBe(true)
    expect(phone('starts_with', '(')).toBe(false)
    expect(phone('ends_with', '.')).toBe(false)
    expect(phone('is_not_empty', '')).toBe(true)
  })
})

describe('ids', () => {
  const QUEUE = '99999999-8888-4777-8666-555555555555'
  const facts = jobFacts({ queue_uuid: QUEUE, queue_name: 'Waiting for parts' })
  const queue = (operator: Operator, value: string, record = facts) =>
    judge([condition('queue_uuid', operator, value)], record, AT).matched

  it('are meant by id or by name', () => {
    expect(queue('equals', QUEUE.toUpperCase())).toBe(true)
    expect(queue('equals', 'waiting for parts')).toBe(true)
    expect(queue('contains', 'parts')).toBe(true)
    expect(queue('not_equals', 'Waiting for parts')).toBe(false)
    expect(queue('not_equals', 'Urgent')).toBe(true)
    expect(queue('equals', 'Urgent')).toBe(false)
    expect(queue('is_not_empty', '')).toBe(true)
  })

  it('without a name loaded are compared as they are', () => {
    expect(queue('equals', 'q1', jobFacts({ queue_uuid: 'q1' }))).toBe(true)
    expect(queue('not_equals', 'q2', jobFacts({ queue_uuid: 'q1' }))).toBe(true)
  })

  it('ask for the name only when a name is meant', () => {
    expect(neededParts([condition('queue_uuid', 'equals', QUEUE)], 'job')).toEqual([])
    expect(neededParts([condition('queue_uuid', 'equals', 'Urgent')], 'job')).toEqual(['queue'])
    expect(namesInConditions([condition('queue_uuid', 'is_empty')])).toEqual(['queue_uuid'])
  })
})

describe('the conditions of the templates', () => {
  it('find an invoice that is a week late, and only that', () => {
    const list = [
      condition('status', 'equals', 'Completed'),
      condition('invoice_sent', 'equals', '1'),
      condition('payment_received', 'equals', '0'),
      condition('days_overdue', 'greater_than', '6'),
      condition('days_overdue', 'less_than', '14'),
      condition('badges', 'not_contains', 'Do not chase'),
      condition('contact_mobile', 'is_not_empty'),
    ]
    const job = (invoice_sent_stamp: string, more: Record<string, string> = {}) =>
      wholeJob({
        invoice_sent: '1',
        payment_received: '0',
        badges: '[]',
        invoice_sent_stamp,
        company_payment_terms: '7 days',
        ...more,
      })
    expect(judge(list, job('2026-11-07 10:00:00'), AT).matched).toBe(true)
    expect(judge(list, job('2026-11-08 10:00:00'), AT).matched).toBe(false)
    // ServiceM8 keeps ids; people write names.
    const badges = { badges: '["f0000000-0000-4000-8000-000000000001"]', badge_names: 'VIP, Do not chase' }
    expect(judge(list, job('2026-11-07 10:00:00', badges), AT).matched).toBe(false)
    expect(judge(list, job('2026-11-07 10:00:00', { contact_mobile: '' }), AT).matched).toBe(false)
    expect(neededParts(list, 'job')).toEqual(['badge', 'company', 'contact'])
  })
})

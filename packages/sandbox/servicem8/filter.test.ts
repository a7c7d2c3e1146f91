import { expect, test } from 'vitest'
import { fieldsOf } from './catalog.ts'
import { parseFilter, passes } from './filter.ts'

const FIELDS = fieldsOf('job')

const JOB = {
  status: 'Work Order',
  active: 1,
  edit_date: '2026-01-05 20:00:00',
  total_invoice_amount: '91.00',
  generated_job_id: '1041',
  job_description: "Owner's tap",
}

function matches(filter: string): boolean | string {
  const parsed = parseFilter(filter, FIELDS)
  return parsed.outcome === 'ok' ? passes(JOB, parsed.clauses, FIELDS) : parsed.message
}

test.each([
  ["status eq 'Work Order'", true],
  ["status eq 'work order'", false],
  ["status ne 'Quote'", true],
  ['active eq 1', true],
  ["active eq '1'", true],
  ['active eq 0', false],
  ["edit_date gt '2026-01-05 19:59:59'", true],
  ["edit_date gt '2026-01-05 20:00:00'", false],
  ["edit_date lt '2026-01-06'", true],
  ['total_invoice_amount gt 100', false],
  ["total_invoice_amount gt '9'", true],
  ["status eq 'Work Order' and active eq 1", true],
  ["status eq 'Work Order' and active eq 0", false],
  ["job_description eq 'Owner''s tap'", true],
  ["completion_date eq ''", true],
])('%s is %s', (filter, expected) => {
  expect(matches(filter)).toBe(expected)
})

test.each([
  ["status ge 'Quote'", 'not supported'],
  ["status eq 'Quote' or active eq 1", 'only be joined with "and"'],
  ["(status eq 'Quote')", 'Invalid filter'],
  ["Status eq 'Quote'", 'not a valid field'],
  ["priority eq 'high'", 'not a valid field'],
  ['status eq', 'Invalid filter'],
  ['', 'Invalid filter'],
  [`status eq '${'x'.repeat(256)}'`, 'at most 255'],
  [Array.from({ length: 11 }, () => 'active eq 1').join(' and '), 'at most 10'],
])('%s is refused', (filter, message) => {
  expect(matches(filter)).toContain(message)
})

test('ten conditions and 255 characters are still taken', () => {
  expect(matches(Array.from({ length: 10 }, () => 'active eq 1').join(' and '))).toBe(true)
  expect(matches(`status ne '${'x'.repeat(255)}'`)).toBe(true)
})

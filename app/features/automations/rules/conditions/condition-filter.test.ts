import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Condition, OPERATORS, POLL_ENDPOINTS } from '#app/domain/automations/rule.ts'
import { AT, condition, jobFacts } from '#tests/support/record-facts.ts'
import { judge, objectOfEndpoint, serverFilter } from './conditions.ts'

const ACTIVE = "active eq '1'"
const JOBS = `/api_1.0/job.json?$filter=${ACTIVE}` as const
const UUID = '99999999-8888-4777-8666-555555555555'
const filter = (...list: Condition[]) => serverFilter(list, JOBS, AT)

describe('what the platform is asked to filter', () => {
  it('leaves out what is deleted, except of "Jobs"', () => {
    for (const endpoint of POLL_ENDPOINTS) {
      expect(serverFilter([], endpoint)).toBe(endpoint === '/api_1.0/job.json' ? '' : ACTIVE)
    }
    expect(serverFilter([condition('status', 'equals', 'Quote')], '/api_1.0/job.json')).toBe("status eq 'Quote'")
    expect(POLL_ENDPOINTS.map(objectOfEndpoint)).toEqual([
      'job',
      'job',
      'company',
      'jobactivity',
      'jobcontact',
      'queue',
      'material',
    ])
  })

  it('is what it certainly reads as we do', () => {
    expect(filter(condition('status', 'equals', 'work order'))).toBe(`${ACTIVE} and status eq 'Work Order'`)
    expect(filter(condition('quote_sent', 'equals', 'yes'))).toBe(`${ACTIVE} and quote_sent eq '1'`)
    expect(filter(condition('queue_uuid', 'equals', UUID.toUpperCase()))).toBe(`${ACTIVE} and queue_uuid eq '${UUID}'`)
  })

  it('is days, where local times sort as text', () => {
    expect(filter(condition('completion_date', 'greater_than', 'TODAY-3'))).toBe(
      `${ACTIVE} and completion_date gt '2026-11-18 23:59:59'`,
    )
    expect(filter(condition('created_date', 'less_than', '2026-11-01'))).toBe(`${ACTIVE} and date lt '2026-11-01'`)
    expect(filter(condition('updated_date', 'equals', 'TODAY'))).toBe(
      `${ACTIVE} and edit_date gt '2026-11-20 23:59:59' and edit_date lt '2026-11-22'`,
    )
    expect(filter(condition('days_since_completion', 'greater_than', '2'))).toBe(
      `${ACTIVE} and completion_date lt '2026-11-19'`,
    )
    expect(serverFilter([condition('days_until_booking', 'equals', '1')], '/api_1.0/jobactivity.json', AT)).toBe(
      `${ACTIVE} and start_date gt '2026-11-21 23:59:59' and start_date lt '2026-11-23'`,
    )
  })

  it('is not days when nobody says what day it is', () => {
    expect(serverFilter([condition('completion_date', 'greater_than', 'TODAY-3')], JOBS)).toBe(ACTIVE)
  })

  it('is not what it might read otherwise, or does not have', () => {
    for (const one of [
      condition('status', 'not_equals', 'Quote'),
      condition('status', 'equals', 'On hold'),
      condition('payment_received', 'equals', '0'),
      condition('total_cost', 'greater_than', '100'),
      condition('generated_job_id', 'equals', '12'),
      condition('contact_mobile', 'equals', '07700'),
      condition('queue_uuid', 'equals', "x' or '1' eq '1"),
      condition('days_since_quote', 'greater_than', '2'),
      condition('days_overdue', 'greater_than', '2'),
      condition('days_since_completion', 'greater_than', '2.5'),
      condition('nonsense', 'equals', '1'),
    ]) {
      expect([one.field, filter(one)]).toEqual([one.field, ACTIVE])
    }
    expect(serverFilter([condition('status', 'equals', 'Quote')], '/api_1.0/jobactivity.json', AT)).toBe(ACTIVE)
  })

  it('is only what every alternative has in common', () => {
    const quote = condition('status', 'equals', 'Quote')
    const sent = condition('quote_sent', 'equals', '1')
    expect(filter(quote, sent, { ...quote, logicalOperator: 'OR' })).toBe(`${ACTIVE} and status eq 'Quote'`)
    expect(filter(quote, { ...sent, logicalOperator: 'OR' })).toBe(ACTIVE)
  })

  it('is at most ten clauses', () => {
    const many = Array.from({ length: 14 }, (_, day) => condition('completion_date', 'greater_than', `TODAY-${day}`))
    expect(filter(...many).split(' and ')).toHaveLength(10)
  })
})

// The platform's eq, gt and lt, over texts.
function platformKeeps(text: string, values: Record<string, string>): boolean {
  return text.split(' and ').every((clause) => {
    const [, name = '', operator, wanted = ''] = /^(\w+) (eq|gt|lt) '(.*)'$/.exec(clause) ?? []
    const held = values[name] ?? ''
    if (operator === 'eq') return held === wanted
    return operator === 'gt' ? held > wanted : held < wanted
  })
}

it('never leaves out a record that matches, whatever the conditions', () => {
  const days = [
    '',
    '0000-00-00 00:00:00',
    '2026-11-18',
    '2026-11-19 00:00:00',
    '2026-11-20 23:59:59',
    '2026-11-21 12:00:00',
    '2026-11-22 00:00:01',
  ]
  const values = fc.record({
    active: fc.constant('1'),
    status: fc.constantFrom('Quote', 'Work Order', 'Completed', 'Unsuccessful', ''),
    quote_sent: fc.constantFrom('0', '1', ''),
    queue_uuid: fc.constantFrom('', UUID),
    completion_date: fc.constantFrom(...days),
    edit_date: fc.constantFrom(...days),
    date: fc.constantFrom(...days),
  })
  const line = fc.record({
    field: fc.constantFrom(
      'status',
      'quote_sent',
      'queue_uuid',
      'completion_date',
      'created_date',
      'updated_date',
      'days_since_completion',
      'days_since_change',
    ),
    operator: fc.constantFrom(...OPERATORS),
    value: fc.constantFrom(
      'Quote',
      'completed',
      '1',
      '0',
      'yes',
      UUID,
      'TODAY',
      'TODAY-2',
      'TODAY+1',
      'NOW',
      '2026-11-19',
      '2026-11-19 00:00:00',
      '2',
      '-1',
      '',
      'x',
    ),
    logicalOperator: fc.constantFrom('AND' as const, 'OR' as const),
  })
  let matches = 0
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), values, (list, record) => {
      if (!judge(list, jobFacts(record), AT).matched) return
      matches += 1
      expect([serverFilter(list, JOBS, AT), platformKeeps(serverFilter(list, JOBS, AT), record)]).toEqual([
        serverFilter(list, JOBS, AT),
        true,
      ])
    }),
    { numRuns: 4_000 },
  )
  expect(matches).toBeGreaterThan(300)
})

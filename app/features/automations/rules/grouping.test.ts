import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GROUPING_FIELDS } from '#app/domain/automations/rule.ts'
import { jobFacts } from '#tests/support/record-facts.ts'
import { groupRecords, partsForGrouping } from './grouping.ts'

const job = (recordUuid: string, values: Record<string, string>, companyUuid: string | null = null) =>
  jobFacts(values, { recordUuid, companyUuid })
const shape = (groups: ReturnType<typeof groupRecords>) =>
  groups.map(({ key, label, records }) => [key, label, records.map(({ recordUuid }) => recordUuid)])

describe('groups', () => {
  it('are the customers, in the order they come', () => {
    const records = [
      job('1', { company_name: 'Smith' }, 'c1'),
      job('2', { company_name: 'Jones' }, 'c2'),
      job('3', { company_name: 'Smith' }, 'c1'),
    ]
    expect(shape(groupRecords(records, 'company_uuid'))).toEqual([
      ['c1', 'Smith', ['1', '3']],
      ['c2', 'Jones', ['2']],
    ])
  })

  it('leave jobs without a customer apart: they have nothing in common', () => {
    expect(shape(groupRecords([job('1', {}), job('2', {})], 'company_uuid'))).toEqual([
      ['record 1', '', ['1']],
      ['record 2', '', ['2']],
    ])
  })

  it('are the statuses, whatever their case', () => {
    expect(shape(groupRecords([job('1', { status: 'Quote' }), job('2', { status: 'quote ' })], 'status'))).toEqual([
      ['quote', 'Quote', ['1', '2']],
    ])
  })

  it('are the queues, and what is in none', () => {
    const records = [job('1', { queue_uuid: 'q', queue_name: 'Parts' }), job('2', { queue_uuid: '' }), job('3', {})]
    expect(shape(groupRecords(records, 'queue'))).toEqual([
      ['q', 'Parts', ['1']],
      ['', 'Not in a queue', ['2', '3']],
    ])
  })

  it('are the people: of a booking its own, of a job who is assigned', () => {
    const records = [
      jobFacts({ staff_uuid: 's1', staff_name: 'Tom' }, { object: 'jobactivity', recordUuid: '1' }),
      job('2', { assigned_staff: 's1', staff_name: 'Tom' }),
      job('3', { queue_assigned_staff_uuid: 's2' }),
      job('4', {}),
    ]
    expect(shape(groupRecords(records, 'staff_uuid'))).toEqual([
      ['s1', 'Tom', ['1', '2']],
      ['s2', 'Nobody assigned', ['3']],
      ['', 'Nobody assigned', ['4']],
    ])
  })

  it('by priority are single records: the platform has none', () => {
    expect(groupRecords([job('1', {}), job('2', {})], 'priority').map(({ records }) => records.length)).toEqual([1, 1])
  })

  it('hold every record exactly once, in the order given', () => {
    const record = fc.record({
      status: fc.constantFrom('Quote', 'Completed', ''),
      company: fc.constantFrom('c1', 'c2', null),
      queue_uuid: fc.constantFrom('q', ''),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), fc.constantFrom(...GROUPING_FIELDS), (given, field) => {
        const records = given.map(({ company, ...values }, index) => job(String(index), values, company))
        const groups = groupRecords(records, field)
        expect(
          groups
            .flatMap((group) => group.records)
            .map(({ recordUuid }) => recordUuid)
            .sort(),
        ).toEqual(records.map(({ recordUuid }) => recordUuid).sort())
        for (const group of groups) {
          const positions = group.records.map(({ recordUuid }) => Number(recordUuid))
          expect(positions).toEqual([...positions].sort((a, b) => a - b))
        }
        expect(new Set(groups.map(({ key }) => key)).size).toBe(groups.length)
      }),
    )
  })
})

it('the parts to load are those of the key and of its name', () => {
  expect(partsForGrouping('company_uuid', 'job')).toEqual(['company'])
  expect(partsForGrouping('status', 'job')).toEqual([])
  expect(partsForGrouping('queue', 'job')).toEqual(['queue'])
  expect(partsForGrouping('staff_uuid', 'job')).toEqual(['staff'])
  expect(partsForGrouping('staff_uuid', 'jobactivity')).toEqual(['staff'])
})

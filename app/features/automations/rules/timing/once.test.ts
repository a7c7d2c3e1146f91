import { describe, expect, it } from 'vitest'
import type { OncePolicy, RuleDefinition } from '#app/domain/automations/rule.ts'
import { days } from '#app/lib/duration.ts'
import { AT, jobFacts, pollTrigger, webhookTrigger } from '#tests/support/record-facts.ts'
import { daysToRemember, type Firing, occurrenceOf, occurrenceOfCall, occurrenceOfMessage } from './once.ts'

const key = (once: OncePolicy, given: Partial<Firing> = {}) =>
  occurrenceOf(once, {
    facts: jobFacts({ status: 'Quote' }),
    changes: [],
    at: AT,
    groupKey: null,
    tick: null,
    ...given,
  })
const status = (to: string) => [{ field: 'status', from: null, to }]

describe('the key of a firing', () => {
  it('is always the same for "once ever"', () => {
    expect(key('record')).toBe('-')
    expect(key('record', { tick: 5 })).toBe('-')
  })

  it('is the same for one change, however often it is heard of, and another for the next, also in its second', () => {
    expect(key('change', { changes: status('Quote') })).toBe(key('change', { changes: status('Quote') }))
    const both = [...status('Quote'), { field: 'queue_uuid', from: '', to: 'q' }]
    expect(key('change', { changes: both })).toBe(key('change', { changes: both.toReversed() }))
    expect(key('change', { changes: both })).not.toBe(key('change', { changes: status('Quote') }))
    expect(key('change', { facts: jobFacts({}, { editDate: '2026-11-21 08:00:00' }) })).not.toBe(key('change'))
    const noEdit = jobFacts({}, { editDate: '' })
    expect(key('change', { facts: noEdit, changes: status('Quote') })).toBe('to status=Quote')
    expect(key('change', { facts: noEdit })).toBe('day 2026-11-21')
  })

  it('is the day, the week or the month of the account', () => {
    const at = { now: Date.UTC(2026, 11, 31, 20), zone: 'Australia/Brisbane' }
    expect([key('day', { at }), key('week', { at }), key('month', { at })]).toEqual([
      '2027-01-01',
      '2026-W53',
      '2027-01',
    ])
    expect(key('week')).toBe('2026-W47')
  })

  it('is the tick of the schedule, or the minute when a person asks', () => {
    expect(key('period', { tick: Date.UTC(2026, 10, 21, 10) })).toBe('tick 2026-11-21 10:00')
    expect(key('period')).toBe('tick 2026-11-21 09:14')
  })

  it('is the value of a field, short even when the value is long', () => {
    expect(key('value:status')).toBe('status=quote')
    expect(key('value:status')).toBe(key('value:status', { facts: jobFacts({ status: ' QUOTE' }) }))
    expect(key('value:nothing')).toBe('nothing=')
    const long = (end: string) =>
      key('value:job_description', { facts: jobFacts({ job_description: 'x'.repeat(500) + end }) })
    expect(long('a')).not.toBe(long('b'))
    expect(long('a').length).toBeLessThan(110)
  })

  it('is one for each group', () => {
    const tick = Date.UTC(2026, 10, 1, 8)
    expect(key('period', { tick, groupKey: 'customer-1' })).toBe('tick 2026-11-01 08:00|customer-1')
    expect(key('period', { tick, groupKey: 'customer-1' })).not.toBe(key('period', { tick, groupKey: 'customer-2' }))
    expect(key('month', { groupKey: 'customer-1' })).toBe('2026-11|customer-1')
  })
})

it('what can never come up again is forgotten, the rest is kept for good', () => {
  const kept = (once: OncePolicy, trigger: RuleDefinition['trigger'] = webhookTrigger()) =>
    daysToRemember({ once, trigger })
  expect([kept('record'), kept('value:status')]).toEqual([null, null])
  for (const once of ['change', 'day', 'week', 'month', 'period'] as const) expect(kept(once)).toBeGreaterThan(2)
  // Its checks find an unchanged record for as long as it matches.
  expect([kept('change', pollTrigger()), kept('day', pollTrigger())]).toEqual([null, 3])
})

it('a change that is collected is one for each record and time, and a call is what it says', () => {
  const until = Date.UTC(2026, 10, 21, 18)
  const edited = jobFacts({}, { editDate: '2026-11-21 17:30:00' })
  expect(key('change', { collectedUntil: until })).toBe('until 2026-11-21 18:00')
  expect(key('change', { collectedUntil: until, facts: edited })).toBe(key('change', { collectedUntil: until }))
  expect(key('record', { collectedUntil: until })).toBe('-')
  // The day of the run counts, not that of the change.
  const next = until + days(1)
  expect(key('day', { collectedUntil: next })).toBe('2026-11-22')
  const seen = { facts: jobFacts({}), at: AT, collectedUntil: next }
  expect(occurrenceOfMessage('day', 'answer 1', seen)).toBe('2026-11-22')
  const called = (once: OncePolicy) => occurrenceOfCall(once, '2026-03-01', AT)
  expect([called('change'), called('record'), called('week'), called('value:date')]).toEqual([
    null,
    '-',
    '2026-W47',
    'called 2026-03-01',
  ])
})

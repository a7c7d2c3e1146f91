import { describe, expect, it } from 'vitest'
import type { WebhookTrigger } from '#app/domain/automations/rule.ts'
import { jobFacts, pollTrigger, webhookTrigger } from '#tests/support/record-facts.ts'
import type { FieldChange } from '../records/facts.ts'
import { neededFields, type RecordChange, triggerMatches } from './triggers.ts'

const QUEUE = '99999999-8888-4777-8666-555555555555'
const to = (field: string, from: string | null, value: string): FieldChange => ({ field, from, to: value })
const completed = to('status', 'Work Order', 'Completed')

function ask(trigger: Partial<WebhookTrigger>, change: Partial<RecordChange>) {
  const facts = jobFacts({ status: 'Completed', queue_uuid: QUEUE, payment_received: '0' })
  const seen = { created: false, changedFields: [], changes: [], facts, ...change }
  return triggerMatches(webhookTrigger(trigger), seen, { now: Date.UTC(2026, 10, 21), zone: 'UTC' })
}
const fires = (trigger: Partial<WebhookTrigger>, change: Partial<RecordChange>) => ask(trigger, change).fires
const why = (trigger: Partial<WebhookTrigger>, change: Partial<RecordChange>) => {
  const verdict = ask(trigger, change)
  return verdict.fires ? null : verdict.why
}

describe('a rule on the status', () => {
  it('fires when it changes, and only then', () => {
    expect(fires({ type: 'job_status' }, { changes: [completed] })).toBe(true)
    expect(why({ type: 'job_status' }, { changes: [to('job_address', 'A', 'B')] })).toBe('Status did not change.')
    expect(why({ type: 'job_status' }, { changedFields: ['status'] })).toBe('Status did not change.')
    expect(fires({ type: 'job_status' }, { changes: [to('status', 'completed', 'Completed ')] })).toBe(false)
  })

  it('that waits for a change from something fires only then', () => {
    const fromQuote = { type: 'job_status', fromValue: 'quote' } as const
    expect(fires(fromQuote, { changes: [to('status', 'Quote', 'Work Order')] })).toBe(true)
    expect(why(fromQuote, { changes: [completed] })).toBe(
      'Status was "Work Order" before; the automation needs "quote".',
    )
    expect(why(fromQuote, { changes: [to('status', null, 'Work Order')] })).toMatch(/is unknown/)
    expect(why(fromQuote, { created: true })).toMatch(/is unknown/)
  })

  it('fires for a job that comes with a status', () => {
    expect(fires({ type: 'job_status' }, { created: true })).toBe(true)
  })
})

describe('a rule on the queue', () => {
  it('fires for any change, or only for coming into one', () => {
    expect(fires({ type: 'job_queue' }, { changes: [to('queue_uuid', QUEUE, '')] })).toBe(true)
    expect(
      fires({ type: 'job_queue', queueUuid: QUEUE.toUpperCase() }, { changes: [to('queue_uuid', '', QUEUE)] }),
    ).toBe(true)
    expect(why({ type: 'job_queue', queueUuid: QUEUE }, { changes: [to('queue_uuid', QUEUE, '')] })).toBe(
      'The job left its queue.',
    )
    expect(why({ type: 'job_queue', queueUuid: QUEUE }, { changes: [to('queue_uuid', '', 'other')] })).toBe(
      'The job came into another queue.',
    )
    expect(why({ type: 'job_queue' }, { changes: [completed] })).toBe('The queue did not change.')
    expect(fires({ type: 'job_queue', queueUuid: QUEUE }, { created: true })).toBe(true)
  })
})

describe('a rule on a field', () => {
  it('fires when that field changes, under either of its names', () => {
    const paid = to('payment_received', '0', '1')
    expect(fires({ type: 'job_field', fieldName: 'payment_received' }, { changes: [paid] })).toBe(true)
    expect(
      fires({ type: 'job_field', fieldName: 'total_cost' }, { changes: [to('total_invoice_amount', '1.00', '2.00')] }),
    ).toBe(true)
    expect(why({ type: 'job_field', fieldName: 'total_cost' }, { changes: [paid] })).toBe('Total cost did not change.')
    expect(fires({ type: 'job_field', fieldName: null }, { changes: [paid] })).toBe(true)
    expect(fires({ type: 'job_field', fieldName: null }, {})).toBe(false)
  })

  it.each([
    ['payment_received', 'no', '0', '1'],
    ['payment_received', 'no', '', '1'],
    ['total_cost', '100', '100.00', '200.00'],
    ['date', '2026-11-20', '2026-11-20 09:00:00', '2026-11-23 09:00:00'],
    ['date', 'TODAY', '2026-11-21', '2026-11-23'],
    ['badges', QUEUE, `["${QUEUE}"]`, '[]'],
  ])('reads the value before as a person writes it: %s was %s', (fieldName, fromValue, from, now) => {
    const own = fieldName === 'total_cost' ? 'total_invoice_amount' : fieldName
    const trigger = { type: 'job_field', fieldName, fromValue } as const
    expect(fires(trigger, { changes: [to(own, from, now)] })).toBe(true)
    expect(fires(trigger, { changes: [to(own, now, from)] })).toBe(false)
  })

  it('is not set off by a new record whose flag was never set', () => {
    expect(fires({ type: 'job_field', fieldName: 'payment_received' }, { created: true })).toBe(false)
    expect(fires({ type: 'job_field', fieldName: 'status' }, { created: true })).toBe(true)
  })
})

describe('a rule on new or changed records', () => {
  it('tells the two apart', () => {
    expect(fires({ type: 'job_created' }, { created: true })).toBe(true)
    expect(why({ type: 'job_created' }, { changes: [completed] })).toBe('The job is not new.')
    expect(fires({ type: 'job_updated' }, { changes: [completed] })).toBe(true)
    expect(fires({ type: 'job_updated' }, { created: true })).toBe(false)
    expect(why({ type: 'job_updated' }, { changedFields: ['status'] })).toBe(
      'Nothing has changed since the last check.',
    )
  })

  it('works for other objects too', () => {
    const facts = jobFacts({ amount: '10.00' }, { object: 'jobpayment' })
    expect(fires({ type: 'job_created', object: 'jobpayment' }, { created: true, facts })).toBe(true)
    expect(why({ type: 'job_created', object: 'job' }, { created: true, facts })).toMatch(/another kind of record/)
  })
})

it('a deleted record sets off nothing but a rule on its deletion', () => {
  const facts = jobFacts({ active: '0' }, { active: false })
  const changes = [to('active', '1', '0')]
  expect(why({ type: 'job_updated' }, { facts, changes })).toBe('The job was deleted.')
  expect(fires({ type: 'job_field', fieldName: 'active' }, { facts, changes })).toBe(true)
})

it('a rule for one job leaves the others alone', () => {
  expect(why({ jobUuid: 'another' }, { changes: [completed] })).toMatch(/one other job/)
  expect(fires({ jobUuid: jobFacts().recordUuid.toUpperCase() }, { changes: [completed] })).toBe(true)
})

it('the platform is asked to watch what sets a rule off, and deletions', () => {
  const fields = (given: Partial<WebhookTrigger>) => neededFields({ trigger: webhookTrigger(given) })
  expect(fields({ type: 'job_status' })).toEqual(['active', 'status'])
  expect(fields({ type: 'job_queue' })).toEqual(['active', 'queue_uuid'])
  expect(fields({ type: 'job_field', fieldName: 'total_cost' })).toEqual(['active', 'total_invoice_amount'])
  expect(fields({ type: 'job_field', fieldName: 'active' })).toEqual(['active'])
  expect(fields({ type: 'job_field', fieldName: 'custom_grade' })).toEqual([])
  expect(fields({ type: 'job_field', fieldName: null })).toEqual([])
  expect(fields({ type: 'job_created' })).toEqual([])
  expect(fields({ type: 'job_updated' })).toEqual([])
  expect(neededFields({ trigger: pollTrigger() })).toBe(null)
  expect(neededFields({ trigger: { source: 'manual_endpoint' } })).toBe(null)
})

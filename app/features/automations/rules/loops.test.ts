import { describe, expect, it } from 'vitest'
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { ruleDefinition, webhookTrigger } from '#tests/support/record-facts.ts'
import { fieldsWritten, loopWarnings, type NamedRule } from './loops.ts'

const step = (type: Step['type'], parameters: Step['parameters'] = {}): Step => ({
  id: 's1',
  type,
  parameters,
  waitForPrevious: false,
})
const rule = (id: number, name: string, given: Partial<RuleDefinition>): NamedRule => ({
  id,
  name,
  active: true,
  definition: ruleDefinition(given),
})

const onQueueSetsStatus = rule(1, 'Book it', {
  trigger: webhookTrigger({ type: 'job_queue' }),
  steps: [step('update_job_status', { status: 'Work Order' })],
})
const onStatusSetsQueue = rule(2, 'Queue it', {
  trigger: webhookTrigger({ type: 'job_status' }),
  steps: [step('assign_to_queue', { queueUuid: 'q' })],
})

describe('rules that feed each other', () => {
  it('are told in words', () => {
    expect(loopWarnings(onQueueSetsStatus, [onQueueSetsStatus, onStatusSetsQueue])).toEqual([
      'This automation changes "Status", and your automation "Queue it" starts on that, which in turn starts this automation. They may keep starting each other.',
    ])
  })

  it('over a third are found too', () => {
    const statusToField = rule(3, 'Mark', {
      trigger: webhookTrigger({ type: 'job_status' }),
      steps: [step('update_job_field', { fieldName: 'purchase_order_number' })],
    })
    const fieldToQueue = rule(4, 'Move', {
      trigger: webhookTrigger({ type: 'job_field', fieldName: 'purchase_order_number' }),
      steps: [step('assign_to_queue')],
    })
    const [warning] = loopWarnings(onQueueSetsStatus, [statusToField, fieldToQueue])
    expect(warning).toMatch(/"Mark" starts on that, and your automation "Move" leads back/)
  })

  it('are no danger when one is off, acts once, or nothing leads back', () => {
    expect(loopWarnings(onQueueSetsStatus, [{ ...onStatusSetsQueue, active: false }])).toEqual([])
    const once = { ...onStatusSetsQueue, definition: { ...onStatusSetsQueue.definition, once: 'record' as const } }
    expect(loopWarnings(onQueueSetsStatus, [once])).toEqual([])
    const texts = rule(3, 'Text', { trigger: webhookTrigger({ type: 'job_status' }) })
    expect(loopWarnings(onQueueSetsStatus, [texts])).toEqual([])
    expect(
      loopWarnings(rule(5, 'Any', { trigger: webhookTrigger({ type: 'job_created' }) }), [onStatusSetsQueue]),
    ).toEqual([])
  })

  it('include those that start on any change', () => {
    const any = rule(6, 'Any change', {
      trigger: webhookTrigger({ type: 'job_updated' }),
      steps: [step('assign_to_queue')],
    })
    expect(loopWarnings(onQueueSetsStatus, [any])).toHaveLength(1)
  })

  it('include those that create what the other waits for', () => {
    const onNewCompletes = rule(7, 'Complete it', {
      trigger: webhookTrigger({ type: 'job_created' }),
      steps: [step('update_job_status', { status: 'Completed' })],
    })
    const onStatusCreates = rule(8, 'Next visit', {
      trigger: webhookTrigger({ type: 'job_status', fromValue: 'Quote' }),
      steps: [step('create_job')],
    })
    expect(loopWarnings(onStatusCreates, [onNewCompletes])).toEqual([
      'This automation creates a job, and your automation "Complete it" starts on that, which in turn starts this automation. They may keep starting each other.',
    ])
    expect(loopWarnings(onNewCompletes, [onStatusCreates])).toHaveLength(1)
    const onTask = { trigger: webhookTrigger({ type: 'job_created', object: 'task' }), steps: [step('create_job')] }
    expect(loopWarnings(rule(9, 'Job for a task', onTask), [onNewCompletes])).toEqual([])
  })
})

it('the fields a rule writes are under the platform’s names', () => {
  const steps = [
    step('update_job_field', { fieldName: 'total_cost' }),
    step('update_job_status'),
    step('send_sms'),
    step('update_job_field'),
  ]
  expect(fieldsWritten(ruleDefinition({ steps }))).toEqual(['total_invoice_amount', 'status'])
})

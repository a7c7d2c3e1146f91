import { expect, test } from 'vitest'
import { condition, ruleDefinition, webhookTrigger } from '#tests/support/record-facts.ts'
import { openBlanksOf, withBlanksFilled } from './rule-blanks.ts'

const template = ruleDefinition({
  trigger: webhookTrigger({ type: 'job_queue', queueUuid: '[[Queue]]' }),
  conditions: [condition('badges', 'not_contains', '[[Badge]]')],
  steps: [
    {
      id: 's1',
      type: 'send_sms',
      parameters: { to: '{contact_mobile}', message: 'Hi, [[Business name]]. [[Queue]]', linkToJob: true },
      waitForPrevious: false,
    },
    {
      id: 's2',
      type: 'create_job',
      parameters: { materials: [{ material_uuid: '[[Material]]', quantity: 2 }] },
      waitForPrevious: false,
    },
  ],
})

test('the blanks of a rule are found wherever they stand, each once', () => {
  expect(openBlanksOf(template)).toEqual(['Queue', 'Badge', 'Business name', 'Material'])
  expect(openBlanksOf(ruleDefinition())).toEqual([])
})

test('answers fill them in, and nothing else changes', () => {
  const filled = withBlanksFilled(template, {
    Queue: 'q1',
    Badge: 'b1',
    'Business name': 'Alder & Finch',
    Material: 'm1',
  })
  expect(openBlanksOf(filled)).toEqual([])
  expect(filled.trigger).toEqual({ ...template.trigger, queueUuid: 'q1' })
  expect(filled.conditions[0]?.value).toBe('b1')
  expect(filled.steps[0]?.parameters).toEqual({
    to: '{contact_mobile}',
    message: 'Hi, Alder & Finch. q1',
    linkToJob: true,
  })
  expect(filled.steps[1]?.parameters).toEqual({ materials: [{ material_uuid: 'm1', quantity: 2 }] })
  expect(openBlanksOf(withBlanksFilled(template, { Badge: 'b1' }))).toEqual(['Queue', 'Business name', 'Material'])
})

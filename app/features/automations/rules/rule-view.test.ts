import { expect, test } from 'vitest'
import type { OncePolicy, RuleDefinition } from '#app/domain/automations/rule.ts'
import { ruleDefinition, webhookTrigger } from '#tests/support/record-facts.ts'
import { ruleCardView } from './rule-view.ts'

test.each<[OncePolicy, string]>([
  ['change', 'runs once per call'],
  ['record', 'runs when called'],
])('a manual endpoint that runs by %s %s', (once, words) => {
  expect(triggerOf(ruleDefinition({ trigger: { source: 'manual_endpoint' }, once }))).toBe(`Manual Endpoint, ${words}`)
})

test('a rule of an earlier release on a field that no event tells says that it never starts', () => {
  const onField = (fieldName: string) =>
    triggerOf(ruleDefinition({ trigger: webhookTrigger({ type: 'job_field', fieldName }) }))
  expect(onField('contact_mobile')).toBe('Webhook Event, but a change of its field starts nothing')
  expect(onField('job_address')).toBe('Webhook Event, reacts within seconds')
})

function triggerOf(definition: RuleDefinition): string {
  const rule = { id: 1, name: 'Called', active: true, pausedReason: null, baselined: true, nextRunAt: null, definition }
  const times = { executionCount: 0, lastExecutedAt: null, createdAt: 0, updatedAt: 0 }
  const beside = { at: { now: 0, zone: 'UTC' }, names: {}, json: '', triggerUrl: null, days: null }
  return ruleCardView({ ...rule, ...times }, { ...beside, asksAboutExisting: false, askedBlanks: [] }).trigger
}

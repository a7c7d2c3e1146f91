import { expect, test } from 'vitest'
import { checksAgain, defaultOnce, type OncePolicy, type RuleDefinition } from '#app/domain/automations/rule.ts'
import { aStep } from '#tests/support/automation-world.server.ts'
import { pollTrigger, ruleDefinition, webhookTrigger } from '#tests/support/record-facts.ts'
import { needsBaseline } from './existing-records.ts'
import { canRepeat, ruleCardView } from './rule-view.ts'
import { onceText } from './timing/once-text.ts'

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

test.each(['daily', '0 9 * * 1'])('the recurrence %s replaces "once" and "only by hand"', (scheduleRecurrence) => {
  const recurring = { scheduleType: 'recurring', scheduleRecurrence } as const
  const steps = [aStep('s1', 'send_sms', { to: '+447700900123', message: 'Hello' })]
  for (const interval of ['once', 'on_demand'] as const) {
    const definition = ruleDefinition({ trigger: pollTrigger({ interval, ...recurring }), steps, once: 'day' })
    expect(defaultOnce(definition)).toBe('record')
    expect([needsBaseline(definition, false), canRepeat(definition), checksAgain(pollTrigger({ interval }))]).toEqual([
      ...[true, true, false],
    ])
    expect(onceText({ ...definition, once: 'period' }, 'job')).toBe('every time it checks')
  }
  const byHand = ruleDefinition({ trigger: pollTrigger({ interval: 'on_demand' }), steps })
  expect([defaultOnce(byHand), canRepeat(byHand)]).toEqual(['period', false])
})

function triggerOf(definition: RuleDefinition): string {
  const rule = { id: 1, name: 'Called', active: true, pausedReason: null, baselined: true, nextRunAt: null, definition }
  const times = { executionCount: 0, lastExecutedAt: null, createdAt: 0, updatedAt: 0 }
  const beside = { at: { now: 0, zone: 'UTC' }, names: {}, json: '', triggerUrl: null, days: null }
  return ruleCardView({ ...rule, ...times }, { ...beside, asksAboutExisting: false, askedBlanks: [] }).trigger
}

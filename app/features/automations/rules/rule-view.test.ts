import { expect, test } from 'vitest'
import type { OncePolicy } from '#app/domain/automations/rule.ts'
import { ruleDefinition } from '#tests/support/record-facts.ts'
import { ruleCardView } from './rule-view.ts'

test.each<[OncePolicy, string]>([
  ['change', 'runs once per call'],
  ['record', 'runs when called'],
])('a manual endpoint that runs by %s %s', (once, words) => {
  const definition = ruleDefinition({ trigger: { source: 'manual_endpoint' }, once })
  const rule = { id: 1, name: 'Called', active: true, pausedReason: null, baselined: true, nextRunAt: null, definition }
  const times = { executionCount: 0, lastExecutedAt: null, createdAt: 0, updatedAt: 0 }
  const beside = { at: { now: 0, zone: 'UTC' }, names: {}, json: '', triggerUrl: null, days: null }
  const card = ruleCardView({ ...rule, ...times }, { ...beside, asksAboutExisting: false, askedBlanks: [] })
  expect(card.trigger).toBe(`Manual Endpoint, ${words}`)
})

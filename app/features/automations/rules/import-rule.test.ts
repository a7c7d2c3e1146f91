import { describe, expect, it, test } from 'vitest'
import { ruleExample } from '../api/api-examples.ts'
import { formOfFields } from '../form/form-state.ts'
import { exportRule, readImport } from './import-rule.ts'
import { definitionOf } from './rule-definition.ts'
import { ruleForm } from './rule-form.ts'

const ACTIONS = [{ type: 'create_task', parameters: { title: 'Ring' }, sequenceOrder: 1, waitForPrevious: false }]
const NOTE = { name: 'Notes', triggerSource: 'webhook', object: 'note', triggerType: 'job_created', actions: ACTIONS }
const read = (value: unknown) => readImport(JSON.stringify(value))
const only = (value: unknown) => {
  const found = read(value)
  if (found.outcome !== 'read') throw new Error(found.message)
  expect(found.rules).toHaveLength(1)
  return found.rules[0]
}

function copied(fields: Record<string, unknown> = NOTE): Record<string, unknown> {
  const definition = definitionOf(ruleForm.parse(fields), null)
  return JSON.parse(exportRule({ name: String(fields.name), definition }, '2026-11-20T09:00:00.000Z'))
}

test('a copy is one automation in the documented shape, with format and version', () => {
  expect(copied()).toMatchObject({
    name: 'Notes',
    description: '',
    triggerSource: 'webhook',
    triggerType: 'job_created',
    object: 'note',
    conditions: [],
    actions: [{ type: 'create_task', parameters: { title: 'Ring' }, sequenceOrder: 1, waitForPrevious: false }],
    format: 'sm8-automation',
    version: 3,
    exportedAt: '2026-11-20T09:00:00.000Z',
  })
  expect(copied()).not.toHaveProperty('rules')
  expect(copied()).not.toHaveProperty('webhookSubscriptionId')
})

describe('every shape that was ever copied comes back', () => {
  const { format, version: _version, exportedAt, ...one } = copied()
  it.each([
    ['today', copied()],
    ['before: a list of rules', { format, version: 2, exportedAt, rules: [one] }],
    ['plain', NOTE],
    ['as the call answers it', { ...ruleExample, ...one }],
    ['as the list answers it', [{ ...one, id: 7, accountUUID: 'a' }]],
    [
      'with the names of a template',
      { ...NOTE, triggerConditions: [], groupingEnabled: false, groupingCriteria: null },
    ],
  ])('%s', (_shape, value) => {
    const found = only(value)
    expect(found).toMatchObject({ objectOpen: false, fields: { name: 'Notes (Imported)', active: false } })
    expect(formOfFields(found?.fields ?? {}).values.events).toBe('object:note')
  })
})

describe('a copy that does not say which records it watches', () => {
  const { object: _none, ...bare } = NOTE

  it('is asked about in the form, and is no rule about jobs until somebody says so', () => {
    const found = only(bare)
    expect(found?.objectOpen).toBe(true)
    const form = formOfFields(found?.fields ?? {})
    expect(form.values).toMatchObject({ events: '', triggerSource: 'webhook', triggerType: 'job_created' })
    expect(form.steps).toHaveLength(1)
  })

  it('is about jobs where only jobs have what it waits for', () => {
    for (const triggerType of ['job_status', 'job_queue']) {
      expect(only({ ...bare, triggerType })).toMatchObject({ objectOpen: false, fields: { object: 'job' } })
    }
  })

  it('is refused among others, by its place', () => {
    expect(read({ rules: [NOTE, bare] })).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(/^Automation 2: The copy does not say which records it watches\./),
    })
  })
})

test.each([
  [{ triggerType: 'job_status' }, 'webhook'],
  [{ webhookSubscriptionId: 3, triggerType: 'job_queue' }, 'webhook'],
  [{ apiEndpoint: '/api_1.0/job.json', pollInterval: 'daily' }, 'api_polling'],
  [{}, 'manual_endpoint'],
])('what starts it is told from %j: %s', (given, source) => {
  expect(only({ name: 'Old', actions: ACTIONS, ...given })?.fields.triggerSource).toBe(source)
})

test('a copy from a later version is refused in words', () => {
  expect(read({ ...copied(), version: 4 })).toMatchObject({
    outcome: 'refused',
    message: 'This was copied from a newer Fieldhook. This version cannot read all of it.',
  })
})

import { expect, test } from 'vitest'
import { definitionOf } from './rule-definition.ts'
import { issuesByField, ruleForm } from './rule-form.ts'
import { formFields } from './rule-json.ts'

const SMALLEST = {
  name: 'Chase',
  triggerSource: 'manual_endpoint',
  actions: [{ type: 'update_job_status', parameters: { status: 'Completed' } }],
}

function errorsOf(body: Record<string, unknown>) {
  const parsed = ruleForm.safeParse(body)
  return parsed.success ? {} : issuesByField(parsed.error.issues)
}

test('the smallest rule there is has a name, a trigger and one action', () => {
  const form = ruleForm.parse(SMALLEST)
  expect(definitionOf(form, null)).toMatchObject({
    trigger: { source: 'manual_endpoint' },
    conditions: [],
    once: 'change',
    steps: [{ id: 's1', type: 'update_job_status', parameters: { status: 'Completed' }, waitForPrevious: false }],
  })
})

test('without a name, an action or a field of a condition the texts are the documented ones', () => {
  expect(errorsOf({ ...SMALLEST, name: ' ' }).name).toEqual(['Automation name is required'])
  expect(errorsOf({ ...SMALLEST, actions: [] }).actions).toEqual(['At least one action is required'])
  expect(errorsOf({ ...SMALLEST, actions: undefined }).actions).toEqual(['At least one action is required'])
  const condition = { field: '', operator: 'equals', value: 'x' }
  expect(errorsOf({ ...SMALLEST, conditions: [condition] })['conditions.0.field']).toEqual(['Field is required'])
})

test.each(['id', 'executionCount', 'lastExecuted', 'createdAt', 'updatedAt', 'triggerUrl'])(
  'what the server owns is refused, not ignored: %s',
  (field) => {
    expect(errorsOf({ ...SMALLEST, [field]: 5 })[field]).toEqual(['Not allowed'])
  },
)

test('a webhook trigger needs a subscription and a kind, a polled one an endpoint and a frequency', () => {
  expect(Object.keys(errorsOf({ ...SMALLEST, triggerSource: 'webhook' }))).toEqual([
    'webhookSubscriptionId',
    'triggerType',
  ])
  expect(Object.keys(errorsOf({ ...SMALLEST, triggerSource: 'api_polling' }))).toEqual(['apiEndpoint', 'pollInterval'])
})

test('only GET is a method, only the seven lists are endpoints, only the eight intervals are frequencies', () => {
  const polled = {
    ...SMALLEST,
    triggerSource: 'api_polling',
    apiEndpoint: '/api_1.0/job.json',
    pollInterval: 'daily',
  }
  expect(errorsOf({ ...polled, apiMethod: 'GET' })).toEqual({})
  expect(Object.keys(errorsOf({ ...polled, apiMethod: 'POST' }))).toEqual(['apiMethod'])
  expect(Object.keys(errorsOf({ ...polled, apiEndpoint: '/api_1.0/vendor.json' }))).toEqual(['apiEndpoint'])
  expect(Object.keys(errorsOf({ ...polled, pollInterval: 'yearly' }))).toEqual(['pollInterval'])
})

test('steps run in the order of their numbers, keep their ids, and new ones get a free id', () => {
  const form = ruleForm.parse({
    ...SMALLEST,
    actions: [
      { type: 'create_task', parameters: { title: 'second' }, sequenceOrder: 2, waitForPrevious: true },
      { id: 's1', type: 'create_task', parameters: { title: 'first' }, sequenceOrder: 1, waitForPrevious: true },
      { id: 's1', type: 'create_task', parameters: { title: 'third' }, sequenceOrder: 3 },
    ],
  })
  const { steps } = definitionOf(form, null)
  expect(steps.map(({ id, parameters, waitForPrevious }) => [id, parameters.title, waitForPrevious])).toEqual([
    ['s1', 'first', false],
    ['s2', 'second', true],
    ['s3', 'third', false],
  ])
})

test('fields of another trigger source are dropped', () => {
  const form = ruleForm.parse({
    ...SMALLEST,
    apiEndpoint: '/api_1.0/job.json',
    pollInterval: 'daily',
    triggerType: 'job_status',
  })
  expect(definitionOf(form, null).trigger).toEqual({ source: 'manual_endpoint' })
})

test('what a rule answers can be sent back and gives the same rule', () => {
  const form = ruleForm.parse({
    ...SMALLEST,
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_status',
    triggerFromValue: 'Quote',
    enableGrouping: false,
    conditions: [
      { field: 'status', operator: 'equals', value: 'Work Order' },
      { field: 'contact_mobile', operator: 'is_empty', value: 'ignored', logicalOperator: 'OR' },
    ],
    guards: { cooldownDays: 30 },
  })
  const definition = definitionOf(form, null)
  const again = definitionOf(ruleForm.parse({ name: 'Chase', ...formFields(definition) }), null)
  expect(again).toEqual(definition)
  expect(definition.conditions[1]?.value).toBe('')
})

test.each([
  ['2026-02-29', false],
  ['2028-02-29', true],
  ['2026-13-01', false],
  ['2026-03-31T09:30', true],
  ['2026-03-31T09:30Z', false],
  ['31.03.2026', false],
])('the date of a schedule is a day of the calendar, and its time a local one: %s is %s', (scheduleDate, fits) => {
  expect(Object.hasOwn(errorsOf({ ...SMALLEST, scheduleDate }), 'scheduleDate')).toBe(!fits)
})

test('grouping is taken where it acts, and refused elsewhere with the way to a rule that is taken', () => {
  const grouped = { enableGrouping: true, groupingField: 'company_uuid' }
  const poll = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval: 'daily' }
  expect(errorsOf({ ...SMALLEST, ...poll, ...grouped })).toEqual({})
  for (const triggerSource of ['webhook', 'manual_endpoint']) {
    const rule = { ...SMALLEST, triggerSource, object: 'job', triggerType: 'job_status' }
    expect(errorsOf({ ...rule, ...grouped })).toEqual({
      enableGrouping: ['Grouping works only with a Scheduled API Check. Send enableGrouping as false.'],
    })
    expect(errorsOf({ ...rule, enableGrouping: false })).toEqual({})
  }
})

test('one run over everything is taken where it acts, and refused elsewhere with the way out', () => {
  const poll = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval: 'daily' }
  expect(errorsOf({ ...SMALLEST, ...poll, digest: true })).toEqual({})
  for (const triggerSource of ['webhook', 'manual_endpoint']) {
    const rule = { ...SMALLEST, triggerSource, object: 'job', triggerType: 'job_status' }
    expect(errorsOf({ ...rule, digest: true })).toEqual({
      digest: ['One run over everything works only with a Scheduled API Check. Send digest as false.'],
    })
    expect(errorsOf({ ...rule, digest: false })).toEqual({})
  }
})

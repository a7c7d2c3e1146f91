import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { definitionOf } from '#app/features/automations/rules/rule-definition.ts'
import { ruleForm } from '#app/features/automations/rules/rule-form.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'

const list = apiRoute('api/automation')
const byId = apiRoute('api/automation/:id')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const UUID = '20000000-0000-4000-8000-000000000001'
const TASK = { type: 'create_task', parameters: { title: 'Call' } }
const EVENT = { name: 'Any', triggerSource: 'webhook', object: 'job', triggerType: 'job_updated', actions: [TASK] }

async function errorsOf(body: Record<string, unknown>): Promise<unknown> {
  const answer = await calls.call(list, '/api/automation', {
    method: 'POST',
    body: { accountUUID: LEEDS, ...EVENT, ...body },
  })
  return answer.status === 201 ? answer.status : answer.json.errors
}

describe('an action that cannot work for the records of the rule is refused at its choice', () => {
  const NO_JOB = (noun: string) =>
    `This action needs a job; a ${noun} has none. Choose another action, or a trigger about jobs.`
  const ON_COMPANY = { object: 'company' }
  const ON_QUEUES = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/queue.json', pollInterval: 'daily' }
  const ON_MATERIAL = { object: 'material' }

  test.each([
    [ON_COMPANY, 'update_job_status', { status: 'Completed' }, 'type', NO_JOB('customer')],
    [ON_QUEUES, 'update_job_status', { status: 'Completed' }, 'type', NO_JOB('queue')],
    [ON_COMPANY, 'assign_to_queue', { queueUuid: UUID }, 'type', NO_JOB('customer')],
    [ON_COMPANY, 'update_job_field', { fieldName: 'job_description', fieldValue: 'x' }, 'type', NO_JOB('customer')],
    [
      ON_COMPANY,
      'generate_document',
      { objectType: 'Job' },
      'parameters.objectType',
      'This document needs a job; a customer has none. Choose Company.',
    ],
    [
      ON_MATERIAL,
      'generate_document',
      { objectType: 'Company' },
      'type',
      'This document needs a customer; a material has none. Choose another action, or a trigger about jobs.',
    ],
    [
      ON_MATERIAL,
      'create_job',
      { company_uuid: '{company_uuid}', status: 'Quote' },
      'parameters.company_uuid',
      '{company_uuid} is always empty: a material has no customer. Enter a value.',
    ],
    [
      ON_MATERIAL,
      'post_activity_feed',
      { message: 'Hello' },
      'type',
      'This becomes a note on a job or customer; a material has none. Choose another action, or a trigger about jobs.',
    ],
    [ON_QUEUES, 'send_sms', { message: 'x' }, 'parameters.to', 'A queue has no contact. Enter who gets this message.'],
  ])('%j %s %j', async (trigger, type, parameters, at, message) => {
    const { triggerType, object, ...polled } = EVENT
    const rule = 'apiEndpoint' in trigger ? { ...polled, object: '', ...trigger } : trigger
    expect(await errorsOf({ ...rule, actions: [{ type, parameters }] })).toEqual({ [`actions.0.${at}`]: [message] })
  })

  test('what works there is taken', async () => {
    const all = [
      [ON_COMPANY, 'generate_document', { objectType: 'Company' }],
      [ON_COMPANY, 'create_job', { company_uuid: '{company_uuid}', status: 'Quote' }],
      [ON_COMPANY, 'post_activity_feed', { message: 'Hello' }],
      [{ object: 'jobpayment' }, 'update_job_status', { status: 'Completed' }],
      [{ object: 'jobmaterial' }, 'update_job_status', { status: 'Completed' }],
      [ON_MATERIAL, 'create_job', { company_uuid: `{company_uuid or "${UUID}"}`, status: 'Quote' }],
    ] as const
    for (const [trigger, type, parameters] of all) {
      expect(await errorsOf({ ...trigger, actions: [{ type, parameters }] })).toBe(201)
    }
  })
})

describe('what a trigger can never be is refused at its field', () => {
  test.each(['contact_mobile', 'days_since_quote', 'assigned_staff', 'updated_date'])(
    'a change of %s, which no event tells',
    async (triggerFieldName) => {
      const errors = await errorsOf({ triggerType: 'job_field', triggerFieldName })
      expect(errors).toEqual({ triggerFieldName: [expect.stringMatching(/^A change of ".+" starts nothing\./)] })
    },
  )

  const status = (value: string, operator = 'equals') => ({ conditions: [{ field: 'status', operator, value }] })
  test.each([
    [{ object: 'foo' }, 'object', /^There are no events of "foo"\. Choose job, company, /],
    [{ object: 'company', triggerType: 'job_status' }, 'triggerType', /^A customer has no status\. Choose job_created/],
    [{ object: 'company', triggerType: 'job_queue' }, 'triggerType', /^A customer has no queue\. Choose job_created/],
    [
      { triggerType: 'job_field', triggerFieldName: 'job_adress' },
      'triggerFieldName',
      /on a job\. Did you mean job_address\?$/,
    ],
    [
      { triggerType: 'job_field', triggerFieldName: 'nonsense' },
      'triggerFieldName',
      /Use one such as status, queue_uuid/,
    ],
    [
      { triggerType: 'job_status', triggerFromValue: 'Bananas' },
      'triggerFromValue',
      /never "Bananas"\. Choose Quote, /,
    ],
    [
      { triggerType: 'job_field', triggerFieldName: 'quote_sent', triggerFromValue: 'Bananas' },
      'triggerFromValue',
      /^Compare with yes or no/,
    ],
    [
      { triggerType: 'job_field', triggerFieldName: 'queue_uuid', triggerFromValue: 'Parts' },
      'triggerFromValue',
      /^"Parts" is not an id\./,
    ],
    [
      { object: 'company', triggerType: 'customer_replied' },
      'triggerType',
      /^A customer has no messages\. Choose job_created/,
    ],
    [{ triggerType: 'customer_replied', replyMatch: 'words' }, 'replyWords', /^Enter at least one word/],
    [{ triggerType: 'customer_replied', replyMatch: 'words', replyWords: 'x, STOP' }, 'replyWords', /^"STOP" ends all/],
    [{ triggerJobUuid: 'abc' }, 'triggerJobUuid', /^"abc" is not the id of a job\./],
    [{ triggerType: 'job_queue', triggerQueueUuid: 'abc' }, 'triggerQueueUuid', /^"abc" is not the id of a queue\./],
    [{ once: 'value:nonsense' }, 'once', /^There is no field "nonsense" on a job\./],
    [{ triggerSource: 'manual_endpoint', object: '', once: 'value:status' }, 'once', /or value:date\.$/],
    [status('Bananas'), 'conditions.0.value', /^A job is never "Bananas"\. Choose Quote, Work Order,/],
    [status('Bananas', 'not_equals'), 'conditions.0.value', /^A job is never "Bananas"\./],
    [{ scheduleType: 'recurring', scheduleRecurrence: '0 9 30 2 *' }, 'scheduleRecurrence', /^That day never comes\./],
    [{ scheduleType: 'scheduled', scheduleDate: '2020-01-01' }, 'scheduleDate', /^This date has passed\./],
  ])('%j', async (body, at, message) => {
    expect(await errorsOf(body)).toEqual({ [at]: [expect.stringMatching(message)] })
  })

  test('conditions that are sent twice, and differ: one list would be dropped', async () => {
    const completed = [{ field: 'status', operator: 'equals', value: 'Completed' }]
    const once = { triggerConditions: ['Send the conditions once, as conditions'] }
    expect(await errorsOf({ conditions: [], triggerConditions: completed })).toEqual(once)
    expect(await errorsOf({ conditions: completed, triggerConditions: [] })).toEqual(once)
    expect(await errorsOf({ conditions: completed, triggerConditions: completed })).toBe(201)
    expect(await errorsOf({ triggerConditions: completed })).toBe(201)
  })

  test('a check that is to happen once on a day that has passed', async () => {
    const { triggerType, object, ...polled } = EVENT
    const once = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval: 'once' }
    const save = (more: object) =>
      calls.call(list, '/api/automation', { method: 'POST', body: { accountUUID: LEEDS, ...polled, ...once, ...more } })
    const refused = await save({ scheduleDate: '2020-01-01' })
    expect(refused.json.errors).toEqual({ scheduleDate: ['This date has passed. Choose a later one.'] })
    // Every day since then is every day.
    const daily = { pollInterval: 'daily', scheduleType: 'scheduled', scheduleDate: '2020-01-01' }
    expect((await save(daily)).status).toBe(201)
    expect((await save({})).status).toBe(201)
  })

  test('what there is stays possible, the fields of the account included', async () => {
    calls.world.platform.put(LEEDS, 'job', { uuid: UUID, customfield_site: 'A' })
    const all = [
      { object: 'jobmaterial' },
      { triggerType: 'job_field', triggerFieldName: 'customfield_site' },
      { once: 'value:customfield_site' },
      { once: 'value:status' },
      { triggerSource: 'manual_endpoint', object: '', triggerType: '', once: 'value:date' },
      { triggerType: 'job_status', triggerFromValue: 'work order' },
      { triggerType: 'customer_replied' },
      { triggerType: 'customer_replied', replyMatch: 'words', replyWords: 'later, another day' },
      status('completed'),
      status('Ban', 'contains'),
      { scheduleType: 'recurring', scheduleRecurrence: '0 9 29 2 *' },
      { scheduleType: 'scheduled', scheduleDate: '2096-01-01' },
    ]
    for (const body of all) expect([body, await errorsOf(body)]).toEqual([body, 201])
    expect(await errorsOf({ triggerType: 'job_field', triggerFieldName: 'customfield_sit' })).toMatchObject({
      triggerFieldName: [expect.any(String)],
    })
  })
})

describe('a rule that was saved before it was judged so', () => {
  const BAD = { ...EVENT, object: 'company', actions: [{ type: 'update_job_status', parameters: { status: 'Quote' } }] }
  const SENTENCE = 'This action needs a job; a customer has none. Choose another action, or a trigger about jobs.'
  const definition = (): RuleDefinition => definitionOf(ruleForm.parse(BAD), null)
  const stored = (active: boolean) =>
    calls.world.store.automations.createAutomation(LEEDS, {
      name: 'Old',
      definition: definition(),
      active,
      nextRunAt: null,
      baselined: true,
      triggerKey: null,
      at: calls.world.clock.now(),
    })
  const put = (id: number, body: object) =>
    calls.call(byId, `/api/automation/${id}`, { method: 'PUT', body, params: { id: String(id) } })

  test('is renamed and paused as it is; changed, or switched on, it has to be right', async () => {
    const id = await stored(true)
    expect(await put(id, { ...BAD, name: 'Older', description: 'Words' })).toMatchObject({
      status: 200,
      json: { name: 'Older', active: true },
    })
    const other = { ...BAD, actions: [{ type: 'update_job_status', parameters: { status: 'Completed' } }] }
    expect(await put(id, other)).toMatchObject({ status: 400, json: { errors: { 'actions.0.type': [SENTENCE] } } })
    expect(await put(id, { active: false })).toMatchObject({ status: 200, json: { active: false } })
    const refused = {
      message: `Edit it before you switch it on. ${SENTENCE}`,
      errors: { 'actions.0.type': [SENTENCE] },
    }
    expect(await put(id, { active: true })).toMatchObject({ status: 400, json: refused })
    expect(await put(id, { ...BAD, active: true })).toMatchObject({ status: 400 })
    expect(await put(id, { ...BAD, active: false, name: 'Oldest' })).toMatchObject({ status: 200 })
    expect(await put(id, { ...BAD, object: 'job', active: true })).toMatchObject({ status: 200 })
    expect(await put(id, { active: false })).toMatchObject({ status: 200 })
    expect(await put(id, { active: true })).toMatchObject({ status: 200, json: { active: true } })
  })
})

// Long: every call about automations, each on its route with the engine behind it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TRIAL } from '#app/domain/plan.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS, QUEUE, STAFF } from '#tests/support/automation-world.server.ts'

const testApi = apiRoute('api/admin/test-api/:accountUUID/:apiName')
const lookup = apiRoute('api/servicem8/:list/:accountUUID')
const automation = apiRoute('api/automation')
const byId = apiRoute('api/automation/:id')
const logs = apiRoute('api/automation-logs/:accountUUID')
const run = apiRoute('api/automation/:id/run')
const copy = apiRoute('api/automation-templates/:id/copy')
const templates = apiRoute('api/automation-templates')
const trigger = apiRoute('api/automation/:id/trigger')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

const RULE = {
  accountUUID: LEEDS,
  name: 'Chase quotes',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  conditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
  actions: [
    { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' } },
  ],
}
const MANUAL = { accountUUID: LEEDS, name: 'Pack', triggerSource: 'manual_endpoint', actions: RULE.actions }
const UNKNOWN = '{"message":"Not found"}'

async function make(body: Record<string, unknown> = RULE) {
  const made = await calls.call(automation, '/api/automation', { method: 'POST', body })
  expect(made.text).toContain('"id"')
  return made.json
}

const runOf = (id: number, body: unknown, as = LEEDS, query = '') =>
  calls.call(run, `/api/automation/${id}/run${query}`, { method: 'POST', body, as, params: { id: String(id) } })

describe('rules', () => {
  test('how often is stored with every rule: one that writes to a customer is made with once per record', async () => {
    const task = [{ type: 'create_task', parameters: { title: 'Call back' } }]
    const polled = {
      triggerSource: 'api_polling',
      apiEndpoint: '/api_1.0/job.json',
      triggerType: undefined,
      object: undefined,
    }
    const cases: [Record<string, unknown>, string, string][] = [
      [{}, 'record', ', once per job.'],
      [{ triggerType: 'job_updated' }, 'record', ', once per job.'],
      [{ once: 'change', triggerType: 'job_updated' }, 'change', ', every time it changes.'],
      [{ once: 'week' }, 'week', ', at most once a week per job.'],
      [{ actions: task }, 'change', 'create the task "Call back".'],
      [{ ...polled, pollInterval: 'daily', digest: true }, 'record', ', once per job.'],
      [{ ...polled, pollInterval: 'on_demand' }, 'period', ', every time it is run.'],
      [{ ...MANUAL }, 'record', ', once per job.'],
      [{ ...MANUAL, once: 'change' }, 'change', ', every time it is called.'],
    ]
    for (const [more, once, said] of cases) {
      const body = Object.fromEntries(Object.entries({ ...RULE, ...more }).filter(([, value]) => value !== undefined))
      const made = await make('triggerSource' in more && more.triggerSource === 'manual_endpoint' ? more : body)
      expect([made.once, made.sentence.endsWith(said) ? said : made.sentence]).toEqual([once, said])
    }
  })

  test('a rule that is made is listed with the documented fields, and the platform is asked for its events', async () => {
    const made = await make()
    expect(made).toMatchObject({
      accountUUID: LEEDS,
      name: 'Chase quotes',
      active: true,
      triggerSource: 'webhook',
      triggerType: 'job_status',
      scheduleType: 'immediate',
      enableGrouping: false,
      executionCount: 0,
      lastExecuted: null,
      triggerUrl: null,
      conditions: [{ field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' }],
      actions: [{ type: 'send_sms', sequenceOrder: 1, waitForPrevious: false }],
    })
    const listed = await calls.call(automation, `/api/automation?accountUUID=${LEEDS}`)
    expect(listed.json).toEqual([made])
    expect(calls.followed).toEqual([LEEDS])
  })

  test('without a session 401; for another account the bytes of one that does not exist', async () => {
    const { id } = await make()
    const params = { id: String(id) }
    const none = await calls.call(automation, `/api/automation?accountUUID=${LEEDS}`, { as: null })
    expect([none.status, none.text]).toEqual([401, '{"message":"Authentication required"}'])
    for (const answered of [
      await calls.call(automation, `/api/automation?accountUUID=${LEEDS}`, { as: BRISBANE }),
      await calls.call(automation, '/api/automation', { method: 'POST', as: BRISBANE, body: RULE }),
      await calls.call(byId, `/api/automation/${id}`, { method: 'PUT', as: BRISBANE, body: { active: false }, params }),
      await calls.call(byId, `/api/automation/${id}`, { method: 'DELETE', as: BRISBANE, params }),
      await runOf(id, {}, BRISBANE),
      await calls.call(logs, `/api/automation-logs/${LEEDS}`, { as: BRISBANE, params: { accountUUID: LEEDS } }),
      await calls.call(byId, '/api/automation/999', { method: 'DELETE', params: { id: '999' } }),
    ]) {
      expect([answered.status, answered.text]).toEqual([404, UNKNOWN])
    }
  })

  test('the switch sends only active; what the server owns is refused with the name of the field', async () => {
    const { id } = await make()
    const params = { id: String(id) }
    const put = (body: unknown) => calls.call(byId, `/api/automation/${id}`, { method: 'PUT', body, params })
    expect((await put({ active: false })).json).toMatchObject({ active: false })
    const refused = await put({ ...RULE, executionCount: 5 })
    expect([refused.status, refused.json.errors]).toEqual([400, { executionCount: ['Not allowed'] }])
    for (const [active, is] of [
      ['yes', true],
      ['no', false],
      ['on', true],
      ['off', false],
    ] as const) {
      expect((await put({ active })).json).toMatchObject({ active: is })
      expect((await put({ ...RULE, active })).json).toMatchObject({ active: is })
    }
    for (const active of ['', 'maybe', 1])
      for (const body of [{ active }, { ...RULE, active }])
        expect((await put(body)).json.errors).toMatchObject({ active: ['Must be true or false'] })
    const condition = { operator: 'equals', value: 'x' }
    for (const [more, errors] of [
      [{ name: true }, { name: ['Must be text'] }],
      [{ webhookSubscriptionId: 'rule-1' }, { webhookSubscriptionId: ['Must be a number'] }],
      [{ settleMinutes: '-5' }, { settleMinutes: ['A whole number from 0 to 1,440'] }],
      [{ settleMinutes: '1.5' }, { settleMinutes: ['A whole number from 0 to 1,440'] }],
      [{ conditions: 'all' }, { conditions: ['Must be a list'] }],
      [{ conditions: ['x'] }, { 'conditions.0': ['Must be an object'] }],
      [{ conditions: [{ ...condition, field: 'a b' }] }, { 'conditions.0.field': ['Must be the name of a field'] }],
    ] as const)
      expect((await put({ ...RULE, ...more })).json.errors).toEqual(errors)
    expect((await put({ ...RULE, replyMatch: 'ja', once: 'twice' })).json.errors).toEqual({
      replyMatch: ['Must be one of any, words, yes, no'],
      once: ['Must be one of record, change, day, week, month, period, value:<field>'],
    })
    const renamed = await put({ ...RULE, name: 'Other' })
    expect(renamed.json).toMatchObject({ name: 'Other', active: false })
    const foreign = await put({ ...RULE, accountUUID: BRISBANE })
    expect([foreign.status, foreign.text]).toEqual([404, UNKNOWN])
  })

  test('the documented messages stand by their fields', async () => {
    const post = (body: unknown) => calls.call(automation, '/api/automation', { method: 'POST', body })
    expect((await post({ ...RULE, name: '' })).json.errors).toMatchObject({ name: ['Automation name is required'] })
    expect((await post({ ...RULE, actions: [] })).json.errors).toMatchObject({
      actions: ['At least one action is required'],
    })
    expect((await post({ ...RULE, conditions: [{ field: '', operator: 'equals', value: '' }] })).json.errors).toEqual({
      'conditions.0.field': ['Field is required'],
    })
    expect((await post('{')).json).toEqual({ message: 'The body is not valid JSON.' })
    expect((await post({ ...RULE, webhookSubscriptionId: 77, object: null })).status).toBe(400)
  })

  test('a webhook of another account, or of nobody, is refused; a rule whose webhook was deleted can be changed', async () => {
    const gone = ['That webhook no longer exists. Choose which events start it.']
    const saved = async (accountUuid: string, objectType: string) => {
      const { id } = await calls.app.store.endpoints.saveEndpoint(accountUuid, {
        kind: 'webhook',
        objectType,
        fields: '',
        url: 'https://receiver.example.com/in',
        fieldFilter: '',
        active: true,
        secretSealed: 'sealed',
        subscription: null,
        at: 0,
      })
      return id
    }
    const foreign = await saved(BRISBANE, 'company')
    for (const webhookSubscriptionId of [foreign, 77]) {
      const body = { ...RULE, webhookSubscriptionId }
      const refused = await calls.call(automation, '/api/automation', { method: 'POST', body })
      expect([refused.status, refused.json.errors]).toEqual([400, { webhookSubscriptionId: gone }])
    }
    const webhookSubscriptionId = await saved(LEEDS, 'job')
    const { id } = await make({ ...RULE, webhookSubscriptionId })
    await calls.app.store.endpoints.deleteEndpoint(
      LEEDS,
      { kind: 'webhook', id: webhookSubscriptionId },
      { endSubscriptions: false, at: 0 },
    )
    const put = (body: unknown) =>
      calls.call(byId, `/api/automation/${id}`, { method: 'PUT', body, params: { id: String(id) } })
    const renamed = await put({ ...RULE, name: 'Other', webhookSubscriptionId })
    expect(renamed.json).toMatchObject({ name: 'Other', webhookSubscriptionId })
    expect((await put({ ...RULE, webhookSubscriptionId: foreign })).json.errors).toEqual({
      webhookSubscriptionId: gone,
    })
  })

  test('a rule with an open blank is not switched on', async () => {
    const message = 'Hi. [[Business name]]'
    const actions = [{ type: 'send_sms', parameters: { to: '+447700900000', message } }]
    const body = { ...RULE, actions }
    const refused = await calls.call(automation, '/api/automation', { method: 'POST', body })
    expect(refused.json.errors.active[0]).toContain('Business name')
    const made = await make({ ...body, active: false })
    expect(made.openBlanks).toEqual(['Business name'])
  })

  test('a deleted rule is gone, and so is its address', async () => {
    const made = await make(MANUAL)
    const params = { id: String(made.id) }
    const deleted = await calls.call(byId, `/api/automation/${made.id}`, { method: 'DELETE', params })
    expect(deleted.json).toEqual({ success: true })
    const url = new URL(made.triggerUrl)
    const called = await calls.call(trigger, url.pathname + url.search, {
      method: 'POST',
      as: null,
      params,
      body: { job_uuid: 'j', date: '2026-01-05' },
    })
    expect([called.status, called.text]).toEqual([404, UNKNOWN])
  })
})

describe('run now', () => {
  test('acts on the newest record that matches and answers what was done', async () => {
    calls.world.job(LEEDS, { edit_date: '2026-01-04 08:00:00' })
    calls.world.job(LEEDS, { edit_date: '2026-01-05 08:00:00' })
    const { id } = await make()
    const ran = await runOf(id, {})
    expect(ran.status).toBe(200)
    expect(ran.json).toMatchObject({ message: 'Automation executed', execution: { executionStatus: 'success' } })
    expect(ran.json.execution.actionsExecuted[0]).toMatchObject({ action: 'send_sms', success: true })
    expect(calls.world.platform.messages.map(({ text }) => text)).toEqual(['Job 2'])
    const logged = await calls.call(logs, `/api/automation-logs/${LEEDS}`, { params: { accountUUID: LEEDS } })
    expect(logged.json).toHaveLength(1)
    expect(logged.json[0]).toMatchObject({ automationRuleId: id, executionStatus: 'success' })
  })

  test('twice in a moment is once', async () => {
    calls.world.job(LEEDS)
    const { id } = await make()
    await Promise.all([runOf(id, {}), runOf(id, {})])
    expect(calls.world.platform.messages).toHaveLength(1)
  })

  test('nothing matches: the failed conditions are named; run anyway acts on one record', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    calls.world.job(LEEDS, { status: 'Completed' })
    const { id } = await make()
    const refused = await runOf(id, {})
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({
      conditionsNotMet: true,
      automationId: id,
      automationName: 'Chase quotes',
      failedConditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
    })
    expect(calls.world.platform.messages).toEqual([])
    const ran = await runOf(id, { bypassConditions: true })
    expect(ran.json.execution.triggerData).toMatchObject({ manualTrigger: true, bypassedConditions: true })
    expect(calls.world.platform.messages).toHaveLength(1)
  })

  test('preview shows the text that would go out, and sends nothing; check mode needs the role', async () => {
    calls.world.job(LEEDS)
    calls.world.job(BRISBANE)
    const { id } = await make()
    const shown = await runOf(id, { preview: true })
    expect(shown.json.preview.steps[0].effects[0]).toMatchObject({
      channel: 'sms',
      to: '+447700900001',
      fields: { message: 'Job 1' },
      credits: 1,
    })
    expect((await runOf(id, { adminCheckMode: true })).status).toBe(403)
    expect((await runOf(id, { adminCheckMode: true }, LEEDS, '?admin=yes')).json.execution).not.toBeNull()
    const theirs = await make({ ...RULE, accountUUID: LEEDS })
    expect((await runOf(theirs.id, { adminCheckMode: true, surprise: 1 }, LEEDS, '?admin=yes')).status).toBe(400)
    expect(calls.world.platform.messages).toEqual([])
  })

  test('a rule that is run by hand acts on everything that matches, every time', async () => {
    for (let number = 0; number < 3; number++) calls.world.job(LEEDS)
    const { id } = await make({
      ...RULE,
      triggerSource: 'api_polling',
      apiEndpoint: '/api_1.0/job.json',
      pollInterval: 'on_demand',
    })
    expect((await runOf(id, {})).json).toMatchObject({ started: 3, alreadyHandled: null })
    // A second press is the same one; later, every run is a new one.
    const twice = await runOf(id, {})
    expect(twice.json).toMatchObject({
      started: 0,
      repeated: true,
      message: 'This ran a moment ago. It was not run again.',
    })
    expect(twice.json.execution).not.toBeNull()
    expect(calls.world.platform.messages).toHaveLength(3)
    await calls.world.clock.run(11_000)
    expect((await runOf(id, {})).json).toMatchObject({ started: 3, repeated: false })
  })

  test('what was handled before is left alone and told, until it is asked for', async () => {
    const job = calls.world.job(LEEDS)
    const { id } = await make()
    const first = await runOf(id, {})
    expect(first.json).toMatchObject({ started: 1, repeated: false, alreadyHandled: null })
    expect((await runOf(id, {})).json).toMatchObject({
      started: 0,
      repeated: true,
      execution: { id: first.json.execution.id },
    })
    await calls.world.clock.run(11_000)
    const left = await runOf(id, {})
    expect([left.status, left.json]).toMatchObject([
      200,
      {
        message: 'Nothing new: 1 record was handled before.',
        execution: null,
        alreadyHandled: { count: 1, why: '1 record was handled before.' },
      },
    ])
    expect((await runOf(id, { recordUuid: job })).json.execution).toBeNull()
    expect(calls.world.platform.messages).toHaveLength(1)
    expect((await runOf(id, { includeHandled: true })).json).toMatchObject({ started: 1, alreadyHandled: null })
    expect((await runOf(id, { includeHandled: true })).json).toMatchObject({ started: 0, repeated: true })
    expect(calls.world.platform.messages).toHaveLength(2)
  })

  test('a fresh scheduled rule leaves what was there, and acts on it when asked; past the conditions it is one record', async () => {
    const [newest] = [calls.world.job(LEEDS, { edit_date: '2026-01-05 08:30:00' }), calls.world.job(LEEDS)]
    const made = await make({
      ...RULE,
      triggerSource: 'api_polling',
      apiEndpoint: '/api_1.0/job.json',
      pollInterval: 'daily',
    })
    const { id } = made
    expect([made.once, made.preparing]).toEqual(['record', true])
    const fresh = await runOf(id, {})
    expect(fresh.json).toMatchObject({
      execution: null,
      alreadyHandled: { count: 2, why: '2 records were there when the automation was switched on.' },
    })
    const one = await runOf(id, { bypassConditions: true })
    expect(one.json.executions).toHaveLength(1)
    expect(one.json.execution.recordUuids).toEqual([newest])
    expect((await runOf(id, { includeHandled: true })).json.started).toBe(2)
  })
})

describe('the manual trigger', () => {
  const BODY = { date: '2026-01-05' }

  async function setOff(url: string, body: unknown, headers: Record<string, string> = {}) {
    const { pathname, search } = new URL(url)
    const id = pathname.split('/')[3] ?? ''
    return calls.call(trigger, pathname + search, { method: 'POST', as: null, body, headers, params: { id } })
  }

  test('with the key of its address each call is one run', async () => {
    const job = calls.world.job(LEEDS)
    const { triggerUrl } = await make({ ...MANUAL, once: 'change' })
    const first = await setOff(triggerUrl, { ...BODY, job_uuid: job })
    expect([first.status, first.json.message]).toEqual([202, 'Automation triggered'])
    const second = await setOff(triggerUrl, { ...BODY, job_uuid: job })
    expect(second.json.executionId).not.toBe(first.json.executionId)
    await calls.world.clock.run(5_000)
    expect(calls.world.platform.messages).toHaveLength(2)
  })

  test('one that writes to a customer runs once per job, unless something else was chosen, and says so', async () => {
    const [job, other] = [calls.world.job(LEEDS), calls.world.job(LEEDS)]
    const { triggerUrl } = await make(MANUAL)
    const answers = []
    for (const job_uuid of [job, job, other]) answers.push(await setOff(triggerUrl, { ...BODY, job_uuid }))
    expect(answers.map(({ status, json }) => [status, json.message])).toEqual([
      [202, 'Automation triggered'],
      [202, 'Done before. This automation runs once per job.'],
      [202, 'Automation triggered'],
    ])
    expect(new Set(answers.map(({ json }) => json.executionId)).size).toBe(3)
    await calls.world.clock.run(5_000)
    expect(calls.world.platform.messages).toHaveLength(2)
    expect(calls.world.rows('SELECT outcome, reason_code AS reason FROM run ORDER BY id')).toEqual([
      { outcome: 'success', reason: null },
      { outcome: 'nothing', reason: 'done_before' },
      { outcome: 'success', reason: null },
    ])
  })

  test('a job that does not meet the conditions gets nothing, and can be called again once it does', async () => {
    const { world } = calls
    const job = world.job(LEEDS)
    const conditions = [{ field: 'status', operator: 'equals', value: 'Completed' }]
    const { triggerUrl } = await make({ ...MANUAL, conditions })
    const call = async () => {
      expect((await setOff(triggerUrl, { ...BODY, job_uuid: job })).status).toBe(202)
      await world.clock.run(5_000)
      return world.rows('SELECT outcome, reason_code AS reason FROM run ORDER BY id DESC LIMIT 1')[0]
    }
    expect(await call()).toEqual({ outcome: 'nothing', reason: 'conditions_not_met' })
    expect(world.platform.messages).toEqual([])
    world.platform.put(LEEDS, 'job', {
      ...world.platform.records(LEEDS, 'job').get(job),
      uuid: job,
      status: 'Completed',
    })
    await world.clock.run(600_000)
    expect(await call()).toEqual({ outcome: 'success', reason: null })
    expect(world.platform.messages).toHaveLength(1)
  })

  test('a caller’s own key decides what is the same', async () => {
    const job = calls.world.job(LEEDS)
    const { triggerUrl } = await make(MANUAL)
    const call = (key: string) => setOff(triggerUrl, { ...BODY, job_uuid: job }, { 'idempotency-key': key })
    const [a, b, c] = [await call('one'), await call('two'), await call('one')]
    expect(a.json.executionId).toBe(c.json.executionId)
    expect(b.json.executionId).toBeGreaterThan(a.json.executionId)
    expect((await call('x'.repeat(300))).status).toBe(400)
  })

  test('the answer says that the run waits while the installation is on hold', async () => {
    Object.assign(calls.app.settings, { held: true })
    const { triggerUrl } = await make(MANUAL)
    const { status, json } = await setOff(triggerUrl, { ...BODY, job_uuid: calls.world.job(LEEDS) })
    expect([status, json.message]).toEqual([202, 'Automation triggered. It waits: Fieldhook is on hold.'])
  })

  test('a repeated call says, too, that the run waits, as long as it does', async () => {
    const { store, clock } = calls.world
    const { triggerUrl } = await make(MANUAL)
    const body = { ...BODY, job_uuid: calls.world.job(LEEDS) }
    const call = async () => (await setOff(triggerUrl, body, { 'idempotency-key': 'one' })).json.message
    const { updatedAt } = await store.billing.ensurePlan(LEEDS, TRIAL, clock.now())
    const hold = { heldSince: clock.now(), holdReason: 'trial_ended' as const }
    const held = await store.billing.savePlan(LEEDS, updatedAt, hold, clock.now())
    const waits = 'It waits: Trial ended: subscribe to resume.'
    expect(await call()).toBe(`Automation triggered. ${waits}`)
    expect(await call()).toBe(`This run was started before. ${waits}`)
    await store.billing.savePlan(LEEDS, held?.updatedAt ?? 0, { heldSince: null, holdReason: null }, clock.now())
    expect(await call()).toBe('This run was started before.')
  })

  test('a repeated call of a collected automation says until when it waits, until it ran', async () => {
    const schedule = { scheduleType: 'recurring', scheduleRecurrence: '0 18 * * *' }
    const { id, triggerUrl } = await make({ ...MANUAL, ...schedule })
    const body = { ...BODY, job_uuid: calls.world.job(LEEDS) }
    const call = async () => (await setOff(triggerUrl, body, { 'idempotency-key': 'one' })).json.message
    const waits = 'It waits: for the next run (on the schedule "0 18 * * *").'
    expect(await call()).toBe(`Automation triggered. ${waits}`)
    // Its own run waits as before where the automation has another schedule since, or none.
    for (const changed of [
      schedule,
      { ...schedule, scheduleRecurrence: '0 22 * * *' },
      { scheduleType: 'immediate' },
    ]) {
      const put = { method: 'PUT', body: { ...MANUAL, ...changed }, params: { id: String(id) } }
      expect((await calls.call(byId, `/api/automation/${id}`, put)).status).toBe(200)
      expect(await call()).toBe('This run was started before. It waits: until 5 January 2026, 18:00.')
    }
    await calls.world.clock.run(hours(10))
    expect(await call()).toBe('This run was started before.')
  })

  test('a caller’s own key with another body is refused, and starts nothing', async () => {
    const job = calls.world.job(LEEDS)
    const { triggerUrl } = await make(MANUAL)
    const call = (more: object) => setOff(triggerUrl, { ...BODY, job_uuid: job, ...more }, { 'idempotency-key': 'one' })
    const first = await call({})
    for (const other of [{ date: '2027-01-02' }, { job_uuid: calls.world.job(LEEDS) }]) {
      expect(await call(other)).toMatchObject({
        status: 409,
        json: { message: 'This Idempotency-Key was used with another body. Use a new key.' },
      })
    }
    expect((await call({})).json.executionId).toBe(first.json.executionId)
    expect(calls.world.rows('SELECT count(*) AS n FROM run')).toEqual([{ n: 1 }])
  })

  test('a wrong or missing key is answered like a rule that does not exist', async () => {
    const { triggerUrl } = await make(MANUAL)
    for (const url of [
      triggerUrl.replace(/key=.*/, ''),
      triggerUrl.replace(/key=.{4}/, 'key=AAAA'),
      triggerUrl.replace('/automation/1/', '/automation/2/'),
    ]) {
      const answered = await setOff(url, { ...BODY, job_uuid: 'j' })
      expect([answered.status, answered.text]).toEqual([404, UNKNOWN])
    }
  })

  test('both values are required, and a date is a day of the calendar', async () => {
    const { triggerUrl } = await make(MANUAL)
    const errors = async (body: unknown) => (await setOff(triggerUrl, body)).json.errors
    expect(await errors({})).toMatchObject({
      job_uuid: ['job_uuid is required'],
      date: ['date is required (YYYY-MM-DD)'],
    })
    const job_uuid = calls.world.job(LEEDS)
    expect(await errors({ job_uuid, date: '2026-02-30' })).toEqual({ date: ['date is not a day of the calendar'] })
    expect(await errors({ job_uuid, date: '5.1.2026' })).toMatchObject({
      date: expect.arrayContaining(['date must be written YYYY-MM-DD']),
    })
    expect(await errors({ ...BODY, job_uuid, sms: 'x' })).toEqual({ sms: ['Not allowed'] })
    // The number of a job in place of its uuid: the run would find no record.
    expect(await errors({ ...BODY, job_uuid: '1226' })).toEqual({ job_uuid: ['job_uuid is not a uuid'] })
  })

  test('60 a minute, then 429', async () => {
    const { triggerUrl } = await make(MANUAL)
    const answered = await Promise.all(Array.from({ length: 61 }, () => setOff(triggerUrl, {})))
    const statuses = answered.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 400), 429])
  })

  test('a rule that is switched off says so to whoever has its key', async () => {
    const made = await make(MANUAL)
    const params = { id: String(made.id) }
    await calls.call(byId, `/api/automation/${made.id}`, { method: 'PUT', body: { active: false }, params })
    const answered = await setOff(made.triggerUrl, { ...BODY, job_uuid: calls.world.job(LEEDS) })
    expect([answered.status, answered.json.message]).toEqual([409, 'This automation is switched off.'])
  })
})

describe('templates', () => {
  test('the library has 29, each in one of five categories, and counts its uses', async () => {
    const listed = await calls.call(templates, '/api/automation-templates')
    expect(listed.json).toHaveLength(29)
    const reporting = await calls.call(templates, '/api/automation-templates?category=reporting')
    expect(reporting.json.map((one: { category: string }) => one.category)).toEqual(
      Array.from({ length: 4 }, () => 'reporting'),
    )
    expect((await calls.call(templates, '/api/automation-templates?category=magic')).status).toBe(400)
    const copied = await calls.call(copy, '/api/automation-templates/1/copy', {
      method: 'POST',
      body: { accountUUID: LEEDS },
      params: { id: '1' },
    })
    expect(copied.json).toMatchObject({
      name: 'Quote check-in after 3 days (From Template)',
      triggerSource: 'api_polling',
      enableGrouping: false,
      groupingField: null,
    })
    const again = await calls.call(templates, '/api/automation-templates')
    expect(again.json.find((one: { id: number }) => one.id === 1).usageCount).toBe(1)
    const nobody = { method: 'POST', body: {}, params: { id: '1' } } as const
    expect((await calls.call(copy, '/api/automation-templates/1/copy', nobody)).json.message).toBe(
      'Account UUID is required',
    )
  })

  test('a copied template can be saved as it is, switched off', async () => {
    for (const id of ['1', '13', '22']) {
      const body = { accountUUID: LEEDS }
      const copied = await calls.call(copy, `/api/automation-templates/${id}/copy`, {
        method: 'POST',
        body,
        params: { id },
      })
      const saved = await calls.call(automation, '/api/automation', {
        method: 'POST',
        body: { ...copied.json, accountUUID: LEEDS, active: false },
      })
      expect([saved.status, saved.json.errors]).toEqual([201, undefined])
    }
  })

  test('a private one is listed for its own account only, also in a session of two', async () => {
    await calls.world.store.accounts.openSession({
      tokenHash: hashToken('both'),
      expiresAt: calls.world.clock.now() + hours(8),
      account: { accountUuid: LEEDS, staffUuid: null, proof: 'oauth', provedAt: calls.world.clock.now() },
      replaces: [hashToken(BRISBANE)],
      carryProofsSince: 0,
    })
    const body = { ...RULE, category: 'workflow', description: 'Ours', isPublic: false }
    const made = await calls.call(templates, '/api/automation-templates?admin=yes', { method: 'POST', body })
    const listed = async (account: string) => {
      const path = `/api/automation-templates?accountUUID=${account}`
      return (await calls.call(templates, path, { as: 'both' })).json.map((one: { id: number }) => one.id)
    }
    expect(await listed(LEEDS)).toContain(made.json.id)
    expect(await listed(BRISBANE)).not.toContain(made.json.id)
    const stranger = await calls.call(templates, `/api/automation-templates?accountUUID=${BRISBANE}`, { as: LEEDS })
    expect(stranger.text).toBe(UNKNOWN)
  })

  test('only an admin makes one, and everybody finds it', async () => {
    const { accountUUID: _account, ...rest } = RULE
    const body = { ...rest, category: 'workflow', description: 'Ours' }
    const post = (as: string, query: string) =>
      calls.call(templates, `/api/automation-templates${query}`, { method: 'POST', as, body })
    expect((await post(LEEDS, '')).status).toBe(403)
    expect((await post(BRISBANE, '?admin=yes')).status).toBe(403)
    const made = await post(LEEDS, '?admin=yes')
    expect([made.status, made.json.name]).toEqual([201, 'Chase quotes'])
    const found = await calls.call(templates, '/api/automation-templates?category=workflow', { as: BRISBANE })
    expect(found.json.map((one: { id: number }) => one.id)).toContain(made.json.id)
    const nameless = await calls.call(templates, '/api/automation-templates?admin=yes', {
      method: 'POST',
      body: { ...body, name: '' },
    })
    expect(nameless.json.errors).toMatchObject({ name: ['Template name is required'] })
  })
})

describe('lookups', () => {
  const lookUp = (list: string, accountUUID = LEEDS, as: string | null = LEEDS) =>
    calls.call(lookup, `/api/servicem8/${list}/${accountUUID}`, { as, params: { list, accountUUID } })

  test('queues and staff come under the documented names', async () => {
    expect((await lookUp('queues')).json).toEqual([{ uuid: QUEUE, name: 'To be booked' }])
    expect((await lookUp('staff')).json).toEqual([
      { uuid: STAFF, first: 'Tom', last: 'Finch', email: 'tom@example.test' },
    ])
    calls.world.platform.put(LEEDS, 'smstemplate', { uuid: 't', name: 'On the way', message: 'We are coming.' })
    expect((await lookUp('sms-templates')).json).toEqual([
      { uuid: 't', template_name: 'On the way', message_text: 'We are coming.' },
    ])
    calls.world.platform.put(LEEDS, 'documenttemplate', { uuid: 'd', name: 'Invoice', template_type: 'Invoice' })
    expect((await lookUp('document-templates')).json).toMatchObject({ templateTypes: ['Invoice'] })
  })

  test('a refusal of the platform is 500 with its own words', async () => {
    calls.world.platform.fate = () => 'forbidden'
    const refused = await lookUp('jobs')
    expect([refused.status, refused.json.message]).toEqual([500, 'insufficient_scope: publish_sms scope required'])
  })

  test('nobody else’s lists, and no list that is not there', async () => {
    expect((await lookUp('queues', LEEDS, BRISBANE)).text).toBe(UNKNOWN)
    expect((await lookUp('secrets')).text).toBe(UNKNOWN)
    expect((await lookUp('queues', LEEDS, null)).status).toBe(401)
  })

  test('the API test is the admin’s own account’s, with the ten names', async () => {
    const ask = (name: string, query = '?admin=yes', as = LEEDS, accountUUID = LEEDS) =>
      calls.call(testApi, `/api/admin/test-api/${accountUUID}/${name}${query}`, {
        as,
        params: { accountUUID, apiName: name },
      })
    expect((await ask('queues')).json).toMatchObject([{ uuid: QUEUE, name: 'To be booked' }])
    expect((await ask('queues', '')).status).toBe(403)
    expect((await ask('queues', '?admin=yes', BRISBANE, BRISBANE)).status).toBe(403)
    expect((await ask('vendor')).status).toBe(404)
    expect((await ask('queues', '?admin=yes', LEEDS, BRISBANE)).text).toBe(UNKNOWN)
  })
})

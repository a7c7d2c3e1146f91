// Long: every button around the form, with the engine behind it.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS, QUEUE } from '#tests/support/automation-world.server.ts'
import { loadRun } from '../history/history-page.server.ts'
import { createRule } from '../rules/rules.server.ts'
import { actOnRule } from './act-on-rule.server.ts'
import { blankName, type RuleAct } from './act-on-rule.ts'
import { loadAutomationPage } from './automation-page.server.ts'

let calls: AutomationCalls
let runsLeft: number
beforeEach(async () => {
  calls = await automationCalls()
  runsLeft = 30
})
afterEach(() => calls.close())

const ACTIONS = [
  { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' } },
]
const RULE = {
  name: 'Chase quotes',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  conditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
  actions: ACTIONS,
}

async function make(body: Record<string, unknown> = RULE, accountUuid = LEEDS): Promise<number> {
  const saved = await createRule(calls.app, accountUuid, body)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  return saved.rule.id
}

async function press(act: RuleAct, values: Record<string, string>, { as = LEEDS, admin = false } = {}) {
  const pressed = actOnRule(calls.app, as, act, values, {
    admin,
    takeRun: () => runsLeft-- > 0,
    names: { [QUEUE]: 'To be booked' },
  })
  let settled = false
  pressed.then(
    () => {
      settled = true
    },
    () => {
      settled = true
    },
  )
  // A run waits for the clock.
  for (let second = 0; second < 30 && !settled; second++) await calls.world.clock.run(1_000)
  return pressed
}

const pageOf = (accountUuid = LEEDS) =>
  loadAutomationPage(calls.app, accountUuid, { names: { [QUEUE]: 'To be booked' }, logs: true, rules: true })

async function card(accountUuid = LEEDS) {
  const [rule] = (await pageOf(accountUuid)).rules ?? []
  if (!rule) throw new Error('the rule is not on the page')
  return rule
}

const sent = () => calls.world.platform.messages.length

/** A person saw what would happen, and said yes. */
const YES = { confirmed: 'yes' }

async function askedBy(...[act, values]: Parameters<typeof press>) {
  const done = await press(act, values)
  if (done.outcome !== 'shown' || done.result.kind !== 'ask_run') throw new Error(JSON.stringify(done))
  return done.result.asked
}

describe('run now', () => {
  test('does it, says so, and the logs of the page tell for which job', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    const done = await press('run', { id: String(id), ...YES })
    expect(done).toEqual({
      outcome: 'done',
      flash: {
        kind: 'success',
        title: 'Automation executed',
        description: 'Job 1: 1 text sent.',
        at: `automation-${id}-buttons`,
      },
      runId: expect.any(Number),
    })
    expect(sent()).toBe(1)
    const ran =
      done.outcome === 'done'
        ? await loadRun({ ...calls.app, namesOf: async () => new Map() }, LEEDS, done.runId ?? 0)
        : null
    expect(ran?.customers).toMatchObject([{ name: 'Customer 1', gotToday: '1 text' }])
    const { logs } = await pageOf()
    expect(logs).toEqual([
      expect.objectContaining({
        name: 'Chase quotes',
        status: 'success',
        about: 'Job 1 · Customer 1',
        actions: [expect.objectContaining({ label: 'Send SMS', success: true })],
      }),
    ])
    expect(await card()).toMatchObject({ executionCount: 1, lastExecutedAt: expect.any(Number) })
  })

  test('a template that is too long is no message: run and preview say so in the same words', async () => {
    calls.world.job(LEEDS)
    const smsTemplateId = '60000000-0000-4000-8000-000000000001'
    calls.world.platform.put(LEEDS, 'smstemplate', { uuid: smsTemplateId, message: '{nothing}'.repeat(50_000) })
    const parameters = { to: '{entry.0.contact_mobile}', useSmsTemplate: true, smsTemplateId }
    const id = await make({ ...RULE, actions: [{ type: 'send_sms', parameters }] })
    const sentence = 'The template has 450,000 characters; at most 100,000 can be sent. Shorten it in ServiceM8.'
    expect(JSON.stringify(await press('preview', { id: String(id) }))).toContain(sentence)
    await press('run', { id: String(id), ...YES })
    const { logs } = await pageOf()
    expect(logs).toMatchObject([{ status: 'failure' }])
    expect(JSON.stringify(logs)).toContain(sentence)
    expect(sent()).toBe(0)
  })

  test('conditions that are not met are told in words, and going on all the same is one press away', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    const id = await make()
    const asked = await press('run', { id: String(id), ...YES })
    expect(asked).toMatchObject({
      outcome: 'shown',
      result: {
        kind: 'not_met',
        ruleId: id,
        name: 'Chase quotes',
        mode: 'run',
        failed: [{ field: 'status', operator: 'equals', value: 'Quote', words: expect.stringContaining('Completed') }],
      },
    })
    expect(sent()).toBe(0)
    expect(await press('run', { id: String(id), bypass: 'yes', ...YES })).toMatchObject({
      outcome: 'done',
      flash: { kind: 'success', title: 'Automation executed' },
    })
    expect(sent()).toBe(1)
  })

  test('a rule that writes to a customer asks first: for whom, what, and what they got already; then it acts once', async () => {
    const first = calls.world.job(LEEDS, { edit_date: '2026-01-05 08:30:00' })
    const second = calls.world.job(LEEDS)
    const id = await make()
    const asked = await askedBy('run', { id: String(id) })
    expect(sent()).toBe(0)
    expect(asked).toMatchObject({
      about: expect.stringContaining('Customer 1'),
      handled: null,
      runs: [{ got: [], preview: { often: 'Once per job', customerMessages: 1 } }],
      choices: [{ uuid: first, matches: true }, { uuid: second }],
    })
    expect(asked.runs[0]?.preview.steps[0]?.effects[0]).toMatchObject({
      to: '+447700900001',
      texts: [{ text: 'Job 1' }],
    })
    // Another record, found by its number.
    const other = await askedBy('run', { id: String(id), search: '2' })
    expect(other).toMatchObject({ about: expect.stringContaining('Customer 2'), values: { recordUuid: second } })
    expect(await press('run', { id: String(id), ...other.values })).toMatchObject({
      outcome: 'done',
      flash: { title: 'Automation executed' },
    })
    expect(calls.world.platform.messages.map(({ text }) => text)).toEqual(['Job 2'])
    // A second press a moment later is the same one; later it says what they got.
    expect(await press('run', { id: String(id), ...other.values })).toMatchObject({
      flash: { title: 'This ran a moment ago. It was not run again.' },
    })
    await calls.world.clock.run(20_000)
    const again = await askedBy('run', { id: String(id), recordUuid: second })
    expect(again).toMatchObject({
      handled: 'Already ran for this job.',
      runs: [{ got: [{ to: '+447700900002', channel: 'sms', automationName: 'Chase quotes' }] }],
      values: { handled: 'yes' },
    })
    expect(sent()).toBe(1)
    await press('run', { id: String(id), ...again.values })
    expect(sent()).toBe(2)
  })

  test('what changed since it was shown is shown again', async () => {
    calls.world.job(LEEDS)
    const id = await make({
      ...RULE,
      triggerSource: 'api_polling',
      apiEndpoint: '/api_1.0/job.json',
      pollInterval: 'on_demand',
    })
    const asked = await askedBy('run', { id: String(id) })
    calls.world.job(LEEDS)
    const now = await askedBy('run', { id: String(id), ...asked.values })
    expect(now).toMatchObject({ about: '2 jobs', note: expect.stringContaining('Check them again') })
    expect(sent()).toBe(0)
    await press('run', { id: String(id), ...now.values })
    expect(sent()).toBe(2)
  })

  test('a rule that writes to nobody runs at once, and asks when all of it was handled before', async () => {
    calls.world.job(LEEDS)
    const actions = [{ type: 'create_task', parameters: { title: 'Call back' } }]
    const id = await make({ ...RULE, actions, once: 'record' })
    expect(await press('run', { id: String(id) })).toMatchObject({ outcome: 'done', flash: { kind: 'success' } })
    await calls.world.clock.run(20_000)
    expect(await askedBy('run', { id: String(id) })).toMatchObject({ handled: 'Already ran for this job.' })
  })

  test('without any record it says that there is none', async () => {
    const id = await make()
    expect(await press('run', { id: String(id), ...YES })).toMatchObject({
      flash: { kind: 'error', title: 'Failed to run automation', description: 'There is no record to act on.' },
    })
  })

  test('nobody to write to is no failure: it says why nothing was done', async () => {
    calls.world.job(LEEDS)
    const to = [
      { type: 'send_sms', parameters: { to: '{entry.0.company_mobile or "not a number"}', message: 'Hello' } },
    ]
    const id = await make({ ...RULE, actions: to })
    const done = await press('run', { id: String(id), ...YES })
    expect(done).toMatchObject({ flash: { kind: 'info', title: 'Automation executed' } })
    expect(done).toHaveProperty('flash.description', expect.stringMatching(/^Skipped: .*number/))
  })

  test('a run that has to wait says for what', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    calls.world.platform.fate = ({ verb }) => (verb === 'sms' ? 'forbidden' : 'well')
    expect(await press('run', { id: String(id), ...YES })).toMatchObject({
      flash: { kind: 'info', title: 'Automation started', description: expect.stringContaining('permission') },
    })
  })

  test('a failed action is a failed run, with its reason', async () => {
    calls.world.job(LEEDS)
    const actions = [{ type: 'assign_to_queue', parameters: { queueUuid: '99999999-0000-4000-8000-0000000000ff' } }]
    const id = await make({ ...RULE, actions })
    const done = await press('run', { id: String(id), ...YES })
    expect(done).toMatchObject({ flash: { kind: 'error', title: 'Failed to run automation' } })
    expect(done).toHaveProperty('flash.description', expect.stringContaining('queue'))
  })

  test('too often within a minute is refused before anything is done', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    runsLeft = 0
    expect(await press('run', { id: String(id), ...YES })).toMatchObject({
      flash: { title: 'Failed to run automation', description: 'Too many runs. Try again in a minute.' },
    })
    expect(sent()).toBe(0)
  })

  test('nobody runs the rule of another account', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    for (const act of ['run', 'preview', 'switch', 'delete', 'new_url'] as const) {
      expect(await press(act, { id: String(id), to: 'off' }, { as: BRISBANE })).toMatchObject({
        outcome: 'done',
        flash: { kind: 'error', description: 'This automation was deleted.' },
      })
    }
    expect((await card()).active).toBe(true)
    expect(sent()).toBe(0)
  })
})

describe('looking first', () => {
  test('a preview shows who gets which words over which channel and what it costs, and sends nothing', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    const shown = await press('preview', { id: String(id) })
    expect(shown).toMatchObject({
      outcome: 'shown',
      result: {
        kind: 'previewed',
        mode: 'preview',
        preview: {
          about: expect.stringMatching(/^Job 1 · Customer 1 · 12 High Street/),
          matched: 1,
          total: 1,
          customerMessages: 1,
          credits: 1,
          steps: [
            {
              label: 'Send SMS',
              outcome: 'would_run',
              effects: [
                { channel: 'Text message', to: '+447700900001', credits: 1, texts: [{ label: 'Text', text: 'Job 1' }] },
              ],
            },
          ],
        },
      },
    })
    expect(sent()).toBe(0)
  })

  test('a change is shown with what it was and what it would be', async () => {
    calls.world.job(LEEDS)
    const actions = [{ type: 'update_job_status', parameters: { status: 'Work Order' } }]
    const id = await make({ ...RULE, actions })
    const shown = await press('preview', { id: String(id) })
    expect(shown).toHaveProperty('result.preview.steps.0.effects.0.changes', [
      { field: 'Status', from: '"Quote"', to: '"Work Order"' },
    ])
  })

  test('what has a name is told by it, and ids that nobody can read are left out', async () => {
    calls.world.job(LEEDS)
    const actions = [
      { type: 'assign_to_queue', parameters: { queueUuid: QUEUE } },
      { type: 'create_task', parameters: { title: 'Call back' } },
    ]
    const id = await make({ ...RULE, actions })
    const shown = await press('preview', { id: String(id) })
    expect(shown).toHaveProperty(
      'result.preview.steps.0.effects.0.changes',
      expect.arrayContaining([{ field: 'Queue', from: 'empty', to: '"To be booked"' }]),
    )
    const texts = 'result.preview.steps.1.effects.0.texts'
    expect(shown).toHaveProperty(texts, [{ label: 'name', text: 'Call back' }])
  })

  test('the last 30 days of a rule are a list of what it would have done, beside what really ran', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    await press('run', { id: String(id), ...YES })
    const before = sent()
    expect(await press('backtest', { id: String(id) })).toMatchObject({
      outcome: 'shown',
      result: {
        kind: 'backtested',
        ruleId: id,
        backtest: { count: 1, ran: 1, rows: [{ title: 'Job 1', ran: true, does: [{ text: 'Job 1' }] }] },
      },
    })
    expect(sent()).toBe(before)
    runsLeft = 0
    expect(await press('backtest', { id: String(id) })).toMatchObject({
      flash: { kind: 'error', title: 'The last 30 days could not be looked up' },
    })
  })

  test('check mode is for admins, whatever the form says', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    expect(await press('check', { id: String(id) })).toMatchObject({
      flash: { title: 'Failed to run automation', description: expect.stringContaining('admins') },
    })
    expect(await press('check', { id: String(id) }, { admin: true })).toMatchObject({
      result: { kind: 'previewed', mode: 'check' },
    })
    expect(sent()).toBe(0)
  })

  test('conditions that are not met ask before they are passed by', async () => {
    calls.world.job(LEEDS, { status: 'Completed' })
    const id = await make()
    expect(await press('preview', { id: String(id) })).toMatchObject({ result: { kind: 'not_met', mode: 'preview' } })
    expect(await press('preview', { id: String(id), bypass: 'yes' })).toMatchObject({ result: { kind: 'previewed' } })
    expect(sent()).toBe(0)
  })
})

describe('the switch', () => {
  test('off and on, and the card says how it stands', async () => {
    const id = await make()
    expect(await press('switch', { id: String(id), to: 'off' })).toMatchObject({
      flash: {
        kind: 'success',
        title: 'Automation updated',
        description: expect.stringContaining('off'),
        at: `automation-${id}-switch`,
      },
    })
    expect(await card()).toMatchObject({ active: false, preparing: false })
    await press('switch', { id: String(id), to: 'on' })
    expect(await card()).toMatchObject({ active: true, preparing: true })
  })

  test('a rule with an open blank stays off, and the blank is named on the card and in the refusal', async () => {
    const actions = [
      { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'From [[Business name]]' } },
    ]
    const id = await make({ ...RULE, actions, active: false })
    expect(await press('switch', { id: String(id), to: 'on' })).toMatchObject({
      flash: {
        kind: 'error',
        title: 'Error updating automation',
        description: expect.stringContaining('Business name'),
      },
    })
    expect(await card()).toMatchObject({
      active: false,
      openBlanks: ['Business name'],
      askedBlanks: [{ label: 'Business name', value: expect.any(String) }],
    })
    // Nothing typed keeps it as it is; an answer fills it in and switches it on.
    expect(await press('fill', { id: String(id), [blankName(id, 'Business name')]: ' ' })).toMatchObject({
      flash: { kind: 'error', description: 'To switch it on, add: Business name' },
    })
    expect(await card()).toMatchObject({ active: false, openBlanks: ['Business name'] })
    expect(await press('fill', { id: String(id), [blankName(id, 'Business name')]: 'Alder & Finch' })).toMatchObject({
      flash: { kind: 'success', title: 'Automation updated', description: 'It is on.' },
    })
    expect(await card()).toMatchObject({ active: true, openBlanks: [], askedBlanks: [] })
    const stored = await calls.app.store.automations.findAutomation(LEEDS, id)
    expect(JSON.stringify(stored?.definition)).toContain('From Alder & Finch')
  })

  test('a rule that looks again and again asks about what matches already, and starts at once when told to take it', async () => {
    const id = await make({
      name: 'Old quotes',
      triggerSource: 'api_polling',
      apiEndpoint: '/api_1.0/job.json',
      pollInterval: 'daily',
      runTime: '08:00',
      active: false,
      actions: ACTIONS,
    })
    expect(await card()).toMatchObject({ asksAboutExisting: true, schedule: 'Every day at 08:00', nextRunAt: null })
    await press('switch', { id: String(id), to: 'on', existing: 'yes' })
    expect(await card()).toMatchObject({ preparing: false, asksAboutExisting: false, nextRunAt: expect.any(Number) })
  })

  test('a paused rule says why, and is started again', async () => {
    const id = await make()
    const at = calls.world.clock.now()
    await calls.world.store.automations.changeAutomation(LEEDS, id, { pausedReason: 'It went round in a circle.', at })
    expect((await card()).pausedReason).toBe('It went round in a circle.')
    await press('switch', { id: String(id), to: 'on' })
    expect((await card()).pausedReason).toBeNull()
  })
})

describe('deleting and addresses', () => {
  test('a deleted rule is off the page', async () => {
    const id = await make()
    expect(await press('delete', { id: String(id) })).toEqual({
      outcome: 'done',
      flash: { kind: 'success', title: 'Automation deleted' },
    })
    expect((await pageOf()).rules).toEqual([])
    const twice = { kind: 'success', title: 'Automation deleted', description: 'It was deleted already.' }
    expect(await press('delete', { id: String(id) })).toMatchObject({ flash: twice })
    expect(await press('delete', { id: 'x' })).toMatchObject({ flash: { title: 'Failed to delete automation' } })
    expect(await press('undo', { id: String(id) })).toMatchObject({ flash: { kind: 'success' } })
  })

  test('a deletion is undone for ten minutes, as the rule was, with what it had waiting', async () => {
    const id = await make({ name: 'Pack', triggerSource: 'manual_endpoint', actions: ACTIONS })
    const before = await card()
    await press('delete', { id: String(id) })
    const { store, clock } = calls.world
    const keyed = async () =>
      store.automations.findAutomationByTriggerKey(hashToken(before.triggerUrl?.split('key=')[1] ?? ''))
    expect(await keyed()).toBeNull()
    expect(await press('undo', { id: String(id) }, { as: BRISBANE })).toMatchObject({ flash: { kind: 'error' } })
    expect(await press('undo', { id: String(id) })).toMatchObject({
      flash: { kind: 'success', title: 'Automation restored' },
    })
    expect(await card()).toMatchObject({ id, active: true, triggerUrl: before.triggerUrl })
    expect((await keyed())?.id).toBe(id)
    const again = { flash: { title: 'Failed to restore automation', description: 'It was deleted a while ago.' } }
    expect(await press('undo', { id: String(id) }), 'pressed twice').toMatchObject({ flash: { kind: 'success' } })
    for (const wrong of ['999', 'x']) expect(await press('undo', { id: wrong })).toMatchObject(again)
    await press('switch', { id: String(id), to: 'off' })
    await press('delete', { id: String(id) })
    await press('undo', { id: String(id) })
    expect(await card()).toMatchObject({ id, active: false })
    await press('delete', { id: String(id) })
    clock.leap(minutes(11))
    expect(await press('undo', { id: String(id) })).toMatchObject(again)
    expect((await pageOf()).rules).toEqual([])
  })

  test('a new address replaces the old one, and is opened', async () => {
    const id = await make({ name: 'Pack', triggerSource: 'manual_endpoint', actions: ACTIONS })
    const before = (await card()).triggerUrl
    expect(before).toContain(`/api/automation/${id}/trigger?key=`)
    expect(await press('new_url', { id: String(id) })).toMatchObject({ outcome: 'done', openUrlOf: id })
    expect((await card()).triggerUrl).not.toBe(before)
  })
})

describe('import', () => {
  test('what a card copies can be pasted: the fields come back as a new entry, switched off', async () => {
    await make()
    const { json } = await card()
    expect(json).not.toContain(LEEDS)
    const imported = await press('import', { json })
    expect(imported).toMatchObject({
      outcome: 'imported',
      fields: { name: 'Chase quotes (Imported)', active: false, triggerType: 'job_status' },
      toast: { title: 'Automation imported' },
    })
    expect((await pageOf()).rules).toHaveLength(1)
  })

  test('several at once are stored, each switched off', async () => {
    const rules = [RULE, { ...RULE, name: 'Second' }]
    expect(await press('import', { json: JSON.stringify({ rules }) })).toMatchObject({
      flash: { kind: 'success', title: '2 automations imported' },
    })
    const cards = (await pageOf()).rules ?? []
    expect(cards.map(({ name, active }) => [name, active])).toEqual([
      ['Second (Imported)', false],
      ['Chase quotes (Imported)', false],
    ])
  })

  test.each([
    ['{', 'Invalid JSON format'],
    ['{"name":"No actions"}', 'Invalid automation format - missing name or actions'],
  ])('%s is refused in the documented words, and what was pasted stays', async (json, message) => {
    expect(await press('import', { json })).toMatchObject({
      outcome: 'shown',
      result: { kind: 'import_refused', text: json, message },
      toast: { kind: 'error', title: 'Import failed', description: message },
    })
  })
})

test('a list that cannot be read leaves the rest of the page usable', async () => {
  const refuse = async () => {
    throw new Error('the disk is gone')
  }
  const store = withMethods(calls.app.store, { listAutomations: refuse, listRuns: refuse })
  const page = await loadAutomationPage({ ...calls.app, store }, LEEDS, { names: {}, logs: true, rules: true })
  expect(page).toMatchObject({ accountName: 'Leeds Electrical', rules: null, logs: 'failed' })
})

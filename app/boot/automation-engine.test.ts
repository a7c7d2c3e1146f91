// Long: one table of stories. The run engine with the real actions on a real file: what becomes of a run, from the wish to the last row.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CREATED_FIELD } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { releaseRuns } from '#app/features/automations/history/run-again.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  QUEUE,
  STAFF,
  TRIGGERED,
  uuidOf,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
beforeEach(async () => {
  world = await automationWorld()
})
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', {
  to: '{entry.0.contact_mobile}',
  message: 'Hi {entry.0.contact_first_name or "there"}, about job {entry.0.generated_job_id}.',
  linkToJob: true,
})

const STATUS = { status: 'Work Order' }

/** Starts the engine and lets it work for a while. */
async function work(ms = seconds(5), engine = world.engine()) {
  engine.start()
  await world.clock.run(ms)
  return engine
}

test('a run does its steps in order, and its journal says so', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(
    aRule([
      TEXT,
      aStep('s2', 'update_job_status', { status: 'Work Order' }),
      aStep('s3', 'create_task', { title: 'Ring {entry.0.contact_first_name}', description: '' }),
    ]),
  )
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 sent', 's3/0 sent'])
  expect(await world.run(run)).toMatchObject({ state: 'done', outcome: 'success', reason: null })
  expect(world.platform.messages.map(({ to, text }) => ({ to, text }))).toEqual([
    { to: '+447700900001', text: 'Hi Margaret, about job 1.' },
  ])
  expect(world.platform.records(LEEDS, 'job').get(job)).toMatchObject({ status: 'Work Order' })
  expect(world.platform.made.map(({ object, fields }) => [object, fields.name])).toEqual([['task', 'Ring Margaret']])
})

test('a step left out because its value is empty here does not count as done for the one that needs it', async () => {
  const status = aStep('s1', 'update_job_status', { status: '{queue_name}' })
  const rule = await world.rule(aRule([status, { ...TEXT, id: 's2', waitForPrevious: true }]))
  const run = await world.start(rule, [world.job(LEEDS)])
  await work()
  expect(world.states(run)).toEqual(['s1/0 skipped', 's2/0 skipped'])
  expect(await world.run(run)).toMatchObject({ state: 'done', outcome: 'nothing' })
  expect(world.platform.messages).toEqual([])
})

test('nor does a message whose receiver is empty here', async () => {
  const rule = await world.rule(aRule([TEXT, { ...aStep('s2', 'update_job_status', STATUS), waitForPrevious: true }]))
  const job = world.job(LEEDS)
  const contacts = world.platform.records(LEEDS, 'jobcontact')
  for (const [uuid, contact] of contacts) contacts.set(uuid, { ...contact, mobile: '' })
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 skipped', 's2/0 skipped'])
  expect(world.platform.records(LEEDS, 'job').get(job)).not.toMatchObject(STATUS)
})

test('results of a step feed the texts and attachments of later ones', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(
    aRule([
      aStep('s1', 'create_job', { company_uuid: '{company_uuid}', status: 'Quote', job_description: 'Yearly service' }),
      aStep('s2', 'generate_document', {
        objectType: 'Job',
        templateType: 'Invoice',
        outputFormat: 'pdf',
        createAttachment: true,
      }),
      aStep('s3', 'send_email', {
        contentType: 'manual',
        to: '{entry.0.contact_email}',
        customSubject: 'Job {action_1_result.generated_job_id}',
        customBody: 'See the file.',
        includeGeneratedDocument: true,
        documentActionIndex: 2,
      }),
    ]),
  )
  const run = await world.start(rule, [job])
  await work()
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  const made = world.platform.made.find((one) => one.object === 'job')
  const file = world.platform.made.find((one) => one.object === 'attachment')
  const number = world.platform.records(LEEDS, 'job').get(made?.uuid ?? '')?.generated_job_id
  expect(world.platform.messages).toMatchObject([{ subject: `Job ${String(number)}`, attachments: [file?.uuid] }])
})

test('a template of ServiceM8 may name anything of the job', async () => {
  const category_uuid = '50000000-0000-4000-8000-000000000001'
  world.platform.put(LEEDS, 'category', { uuid: category_uuid, name: 'Heating' })
  const emailTemplateId = '70000000-0000-4000-8000-000000000001'
  const message = '<p>{job.category}, {queue.name}</p>'
  world.platform.put(LEEDS, 'emailtemplate', { uuid: emailTemplateId, subject: 'Your {job.category}', message })
  const job = world.job(LEEDS, { category_uuid, queue_uuid: QUEUE })
  const mail = { contentType: 'template', emailTemplateId, to: '{entry.0.contact_email}' }
  const run = await world.start(await world.rule(aRule([aStep('s1', 'send_email', mail)])), [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent'])
  expect(world.platform.messages).toMatchObject([{ subject: 'Your Heating' }])
})

test('a rule that is edited while it runs does not change the running run', async () => {
  const job = world.job(LEEDS)
  const definition = aRule([
    aStep('s1', 'send_notification', {
      notificationType: 'webhook',
      message: 'first',
      url: 'https://hook.example.com/a',
    }),
    { ...TEXT, id: 's2', waitForPrevious: true },
  ])
  const rule = await world.rule(definition)
  world.outbound.when('https://hook.example.com/a', (_request, count) => (count === 1 ? { status: 500 } : {}))
  const run = await world.start(rule, [job])
  await work()
  expect(await world.run(run)).toMatchObject({ state: 'waiting' })
  const edited = { ...definition, steps: [{ ...TEXT, parameters: { ...TEXT.parameters, message: 'Another text' } }] }
  await world.store.automations.changeAutomation(LEEDS, rule, { definition: edited, at: world.clock.now() })
  await world.clock.run(minutes(1))
  expect(await world.run(run)).toMatchObject({ outcome: 'success', version: 1 })
  expect(world.platform.messages.map((one) => one.text)).toEqual(['Hi Margaret, about job 1.'])
})

test('a step that fails for now is tried at 30 s, 2, 10, 30 min, 2, 6 and 12 h, then it has failed', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(aRule([aStep('s1', 'update_job_status', { status: 'Work Order' })]))
  const tried: number[] = []
  world.platform.fate = ({ verb }) => {
    if (verb !== 'update') return 'well'
    tried.push(world.clock.now())
    return 'not_reached'
  }
  const run = await world.start(rule, [job])
  // A day of renewed leases would take long.
  await work(hours(24), world.engine({}, { beatMs: minutes(5) }))
  const gaps = tried.slice(1).map((at, index) => Math.round((at - (tried[index] ?? 0)) / 1000))
  expect(gaps).toEqual([30, 120, 600, 1800, 7200, 21600, 43200])
  expect(await world.run(run)).toMatchObject({ state: 'done', outcome: 'failure' })
  expect((await world.run(run)).reason).toEqual(expect.stringContaining('ServiceM8 is not answering'))
})

test('a step that waits for its next try holds up only those that need it', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(
    aRule([
      aStep('s1', 'update_job_status', { status: 'Work Order' }),
      { ...TEXT, id: 's2' },
      aStep('s3', 'create_task', { title: 'After the text', description: '' }, true),
      aStep('s4', 'create_task', { title: 'Also', description: '' }, false),
    ]),
  )
  world.platform.fate = ({ verb }) => (verb === 'update' ? 'not_reached' : 'well')
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 failed', 's2/0 sent', 's3/0 sent', 's4/0 sent'])
  expect(await world.run(run)).toMatchObject({ state: 'waiting' })
  world.platform.fate = () => 'well'
  await world.clock.run(minutes(1))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
})

test('what needs a step that failed for good does not begin, and the run is partial', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(
    aRule([
      { ...TEXT, id: 's1' },
      aStep('s2', 'assign_to_queue', { queueUuid: '99999999-0000-4000-8000-0000000000ff' }),
      aStep('s3', 'create_task', { title: 'Only then', description: '' }, true),
    ]),
  )
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 failed', 's3/0 skipped'])
  expect(await world.run(run)).toMatchObject({ outcome: 'partial' })
})

test('too many calls cost no try: the run waits for the moment the platform names', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(
    aRule([aStep('s1', 'update_job_status', { status: 'Work Order' }), { ...TEXT, id: 's2' }]),
  )
  let refused = 0
  world.platform.fate = ({ verb }) => (verb === 'update' && refused++ < 3 ? 'too_many' : 'well')
  const run = await world.start(rule, [job])
  await work()
  expect(world.states(run)).toEqual(['s1/0 planned'])
  await world.clock.run(minutes(2))
  expect(await world.run(run)).toMatchObject({ outcome: 'success', journal: [{ attempt: 1 }, { attempt: 1 }] })
})

test('a lost connection pauses all rules of the account once, and everything goes on when it is back', async () => {
  const job = world.job(LEEDS)
  const other = world.job(BRISBANE)
  const rule = await world.rule(aRule([TEXT]))
  const second = await world.rule(aRule([TEXT]), LEEDS, 'Second')
  const elsewhere = await world.rule(aRule([TEXT]), BRISBANE)
  world.platform.fate = ({ account }) => (account === LEEDS ? 'unauthorized' : 'well')
  const run = await world.start(rule, [job])
  const theirs = await world.start(elsewhere, [other], {}, BRISBANE)
  await work(minutes(3))
  expect(await world.run(theirs, BRISBANE)).toMatchObject({ outcome: 'success' })
  expect(await world.run(run)).toMatchObject({ state: 'waiting', reason: runReason('reconnect') })
  for (const id of [rule, second]) {
    expect(await world.store.automations.findAutomation(LEEDS, id)).toMatchObject({
      pausedReason: runReason('reconnect'),
    })
  }
  expect(world.logged.filter((line) => line === 'automations.paused')).toHaveLength(1)
  world.platform.fate = () => 'well'
  await world.clock.run(minutes(2))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(await world.store.automations.findAutomation(LEEDS, second)).toMatchObject({ pausedReason: null })
})

test('a missing permission is named, and pauses only the rule that needs it', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(aRule([TEXT]))
  const second = await world.rule(aRule([aStep('s1', 'create_task', { title: 'x', description: '' })]), LEEDS, 'Second')
  world.platform.fate = ({ verb }) => (verb === 'sms' ? 'forbidden' : 'well')
  const run = await world.start(rule, [job])
  await work()
  expect((await world.run(run)).reason).toMatchObject({ code: 'scope', params: { scope: 'publish_sms' } })
  expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({
    pausedReason: { code: 'scope', params: { scope: 'publish_sms' } },
  })
  expect(await world.store.automations.findAutomation(LEEDS, second)).toMatchObject({ pausedReason: null })
})

test('a refusal that names no permission fails the run, and an earlier pause for it ends', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const unnamed = runReason('scope', { scope: null, message: 'Forbidden' })
  await world.store.runs.pauseAutomations(LEEDS, { automationId: rule, reason: unnamed, at: world.clock.now() })
  const refused = { outcome: 'forbidden', status: 403, message: 'Forbidden' } as const
  world.platform.fate = ({ verb }) => (verb === 'sms' ? refused : 'well')
  const run = await world.start(rule, [world.job(LEEDS)])
  await work(minutes(2))
  expect(await world.run(run)).toMatchObject({ outcome: 'failure' })
  expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({ pausedReason: null })
})

test('a record that was deleted before the run came to it is no failure', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [job])
  world.platform.records(LEEDS, 'job').delete(job)
  await work()
  expect(await world.run(run)).toMatchObject({ outcome: 'nothing', reason: runReason('records_gone') })
  expect(world.platform.messages).toEqual([])
})

test('a group is one run: what goes to the customer goes once', async () => {
  const company = '22222222-0000-4000-8000-00000000ffff'
  const jobs = [1, 2, 3, 4, 5, 6].map(() => world.job(LEEDS, { company_uuid: company }))
  const rule = await world.rule(
    aRule(
      [
        aStep('s1', 'send_email', {
          contentType: 'manual',
          to: '{entry.0.contact_email}',
          customSubject: '{count} jobs',
          customBody: '{all_job_ids}',
        }),
      ],
      {
        trigger: {
          source: 'api_polling',
          endpoint: '/api_1.0/job.json',
          method: 'GET',
          interval: 'daily',
          runTime: '08:00',
          weekday: 1,
          dayOfMonth: 1,
          workingDays: false,
          scheduleType: 'immediate',
          scheduleDate: null,
          scheduleRecurrence: null,
        },
        grouping: { enabled: true, field: 'company_uuid' },
      },
    ),
  )
  const run = await world.start(rule, jobs, { source: 'poll', groupKey: company })
  await work()
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
  expect(world.platform.messages).toMatchObject([{ subject: '6 jobs', text: '1, 2, 3, 4, 5, 6' }])
  const calls = world.platform.exchanges.filter(({ verb }) => verb === 'list' || verb === 'read')
  expect(calls.length).toBeLessThanOrEqual(6)
})

test('a run of two actions makes at most six platform calls when the customer is known already', async () => {
  const rule = await world.rule(aRule([TEXT, aStep('s2', 'update_job_status', { status: 'Work Order' })]))
  await world.start(rule, [world.job(LEEDS)])
  await work()
  const before = world.platform.exchanges.length
  await world.start(rule, [world.job(LEEDS)])
  world.app.wakeRuns()
  await world.clock.run(seconds(5))
  expect(world.platform.messages).toHaveLength(2)
  expect(world.platform.exchanges.length - before).toBeLessThanOrEqual(6)
})

test('own writes are noted with their hop before the change is made', async () => {
  const job = world.job(LEEDS)
  const rule = await world.rule(aRule([aStep('s1', 'assign_to_queue', { queueUuid: QUEUE })]))
  const seen: unknown[] = []
  world.platform.fate = ({ verb }) => {
    if (verb === 'update')
      seen.push(...world.rows('SELECT field, value, hop, automation_id AS rule FROM own_write ORDER BY field'))
    return 'well'
  }
  await world.start(rule, [job], { hop: 2 })
  await work()
  expect(seen).toContainEqual({ field: 'queue_uuid', value: QUEUE, hop: 2, rule })
})

test.each([true, false])('lines that move to a new job are noted as own writes; a move by copy: %s', async (byCopy) => {
  const job = world.job(LEEDS)
  const line = uuidOf('contact', 902)
  world.platform.put(LEEDS, 'jobmaterial', { uuid: line, job_uuid: job, name: 'Tap', quantity: '2', active: 1 })
  const company_uuid = String(world.platform.records(LEEDS, 'job').get(job)?.company_uuid)
  const moving = { company_uuid, status: 'Quote', updateExistingMaterials: true }
  const rule = await world.rule(aRule([aStep('s1', 'create_job', moving)]))
  const refused = { outcome: 'refused', status: 400, message: 'job_uuid cannot be changed' } as const
  world.platform.fate = ({ verb, object }) =>
    byCopy && verb === 'update' && object === 'jobmaterial' ? refused : 'well'
  await world.start(rule, [job])
  await work()
  const [made, copy] = world.platform.made.map(({ uuid }) => uuid)
  const writes = world.rows("SELECT record_uuid AS uuid, field, value FROM own_write WHERE object = 'jobmaterial'")
  expect(writes).toContainEqual({ uuid: line, field: 'job_uuid', value: made })
  expect(writes.some(({ uuid, field }) => uuid === copy && field === CREATED_FIELD)).toBe(byCopy)
})

test('a run that cannot be prepared because of a fault of ours fails with a sentence, and others go on', async () => {
  const rule = await world.rule(
    aRule([TEXT, aStep('s2', 'send_staff_message', { toStaffUuid: STAFF, message: 'Look' })]),
  )
  const run = await world.start(rule, [world.job(LEEDS)])
  const broken = { plan: () => Promise.reject(new Error('out of order')) }
  await work(
    seconds(5),
    world.engine({ parts: (parts) => ({ ...parts, actions: { ...parts.actions, send_sms: broken } }) }),
  )
  expect(world.states(run)).toEqual(['s1/0 failed', 's2/0 sent'])
  expect(await world.run(run)).toMatchObject({
    outcome: 'partial',
    reason: 'This could not be prepared because of a fault on our side.',
  })
})

test('a rule that was switched off before the run began does nothing, unless a person asks', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)])
  const asked = await world.start(rule, [world.job(LEEDS)], {
    source: 'person',
    triggerData: { ...TRIGGERED, manualTrigger: true },
  })
  await world.store.automations.changeAutomation(LEEDS, rule, { active: false, at: world.clock.now() })
  await work()
  expect(await world.run(run)).toMatchObject({ outcome: 'cancelled', reason: runReason('switched_off') })
  expect(await world.run(asked)).toMatchObject({ outcome: 'success' })
})

test('a rule that was stopped holds its runs; a person can let one go on all the same', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const run = await world.start(rule, [world.job(LEEDS)])
  await world.store.runs.pauseAutomations(LEEDS, {
    automationId: rule,
    reason: 'Stopped: too often.',
    at: world.clock.now(),
  })
  await work()
  expect(await world.run(run)).toMatchObject({ state: 'held', reason: 'Stopped: too often.', journal: [] })
  await releaseRuns(world.app, LEEDS, [run])
  await world.clock.run(seconds(5))
  expect(await world.run(run)).toMatchObject({ outcome: 'success' })
})

// Check Mode and Preview: everything a run would do, in the very words it would use, and nothing done.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { runReason, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { type Preview, previewRun } from '#app/features/automations/preview/preview.server.ts'
import { previewView } from '#app/features/automations/preview/preview-view.ts'
import { DEFAULT_ACCOUNT_GUARDS } from '#app/features/automations/rules/guards.ts'
import { executionOf, resolvedFields } from '#app/features/automations/runs/run-history.ts'
import { seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
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

type Previewed = Extract<Preview, { outcome: 'previewed' }>

async function preview(definition: RuleDefinition, recordUuids: string[], id = 0): Promise<Previewed> {
  const shown = await previewRun(world.app, world.parts, {
    accountUuid: LEEDS,
    automation: { id, name: 'Quote check-in', version: 1 },
    definition,
    object: 'job',
    recordUuids,
    groupKey: null,
    triggerData: TRIGGERED,
  })
  if (shown.outcome !== 'previewed') throw new Error(JSON.stringify(shown))
  return shown
}

const WRITES = new Set(['create', 'update', 'remove', 'sms', 'email', 'document', 'upload'])

function written() {
  return world.platform.exchanges.filter(({ verb }) => WRITES.has(verb))
}

test('it lists in order who, on which channel, the final text, credits, changes from old to new', async () => {
  const job = world.job(LEEDS)
  const shown = await preview(
    aRule([
      aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Hi {entry.0.contact_first_name}' }),
      aStep('s2', 'assign_to_queue', { queueUuid: QUEUE }),
      aStep('s3', 'send_staff_message', { toStaffUuid: STAFF, message: 'Look at {entry.0.generated_job_id}' }),
    ]),
    [job],
  )
  expect(shown.steps.map(({ sequenceOrder, action, outcome }) => [sequenceOrder, action, outcome])).toEqual([
    [1, 'send_sms', 'would_run'],
    [2, 'assign_to_queue', 'would_run'],
    [3, 'send_staff_message', 'would_run'],
  ])
  expect(shown.steps[0]?.effects).toMatchObject([
    { channel: 'sms', to: '+447700900001', fields: { message: 'Hi Margaret' }, credits: 1, guard: { outcome: 'now' } },
  ])
  expect(shown.steps[1]?.effects[0]?.changes).toContainEqual({ field: 'queue_uuid', from: '', to: QUEUE })
  expect(shown).toMatchObject({ customerMessages: 1, credits: 1 })
  expect(written()).toEqual([])
  expect(world.rows('SELECT count(*) AS runs FROM run')).toEqual([{ runs: 0 }])
})

test('later steps see words for what only the real run knows', async () => {
  const shown = await preview(
    aRule([
      aStep('s1', 'create_job', { company_uuid: '{company_uuid}', status: 'Quote', job_description: 'Service' }),
      aStep('s2', 'generate_document', {
        objectType: 'Job',
        templateType: 'Quote',
        outputFormat: 'pdf',
        createAttachment: true,
      }),
      aStep('s3', 'send_email', {
        contentType: 'manual',
        to: '{entry.0.contact_email}',
        customSubject: 'Job {action_1_result.generated_job_id}',
        customBody: 'x',
        includeGeneratedDocument: true,
        documentActionIndex: 2,
      }),
    ]),
    [world.job(LEEDS)],
  )
  expect(shown.steps[2]?.effects).toMatchObject([
    { fields: { subject: 'Job new job number (set when it runs)' }, attachments: ['document of step s2'] },
  ])
  expect(written()).toEqual([])
})

test('a change from a customer without a known name, or to no badge, is said in words', async () => {
  const steps = [
    aStep('s1', 'update_job_field', { fieldName: 'company_uuid', fieldValue: QUEUE }),
    aStep('s2', 'update_job_field', { fieldName: 'badges', fieldValue: STAFF, badgeChange: 'remove' }),
  ]
  const { run, ...shown } = await preview(aRule(steps), [world.job(LEEDS, { badges: JSON.stringify([STAFF]) })])
  const view = previewView({ execution: executionOf(run), preview: { ...shown, matched: 1, total: 1 } }, '')
  expect(view.steps.map(({ effects }) => effects[0]?.changes)).toEqual([
    [{ field: 'Customer', from: '', to: 'another one' }],
    [{ field: 'Badges', from: 'a badge', to: 'empty' }],
  ])
})

test('what needs a step whose value is empty here would not begin either', async () => {
  const shown = await preview(
    aRule([
      aStep('s1', 'update_job_status', { status: '{queue_name}' }),
      aStep('s2', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'It moved on' }, true),
    ]),
    [world.job(LEEDS)],
  )
  expect(shown.steps).toMatchObject([
    { outcome: 'left_out', sentence: expect.stringContaining('{queue_name} is empty here') },
    { outcome: 'left_out', sentence: runReasonText(runReason('previous_failed')) },
  ])
  expect(shown.customerMessages).toBe(0)
})

test('what would fail, and what would not begin because of it, is told', async () => {
  const shown = await preview(
    aRule([
      aStep('s1', 'assign_to_queue', { queueUuid: '99999999-0000-4000-8000-0000000000ff' }),
      aStep('s2', 'create_task', { title: 'Then', description: '' }, true),
    ]),
    [world.job(LEEDS)],
  )
  expect(shown.steps).toMatchObject([
    { outcome: 'impossible', sentence: expect.stringContaining('queue') },
    { outcome: 'left_out', sentence: expect.stringContaining('the step before it was skipped or failed'), effects: [] },
  ])
})

test('guards say what they would do: muted customers and full caps are seen before', async () => {
  await world.store.runs.saveMute(LEEDS, { kind: 'company', recordUuid: uuidOf('company', 1), until: null }, 0)
  await world.store.runs.saveAccountGuards(
    LEEDS,
    { ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '00:00', quietTo: '23:00' },
    0,
  )
  const definition = aRule([aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Hi' })], {
    guards: { respectQuietHours: true },
  })
  const muted = await preview(definition, [world.job(LEEDS)])
  expect(muted.steps[0]?.effects[0]?.guard).toMatchObject({ outcome: 'skip' })
  expect(muted.steps[0]?.warnings).toContainEqual({
    code: 'kept_back',
    sentence: expect.stringContaining('switched off'),
  })
  expect(muted).toMatchObject({ customerMessages: 0, credits: 0 })
  const later = await preview(definition, [world.job(LEEDS)])
  expect(later.steps[0]?.effects[0]?.guard).toMatchObject({ outcome: 'later' })
  expect(later.steps[0]?.warnings.map(({ code }) => code)).toContain('moved')
})

test('a step sees what the one before it wrote, in the preview and in the run', async () => {
  const [a, b] = [uuidOf('contact', 801), uuidOf('contact', 802)]
  for (const [uuid, name] of [
    [a, 'Called'],
    [b, 'Reminded'],
  ] as const) {
    world.platform.put(LEEDS, 'badge', { uuid, name, active: '1' })
  }
  const badge = (id: string, badgeChange: string, fieldValue: string) =>
    aStep(id, 'update_job_field', { fieldName: 'badges', badgeChange, fieldValue })
  const definition = aRule([
    badge('s1', 'add', b),
    badge('s2', 'remove', a),
    aStep('s3', 'update_job_status', { status: 'Work Order' }),
    aStep('s4', 'assign_to_queue', { queueUuid: QUEUE }),
    aStep('s5', 'create_task', {
      title: '{entry.0.status}, {entry.0.badge_names}, {entry.0.queue_name}',
      description: '',
    }),
  ])
  const job = world.job(LEEDS, { badges: JSON.stringify([a]) })
  const { steps } = await preview(definition, [job])
  expect(steps[1]?.effects[0]?.changes).toEqual([
    { field: 'badges', from: JSON.stringify([a, b]), to: JSON.stringify([b]) },
  ])
  expect(steps[4]?.effects[0]?.fields.name).toBe('Work Order, Reminded, To be booked')
  await world.start(await world.rule(definition), [job])
  world.engine().start()
  await world.clock.run(seconds(5))
  expect(world.platform.records(LEEDS, 'job').get(job)?.badges).toBe(JSON.stringify([b]))
  expect(world.platform.made.map(({ fields }) => fields.name)).toEqual(['Work Order, Reminded, To be booked'])
})

test('a step writes to the customer that the one before it set, and asks whether that one is muted', async () => {
  const [job, other] = [world.job(LEEDS), uuidOf('company', 2)]
  world.job(LEEDS)
  const contact = { company_uuid: other, type: 'JOB', active: '1', first: 'Ann', email: 'ann@two.example' }
  world.platform.put(LEEDS, 'companycontact', { uuid: uuidOf('contact', 901), ...contact })
  const definition = aRule([
    aStep('s1', 'update_job_field', { fieldName: 'company_uuid', fieldValue: other }),
    aStep('s2', 'send_email', {
      to: '{entry.0.company_email}',
      customSubject: '{entry.0.company_name}',
      customBody: 'x',
    }),
  ])
  const mute = { kind: 'company', recordUuid: other, until: null } as const
  expect((await preview(definition, [job])).steps[1]?.effects[0]).toMatchObject({ to: 'ann@two.example' })
  await world.store.runs.saveMute(LEEDS, mute, world.clock.now())
  expect((await preview(definition, [job])).steps[1]?.effects[0]?.guard).toMatchObject({ outcome: 'skip' })
  const run = await world.start(await world.rule(definition), [job])
  world.engine().start()
  await world.clock.run(seconds(5))
  expect(world.states(run)).toEqual(['s1/0 sent', 's2/0 skipped'])
  expect((await world.run(run)).journal[1]).toMatchObject({
    effect: { to: 'ann@two.example', subject: 'Customer 2' },
    sentence: { code: 'muted' },
  })
})

test('a record that is gone leaves every step out', async () => {
  const shown = await preview(aRule([aStep('s1', 'create_task', { title: 'x', description: '' })]), [uuidOf('job', 9)])
  expect(shown.steps).toMatchObject([{ outcome: 'left_out', sentence: runReasonText(runReason('records_gone')) }])
})

test('a platform that does not answer is told as that', async () => {
  world.platform.fate = () => 'unauthorized'
  const shown = await previewRun(world.app, world.parts, {
    accountUuid: LEEDS,
    automation: { id: 0, name: 'x', version: 1 },
    definition: aRule([aStep('s1', 'create_task', { title: 'x', description: '' })]),
    object: 'job',
    recordUuids: [world.job(LEEDS)],
    groupKey: null,
    triggerData: TRIGGERED,
  })
  expect(shown).toMatchObject({ outcome: 'not_possible', why: { errorClass: 'reconnect' } })
})

test('a preview has the shape of an execution', async () => {
  const { run } = await preview(
    aRule([aStep('s1', 'create_task', { title: 'Ring {entry.0.contact_first_name}', description: '' })]),
    [world.job(LEEDS)],
  )
  expect(executionOf(run)).toMatchObject({
    id: 0,
    executionStatus: 'success',
    actionsExecuted: [
      {
        action: 'create_task',
        success: true,
        result: {
          resolvedFields: { name: 'Ring Margaret' },
          templateReplacements: [{ variable: 'entry.0.contact_first_name', resolvedValue: 'Margaret' }],
        },
      },
    ],
  })
})

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '{company_email}',
    '<script>alert(1)</script>',
    'a\r\nBcc: x@example.test',
    '__proto__',
    'null',
    '{{}}',
    "O'Hara & Söhne",
  ),
)

test('whatever stands in the record, the text shown before and the text sent are the same, byte for byte', async () => {
  const steps = [
    aStep('s1', 'send_sms', {
      to: '{entry.0.contact_mobile}',
      message:
        'Dear {entry.0.contact_first_name or "customer"}: {entry.0.job_description or "your job"} at {entry.0.job_address or "x"}',
    }),
    aStep('s2', 'send_email', {
      contentType: 'html',
      to: '{entry.0.contact_email}',
      customHtmlSubject: 'Re {entry.0.job_description or "x"}',
      customHtmlBody: '<p>{entry.0.job_description or "x"} {entry.0.company_name} {all_job_ids} {today as date}</p>',
    }),
    aStep('s3', 'create_task', { title: 'T {entry.0.job_description or "x"}', description: '{entry.0.job_address}' }),
    aStep('s4', 'update_job_field', {
      fieldName: 'purchase_order_number',
      fieldValue: 'PO {entry.0.generated_job_id}',
    }),
    aStep('s5', 'send_notification', {
      url: 'https://hooks.example.test/x',
      message: '{entry.0.job_description or "x"}',
    }),
  ]
  const definition = aRule(steps)
  const rule = await world.rule(definition, LEEDS, 'Quote check-in')
  const engine = world.engine()
  engine.start()
  await world.clock.run(seconds(1))
  await fc.assert(
    fc.asyncProperty(anyText, anyText, async (description, address) => {
      const job = world.job(LEEDS, { job_description: description, job_address: address })
      const shown = await preview(definition, [job], rule)
      const runId = await world.start(rule, [job])
      engine.wake()
      await world.clock.settle()
      const live = (await world.run(runId)).journal
      expect(live.map((row) => row.stepId)).toEqual(shown.run.journal.map((row) => row.stepId))
      for (const [index, row] of live.entries()) {
        const before = shown.run.journal[index]
        expect(JSON.stringify(resolvedFields(row.effect))).toBe(before && JSON.stringify(resolvedFields(before.effect)))
        expect(row.state).toBe(before?.state)
      }
      // And what arrived is what stands in the journal.
      const texts = world.platform.messages.map(({ text }) => text)
      for (const { effect } of live) if (effect.kind === 'send_sms') expect(texts).toContain(effect.message)
    }),
    { numRuns: 25 },
  )
})

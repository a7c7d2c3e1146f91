import { describe, expect, test } from 'vitest'
import { POLL_ENDPOINTS } from '#app/domain/automations/rule.ts'
import { belongsToJob, KNOWN_OBJECTS } from '../records/fields.ts'
import { WATCHED_TEXTS } from '../rules/form-text.ts'
import { definitionOf } from '../rules/rule-definition.ts'
import { ruleForm } from '../rules/rule-form.ts'
import { draftOf, toBody } from './form-body.ts'
import { setValue } from './form-change.ts'
import { formOfRule } from './form-of-rule.ts'
import { isParameterShown, isShown } from './form-shown.ts'
import { emptyForm, type FormState, formOfFields, type TopField, toForm } from './form-state.ts'
import { readForm } from './form-wire.ts'

const write = (values: Record<string, string>, from = emptyForm()) =>
  Object.entries(values).reduce((last, [name, value]) => setValue(last, name, value), from)

const EVENTS = { name: 'Rule', events: 'object:job', triggerType: 'job_updated' }
const CHECKS = { name: 'Rule', triggerSource: 'api_polling' }
const DAILY = { scheduleType: 'recurring', scheduleRecurrence: 'daily' }
const JOB = '11111111-0000-4000-8000-000000000001'

/** The same press on a page without scripts: the drawn state, and the one control beside it. */
const withoutScripts = (drawn: FormState, change: Record<string, string>) =>
  readForm([...toForm(drawn), ...Object.entries(change)])

test.each<[name: TopField, filled: Record<string, string>, hides: Record<string, string>]>([
  ['triggerJobUuid', { ...EVENTS, triggerJobUuid: JOB }, { events: 'object:company' }],
  ['triggerQueueUuid', { ...EVENTS, triggerType: 'job_queue', triggerQueueUuid: JOB }, { triggerType: 'job_updated' }],
  [
    'triggerFieldName',
    { ...EVENTS, triggerType: 'job_field', triggerFieldName: 'badges' },
    { triggerType: 'job_status' },
  ],
  ['triggerFromValue', { ...EVENTS, triggerType: 'job_field', triggerFromValue: 'a' }, { triggerType: 'job_updated' }],
  ['replyMatch', { ...EVENTS, triggerType: 'customer_replied', replyMatch: 'yes' }, { triggerType: 'job_updated' }],
  [
    'replyWords',
    { ...EVENTS, triggerType: 'customer_replied', replyMatch: 'words', replyWords: 'later' },
    { replyMatch: 'no' },
  ],
  ['settleMinutes', { ...EVENTS, settleMinutes: '30' }, { triggerSource: 'manual_endpoint' }],
  ['digest', { ...CHECKS, digest: 'true' }, { triggerSource: 'webhook' }],
  ['workingDays', { ...CHECKS, workingDays: 'true' }, { triggerSource: 'manual_endpoint' }],
  ['workingDays', { ...EVENTS, ...DAILY, workingDays: 'true' }, { scheduleType: 'immediate' }],
  ['workingDays', { ...EVENTS, ...DAILY, workingDays: 'true' }, { scheduleRecurrence: '0 9 * * 1' }],
  ['groupingField', { ...CHECKS, enableGrouping: 'true', groupingField: 'status' }, { enableGrouping: '' }],
  ['enableGrouping', { ...CHECKS, enableGrouping: 'true' }, { triggerSource: 'webhook' }],
  ['scheduleDate', { ...CHECKS, pollInterval: 'once', scheduleDate: '2026-12-03' }, { pollInterval: 'daily' }],
  ['scheduleDate', { ...EVENTS, scheduleType: 'scheduled', scheduleDate: '2026-12-03' }, { scheduleType: 'immediate' }],
  [
    'scheduleRecurrence',
    { ...CHECKS, scheduleType: 'recurring', scheduleRecurrence: 'weekdays' },
    { scheduleType: 'immediate' },
  ],
  ['runTime', { ...CHECKS, runTime: '07:30' }, { pollInterval: 'on_demand' }],
  ['weekday', { ...CHECKS, pollInterval: 'weekly', weekday: '5' }, { pollInterval: 'monthly' }],
  ['dayOfMonth', { ...CHECKS, pollInterval: 'monthly', dayOfMonth: '9' }, { pollInterval: 'weekly' }],
  ['includeExisting', { ...CHECKS, includeExisting: 'true' }, { pollInterval: 'once' }],
])('%s is sent while it is there, and not once it is hidden', (name, filled, hides) => {
  const before = write(filled)
  expect(isShown(before, name)).toBe(true)
  expect([filled[name], filled[name] === 'true']).toContain(toBody(before)[name])
  for (const after of [write(hides, before), withoutScripts(before, hides)]) {
    expect([undefined, '', false]).toContain(toBody(after)[name])
    // The choice can be taken back.
    expect(after.values[name]).toBe(filled[name])
    const { trigger, digest, grouping } = draftOf(after)
    const said = JSON.stringify([trigger, digest, grouping])
    if (name !== 'runTime') expect(said).not.toContain(`"${filled[name]}"`)
    if (filled[name] === 'true') expect(said).not.toContain('true')
  }
})

test.each([
  { triggerSource: 'webhook', object: 'job', triggerType: 'job_updated' },
  { triggerSource: 'manual_endpoint' },
])('a rule that collects for Monday to Friday goes through the form unchanged: %j', (trigger) => {
  const actions = [{ type: 'create_task', parameters: { title: 'Ring' } }]
  const definition = definitionOf(
    ruleForm.parse({ name: 'Rule', ...trigger, ...DAILY, workingDays: true, actions }),
    null,
  )
  expect(definition.trigger).toMatchObject({ schedule: { workingDays: true } })
  const opened = formOfRule({ id: 7, name: 'Rule', active: true, definition })
  expect(definitionOf(ruleForm.parse(toBody(opened)), null)).toEqual(definition)
})

test('a certain job does not stay behind when the rule is about customers from now on', () => {
  const step = { actions: [{ type: 'create_task', parameters: { title: 'Ring' } }] }
  const jobs = formOfFields({ ...EVENTS, triggerSource: 'webhook', object: 'job', triggerJobUuid: JOB, ...step })
  const customers = write({ events: 'object:company' }, jobs)
  expect(definitionOf(ruleForm.parse(toBody(customers)), null).trigger).toMatchObject({
    object: 'company',
    jobUuid: null,
  })
})

const OBJECTS = Object.keys(WATCHED_TEXTS)
const EVENT_TYPES = ['job_updated', 'job_created', 'job_field', 'job_status', 'job_queue', 'customer_replied'] as const
const OF_EVENTS = {
  job_updated: {},
  job_created: {},
  job_field: { triggerFieldName: 'status', triggerFromValue: 'Quote' },
  job_status: { triggerFromValue: 'Quote' },
  job_queue: { triggerQueueUuid: JOB },
  customer_replied: { replyMatch: 'words', replyWords: 'later' },
}
const SCHEDULES = [
  {},
  { ...DAILY, runTime: '07:30', workingDays: true },
  { ...DAILY, scheduleRecurrence: '0 9 * * 1' },
  { ...DAILY, scheduleRecurrence: 'weekly', runTime: '07:30', weekday: 5 },
  { ...DAILY, scheduleRecurrence: 'monthly', runTime: '07:30', dayOfMonth: 9 },
  { scheduleType: 'scheduled', scheduleDate: '2026-12-03', runTime: '07:30' },
  { scheduleType: 'scheduled', scheduleDate: '2026-12-03T08:00' },
]
const TRIGGERS: [string, Record<string, unknown>[]][] = [
  ...OBJECTS.map((object): [string, Record<string, unknown>[]] => [
    object,
    EVENT_TYPES.filter((type) => object === 'job' || !/^(job_(status|queue)|customer_replied)$/.test(type)).map(
      (type) => ({
        ...{ triggerSource: 'webhook', object, triggerType: type, ...OF_EVENTS[type] },
        ...(object !== 'company' && object !== 'material' && { triggerJobUuid: JOB }),
        ...(type === 'customer_replied' ? {} : { settleMinutes: 30 }),
      }),
    ),
  ]),
  ['a call', [{ triggerSource: 'manual_endpoint' }]],
  ...POLL_ENDPOINTS.map((apiEndpoint): [string, Record<string, unknown>[]] => {
    const polls = { triggerSource: 'api_polling', apiEndpoint }
    return [apiEndpoint, ['hourly', 'daily'].map((pollInterval) => ({ ...polls, pollInterval }))]
  }),
]

test.each(TRIGGERS)('an automation on %s goes through the form unchanged, with each schedule', (_on, triggers) => {
  const actions = [{ type: 'create_task', parameters: { title: 'Ring' } }]
  for (const fields of triggers.flatMap((trigger) => SCHEDULES.map((schedule) => ({ ...trigger, ...schedule })))) {
    const definition = definitionOf(ruleForm.parse({ name: 'Rule', ...fields, actions }), null)
    const opened = formOfRule({ id: 7, name: 'Rule', active: true, definition })
    expect(definitionOf(ruleForm.parse(toBody(opened)), null).trigger).toEqual(definition.trigger)
  }
})

test('one job can be chosen for jobs, and for what belongs to one', () => {
  for (const object of ['job', ...KNOWN_OBJECTS]) {
    const isOfJob = object === 'job' || belongsToJob(object)
    expect([object, isShown(write({ events: `object:${object}` }), 'triggerJobUuid')]).toEqual([object, isOfJob])
  }
})

const parametersSent = (type: string, parameters: Record<string, unknown>) => {
  const state = formOfFields({ ...EVENTS, actions: [{ type, parameters }] })
  const { actions } = toBody(state) as { actions: { parameters: Record<string, unknown> }[] }
  return actions[0]?.parameters
}

test.each([
  ['send_sms', { message: 'Hi', smsTemplateId: JOB }, { message: 'Hi' }],
  [
    'send_email',
    { contentType: 'manual', customSubject: 'a', customBody: 'b', customHtmlBody: 'c', emailTemplateId: JOB },
    { contentType: 'manual', customSubject: 'a', customBody: 'b' },
  ],
  ['send_email', { customBody: 'b', attachmentFilter: 'photo', documentActionIndex: 1 }, { customBody: 'b' }],
  ['create_job', { status: 'Quote', sourceJobUuid: JOB }, { status: 'Quote' }],
  [
    'create_job',
    { copyFromAllJobs: true, copyMaterialsFromJob: true, sourceJobUuid: JOB },
    { copyFromAllJobs: true, copyMaterialsFromJob: true },
  ],
  [
    'update_job_field',
    { fieldName: 'job_description', fieldValue: 'x', badgeChange: 'add' },
    { fieldName: 'job_description', fieldValue: 'x' },
  ],
])('of %s with %j only what the form shows is sent', (type, given, sent) => {
  expect(parametersSent(type, given)).toEqual(sent)
})

test.each([
  ['send_email', { subject: 'a', customBody: 'b' }, { customSubject: 'a', customBody: 'b' }],
  [
    'send_email',
    { contentType: 'html', subject: 'a', htmlBody: 'b' },
    { contentType: 'html', customHtmlSubject: 'a', customHtmlBody: 'b' },
  ],
  [
    'send_email',
    { customBody: 'b', includeAllJobAttachments: true },
    { customBody: 'b', includeAttachments: true, includeJobAttachments: true, includeAllJobAttachments: true },
  ],
  [
    'send_email',
    { customBody: 'b', includeAttachments: true, attachmentFilter: 'photo' },
    { customBody: 'b', includeAttachments: true, includeJobAttachments: true, attachmentFilter: 'photo' },
  ],
  [
    'create_job',
    { copyBundlesFromJob: true, sourceJobUuid: JOB },
    { copyBundlesFromJob: true, sourceBundleJobUuid: JOB },
  ],
])('what %s reads from a second name is shown under the first, and kept: %j', (type, given, sent) => {
  expect(parametersSent(type, given)).toEqual(sent)
})

describe('files of an e-mail', () => {
  const JOBS_FILES = { includeAttachments: true, includeJobAttachments: true }
  const box = (name: string) => `s.s1.p.${name}`
  const mail = (files: Record<string, unknown>) =>
    formOfFields({ ...EVENTS, actions: [{ type: 'send_email', parameters: { ...files } }] })
  const filesOf = (state: FormState) => {
    const { actions } = toBody(state) as { actions: { parameters: Record<string, unknown> }[] }
    return actions[0]?.parameters
  }

  test.each<[given: Record<string, unknown>, pressed: Record<string, string>, sent: Record<string, unknown>]>([
    [{}, { includeAttachments: 'true' }, JOBS_FILES],
    [{ ...JOBS_FILES, attachmentFilter: 'photo' }, { includeJobAttachments: '' }, {}],
    [JOBS_FILES, { includeAttachments: '' }, {}],
    [
      JOBS_FILES,
      { includeJobAttachments: '', includeGeneratedDocument: 'true' },
      { includeAttachments: true, includeGeneratedDocument: true },
    ],
    [JOBS_FILES, { includeAttachments: '', includeGeneratedDocument: 'true' }, {}],
    [
      { includeGeneratedDocument: true },
      { includeAttachments: 'true' },
      { includeAttachments: true, includeGeneratedDocument: true },
    ],
  ])('are what the boxes say: %j, then %j', (given, pressed, sent) => {
    const change = Object.fromEntries(Object.entries(pressed).map(([name, value]) => [box(name), value]))
    expect(filesOf(withoutScripts(mail(given), change))).toEqual(sent)
  })

  test('no box below the outer one is left alone with it', () => {
    const off = write({ [box('includeJobAttachments')]: '' }, mail(JOBS_FILES))
    expect(filesOf(off)).toEqual({})
    expect(filesOf(write({ [box('includeAttachments')]: 'true' }, off))).toEqual(JOBS_FILES)
  })
})

test('a parameter nobody decides about is always there', () => {
  expect(isParameterShown({ type: 'send_sms', parameters: {} }, 'message')).toBe(true)
  expect(isParameterShown({ type: 'send_email', parameters: { contentType: 'constructor' } }, 'to')).toBe(true)
})

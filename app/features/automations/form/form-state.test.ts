// Long: what follows from every choice, then anything that can be pressed and typed.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ACTION_SPECS, ACTION_TYPES, type ActionType } from '#app/domain/automations/action-parameters.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import { templateCopy } from '#app/features/templates/template.ts'
import { definitionOf } from '../rules/rule-definition.ts'
import { ruleForm } from '../rules/rule-form.ts'
import { laterEditsOf } from '../rules/timing/once-text.ts'
import { asksAboutExisting, draftOf, toBody } from './form-body.ts'
import { applyControls, applyIntent, setValue, valueAt } from './form-change.ts'
import { problemsOf } from './form-check.ts'
import { type FormIntent, parseFormIntent } from './form-intent.ts'
import { formOfRule } from './form-of-rule.ts'
import { lineSource } from './form-shown.ts'
import {
  emptyForm,
  type FormState,
  formOfFields,
  isSameForm,
  LINE_LISTS,
  objectOfForm,
  partsShown,
  plainParameters,
  toForm,
} from './form-state.ts'
import { readForm } from './form-wire.ts'

/** As the library answers it. */
const copyOf = (template: (typeof LIBRARY)[number]): Record<string, unknown> => ({
  ...templateCopy({ overlap: null, ...template, isPublic: true, usageCount: 0, createdAt: null, updatedAt: null }),
})

const press = (state: FormState, ...intents: string[]) =>
  intents.reduce((last, text) => {
    const intent = parseFormIntent(`form.${text}`)
    if (intent === null) throw new Error(`no intent ${text}`)
    return applyIntent(last, intent)
  }, state)

const write = (state: FormState, values: Record<string, string>) =>
  Object.entries(values).reduce((last, [name, value]) => setValue(last, name, value), state)

const named = () => write(emptyForm(), { name: 'Tell the customer' })
const onJobs = () => write(named(), { events: 'object:job', triggerType: 'job_status' })

/** One action of the type; its key. */
function withAction(type: ActionType, state = onJobs()) {
  const key = `s${state.next}`
  return { state: press(state, `add_step:${type}`), key }
}

/** What a page without scripts sends: the drawn state, and the controls with some of them changed. */
function roundTrip(state: FormState, changes: Record<string, string>): FormState {
  const controls = new Map(controlNames(state).map((name) => [name, valueAt(state, name) ?? '']))
  for (const [name, value] of Object.entries(changes)) controls.set(name, value)
  return readForm([...toForm(state), ...controls])
}

describe('the parts of the form', () => {
  it('come one after the other', () => {
    expect(partsShown(emptyForm())).toEqual({ trigger: false, rest: false, submit: false })
    expect(partsShown(write(emptyForm(), { name: '  ' }))).toMatchObject({ trigger: false })
    expect(partsShown(named())).toEqual({ trigger: true, rest: false, submit: false })
    expect(partsShown(onJobs())).toMatchObject({ trigger: true, rest: true })
    const { state, key } = withAction('send_sms')
    expect(partsShown(state).submit).toBe(true)
    expect(partsShown(write(state, { [`s.${key}.type`]: '' })).submit).toBe(false)
  })

  it('follow what each trigger needs', () => {
    const poll = write(named(), { triggerSource: 'api_polling' })
    expect(partsShown(poll).rest).toBe(true)
    expect(partsShown(write(poll, { pollInterval: '' })).rest).toBe(false)
    expect(partsShown(write(poll, { apiEndpoint: '' })).rest).toBe(false)
    expect(partsShown(write(named(), { triggerSource: 'manual_endpoint' })).rest).toBe(true)
  })

  it('begin with the documented defaults', () => {
    expect(emptyForm().values).toMatchObject({
      active: 'true',
      apiEndpoint: '/api_1.0/job.json',
      apiMethod: 'GET',
      pollInterval: 'daily',
      scheduleType: 'immediate',
    })
    expect(emptyForm().steps).toEqual([])
  })
})

describe('actions', () => {
  it('are added as a change of status that waits for nothing', () => {
    expect(press(onJobs(), 'add_step').steps).toMatchObject([{ type: 'update_job_status', wait: '' }])
  })

  it('move up and down, and the ends stay where they are', () => {
    const three = press(onJobs(), 'add_step:send_sms', 'add_step:create_task', 'add_step:send_email')
    const [a = '', b = '', c = ''] = three.steps.map(({ key }) => key)
    const keys = (state: FormState) => state.steps.map(({ key }) => key)
    expect(keys(press(three, `up:${b}`))).toEqual([b, a, c])
    expect(keys(press(three, `down:${b}`))).toEqual([a, c, b])
    expect(keys(press(three, `up:${a}`))).toEqual([a, b, c])
    expect(keys(press(three, `down:${c}`))).toEqual([a, b, c])
    const body = toBody(press(three, `remove_step:${a}`)) as { actions: { sequenceOrder: number }[] }
    expect(body.actions.map(({ sequenceOrder }) => sequenceOrder)).toEqual([1, 2])
  })

  it('never have the first one wait', () => {
    const two = press(onJobs(), 'add_step:send_sms', 'add_step:create_task')
    const second = two.steps[1]?.key ?? ''
    const waits = write(two, { [`s.${second}.wait`]: 'true' })
    expect(waits.steps.map(({ wait }) => wait)).toEqual(['', 'true'])
    expect(press(waits, `up:${second}`).steps.map(({ wait }) => wait)).toEqual(['', ''])
  })

  it('go on meaning the same earlier action after a move', () => {
    const two = press(onJobs(), 'add_step:create_job', 'add_step:create_task', 'add_step:send_sms')
    const [a = '', b = '', c = ''] = two.steps.map(({ key }) => key)
    const written = write(two, { [`s.${c}.p.message`]: 'Job {action_1_result.generated_job_id}' })
    const text = (state: FormState) => state.steps.find(({ key }) => key === c)?.parameters.message
    expect(text(press(written, `down:${a}`))).toBe('Job {action_2_result.generated_job_id}')
    const spaced = write(two, { [`s.${c}.p.message`]: 'Job {action 1 result.generated job id}' })
    expect(text(press(spaced, `down:${a}`))).toBe('Job {action 2 result.generated job id}')
    expect(text(press(written, `remove_step:${b}`))).toBe('Job {action_1_result.generated_job_id}')
    expect(text(press(written, `remove_step:${a}`))).toBe('Job {action_0_result.generated_job_id}')
  })

  it('have the document of an e-mail follow its action', () => {
    const two = press(onJobs(), 'add_step:create_task', 'add_step:generate_document', 'add_step:send_email')
    const [a = '', b = '', c = ''] = two.steps.map(({ key }) => key)
    const written = write(two, { [`s.${c}.p.documentActionIndex`]: '2' })
    const index = (state: FormState) => state.steps.find(({ key }) => key === c)?.parameters.documentActionIndex
    expect(index(press(written, `remove_step:${a}`))).toBe('1')
    expect(index(press(written, `remove_step:${b}`))).toBe('0')
  })

  it('have an e-mail ask for its document anew once the action that made it is removed', () => {
    const document = { type: 'generate_document', parameters: { templateType: 'Invoice', createAttachment: true } }
    const files = { includeAttachments: true, includeGeneratedDocument: true, documentActionIndex: '1' }
    const mail = {
      type: 'send_email',
      parameters: { to: 'a@b.example', customSubject: 'S', customBody: 'B', ...files },
    }
    const rule = { name: 'Send', object: 'job', triggerType: 'job_created', actions: [document, document, mail] }
    const form = formOfFields(rule)
    expect(problemsOf(form)).toEqual({})
    expect(problemsOf(press(form, `remove_step:${form.steps[0]?.key}`))).toEqual({
      'actions.1.parameters': ['Choose an earlier action that generates a document.'],
    })
  })

  it('that change badges are unchanged by the choice they are drawn with', () => {
    const parameters = { fieldName: 'badges', fieldValue: 'VIP' }
    const form = formOfFields({ name: 'x', actions: [{ type: 'update_job_field', parameters }] })
    const chosen = (value: string) => applyControls(form, [['s.s1.p.badgeChange', value]])
    expect(isSameForm(chosen('replace'), form)).toBe(true)
    expect(isSameForm(chosen('add'), form)).toBe(false)
  })

  it('lose their fields when another type is chosen', () => {
    const { state, key } = withAction('send_sms')
    const other = write(state, { [`s.${key}.p.message`]: 'Hi', [`s.${key}.type`]: 'create_task' })
    expect(other.steps[0]).toMatchObject({ type: 'create_task', parameters: {} })
  })
})

describe('what excludes each other', () => {
  it.each([
    ['html', { customHtmlSubject: 'H', customHtmlBody: 'B' }, 'manual'],
    ['manual', { customSubject: 'S', customBody: 'B' }, 'template'],
    ['template', { emailTemplateId: 't', subject: 'S', htmlBody: 'B' }, 'html'],
  ])('content of an e-mail: %s is cleared by another kind', (content, texts, next) => {
    const { state, key } = withAction('send_email')
    const at = (name: string) => `s.${key}.p.${name}`
    const fields = Object.fromEntries(Object.entries(texts).map(([name, value]) => [at(name), value]))
    const filled = write(state, { [at('contentType')]: content, ...fields, [at('to')]: 'a@b.example' })
    expect(filled.steps[0]?.parameters).toEqual({ contentType: content, ...texts, to: 'a@b.example' })
    expect(write(filled, { [at('contentType')]: next }).steps[0]?.parameters).toEqual({
      contentType: next,
      to: 'a@b.example',
    })
  })

  it('an SMS template fills in the message', () => {
    const { state, key } = withAction('send_sms')
    const lists = { smsTemplates: [{ uuid: 't1', label: 'Done', text: 'We are done.' }] }
    const on = write(state, { [`s.${key}.p.useSmsTemplate`]: 'true' })
    const chosen = setValue(on, `s.${key}.p.smsTemplateId`, 't1', lists)
    expect(chosen.steps[0]?.parameters).toEqual({
      useSmsTemplate: 'true',
      smsTemplateId: 't1',
      message: 'We are done.',
    })
    expect(write(chosen, { [`s.${key}.p.useSmsTemplate`]: '' }).steps[0]?.parameters).toEqual({
      message: 'We are done.',
    })
  })

  it.each(LINE_LISTS)('copying or moving clears what was typed into %s', (list) => {
    const { state, key } = withAction('create_job')
    const typed = press(state, `add_line:${key}:${list}`)
    expect(typed.steps[0]?.[list]).toMatchObject([{ quantity: '1' }])
    for (const source of ['copy', 'transfer'] as const) {
      const chosen = write(typed, { [`s.${key}.from.${list}`]: source })
      const step = chosen.steps[0]
      expect(step?.[list]).toEqual([])
      expect(step && lineSource(step, list).source).toBe(source)
      expect(Object.values(step?.parameters ?? {})).toEqual(['true'])
    }
  })

  it.each([
    ['materials', 'sourceJobUuid'],
    ['material_bundles', 'sourceBundleJobUuid'],
  ] as const)('"all jobs" of %s clears the source job', (list, job) => {
    const { state, key } = withAction('create_job')
    const one = write(state, { [`s.${key}.from.${list}`]: 'copy', [`s.${key}.p.${job}`]: 'job-1' })
    expect(one.steps[0]?.parameters[job]).toBe('job-1')
    const all = write(one, { [`s.${key}.all.${list}`]: 'true' })
    expect(all.steps[0]?.parameters[job]).toBe(undefined)
    expect(all.steps[0] && lineSource(all.steps[0], list)).toMatchObject({ source: 'copy', all: true })
    const moved = write(all, { [`s.${key}.from.${list}`]: 'transfer' })
    expect(moved.steps[0] && lineSource(moved.steps[0], list)).toMatchObject({ source: 'transfer', all: true })
  })

  it('another field of a condition has other values', () => {
    const state = press(onJobs(), 'add_condition')
    const key = state.conditions[0]?.key ?? ''
    const asked = write(state, { [`c.${key}.field`]: 'status', [`c.${key}.value`]: 'Quote' })
    expect(write(asked, { [`c.${key}.field`]: 'queue_uuid' }).conditions[0]?.value).toBe('')
  })

  it('"becomes" writes one line on the status, and changes it the next time', () => {
    const once = write(press(onJobs(), 'add_condition'), { becomes: 'Completed' })
    expect(once.conditions.map(({ field, value }) => [field, value])).toEqual([
      ['status', 'Completed'],
      ['', ''],
    ])
    const again = write(once, { becomes: 'Quote' })
    expect(again.conditions[0]).toMatchObject({ field: 'status', value: 'Quote' })
    expect(again.conditions).toHaveLength(2)
    expect(write(again, { becomes: '' }).conditions.map(({ field }) => field)).toEqual([''])
  })

  it('a status or a queue is asked of jobs only', () => {
    expect(write(onJobs(), { events: 'object:note' }).values.triggerType).toBe('')
    expect(write(onJobs(), { events: 'webhook:4:job' }).values.triggerType).toBe('job_status')
  })

  it('a field is of its record; the record chosen for an imported rule keeps it', () => {
    const watched = { triggerFieldName: 'payment_received', triggerFromValue: '0' }
    const imported = formOfFields({ object: '', triggerType: 'job_field', ...watched })
    for (const chosen of [write(imported, { events: 'object:job' }), roundTrip(imported, { events: 'object:job' })]) {
      expect(chosen.values).toMatchObject({ events: 'object:job', ...watched })
      const other = write(chosen, { events: 'object:company' })
      expect(other.values).toMatchObject({ triggerFieldName: '', triggerFromValue: '' })
    }
  })
})

describe('what is sent', () => {
  const bodyOf = (values: Record<string, string>) => toBody(write(onJobs(), values))

  it('is only what belongs to the chosen trigger', () => {
    const polled = ['apiEndpoint', 'apiMethod', 'pollInterval']
    const events = ['webhookSubscriptionId', 'triggerType', 'triggerJobUuid', 'triggerQueueUuid']
    const keys = (source: string) => Object.keys(bodyOf({ triggerSource: source }))
    expect(keys('webhook')).toEqual(expect.arrayContaining(events))
    expect(keys('webhook').filter((name) => polled.includes(name))).toEqual([])
    expect(keys('api_polling')).toEqual(expect.arrayContaining(polled))
    expect(keys('api_polling').filter((name) => events.includes(name))).toEqual([])
    expect(keys('manual_endpoint').filter((name) => [...polled, ...events].includes(name))).toEqual([])
  })

  it('names the webhook and its object, or the object alone', () => {
    expect(bodyOf({ events: 'webhook:12:job' })).toMatchObject({ webhookSubscriptionId: '12', object: 'job' })
    expect(bodyOf({ events: 'object:note' })).toMatchObject({ webhookSubscriptionId: '', object: 'note' })
  })

  it('has no value for "is empty", and AND where nothing was chosen', () => {
    const state = press(onJobs(), 'add_condition')
    const key = state.conditions[0]?.key ?? ''
    const asked = write(state, {
      [`c.${key}.field`]: 'contact_phone',
      [`c.${key}.value`]: 'left',
      [`c.${key}.operator`]: 'is_empty',
      [`c.${key}.logicalOperator`]: '',
    })
    expect(toBody(asked).conditions).toEqual([
      { field: 'contact_phone', operator: 'is_empty', value: '', logicalOperator: 'AND' },
    ])
  })

  it('leaves out lines nobody filled in', () => {
    const { state, key } = withAction('create_job')
    const body = toBody(press(state, `add_line:${key}:materials`)) as { actions: { parameters: unknown }[] }
    expect(body.actions[0]?.parameters).toEqual({})
  })
})

test.each(LIBRARY.map((template) => [template.name, template] as const))(
  'the template "%s" goes through the form unchanged, and its blanks keep it off',
  (_name, template) => {
    const state = formOfFields({ ...copyOf(template), active: false })
    const form = ruleForm.parse(toBody(state))
    const again = definitionOf(form, null)
    // The form has one wording for "no".
    const withoutOff = (definition: typeof again) => ({
      ...definition,
      description: '',
      steps: definition.steps.map((step) => ({
        ...step,
        parameters: Object.fromEntries(Object.entries(step.parameters).filter(([, value]) => value !== false)),
      })),
    })
    expect(withoutOff(again)).toEqual(withoutOff(template.definition))
    expect(withoutOff(draftOf(state)).steps).toEqual(withoutOff(template.definition).steps)
    expect(problemsOf(state)).toEqual({})
  },
)

test('a stored rule opens as an edit of it, a copy as a new entry', () => {
  const [template] = LIBRARY
  if (!template) throw new Error('no templates')
  expect(formOfRule({ id: 7, name: 'Mine', active: false, definition: template.definition })).toMatchObject({
    ruleId: 7,
    values: { name: 'Mine', active: '' },
  })
  expect(formOfFields({ ...copyOf(template), name: 'Copy' }).ruleId).toBe(null)
})

test('only rules that look again and again ask about what matches already', () => {
  const poll = write(named(), { triggerSource: 'api_polling' })
  expect(asksAboutExisting(poll)).toBe(true)
  expect(asksAboutExisting(write(poll, { active: '' }))).toBe(false)
  expect(asksAboutExisting(write(poll, { pollInterval: 'on_demand' }))).toBe(false)
  for (const scheduleRecurrence of ['daily', '0 9 * * 1']) {
    const again = { pollInterval: 'once', scheduleType: 'recurring', scheduleRecurrence }
    expect(asksAboutExisting(write(poll, again))).toBe(true)
  }
  expect(asksAboutExisting(write(poll, { enableGrouping: 'true' }))).toBe(false)
  expect(asksAboutExisting(onJobs())).toBe(false)
})

describe('how often for the same record', () => {
  const often = (state: FormState) => [valueAt(state, 'once'), toBody(state).once]
  const onChanges = () => write(onJobs(), { triggerType: 'job_updated' })

  it('follows the rule until somebody chooses: once per record as soon as a customer is written to', () => {
    expect(often(press(onChanges(), 'add_step:create_task'))).toEqual(['change', 'change'])
    expect(often(press(onChanges(), 'add_step:create_task', 'add_step:send_sms'))).toEqual(['record', 'record'])
    const chosen = write(press(onChanges(), 'add_step:send_sms'), { once: 'change' })
    expect(often(chosen)).toEqual(['change', 'change'])
    const byHand = write(press(named(), 'add_step:send_email'), {
      triggerSource: 'api_polling',
      pollInterval: 'on_demand',
    })
    expect(often(byHand)).toEqual(['period', 'period'])
    // Another program that calls twice asks nobody in between.
    const called = (...steps: string[]) => write(press(named(), ...steps), { triggerSource: 'manual_endpoint' })
    expect(often(called('add_step:send_sms'))).toEqual(['record', 'record'])
    expect(often(called('add_step:create_task'))).toEqual(['change', 'change'])
  })

  it('without scripts what is shown is not taken for a choice', () => {
    const drawn = press(onChanges(), 'add_step:create_task')
    const before = toForm(drawn)
    const [step] = drawn.steps
    const sent = readForm([...before, ['once', 'change'], [`s.${step?.key}.type`, 'send_sms']])
    expect(often(sent)).toEqual(['record', 'record'])
    expect(often(readForm([...before, ['once', 'day']]))).toEqual(['day', 'day'])
  })

  it('of a stored rule stays as it is stored, and of one that writes to nobody follows what is added', () => {
    const stored = (state: FormState) => {
      const form = ruleForm.parse(toBody(state))
      return formOfRule({ id: 1, name: 'Rule', active: true, definition: definitionOf(form, 'job') })
    }
    const text = { type: 'send_sms', message: 'Hi', to: '+447700900001' }
    const texting = press(onChanges(), 'add_step:send_sms')
    const filled = write(texting, {
      [`s.${texting.steps[0]?.key}.p.to`]: text.to,
      [`s.${texting.steps[0]?.key}.p.message`]: text.message,
      once: 'change',
    })
    expect(often(stored(filled))[0]).toBe('change')
    const task = press(onChanges(), 'add_step:create_task')
    const named = write(task, { [`s.${task.steps[0]?.key}.p.title`]: 'Ring' })
    expect(often(press(stored(named), 'add_step:send_sms'))[0]).toBe('record')
  })

  it('the trigger that fires at every later edit is named, and one press makes it the right one', () => {
    const added = press(onChanges(), 'add_condition')
    const row = `c.${added.conditions[0]?.key}`
    const risky = write(added, { [`${row}.field`]: 'status', [`${row}.value`]: 'Completed' })
    expect(laterEditsOf(draftOf(risky))).toBe('Completed')
    const mended = press(risky, 'on_status')
    expect(mended.values.triggerType).toBe('job_status')
    expect(mended.conditions).toEqual(risky.conditions)
    expect(laterEditsOf(draftOf(mended))).toBeNull()
    expect(laterEditsOf(draftOf(onChanges()))).toBeNull()
  })
})

test('a schedule of events and calls is sent, kept and shown again; at once sends none', () => {
  const scheduled = { scheduleType: 'recurring', scheduleRecurrence: 'weekly', weekday: '5', runTime: '17:00' }
  for (const triggerSource of ['webhook', 'manual_endpoint']) {
    const task = press(write(onJobs(), { triggerSource }), 'add_step:create_task')
    const state = write(task, { ...scheduled, [`s.${task.steps[0]?.key}.p.title`]: 'Ring' })
    const definition = definitionOf(ruleForm.parse(toBody(state)), 'job')
    expect(draftOf(state).trigger).toMatchObject({ schedule: { scheduleRecurrence: 'weekly', weekday: 5 } })
    expect(definition.trigger).toMatchObject({
      schedule: { scheduleRecurrence: 'weekly', weekday: 5, runTime: '17:00' },
    })
    const again = formOfRule({ id: 1, name: 'Rule', active: true, definition })
    expect(again.values).toMatchObject(scheduled)
    const atOnce = write(state, { scheduleType: 'immediate' })
    expect(definitionOf(ruleForm.parse(toBody(atOnce)), 'job').trigger).not.toHaveProperty('schedule')
  }
  const task = press(onJobs(), 'add_step:create_task')
  const dateless = write(task, { [`s.${task.steps[0]?.key}.p.title`]: 'Ring', scheduleType: 'scheduled' })
  expect(problemsOf(dateless)).toHaveProperty('scheduleDate')
})

test('the object is that of the events, or of the list', () => {
  expect(objectOfForm(write(named(), { events: 'webhook:3:jobactivity' }))).toBe('jobactivity')
  expect(objectOfForm(write(named(), { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/company.json' }))).toBe(
    'company',
  )
})

describe('without scripts', () => {
  it('what is not on the screen stays', () => {
    const { state, key } = withAction('send_sms')
    const filled = write(state, { [`s.${key}.p.message`]: 'Hello', runTime: '10:30' })
    const drawn = toForm(filled)
    expect(readForm([...drawn, ['name', 'Another']])).toEqual(write(filled, { name: 'Another' }))
  })

  it('a choice has its consequences, and an unticked box counts', () => {
    const { state, key } = withAction('send_email')
    const at = (name: string) => `s.${key}.p.${name}`
    const filled = write(state, { [at('customBody')]: 'Text', [at('includeSignature')]: 'true' })
    const back = roundTrip(filled, { [at('contentType')]: 'html', [at('includeSignature')]: '' })
    expect(back.steps[0]?.parameters).toEqual({ contentType: 'html' })
  })

  it('an id typed below a list counts, and an empty one does not', () => {
    const { state, key } = withAction('assign_to_queue')
    const typed = roundTrip(state, { [`o.s.${key}.p.queueUuid`]: '{queue_uuid}' })
    expect(typed.steps[0]?.parameters).toEqual({ queueUuid: '{queue_uuid}' })
    const chosen = roundTrip(typed, { [`s.${key}.p.queueUuid`]: 'q-1', [`o.s.${key}.p.queueUuid`]: '{queue_uuid}' })
    expect(chosen.steps[0]?.parameters).toEqual({ queueUuid: 'q-1' })
    expect(roundTrip(chosen, { [`o.s.${key}.p.queueUuid`]: '' }).steps[0]?.parameters).toEqual({ queueUuid: 'q-1' })
  })

  it('names nobody drew, rows nobody made and endless lists change nothing', () => {
    const state = withAction('send_sms').state
    const strange = {
      'values.name': 'x',
      'c.c99.field': 'status',
      's.s99.type': 'send_email',
      __proto__: 'x',
      's.s1.p.constructor': 'x',
      's.s1.p.nothing': 'x',
      constructor: 'x',
    }
    expect(roundTrip(state, strange)).toEqual(state)
    const [step] = state.steps
    if (!step) throw new Error('no step')
    const given = (more: object) => readForm([['state', JSON.stringify({ ...state, ...more })]])
    const row = { field: '', operator: '', value: '', logicalOperator: '' }
    const many = Array.from({ length: 500 }, (_, index) => ({ ...row, key: `c${index}` }))
    expect(given({ conditions: many }).conditions).toHaveLength(50)
    expect(given({ steps: [step, step] }).steps).toHaveLength(1)
    expect(given({ steps: [{ ...step, key: '../x' }] }).steps).toEqual([])
    const parameters = { message: 'x', constructor: 'x', nothing: 'x' }
    expect(given({ steps: [{ ...step, parameters }] }).steps[0]?.parameters).toEqual({ message: 'x' })
    expect(given({ next: 1 }).next).toBe(2)
    expect(given({ values: { name: `a\r\n${'b'.repeat(30_000)}` } }).values.name).toMatch(/^a\nb{24998}$/)
    for (const nonsense of ['', '{', '[]', 'null', '{"steps":{}}']) {
      expect(readForm([['state', nonsense]])).toEqual(emptyForm())
    }
  })
})

/** Any state that a person can press and type together. */
const anyText = fc.oneof(
  fc.string({ maxLength: 20 }).filter((text) => !text.includes('\r')),
  fc.constantFrom('Completed', '{entry.0.status}', '{action_1_result.job_uuid}', 'line\nline', '2'),
)
const anyAct = fc.oneof(
  fc
    .constantFrom('add_condition', 'on_status', ...ACTION_TYPES.map((type) => `add_step:${type}`))
    .map((text) => ({ text })),
  fc.record({ kind: fc.constantFrom('up', 'down', 'remove_step', 'remove_condition'), at: fc.nat(9) }),
  fc.record({ line: fc.constantFrom(...LINE_LISTS), at: fc.nat(9) }),
  fc.record({ pick: fc.nat(), value: anyText }),
)

function played(acts: (typeof anyAct extends fc.Arbitrary<infer Act> ? Act : never)[]): FormState {
  return acts.reduce<FormState>((state, act) => {
    if ('text' in act) return press(state, act.text)
    if ('kind' in act) return press(state, `${act.kind}:${act.kind === 'remove_condition' ? 'c' : 's'}${act.at}`)
    if ('line' in act) return press(state, `add_line:s${act.at}:${act.line}`)
    const names = controlNames(state)
    return setValue(state, names[act.pick % names.length] ?? 'name', act.value)
  }, emptyForm())
}

function controlNames(state: FormState): string[] {
  return [
    ...Object.keys(state.values),
    ...state.conditions.flatMap(({ key }) =>
      ['field', 'operator', 'value', 'logicalOperator'].map((part) => `c.${key}.${part}`),
    ),
    ...state.steps.flatMap((step) => [
      `s.${step.key}.wait`,
      ...plainParameters(step.type).map(({ name }) => `s.${step.key}.p.${name}`),
      ...LINE_LISTS.map((list) => `s.${step.key}.from.${list}`),
      ...[...step.materials, ...step.material_bundles].map(({ key }) => `s.${step.key}.l.${key}.quantity`),
    ]),
  ]
}

const keysOf = (state: FormState) => [
  ...state.conditions.map(({ key }) => key),
  ...state.steps.flatMap((step) => [step, ...step.materials, ...step.material_bundles].map(({ key }) => key)),
]

describe('whatever is pressed and typed', () => {
  const anyState = fc.array(anyAct, { maxLength: 25 }).map(played)

  it('the form reads back as it was written', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(readForm(toForm(state))).toEqual(state)
      }),
    )
  })

  it('a round trip without a change changes nothing', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(roundTrip(state, {})).toEqual(state)
      }),
    )
  })

  it('keys are kept, each once, and never used again', () => {
    const anyIntent: fc.Arbitrary<FormIntent> = fc.oneof(
      fc.constantFrom<FormIntent>({ kind: 'add_condition' }, { kind: 'add_step', type: 'send_sms' }),
      fc.record({
        kind: fc.constantFrom('up' as const, 'down' as const, 'remove_step' as const),
        key: fc.nat(9).map((number) => `s${number}`),
      }),
    )
    fc.assert(
      fc.property(anyState, anyIntent, (state, intent) => {
        const before = keysOf(state)
        const after = keysOf(applyIntent(state, intent))
        expect(new Set(after).size).toBe(after.length)
        const made = after.filter((key) => !before.includes(key))
        expect(made.every((key) => Number(key.slice(1)) >= state.next)).toBe(true)
        if (intent.kind === 'up' || intent.kind === 'down') expect([...after].sort()).toEqual([...before].sort())
      }),
    )
  })

  it('what has no problems is a body that the server reads', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const body = toBody(state)
        if (Object.keys(problemsOf(state)).length > 0) return
        expect(ruleForm.safeParse(body).success).toBe(true)
      }),
    )
  })
})

test('a material is chosen from the list, or its id is typed below; what is typed and not on the list stays', () => {
  const state = press(emptyForm(), 'add_step:create_job', 'add_line:s1:materials')
  const wire = (controls: Record<string, string>) =>
    readForm([...toForm(state), ...Object.entries(controls)]).steps[0]?.materials[0]?.uuid
  expect(wire({ 's.s1.l.l2.uuid': 'm-1', 'o.s.s1.l.l2.uuid': '' })).toBe('m-1')
  expect(wire({ 's.s1.l.l2.uuid': '', 'o.s.s1.l.l2.uuid': 'typed' })).toBe('typed')
  const typed = setValue(state, 'o.s.s1.l.l2.uuid', 'typed')
  expect(toBody(typed).actions).toMatchObject([{ parameters: { materials: [{ material_uuid: 'typed' }] } }])
})

test('every parameter of the table has a control name of its own', () => {
  for (const { type, parameters } of ACTION_SPECS) {
    const lists = parameters.filter(({ kind }) => kind === 'materials' || kind === 'bundles').length
    expect(plainParameters(type)).toHaveLength(parameters.length - lists)
  }
})

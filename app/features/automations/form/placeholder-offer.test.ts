// Three lists are one: what is offered, what saving takes, and what a run fills in.
import { describe, expect, it } from 'vitest'
import { ACTION_TYPES, actionSpec } from '#app/domain/automations/action-parameters.ts'
import { TRIGGER_SOURCES } from '#app/domain/automations/rule.ts'
import { destinationOf, isReadByCustomers } from '../rules/checks/rule-check.ts'
import { CALENDAR_NAMES, DIGEST_NAMES } from '../rules/digest.ts'
import { checkPlaceholders, type PlaceholderPlace } from '../rules/placeholders/placeholder-check.ts'
import { ACCOUNT, meaningOf, namesOf, TRIGGER_NAMES } from '../rules/placeholders/placeholder-names.ts'
import { matchingChoices } from '../rules/placeholders/placeholder-search.ts'
import { resolveText } from '../rules/placeholders/placeholders.ts'
import { aidsOf } from './form-aids.ts'
import { applyIntent, setValue } from './form-change.ts'
import { parseFormIntent } from './form-intent.ts'
import { emptyForm, formOfFields } from './form-state.ts'
import { offeredAt, offeredIn } from './placeholder-offer.ts'

const STEPS = ACTION_TYPES.map((type, index) => ({ id: `s${index + 1}`, type, parameters: { createAttachment: true } }))
const OBJECTS = ['job', 'company', 'jobactivity', 'jobpayment', 'material', 'note'] as const
const ACCOUNT_FACTS = { name: 'A', email: 'e', zone: 'UTC', currency: 'GBP', country: 'GB' }

const place = (given: Partial<PlaceholderPlace> = {}): PlaceholderPlace => ({
  object: 'job',
  source: 'api_polling',
  manyRecords: true,
  steps: STEPS,
  index: STEPS.length,
  destination: 'plain',
  toCustomer: false,
  ...given,
})
const names = (given: Partial<PlaceholderPlace> = {}) => offeredAt(place(given)).map(({ name }) => name)
const meant = (name: string, object: string) => JSON.stringify(meaningOf(name, { object }))

/** Everything the engine understands, by its plainest spelling. `{document}` stands for a file and never for a text. */
function understood(object: string): string[] {
  return [
    ...[0, 1, 2].flatMap((entry) => [...namesOf(object).keys()].map((name) => `entry.${entry}.${name}`)),
    ...TRIGGER_NAMES.filter((name) => name !== 'date' || namesOf(object).has('date')).filter(
      (name) => name !== 'description' || namesOf(object).has('job_description'),
    ),
    ...ACCOUNT.keys(),
    ...DIGEST_NAMES,
    ...CALENDAR_NAMES,
    'signature',
    'staff_signature',
    'platform-user-signature',
    ...STEPS.flatMap((_, index) => [`action_${index + 1}_result.job_uuid`]).slice(0, 1),
  ]
}

describe('placeholders', () => {
  it.each(OBJECTS)('of a %s: every name the engine understands is offered', (object) => {
    const offered = new Set(names({ object, onAnswers: true }).map((name) => meant(name, object)))
    for (const name of understood(object)) expect([name, offered.has(meant(name, object))]).toEqual([name, true])
  })

  it('offers the ones that were understood and never shown', () => {
    expect(names()).toEqual(
      expect.arrayContaining([
        'company_uuid',
        'description',
        'object',
        'entry.1.job_address',
        'entry.2.contact_mobile',
        'staff_signature',
      ]),
    )
    expect(names({ manyRecords: false })).not.toContain('entry.1.job_address')
  })

  it('offers none that saving refuses, in any place of any action', () => {
    for (const source of TRIGGER_SOURCES) {
      for (const [index, { type, parameters }] of STEPS.entries()) {
        for (const parameter of ['to', 'message', 'customBody', 'customSubject', 'date', 'fieldValue']) {
          if (!actionSpec(type).parameters.some(({ name }) => name === parameter)) continue
          const at = place({
            source,
            index,
            destination: destinationOf({ type, parameters }, parameter),
            toCustomer: isReadByCustomers(type, parameter),
          })
          const refused = offeredAt(at).filter(({ name }) =>
            checkPlaceholders(`{${name}}`, at).some(({ severity }) => severity === 'error'),
          )
          expect(refused).toEqual([])
        }
      }
    }
  })

  it('offers the job description only where there is a job', () => {
    const labels = (object: string) =>
      offeredAt(place({ object })).flatMap(({ name, label }) => (name === 'description' ? [label] : []))
    expect(['job', 'jobpayment', 'company', 'material', 'queue'].map(labels)).toEqual([
      ['Job description'],
      ['Job description'],
      [],
      [],
      [],
    ])
  })

  it('offers none that a run does not know, and each once', () => {
    const all = names()
    expect(new Set(all).size).toBe(all.length)
    const scope = {
      records: [],
      trigger: {},
      results: {},
      order: STEPS.map(({ id }) => id),
      account: ACCOUNT_FACTS,
      now: 0,
    }
    for (const name of all) expect([name, resolveText(`{${name}}`, 'plain', scope).unknown]).toEqual([name, []])
  })

  it('a signature is offered and taken in the text of an e-mail, and nowhere else', () => {
    const press = (state = emptyForm(), text = '') => {
      const intent = parseFormIntent(`form.${text}`)
      return intent ? applyIntent(state, intent) : state
    }
    const named = setValue(setValue(emptyForm(), 'name', 'x'), 'triggerSource', 'manual_endpoint')
    const state = press(press(named, 'add_step:send_email'), 'add_step:send_sms')
    const [email, sms] = state.steps.map(({ key }) => key)
    const offered = (name: string) => offeredIn(state, name).map((one) => one.name)
    expect(offered(`s.${email}.p.customBody`)).toContain('staff_signature')
    expect(offered(`s.${email}.p.customSubject`)).not.toContain('staff_signature')
    expect(offered(`s.${sms}.p.message`)).not.toContain('staff_signature')
    const check = (text: string, index: number, toCustomer = true) =>
      checkPlaceholders(
        text,
        place({
          steps: [
            { id: 's1', type: 'send_email' },
            { id: 's2', type: 'send_sms' },
          ],
          index,
          toCustomer,
        }),
      ).map(({ code }) => code)
    for (const name of ['{signature}', '{staff_signature}', '{platform-user-signature}']) {
      expect(check(name, 0)).toEqual([])
      expect(check(name, 1)).toEqual(['unknown'])
    }
    // A number is offered where a number goes, and only results of actions before it.
    expect(offered(`s.${sms}.p.to`)).toContain('entry.0.contact_mobile')
    expect(offered(`s.${sms}.p.to`)).not.toContain('entry.0.job_description')
    expect(offered(`s.${sms}.p.message`)).toContain('action_1_result.message_id')
    expect(offered(`s.${email}.p.customBody`)).not.toContain('action_2_result.sms_id')
  })
})

it('in a text for people, amounts and dates come as people read them; in a value, as they are', () => {
  const fieldValue = { fieldName: 'purchase_order_number' }
  const actions = [
    { type: 'send_sms', parameters: {} },
    { type: 'create_task', parameters: {} },
    { type: 'update_job_field', parameters: fieldValue },
    { type: 'send_notification', parameters: {} },
  ]
  const state = formOfFields({ name: 'x', object: 'job', triggerType: 'job_created', actions })
  const formats = (place: string) => {
    const offered = offeredIn(state, place)
    return ['total_invoice_amount', 'completion_date', 'status'].map(
      (field) => offered.find(({ name }) => name === `entry.0.${field}`)?.format,
    )
  }
  const [sms, task, field, told] = state.steps.map(({ key }) => key)
  expect(formats(`s.${sms}.p.message`)).toEqual([' as money', ' as date', ''])
  expect(formats(`s.${task}.p.title`)).toEqual([' as money', ' as date', ''])
  expect(formats(`s.${field}.p.fieldValue`)).toEqual(['', '', ''])
  expect(formats(`s.${told}.p.message`)).toEqual(['', '', ''])
})

it('in a text for people, the start and end of a booking come as a date and as a time', () => {
  const actions = [
    { type: 'send_sms', parameters: {} },
    { type: 'update_job_field', parameters: { fieldName: 'purchase_order_number' } },
  ]
  const state = formOfFields({ name: 'x', object: 'jobactivity', triggerType: 'job_created', actions })
  const offered = (place: string) =>
    matchingChoices(offeredIn(state, place), '')
      .filter(({ name }) => /^entry\.0\.(?:start|end)_date$/.test(name))
      .map(({ label, format }) => `${label}${format}`)
  const both = ['Start as date', 'Start, time as time', 'End as date', 'End, time as time']
  expect(offered('s.s1.p.message')).toEqual(both)
  expect(offered('s.s2.p.fieldValue')).toEqual(['Start', 'End'])
})

it('every name is found, the likeliest first; without a search, what is called the same is listed once', () => {
  const actions = [{ type: 'send_email', parameters: {} }]
  const daily = { name: 'x', triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', digest: 'on', actions }
  const offered = offeredIn(formOfFields(daily), 's.s1.p.customBody')
  const found = (wanted: string) => matchingChoices(offered, wanted).map(({ name }) => name)
  expect(found('job description')[0]).toBe('entry.0.job_description')
  for (const name of ['entry.0.edit_date', 'entry.0.company_uuid', 'description']) expect(found(name)).toContain(name)
  const listed = matchingChoices(offered, ' ')
  expect(new Set(listed.map(({ label }) => label)).size).toBe(listed.length)
  expect(listed.length).toBeLessThan(offered.length)
  expect(listed).toEqual(offered.filter((one) => listed.includes(one)))
  expect(found('').indexOf('entry.0.job_description')).toBeLessThan(9)
})

it('lists to copy from, without scripts, hold for each action what saving takes there', () => {
  const steps = ['send_sms', 'send_email', 'create_task'].map((type) => ({ type, parameters: {} }))
  const state = formOfFields({ name: 'Rule', triggerSource: 'webhook', object: 'job', actions: steps })
  const { placeholders, own } = aidsOf(state, [])
  const ofAction = (at: number) => (own[state.steps[at]?.key ?? ''] ?? []).map(({ name }) => name)
  expect(placeholders.length).toBeGreaterThan(20)
  expect(placeholders.filter(({ name }) => /_result|signature/.test(name))).toEqual([])
  expect(ofAction(0)).toEqual([])
  expect(ofAction(1)).toEqual(expect.arrayContaining(['action_1_result.sms_id', 'staff_signature']))
  expect(ofAction(2)).toEqual(expect.arrayContaining(['action_1_result.sms_id', 'action_2_result.message_id']))
  expect(ofAction(2).filter((name) => /action_3|signature/.test(name))).toEqual([])
})

it('a new step has its own words and choices, also where its key is the id of a stored one', () => {
  const actions = [
    { id: 's1', type: 'create_job', parameters: {} },
    { id: 's3', type: 'send_sms', parameters: { message: 'Hi' } },
  ]
  const intent = parseFormIntent('form.add_step:create_task')
  if (intent === null) throw new Error('no intent')
  const state = applyIntent(formOfFields({ name: 'x', object: 'job', triggerType: 'job_created', actions }), intent)
  expect(state.steps.map(({ key, id }) => [key, id])).toEqual([
    ['s1', 's1'],
    ['s2', 's3'],
    ['s3', ''],
  ])
  const { steps, own } = aidsOf(state, [])
  expect(steps).toMatchObject({ s2: 'text the customer', s3: expect.stringContaining('task') })
  const [ofMessage] = (own.s3 ?? []).filter(({ name }) => name.startsWith('action_2_result.'))
  expect(own.s2).not.toContainEqual(ofMessage)
  expect(offeredIn(state, 's.s3.p.title').map(({ name }) => name)).toContain(ofMessage?.name)
})

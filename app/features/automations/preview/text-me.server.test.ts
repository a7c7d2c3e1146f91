// "Text this to my own phone": who gets it, what it says, how often, and what is refused.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'
import { formOfFields } from '../form/form-state.ts'
import { changeSettings } from '../settings/automation-settings.server.ts'
import { TESTS_AN_HOUR, type TextAsked, textMe } from './text-me.server.ts'

const ANN = '00000000-0000-4000-8000-0000000000a1'
const NOBODY = '00000000-0000-4000-8000-0000000000a9'
const CUSTOMERS = '+447700900001'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
  calls.world.platform.put(LEEDS, 'staff', {
    uuid: ANN,
    first: 'Ann',
    last: 'Alder',
    email: '',
    mobile: '07700 900555',
  })
  calls.world.job(LEEDS, { status: 'Completed' })
})
afterEach(() => calls.close())

const asked = (more: Partial<TextAsked> = {}, message = 'Hi {entry.0.contact_first_name}'): TextAsked => ({
  state: formOfFields({
    name: 'Thanks',
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_status',
    actions: [{ type: 'send_sms', parameters: { message } }],
  }),
  place: 0,
  seen: 'Hi Margaret',
  phone: '',
  accountUuid: LEEDS,
  record: '',
  search: '',
  names: {},
  ...more,
})

const press = (more: Partial<TextAsked> = {}, person: string | null = ANN) =>
  textMe(calls.app, asked(more), {
    person,
    send: calls.app.callAsAccount,
    record: (outcome) =>
      calls.app.store.audit.appendAudit({
        ...{ at: calls.world.clock.now(), accountUuid: LEEDS, actor: 'session', staffUuid: ANN, ip: null },
        ...{ action: 'message.tested', target: 'their own mobile', outcome, detail: {} },
      }),
  })
const sent = () => calls.world.platform.messages

test('the previewed text goes once to the mobile of whoever presses, and never to the customer', async () => {
  expect(await press()).toEqual({
    kind: 'success',
    title: 'Texted Ann Alder',
    description: 'It went to the mobile ending 555.',
  })
  expect(sent()).toMatchObject([{ to: '+447700900555' }])
  expect(JSON.stringify(sent())).toContain('Hi Margaret')
  expect(JSON.stringify(sent())).not.toContain(CUSTOMERS)
  const log = await calls.app.store.audit.listAudit(LEEDS, {
    ...{ actions: ['message.tested' as const], outcome: null, since: null, until: null, before: null, limit: 9 },
  })
  expect(log).toMatchObject([{ action: 'message.tested', outcome: 'done' }])
})

test('five an hour, also when they are pressed at once; later again', async () => {
  const pressed = await Promise.all(Array.from({ length: TESTS_AN_HOUR + 2 }, () => press()))
  expect(pressed.filter(({ kind }) => kind === 'success')).toHaveLength(TESTS_AN_HOUR)
  expect(sent()).toHaveLength(TESTS_AN_HOUR)
  expect(await press()).toMatchObject({ kind: 'error', description: 'You can try 5 texts an hour. Wait a little.' })
  calls.world.clock.leap(minutes(61))
  expect(await press()).toMatchObject({ kind: 'success' })
})

test.each([
  ['another text than the one that was seen', { seen: 'Hi Nadia' }, ANN, /changed meanwhile/],
  ['a step that is not there', { place: 7 }, ANN, /no text to send/],
  ['nobody knows who presses', {}, null, /Enter your mobile number/],
  ['a typed number that is none', { phone: '12' }, null, /12/],
  ['somebody who left', {}, NOBODY, /Open Fieldhook from ServiceM8/],
] as const)('%s is refused, and nothing is sent', async (_what, more, person, why) => {
  const flash = await press(more, person)
  expect(flash).toMatchObject({ kind: 'error', title: 'The text was not sent' })
  expect(flash.description).toMatch(why)
  expect(sent()).toEqual([])
})

test('without a mobile number in ServiceM8 it says whose is missing', async () => {
  calls.world.platform.put(LEEDS, 'staff', { uuid: ANN, first: 'Ann', last: 'Alder', email: '', mobile: '12' })
  expect(await press()).toMatchObject({
    description: 'ServiceM8 has no mobile number for Ann Alder. Add it there first.',
  })
  expect(sent()).toEqual([])
})

test('a sign-in that names nobody gets it at the number that is typed, never at the sender of the settings', async () => {
  await changeSettings(calls.app, LEEDS, { senderStaffUuid: ANN }, null)
  expect(await press({}, null)).toMatchObject({ kind: 'error' })
  expect(sent()).toEqual([])
  expect(await press({ phone: '07700 900777' }, null)).toEqual({
    kind: 'success',
    title: 'Texted your phone',
    description: 'It went to the mobile ending 777.',
  })
  expect(sent()).toMatchObject([{ to: '+447700900777' }])
  // Who is known by name cannot have it sent elsewhere.
  await press({ phone: '07700 900777' })
  expect(sent().at(-1)).toMatchObject({ to: '+447700900555' })
})

test('a platform that refuses, or does not answer, is told in words', async () => {
  calls.world.platform.fate = ({ verb }) => (verb === 'sms' ? 'broken' : 'well')
  expect(await press()).toMatchObject({
    kind: 'error',
    title: expect.stringMatching(/^The text (was not|may have been) sent$/),
  })
})

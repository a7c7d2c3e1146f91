import { beforeEach, expect, it } from 'vitest'
import { type ActionWorld, actionWorld, effectsOf } from '#tests/support/action-platform.server.ts'

const TEMPLATE = '70000000-0000-4000-8000-000000000001'
const NAME = '{job.contact_first}'
const problem = (has: string) => ({
  outcome: 'impossible',
  errorClass: 'value',
  sentence: `The template has ${has}. Shorten it in ServiceM8.`,
  warnings: [],
})
const TOO_LONG = problem('450,000 characters; at most 100,000 can be sent')
const TOO_MANY = problem('201 placeholders; at most 200 can be filled in')

let world: ActionWorld
beforeEach(() => {
  world = actionWorld()
})

it('an e-mail template that is longer than any e-mail, or has more placeholders than a text may, is not filled in', async () => {
  const step = { contentType: 'template', emailTemplateId: TEMPLATE, to: 'a@b.example' }
  const planned = (template: { subject: string; message: string }, more = {}) => {
    world.put('emailtemplate', { uuid: TEMPLATE, name: 'Ready', ...template })
    return world.plan('send_email', { ...step, ...more })
  }
  expect(await planned({ subject: 'Hi', message: '{nothing}'.repeat(50_000) })).toEqual(TOO_LONG)
  expect(await planned({ subject: 'Hi', message: NAME.repeat(201) })).toEqual(TOO_MANY)
  expect(await planned({ subject: NAME.repeat(201), message: '<p>Hi</p>' })).toEqual(TOO_MANY)
  const [most] = effectsOf(await planned({ subject: 'Hi', message: NAME.repeat(200) }), 'send_email')
  expect(most?.htmlBody).toBe('Margaret'.repeat(200))
  // What the form filled in counts, and has limits of its own.
  const written = { subject: 'Mine', htmlBody: '<p>Hi</p>' }
  const [own] = effectsOf(await planned({ subject: 'Hi', message: 'x'.repeat(100_001) }, written), 'send_email')
  expect(own?.htmlBody).toBe('<p>Hi</p>')
})

it('an SMS template is not either', async () => {
  const planned = (message: string) => {
    world.put('smstemplate', { uuid: TEMPLATE, name: 'Thanks', message })
    return world.plan('send_sms', { useSmsTemplate: true, smsTemplateId: TEMPLATE, to: '+447700900123' })
  }
  expect(await planned('{nothing}'.repeat(50_000))).toEqual(TOO_LONG)
  expect(await planned(NAME.repeat(201))).toEqual(TOO_MANY)
  expect(effectsOf(await planned(`Hi ${NAME}`), 'send_sms')[0]?.message).toBe('Hi Margaret')
})

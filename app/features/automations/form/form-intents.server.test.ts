import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TurnError } from '#app/lib/in-turn.server.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import { copyFailedFlash } from '../page/page-text.ts'
import { EMPTY_LISTS, toFormLists } from '../rules/form-lists.ts'
import { FORM_TEXTS, refusedFlash } from '../rules/form-text.ts'
import { DEFAULT_ACCOUNT_GUARDS } from '../rules/guards.ts'
import { changeRule, createRule, switchRule } from '../rules/rules.server.ts'
import { toBody } from './form-body.ts'
import { applyIntent, setValue } from './form-change.ts'
import { parseFormIntent } from './form-intent.ts'
import { handleForm, loadForm } from './form-intents.server.ts'
import { formOfRule } from './form-of-rule.ts'
import { emptyForm, type FormState, isSameForm, toForm } from './form-state.ts'

let calls: AutomationCalls

beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(async () => {
  await calls.close()
})

/** A press without scripts: the drawn state beside the controls. */
function sent(state: FormState, intent: string, controls: Record<string, string> = {}): FormData {
  const data = new FormData()
  data.append('intent', intent)
  for (const [name, value] of toForm(state)) data.append(name, value)
  for (const [name, value] of Object.entries(controls)) data.append(name, value)
  return data
}

function withTask(): FormState {
  const intent = parseFormIntent('form.add_step:create_task')
  if (intent === null) throw new Error('no intent')
  const values = { name: 'Ring', events: 'object:job', triggerType: 'job_created' }
  const named = Object.entries(values).reduce((state, [name, value]) => setValue(state, name, value), emptyForm())
  return setValue(applyIntent(named, intent), 's.s1.p.title', 'Ring them')
}

test('a press gives the form back with what it did, and stores nothing', async () => {
  const answer = await handleForm(calls.app, LEEDS, sent(withTask(), 'form.add_step', { name: 'Ring today' }))
  expect(answer).toMatchObject({
    outcome: 'form',
    flash: null,
    form: { state: { values: { name: 'Ring today' }, steps: [{ key: 's1' }, { type: 'update_job_status' }] } },
  })
  expect(await calls.app.store.automations.listAutomations(LEEDS)).toEqual([])
})

test('Continue without a record says so, as soon as there was one to choose', async () => {
  const press = async (controls: Record<string, string>) => {
    const answer = await handleForm(calls.app, LEEDS, sent(emptyForm(), 'form.next:when', controls))
    return answer.outcome === 'form' && answer.form.errors
  }
  expect(await press({ name: 'Ring' })).toEqual({})
  expect(await press({ name: 'Ring', events: '' })).toEqual({ webhookSubscriptionId: ['Choose a record'] })
  expect(await press({ name: 'Ring', events: 'object:job' })).toEqual({})
  expect(await press({ name: 'Ring', events: '', triggerSource: 'manual_endpoint' })).toEqual({})
})

test('saving stores the rule; opened again it is changed, not stored twice', async () => {
  const made = await handleForm(calls.app, LEEDS, sent(withTask(), 'form.save'))
  expect(made).toMatchObject({ outcome: 'saved', message: 'Automation created' })
  const [rule] = await calls.app.store.automations.listAutomations(LEEDS)
  if (!rule) throw new Error('nothing stored')
  const changed = await handleForm(calls.app, LEEDS, sent(formOfRule(rule), 'form.save', { name: 'Ring tomorrow' }))
  expect(changed).toMatchObject({ outcome: 'saved', ruleId: rule.id, message: 'Automation updated' })
  const after = await calls.app.store.automations.listAutomations(LEEDS)
  expect(after.map(({ name }) => name)).toEqual(['Ring tomorrow'])
  expect(after[0]?.definition).toEqual(rule.definition)
})

/** A stored rule, and the form it was opened in. */
async function openedRule(values: Record<string, string> = {}) {
  await handleForm(calls.app, LEEDS, sent(withTask(), 'form.save', values))
  const [rule] = await calls.app.store.automations.listAutomations(LEEDS)
  if (!rule) throw new Error('nothing stored')
  return { rule, form: formOfRule(rule), now: () => calls.app.store.automations.findAutomation(LEEDS, rule.id) }
}

test('saving an edit keeps the rule off that was switched off meanwhile', async () => {
  const { rule, form, now } = await openedRule()
  await switchRule(calls.app, rule, false, false)
  expect(await handleForm(calls.app, LEEDS, sent(form, 'form.save', { name: 'Ring tomorrow' }))).toMatchObject({
    outcome: 'saved',
    flash: { description: 'It is switched off until you switch it on.' },
  })
  expect(await now()).toMatchObject({ name: 'Ring tomorrow', active: false, activeSince: null })
  // What the box itself says counts, and so does the button that turns it on.
  const again = formOfRule({ ...rule, active: false, version: 2 })
  await handleForm(calls.app, LEEDS, sent(again, 'form.save', { name: 'Ring tomorrow', active: 'true' }))
  expect(await now()).toMatchObject({ active: true })
  await switchRule(calls.app, rule, false, false)
  const on = formOfRule({ ...rule, name: 'Ring tomorrow', version: 2 })
  await handleForm(calls.app, LEEDS, sent(on, 'form.save:on'))
  expect(await now()).toMatchObject({ active: true })
})

test('an open form takes over the switch that was pressed on the card', async () => {
  const { rule, form } = await openedRule()
  await switchRule(calls.app, rule, false, false)
  const { state, saved } = await loadForm(calls.app, LEEDS, setValue(form, 'name', 'Ring tomorrow'))
  expect(state.values).toMatchObject({ name: 'Ring tomorrow', active: '' })
  expect(state.opened).toEqual(saved.opened)
})

test('what was changed elsewhere meanwhile is replaced with the second save', async () => {
  const { form, now } = await openedRule()
  expect(await handleForm(calls.app, LEEDS, sent(form, 'form.save', { name: 'First' }))).toMatchObject({
    outcome: 'saved',
  })
  // The same once more, after a lost answer, asks nothing, however it was typed.
  const same = await handleForm(calls.app, LEEDS, sent(form, 'form.save', { name: 'First ' }))
  expect(same).toMatchObject({ outcome: 'saved' })
  const second = await handleForm(calls.app, LEEDS, sent(form, 'form.save', { name: 'Second' }))
  expect(second).toMatchObject({
    outcome: 'form',
    flash: { description: FORM_TEXTS.stale },
    form: { state: { values: { name: 'Second' } } },
  })
  expect(await now()).toMatchObject({ name: 'First' })
  if (second.outcome !== 'form') return
  expect(await handleForm(calls.app, LEEDS, sent(second.form.state, 'form.save'))).toMatchObject({ outcome: 'saved' })
  expect(await now()).toMatchObject({ name: 'Second' })
})

test('of two saves at once, the second asks before it replaces the first', async () => {
  const { rule, form, now } = await openedRule()
  const save = (name: string) => handleForm(calls.app, LEEDS, sent(form, 'form.save', { name }))
  const both = await Promise.all([save('First'), save('Second')])
  const asked = both.filter(({ outcome }) => outcome === 'form')
  expect(asked).toMatchObject([{ flash: { description: FORM_TEXTS.stale } }])
  expect(both.filter(({ outcome }) => outcome === 'saved')).toHaveLength(1)
  expect(await now()).toMatchObject({ version: rule.version + 1 })
})

test('a rule that two calls make manual at once has one key', async () => {
  const { rule, form } = await openedRule()
  const body = { ...toBody(form), triggerSource: 'manual_endpoint' }
  const changed = vi.spyOn(calls.app.store.automations, 'changeAutomation')
  const change = async (name: string) => (await changeRule(calls.app, LEEDS, rule.id, { ...body, name })).outcome
  expect(await Promise.all([change('First'), change('Second')])).toEqual(['saved', 'saved'])
  const rows = await Promise.all(changed.mock.results.map(({ value }) => value as Promise<AutomationRow | null>))
  const keys = new Set(rows.flatMap((row) => row?.triggerKeySealed ?? []))
  expect(keys.size).toBe(1)
})

test('a change that says nothing of the switch leaves it as it is', async () => {
  const { rule, form, now } = await openedRule({ triggerSource: 'api_polling' })
  await switchRule(calls.app, rule, false, false)
  expect(await changeRule(calls.app, LEEDS, rule.id, { ...toBody(form), name: 'Later' })).toMatchObject({
    outcome: 'saved',
  })
  expect(await now()).toMatchObject({ name: 'Later', active: false, nextRunAt: null })
})

test('a new rule that is sent twice is made once, by the form alone', async () => {
  const press = () => handleForm(calls.app, LEEDS, sent(withTask(), 'form.save'))
  const list = () => calls.app.store.automations.listAutomations(LEEDS)
  const both = await Promise.all([press(), press()])
  const [rule] = await list()
  expect(both).toMatchObject([0, 1].map(() => ({ outcome: 'saved', ruleId: rule?.id, message: 'Automation created' })))
  expect(await list()).toHaveLength(1)
  await createRule(calls.app, LEEDS, toBody(withTask()))
  expect(await list()).toHaveLength(2)
  calls.world.clock.leap(10_001)
  await press()
  expect(await list()).toHaveLength(3)
})

test('pressed twice while ServiceM8 is slow, one rule is made; while the turn is not free, the form says so', async () => {
  const slow = async () => {
    calls.world.clock.leap(15_000)
    return null
  }
  const press = () => handleForm({ ...calls.app, keepSubscribed: slow }, LEEDS, sent(withTask(), 'form.save'))
  const list = () => calls.app.store.automations.listAutomations(LEEDS)
  const both = await Promise.all([press(), press()])
  const [rule] = await list()
  expect(both).toMatchObject([0, 1].map(() => ({ outcome: 'saved', ruleId: rule?.id })))
  expect(await list()).toHaveLength(1)
  const { store } = calls.app
  const inTurn = () => Promise.reject(new TurnError('Please try again in a moment.'))
  const app = { ...calls.app, store: { ...store, shared: { ...store.shared, inTurn } } }
  expect(await handleForm(app, LEEDS, sent(withTask(), 'form.save'))).toMatchObject({
    outcome: 'form',
    flash: refusedFlash(true, 'Please try again in a moment.'),
    form: { state: { values: { name: 'Ring' } } },
  })
})

test('a stored rule with the blank of the business name opens as saved', async () => {
  const draft = setValue(setValue(withTask(), 'active', ''), 's.s1.p.title', 'Ring for [[Business name]]')
  await handleForm(calls.app, LEEDS, sent(draft, 'form.save'))
  const [rule] = await calls.app.store.automations.listAutomations(LEEDS)
  if (!rule) throw new Error('nothing stored')
  const { state, saved } = await loadForm(calls.app, LEEDS, formOfRule(rule))
  expect(Object.keys(state.answers)).toEqual(['Business name'])
  expect(isSameForm(state, saved)).toBe(true)
})

test('what is wrong comes back with everything that was written', async () => {
  const answer = await handleForm(calls.app, LEEDS, sent(withTask(), 'form.save', { 's.s1.p.title': '' }))
  expect(answer).toMatchObject({
    outcome: 'form',
    flash: { title: 'Form Validation Error', description: 'Please check your form for errors: Actions to Execute' },
    form: {
      state: { values: { name: 'Ring' } },
      errors: { 'actions.0.parameters.title': ['Title is required'] },
      trouble: { title: 'Form Validation Error' },
    },
  })
})

test("another account's rule is gone as far as this one can tell, and what was written stays", async () => {
  await handleForm(calls.app, BRISBANE, sent(withTask(), 'form.save'))
  const [rule] = await calls.app.store.automations.listAutomations(BRISBANE)
  if (!rule) throw new Error('nothing stored')
  const answer = await handleForm(calls.app, LEEDS, sent(formOfRule(rule), 'form.save', { name: 'Mine now' }))
  expect(answer).toMatchObject({
    outcome: 'form',
    flash: { title: 'Error updating automation' },
    form: { state: { values: { name: 'Mine now' } } },
  })
  expect((await calls.app.store.automations.findAutomation(BRISBANE, rule.id))?.name).toBe('Ring')
})

test('a refusal says the reason of the server, or that it failed', () => {
  const words = ({ title, description }: { title: string; description?: string }) => [title, description]
  expect(words(refusedFlash(true, 'You have 200 automations.'))).toEqual([
    'Failed to create automation',
    'You have 200 automations.',
  ])
  expect(words(refusedFlash(true, ''))).toEqual(['Failed to create automation', undefined])
  expect(words(refusedFlash(false, 'Not so.'))).toEqual(['Error updating automation', 'Not so.'])
  expect(words(refusedFlash(false, ''))).toEqual(['Error updating automation', 'Failed to update automation'])
  expect(words(copyFailedFlash())).toEqual(['Copy failed', 'Failed to copy automation to clipboard'])
})

test('what is taken out of the HTML of an e-mail when it is saved, is told', async () => {
  const body = (html: string) => ({
    name: 'Thanks',
    active: true,
    triggerSource: 'manual_endpoint',
    actions: [
      {
        type: 'send_email',
        parameters: { contentType: 'html', to: 'a@example.com', customHtmlSubject: 'Thanks', customHtmlBody: html },
      },
    ],
  })
  const made = await createRule(calls.app, LEEDS, body('<p onclick="x()">Hi</p><script>x()</script>'))
  expect(made).toMatchObject({
    outcome: 'saved',
    warning: 'Saved. We removed unsafe parts from the HTML of an e-mail: onclick, <script>.',
    rule: { definition: { steps: [{ parameters: { customHtmlBody: '<p>Hi</p>' } }] } },
  })
  expect(await createRule(calls.app, LEEDS, body('<p>Hi</p>'))).toMatchObject({ outcome: 'saved', warning: null })
  // Nothing would be left to send.
  expect(await createRule(calls.app, LEEDS, body('<script>x()</script>'))).toMatchObject({
    outcome: 'invalid',
    errors: { 'actions.0.parameters.customHtmlBody': ['Message is required'] },
  })
})

test('leaving leads back to the plain page', async () => {
  expect(await handleForm(calls.app, LEEDS, sent(withTask(), 'form.cancel'))).toEqual({
    outcome: 'cancelled',
    ruleId: null,
  })
})

test('a template fills in the message without scripts too', async () => {
  const lists = {
    ...EMPTY_LISTS,
    ...toFormLists({ 'sms-templates': [{ uuid: 't1', template_name: 'Done', message_text: 'We are done.' }] }),
  }
  const sms = setValue(setValue(withTask(), 's.s1.type', 'send_sms'), 's.s1.p.useSmsTemplate', 'true')
  const answer = await handleForm(
    calls.app,
    LEEDS,
    sent(sms, 'form.next', { 's.s1.p.smsTemplateId': 't1', 's.s1.p.message': '' }),
    lists,
  )
  expect(answer).toMatchObject({ form: { state: { steps: [{ parameters: { message: 'We are done.' } }] } } })
})

test('a number typed for a text to the own phone comes back with the form', async () => {
  const phone = { 'preview.phone.0': '12345' }
  const answer = await handleForm(calls.app, LEEDS, sent(withTask(), 'form.text_me:0', phone))
  expect(answer).toMatchObject({ form: { preview: { phone: '12345' } } })
})

test('the form is drawn with the webhooks, the sentence and the fields of its object', async () => {
  const view = await loadForm(calls.app, LEEDS, withTask())
  expect(view.aids.sentence).toEqual({
    when: 'When a job is created',
    onlyIf: null,
    does: 'create the task "Ring them"',
  })
  expect(view.aids.fields.slice(0, 14).every(({ group }) => group === 'first')).toBe(true)
  expect(view.aids.placeholders.length).toBeGreaterThan(20)
})

test('the form knows how the account’s quiet hours stand', async () => {
  const quiet = async () => (await loadForm(calls.app, LEEDS, emptyForm())).quiet
  expect(await quiet()).toMatchObject({ words: expect.stringContaining('20:00 to 08:00') })
  const none = { ...DEFAULT_ACCOUNT_GUARDS, quietFrom: '00:00', quietTo: '00:00' }
  await calls.app.store.runs.saveAccountGuards(LEEDS, none, 0)
  expect(await quiet()).toEqual({ words: 'No quiet hours are set, so this changes nothing.', link: 'Set quiet hours' })
})

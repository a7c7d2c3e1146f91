import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { CATEGORIES } from '#app/domain/template-categories.ts'
import { handleForm } from '#app/features/automations/form/form-intents.server.ts'
import { formOfRule } from '#app/features/automations/form/form-of-rule.ts'
import { PREVIEW_KINDS, type PreviewKind } from '#app/features/automations/form/form-preview.ts'
import { type FormState, formOfFields, toForm } from '#app/features/automations/form/form-state.ts'
import { actOnRule } from '#app/features/automations/page/act-on-rule.server.ts'
import { previewForm } from '#app/features/automations/preview/form-preview.server.ts'
import { LONGEST_RULE, lengthOfRule, MOST_OF_RULES } from '#app/features/automations/rules/checks/rule-size.ts'
import { definitionOf } from '#app/features/automations/rules/rule-definition.ts'
import { ruleForm } from '#app/features/automations/rules/rule-form.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import { createTemplate } from '#app/features/templates/templates.server.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'

const automation = apiRoute('api/automation')
const automationById = apiRoute('api/automation/:id')

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
})
afterEach(() => calls.close())

test('60,000 letters of any script are an automation: the limit counts letters, and a call takes their bytes', async () => {
  const { actions, ...rest } = fields(60_000)
  const hebrew = actions.map((action) => ({
    ...action,
    parameters: { title: 'Ring', description: 'א'.repeat(20_000) },
  }))
  const made = await post({ ...rest, actions: hebrew })
  expect(made.status).toBe(201)
  expect((await put(made.json.id, { ...rest, actions: hebrew })).status).toBe(200)
  expect((await post({ ...rest, description: 'x'.repeat(640 * 1024) })).status).toBe(413)
})

const ONE = { id: '', type: 'create_task', sequenceOrder: undefined, waitForPrevious: false } as const
/** `length` characters of texts, in actions of 20,000 each. */
function fields(length: number, name = 'Long') {
  const texts = Array.from({ length: Math.ceil(length / 20_000) }, (_, n) =>
    'x'.repeat(Math.min(20_000, length - n * 20_000)),
  )
  const actions = texts.map((description) => ({ ...ONE, parameters: { title: 'Ring', description } }))
  return { name, triggerSource: 'manual_endpoint', actions }
}
/** As it would be stored, longer than the form takes it. */
function definition(length: number): RuleDefinition {
  const { actions } = fields(length)
  const steps = actions.map(({ parameters }) => ({ ...ONE, parameters }))
  return definitionOf({ ...ruleForm.parse(fields(1)), actions: steps }, null)
}
/** What a rule of that length has beside its texts. */
const around = (length: number) => lengthOfRule(definition(length)) - length
const stored = (name: string, length: number) =>
  calls.app.store.automations.createAutomation(LEEDS, {
    name,
    definition: definition(length),
    active: true,
    nextRunAt: null,
    baselined: true,
    triggerKey: null,
    at: calls.world.clock.now(),
  })
const post = (body: object) =>
  calls.call(automation, '/api/automation', { method: 'POST', body: { accountUUID: LEEDS, ...body } })
const put = (id: number, body: object) =>
  calls.call(automationById, `/api/automation/${id}`, { method: 'PUT', params: { id: String(id) }, body })
const press = (state: FormState) => {
  const data = new FormData()
  for (const [name, value] of [...toForm(state), ['intent', 'form.save'] as const]) data.append(name, value)
  return handleForm(calls.app, LEEDS, data)
}
const preview = (state: FormState, kind: PreviewKind) =>
  previewForm(calls.app, state, { preview: kind, accountUuid: LEEDS, record: '', search: '', names: {} })
const act = (what: 'import' | 'delete' | 'switch', values: Record<string, string>) =>
  actOnRule(calls.app, LEEDS, what, values, { admin: false, takeRun: () => true, names: {} })
const tooLong = (length: number) =>
  `An automation has at most 100,000 characters. This one has ${length.toLocaleString('en')}.`

test('a rule is as long as 100,000 characters with all its texts, to the character; the call names the field', async () => {
  const room = LONGEST_RULE - around(95_000)
  expect(await post(fields(room))).toMatchObject({ status: 201 })
  const message = tooLong(LONGEST_RULE + 1)
  expect(await post(fields(room + 1))).toMatchObject({ status: 400, json: { message, errors: { actions: [message] } } })
  expect(await calls.app.store.automations.listAutomations(LEEDS)).toHaveLength(1)
})

test('form, preview, samples, look back, import and template say the same', async () => {
  const long = fields(150_000, 'Chase quotes')
  const message = tooLong(150_000 + around(150_000))
  const state = formOfFields(long)
  expect(await press(state)).toMatchObject({ outcome: 'form', form: { errors: { actions: [message] } } })
  for (const kind of PREVIEW_KINDS) expect(await preview(state, kind)).toEqual({ kind: 'trouble', message })
  const paste = (value: unknown) => act('import', { json: JSON.stringify(value) })
  expect(await paste(long)).toMatchObject({ result: { message: `“Chase quotes”: ${message}` } })
  expect(await paste({ rules: [fields(10), long] })).toMatchObject({
    result: { kind: 'import_refused', message: `Automation 2, “Chase quotes”: ${message}` },
  })
  expect(await createTemplate(calls.app, LEEDS, { ...long, category: CATEGORIES[0] })).toMatchObject({
    outcome: 'invalid',
    issues: [{ path: ['actions'], message }],
  })
  expect(await calls.app.store.automations.listAutomations(LEEDS)).toEqual([])
})

test('a form that lacks more than length is not looked at either', async () => {
  expect(await preview(formOfFields({ ...fields(150_000), name: '' }), 'preview')).toMatchObject({
    kind: 'trouble',
    message: expect.stringMatching(/^An automation has at most 100,000 characters/),
  })
})

test('one that was longer before is switched, run and deleted; an edit has to shorten it', async () => {
  const id = await stored('From before', 300_000)
  const rule = await calls.app.store.automations.findAutomation(LEEDS, id)
  if (!rule) throw new Error('not stored')
  expect(await put(id, { active: false })).toMatchObject({ status: 200, json: { active: false } })
  expect(await act('switch', { id: String(id), to: 'on' })).toMatchObject({ flash: { kind: 'success' } })
  expect(await press({ ...formOfRule(rule), ruleId: id })).toMatchObject({
    outcome: 'form',
    form: { errors: { actions: [tooLong(lengthOfRule(rule.definition))] } },
  })
  expect(await put(id, fields(40_000))).toMatchObject({ status: 200 })
  expect(await act('delete', { id: String(id) })).toMatchObject({ flash: { kind: 'success' } })
})

test('all rules of an account have at most 2,000,000 characters together; one that gets shorter is always taken', async () => {
  for (let n = 0; n < 7; n++) await stored(`Rule ${n}`, 280_000)
  const { characters } = await calls.app.store.automations.sizeOfAutomations(LEEDS)
  const room = MOST_OF_RULES - characters
  const last = room - around(room)
  expect(await post(fields(last + 1))).toMatchObject({
    status: 400,
    json: {
      message: 'All automations together have at most 2,000,000 characters. With this one they have 2,000,001.',
    },
  })
  expect(await preview(formOfFields(fields(last + 1)), 'preview')).toMatchObject({
    kind: 'trouble',
    message: expect.stringMatching(/^All automations together/),
  })
  const made = await post(fields(last))
  expect(made).toMatchObject({ status: 201 })
  expect(await post(fields(1))).toMatchObject({ status: 400 })
  const { id } = made.json
  expect(await put(id, fields(last + 1))).toMatchObject({ status: 400 })
  expect(await put(id, fields(last - 1))).toMatchObject({ status: 200 })
  expect(await act('import', { json: JSON.stringify([fields(1, 'A'), fields(1, 'B')]) })).toMatchObject({
    result: { message: expect.stringMatching(/^A \(Imported\): All automations together/) },
  })
  await act('delete', { id: String(id) })
  expect((await calls.app.store.automations.sizeOfAutomations(LEEDS)).characters).toBe(characters)
})

test('texts of misspelt placeholders within the length are judged by their placeholders', async () => {
  const actions = Array.from({ length: 4 }, () => ({
    type: 'send_email',
    parameters: { contentType: 'manual', to: 'a@b.example', customSubject: 'x', customBody: '{zq}'.repeat(5_000) },
  }))
  const message = 'A text has at most 200 placeholders. This one has 5,000.'
  expect(await post({ ...fields(1), actions })).toMatchObject({
    status: 400,
    json: { message, errors: { 'actions.3.parameters.customBody': [message] } },
  })
})

test('the templates of the library have plenty of room', () => {
  for (const { definition } of LIBRARY) expect(lengthOfRule(definition)).toBeLessThan(LONGEST_RULE / 10)
})

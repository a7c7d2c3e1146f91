// Long: the form as it is sent, without JavaScript and with it: every press, save and refusal of one page.
import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyIntent, setValue } from '#app/features/automations/form/form-change.ts'
import { emptyForm, type FormState, formOfFields, toForm } from '#app/features/automations/form/form-state.ts'
import { readForm as readState } from '#app/features/automations/form/form-wire.ts'
import { readImport } from '#app/features/automations/rules/import-rule.ts'
import { ruleJson } from '#app/features/automations/rules/rule-json.ts'
import { createRule } from '#app/features/automations/rules/rules.server.ts'
import { flashCookieName, readCookies, sessionCookieName } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import { action, loader, meta } from './automation.tsx'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
  const expiresAt = calls.world.clock.now() + hours(1)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt, scope: '' }
  for (const account of [LEEDS, BRISBANE]) await calls.app.store.accounts.saveCredential(account, tokens)
})
afterEach(() => calls.close())

const RULE = {
  name: 'Call back',
  triggerSource: 'manual_endpoint',
  actions: [{ type: 'create_task', parameters: { title: 'Call back' } }],
}

interface Visit {
  /** Whose session; null = nobody's. */
  as?: string | null
  /** Whose page. */
  of?: string
  /** The form that was sent. */
  form?: Record<string, string>
  /** Where the browser says it comes from. */
  site?: string
}

function argsOf(query = '', { as = LEEDS, of = LEEDS, form, site = 'same-origin' }: Visit = {}) {
  const headers: Record<string, string> = { 'sec-fetch-site': site }
  if (as !== null) headers.cookie = `${sessionCookieName('tab', true)}=${as}`
  const body = form ? new URLSearchParams(form) : undefined
  const address = `${calls.app.settings.origin}/automation?accountUUID=${of}${query}`
  const request = new Request(address, { method: form ? 'POST' : 'GET', headers, ...(body && { body }) })
  return {
    request,
    params: {},
    context: { app: calls.app, clientIp: '203.0.113.9', nonce: '' },
  } as unknown as ActionFunctionArgs
}

async function open(query = '', visit: Visit = {}) {
  const { data: page } = await loader(argsOf(query, visit))
  if (page.view === 'gate') throw new Error('the gate is shown')
  return page
}

const send = async (form: Record<string, string>, query = '', visit: Visit = {}) =>
  (await action(argsOf(query, { ...visit, form }))).data

/** Where it leads, and what is said there. */
async function leadsTo(work: Promise<unknown>) {
  const thrown = await work.then(
    () => Promise.reject(new Error('it led nowhere')),
    (response: unknown) => response as Response,
  )
  const cookie = thrown.headers.get('set-cookie') ?? ''
  const sealed = readCookies(cookie.split(';')[0] ?? '').get(flashCookieName(true)) ?? ''
  const request = new Request('https://x.example', { headers: { cookie: `${flashCookieName(true)}=${sealed}` } })
  const { flash } = await loadFlash(calls.app, request)
  return {
    to: thrown.headers.get('location') ?? '',
    title: flash?.title,
    description: flash?.description,
    link: flash?.link,
    typed: flash?.typed,
  }
}

async function make(body: Record<string, unknown> = RULE): Promise<number> {
  const saved = await createRule(calls.app, LEEDS, body)
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  return saved.rule.id
}

describe('whose page it is', () => {
  test('without a session, and for somebody else’s account, the gate is shown', async () => {
    for (const visit of [{ as: null }, { as: BRISBANE }]) {
      const { data: page } = await loader(argsOf('', visit))
      expect(page).toMatchObject({ view: 'gate', state: 'ready', accountUUID: LEEDS })
    }
  })

  test('a form that is sent after the session ended changes nothing and says so', async () => {
    const id = await make()
    expect(await leadsTo(send({ act: 'delete', id: String(id) }, '', { as: null }))).toMatchObject({
      to: `/automation?accountUUID=${LEEDS}`,
      title: 'No authentication credentials found',
      description: 'Nothing was changed. Please sign in again.',
      typed: true,
    })
    expect((await open()).rules).toHaveLength(1)
  })

  test('the API tab and its records are an admin’s, on the server too', async () => {
    expect(await open('&tab=api&api=queues')).toMatchObject({ tab: 'rules', admin: false, explorer: null })
    expect(await open('&tab=api&api=queues&admin=yes')).toMatchObject({
      tab: 'api',
      admin: true,
      explorer: { test: { outcome: 'found', count: 1 } },
    })
    const notAdmin = { as: BRISBANE, of: BRISBANE }
    expect(await open('&tab=api&api=queues&admin=yes', notAdmin)).toMatchObject({ tab: 'rules', explorer: null })
  })
})

test('rules that can message a customer again are named once, until that is dismissed', async () => {
  const text = [{ type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Hi' } }]
  const onChange = { triggerSource: 'webhook', object: 'job', triggerType: 'job_updated', actions: text }
  await make({ ...onChange, name: 'Each change', once: 'change' })
  await make({ ...onChange, name: 'Once' })
  await make({ ...RULE, actions: text, name: 'Called' })
  expect((await open()).repeats).toEqual([])
  // As after the update that made it a choice.
  calls.world.client.sql.exec('UPDATE account SET repeats_told = 0')
  expect((await open()).repeats).toEqual(['Each change'])
  expect(await leadsTo(send({ act: 'repeats_told' }))).toMatchObject({ title: 'Notice dismissed' })
  expect((await open()).repeats).toEqual([])
})

test('how often, and a schedule, go from the form to the store, the call, the export, and back into the form', async () => {
  const at = (state: FormState) => `s.${state.steps[0]?.key}`
  const named = { ...emptyForm().values, name: 'Seam', events: 'object:job', triggerType: 'job_updated' }
  const begun = applyIntent({ ...emptyForm(), values: named }, { kind: 'add_step', type: 'send_sms' })
  const filled = [
    [`${at(begun)}.p.to`, '{entry.0.contact_mobile}'],
    [`${at(begun)}.p.message`, 'Hi'],
    ['once', 'week'],
    ['scheduleType', 'recurring'],
    ['scheduleRecurrence', 'weekly'],
    ['weekday', '5'],
    ['runTime', '17:00'],
  ].reduce((state, [name = '', value = '']) => setValue(state, name, value), begun)
  const { title } = await leadsTo(send({ ...Object.fromEntries(toForm(filled)), intent: 'form.save' }))
  expect(title).toBe('Automation created')
  const [card] = (await open()).rules ?? []
  const said = { once: 'week', scheduleType: 'recurring', scheduleRecurrence: 'weekly', weekday: 5, runTime: '17:00' }
  expect(card).toMatchObject({ often: 'At most once a week per job', schedule: 'Every Friday at 17:00' })
  const [rule] = await calls.world.store.automations.listAutomations(LEEDS)
  if (!rule) throw new Error('it was not stored')
  expect(ruleJson(rule, LEEDS, null)).toMatchObject(said)
  const read = readImport(card?.json ?? '')
  expect(read.outcome === 'read' && read.rules[0]?.fields).toMatchObject(said)
  const again = (await open(`&edit=${rule.id}`)).form?.view.state.values
  expect(again).toMatchObject({ ...said, weekday: '5' })
})

describe('the form', () => {
  test('is empty, holds a rule, or a copy of a template', async () => {
    const id = await make()
    expect((await open()).form).toMatchObject({ key: 'new-', view: { state: { ruleId: null } } })
    expect((await open(`&edit=${id}`)).form?.view.state).toMatchObject({ ruleId: id, values: { name: 'Call back' } })
  })

  test('is told by the title, as the other tabs are', async () => {
    const title = async (query: string) => meta({ data: (await open(query)) as never })[0]?.title
    expect(await title('')).toBe('Automations · Fieldhook')
    expect(await title('&tab=templates')).toBe('Template Library · Fieldhook')
    expect(await title(`&edit=${await make()}`)).toBe('Edit Automation · Fieldhook')
  })

  test('holds a copy for whoever opens its address, from wherever, and nothing is counted', async () => {
    for (const site of ['same-origin', 'cross-site', 'same-site', 'none']) {
      const { form } = await open('&copy=1', { site })
      expect(form?.view.state.ruleId).toBeNull()
      expect(form?.view.state.values.name).toMatch(/ \(From Template\)$/)
      expect(form?.view.state.values.active).toBe('')
    }
    expect((await calls.app.store.templates.templateUses()).size).toBe(0)
  })

  test('a rule that is not there is told, and the page goes on', async () => {
    expect(await leadsTo(open('&edit=99'))).toMatchObject({
      to: `/automation?accountUUID=${LEEDS}`,
      title: 'Error updating automation',
    })
  })

  test('an account without automations has six recipes beside it, another has none', async () => {
    expect((await open()).recipes).toHaveLength(6)
    await make()
    expect((await open()).recipes).toEqual([])
  })

  test('is drawn again with what is wrong, or saved and led to the card', async () => {
    const values = { ...emptyForm().values, triggerSource: 'manual_endpoint' }
    const drawn = applyIntent({ ...emptyForm(), values }, { kind: 'add_step', type: 'create_task' })
    const fields = { ...Object.fromEntries(toForm(drawn)), name: 'Call back' }
    const refused = await send({ ...fields, intent: 'form.save' })
    expect(refused).toMatchObject({ result: null, toast: { kind: 'error' } })
    expect(refused.form?.view.state.values.name).toBe('Call back')
    const saved = await leadsTo(send({ ...fields, 's.s1.p.title': 'Call back', intent: 'form.save' }))
    expect(saved.title).toBe('Automation created')
    expect(saved.to).toMatch(/&fresh=\d+#automation-1$/)
  })

  test('has a pasted rule in it after an import', async () => {
    const pasted = await send({ act: 'import', json: JSON.stringify(RULE) })
    expect(pasted).toMatchObject({
      form: { view: { state: { ruleId: null, values: { name: 'Call back (Imported)', active: '' } } } },
      toast: { title: 'Automation imported' },
    })
    // Without scripts the form itself says it.
    const copied = { ...RULE, triggerSource: 'webhook', triggerType: 'job_updated' }
    const unsaid = await send({ act: 'import', json: JSON.stringify(copied) })
    expect(unsaid.form?.view.trouble?.description).toMatch(/Choose them under Webhook Subscription\.$/)
    expect((await open()).rules).toEqual([])
  })

  test('is kept when another rule is imported without scripts, and is a link away', async () => {
    const written = Object.fromEntries(toForm({ ...emptyForm(), values: { ...emptyForm().values, name: 'Half done' } }))
    const pasted = await send({ ...written, json: JSON.stringify(RULE), press: 'act=import' })
    expect(pasted.form?.view.state.values.name).toBe('Call back (Imported)')
    const { words, to = '' } = pasted.form?.view.trouble?.link ?? {}
    expect(words).toBe('Back to your unsaved automation')
    expect((await open(`&draft=${new URLSearchParams(to).get('draft')}`)).form?.view.state.values.name).toBe(
      'Half done',
    )
    // Nothing was written: there is nothing to go back to.
    const nothing = Object.fromEntries(toForm(emptyForm()))
    const alone = await send({ ...nothing, json: JSON.stringify(RULE), press: 'act=import' })
    expect(alone.form?.view).toMatchObject({ state: { values: { name: 'Call back (Imported)' } } })
    expect(alone.form?.view.trouble?.link).toBeUndefined()
    const refused = await send({ ...written, json: 'no JSON', press: 'act=import' })
    expect(refused).toMatchObject({ result: { kind: 'import_refused', text: 'no JSON' } })
    expect(refused.form?.view.state.values.name).toBe('Half done')
  })
})

describe('the buttons of a card', () => {
  test('lead back to the page as it was, with the rule that is being edited', async () => {
    const id = await make()
    expect(await leadsTo(send({ act: 'switch', id: String(id), to: 'off' }, `&edit=${id}&logs=yes`))).toMatchObject({
      to: `/automation?accountUUID=${LEEDS}&edit=${id}`,
      title: 'Automation updated',
    })
    expect(await leadsTo(send({ act: 'new_url', id: String(id) }))).toMatchObject({
      to: `/automation?accountUUID=${LEEDS}&url=${id}`,
    })
    expect(await leadsTo(send({ act: 'delete', id: String(id) }, `&edit=${id}&delete=${id}`))).toMatchObject({
      to: `/automation?accountUUID=${LEEDS}&deleted=${id}`,
      title: 'Automation deleted',
    })
    expect((await open(`&deleted=${id}`)).deleted).toEqual({ id, name: 'Call back' })
    expect(await leadsTo(send({ act: 'undo', id: String(id) }, `&deleted=${id}`))).toMatchObject({
      to: `/automation?accountUUID=${LEEDS}`,
      title: 'Automation restored',
    })
    expect((await open(`&deleted=${id}`)).deleted).toBeNull()
    expect((await open()).rules?.map((rule) => rule.id)).toEqual([id])
  })

  test('a new address, which is a key, is made by an owner with a fresh sign-in alone', async () => {
    const id = await make()
    const press = () => leadsTo(send({ act: 'new_url', id: String(id) }))
    const key = async () => (await calls.world.store.automations.findAutomation(LEEDS, id))?.triggerKeySealed
    const before = await key()
    calls.world.clock.leap(minutes(10))
    expect(await press()).toMatchObject({ title: 'This needs a recent sign-in' })
    // With an owner by name, whoever is not known by name has to say who it is.
    calls.world.client.sql.exec(
      `INSERT INTO account_person (account_uuid, staff_uuid, role, since) VALUES ('${LEEDS}', 'staff-1', 'owner', 1)`,
    )
    expect(await press()).toMatchObject({ title: 'Open Fieldhook from ServiceM8 first' })
    expect(await key()).toBe(before)
  })

  test('several runs are a link away, in the history of their automation', async () => {
    for (let job = 0; job < 2; job++) calls.world.job(LEEDS)
    const polled = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval: 'on_demand' }
    const id = await make({ ...RULE, ...polled })
    const pressed = leadsTo(send({ act: 'run', id: String(id) }))
    for (let second = 0; second < 10; second++) await calls.world.clock.run(1_000)
    expect(await pressed).toMatchObject({
      description: '2 jobs: 2 tasks created.',
      link: { to: `/automation/runs?accountUUID=${LEEDS}&rule=${id}`, words: 'View runs' },
    })
  })

  test('are braked after 20 runs within a minute', async () => {
    const id = await make()
    const braked: boolean[] = []
    for (let run = 0; run < 21; run++) {
      const { description = '' } = await leadsTo(send({ act: 'run', id: String(id) }))
      braked.push(/Too many runs/.test(description))
    }
    expect(braked.indexOf(true)).toBe(20)
  })
})

describe('what is written without scripts and not saved', () => {
  const condition = { key: 'c1', field: '', operator: 'equals', value: '', logicalOperator: 'AND' }
  const drawn = { ...emptyForm(), conditions: [condition] }
  const typed = { name: 'Half written', triggerSource: 'manual_endpoint', 'c.c1.field': 'status' }
  const written = { ...Object.fromEntries(toForm(drawn)), ...typed }

  test('goes along with the press of a card, and is in the form afterwards; for its account alone', async () => {
    const id = await make()
    const press = `act=switch&id=${id}&to=off`
    const { to, title } = await leadsTo(send({ ...written, press }))
    expect(title).toBe('Automation updated')
    const query = new URL(to, 'https://x.example').search.replace(`?accountUUID=${LEEDS}`, '')
    expect(query).toMatch(/^&draft=[\w-]{43}$/)
    const after = await open(query)
    expect(after.form?.view.state).toMatchObject({
      values: { name: 'Half written' },
      conditions: [{ field: 'status' }],
    })
    // So it does with a press that only leads on.
    const go = await leadsTo(
      send({ ...written, press: 'act=go&query=accountUUID%3Dx%26logs%3Dyes&anchor=automation-1' }),
    )
    expect(go.to).toMatch(/^\/automation\?accountUUID=x&logs=yes&draft=[\w-]{43}#automation-1$/)
    // Another rule is opened: that one is in the form.
    expect((await open(`${query}&edit=${id}`)).form?.view.state.ruleId).toBe(id)
    const elsewhere = await open(query, { as: BRISBANE, of: BRISBANE })
    expect([elsewhere.draft, elsewhere.form?.view.state.values.name]).toEqual([null, ''])
  })

  test.each(['edit', 'copy'])('is in the form afterwards also where the address says %s', async (step) => {
    const id = await make()
    const back = async (form: FormState, act: string) => {
      const press = `act=${act}&id=${id}&to=off`
      const { to } = await leadsTo(send({ ...Object.fromEntries(toForm(form)), press }, `&${step}=${id}`))
      const query = to.replace(/^[^&]*/, '')
      return { query, state: (await open(query)).form?.view.state }
    }
    // An imported rule has taken the place of the one that the address opened.
    const other = await back(readState(Object.entries(written)), 'switch')
    expect(other.state).toMatchObject({ ruleId: null, values: { name: 'Half written' } })
    expect(other.query).toMatch(/^&draft=[\w-]{43}$/)
    if (step === 'copy') return
    const edited = { ...drawn, ruleId: id }
    expect((await back(edited, 'switch')).query).toMatch(new RegExp(`^&edit=${id}&draft=[\\w-]{43}$`))
    expect((await back(edited, 'delete')).query).toBe(`&deleted=${id}`)
  })

  test('so does what is typed beside the form, until a button uses it', async () => {
    const id = await make()
    const [blank, other] = ['blank.9.Link', 'blank.8.Link']
    const beside = { json: '{"name":', [blank]: 'https://x.example', [other]: 'y' }
    const all = { ...written, ...beside }
    const ask = `act=go&query=${encodeURIComponent(`accountUUID=${LEEDS}&delete=${id}`)}`
    const asked = await leadsTo(send({ ...all, press: ask }))
    const draft = `&draft=${new URLSearchParams(asked.to.split('?')[1]).get('draft')}`
    expect((await open(draft)).typed).toEqual(beside)
    expect((await open(`${draft}&edit=${id}`)).typed).toEqual(beside)
    const gone = await leadsTo(send({ ...all, press: `act=delete&id=${id}` }, draft))
    expect(gone.title).toBe('Automation deleted')
    expect((await open(draft)).typed).toEqual(beside)
    // A press that shows something, saving, leaving, and a refused import.
    expect((await send({ ...all, intent: 'form.add_condition' })).form?.view.state.beside).toEqual(beside)
    for (const intent of ['form.cancel', 'form.discard']) {
      const { to = '' } = await action(argsOf('', { form: { ...all, intent } })).then(
        () => ({}) as { to?: string },
        (response: Response) => ({ to: response.headers.get('location') ?? '' }),
      )
      const next = await open(to.replace(/^[^&]*/, ''))
      expect([next.typed, next.form?.view.state.values.name]).toEqual([beside, ''])
    }
    const refused = await send({ ...all, press: 'act=import' }, draft)
    expect(refused.form?.view.state.beside).toEqual(beside)
    // What was used is gone, the rest stays.
    const two = JSON.stringify([RULE, RULE])
    expect((await leadsTo(send({ ...all, json: two, press: 'act=import' }, draft))).title).toMatch(/imported/i)
    expect((await open(draft)).typed).toEqual({ [blank]: 'https://x.example', [other]: 'y' })
    const nothing = Object.fromEntries(toForm(emptyForm()))
    const { to } = await leadsTo(send({ ...nothing, json: two, press: 'act=import' }, draft))
    expect(to).toBe(`/automation?accountUUID=${LEEDS}`)
    // The form itself does not carry it twice.
    expect(toForm({ ...emptyForm(), beside })).toEqual(toForm(emptyForm()))
  })

  test('stays in the form while something is shown on a card, and an empty form leaves no trace', async () => {
    calls.world.job(LEEDS)
    const id = await make()
    const shown = await send({ ...written, press: `act=preview&id=${id}` })
    expect(shown.result).toMatchObject({ kind: 'previewed', ruleId: id })
    expect(shown.form?.view.state.values.name).toBe('Half written')
    expect(shown.draft).toMatch(/^[\w-]{43}$/)
    const { to } = await leadsTo(
      send({ press: `act=switch&id=${id}&to=off`, ...Object.fromEntries(toForm(emptyForm())) }),
    )
    expect(to).toBe(`/automation?accountUUID=${LEEDS}`)
  })
})

test('without JavaScript, the preview names a customer among more than one list holds', async () => {
  const { world } = calls
  for (let n = 0; n < 301; n++) {
    const uuid = `cccccccc-0000-4000-8000-000000001${String(n).padStart(3, '0')}`
    world.platform.put(LEEDS, 'company', { uuid, name: `A ${n}`, active: '1' })
  }
  const zed = 'cccccccc-0000-4000-8000-00000000000e'
  world.platform.put(LEEDS, 'company', { uuid: zed, name: 'Zed Farm', active: '1' })
  world.job(LEEDS)
  const conditions = [{ field: 'company_uuid', operator: 'equals', value: zed }]
  const state = formOfFields({
    ...RULE,
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_status',
    conditions,
  })
  const { form } = await send({ ...Object.fromEntries(toForm(state)), intent: 'form.preview:preview' })
  expect(form?.view.preview?.answer).toMatchObject({
    failed: [expect.stringMatching(/"Customer" is "Customer 1"\..*"Zed Farm"/)],
  })
})

test('why the lists of jobs and queues are empty is told in the documented words; others are silent', async () => {
  calls.world.platform.fate = ({ object }) => (object === 'staff' ? 'broken' : 'well')
  expect((await open()).trouble).toBeNull()
  calls.world.platform.fate = ({ object }) => (object === 'job' ? 'broken' : 'well')
  expect((await open()).trouble).toBeNull()
  // What was read is kept for a minute.
  await calls.world.clock.run(61_000)
  expect((await open()).trouble?.words).toBe(
    'Authentication Required: Please authenticate with the platform first to access jobs and queues data.',
  )
  // Nothing is wrong with the sign-in when the account's calls are used up.
  const limited = {
    outcome: 'rate_limited',
    status: 429,
    message: 'Limit.',
    retryAt: calls.world.clock.now() + 9_000,
  } as const
  calls.world.platform.fate = ({ object }) => (object === 'job' ? limited : 'well')
  expect((await open()).trouble).toEqual({ words: 'Limit.', said: '' })
})

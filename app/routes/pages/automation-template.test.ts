import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findDraft } from '#app/features/automations/preview/form-drafts.server.ts'
import { LIBRARY } from '#app/features/templates/library.ts'
import type { SheetView } from '#app/features/templates/sheet-view.ts'
import { lookBackText, SHEET_TEXTS } from '#app/features/templates/template-text.ts'
import { flashCookieName, readCookies, sessionCookieName } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { hours } from '#app/lib/duration.ts'
import { shouldRevalidate as rootShouldRevalidate } from '#app/root.tsx'
import { type AutomationCalls, automationCalls } from '#tests/support/automation-calls.server.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import { loader as automationLoader } from './automation.tsx'
import { action, loader, shouldRevalidate } from './automation-template.tsx'

let calls: AutomationCalls
beforeEach(async () => {
  calls = await automationCalls()
  const expiresAt = calls.world.clock.now() + hours(1)
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt, scope: '' }
  for (const account of [LEEDS, BRISBANE]) await calls.app.store.accounts.saveCredential(account, tokens)
})
afterEach(() => calls.close())

const REVIEW = 16
const LINK = { 'blank.Review link': 'https://example.com/review' }

interface Visit {
  as?: string | null
  id?: string
  form?: Record<string, string>
}

function argsOf({ as = LEEDS, id = String(REVIEW), form }: Visit = {}) {
  const headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }
  if (as !== null) headers.cookie = `${sessionCookieName('tab', true)}=${as}`
  const body = form ? new URLSearchParams(form) : undefined
  const address = `${calls.app.settings.origin}/automation/templates/${id}?accountUUID=${LEEDS}`
  const request = new Request(address, { method: form ? 'POST' : 'GET', headers, ...(body && { body }) })
  return {
    request,
    params: { id },
    context: { app: calls.app, clientIp: '203.0.113.9', nonce: '' },
  } as unknown as ActionFunctionArgs
}

async function open(visit: Visit = {}): Promise<SheetView> {
  const page = await loader(argsOf(visit))
  if (page.view === 'gate') throw new Error('the gate is shown')
  return page.sheet
}

async function press(intent: string, form: Record<string, string> = {}, visit: Visit = {}) {
  const { data, init } = await action(argsOf({ ...visit, form: { intent, ...form } }))
  if (data.sheet === null) throw new Error('the session is over')
  return { data: { sheet: data.sheet }, init }
}

async function leadsTo(work: Promise<unknown>) {
  const thrown = await work.then(
    () => Promise.reject(new Error('it led nowhere')),
    (response: unknown) => response as Response,
  )
  const cookie = thrown.headers.get('set-cookie') ?? ''
  const sealed = readCookies(cookie.split(';')[0] ?? '').get(flashCookieName(true)) ?? ''
  const request = new Request('https://x.example', { headers: { cookie: `${flashCookieName(true)}=${sealed}` } })
  const { flash } = await loadFlash(calls.app, request)
  return { ...flash, to: thrown.headers.get('location') ?? '' }
}

const rules = () => calls.app.store.automations.listAutomations(LEEDS)
const uses = async () => (await calls.app.store.templates.templateUses()).get(REVIEW) ?? 0

test('an account without automations has its first one on after three presses, blank included', async () => {
  const list = argsOf()
  const { data: page } = await automationLoader({
    ...list,
    request: new Request(`${calls.app.settings.origin}/automation?accountUUID=${LEEDS}`, list.request),
  })
  // Press 1: "Use" on a recipe of the empty page. Press 2: into the blank. Press 3: "Turn on".
  expect(page.view === 'page' && page.recipes.map(({ id }) => id)).toContain(REVIEW)
  const sheet = await open()
  expect(sheet.blanks.filter(({ value }) => value === '').map(({ label }) => label)).toEqual(['Review link'])
  expect(await leadsTo(press('turn_on', LINK))).toMatchObject({
    to: `/automation?accountUUID=${LEEDS}#automation-1`,
    title: 'Automation created',
    description: 'It is on.',
  })
  const [rule] = await rules()
  expect(rule).toMatchObject({ name: 'Ask for a review the day after', active: true })
  expect(JSON.stringify(rule?.definition)).toContain('https://example.com/review')
  expect(JSON.stringify(rule?.definition)).not.toContain('[[')
  expect(await uses()).toBe(1)
})

test('its text goes to the own phone, at the number that is typed, and nothing is turned on', async () => {
  calls.world.job(LEEDS, { status: 'Completed' })
  const sheet = await open()
  const [text] = sheet.preview?.messages ?? []
  expect([sheet.phone, text?.place]).toEqual(['', 0])
  const shown = { 'preview.text.0': text?.message.text ?? '' }
  const without = await press('text_me:0', shown)
  expect(without.data.sheet.told).toMatchObject({ kind: 'error', description: 'Enter your mobile number first.' })
  const wrong = await press('text_me:0', { ...shown, 'preview.phone.0': '12345' })
  expect(wrong.data.sheet).toMatchObject({ told: { kind: 'error' }, phone: '12345' })
  expect(calls.world.platform.messages).toEqual([])
  const done = await press('text_me:0', { ...shown, 'preview.phone.0': '07700 900777' })
  expect(done.data.sheet.told).toMatchObject({ kind: 'success', title: 'Texted your phone' })
  expect(calls.world.platform.messages).toMatchObject([{ to: '+447700900777' }])
  expect(await rules()).toEqual([])
})

describe('turning on', () => {
  test('twice, or twice at once, makes one automation, and switches it on again', async () => {
    const both = await Promise.all([1, 2].map(() => leadsTo(press('turn_on', LINK))))
    expect(both.map(({ title }) => title).sort()).toEqual(['Already there', 'Automation created'])
    const [first, ...others] = await rules()
    expect([others, first?.active, await uses()]).toEqual([[], true, 1])
    await calls.app.store.automations.changeAutomation(LEEDS, first?.id ?? 0, { active: false, at: 1 })
    expect(await leadsTo(press('turn_on', LINK))).toMatchObject({ title: 'Already there' })
    expect((await rules()).map(({ id, active }) => [id, active])).toEqual([[first?.id, true]])
  })

  test('with other words makes another one', async () => {
    await leadsTo(press('turn_on', LINK))
    await leadsTo(press('turn_on', { 'blank.Review link': 'https://example.com/other' }))
    expect(await rules()).toHaveLength(2)
  })

  test('with a blank left open says so at its field, keeps what was typed, and makes nothing', async () => {
    const typed = { 'text.s1.message': 'Please: [[Review link]] [[Business name]]', 'blank.Business name': 'Ours' }
    const { data, init } = await press('turn_on', typed)
    expect(init?.status).toBe(400)
    expect(data.sheet.errors).toEqual({ 'blank.Review link': ['Fill this in.'] })
    expect(data.sheet.texts[0]?.value).toBe(typed['text.s1.message'])
    expect(data.sheet.blanks.find(({ label }) => label === 'Business name')?.value).toBe('Ours')
    expect(await rules()).toEqual([])
  })

  test('with a message that the rule refuses says why at the message', async () => {
    const long = { 'text.s1.message': `${'x'.repeat(1_700)} [[Review link]]` }
    const { data } = await press('turn_on', { ...LINK, ...long })
    expect(data.sheet.errors['text.s1.message']).toBeDefined()
    const unknown = await press('turn_on', { ...LINK, 'text.s1.message': 'Hi {nobody} [[Review link]]' })
    expect(Object.keys(unknown.data.sheet.errors)).toEqual(['text.s1.message'])
    expect(await rules()).toEqual([])
  })

  test('takes no template of nobody, and nobody without a session', async () => {
    for (const id of ['999', 'x', '0']) {
      expect(await leadsTo(press('turn_on', LINK, { id }))).toMatchObject({ title: 'Failed to copy template' })
      expect(await leadsTo(open({ id }))).toMatchObject({ to: `/automation?accountUUID=${LEEDS}&tab=templates` })
    }
    for (const as of [null, BRISBANE]) {
      expect(await leadsTo(press('turn_on', LINK, { as }))).toMatchObject({
        description: 'Nothing was changed. Please sign in again.',
        typed: true,
      })
      expect(await loader(argsOf({ as }))).toMatchObject({ view: 'gate' })
    }
    expect(await rules()).toEqual([])
  })
})

test('"Edit all" takes everything along into the form, as a new entry that is off, and counts the use', async () => {
  const message = 'Hello! [[Review link]] [[Business name]]'
  const { to, title } = await leadsTo(press('edit_all', { ...LINK, 'text.s1.message': message }))
  expect(title).toBe('Template loaded')
  const draft = await findDraft(calls.app, LEEDS, new URLSearchParams(to.split('?')[1]).get('draft'))
  expect(draft?.values).toMatchObject({ name: 'Ask for a review the day after (From Template)', active: '' })
  expect(draft?.steps[0]?.parameters.message).toMatch(/^Hello! https:\/\/example.com\/review /)
  expect([await rules(), await uses()]).toEqual([[], 1])
})

describe('before its blanks are filled in', () => {
  const CATEGORY = '11111111-1111-4111-8111-111111111111'
  const BOOKING = { uuid: 'booking-1', active: '1', activity_was_scheduled: '1', start_date: '2026-01-06 09:00:00' }
  beforeEach(() => {
    const job_uuid = calls.world.job(LEEDS, { status: 'Work Order' })
    calls.world.platform.put(LEEDS, 'jobactivity', { ...BOOKING, job_uuid })
    calls.world.platform.put(LEEDS, 'jobpayment', { uuid: 'payment-1', active: '1', amount: '50.00', job_uuid })
  })

  test.each(LIBRARY.map(({ id, name }) => [id, name]))('template %i, %s, says what to fill in', async (id) => {
    const { preview } = await open({ id: String(id) })
    expect(preview).not.toBeNull()
    expect(JSON.stringify(preview)).not.toMatch(/\[\[|\{\[|entry\.0|blank\.invalid|https?:|as PDF/)
  })

  test.each([
    [13, 'Account customer'],
    [17, 'Jobs that get a certificate'],
    [18, 'Service category'],
    [24, 'Waiting for parts'],
  ])('the last 30 days of template %i wait for what its conditions need', async (id, label) => {
    const says = async (form: Record<string, string>) => {
      const { lookBack } = (await press('look_back', form, { id: String(id) })).data.sheet
      return lookBack && lookBackText(lookBack)
    }
    expect(await says({})).toBe(`Fill in ‹${label}› to see the last 30 days.`)
    expect(await says({ [`blank.${label}`]: 'Any' })).toBe('Last 30 days: nothing would have happened.')
  })

  test('a condition without its record names the blank too, and only a real one is not met', async () => {
    calls.world.job(LEEDS, { status: 'Completed', category_uuid: CATEGORY, completion_date: '2026-01-05 09:00:00' })
    const label = 'blank.Jobs that get a certificate'
    const skipped = async (form: Record<string, string>) =>
      (await press('look', form, { id: '17' })).data.sheet.preview?.skipped
    expect(await skipped({})).toBe('Fill in ‹Jobs that get a certificate› first.')
    expect(await skipped({ [label]: CATEGORY })).toBeNull()
    expect(await skipped({ [label]: '22222222-2222-4222-8222-222222222222' })).toMatch(/^This one would be skipped/)
  })

  test('a step without its record names the blank, and the rest is seen', async () => {
    const seen = async (id: number) => (await open({ id: String(id) })).preview
    expect((await seen(28))?.others).toEqual(['Update Job Field: Fill in ‹Confirmed badge› first.'])
    expect((await seen(28))?.messages[0]?.message.text).toMatch(/^Thank you, confirmed/)
    expect((await seen(18))?.others).toEqual(['Create Job: Fill in ‹Service due› and ‹Service category› first.'])
    expect((await seen(5))?.others).toEqual(['Send Notification: Fill in ‹Address› first.'])
    const [report] = (await seen(25))?.messages ?? []
    expect(report).toMatchObject({ says: 'E-mail to ‹Owner e-mail›', message: { channel: 'email' } })
    expect(report?.message.text).toContain('Open work orders: 1')
  })
})

test('a try-out and a look-back show what it would send, and change nothing', async () => {
  calls.world.job(LEEDS)
  const typed = { ...LINK, 'text.s1.message': 'Bitte {entry.0.generated_job_id} [[Review link]]' }
  const looked = await press('look', typed)
  expect(looked.data.sheet.preview?.messages[0]?.message).toMatchObject({ channel: 'sms' })
  expect(looked.data.sheet.preview?.messages[0]?.message.text).toMatch(/^Bitte \S+ https:\/\/example.com\/review$/)
  const back = await press('look_back', typed)
  expect(back.data.sheet.lookBack).toMatchObject({ texts: expect.any(Number), emails: 0 })
  // Without scripts the page keeps its preview; with scripts it has one.
  expect(back.data.sheet.preview?.messages[0]?.message.text).toMatch(/^Bitte /)
  expect((await press('look_back', { ...typed, live: 'yes' })).data.sheet.preview).toBeNull()
  expect([await rules(), await uses()]).toEqual([[], 0])
})

test('a look in the background without a session leaves the page as it is, and loads nothing again', async () => {
  for (const intent of ['look', 'look_back']) {
    const { data, init } = await action(argsOf({ as: null, form: { intent, live: 'yes', ...LINK } }))
    expect([data, init?.status]).toEqual([{ sheet: null, old: SHEET_TEXTS.signedOut }, 404])
  }
  const gone = await action(argsOf({ id: '999', form: { intent: 'look', live: 'yes', ...LINK } }))
  expect(gone.data).toEqual({ sheet: null, old: 'This template was deleted. The preview is old.' })
  const formData = new FormData()
  for (const one of [shouldRevalidate, rootShouldRevalidate]) expect(one({ formData })).toBe(true)
  for (const one of [shouldRevalidate, rootShouldRevalidate]) expect(one({ formData, actionStatus: 503 })).toBe(false)
  formData.set('live', 'yes')
  for (const one of [shouldRevalidate, rootShouldRevalidate]) expect(one({ formData })).toBe(false)
  expect(await leadsTo(press('look', LINK, { as: null }))).toMatchObject({
    title: 'No authentication credentials found',
  })
})

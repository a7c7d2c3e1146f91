import type { ActionFunctionArgs } from '@remix-run/node'
import { createRemixStub } from '@remix-run/testing'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { previewRun } from '#app/features/automations/preview/preview.server.ts'
import { SettingsPage, type SettingsPageProps } from '#app/features/automations/settings/ui/settings-page.tsx'
import { flashCookieName, readCookies, sessionCookieName } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
  STAFF,
  TRIGGERED,
  uuidOf,
} from '#tests/support/automation-world.server.ts'
import { readMarkup } from '#tests/support/drawn-controls.ts'
import { expectNoise } from '#tests/support/quiet.ts'
import { action as runAction, loader as runLoader } from './automation-run.tsx'
import { action as runsAction, loader as runsLoader } from './automation-runs.tsx'
import { action, loader } from './automation-settings.tsx'

let world: AutomationWorld
let app: App

beforeEach(async () => {
  world = await automationWorld()
  const { store, clock } = world
  const expiresAt = clock.now() + hours(8)
  for (const [accountUuid, staffUuid] of [
    [LEEDS, STAFF],
    [BRISBANE, null],
  ] as const) {
    await store.accounts.saveCredential(accountUuid, {
      accessTokenSealed: '-',
      refreshTokenSealed: '-',
      expiresAt,
      scope: '',
    })
    await store.accounts.openSession({
      tokenHash: hashToken(accountUuid),
      expiresAt,
      account: { accountUuid, staffUuid, proof: 'launch', provedAt: clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
  }
  app = { ...world.app, planning: world.parts } as unknown as App
  world.engine({}, { beatMs: minutes(5) }).start()
})
afterEach(() => world.close())

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' })
const HOME = `/automation/settings?accountUUID=${LEEDS}`
const FORM = {
  act: 'save',
  quiet: 'asked',
  quietFrom: '20:00',
  quietTo: '08:00',
  customerCooldownDays: '0',
  ruleDailyCap: '500',
  accountDailyCap: '1000',
  floodPerHour: '200',
  senderStaffUuid: '',
}

interface Visit {
  as?: string | null
  params?: Record<string, string>
  form?: Record<string, string>
}

function argsOf(path: string, { as = LEEDS, params = {}, form }: Visit = {}) {
  const headers: Record<string, string> = as === null ? {} : { cookie: `${sessionCookieName('tab', true)}=${as}` }
  const body = form ? new URLSearchParams(form) : undefined
  const request = new Request(`${app.settings.origin}${path}`, {
    method: form ? 'POST' : 'GET',
    headers,
    ...(body && { body }),
  })
  return { request, params, context: { app, clientIp: '203.0.113.9', nonce: '' } } as unknown as ActionFunctionArgs
}

async function page(as: string | null = LEEDS) {
  const shown = await loader(argsOf(HOME, { as }))
  if (shown.view === 'gate') throw new Error('the gate was shown')
  return shown
}

/** Where a press leads, and what it says there. */
async function leadsTo(work: Promise<unknown>) {
  const response = await work.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (thrown: unknown) => thrown as Response,
  )
  const cookies = readCookies(response.headers.get('set-cookie')?.split(';')[0] ?? null)
  const cookie = `${flashCookieName(true)}=${cookies.get(flashCookieName(true)) ?? ''}`
  const { flash } = await loadFlash(app, new Request(app.settings.origin, { headers: { cookie } }))
  return { status: response.status, to: response.headers.get('location'), says: flash?.title, why: flash?.description }
}

const save = (form: Record<string, string>, as: string | null = LEEDS) =>
  leadsTo(action(argsOf(HOME, { form: { ...FORM, ...form }, as })))

async function work() {
  world.app.wakeRuns()
  await world.clock.run(seconds(5))
}

const run = (id: number) =>
  runLoader(argsOf(`/automation/runs/${id}?accountUUID=${LEEDS}`, { params: { id: String(id) } }))

async function runPage(id: number) {
  const shown = await run(id)
  if ('data' in shown || shown.view === 'gate') throw new Error('the run was not shown')
  return shown
}

describe('the page', () => {
  test('shows what holds, and keeps what is saved with who did it', async () => {
    expect(await page()).toMatchObject({
      form: { quiet: 'asked', quietFrom: '20:00', ruleDailyCap: '500' },
      senders: { outcome: 'ok', staff: [{ uuid: STAFF, label: 'Tom Finch' }] },
      mutes: [],
      changes: [],
    })
    expect(await save({ quiet: 'all', quietTo: '07:00', senderStaffUuid: STAFF })).toMatchObject({
      status: 303,
      to: HOME,
      says: 'Settings saved',
    })
    expect(await page()).toMatchObject({
      form: { quiet: 'all', quietTo: '07:00', senderStaffUuid: STAFF },
      changes: [{ by: 'Tom Finch', words: expect.stringContaining('quiet hours 20:00 to 07:00, for all automations') }],
    })
    const same = { quiet: 'all', quietTo: '07:00', senderStaffUuid: STAFF }
    expect((await save(same)).says).toBe('Nothing changed')
  })

  test('a page that was opened earlier saves only what it changed', async () => {
    const opened = JSON.stringify((await page()).form)
    expect(await save({ opened, quiet: 'all', floodPerHour: '30' })).toMatchObject({ says: 'Settings saved' })
    const stayed = 'Settings changed after this page was opened stayed as they are.'
    expect(await save({ opened, ruleDailyCap: '40' })).toMatchObject({ says: 'Settings saved', why: stayed })
    const kept = { quiet: 'all', floodPerHour: '30', ruleDailyCap: '40' }
    expect((await page()).form).toMatchObject(kept)
    expect(await save({ opened })).toMatchObject({ says: 'Nothing changed', why: stayed })
    // Refused, it is drawn with what the others saved, and goes on from there.
    const refused = await action(argsOf(HOME, { form: { ...FORM, opened, quietFrom: 'late' } }))
    expect(refused).toMatchObject({ form: { ...kept, quietFrom: 'late' }, opened: { ...kept, quietFrom: '20:00' } })
    // One that was opened before forms said so sends every part.
    await save({})
    expect((await page()).form).toMatchObject({ quiet: 'asked', ruleDailyCap: '500' })
  })

  test('draws what is not right again as it was typed, and saves nothing of it', async () => {
    const drawn = await action(argsOf(HOME, { form: { ...FORM, quietFrom: 'late', ruleDailyCap: '40' } }))
    expect(drawn).toMatchObject({
      form: { quietFrom: 'late', ruleDailyCap: '40' },
      errors: { quietFrom: ['Enter the time as HH:MM, for example 20:00.'] },
      flash: { kind: 'error', title: 'Not saved' },
    })
    expect((await page()).form.ruleDailyCap).toBe('500')
  })

  test('every control keeps what is typed or chosen, and shows it again', async () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const controlsNow = async () => {
      const props = { ...(await page()), refused: null } as unknown as SettingsPageProps
      const Stub = createRemixStub([{ path: '/', Component: () => createElement(SettingsPage, props) }])
      return readMarkup(renderToString(createElement(Stub))).controls
    }
    const shown = async () => new Map((await controlsNow()).map(({ name, value }) => [name, value]))
    const drawn = await controlsNow()
    expect(drawn.map(({ name }) => name).sort()).toEqual(Object.keys((await page()).form).sort())
    const before = await shown()
    for (const [index, { name, kind, value, options }] of drawn.entries()) {
      const others =
        kind === 'box'
          ? [value === '' ? (options[0] ?? '') : '']
          : kind === 'choice'
            ? options.filter((one) => one !== value)
            : [kind === 'time' ? `0${index}:3${index}` : String(2 + index)]
      expect(others, name).not.toEqual([])
      for (const other of others) {
        const sent = Object.fromEntries([...before, [name, other]].filter(([, each]) => each !== ''))
        expect((await leadsTo(action(argsOf(HOME, { form: { act: 'save', ...sent } })))).says, name).toBe(
          'Settings saved',
        )
        expect((await shown()).get(name), name).toBe(other)
        const saved: Record<string, unknown> = { ...(await page()).form }
        expect(String(saved[name]), name).toBe(kind === 'box' ? 'true' : other)
      }
    }
  })

  test('with ServiceM8 silent, the sender that was saved stays', async () => {
    await save({ senderStaffUuid: STAFF })
    world.clock.leap(hours(2))
    world.platform.fate = () => 'suspended'
    expect(await page()).toMatchObject({ form: { senderStaffUuid: STAFF }, senders: { outcome: 'unknown' } })
    expect((await save({ senderStaffUuid: STAFF, floodPerHour: '30' })).says).toBe('Settings saved')
    const other = await action(argsOf(HOME, { form: { ...FORM, senderStaffUuid: uuidOf('contact', 7) } }))
    expect(other.errors.senderStaffUuid?.[0]).toContain('could not read your staff')
    expect((await page()).form).toMatchObject({ senderStaffUuid: STAFF, floodPerHour: '30' })
  })

  test('is its owner’s', async () => {
    expect(await loader(argsOf(HOME, { as: BRISBANE }))).toMatchObject({ view: 'gate' })
    expect(await loader(argsOf(HOME, { as: null }))).toMatchObject({ view: 'gate' })
    expect(await save({ floodPerHour: '1' }, BRISBANE)).toMatchObject({
      to: HOME,
      why: expect.stringContaining('Nothing was changed'),
    })
    expect((await page()).form.floodPerHour).toBe('200')
  })
})

describe('what is saved is obeyed, and told', () => {
  const preview = (definition: Parameters<typeof world.rule>[0]) =>
    previewRun(world.app, world.parts, {
      accountUuid: LEEDS,
      automation: { id: 0, name: 'Rule', version: 1 },
      definition,
      object: 'job',
      recordUuids: [world.job(LEEDS)],
      groupKey: null,
      triggerData: TRIGGERED,
    })

  test('quiet hours for all move a message, and preview and history say until when', async () => {
    // It is 09:00 on a Monday in London.
    await save({ quiet: 'all', quietFrom: '08:00', quietTo: '12:30' })
    const rule = aRule([TEXT])
    const until = 'Waits until your quiet hours end: today, 12:30.'
    expect(await preview(rule)).toMatchObject({
      steps: [{ warnings: [{ code: 'moved', sentence: expect.stringContaining(until) }] }],
    })
    const id = await world.start(await world.rule(rule), [world.job(LEEDS)])
    await work()
    expect(await runPage(id)).toMatchObject({
      run: {
        line: { happened: expect.stringContaining(until), goesOnAt: Date.UTC(2026, 0, 5, 12, 30) },
        steps: [{ mark: 'waits', items: [{ sentence: until }] }],
      },
    })
    expect(world.platform.messages).toEqual([])
  })

  test('a cap holds a message, and preview and history say which', async () => {
    await save({ ruleDailyCap: '1', accountDailyCap: '1' })
    const rule = aRule([TEXT])
    const id = await world.rule(rule)
    const both = [await world.start(id, [world.job(LEEDS)]), await world.start(id, [world.job(LEEDS)])]
    await work()
    expect(world.platform.messages).toHaveLength(1)
    const lines = await Promise.all(both.map(async (one) => (await runPage(one)).run.line))
    const held = 'This automation sent 1 message to customers today, its daily limit.'
    expect(lines.filter(({ standing }) => standing === 'held')).toMatchObject([
      { happened: expect.stringContaining(held) },
    ])
    const all = 'Waits for you. Your automations sent 1 message to customers today, the daily limit.'
    expect(await preview(rule)).toMatchObject({
      steps: [{ warnings: [{ code: 'held', sentence: expect.stringContaining(all) }] }],
    })
  })

  test('messages to staff come from the chosen person', async () => {
    const anna = uuidOf('contact', 900)
    world.platform.put(LEEDS, 'staff', {
      uuid: anna,
      first: 'Anna',
      last: 'Reed',
      email: 'anna@example.test',
      mobile: '',
    })
    const rule = await world.rule(
      aRule([aStep('s1', 'send_staff_message', { toStaffUuid: STAFF, message: 'Look at this' })]),
    )
    const before = await world.start(rule, [world.job(LEEDS)])
    await work()
    await save({ senderStaffUuid: anna })
    const after = await world.start(rule, [world.job(LEEDS)])
    await work()
    const warningsOf = async (id: number) => (await runPage(id)).run.steps[0]?.warnings
    expect(await warningsOf(before)).toEqual([expect.stringContaining('No sender is chosen')])
    expect(await warningsOf(after)).toEqual([])
    expect(world.platform.made.map(({ fields }) => fields.from_staff_uuid)).toEqual([STAFF, anna])
  })
})

describe('messages to one customer', () => {
  const press = (id: number, form: Record<string, string>) =>
    leadsTo(runAction(argsOf(`/automation/runs/${id}?accountUUID=${LEEDS}`, { params: { id: String(id) }, form })))

  test('are stopped on a run of theirs, left out with a reason, and allowed again on the page of settings', async () => {
    const job = world.job(LEEDS)
    const rule = await world.rule(aRule([TEXT]))
    const first = await world.start(rule, [job])
    await work()
    const { customers } = await runPage(first)
    const company = uuidOf('company', 1)
    expect(customers).toEqual([{ uuid: company, name: '', mute: null, gotToday: '1 text' }])

    const stopped = await press(first, { act: 'mute', company, name: '' })
    expect(stopped).toMatchObject({ status: 303, says: 'Messages stopped', why: expect.stringContaining('Customer 1') })
    expect((await runPage(first)).customers).toMatchObject([
      { name: 'Customer 1', mute: { by: 'Tom Finch', createdAt: world.clock.now() } },
    ])
    const second = await world.start(rule, [job])
    await work()
    expect(world.platform.messages).toHaveLength(1)
    expect((await runPage(second)).run.line.happened).toBe(
      'Not sent: automatic messages are switched off for this customer.',
    )

    const { mutes } = await page()
    expect(mutes).toMatchObject([{ name: 'Customer 1', by: 'Tom Finch', until: null }])
    const allowed = await save({ act: 'allow', mute: String(mutes[0]?.id) })
    expect(allowed).toMatchObject({ says: 'Messages allowed again', why: expect.stringContaining('Customer 1') })
    expect((await save({ act: 'allow', mute: String(mutes[0]?.id) })).says).toBe('Already allowed')
    expect(await page()).toMatchObject({
      mutes: [],
      changes: [{ words: 'Allowed messages to Customer 1 again.' }, { words: 'Stopped messages to Customer 1.' }],
    })
    await world.start(rule, [job])
    await work()
    expect(world.platform.messages).toHaveLength(2)
  })

  test('are stopped where a job is explained, and only by its owner', async () => {
    world.job(LEEDS)
    await world.rule(aRule([TEXT]))
    const why = `/automation/runs?accountUUID=${LEEDS}&view=why&job=1`
    const explained = async () => {
      const { data } = await runsLoader(argsOf(why))
      return data.view === 'why' && data.answer?.outcome === 'answered' ? data.answer.customers : null
    }
    const company = uuidOf('company', 1)
    expect(await explained()).toEqual([{ uuid: company, name: 'Customer 1', mute: null }])
    const form = { act: 'mute', company, name: 'Customer 1' }
    expect((await leadsTo(runsAction(argsOf(why, { form, as: BRISBANE })))).why).toContain('Nothing was done')
    expect(await world.store.runs.listMutes(LEEDS, world.clock.now())).toEqual([])
    expect(await leadsTo(runsAction(argsOf(why, { form })))).toMatchObject({ to: why, says: 'Messages stopped' })
    expect(await explained()).toMatchObject([{ mute: { by: 'Tom Finch' } }])
    const wrong = await leadsTo(runsAction(argsOf(why, { form: { act: 'mute', company: uuidOf('company', 8) } })))
    expect(wrong).toMatchObject({ says: 'Messages not stopped', why: 'There is no such customer in ServiceM8.' })
  })

  test('stopped without a name get it from a later press, which changes nothing else', async () => {
    world.job(LEEDS)
    const company = uuidOf('company', 1)
    const { store, clock } = world
    const createdAt = clock.now()
    const change = { by: 'Ann Lee', words: 'Stopped messages to a customer.' }
    await store.runs.saveMute(LEEDS, { kind: 'company', recordUuid: company, until: null }, createdAt, change)
    await clock.run(seconds(60))
    const why = `/automation/runs?accountUUID=${LEEDS}&view=why&job=1`
    await leadsTo(runsAction(argsOf(why, { form: { act: 'mute', company, name: '' } })))
    expect(await page()).toMatchObject({
      mutes: [{ name: 'Customer 1', by: 'Ann Lee', createdAt }],
      changes: [{ by: 'Ann Lee', at: createdAt }],
    })
    expect(await store.runs.listGuardChanges(LEEDS)).toHaveLength(1)
  })
})

// Long: the pages of runs, for the same people and the same world.
import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { TRIAL } from '#app/domain/plan.ts'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import { loadTemplateLibrary } from '#app/features/templates/template-library.server.ts'
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
  TRIGGERED,
  uuidOf,
} from '#tests/support/automation-world.server.ts'
import { WORK_AT_ONCE } from '#tests/support/work-at-once.ts'
import { action as runAction, loader as runLoader } from './automation-run.tsx'
import { meta, action as runsAction, loader as runsLoader } from './automation-runs.tsx'
import { action as templatesAction } from './automation-templates.ts'

let world: AutomationWorld
let app: App

beforeEach(async () => {
  world = await automationWorld()
  await signIn()
  const settings = { ...world.app.settings, adminAccounts: new Set([LEEDS]) }
  app = { ...world.app, settings, planning: world.parts, apart: WORK_AT_ONCE } as unknown as App
})
afterEach(() => world.close())

/** Each account has a session of its own, whose cookie is the account's uuid. */
async function signIn() {
  const { store, clock } = world
  const expiresAt = clock.now() + hours(8)
  for (const accountUuid of [LEEDS, BRISBANE]) {
    await store.accounts.saveCredential(accountUuid, {
      accessTokenSealed: '-',
      refreshTokenSealed: '-',
      expiresAt,
      scope: '',
    })
    await store.accounts.openSession({
      tokenHash: hashToken(accountUuid),
      expiresAt,
      account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
  }
}

const TEXT = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Job {entry.0.generated_job_id}' })
const TASK = aStep('s2', 'create_task', { title: 'Afterwards', description: '' }, true)

async function work(ms = seconds(5)) {
  const engine = world.engine({}, { beatMs: minutes(5) })
  engine.start()
  await world.clock.run(ms)
}

/** Its trial has ended, and nothing is sent. */
async function holdAccount() {
  const known = await world.store.billing.ensurePlan(LEEDS, TRIAL, world.clock.now())
  const hold = { heldSince: world.clock.now(), holdReason: 'trial_ended' }
  await world.store.billing.savePlan(LEEDS, known.updatedAt, hold, world.clock.now())
}

const WAITS = expect.stringMatching(/^Trial ended: subscribe to resume\. .*everything waits/)

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

const HOME = `/automation/runs?accountUUID=${LEEDS}`

async function runs(query = '', visit: Visit = {}) {
  const { data, init } = await runsLoader(argsOf(`${HOME}${query}`, visit))
  return { page: data, status: init?.status ?? 200 }
}

const detail = (id: number | string, visit: Visit = {}) =>
  runLoader(argsOf(`/automation/runs/${id}?accountUUID=${LEEDS}`, { params: { id: String(id) }, ...visit }))

async function thrownBy(work: Promise<unknown>): Promise<Response> {
  return work.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (thrown: unknown) => thrown as Response,
  )
}

/** Where a page sends the reader, and what it says there. */
async function leadsTo(work: Promise<unknown>) {
  const response = await thrownBy(work)
  const cookies = readCookies(response.headers.get('set-cookie')?.split(';')[0] ?? null)
  const cookie = `${flashCookieName(true)}=${cookies.get(flashCookieName(true)) ?? ''}`
  const { flash } = await loadFlash(app, new Request(app.settings.origin, { headers: { cookie } }))
  return { status: response.status, to: response.headers.get('location'), says: flash?.title, why: flash?.description }
}

const press = (id: number, form: Record<string, string>, as: string | null = LEEDS) =>
  leadsTo(
    runAction(
      argsOf(`/automation/runs/${id}?accountUUID=${LEEDS}`, {
        params: { id: String(id) },
        form: { run: String(id), ...form },
        as,
      }),
    ),
  )

describe('the history', () => {
  test('lists the runs of the account, job first, and what is left of them to do', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const done = await world.start(rule, [world.job(LEEDS)])
    await work()
    const held = await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') })
    const { page, status } = await runs()
    expect(status).toBe(200)
    expect(page).toMatchObject({
      view: 'runs',
      accountName: 'Leeds Electrical',
      needsYou: 1,
      next: null,
      lines: [
        { id: held, standing: 'held', needsYou: true },
        { id: done, standing: 'success', happened: expect.stringContaining('Text message to') },
      ],
    })
    expect((await runs('&status=needs_you')).page).toMatchObject({ lines: [{ id: held }] })
    expect((await runs(`&rule=${rule}`)).page).toMatchObject({ held: 1 })
  })

  test('goes on where a page ends', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const ids: number[] = []
    for (let count = 0; count < 27; count++) ids.push(await world.start(rule, [`job-${count}`]))
    const first = (await runs()).page
    expect(first).toMatchObject({ next: ids[2], isOlder: false, lines: { length: 25 } })
    expect((await runs(`&before=${ids[2]}`)).page).toMatchObject({
      next: null,
      isOlder: true,
      lines: [{ id: ids[1] }, { id: ids[0] }],
    })
  })

  test('refuses what it cannot read, and keeps it as typed', async () => {
    const { page, status } = await runs('&from=yesterday&text=Smith')
    expect(status).toBe(400)
    expect(page).toMatchObject({ lines: null, form: { from: 'yesterday', text: 'Smith' } })
    expect(page).toHaveProperty('errors.from')
  })

  test('is the gate without a session of the account', async () => {
    for (const as of [null, BRISBANE]) {
      expect((await runs('', { as })).page).toMatchObject({ view: 'gate' })
      expect(await detail(1, { as })).toMatchObject({ view: 'gate' })
    }
  })

  test('lets everything that a rule holds go on, or nothing of it', async () => {
    const rule = await world.rule(aRule([TEXT]))
    for (let count = 0; count < 3; count++) await world.start(rule, [world.job(LEEDS)], { held: 'Too many.' })
    const pressAll = (act: string) => leadsTo(runsAction(argsOf(HOME, { form: { act, rule: String(rule) } })))
    await work(seconds(1))
    expect(await pressAll('release_all')).toMatchObject({ status: 303, to: HOME, says: '3 runs sent on' })
    await world.clock.run(seconds(10))
    expect(world.platform.messages).toHaveLength(3)
    expect(await pressAll('discard_all')).toMatchObject({ says: 'Nothing to release' })
  })
})

describe('one run', () => {
  test('says that it is no longer kept and leads back: also of what never was and of what is somebody else’s', async () => {
    const rule = await world.rule(aRule([TEXT]), BRISBANE)
    const foreign = await world.start(rule, [world.job(BRISBANE)], {}, BRISBANE)
    for (const id of [foreign, 999, 0, 'x', '1.5']) {
      const { init, data } = (await detail(id)) as unknown as { init: object; data: { view: string; gone: object } }
      expect([init, data.view]).toEqual([{ status: 404 }, 'gone'])
      const [history, rules] = [`/automation/runs?accountUUID=${LEEDS}`, `/automation?accountUUID=${LEEDS}`]
      expect(data.gone).toMatchObject({ title: 'This run is no longer kept', sentence: 'Runs are kept for 90 days.' })
      expect(data.gone).toMatchObject({ ways: [{ to: history, label: 'History' }, { to: rules }] })
    }
  })

  test('a message that may have been sent is settled, and the rest goes on', async () => {
    const run = await world.start(await world.rule(aRule([TEXT, TASK])), [world.job(LEEDS)])
    world.platform.fate = ({ verb }) => (verb === 'sms' ? 'answer_lost' : 'well')
    await work(minutes(20))
    expect(await detail(run)).toMatchObject({
      run: { line: { standing: 'unknown', needsYou: true }, steps: [{ items: [{ settle: true }] }, {}] },
    })
    const row = { step: 's1', item: '0' }
    expect(await press(run, { act: 'went_out', ...row })).toMatchObject({
      status: 303,
      to: `/automation/runs/${run}?accountUUID=${LEEDS}`,
      says: 'Noted',
    })
    expect(await press(run, { act: 'send_it', ...row })).toMatchObject({ says: 'Nothing to settle' })
    await world.clock.run(seconds(10))
    expect(await detail(run)).toMatchObject({ run: { line: { standing: 'success' } } })
    expect(world.platform.messages).toHaveLength(1)
  })

  test('what failed is tried again in the same run', async () => {
    const run = await world.start(await world.rule(aRule([TASK])), [world.job(LEEDS)])
    world.platform.fate = ({ verb }) => (verb === 'create' ? 'not_reached' : 'well')
    await work(hours(24))
    // A session does not last that long.
    world.client.sql.prepare('DELETE FROM session').run()
    await signIn()
    expect(await detail(run)).toMatchObject({ run: { line: { standing: 'failure' }, steps: [{ mark: 'failed' }] } })
    world.platform.fate = () => 'well'
    expect(await press(run, { act: 'failed_again' })).toMatchObject({ says: 'Trying again' })
    await world.clock.run(seconds(10))
    expect(await detail(run)).toMatchObject({ run: { line: { standing: 'success' } } })
    expect(await press(run, { act: 'failed_again' })).toMatchObject({ says: 'Nothing to try again' })
  })

  test('all of it once more is a new run, and pressing twice is pressing once', async () => {
    const run = await world.start(await world.rule(aRule([TEXT])), [world.job(LEEDS)])
    await work()
    const again = `/automation/runs/${run + 1}?accountUUID=${LEEDS}`
    expect(await press(run, { act: 'all_again' })).toMatchObject({ to: again, says: 'Run again' })
    expect(await press(run, { act: 'all_again' })).toMatchObject({ to: again, says: 'Already started' })
    await world.clock.run(seconds(10))
    expect(world.platform.messages).toHaveLength(2)
    expect(await detail(run + 1)).toMatchObject({ run: { replayOf: run } })
  })

  test('the rule of today is offered once it was changed, and then counts', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const run = await world.start(rule, [world.job(LEEDS)])
    await work()
    expect(await detail(run)).toMatchObject({ run: { offers: { today: null } } })
    const other = aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'Another text' })
    await world.store.automations.changeAutomation(LEEDS, rule, { definition: aRule([other]), at: world.clock.now() })
    expect(await detail(run)).toMatchObject({ run: { offers: { today: expect.stringContaining('instead of 1') } } })
    await press(run, { act: 'today' })
    await world.clock.run(seconds(10))
    expect(world.platform.messages.map((message) => message.text)).toEqual(['Job 1', 'Another text'])
  })

  test('a held run is let go or discarded, a waiting one cancelled', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const [first, second] = [
      await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') }),
      await world.start(rule, [world.job(LEEDS)], { held: runReason('ask_first') }),
    ]
    const later = await world.start(rule, [world.job(LEEDS)], { wakeAt: world.clock.now() + hours(2) })
    await work(seconds(1))
    expect(await press(first, { act: 'release' })).toMatchObject({ says: 'Released' })
    expect(await press(second, { act: 'discard' })).toMatchObject({ says: 'Discarded' })
    expect(await press(later, { act: 'cancel' })).toMatchObject({ says: 'Cancelled' })
    expect(await press(later, { act: 'cancel' })).toMatchObject({ says: 'Not cancelled' })
    await world.clock.run(hours(3))
    expect(world.platform.messages).toHaveLength(1)
  })

  test('on hold for its plan, what it is asked to send waits, and the press says so', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const done = await world.start(rule, [world.job(LEEDS)])
    await work()
    const held = { held: runReason('ask_first') }
    const [first, second] = [await world.start(rule, [world.job(LEEDS)], held), await world.start(rule, [], held)]
    await holdAccount()
    const waits = { says: 'On hold', why: WAITS }
    expect(await press(first, { act: 'release' })).toMatchObject(waits)
    expect(await press(done, { act: 'all_again' })).toMatchObject(waits)
    expect(await press(second, { act: 'discard' })).toMatchObject({ says: 'Discarded' })
    expect(await press(second, { act: 'release' })).toMatchObject({ says: 'Nothing to release' })
    await world.clock.run(minutes(1))
    expect(world.platform.messages).toHaveLength(1)
  })

  test('on hold, a message is marked as sent, and the press says that the rest waits', async () => {
    const run = await world.start(await world.rule(aRule([TEXT, TASK])), [world.job(LEEDS)])
    world.platform.fate = ({ verb }) => (verb === 'sms' ? 'answer_lost' : 'well')
    await work(minutes(20))
    await holdAccount()
    const row = { step: 's1', item: '0' }
    expect(await press(run, { act: 'went_out', ...row })).toMatchObject({ says: 'Marked as sent', why: WAITS })
    expect(await press(run, { act: 'went_out', ...row })).toMatchObject({ says: 'Nothing to settle' })
  })

  test('in a held copy, what it is asked to send waits for the operator, and the press says so', async () => {
    const done = await world.start(await world.rule(aRule([TEXT])), [world.job(LEEDS)])
    await work()
    Object.assign(app.settings, { held: true })
    expect(await press(done, { act: 'all_again' })).toMatchObject({ says: 'On hold', why: QUARANTINED })
  })

  test('nothing is done for somebody else, or for words nobody knows', async () => {
    const run = await world.start(await world.rule(aRule([TEXT])), [world.job(LEEDS)], { held: 'Wait.' })
    expect(await press(run, { act: 'release' }, null)).toMatchObject({ why: 'Nothing was done. Please sign in again.' })
    expect(await press(run, { act: 'release' }, BRISBANE)).toMatchObject({ why: expect.stringContaining('sign in') })
    expect(await press(run, { act: 'explode' })).toMatchObject({ says: 'Not found' })
    expect(await press(999, { act: 'cancel' })).toMatchObject({ says: 'Not found' })
    expect(await world.run(run)).toMatchObject({ state: 'held' })
  })
})

test('a run that another program started shows the customer too', async () => {
  const run = await world.start(await world.rule(aRule([TEXT])), [world.job(LEEDS)], { source: 'manual' })
  expect((await runs()).page).toMatchObject({ lines: [{ id: run, customer: 'Customer 1' }] })
  expect(await detail(run)).toMatchObject({ run: { line: { customer: 'Customer 1' } } })
})

test('each view has a title of its own', async () => {
  const titles: string[] = []
  for (const query of ['', '&status=needs_you', '&view=upcoming', '&view=why']) {
    titles.push(...meta({ data: (await runs(query)).page as never }).map(({ title }) => title))
  }
  const words = ['Run history', 'Needs you', 'Upcoming runs', 'Why did this job not fire?']
  expect(titles).toEqual(words.map((title) => `${title} · Fieldhook`))
})

describe('what comes next', () => {
  test('is runs that go on by themselves, the next one first, and the looks of rules that are on', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const now = world.clock.now()
    const late = await world.start(rule, [world.job(LEEDS)], { wakeAt: now + hours(5) })
    const soon = await world.start(rule, [world.job(LEEDS)], { wakeAt: now + hours(1) })
    await world.start(rule, [world.job(LEEDS)], { held: 'Asks.' })
    await world.start(await world.rule(aRule([TEXT]), BRISBANE), ['x'], { wakeAt: now + hours(1) }, BRISBANE)
    const { page } = await runs('&view=upcoming')
    expect(page).toMatchObject({ view: 'upcoming', runs: [{ id: soon }, { id: late }], looks: [] })
  })

  test('is listed to its end, page by page, also where many go on at the same time', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const now = world.clock.now()
    const ids: number[] = []
    for (let n = 0; n < 51; n++)
      ids.push(await world.start(rule, [`job-${n}`], { wakeAt: now + hours(n < 45 ? 2 : 3) }))
    const first = (await runs('&view=upcoming')).page
    expect(first).toMatchObject({ next: ids[49], isLater: false })
    expect('runs' in first && first.runs.map(({ id }) => id)).toEqual(ids.slice(0, 50))
    const second = (await runs(`&view=upcoming&after=${ids[49]}`)).page
    expect(second).toMatchObject({ runs: [{ id: ids[50] }], next: null, isLater: true })
  })
})

describe('why did this job not fire', () => {
  const IS_COMPLETED = { field: 'status', operator: 'equals', value: 'Completed', logicalOperator: 'AND' } as const

  test('asks for a job by its number, and says what each rule makes of it', async () => {
    const job = world.job(LEEDS, { generated_job_id: '4411' })
    await world.rule(aRule([TEXT], { conditions: [IS_COMPLETED] }), LEEDS, 'Completed only')
    const fired = await world.rule(aRule([TEXT]), LEEDS, 'Every change')
    const run = await world.start(fired, [job], { ledger: [{ recordUuid: job, occurrence: 'x', expiresAt: null }] })
    await work()
    const { page, status } = await runs('&view=why&job=%234411')
    expect(status).toBe(200)
    expect(page).toMatchObject({
      view: 'why',
      asked: '#4411',
      answer: {
        outcome: 'answered',
        recordUuid: job,
        isJob: true,
        title: 'Job 4411',
        about: expect.stringContaining('Customer 1'),
        trouble: null,
        rules: [
          { name: 'Every change', standing: 'fired', runId: run },
          {
            name: 'Completed only',
            standing: 'not_met',
            failed: ['"Status" is Quote. The automation needs: its status is Completed.'],
          },
        ],
      },
    })
  })

  test('names a category and a customer, which the automation knows by id', async () => {
    const [gas, hill] = ['77777777-0000-4000-8000-00000000000c', 'cccccccc-0000-4000-8000-00000000000d']
    world.platform.put(LEEDS, 'category', { uuid: gas, name: 'Gas safety', active: '1' })
    const job = world.job(LEEDS, { category_uuid: '' })
    world.platform.put(LEEDS, 'company', { uuid: hill, name: 'Hill Farm', active: '1' })
    const wanted = Object.entries({ category_uuid: gas, company_uuid: hill })
    const conditions = wanted.map(([field, value]) => ({ ...IS_COMPLETED, field, value }))
    await world.rule(aRule([TEXT], { conditions }))
    const said = JSON.stringify((await runs(`&view=why&job=${job}`)).page)
    expect(said).toContain('its category is \\"Gas safety\\"')
    expect(said).toContain('the customer is \\"Hill Farm')
    expect([said.includes(gas), said.includes(hill)]).toEqual([false, false])
  })

  test('names a customer among many without reading their list', async () => {
    for (let n = 0; n < 301; n++) {
      const uuid = `cccccccc-0000-4000-8000-000000001${String(n).padStart(3, '0')}`
      world.platform.put(LEEDS, 'company', { uuid, name: `A ${n}`, active: '1' })
    }
    const zed = 'cccccccc-0000-4000-8000-00000000000e'
    world.platform.put(LEEDS, 'company', { uuid: zed, name: 'Zed Farm', active: '1' })
    const job = world.job(LEEDS)
    const conditions = [{ ...IS_COMPLETED, field: 'company_uuid', value: zed }]
    await world.rule(aRule([TEXT], { conditions }))
    const said = JSON.stringify((await runs(`&view=why&job=${job}`)).page)
    expect(said).toContain('the customer is \\"Zed Farm\\"')
    expect(said).toContain('\\"Customer\\" is \\"Customer 1\\"')
    expect(said).not.toContain(zed)
    const lists = world.platform.exchanges.filter(({ verb, object }) => verb === 'list' && object === 'company')
    expect(lists).toEqual([])
  })

  test('names the customer whom the job had at an earlier check', async () => {
    const idOf = (last: string) => `cccccccc-0000-4000-8000-00000000000${last}`
    const job = world.job(LEEDS, { company_uuid: idOf('b') })
    for (const [uuid, name] of Object.entries({ [idOf('a')]: 'Alder Ltd', [idOf('b')]: 'Birch Ltd' }))
      world.platform.put(LEEDS, 'company', { uuid, name, active: '1' })
    // More than are read at once, and none of them exists.
    for (let n = 100; n < 113; n++) {
      const conditions = [{ ...IS_COMPLETED, field: 'company_uuid', value: `dddddddd-0000-4000-8000-000000000${n}` }]
      await world.rule(aRule([TEXT], { conditions }), LEEDS, `Rule ${n}`)
    }
    const [rule] = await world.store.automations.listAutomations(LEEDS)
    const failed = [{ field: 'company_uuid', operator: 'equals', value: idOf('b'), seen: idOf('a') }]
    world.client.sql
      .prepare(
        `INSERT INTO rule_verdict (automation_id, record_uuid, account_uuid, at, verdict, detail, run_id)
         VALUES (?, ?, ?, ?, 'not_matched', ?, NULL)`,
      )
      .run(rule?.id ?? 0, job, LEEDS, world.clock.now(), JSON.stringify({ failed }))
    const said = JSON.stringify((await runs(`&view=why&job=${job}`)).page)
    expect(said).toContain('\\"Customer\\" is \\"Alder Ltd\\". The automation needs: the customer is \\"Birch Ltd\\"')
    expect(said).not.toContain(idOf('a'))
  })

  test('a run that was cancelled did not run', async () => {
    const job = world.job(LEEDS)
    const rule = await world.rule(aRule([TEXT]))
    const ledger = [{ recordUuid: job, occurrence: 'x', expiresAt: null }]
    const run = await world.start(rule, [job], { ledger, wakeAt: world.clock.now() + hours(2) })
    await press(run, { act: 'cancel' })
    const told = { standing: 'cancelled', words: ['Cancelled by a person.'], runId: run }
    expect((await runs(`&view=why&job=${job}`)).page).toMatchObject({ answer: { rules: [told] } })
  })

  test('says that messages about the job are stopped, not that its customer gets them', async () => {
    const job = world.job(LEEDS, { company_uuid: 'cccccccc-0000-4000-8000-000000000001' })
    const mute = { kind: 'job', recordUuid: job, until: null } as const
    const { id } = await world.store.runs.saveMute(LEEDS, mute, world.clock.now())
    expect((await runs(`&view=why&job=${job}`)).page).toMatchObject({
      answer: { customers: [{ mute: { id }, mutedBy: 'job' }] },
    })
  })

  test('says what a rule noted when it looked', async () => {
    const job = world.job(LEEDS)
    const rule = await world.rule(aRule([TEXT]))
    world.client.sql
      .prepare(
        `INSERT INTO rule_verdict (automation_id, record_uuid, account_uuid, at, verdict, detail, run_id)
         VALUES (?, ?, ?, ?, 'not_triggered', '{"sentence":"Only the note changed."}', NULL)`,
      )
      .run(rule, job, LEEDS, world.clock.now())
    const { page } = await runs(`&view=why&job=${job}`)
    expect(page).toMatchObject({ answer: { rules: [{ standing: 'not_yet', words: ['Only the note changed.'] }] } })
  })

  test('says what it knows when ServiceM8 does not answer, or has no such job', async () => {
    const rule = await world.rule(aRule([TEXT]))
    expect((await runs('&view=why&job=99')).page).toMatchObject({
      answer: { outcome: 'refused', message: 'There is no job 99 in ServiceM8.' },
    })
    expect((await runs(`&view=why&job=${uuidOf('job', 99)}`)).page).toMatchObject({
      answer: {
        isJob: false,
        trouble: expect.stringContaining('ServiceM8 has no job with this id.'),
        rules: [{ ruleId: rule }],
      },
    })
    world.platform.fate = () => 'broken'
    expect((await runs('&view=why&job=99')).page).toMatchObject({
      answer: { outcome: 'refused', message: 'We could not ask ServiceM8: Internal error' },
    })
    expect(await runs('&view=why&job=%27%20or')).toMatchObject({
      status: 400,
      page: { answer: { outcome: 'refused' } },
    })
  })

  test('tells nothing of another account', async () => {
    const job = world.job(BRISBANE, { generated_job_id: '7' })
    await world.rule(aRule([TEXT]), BRISBANE, 'Theirs')
    expect((await runs(`&view=why&job=${job}`)).page).toMatchObject({ answer: { rules: [] } })
  })
})

describe('a new template', () => {
  const LIBRARY = `/automation?accountUUID=${LEEDS}&admin=yes&tab=templates`
  const create = (form: Record<string, string>, query = '&admin=yes', as: string | null = LEEDS) =>
    leadsTo(templatesAction(argsOf(`/automation/templates?accountUUID=${LEEDS}${query}`, { form, as })))

  test('is made of an automation, and stands in the library', async () => {
    const rule = await world.rule(aRule([TEXT], { trigger: { source: 'manual_endpoint' } }))
    const form = { rule: String(rule), name: 'Text them', description: 'Texts.', category: 'workflow', isPublic: 'yes' }
    expect(await create(form)).toMatchObject({ status: 303, to: LIBRARY, says: 'Template created' })
    expect(await world.store.templates.listTemplates(BRISBANE)).toMatchObject([
      { name: 'Text them', category: 'workflow', isPublic: true, definition: { steps: [{ type: 'send_sms' }] } },
    ])
  })

  test.each([
    [{ name: ' ', category: 'workflow' }, 'Template name is required'],
    [{ name: 'A', category: 'odd' }, 'Choose communication, job_management, reporting, workflow, integration'],
    [{ name: 'A', category: 'workflow', rule: '999' }, 'Choose the automation for the template.'],
  ])('%j is refused with what is missing', async (form, why) => {
    const rule = await world.rule(aRule([TEXT], { trigger: { source: 'manual_endpoint' } }))
    const answer = await create({ rule: String(rule), ...form })
    expect(answer).toMatchObject({ says: 'Failed to create template', why })
    const typed = new URLSearchParams({ rule: String(rule), ...form })
    expect(answer.to).toBe(`${LIBRARY}&typed=${encodeURIComponent(String(typed))}`)
    const query = new URL(answer.to ?? '', app.settings.origin).searchParams
    const library = await loadTemplateLibrary(app, LEEDS, query, { admin: true })
    expect(library.typed).toEqual(Object.fromEntries(typed))
    expect(await world.store.templates.listTemplates(LEEDS)).toEqual([])
  })

  test('is for admins, with the flag', async () => {
    const rule = await world.rule(aRule([TEXT]))
    const form = { rule: String(rule), name: 'A', category: 'workflow' }
    expect(await create(form, '')).toMatchObject({ why: 'Only admins create templates.' })
    expect(await create(form, '&admin=yes', null)).toMatchObject({ why: 'Nothing was changed. Please sign in again.' })
    expect(await world.store.templates.listTemplates(LEEDS)).toEqual([])
  })
})

test('a wish that stands in the history keeps what set it off', async () => {
  const rule = await world.rule(aRule([TEXT]))
  const triggerData = { ...TRIGGERED, changes: [{ field: 'status', from: 'Quote', to: 'Completed' }] }
  const run = await world.start(rule, [world.job(LEEDS)], { triggerData })
  expect(await detail(run)).toMatchObject({
    run: { changes: ['Status: "Quote" → "Completed"'], source: 'ServiceM8', isLive: true },
  })
})

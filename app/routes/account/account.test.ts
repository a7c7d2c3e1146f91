import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { flashCookieName, readCookies } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { days, minutes } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { type AccountsApp, accountsApp, connect } from '#tests/support/accounts-app.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'
import { action, loader } from './account.tsx'
import { loader as partLoader } from './account-part.tsx'

/** The platform that names staff cannot be asked. */
const NOBODY = { facts: { reader: () => ({ list: async () => ({ outcome: 'failed', message: 'down' }) }) } }

const KIM = { uuid: 'kim', first: 'Kim', last: 'Doyle', email: '', mobile: '', active: 1 }
const STAFF = { facts: { reader: () => ({ list: async () => ({ outcome: 'ok', value: [KIM], records: [KIM] }) }) } }

let world: AccountsApp
let app: App
let cookies: { owner: string; second: string; other: string }

beforeEach(async () => {
  world = await accountsApp({ adminAccounts: [BRISBANE.uuid] })
  app = Object.assign(world.app, {
    wakeDeliveries() {},
    wakeRuns() {},
    rulesChanged() {},
    payments: null,
    planning: NOBODY,
  })
  cookies = {
    owner: (await connect(world, BRISBANE)).cookie,
    second: (await connect(world, BRISBANE)).cookie,
    other: (await connect(world, LEEDS)).cookie,
  }
})
afterEach(() => world.close())

const HOME = `/account?accountUUID=${BRISBANE.uuid}`
const partOf = (part: string, more = '') => `/account/${part}?accountUUID=${BRISBANE.uuid}${more}`

function argsOf(path: string, as: keyof typeof cookies | null, form?: Record<string, string>) {
  const request = new Request(`${app.settings.origin}${path}`, {
    method: form ? 'POST' : 'GET',
    headers: as === null ? {} : { cookie: `__Host-sid-top=${cookies[as]}` },
    ...(form && { body: new URLSearchParams(form) }),
  })
  return { request, params: {}, context: { app, clientIp: '203.0.113.9', nonce: '' } } as unknown as ActionFunctionArgs
}

async function page(path = HOME, as: keyof typeof cookies | null = 'owner') {
  const { data, init } = await loader(argsOf(path, as))
  if (data.view === 'gate') throw new Error('the gate was shown')
  return { ...data, status: init?.status ?? 200 }
}

async function partPage(path: string, as: keyof typeof cookies | null = 'owner') {
  const { data, init } = await partLoader(argsOf(path, as))
  return { data, status: init?.status ?? 200 }
}

async function sessionsOf(as: keyof typeof cookies = 'owner') {
  const { data } = await partPage(partOf('sessions'), as)
  if (data.view !== 'sessions') throw new Error(`${data.view} was shown`)
  return data.sessions
}

async function logOf(path = partOf('activity'), as: keyof typeof cookies = 'owner') {
  const { data, status } = await partPage(path, as)
  if (data.view !== 'activity') throw new Error(`${data.view} was shown`)
  return { ...data.log, status }
}

/** Where a press leads, and what it says there. */
async function press(form: Record<string, string>, as: keyof typeof cookies | null = 'owner', path = HOME) {
  const thrown = await action(argsOf(path, as, form)).then(
    () => Promise.reject(new Error('nothing was thrown')),
    (response: unknown) => response as Response,
  )
  const sealed = readCookies(thrown.headers.get('set-cookie')?.split(';')[0] ?? null).get(flashCookieName(true)) ?? ''
  const headers = { cookie: `${flashCookieName(true)}=${sealed}` }
  const { flash } = await loadFlash(app, new Request(app.settings.origin, { headers }))
  return { status: thrown.status, to: thrown.headers.get('location'), says: flash?.title, typed: flash?.typed }
}

const presses = (forms: Record<string, string>[]) => forms

describe('roles', () => {
  /** The browser of a person, as a signed opening leaves it. */
  async function openedBy(staffUuid: string) {
    const now = world.clock.now()
    const token = `session-of-${staffUuid}`.padEnd(43, '0')
    await app.store.accounts.admitPerson(BRISBANE.uuid, staffUuid)
    const account = { accountUuid: BRISBANE.uuid, staffUuid, proof: 'launch', provedAt: now } as const
    const session = {
      tokenHash: hashToken(token),
      expiresAt: now + days(1),
      account,
      replaces: [],
      carryProofsSince: 0,
    }
    await app.store.accounts.openSession(session)
    return token
  }

  test('a member is told that only an owner can, and nothing happens', async () => {
    cookies.owner = await openedBy('kim')
    cookies.second = await openedBy('alex')
    for (const form of presses([
      { intent: 'end_all' },
      { intent: 'erase', name: BRISBANE.name },
      { intent: 'role', person: 'alex', role: 'owner' },
    ])) {
      expect(await press(form, 'second')).toMatchObject({ says: 'Only an owner can do this' })
    }
    expect((await page(HOME, 'second')).people.rights).toEqual({ refusal: 'owner', owners: ['Staff member kim'] })
    expect(await app.store.accounts.listPeople(BRISBANE.uuid)).toMatchObject([{ role: 'member' }, { role: 'owner' }])
    expect(await press({ intent: 'role', person: 'alex', role: 'owner' })).toMatchObject({ says: 'Role changed' })
    expect((await page(HOME, 'second')).people.rights.refusal).toBeNull()
    expect(await press({ intent: 'role', person: 'nobody', role: 'owner' })).toMatchObject({
      says: 'Nothing was changed',
    })
  })

  test('what cannot be taken back wants an opening or a sign-in of the last ten minutes', async () => {
    cookies.owner = await openedBy('kim')
    world.clock.advance(minutes(10))
    for (const form of presses([{ intent: 'end_all' }, { intent: 'erase', name: BRISBANE.name }])) {
      expect(await press(form)).toMatchObject({ says: 'This needs a recent sign-in' })
    }
    expect((await page()).people.rights.refusal).toBe('fresh')
  })

  test('sessions and entries name the person, as the list of people does', async () => {
    Object.assign(app, { planning: STAFF })
    cookies.owner = await openedBy('kim')
    const { id = '' } = (await sessionsOf()).find(({ staffUuid }) => staffUuid === null) ?? {}
    await asCaller('203.0.113.9', () => press({ intent: 'end_session', id }))
    expect((await page()).people.people).toMatchObject([{ name: 'Kim Doyle', you: true }])
    expect(await sessionsOf()).toMatchObject([
      { name: 'Kim Doyle', current: true },
      { name: null, current: false },
    ])
    expect((await logOf()).lines?.[0]).toMatchObject({ who: 'Kim Doyle', what: 'Signed one browser out' })
    expect((await page()).newest).toMatchObject({ who: 'Kim Doyle', what: 'Signed one browser out' })
  })

  test('a sign-in through ServiceM8 alone acts as owner until one is named', async () => {
    expect((await page()).people).toMatchObject({ people: [], rights: { refusal: null } })
    await openedBy('kim')
    expect(await press({ intent: 'end_all' })).toMatchObject({ says: 'Open Fieldhook from ServiceM8 first' })
  })
})

const PARTS = ['sessions', 'activity', 'retention', 'export', 'erase']

test('strangers and other accounts see the gate', async () => {
  for (const as of [null, 'other'] as const) {
    const shown = [(await loader(argsOf(HOME, as))).data]
    for (const part of PARTS) shown.push((await partPage(partOf(part), as)).data as (typeof shown)[number])
    expect(shown.map(({ view }) => view)).toEqual(shown.map(() => 'gate'))
    expect(JSON.stringify(shown)).not.toContain(BRISBANE.name)
  }
})

test('the owner sees the browsers, the connection and who did what', async () => {
  const shown = await page()
  expect(shown).toMatchObject({
    status: 200,
    accountName: BRISBANE.name,
    connection: { state: 'connected', scopes: ['vendor'] },
    browsers: 2,
    newest: { what: 'Connected to ServiceM8', facts: '1 permission' },
    eventsKept: '30 days',
  })
  expect((await sessionsOf()).map(({ current }) => current)).toEqual([true, false])
  expect(await logOf()).toMatchObject({ status: 200, errors: {}, next: null, everybody: false })
  expect((await logOf()).lines?.[0]?.what).toBe('Connected to ServiceM8')
  expect(JSON.stringify([shown, await sessionsOf()])).not.toContain(cookies.owner)
  expect((await partPage(partOf('retention'))).data).toMatchObject({
    counts: { events: { count: 0, oldestAt: null } },
    shortage: null,
  })
  expect((await partPage(partOf('export'))).data).toMatchObject({ view: 'export', rights: { refusal: null } })
  expect((await partPage(partOf('erase'))).data).toMatchObject({ view: 'erase', nameToType: BRISBANE.name })
})

test('addresses from before, when all of it was one page, lead to the part they named', async () => {
  const goes = async (query: string) => {
    const thrown = await loader(argsOf(`${HOME}${query}`, 'owner')).catch((response: Response) => response)
    return thrown instanceof Response ? thrown.headers.get('location') : null
  }
  expect(await goes('&step=erase')).toBe(partOf('erase'))
  expect(await goes('&step=end_all')).toBe(partOf('sessions', '&step=end_all'))
  expect(await goes('&group=access&before=7')).toBe(partOf('activity', '&group=access&before=7'))
  expect(await goes('&admin=yes&log=all')).toBe(partOf('activity', '&admin=yes&log=all'))
  expect(await goes('')).toBeNull()
})

test('what has to be known about the subscription stands above this page too', async () => {
  expect((await page()).planNotice).toBeNull()
  Object.assign(app.settings, { payments: { mode: 'stripe', publishableKey: 'pk_test_1' } })
  const { uuid } = BRISBANE
  const plan = await app.store.billing.ensurePlan(uuid, 1_000, app.clock.now() - 5_000)
  await app.store.billing.savePlan(uuid, plan.updatedAt, { status: 'canceled' }, app.clock.now())
  expect((await page()).planNotice).toMatchObject({ tone: 'held', action: { label: 'Subscribe' } })
})

test('a filter that cannot be read is said, and a question can be open', async () => {
  const wrong = await logOf(partOf('activity', '&from=someday'))
  expect([wrong.status, wrong.lines]).toEqual([400, null])
  expect(wrong.errors.from).toHaveLength(1)
  expect((await partPage(partOf('sessions', '&step=end_all'))).data).toMatchObject({ asked: true })
  expect((await partPage(partOf('sessions', '&step=everything'))).data).toMatchObject({ asked: false })
})

describe('the operator', () => {
  test('sees what happened in all accounts, and not what it was about', async () => {
    const log = await logOf(partOf('activity', '&admin=yes&log=all'))
    expect(log.everybody).toBe(true)
    expect(new Set(log.lines?.map(({ accountUuid }) => accountUuid))).toEqual(new Set([BRISBANE.uuid, LEEDS.uuid]))
    expect(log.lines?.every(({ facts }) => facts === '')).toBe(true)
  })

  test('is nobody whose account is not on the list, and nobody who does not ask as one', async () => {
    expect((await logOf(partOf('activity', '&log=all'))).everybody).toBe(false)
    const asOther = await logOf(`/account/activity?accountUUID=${LEEDS.uuid}&admin=yes&log=all`, 'other')
    expect(asOther.everybody).toBe(false)
    expect(JSON.stringify(asOther)).not.toContain(BRISBANE.uuid)
  })
})

describe('a press', () => {
  test('signs one browser out', async () => {
    const id = (await sessionsOf()).find(({ current }) => !current)?.id ?? ''
    expect(await press({ intent: 'end_session', id }, 'other', `/account?accountUUID=${LEEDS.uuid}`)).toMatchObject({
      says: 'That browser was signed out already',
    })
    expect(await press({ intent: 'end_session', id })).toEqual({
      status: 303,
      to: HOME,
      says: 'That browser is signed out',
    })
    expect(await sessionsOf()).toHaveLength(1)
  })

  test('signs everybody out, and leads to the gate', async () => {
    expect(await press({ intent: 'end_all' }, 'owner', `${HOME}&step=end_all`)).toEqual({
      status: 303,
      to: HOME,
      says: 'Signed out everywhere',
    })
    expect((await loader(argsOf(HOME, 'second'))).data.view).toBe('gate')
  })

  test('erases nothing by itself: the name has to be typed', async () => {
    const refused = await action(argsOf(HOME, 'owner', { intent: 'erase', name: 'Brisbane' }))
    expect(refused.init?.status).toBe(400)
    expect(refused.data).toEqual({
      name: 'Brisbane',
      message: 'Type the name exactly as it is shown. Nothing was erased.',
    })
    expect(await press({ intent: 'erase', name: BRISBANE.name })).toEqual({
      status: 303,
      to: '/',
      says: 'This account is being erased',
    })
    expect((await loader(argsOf(HOME, 'second'))).data.view).toBe('gate')
  })

  test('of nobody, or of nothing we know, changes nothing', async () => {
    expect((await press({ intent: 'end_all' }, null)).says).toBe('No authentication credentials found')
    expect((await press({ intent: 'erase', name: BRISBANE.name }, null)).typed).toBe(true)
    expect((await press({ intent: 'end_all' }, 'other')).says).toBe('No authentication credentials found')
    expect((await press({ intent: 'nonsense' })).says).toBe('Nothing was changed')
    expect(await sessionsOf()).toHaveLength(2)
  })
})

import type { ActionFunctionArgs } from '@remix-run/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import type { ProcessSigns } from '#app/domain/process-signs.ts'
import { flashCookieName, readCookies } from '#app/http/cookies.ts'
import { loadFlash } from '#app/http/flash.server.ts'
import { asCaller } from '#app/lib/caller.server.ts'
import { type AccountsApp, accountsApp, connect } from '#tests/support/accounts-app.ts'
import { apiRoute } from '#tests/support/api-route.ts'
import { live } from '#tests/support/full-account.ts'
import { BRISBANE, LEEDS } from '#tests/support/platform-server.ts'
import { columnsOf, onServer } from '#tests/support/test-app.server.ts'
import { action, loader } from './operator.tsx'

const call = apiRoute('api/operator')

let world: AccountsApp
let app: App
let cookies: { operator: string; other: string }

beforeEach(async () => {
  world = await accountsApp({ adminAccounts: [BRISBANE.uuid] })
  const now = () => world.clock.now()
  const loop = () => ({ owner: true, draining: false, inFlight: 0, lastBeatAt: now() })
  const signs = (): ProcessSigns => ({
    startedAt: now() - 60_000,
    node: 'v20.20.0',
    memoryBytes: 1,
    loopDelayMs: null,
    deliveries: loop(),
    flights: [],
    instances: { members: 3, unowned: 0 },
    automations: loop(),
    space: { level: 'enough', usedBytes: 1, budgetBytes: 2 ** 28, overShare: null, sentence: 'There is room.' },
    day: [],
  })
  app = Object.assign(world.app, {
    signs,
    ready: async () => ({ ready: true, reasons: [] }),
    callsLeft: async () => ({ minute: 180, day: 20_000, pausedUntil: null }),
    settings: { ...world.app.settings, sandbox: true },
  })
  cookies = {
    operator: (await connect(world, BRISBANE)).cookie,
    other: (await connect(world, LEEDS)).cookie,
  }
})
afterEach(() => world.close())

const HOME = `/operator?accountUUID=${BRISBANE.uuid}&admin=yes`

function argsOf(path: string, as: keyof typeof cookies | null, form?: Record<string, string>, headers = {}) {
  const request = new Request(`${app.settings.origin}${path}`, {
    method: form ? 'POST' : 'GET',
    headers: { ...headers, ...(as !== null && { cookie: `__Host-sid-top=${cookies[as]}` }) },
    ...(form && { body: new URLSearchParams(form) }),
  })
  return { request, params: {}, context: { app, clientIp: '203.0.113.9', nonce: '' } } as unknown as ActionFunctionArgs
}

const page = (path = HOME) => loader(argsOf(path, 'operator'))

/** What was thrown, as a response. */
const thrown = (work: Promise<unknown>): Promise<Response> =>
  work.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (response: unknown) => response as Response,
  )

async function press(form: Record<string, string>) {
  const path = `${HOME}&sign_out=${LEEDS.uuid}`
  const response = await thrown(asCaller('203.0.113.9', () => action(argsOf(path, 'operator', form))))
  const sealed = readCookies(response.headers.get('set-cookie')?.split(';')[0] ?? null).get(flashCookieName(true)) ?? ''
  const headers = { cookie: `${flashCookieName(true)}=${sealed}` }
  const { flash } = await loadFlash(app, new Request(app.settings.origin, { headers }))
  return { status: response.status, to: response.headers.get('location'), says: flash?.title }
}

const audit = (accountUuid: string) =>
  app.store.audit.listAudit(accountUuid, {
    actions: null,
    outcome: null,
    since: null,
    until: null,
    before: null,
    limit: 50,
  })

describe('the page', () => {
  test('answers the operator, whichever way the account is named', async () => {
    for (const path of [HOME, '/operator?admin=yes', `/operator?accountuuid=${BRISBANE.uuid}&admin=yes`]) {
      expect(await page(path)).toMatchObject({
        accountUUID: BRISBANE.uuid,
        admin: true,
        view: {
          verdict: { tone: 'working', sentence: 'Everything is fine: nothing is overdue.' },
          accounts: { count: 2 },
        },
      })
    }
  })

  test('is not there for anybody else, and that somebody looked for it is written down', async () => {
    const asks = [
      [HOME, null],
      [HOME, 'other'],
      [`/operator?accountUUID=${LEEDS.uuid}&admin=yes`, 'other'],
      ['/operator?admin=yes', 'other'],
      [`/operator?accountUUID=${BRISBANE.uuid}`, 'operator'],
      [`/operator?accountUUID=${LEEDS.uuid}&admin=yes`, 'operator'],
    ] as const
    for (const [path, as] of asks) {
      for (const form of [undefined, { intent: 'end_sessions', account: LEEDS.uuid }]) {
        const response = await thrown((form ? action : loader)(argsOf(path, as, form)))
        expect([response.status, await response.text()]).toEqual([404, ''])
      }
    }
    expect(await app.store.accounts.listSessions(LEEDS.uuid)).toHaveLength(1)
    const refused = (await audit(BRISBANE.uuid)).filter(({ outcome }) => outcome === 'refused')
    expect(refused[0]).toMatchObject({ action: 'call.refused', ip: '203.0.113.9', detail: { status: 404 } })
    expect(refused.map(({ target }) => target)).toContain('GET /operator')
    expect((await audit(LEEDS.uuid)).some(({ target }) => target === 'POST /operator')).toBe(true)
  })

  test('shows nothing of what is in an account', async () => {
    await live(world, LEEDS.uuid)
    const canaries = await plantCanaries()
    expect(canaries).toBeGreaterThan(40)
    const json = await (await call(argsOf(`/api/operator?accountUUID=${BRISBANE.uuid}&admin=yes`, 'operator'))).text()
    const shown = JSON.stringify(await page())
    for (const text of [shown, json]) {
      expect(text).toContain(LEEDS.uuid)
      expect(text).not.toMatch(/canary/i)
      expect(text).not.toContain('receiver.example.com')
    }
  })

  test('lists what needs care first, page by page', async () => {
    for (let n = 0; n < 30; n++)
      await app.store.accounts.ensureAccount({ uuid: `more-${n}`, name: `More ${n}`, timezone: 'UTC' })
    const { endpointId } = await live(world, LEEDS.uuid)
    world.client.sql.prepare("UPDATE endpoint SET state = 'paused' WHERE id = ?").run(endpointId)
    const { view } = await page()
    expect(view.accounts).toMatchObject({ count: 32, page: 1, pages: 3 })
    expect(view.accounts.lines).toHaveLength(15)
    expect(view.accounts.lines[0]).toMatchObject({ uuid: LEEDS.uuid, waiting: 6, endpoints: 2, plan: 'Trial' })
    expect(view.delivering).toMatchObject({ waiting: 6, held: 3 })
    expect((await page(`${HOME}&page=3&sign_out=${LEEDS.uuid}`)).view.accounts.lines).toHaveLength(2)
  })

  test('says that a copy is held, and how that ends', async () => {
    Object.assign(app.settings, { held: true })
    const { verdict, delivering } = (await page()).view
    expect(verdict.sentence).toContain('a restored or moved copy')
    expect(delivering.loops.map(({ state }) => state)).toEqual(['held', 'held'])
  })
})

/** Every text column of every account's content says so; identifiers and states that the store works with stay. */
async function plantCanaries(): Promise<number> {
  const { sql } = world.client
  const keep =
    /^(uuid|.*_uuid|id|state|status|kind|object|object_type|source|cause|outcome|action|actor|breaker|proof|channel|dedupe|token_hash|timezone|watched_object|trigger_source|activity_type|verdict|mail_state|hash|created_at|name_kept|step_id|item_key|occurrence|error_class|owner|day|sealed_with|identifier|type|customer_id|subscription_id|external_id|failure_events)$/
  const leaveAlone = new Set(['account', 'backup_run', 'lease'])
  const texts = columnsOf(world.client).filter(
    ({ table, column, type }) => type === 'text' && !leaveAlone.has(table) && !keep.test(column),
  )
  let planted = 0
  for (const { table, column } of texts) {
    // Where the text is JSON it stays JSON.
    const first = sql.prepare(`SELECT ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`).get() as
      | { text: string }
      | undefined
    const json = first !== undefined && /^[[{]/.test(first.text)
    const value = json
      ? first.text.startsWith('[')
        ? '["canary"]'
        : '{"canary":"canary"}'
      : 'https://canary.example/canary'
    try {
      sql.prepare(`UPDATE ${onServer ? '' : 'OR IGNORE '}${table} SET ${column} = ?`).run(value)
      planted += 1
    } catch (error) {
      // A column of unique values, or of a few words: PostgreSQL leaves out no single row.
      expect(error).toMatchObject({ code: expect.stringMatching(/^23/) })
    }
  }
  return planted
}

describe('the button', () => {
  test('signs everybody out of one account, and nobody out of others', async () => {
    expect(await press({ intent: 'end_sessions', account: LEEDS.uuid })).toEqual({
      status: 303,
      to: HOME,
      says: 'One browser was signed out',
    })
    expect(await app.store.accounts.listSessions(LEEDS.uuid)).toEqual([])
    expect(await app.store.accounts.listSessions(BRISBANE.uuid)).toHaveLength(1)
    expect((await audit(LEEDS.uuid))[0]).toMatchObject({
      action: 'sessions.ended',
      detail: { count: 1, asked: expect.stringContaining('operator') },
    })
    expect((await press({ intent: 'end_sessions', account: LEEDS.uuid })).says).toBe('Nobody was signed in')
  })

  test('does nothing for what is not there', async () => {
    expect((await press({ intent: 'end_sessions', account: 'nobody' })).says).toBe('Nothing was changed')
    expect((await press({ intent: 'erase', account: LEEDS.uuid })).says).toBe('Nothing was changed')
  })
})

test('what is overdue is read of all accounts, also those of other instances', async () => {
  const { ops } = app.store
  const oldestDueSince = world.clock.now() - 12 * 60_000
  const readBacklog: typeof ops.readBacklog = async (...given) => ({
    ...(await ops.readBacklog(...given)),
    oldestDueSince,
  })
  app.store = { ...app.store, ops: { ...ops, readBacklog } }
  const path = `/api/operator?accountUUID=${BRISBANE.uuid}`
  const answer = await call(argsOf(path, 'operator', undefined, { 'x-admin-mode': 'true' }))
  expect(await answer.json()).toMatchObject({ fine: false, delivering: { oldestDueAgeMs: 12 * 60_000 } })
})

test('the call answers the same facts, and refuses as calls do', async () => {
  const path = `/api/operator?accountUUID=${BRISBANE.uuid}`
  const answer = await call(argsOf(path, 'operator', undefined, { 'x-admin-mode': 'true' }))
  expect(await answer.json()).toMatchObject({
    fine: true,
    sentence: 'Everything is fine: nothing is overdue.',
    delivering: {
      ready: true,
      oldestDueAgeMs: 0,
      instances: { members: 3 },
      loops: [{ name: 'Deliveries', state: 'turning' }, {}],
    },
    accounts: { count: 2, pages: 1 },
    machine: { node: 'v20.20.0', startedAt: expect.stringMatching(/Z$/) },
  })
  const statuses = await Promise.all([
    call(argsOf(path, 'operator')),
    call(argsOf(path, null)),
    call(argsOf(path, 'other', undefined, { 'x-admin-mode': 'true' })),
    call(argsOf('/api/operator', 'operator', undefined, { 'x-admin-mode': 'true' })),
  ])
  expect(statuses.map(({ status }) => status)).toEqual([403, 401, 404, 400])
})

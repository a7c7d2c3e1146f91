import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import type { App } from '#app/app-context.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { BRISBANE, LEEDS, ORIGIN, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { decideNamedAs } from './account-id.ts'
import { eraseAccount, finishErasures } from './erase-account.server.ts'
import { ERASED, isNameTyped, LAST_EFFECTS_END, nameToType } from './erasure.ts'
import { exportAccount } from './export-account.server.ts'
import { exportFileName, withoutCapabilities } from './export.ts'

let world: WebhookWorld
let woken: number[]
let rulesChanged: number
let app: Parameters<typeof eraseAccount>[0]

beforeEach(async () => {
  world = await openWebhookWorld()
  woken = []
  rulesChanged = 0
  app = {
    ...world.app,
    wakeDeliveries: (id) => woken.push(id),
    wakeRuns: () => undefined,
    rulesChanged: () => {
      rulesChanged += 1
    },
  } as Pick<App, keyof typeof app>
})
afterEach(() => world.close())

const SECRET = 'nobody-may-read-this'

/** Rows of all kinds. Gives the token of the account's platform address. */
async function live(accountUuid: string): Promise<{ token: string; endpointId: number }> {
  const { store, clock, secrets } = world.app
  const at = clock.now()
  const token = newToken()
  const subscription = await store.beginSubscription(accountUuid, {
    object: 'job',
    fields: 'status',
    tokenHash: hashToken(token),
    tokenSealed: secrets.seal(`subscription|${accountUuid}|token`, token),
    at,
  })
  const { endpointId } = await store.saveWebhook(accountUuid, {
    objectType: 'job',
    fields: '',
    url: 'https://receiver.example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: secrets.seal(`endpoint|${accountUuid}|secret`, SECRET),
    subscription: { id: subscription, fields: 'status', replacedUntil: at },
    at,
  })
  await store.saveForwardingRule(accountUuid, {
    name: 'Second address',
    objectType: 'job',
    url: 'https://second.example.com/in?their=own',
    fieldFilter: '',
    active: true,
    secretSealed: 'sealed-second',
    subscription: null,
    at,
  })
  await store.saveCredential(accountUuid, {
    accessTokenSealed: secrets.seal(`credential|${accountUuid}|access_token`, SECRET),
    refreshTokenSealed: secrets.seal(`credential|${accountUuid}|refresh_token`, SECRET),
    expiresAt: at + hours(1),
    scope: 'vendor read_jobs',
  })
  const definition = {
    description: '',
    trigger: { source: 'webhook', object: 'job', event: 'job_created' },
    conditions: [],
    grouping: null,
    steps: [],
    once: 'record',
    guards: {},
  }
  const automation = await store.createAutomation(accountUuid, {
    name: 'Thank you',
    definition: definition as never,
    active: true,
    nextRunAt: null,
    baselined: true,
    triggerKey: { hash: `key-${accountUuid}`, sealed: 'sealed-key' },
    at,
  })
  const wish = {
    automationId: automation,
    version: 1,
    source: 'webhook',
    object: 'job',
    recordUuids: ['job-1'],
    groupKey: null,
    triggerData: { source: 'webhook' } as never,
    ledger: [{ recordUuid: 'job-1', occurrence: 'x', expiresAt: null }],
    hop: 0,
    wakeAt: at,
    held: null,
    replayOf: null,
  } as const
  await store.startRuns(accountUuid, [wish], at)
  await store.mapAccountId(`ext-${accountUuid}`, accountUuid, 50, decideNamedAs)
  await store.saveMute(accountUuid, { kind: 'company', recordUuid: 'company-1', until: null, name: 'Mrs Jones' }, at)
  await store.saveMailChoice(accountUuid, { byMail: true, email: 'owner@example.com' }, at)
  await store.saveAccountGuards(accountUuid, {} as never, at, { by: null, words: 'Quiet hours changed.' })
  await store.ensurePlan(accountUuid, hours(24), at)
  await store.openSession({
    tokenHash: `session-${accountUuid}`,
    expiresAt: at + hours(9),
    account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: at },
    replaces: [],
    carryProofsSince: 0,
  })
  for (let n = 0; n < 3; n += 1) await event(accountUuid, subscription, n)
  await store.recordApiActivity({
    accountUuid,
    activityType: 'api_call',
    endpoint: '/api_1.0/job.json',
    method: 'GET',
    requestData: null,
    responseData: null,
    statusCode: 200,
    userAgent: null,
    remoteIp: null,
    durationMs: 1,
  })
  await store.appendAudit({
    at,
    accountUuid,
    actor: 'session',
    staffUuid: null,
    action: 'sign_in',
    target: '',
    outcome: 'done',
    ip: null,
    detail: {},
  })
  return { token, endpointId }
}

function event(accountUuid: string, subscriptionId: number, n: number) {
  return world.app.store.acceptEvents(
    [
      {
        accountUuid,
        subscriptionId,
        source: 'object',
        object: 'job',
        objectUuid: `job-${n}`,
        changedFields: ['status'],
        receivedAt: world.clock.now(),
        dedupe: `${accountUuid}-${n}`,
        body: `{"resource_url":"https://api.example.com","n":${n}}`,
      },
    ],
    {
      choose: chooseEndpoints,
      limit: { deliveries: 1_000, bytes: 1_000_000 },
      retryFor: hours(72),
      stoppedReason: 'stopped',
    },
  )
}

/** Pauses between its steps pass as fast as they are asked for. */
async function finish(given = app): Promise<void> {
  let over = false
  const done = finishErasures(given).finally(() => {
    over = true
  })
  while (!over) {
    world.clock.advance(20)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
}

/** Rows by table that name the account, or hang on one that does. */
function rowsOf(accountUuid: string): Record<string, number> {
  const { sql } = world.client
  const tables = sql
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\'")
    .pluck()
    .all() as string[]
  const counts = tables.flatMap((table) => {
    const columns = sql.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[]
    const column = columns.find((name) => name === 'account_uuid') ?? (table === 'account' ? 'uuid' : null)
    if (column === null) return []
    const n = sql.prepare(`SELECT count(*) FROM "${table}" WHERE "${column}" = ?`).pluck().get(accountUuid) as number
    return n > 0 ? [[table, n] as const] : []
  })
  return Object.fromEntries(counts)
}

test('the name has to be typed, and of an account without one its uuid', () => {
  const account = { uuid: 'u-1', name: ' Leeds  Electrical ' }
  expect(nameToType(account)).toBe('Leeds  Electrical')
  expect(isNameTyped('leeds electrical ', account)).toBe(true)
  expect(isNameTyped('Leeds', account)).toBe(false)
  expect(isNameTyped('', { uuid: 'u-1', name: '' })).toBe(false)
  expect(isNameTyped('u-1', { uuid: 'u-1', name: '' })).toBe(true)
})

describe('erasing an account', () => {
  it('does nothing without its name', async () => {
    await live(LEEDS)
    const before = rowsOf(LEEDS)
    expect(await eraseAccount(app, LEEDS, 'Brisbane Plumbing')).toEqual({ outcome: 'wrong_name' })
    expect(rowsOf(LEEDS)).toEqual(before)
    expect(await world.app.store.erasuresUnderWay()).toEqual([])
  })

  it('stops everything at once', async () => {
    const { store } = world.app
    const { token, endpointId } = await live(LEEDS)
    expect(await eraseAccount(app, LEEDS, 'Leeds Electrical')).toEqual({ outcome: 'begun' })
    expect(await store.listWebhooks(LEEDS)).toEqual([])
    expect(await store.listForwardingRules(LEEDS)).toEqual([])
    expect(await store.listAutomations(LEEDS)).toEqual([])
    expect(await store.findAutomationByTriggerKey(`key-${LEEDS}`)).toBeNull()
    expect(await store.dueRuns(world.clock.now(), 10)).toEqual([])
    expect(await store.findSessions([`session-${LEEDS}`])).toEqual([])
    expect(await store.resolveAccountId(`ext-${LEEDS}`)).toBeNull()
    expect(await store.findIngress(hashToken(token))).toMatchObject({ state: 'deleted' })
    expect(await store.adoptEndpoint(endpointId, 0)).toBeNull()
    expect(woken).toContain(endpointId)
    expect(rulesChanged).toBe(1)
    expect(await eraseAccount(app, LEEDS, 'Leeds Electrical')).toEqual({ outcome: 'under_way' })
  })

  it('leaves rows alone until nothing is under way, then removes all but what has to stay', async () => {
    const { store } = world.app
    await live(LEEDS)
    await live(BRISBANE)
    const others = rowsOf(BRISBANE)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    await finish()
    expect(rowsOf(LEEDS)).toMatchObject({ event: 3, delivery: 6, run: 1 })
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(rowsOf(LEEDS)).toEqual({ audit_entry: 1, plan: 1, usage_day: expect.any(Number) })
    expect(rowsOf(BRISBANE)).toEqual(others)
    expect(await store.erasuresUnderWay()).toEqual([])
    expect(world.client.sql.pragma('foreign_key_check')).toEqual([])
    // The trial is not given twice.
    expect(await store.findPlan(LEEDS)).not.toBeNull()
    expect(await store.findAccount(LEEDS)).toBeNull()
  })

  it('removes the key last: what was sealed with it opens nowhere any more', async () => {
    await live(LEEDS)
    const keys = world.client.sql.prepare('SELECT count(*) FROM account_key WHERE account_uuid = ?').pluck()
    await world.client.sql
      .prepare("INSERT OR IGNORE INTO account_key (account_uuid, sealed_with, key_sealed, created_at) VALUES (?, 'k1', 'x', 0)")
      .run(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    expect(keys.get(LEEDS)).toBe(1)
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(keys.get(LEEDS)).toBe(0)
  })

  it('tells the platform, and only about its own addresses', async () => {
    const { token } = await live(LEEDS)
    const { platform } = world
    const subscribe = (callbackUrl: string) =>
      platform.api.subscribeObject('access-token', { object: 'job', fields: ['status'], callbackUrl })
    platform.challenge = async () => true
    await subscribe(`${ORIGIN}/hooks/platform/${token}`)
    await subscribe(`${ORIGIN}/hooks/platform/${newToken()}`)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    const left = await platform.api.listSubscriptions('access-token')
    expect(left.outcome === 'ok' && left.value.map(({ callbackUrl, active }) => [callbackUrl.includes(token), active])).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('goes on answering 410 where the platform could not be told, and keeps nothing else', async () => {
    const { store } = world.app
    const { token } = await live(LEEDS)
    world.connected.delete(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(await store.findIngress(hashToken(token))).toMatchObject({ state: 'deleted' })
    expect(await store.findAccount(LEEDS)).toEqual({ uuid: LEEDS, name: '', timezone: 'UTC' })
    expect(rowsOf(LEEDS)).toEqual({ account: 1, subscription: 1, audit_entry: 1, plan: 1, usage_day: expect.any(Number) })
    const [row] = await store.listSubscriptions(LEEDS)
    expect(row).toMatchObject({ tokenSealed: '', platformUuid: null, stateReason: null, state: 'deleted' })
    expect(await store.accountsToReconcile()).not.toContain(LEEDS)
  })

  it('goes on after a crash in between', async () => {
    await live(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await world.app.store.eraseHistoryStep(LEEDS, 2)
    await finish({ ...app })
    expect(rowsOf(LEEDS).event).toBeUndefined()
  })

  it('that fails for one account goes on with the next, and is tried again', async () => {
    await live(LEEDS)
    await live(BRISBANE)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    await eraseAccount(app, BRISBANE, 'Brisbane Plumbing')
    world.clock.advance(LAST_EFFECTS_END)
    const store = {
      ...world.app.store,
      eraseHistoryStep: (uuid: string, limit: number) =>
        uuid === LEEDS ? Promise.reject(new Error('disk')) : world.app.store.eraseHistoryStep(uuid, limit),
    }
    await finish({ ...app, store })
    expect((await world.app.store.erasuresUnderWay()).map(({ accountUuid }) => accountUuid)).toEqual([LEEDS])
    await finish()
    expect(await world.app.store.erasuresUnderWay()).toEqual([])
  })

  it('comes back as new when somebody signs in again', async () => {
    await live(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    await world.app.store.ensureAccount({ uuid: LEEDS, name: 'Leeds Electrical', timezone: 'Europe/London' })
    await live(LEEDS)
    expect(await world.app.store.listWebhooks(LEEDS)).toHaveLength(1)
  })

  it('says on what was stopped why it was', async () => {
    await live(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    const reasons = world.client.sql.prepare('SELECT DISTINCT reason FROM run WHERE account_uuid = ?').pluck().all(LEEDS)
    expect(reasons).toEqual([ERASED])
  })
})

describe('the copy of everything', () => {
  async function text(accountUuid: string): Promise<string> {
    const pieces = await exportAccount(world.app, accountUuid)
    let whole = ''
    for await (const piece of pieces ?? []) whole += piece
    return whole
  }

  it('is one JSON text with all of it, and nothing secret', async () => {
    const { token } = await live(LEEDS)
    await live(BRISBANE)
    const whole = await text(LEEDS)
    const copy = JSON.parse(whole)
    expect(copy).toMatchObject({
      format: { name: 'Fieldhook export', version: 1 },
      exportedAt: '2026-01-05T09:00:00.000Z',
      account: { uuid: LEEDS, name: 'Leeds Electrical' },
      connection: { state: 'connected', scopes: 'vendor read_jobs' },
      plan: { status: 'trial' },
      webhooks: [{ objectType: 'job', address: { url: 'https://receiver.example.com/in' } }],
      forwardingRules: [{ name: 'Second address', address: { url: 'https://second.example.com/in?their=own' } }],
      automations: [{ name: 'Thank you', hasTriggerAddress: true }],
      templates: [],
      mutes: [{ kind: 'company', name: 'Mrs Jones' }],
      auditLog: [{ action: 'sign_in' }],
    })
    expect(copy.events).toHaveLength(3)
    expect(copy.runs).toHaveLength(1)
    expect(whole).not.toMatch(/[sS]ealed|nobody-may-read|session-|key-/)
    expect(whole).not.toContain(token)
    expect(whole).not.toContain(hashToken(token))
    expect(whole).not.toContain(BRISBANE)
  })

  it('is read a few rows at a time, each once, however many there are', async () => {
    const { store } = world.app
    await live(LEEDS)
    for (let n = 10; n < 75; n += 1) await event(LEEDS, 1, n)
    const asked: number[] = []
    const watched: typeof store = {
      ...store,
      listEventLog: async (uuid, query) => {
        const rows = await store.listEventLog(uuid, query)
        asked.push(rows.length)
        return rows
      },
    }
    const pieces = await exportAccount({ ...world.app, store: watched }, LEEDS)
    let whole = ''
    for await (const piece of pieces ?? []) whole += piece
    const seqs = (JSON.parse(whole).events as { seq: number }[]).map(({ seq }) => seq)
    expect(new Set(seqs).size).toBe(68)
    expect(Math.max(...asked)).toBe(20)
  })

  it('there is none of an account that does not exist', async () => {
    expect(await exportAccount(world.app, 'nobody')).toBeNull()
  })

  it.each([
    ['https://h.example/hooks/platform/abcdefghijklmnopqrstuvwxyz', 'https://h.example/hooks/platform/[left out]'],
    ['https://h.example/documents/abcdefghijklmnop.qrs-tuv', 'https://h.example/documents/[left out]'],
    ['/api/automation/5/trigger?key=abcdefghijklmnopqrst', '/api/automation/5/trigger?key=[left out]'],
    ['whsec_abcdefghijkl', '[left out]'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [left out]'],
    ['https://hooks.zapier.com/hooks/catch/1/2', 'https://hooks.zapier.com/hooks/catch/1/2'],
  ])('%s leaves as %s', (given, left) => {
    expect(withoutCapabilities(given)).toBe(left)
  })

  it('has a name that every computer takes', () => {
    expect(exportFileName('Jones & Söhne "Ltd"', '2026-01-05T09:00:00Z')).toBe('fieldhook-jones-s-hne-ltd-2026-01-05.json')
    expect(exportFileName('', '2026-01-05T09:00:00Z')).toBe('fieldhook-account-2026-01-05.json')
  })
})

import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { minutes } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { aRule } from '#tests/support/automation-world.server.ts'
import { live } from '#tests/support/full-account.ts'
import { aboutTheFile, columnsOf, onServer } from '#tests/support/test-app.server.ts'
import { BRISBANE, LEEDS, ORIGIN, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { eraseAccount, finishErasures } from './erase-account.server.ts'
import { isNameTyped, LAST_EFFECTS_END, nameToType } from './erasure.ts'

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

/** Pauses between its steps pass as fast as they are asked for. */
async function finish(given = app): Promise<void> {
  let over = false
  const done = finishErasures(given, async () => true).finally(() => {
    over = true
  })
  while (!over) {
    world.clock.advance(20)
    // A server answers at its own time, in which this clock must not run for minutes.
    await new Promise((resolve) => (onServer ? setTimeout(resolve, 5) : setImmediate(resolve)))
  }
  await done
}

/** Rows by table that name the account, or hang on one that does. */
function rowsOf(accountUuid: string): Record<string, number> {
  const { sql } = world.client
  const naming = columnsOf(world.client).filter(
    ({ table, column }) => column === (table === 'account' ? 'uuid' : 'account_uuid'),
  )
  const counts = naming.flatMap(({ table, column }) => {
    const n = sql.prepare(`SELECT count(*) FROM "${table}" WHERE "${column}" = ?`).pluck().get(accountUuid) as number
    return n > 0 ? [[table, n] as const] : []
  })
  return Object.fromEntries(counts)
}

const aTemplate = {
  ...{ name: 'Thanks', description: '', category: 'communication' as const },
  definition: aRule([]),
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
    await live(world, LEEDS)
    const before = rowsOf(LEEDS)
    expect(await eraseAccount(app, LEEDS, 'Brisbane Plumbing')).toEqual({ outcome: 'wrong_name' })
    expect(rowsOf(LEEDS)).toEqual(before)
    expect(await world.app.store.accounts.erasuresUnderWay()).toEqual([])
  })

  it('stops everything at once', async () => {
    const { store } = world.app
    const { token, endpointId } = await live(world, LEEDS)
    const draft = () => store.drafts.findFormDraft(LEEDS, hashToken(`draft-${LEEDS}`), world.clock.now())
    expect(await draft()).not.toBeNull()
    expect(await eraseAccount(app, LEEDS, 'Leeds Electrical')).toEqual({ outcome: 'begun' })
    expect(await store.endpoints.listEndpoints(LEEDS, 'webhook')).toEqual([])
    expect(await store.endpoints.listEndpoints(LEEDS, 'extra')).toEqual([])
    expect(await store.automations.listAutomations(LEEDS)).toEqual([])
    expect(await store.automations.findAutomationByTriggerKey(`key-${LEEDS}`)).toBeNull()
    expect(await store.runs.dueRuns(world.clock.now(), { limit: 10, perAccount: 10 })).toEqual([])
    expect(await store.accounts.findSessions([`session-${LEEDS}`])).toEqual([])
    expect(await draft()).toBeNull()
    expect(await store.accounts.resolveAccountId(`ext-${LEEDS}`)).toBeNull()
    expect(await store.events.findIngress(hashToken(token))).toMatchObject({ state: 'deleted' })
    expect(await store.deliveries.adoptEndpoints([endpointId], 0)).toEqual([null])
    expect(woken).toContain(endpointId)
    expect(rulesChanged).toBe(1)
    expect(await eraseAccount(app, LEEDS, 'Leeds Electrical')).toEqual({ outcome: 'under_way' })
  })

  it('leaves rows alone until nothing is under way, then removes all but what has to stay', async () => {
    const { store } = world.app
    await live(world, LEEDS)
    await live(world, BRISBANE)
    const others = rowsOf(BRISBANE)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    await finish()
    expect(rowsOf(LEEDS)).toMatchObject({ event: 3, delivery: 6, run: 1 })
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(rowsOf(LEEDS)).toEqual({ audit_entry: 1, plan: 1, usage_day: expect.any(Number) })
    expect(rowsOf(BRISBANE)).toEqual(others)
    expect(await store.accounts.erasuresUnderWay()).toEqual([])
    if (!onServer) expect(world.client.sql.pragma('foreign_key_check')).toEqual([])
    // The trial is not given twice.
    expect(await store.billing.findPlan(LEEDS)).not.toBeNull()
    expect(await store.accounts.findAccount(LEEDS)).toBeNull()
  })

  it('leaves neither its private templates nor their count of uses to the next one', async () => {
    const { templates } = world.app.store
    await live(world, LEEDS)
    const input = { ...aTemplate, isPublic: false }
    const erased = await templates.createTemplate(LEEDS, input, 0)
    for (let use = 0; use < 3; use++) await templates.countTemplateUse(erased)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(await templates.listTemplates(LEEDS)).toEqual([])
    const next = await templates.createTemplate(BRISBANE, input, 0)
    expect((await templates.templateUses()).get(next)).toBeUndefined()
  })

  it('leaves its public templates, as of no account', async () => {
    const { templates } = world.app.store
    await live(world, LEEDS)
    await templates.createTemplate(LEEDS, { ...aTemplate, isPublic: true }, 0)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(rowsOf(LEEDS)).toEqual({ audit_entry: expect.any(Number), plan: 1, usage_day: expect.any(Number) })
    expect(await templates.listTemplates(BRISBANE)).toMatchObject([{ name: 'Thanks', accountUuid: '' }])
  })

  it('removes the key last: what was sealed with it opens nowhere any more', async () => {
    await live(world, LEEDS)
    const keys = world.client.sql.prepare('SELECT count(*) FROM account_key WHERE account_uuid = ?').pluck()
    await world.client.sql
      .prepare(
        "INSERT INTO account_key (account_uuid, sealed_with, key_sealed, created_at) VALUES (?, 'k1', 'x', 0) ON CONFLICT DO NOTHING",
      )
      .run(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    expect(keys.get(LEEDS)).toBe(1)
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(keys.get(LEEDS)).toBe(0)
  })

  it('tells the platform, and only about its own addresses', async () => {
    const { token } = await live(world, LEEDS)
    const { platform } = world
    const api = platform.apiOf(LEEDS)
    const subscribe = (callbackUrl: string) =>
      api.subscribeObject('access-token', { object: 'job', fields: ['status'], callbackUrl })
    platform.challenge = async () => true
    await subscribe(`${ORIGIN}/hooks/platform/${token}`)
    await subscribe(`${ORIGIN}/hooks/platform/${newToken()}`)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    const left = await api.listSubscriptions('access-token')
    expect(
      left.outcome === 'ok' && left.value.map(({ callbackUrl, active }) => [callbackUrl.includes(token), active]),
    ).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('goes on answering 410 where the platform could not be told, and keeps nothing else', async () => {
    const { store } = world.app
    const { token } = await live(world, LEEDS)
    world.connected.delete(LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    expect(await store.events.findIngress(hashToken(token))).toMatchObject({ state: 'deleted' })
    expect(await store.accounts.findAccount(LEEDS)).toEqual({ uuid: LEEDS, name: '', timezone: 'UTC' })
    expect(rowsOf(LEEDS)).toEqual({
      account: 1,
      subscription: 1,
      audit_entry: 1,
      plan: 1,
      usage_day: expect.any(Number),
    })
    const [row] = await store.endpoints.listSubscriptions(LEEDS)
    expect(row).toMatchObject({ tokenSealed: '', platformUuid: null, stateReason: null, state: 'deleted' })
    expect(await store.endpoints.accountsToReconcile()).not.toContain(LEEDS)
  })

  it('goes on after a crash in between', async () => {
    await live(world, LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await world.app.store.accounts.eraseHistoryStep(LEEDS, 2)
    await finish({ ...app })
    expect(rowsOf(LEEDS).event).toBeUndefined()
  })

  it('forgets no key when it dies just before it: the next minute removes it, where the platform was told and where not', async () => {
    const { store } = world.app
    const keys = world.client.sql.prepare('SELECT count(*) FROM account_key WHERE account_uuid = ?').pluck()
    for (const [account, name] of [
      [LEEDS, 'Leeds Electrical'],
      [BRISBANE, 'Brisbane Plumbing'],
    ] as const) {
      await live(world, account)
      world.client.sql
        .prepare(
          "INSERT INTO account_key (account_uuid, sealed_with, key_sealed, created_at) VALUES (?, 'k1', 'x', 0) ON CONFLICT DO NOTHING",
        )
        .run(account)
      await eraseAccount(app, account, name)
    }
    world.connected.delete(BRISBANE)
    world.clock.advance(LAST_EFFECTS_END)
    await finish({ ...app, store: withMethods(store, { forgetAccountKey: () => Promise.reject(new Error('power')) }) })
    expect([keys.get(LEEDS), keys.get(BRISBANE)]).toEqual([1, 1])
    expect(await store.accounts.erasuresUnderWay()).toHaveLength(2)
    await finish()
    expect([keys.get(LEEDS), keys.get(BRISBANE)]).toEqual([0, 0])
    expect(await store.accounts.erasuresUnderWay()).toEqual([])
    expect([await store.accounts.findAccount(LEEDS), await store.accounts.findAccount(BRISBANE)]).toEqual([
      null,
      { uuid: BRISBANE, name: '', timezone: 'UTC' },
    ])
  })

  it.skipIf(aboutTheFile('its log'))('ends when the log of the file is empty, not while somebody reads', async () => {
    await live(world, LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    const other = openClient(world.client.sql.name, 'db/migrations')
    const reading = other.sql.prepare('SELECT seq FROM event').iterate()
    reading.next()
    await finish()
    expect(await world.app.store.accounts.erasuresUnderWay()).toHaveLength(1)
    reading.return?.()
    other.close()
    await finish()
    expect(await world.app.store.accounts.erasuresUnderWay()).toEqual([])
    expect((await world.app.store.ops.spaceUsed()).walBytes).toBeLessThan(50_000)
  })

  it.skipIf(aboutTheFile('its log'))('ends after an hour of somebody who never stops reading', async () => {
    const { store } = world.app
    await live(world, LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    const other = openClient(world.client.sql.name, 'db/migrations')
    const reading = other.sql.prepare('SELECT seq FROM event').iterate()
    reading.next()
    let ends = 0
    const endErasure: typeof store.accounts.endErasure = (...asked) => {
      ends++
      return store.accounts.endErasure(...asked)
    }
    const given = { ...app, store: withMethods(store, { endErasure }) }
    await finish(given)
    world.clock.advance(minutes(1))
    await finish(given)
    expect([ends, await store.accounts.erasuresUnderWay()]).toEqual([1, [expect.anything()]])
    world.clock.advance(minutes(60))
    await finish(given)
    reading.return?.()
    other.close()
    expect([ends, await store.accounts.erasuresUnderWay()]).toEqual([1, []])
    expect(rowsOf(LEEDS).audit_entry).toBe(1)
  })

  it('that fails for one account goes on with the next, and is tried again', async () => {
    await live(world, LEEDS)
    await live(world, BRISBANE)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    await eraseAccount(app, BRISBANE, 'Brisbane Plumbing')
    world.clock.advance(LAST_EFFECTS_END)
    const store = withMethods(world.app.store, {
      eraseHistoryStep: (uuid: string, limit: number) =>
        uuid === LEEDS ? Promise.reject(new Error('disk')) : world.app.store.accounts.eraseHistoryStep(uuid, limit),
    })
    await finish({ ...app, store })
    expect((await world.app.store.accounts.erasuresUnderWay()).map(({ accountUuid }) => accountUuid)).toEqual([LEEDS])
    await finish()
    expect(await world.app.store.accounts.erasuresUnderWay()).toEqual([])
  })

  it('comes back as new when somebody signs in again', async () => {
    await live(world, LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    world.clock.advance(LAST_EFFECTS_END)
    await finish()
    await world.app.store.accounts.ensureAccount({ uuid: LEEDS, name: 'Leeds Electrical', timezone: 'Europe/London' })
    await live(world, LEEDS)
    expect(await world.app.store.endpoints.listEndpoints(LEEDS, 'webhook')).toHaveLength(1)
  })

  it('says on what was stopped why it was', async () => {
    await live(world, LEEDS)
    await eraseAccount(app, LEEDS, 'Leeds Electrical')
    const reasons = world.client.sql
      .prepare('SELECT DISTINCT reason_code FROM run WHERE account_uuid = ?')
      .pluck()
      .all(LEEDS)
    expect(reasons).toEqual(['account_erased'])
  })
})

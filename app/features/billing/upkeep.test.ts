import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { TurnError } from '#app/lib/in-turn.server.ts'
import { type BillingWorld, BRISBANE, billingWorld, LEEDS, NEVER_ABORTED } from '#tests/support/billing-world.server.ts'
import { startFirstPayment } from './first-payment.server.ts'
import { ensurePlan, findPlanNotice } from './plan.server.ts'
import { syncPlan } from './sync.server.ts'
import { judgeHolds, reconcilePlans, reportUsage } from './upkeep.server.ts'

const OWNER = { role: 'owner', staffUuid: null, freshAt: 0 } as const
let world: BillingWorld
beforeEach(() => {
  world = billingWorld()
})
afterEach(() => world.close())

async function paid(account = LEEDS) {
  const start = await startFirstPayment(world.app, account, { amount: 500 })
  if (start.outcome !== 'pay') throw new Error(start.message)
  world.payments.pay(start.clientSecret)
  world.payments.told.length = 0
}

const used = (account: string, day: number, kind: string, count: number) =>
  world.run('INSERT INTO usage_day (account_uuid, day, kind, count) VALUES (?, ?, ?, ?)', account, day, kind, count)
const judge = () => judgeHolds(world.app, NEVER_ABORTED)

describe('holds', () => {
  test('leave to a person what has waited for 72 hours, once a day, so that it does not pile up', async () => {
    world.run(
      `INSERT INTO automation (id, account_uuid, name, active, trigger_source, definition, version, baselined, execution_count, created_at, updated_at)
       VALUES (1, ?, 'r', 1, 'webhook', '{}', 1, 1, 0, 0, 0)`,
      LEEDS,
    )
    const due = (at: number) =>
      world.run(
        `INSERT INTO run (account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state, wake_at,
           hop, created_at) VALUES (?, 1, 1, 'webhook', 'job', '[]', '{}', 'queued', ?, 0, 0)`,
        LEEDS,
        at,
      )
    const states = () => world.rows('SELECT state FROM run ORDER BY id').map(({ state }) => state)
    await judge()
    world.clock.advance(days(17))
    await judge()
    due(world.clock.now() - hours(73))
    due(world.clock.now() - hours(40))
    await judge()
    expect(states()).toEqual(['queued', 'queued'])
    world.clock.advance(days(1))
    await judge()
    expect(states()).toEqual(['held', 'queued'])
    expect(await findPlanNotice(world.app, LEEDS, OWNER)).toMatchObject({ tone: 'held' })
    const member = { ...OWNER, role: 'member', staffUuid: 'staff-2' } as const
    expect(await findPlanNotice(world.app, LEEDS, member)).toMatchObject({ action: { label: 'See subscription' } })
  })

  test('begin three days after the trial, wake what is concerned, and end with the payment', async () => {
    world.run(
      `INSERT INTO endpoint (id, account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
         breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
       VALUES (7, ?, 'job', '', 'https://a.example.com', 'x', 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
      LEEDS,
    )
    await judge()
    expect(world.rows('SELECT account_uuid, status FROM plan ORDER BY account_uuid')).toEqual([
      { account_uuid: LEEDS, status: 'trial' },
      { account_uuid: BRISBANE, status: 'trial' },
    ])
    world.clock.advance(days(17) - 1)
    await judge()
    expect(await findPlanNotice(world.app, LEEDS, OWNER)).toMatchObject({ tone: 'attention' })
    expect(world.woken).toEqual({ endpoints: [], runs: 0 })
    world.clock.advance(1)
    await judge()
    expect(world.row('SELECT held_since, hold_reason FROM plan WHERE account_uuid = ?', LEEDS)).toEqual({
      held_since: world.clock.now(),
      hold_reason: 'trial_ended',
    })
    expect(world.woken).toEqual({ endpoints: [7], runs: 2 })
    await judge()
    expect(world.woken.endpoints).toEqual([7])
    await paid()
    await syncPlan(world.app, LEEDS)
    expect(world.row('SELECT held_since, hold_reason FROM plan WHERE account_uuid = ?', LEEDS)).toEqual({
      held_since: null,
      hold_reason: null,
    })
    expect(world.woken).toEqual({ endpoints: [7, 7], runs: 3 })
  })

  test('never begin where nobody can pay, and end when payments are switched off', async () => {
    await judge()
    world.clock.advance(days(40))
    await judge()
    expect(world.row('SELECT count(*) AS held FROM plan WHERE held_since IS NOT NULL')).toEqual({ held: 2 })
    const off = {
      ...world.app,
      payments: null,
      settings: { ...world.app.settings, payments: { mode: 'off' as const, publishableKey: null } },
    }
    await judgeHolds(off, NEVER_ABORTED)
    expect(world.row('SELECT count(*) AS held FROM plan WHERE held_since IS NOT NULL')).toEqual({ held: 0 })
    expect(await findPlanNotice(off, LEEDS, OWNER)).toBeNull()
  })

  test('where nobody can pay no trial is begun either', async () => {
    const payments = { mode: 'off' as const, publishableKey: null }
    const off = { ...world.app, payments: null, settings: { ...world.app.settings, payments } }
    await judgeHolds(off, NEVER_ABORTED)
    expect(world.rows('SELECT id FROM plan')).toEqual([])
  })

  test('leave runs that waited longer than 72 hours to a person, and the younger ones to the engine', async () => {
    await judge()
    world.clock.advance(days(20))
    await judge()
    world.run(
      `INSERT INTO automation (id, account_uuid, name, active, trigger_source, version, definition, baselined, execution_count,
         created_at, updated_at) VALUES (1, ?, 'Rule', 1, 'webhook', 1, '{}', 1, 0, 0, 0)`,
      LEEDS,
    )
    const run = (id: number, state: string, wakeAt: number) =>
      world.run(
        `INSERT INTO run (id, account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state, wake_at, hop,
           created_at) VALUES (?, ?, 1, 1, 'webhook', 'job', '[]', '{}', ?, ?, 0, 0)`,
        id,
        LEEDS,
        state,
        wakeAt,
      )
    run(1, 'queued', world.clock.now() - hours(73))
    run(2, 'queued', world.clock.now() - hours(71))
    run(3, 'waiting', world.clock.now() - hours(73))
    await paid()
    await syncPlan(world.app, LEEDS)
    expect(world.rows('SELECT id, state FROM run ORDER BY id')).toEqual([
      { id: 1, state: 'held' },
      { id: 2, state: 'queued' },
      { id: 3, state: 'held' },
    ])
    expect(world.row('SELECT reason, reason_code AS code FROM run WHERE id = 1')).toEqual({
      reason: null,
      code: 'too_old',
    })
  })
})

describe('the daily look', () => {
  test('reads every plan with a customer that was not read for most of a day, and goes on after a failure', async () => {
    await paid(LEEDS)
    await paid(BRISBANE)
    world.clock.advance(days(1))
    world.payments.failNext('unavailable', 1, 'listSubscriptions')
    await reconcilePlans(world.app, NEVER_ABORTED)
    expect(world.rows('SELECT status FROM plan ORDER BY account_uuid')).toEqual([
      { status: 'trial' },
      { status: 'active' },
    ])
    await reconcilePlans(world.app, NEVER_ABORTED)
    expect(world.rows('SELECT status FROM plan ORDER BY account_uuid')).toEqual([
      { status: 'active' },
      { status: 'active' },
    ])
    const asked = world.payments.calls.length
    await reconcilePlans(world.app, NEVER_ABORTED)
    expect(world.payments.calls).toHaveLength(asked)
  })

  test('goes on with the others when another instance still works on one plan', async () => {
    await paid()
    await paid(BRISBANE)
    world.clock.advance(days(2))
    const { store } = world.app
    const inTurn: typeof store.shared.inTurn = (key, work) =>
      key === `plan:${LEEDS}` ? Promise.reject(new TurnError('Please try again.')) : store.shared.inTurn(key, work)
    const app = { ...world.app, store: { ...store, shared: { ...store.shared, inTurn } } }
    await reconcilePlans(app, NEVER_ABORTED)
    expect(world.rows('SELECT status FROM plan ORDER BY account_uuid')).toEqual([
      { status: 'trial' },
      { status: 'active' },
    ])
    expect(await startFirstPayment(app, LEEDS, { amount: 500 })).toMatchObject({ outcome: 'refused', status: 503 })
  })

  test('forgets what was told long ago, but nothing that is still to be done', async () => {
    const { store, clock } = world.app
    await store.billing.beginPaymentEvent({ id: 'evt_done', type: 'invoice.paid', createdAt: 1 }, clock.now())
    await store.billing.endPaymentEvent('evt_done', clock.now())
    await store.billing.beginPaymentEvent({ id: 'evt_open', type: 'invoice.paid', createdAt: 1 }, clock.now())
    world.clock.advance(days(61))
    await reconcilePlans(world.app, NEVER_ABORTED)
    expect(world.rows('SELECT id FROM payment_event')).toEqual([{ id: 'evt_open' }])
  })
})

describe('use that is charged for', () => {
  const dayOf = (at: number) => Math.floor(at / days(1))
  const report = () => reportUsage(world.app, NEVER_ABORTED)

  test('is reported by whole days after the trial, each once', async () => {
    world.payments.overage = true
    await ensurePlan(world.app, LEEDS)
    const first = dayOf(world.clock.now())
    used(LEEDS, first, 'api_call', 1000)
    world.clock.advance(days(1))
    await paid()
    await syncPlan(world.app, LEEDS)
    used(LEEDS, first + 1, 'api_call', 500)
    used(LEEDS, first + 2, 'api_call', 20)
    used(LEEDS, first + 2, 'webhook_forwarded', 30)
    used(LEEDS, first + 2, 'duplicate', 7)
    used(LEEDS, first + 3, 'webhook_received', 60)
    used(BRISBANE, first + 2, 'api_call', 9)
    world.clock.advance(days(2))
    await report()
    await report()
    const identifier = `use-${LEEDS}-${first + 2}`
    expect(world.payments.reported).toEqual([{ identifier, count: 50, at: days(first + 3) - 1000 }])
    world.clock.advance(days(1))
    await report()
    expect(world.payments.reported.map(({ count }) => count)).toEqual([50, 60])
  })

  test('that could not be sent is sent later, as it was written down', async () => {
    world.payments.overage = true
    await paid()
    await syncPlan(world.app, LEEDS)
    const day = dayOf(world.clock.now()) + 1
    used(LEEDS, day, 'api_call', 20)
    world.clock.advance(days(2))
    world.payments.failNext('unavailable', 1, 'reportUse')
    await report()
    expect(world.rows('SELECT count, sent_at, failures FROM usage_report')).toEqual([
      { count: 20, sent_at: null, failures: 1 },
    ])
    world.run('UPDATE usage_day SET count = 99')
    await report()
    expect(world.payments.reported.map(({ count }) => count)).toEqual([20])
    expect(world.rows('SELECT sent_at FROM usage_report')).toEqual([{ sent_at: world.clock.now() }])
  })

  test('is nobody’s business without a price for it', async () => {
    await paid()
    await syncPlan(world.app, LEEDS)
    used(LEEDS, dayOf(world.clock.now()) + 1, 'api_call', 20)
    world.clock.advance(days(2))
    await report()
    expect(world.rows('SELECT * FROM usage_report')).toEqual([])
    expect(world.payments.reported).toEqual([])
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { days } from '#app/lib/duration.ts'
import { type BillingWorld, BRISBANE, billingWorld, LEEDS } from '#tests/support/billing-world.server.ts'

let world: BillingWorld
beforeEach(() => {
  world = billingWorld()
})
afterEach(() => world.close())

const store = () => world.app.store
const TRIAL = days(14)
const NOW = 1_700_000_000_000

describe('a plan', () => {
  test('is made once, also when two processes ask at once', async () => {
    const other = world.otherProcess().store
    const [one, two] = await Promise.all([
      store().billing.ensurePlan(LEEDS, TRIAL, NOW),
      other.billing.ensurePlan(LEEDS, TRIAL, NOW + 5),
    ])
    expect(two).toEqual(one)
    expect(world.rows('SELECT account_uuid FROM plan')).toEqual([{ account_uuid: LEEDS }])
  })

  test('is saved only over the state it was worked out from, all of it or nothing', async () => {
    const plan = await store().billing.ensurePlan(LEEDS, TRIAL, NOW)
    const saved = await store().billing.savePlan(
      LEEDS,
      plan.updatedAt,
      { status: 'active', cancelAtPeriodEnd: true },
      NOW,
    )
    expect(saved).toEqual({ ...plan, status: 'active', cancelAtPeriodEnd: true, updatedAt: NOW + 1 })
    expect(await store().billing.savePlan(LEEDS, plan.updatedAt, { status: 'canceled' }, NOW + 9)).toBeNull()
    expect(await store().billing.findPlan(LEEDS)).toEqual(saved)
    expect(await store().billing.savePlan(BRISBANE, NOW + 1, { status: 'canceled' }, NOW)).toBeNull()
  })

  test('of a change that saves nothing leaves no run to a person either', async () => {
    const plan = await store().billing.ensurePlan(LEEDS, TRIAL, NOW)
    world.run(
      `INSERT INTO automation (id, account_uuid, name, active, trigger_source, version, definition, baselined, execution_count,
         created_at, updated_at) VALUES (1, ?, 'Rule', 1, 'webhook', 1, '{}', 1, 0, 0, 0)`,
      LEEDS,
    )
    world.run(
      `INSERT INTO run (account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state, wake_at, hop,
         created_at) VALUES (?, 1, 1, 'webhook', 'job', '[]', '{}', 'queued', 5, 0, 0)`,
      LEEDS,
    )
    const release = { runsDueBefore: 10, reason: 'too old' }
    expect(await store().billing.savePlan(LEEDS, plan.updatedAt - 1, {}, NOW, release)).toBeNull()
    expect(world.row('SELECT state FROM run')).toEqual({ state: 'queued' })
    await store().billing.savePlan(LEEDS, plan.updatedAt, {}, NOW, release)
    expect(world.row('SELECT state, reason FROM run')).toEqual({ state: 'held', reason: 'too old' })
  })

  test('is found by its customer, and one customer is one account', async () => {
    const plan = await store().billing.ensurePlan(LEEDS, TRIAL, NOW)
    await store().billing.savePlan(LEEDS, plan.updatedAt, { customerId: 'cus_1' }, NOW)
    expect((await store().billing.findPlanOfCustomer('cus_1'))?.accountUuid).toBe(LEEDS)
    expect(await store().billing.findPlanOfCustomer('cus_2')).toBeNull()
    const other = await store().billing.ensurePlan(BRISBANE, TRIAL, NOW)
    await expect(store().billing.savePlan(BRISBANE, other.updatedAt, { customerId: 'cus_1' }, NOW)).rejects.toThrow(
      /unique/i,
    )
  })

  test('comes with the zone of its account, and outlives the account', async () => {
    await store().billing.ensurePlan(BRISBANE, TRIAL, NOW)
    expect(await store().billing.findPlanInZone(BRISBANE)).toMatchObject({ timezone: 'Australia/Brisbane' })
    world.run('DELETE FROM account WHERE uuid = ?', BRISBANE)
    expect(await store().billing.findPlanInZone(BRISBANE)).toMatchObject({ timezone: 'UTC' })
    expect(await store().billing.findPlanInZone(LEEDS)).toBeNull()
  })

  test('is made for every account that has none, and walked through in the order of accounts', async () => {
    await store().billing.ensurePlan(BRISBANE, TRIAL, NOW - 5)
    expect(await store().billing.beginMissingTrials(TRIAL, NOW)).toBe(1)
    expect(await store().billing.beginMissingTrials(TRIAL, NOW)).toBe(0)
    const all = await store().billing.plansAfter('', 10)
    expect(all.map(({ accountUuid, trialStartedAt }) => [accountUuid, trialStartedAt])).toEqual([
      [LEEDS, NOW],
      [BRISBANE, NOW - 5],
    ])
    expect((await store().billing.plansAfter(LEEDS, 10)).map(({ accountUuid }) => accountUuid)).toEqual([BRISBANE])
    expect(await store().billing.plansAfter('', 1)).toHaveLength(1)
  })
})

describe('events and renewals', () => {
  test('an event is to be worked on until that is done', async () => {
    const event = { id: 'evt_1', type: 'invoice.paid', createdAt: 1 }
    expect(await store().billing.beginPaymentEvent(event, NOW)).toBe(true)
    await store().billing.failPaymentEvent('evt_1', 'no answer')
    expect(await store().billing.beginPaymentEvent(event, NOW + 5)).toBe(true)
    await store().billing.endPaymentEvent('evt_1', NOW + 6)
    expect(await store().billing.beginPaymentEvent(event, NOW + 7)).toBe(false)
    await store().billing.failPaymentEvent('evt_1', 'too late')
    expect(world.row('SELECT received_at, processed_at, failures, error FROM payment_event')).toEqual({
      received_at: NOW,
      processed_at: NOW + 6,
      failures: 1,
      error: null,
    })
  })

  test('a renewal that was settled stays so, and only its own account can settle it', async () => {
    const plan = await store().billing.ensurePlan(LEEDS, TRIAL, NOW)
    await store().billing.savePlan(LEEDS, plan.updatedAt, { openRenewalId: 'pi_1' }, NOW)
    const payment = { paymentId: 'pi_1', amount: 500 }
    expect(await store().billing.noteRenewalPaid(LEEDS, payment, NOW)).toBe('paid')
    await expect(store().billing.noteRenewalPaid(BRISBANE, payment, NOW)).rejects.toThrow('another account')
    await store().billing.endRenewal(BRISBANE, 'pi_1', 'refunded', NOW)
    expect(await store().billing.renewalsToApply(10)).toEqual([{ accountUuid: LEEDS, paymentId: 'pi_1' }])
    await store().billing.endRenewal(LEEDS, 'pi_1', 'applied', NOW)
    expect(await store().billing.renewalsToApply(10)).toEqual([])
    expect(await store().billing.findPlan(LEEDS)).toMatchObject({ openRenewalId: null })
    await store().billing.endRenewal(LEEDS, 'pi_1', 'refunded', NOW)
    expect(await store().billing.noteRenewalPaid(LEEDS, payment, NOW)).toBe('applied')
  })

  test('the longest not read come first, and only those with a customer', async () => {
    for (const [account, customerId, lastSyncedAt] of [
      [LEEDS, 'cus_1', NOW - 5],
      [BRISBANE, 'cus_2', null],
    ] as const) {
      const plan = await store().billing.ensurePlan(account, TRIAL, NOW)
      await store().billing.savePlan(account, plan.updatedAt, { customerId, lastSyncedAt }, NOW)
    }
    await store().billing.ensurePlan('no-customer', TRIAL, NOW)
    expect(await store().billing.accountsToSync(NOW, 10)).toEqual([BRISBANE, LEEDS])
    expect(await store().billing.accountsToSync(NOW - 5, 10)).toEqual([BRISBANE])
    expect(await store().billing.accountsToSync(NOW, 1)).toEqual([BRISBANE])
  })
})

test('usage is summed by kind and by day, without free calls, other days and other accounts', async () => {
  const used = (account: string, day: number, kind: string, count: number) =>
    world.run('INSERT INTO usage_day (account_uuid, day, kind, count) VALUES (?, ?, ?, ?)', account, day, kind, count)
  used(LEEDS, 100, 'api_call', 2)
  used(LEEDS, 100, 'webhook_received', 3)
  used(LEEDS, 102, 'webhook_forwarded', 4)
  used(LEEDS, 102, 'free_call', 50)
  used(LEEDS, 103, 'api_call', 70)
  used(BRISBANE, 101, 'api_call', 90)
  expect(await store().billing.usageOfDays(LEEDS, 100, 103)).toEqual({
    apiCalls: 2,
    webhooksReceived: 3,
    webhooksForwarded: 4,
    total: 9,
    byDay: [
      { day: 100, count: 5 },
      { day: 102, count: 4 },
    ],
  })
  expect(await store().billing.usageOfDays(LEEDS, 104, 105)).toMatchObject({ total: 0, byDay: [] })
})

// An account that is not paid for: its deliveries wait, those of others do not, and a payment lets them go.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TRIAL } from '#app/domain/plan.ts'
import { trySave } from '#app/features/billing/change-plan.server.ts'
import { sendAgain, sendTest } from '#app/features/events/delivering/send-again.server.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { ADDRESS, anEvent, BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'

let world: EngineWorld
beforeEach(() => {
  world = engineWorld()
})
afterEach(() => world.close())

async function started() {
  const engine = world.engine({ beatMs: minutes(10) })
  engine.start()
  await world.clock.settle()
  const app = {
    ...world.app,
    settings: { ...world.app.settings, payments: { mode: 'stripe' as const, publishableKey: null } },
    wakeDeliveries: engine.wake,
    wakeRuns: () => {},
  }
  /** Says what a plan is from now on; the hold follows from it. */
  async function plan(status: string, trialEndsAt = world.clock.now() - days(4), account = LEEDS) {
    const known = await world.store.billing.ensurePlan(account, TRIAL, world.clock.now())
    expect(await trySave(app, known, { status, trialEndsAt })).not.toBeNull()
  }
  return { engine, app, plan }
}

const sentBodies = () => world.outbound.sent.map(({ body }) => JSON.parse(body).n)
const body = (n: number) => ({ body: `{"n":${n}}` })

test('nothing is sent for a held account; others go on; a payment sends what waits, oldest first', async () => {
  world.endpoint()
  world.endpoint({ account: BRISBANE })
  const { engine, plan } = await started()
  await engine.acceptEvent(anEvent(world, body(0)))
  await world.clock.run(seconds(1))
  await plan('trial')
  await world.idle()
  for (let n = 1; n < 6; n++) {
    await engine.acceptEvent(anEvent(world, body(n)))
    await engine.acceptEvent(anEvent(world, { accountUuid: BRISBANE, ...body(100 + n) }))
    await world.clock.run(minutes(1))
  }
  expect(sentBodies()).toEqual([0, 101, 102, 103, 104, 105])
  expect(world.row('SELECT pending_count FROM endpoint WHERE account_uuid = ?', LEEDS)).toEqual({ pending_count: 5 })
  await plan('active')
  await world.clock.run(seconds(1))
  expect(sentBodies().slice(6)).toEqual([1, 2, 3, 4, 5])
})

test('what is on its way when the hold begins ends, and opens nothing', async () => {
  world.endpoint()
  const { engine, plan } = await started()
  world.outbound.when(ADDRESS, () => ({ afterMs: seconds(5) }))
  for (let n = 0; n < 6; n++) await engine.acceptEvent(anEvent(world, body(n)))
  await world.clock.settle()
  const underWay = world.outbound.sent.length
  expect(underWay).toBeLessThan(6)
  await plan('canceled')
  await world.clock.run(hours(1))
  expect(world.outbound.sent).toHaveLength(underWay)
  expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: underWay })
  await plan('active')
  await world.clock.run(minutes(5))
  expect(world.row("SELECT count(*) AS n FROM delivery WHERE state = 'delivered'")).toEqual({ n: 6 })
})

test('a start finds the hold in the file, and an endpoint made later is held as well', async () => {
  const first = await started()
  await first.plan('unpaid')
  await first.engine.drain()
  world.endpoint()
  const { engine, plan } = await started()
  await engine.acceptEvent(anEvent(world, body(1)))
  await world.clock.run(minutes(5))
  expect(world.outbound.sent).toEqual([])
  await plan('active')
  await world.clock.run(seconds(1))
  expect(sentBodies()).toEqual([1])
})

test('asking for one by hand does not get around it; a test of the address does', async () => {
  const endpointId = world.endpoint()
  const { engine, app, plan } = await started()
  await engine.acceptEvent(anEvent(world, body(1)))
  await world.clock.run(seconds(1))
  await plan('canceled')
  const { id } = world.row('SELECT id FROM delivery')
  expect(await sendAgain(app, LEEDS, Number(id))).toMatchObject({ outcome: 'sent' })
  await world.clock.run(minutes(5))
  expect(sentBodies()).toEqual([1])
  const sample = { object: 'job', objectUuid: 'sample', changedFields: [], ...body(50) }
  const tested = await sendTest({ ...app, deliverNow: engine.deliverNow }, LEEDS, endpointId, sample)
  expect(tested).toMatchObject({ outcome: 'tested', success: true })
  expect(sentBodies()).toEqual([1, 50])
  await plan('active')
  await world.clock.run(seconds(5))
  expect(sentBodies().filter((n) => n === 1)).toHaveLength(2)
})

test('after 72 hours it is given up with the reason, can be sent again, and younger ones go', async () => {
  world.endpoint()
  const { engine, app, plan } = await started()
  await plan('trial')
  await engine.acceptEvent(anEvent(world, body(1)))
  await world.clock.run(hours(70))
  await engine.acceptEvent(anEvent(world, body(2)))
  await world.clock.run(hours(3))
  expect(world.rows('SELECT state, state_reason FROM delivery ORDER BY id')).toEqual([
    {
      state: 'expired',
      state_reason: 'Not delivered within 72 hours: the trial had ended. Send it again once you have subscribed.',
    },
    { state: 'pending', state_reason: null },
  ])
  await plan('active')
  await world.clock.run(seconds(1))
  expect(sentBodies()).toEqual([2])
  const { id } = world.row("SELECT id FROM delivery WHERE state = 'expired'")
  expect(await sendAgain(app, LEEDS, Number(id))).toMatchObject({ outcome: 'sent' })
  await world.clock.run(seconds(1))
  expect(sentBodies()).toEqual([2, 1])
})

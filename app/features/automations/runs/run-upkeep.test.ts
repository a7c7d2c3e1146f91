import { afterEach, beforeEach, expect, test } from 'vitest'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { type AutomationWorld, aRule, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import { forgetOldRuns } from './run-upkeep.server.ts'

let world: AutomationWorld
let rule: number
beforeEach(async () => {
  world = await automationWorld()
  rule = await world.rule(aRule([]))
})
afterEach(() => world.close())

/** Runs that ended at a moment. */
function ended(count: number, at: number): void {
  const insert = world.client.sql.prepare(
    `INSERT INTO run (account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state, outcome,
       wake_at, hop, created_at, ended_at)
     VALUES (?, ?, 1, 'poll', 'job', '[]', '{}', 'done', 'success', 0, 0, ?, ?)`,
  )
  world.client.sql.transaction(() => {
    for (let made = 0; made < count; made++) insert.run(LEEDS, rule, at, at)
  })()
}

function messages(...moments: number[]): void {
  const insert = world.client.sql.prepare(
    "INSERT INTO customer_message (account_uuid, automation_id, run_id, channel, receiver_hash, at) VALUES (?, ?, 1, 'sms', 'h', ?)",
  )
  for (const at of moments) insert.run(LEEDS, rule, at)
}

const count = (table: string) => Number(world.rows(`SELECT count(*) AS rows FROM ${table}`)[0]?.rows)

test('runs go after ninety days, messages when no cool-down asks for them, own writes after two hours', async () => {
  const now = world.clock.now()
  ended(450, now - days(91))
  ended(5, now - days(89))
  messages(now - days(401), now - days(365))
  const write = world.client.sql.prepare("INSERT INTO own_write VALUES (?, 'job', ?, 'status', 'x', 1, ?, 0, ?)")
  write.run(LEEDS, 'old', rule, now - minutes(121))
  write.run(LEEDS, 'young', rule, now - minutes(119))
  const done = forgetOldRuns(world.app)
  await world.clock.run(hours(1))
  await done
  expect([count('run'), count('customer_message'), count('own_write')]).toEqual([5, 1, 1])
})

test('it stops where it is when the process wants to end', async () => {
  ended(450, world.clock.now() - days(91))
  const ending = new AbortController()
  const done = forgetOldRuns(world.app, ending.signal)
  await world.clock.settle()
  ending.abort()
  await world.clock.run(minutes(1))
  await done
  expect(count('run')).toBe(250)
})

test('with an account that has been on hold for ninety days, what never ran goes too', async () => {
  const now = world.clock.now()
  ended(3, now - days(91))
  world.client.sql.exec("UPDATE run SET state = 'queued', outcome = NULL, ended_at = NULL")
  const forget = async () => {
    const done = forgetOldRuns(world.app)
    await world.clock.run(minutes(1))
    await done
  }
  await forget()
  expect(count('run')).toBe(3)
  await world.store.billing.ensurePlan(LEEDS, days(14), now)
  world.client.sql.prepare("UPDATE plan SET status = 'canceled', held_since = ?").run(now - days(89))
  await forget()
  expect(count('run')).toBe(3)
  world.client.sql.prepare('UPDATE plan SET held_since = ?').run(now - days(91))
  await forget()
  expect(count('run')).toBe(0)
})

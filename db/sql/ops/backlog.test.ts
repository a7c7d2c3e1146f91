import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { anEvent, BRISBANE, type EngineWorld, engineWorld, LEEDS } from '#tests/support/engine-world.server.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import { WAITING_FOR_RELEASE } from '../../hold.ts'
import { BACKLOG_QUERIES } from './backlog.server.ts'

let world: EngineWorld
let endpoint: number
beforeEach(() => {
  world = engineWorld()
  endpoint = world.endpoint()
})
afterEach(async () => {
  await world.close()
})

async function accepted(account = LEEDS): Promise<number> {
  const [answer] = await world.store.events.acceptEvents([anEvent(world, { accountUuid: account })], {
    choose: chooseEndpoints,
    limit: { deliveries: 50_000, bytes: 50_000_000 },
    retryFor: hours(72),
    stoppedReason: 'Stopped.',
  })
  const [delivery] = answer?.outcome === 'stored' ? answer.deliveries : []
  if (!delivery) throw new Error('no delivery was made')
  return delivery.id
}
const read = (inFlight: number[] = []) => world.store.ops.readBacklog(world.clock.now(), inFlight)
const set = (columns: string) => world.client.sql.prepare(`UPDATE endpoint SET ${columns} WHERE id = ?`).run(endpoint)

function holdAccount() {
  world.client.sql
    .prepare(
      `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt, held_since,
         created_at, updated_at) VALUES (?, 'trial', 0, 0, 0, 0, 1, 0, 0)`,
    )
    .run(LEEDS)
}

const NOTHING = { live: 0, replay: 0, by_hand: 0 }

describe('the oldest delivery that is due', () => {
  it('is told since when it is due, and nothing when nothing is', async () => {
    expect(await read()).toEqual({
      oldestDueSince: null,
      pending: NOTHING,
      held: NOTHING,
      oldestRunDueSince: null,
      oldestScheduleDueSince: null,
    })
    const first = world.clock.now()
    await accepted()
    world.clock.leap(seconds(30))
    await accepted()
    world.clock.leap(seconds(5))
    expect(await read()).toMatchObject({ oldestDueSince: first, pending: { ...NOTHING, live: 2 } })
  })

  it('is not one that is being sent at this moment, nor one that is due later', async () => {
    const first = await accepted()
    world.clock.leap(seconds(30))
    const later = world.clock.now()
    const second = await accepted()
    expect((await read([first])).oldestDueSince).toBe(later)
    world.client.sql.prepare('UPDATE delivery SET due_at = ? WHERE id = ?').run(later + 1, second)
    expect((await read([first])).oldestDueSince).toBeNull()
  })

  it.each([
    ['paused', "state = 'paused'"],
    ['stopped by its receiver', "state = 'stopped'"],
    ['without an address', "url = ''"],
    ['given a rest', "breaker = 'open', next_probe_at = 0"],
  ])('is none of an endpoint that is %s: that one is held', async (_, columns) => {
    await accepted()
    set(columns)
    expect(await read()).toMatchObject({ oldestDueSince: null, pending: NOTHING, held: { ...NOTHING, live: 1 } })
  })

  it('is none of an account that is held', async () => {
    await accepted()
    holdAccount()
    expect(await read()).toMatchObject({ oldestDueSince: null, held: { ...NOTHING, live: 1 } })
  })

  it('counts from the end of a wait that its receiver asked for', async () => {
    await accepted()
    const until = world.clock.now() + minutes(10)
    set(`hold_until = ${until}`)
    expect((await read()).oldestDueSince).toBeNull()
    world.clock.leap(minutes(11))
    expect((await read()).oldestDueSince).toBe(until)
  })
})

it('what waits is told by lane, and what a person asked for is not held by a pause', async () => {
  world.endpoint({ account: BRISBANE })
  const first = await accepted()
  await accepted(BRISBANE)
  await world.store.deliveries.retryDelivery(LEEDS, first, world.clock.now(), hours(72))
  set("state = 'paused'")
  expect(await read()).toMatchObject({
    pending: { live: 1, replay: 0, by_hand: 1 },
    held: { live: 1, replay: 0, by_hand: 0 },
  })
})

it('a release is told what it lets go: not what waits for its owner, too', async () => {
  const { sql } = world.client
  const waiting = () => sql.prepare<[], object>(WAITING_FOR_RELEASE).get()
  const again = await accepted()
  await accepted()
  const { automation } = sql
    .prepare<[string], { automation: number }>(
      `INSERT INTO automation (account_uuid, name, active, trigger_source, version, definition, baselined,
         execution_count, created_at, updated_at) VALUES (?, 'Rule', 1, 'webhook', 1, '{}', 1, 0, 0, 0)
       RETURNING id AS automation`,
    )
    .get(LEEDS) ?? { automation: 0 }
  for (const state of ['queued', 'running', 'waiting', 'held', 'done'])
    sql
      .prepare(
        `INSERT INTO run (account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state,
           wake_at, hop, created_at) VALUES (?, ?, 1, 'webhook', 'job', '[]', '{}', ?, 0, 0, 0)`,
      )
      .run(LEEDS, automation, state)
  expect(await waiting()).toEqual({ deliveries: 2, runs: 3 })
  await world.store.deliveries.retryDelivery(LEEDS, again, world.clock.now(), hours(72))
  set("state = 'paused'")
  expect(await waiting()).toEqual({ deliveries: 1, runs: 3 })
  holdAccount()
  expect(await waiting()).toEqual({ deliveries: 0, runs: 0 })
})

it.skipIf(aboutTheFile('plans of SQLite'))(
  'nothing is walked through that grows with the number of events or runs',
  () => {
    const plans = Object.entries(BACKLOG_QUERIES).map(([name, query]) => {
      const steps = world.client.sql
        .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`)
        .all({ now: 0, inFlight: '[]' })
      return [name, steps.map(({ detail }) => detail)] as const
    })
    for (const [name, steps] of plans) {
      const walks = steps.filter(
        (step) => /^SCAN (d|r|rule|e|delivery|run|event|automation)\b/.test(step) && !step.includes(' USING '),
      )
      expect({ name, walks }).toEqual({ name, walks: [] })
    }
    const used = plans.flatMap(([, steps]) => steps).join('\n')
    for (const index of [
      'due_deliveries_of_an_endpoint',
      'due_again_of_an_endpoint',
      'runs_to_do',
      'automations_due',
    ]) {
      expect(used).toContain(index)
    }
  },
)

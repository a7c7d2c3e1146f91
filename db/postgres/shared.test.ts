// Two instances on one database, each with connections of its own.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import { failureOfHeld } from '#app/features/events/delivering/endpoint-health.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { type InTurn, isTurnError } from '#app/lib/in-turn.server.ts'
import { aRule, aStep } from '#tests/support/automation-world.server.ts'
import { POSTGRES_WITHIN_MS } from '#tests/support/postgres.ts'
import { type SharedDatabase, sharedDatabase } from '#tests/support/shared-database.ts'
import type { Database } from '../database.ts'
import { automationStore } from '../sql/rules/automations.server.ts'
import type { PostgresClient } from './client.server.ts'
import { sharedOnServer, turnsOnServer } from './shared.server.ts'
import { postgresStore } from './store.server.ts'

let database: SharedDatabase | null
let one: Database
let other: Database
let clients: PostgresClient[]

beforeAll(async () => {
  database = await sharedDatabase()
  if (!database) return
  clients = [await database.instance('one'), await database.instance('other')]
  ;[one, other] = clients.map(({ db }) => db) as [Database, Database]
}, POSTGRES_WITHIN_MS)
afterAll(() => database?.close())

function theirs({ skip }: TestContext): SharedDatabase {
  return database ?? skip('no PostgreSQL')
}

const held = (given: SharedDatabase) => given.rows<{ name: string; member: string }>('SELECT name, member FROM turn')

describe('turns', () => {
  beforeEach(async () => {
    await database?.run('DELETE FROM turn')
  })

  test('work under one key never overlaps, under two keys it does', async (context) => {
    const given = theirs(context)
    const turns = [turnsOnServer(one, 'one'), turnsOnServer(other, 'other')]
    const busy: Record<string, number> = {}
    const most: Record<string, number> = {}
    const work = (key: string) => async () => {
      busy[key] = (busy[key] ?? 0) + 1
      busy.all = (busy.all ?? 0) + 1
      most[key] = Math.max(most[key] ?? 0, busy[key])
      most.all = Math.max(most.all ?? 0, busy.all)
      await pause(20)
      busy[key] -= 1
      busy.all -= 1
      return key
    }
    const asked = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? 'b' : 'a'))
    const done = await Promise.all(asked.map((key, n) => (turns[n % 2] as InTurn)(key, work(key))))
    expect(done).toEqual(asked)
    expect(most).toEqual({ a: 1, b: 1, all: 2 })
    expect(await held(given)).toEqual([])
  })

  test('what fails passes its error on and the turn to the next', async (context) => {
    const given = theirs(context)
    const failing = turnsOnServer(one, 'one')('a', () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await turnsOnServer(other, 'other')('a', async () => 1)).toBe(1)
    expect(await held(given)).toEqual([])
  })

  test('who waits too long does nothing, and leaves the turn to its holder', async (context) => {
    const given = theirs(context)
    let end = () => {}
    const long = turnsOnServer(one, 'one')('a', () => new Promise<void>((resolve) => (end = resolve)))
    await expect.poll(() => held(given)).toHaveLength(1)
    let done = false
    const error = await turnsOnServer(other, 'other', { longestWaitMs: 250 })('a', async () => {
      done = true
    }).catch((thrown: unknown) => thrown)
    expect([isTurnError(error), done]).toEqual([true, false])
    expect(await held(given)).toEqual([{ name: 'a', member: 'one' }])
    end()
    await long
    expect(await held(given)).toEqual([])
  })

  test('a holder that is declared gone frees its turn, and gets none any more', async (context) => {
    const given = theirs(context)
    const { db } = await given.instance('dying')
    const dying = turnsOnServer(db, 'dying')
    void dying('a', () => new Promise(() => {}))
    await expect.poll(() => held(given)).toHaveLength(1)
    const next = turnsOnServer(other, 'other')('a', async () => 'mine')
    await pause(250)
    expect(await held(given)).toEqual([{ name: 'a', member: 'dying' }])
    await given.run("DELETE FROM member WHERE id = 'dying'")
    expect(await next).toBe('mine')
    await expect(dying('b', async () => 'never')).rejects.toMatchObject({ code: '23503' })
  })

  test('a turn whose release the database refused is released later, or taken up again here', async (context) => {
    const given = theirs(context)
    let refuse = true
    const moody: Database = {
      ...one,
      read(act) {
        const read = one.read(act)
        // The second statement of a turn removes it.
        if (++made === 2) return (...args) => (refuse ? Promise.reject(new Error('away')) : read(...args))
        return read
      },
    }
    let made = 0
    const turns = turnsOnServer(moody, 'one', { releaseAgainMs: 50 })
    expect(await turns('a', async () => 1)).toBe(1)
    expect(await held(given)).toHaveLength(1)
    expect(await turns('a', async () => 2)).toBe(2)
    refuse = false
    await expect.poll(() => held(given)).toEqual([])
  })
})

describe('trigger calls of a rule', () => {
  test('60 in a minute over both, refilled evenly, each rule by itself', async (context) => {
    const given = theirs(context)
    await given.run("INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('a', 'A', 'UTC', 1, 1)")
    for (const id of [1, 2]) {
      await given.run(
        `INSERT INTO automation (id, account_uuid, name, active, trigger_source, version, definition, baselined,
           execution_count, created_at, updated_at) VALUES (${id}, 'a', '', 1, 'manual_endpoint', 1, '{}', 0, 0, 1, 1)`,
      )
    }
    const clock = fixedClock()
    const stores = [sharedOnServer(one, 'one', clock.now), sharedOnServer(other, 'other', clock.now)]
    const take = (n: number, rule = 1) => stores[n % 2]?.takeTriggerCall(rule, 60)
    const asked = await Promise.all(Array.from({ length: 80 }, (_, n) => take(n)))
    expect(asked.filter((taken) => taken?.outcome === 'taken')).toHaveLength(60)
    expect(asked.find((taken) => taken?.outcome === 'wait')).toEqual({ outcome: 'wait', ms: 1_000 })
    expect(await take(0, 2)).toEqual({ outcome: 'taken' })
    clock.advance(1_500)
    expect(await take(1)).toEqual({ outcome: 'taken' })
    expect(await take(0)).toEqual({ outcome: 'wait', ms: 500 })
    clock.advance(3_600_000)
    const later = await Promise.all(Array.from({ length: 80 }, (_, n) => take(n)))
    expect(later.filter((taken) => taken?.outcome === 'taken')).toHaveLength(60)
    // A real one needs no clock of ours.
    expect(await sharedOnServer(one, 'one').takeTriggerCall(2, 60)).toEqual({ outcome: 'taken' })
  })
})

test('of two rules made at once, the one with the higher number sees the other: so only one says that it is the first', async (context) => {
  const given = theirs(context)
  const stores = clients.map(automationStore)
  const rule = {
    ...{
      name: '',
      definition: aRule([aStep('s1', 'create_task', { title: 'x', description: '' })]),
      active: false,
      nextRunAt: null,
      baselined: true,
      triggerKey: null,
      at: 1,
    },
  }
  for (let n = 0; n < 40; n++) {
    const account = `twice-${n}`
    await given.run(
      `INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('${account}', '', 'UTC', 1, 1)`,
    )
    const areFirst = await Promise.all(
      stores.map(async (store) => {
        const id = await store.createAutomation(account, rule)
        return (await store.listAutomations(account)).every((seen) => seen.id >= id)
      }),
    )
    expect(areFirst.filter(Boolean)).toHaveLength(1)
  }
})

test.for([
  ['a success', 'failing_since = NULL', { ended: 1, since: 1_000, events: '[1]' }],
  [
    'Start again',
    'failing_since = NULL, hold_until = NULL, hold_reason = NULL',
    { ended: 0, since: null, events: '[]' },
  ],
])('giving up held events does not undo %s that is stored while it waits', async ([, changes, expected], context) => {
  const given = theirs(context)
  const client = clients[0] as PostgresClient
  await client.acts.query(
    `DELETE FROM attempt; DELETE FROM endpoint_hour; DELETE FROM delivery; DELETE FROM endpoint;
     INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ('held', '', 'UTC', 1, 1) ON CONFLICT DO NOTHING;
     INSERT INTO endpoint (id, account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       breaker_probes, failing_since, failure_streak, failure_events, redirect_streak, hold_until, hold_reason,
       pending_count, created_at)
     VALUES (1, 'held', 'job', '', 'https://x.example.com/', 's', 'active', 1, 'closed', 0, 5, 3, '[7]', 0, 9000, 'Slower.', 1, 1);
     INSERT INTO event (seq, id, account_uuid, object, object_uuid, changed_fields, received_at, source, dedupe)
     VALUES (1, 'e', 'held', 'job', 'r', '[]', 1, 'object', 'd') ON CONFLICT DO NOTHING;
     INSERT INTO delivery (account_uuid, endpoint_id, event_seq, object_uuid, cause, cause_no, state, attempts, steps,
       due_at, deadline_at, created_at)
     VALUES ('held', 1, 1, 'r', 'live', 0, 'pending', 0, 0, 1, 1, 1)`,
  )
  const { expireHeldStep } = postgresStore(client, fixedClock()).deliveries
  const settle = await client.acts.connect()
  await settle.query('BEGIN')
  await settle.query(`UPDATE endpoint SET failure_streak = 0, failure_events = '[]', ${changes}`)
  const options = { graceMs: 0, pausedForMs: 0, reason: () => 'too late', failure: failureOfHeld }
  const giving = expireHeldStep(1_000, null, options)
  await expect
    .poll(() => given.rows("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%endpoint%'"))
    .not.toEqual([])
  await settle.query('COMMIT')
  settle.release()
  const { ended } = await giving
  const [after] = await given.rows<object>('SELECT failing_since AS since, failure_events AS events FROM endpoint')
  // What is given up is a failure of now. Of those before the success, none is left.
  expect({ ended, ...after }).toEqual(expected)
})

// Two instances on one PostgreSQL: who is a member may write as an owner, and news reach whoever works for an account.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import { freshDatabase, POSTGRES_WITHIN_MS, postgresForTests, postgresSchema } from '#tests/support/postgres.ts'
import { joinCluster, type PostgresMember } from './cluster.server.ts'
import { SHARES, shareOf } from './share-of.server.ts'

const clock = systemClock()
const missing = (await postgresForTests()).outcome === 'none'
let database: Awaited<ReturnType<typeof freshDatabase>>
let a: PostgresMember
let b: PostgresMember
const member = (id: string) => joinCluster(database.url, { id, process: id, version: '1', clock })

beforeEach(async () => {
  if (missing) return
  database = await freshDatabase(postgresSchema())
  a = await member('a')
  b = await member('b')
}, POSTGRES_WITHIN_MS)
afterEach(async () => {
  if (missing) return
  await Promise.all([a.close(), b.close()])
  await database.close()
})

const ACCOUNT = 'aaaaaaaa-0000-4000-8000-000000000001'

test.skipIf(missing)('an account has the same share in the database and here', async () => {
  const accounts = Array.from({ length: 500 }, (_, index) => `${ACCOUNT.slice(0, -3)}${index}`)
  const { rows } = await a.client.acts.query<{ part: number }>(
    'SELECT share_of(x) AS part FROM unnest($1::text[]) AS x',
    [accounts],
  )
  expect(rows.map(({ part }) => part)).toEqual(accounts.map(shareOf))
  expect(new Set(accounts.map(shareOf)).size).toBe(SHARES)
})

test.skipIf(missing)('two that take at once never get the same share, and a gift or an end frees them', async () => {
  const [of, ofOther] = await Promise.all([a.cluster.take(40), b.cluster.take(40)])
  expect([...of, ...ofOther].sort((x, y) => x - y)).toEqual(Array.from({ length: SHARES }, (_, part) => part))
  await a.cluster.give(of.slice(0, 5))
  expect(await b.cluster.take(64)).toEqual(of.slice(0, 5))
  const view = await b.cluster.beat(true)
  await b.cluster.remove({ id: 'a', beats: view?.members.find(({ id }) => id === 'a')?.beats ?? -1 })
  expect(await b.cluster.take(64)).toEqual(of.slice(5))
})

test.skipIf(missing)('a member that has beaten meanwhile is not removed', async () => {
  const view = await b.cluster.beat(true)
  await a.cluster.beat(true)
  const seen = view?.members.find(({ id }) => id === 'a')
  expect(await b.cluster.remove({ id: 'a', beats: seen?.beats ?? -1 })).toBe(false)
  expect(await a.cluster.beat(true)).not.toBeNull()
})

test.skipIf(missing)('who was removed writes nothing as an owner, and is told at its next beat', async () => {
  const note = a.client.own.db.prepare("INSERT INTO lease (name, owner, expires_at) VALUES ('x', 'a', 0)")
  const write = a.client.own.db.write(() => note.run())
  await b.cluster.remove({ id: 'a', beats: 0 })
  await expect(write()).rejects.toThrow('no longer a member')
  const { rows } = await b.client.acts.query('SELECT 1 FROM lease')
  expect(rows).toEqual([])
  expect(await a.cluster.beat(true)).toBeNull()
})

test.skipIf(missing)('a removal waits for an act under way, and nothing can be written after it', async () => {
  let during = () => {}
  const begun = new Promise<void>((resolve) => {
    during = resolve
  })
  const wait = a.client.own.db.prepare('SELECT pg_sleep(0.4)')
  const note = a.client.own.db.prepare("INSERT INTO lease (name, owner, expires_at) VALUES ('x', 'a', 0)")
  const act = a.client.own.db.write(function* () {
    during()
    yield* wait.all()
    yield* note.run()
  })()
  await begun
  // Its first statement locks the row.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const removed = b.cluster.remove({ id: 'a', beats: 0 })
  await act
  expect(await removed).toBe(true)
  const { rows } = await b.client.acts.query('SELECT 1 FROM lease')
  expect(rows).toHaveLength(1)
})

test.skipIf(missing)('news reach the owner, rung for and once; what is ours makes none', async () => {
  await a.client.acts.query(
    "INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES ($1, '', '', 0, 0)",
    [ACCOUNT],
  )
  const { rows } = await a.client.acts.query<{ id: number }>(
    `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
     VALUES ($1, 'job', '', '', '', 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0) RETURNING id`,
    [ACCOUNT],
  )
  const endpoint = rows[0]?.id ?? 0
  await a.cluster.take(SHARES)
  const rung = new Promise<string>((resolve) => a.cluster.onRing(resolve))
  await a.cluster.tell(endpoint)
  expect(await a.cluster.takeNews()).toEqual([])
  // LISTEN may still be on its way.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await b.cluster.tell(endpoint)
  await b.cluster.tell(endpoint)
  expect(await rung).toBe('deliveries')
  expect(await b.cluster.takeNews()).toEqual([])
  expect(await a.cluster.takeNews()).toEqual([endpoint])
  expect(await a.cluster.takeNews()).toEqual([])
})

test.skipIf(missing)('whoever stores a delivery leaves news with it, unless it is the owner', async () => {
  const { turn } = a.client.own
  const store = () =>
    turn.run(({ tally }) => {
      tally.waiting(ACCOUNT, 7, 1, 1)
      return tally.write()
    })
  await a.cluster.take(SHARES)
  await store()
  expect((await b.client.acts.query('SELECT * FROM news')).rows).toEqual([])
  await a.cluster.give([shareOf(ACCOUNT)])
  await store()
  expect((await b.client.acts.query('SELECT * FROM news')).rows).toEqual([{ part: shareOf(ACCOUNT), endpoint_id: 7 }])
})

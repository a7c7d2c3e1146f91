// Random lists of commands, done on SQLite and on PostgreSQL in step: every answer is the same, and so is what is stored in
// the end. `SIDE_BY_SIDE=1000` draws that many lists, `SIDE_BY_SIDE_SEED` the same ones again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { freshDatabase, POSTGRES_WITHIN_MS, postgresForTests, postgresSchema } from '#tests/support/postgres.ts'
import { ACTS, type Command, MADE, type Made, meaningOf, type Side } from '#tests/support/store-acts.ts'
import { columnsOf, withoutPowerCuts } from '#tests/support/test-app.server.ts'
import type { Database } from '../database.ts'
import { sqlStore } from '../sql/store.server.ts'
import { openClient } from '../sqlite/client.server.ts'
import { connectPostgres } from './client.server.ts'

const LISTS = Number(process.env.SIDE_BY_SIDE ?? 8)
const SEED = Number(process.env.SIDE_BY_SIDE_SEED ?? Date.now() % 1_000_000)
const here = await postgresForTests()

/** How much later than the command before, ms. */
const LATER = [0, 0, 0, 1_000, 61_000, 3_600_000, 90_000_000, 300_000_000]
/** What moves most: half of all commands. */
const OFTEN = [
  'accept',
  'settle',
  'settleNewest',
  'updateEndpoint',
  'resume',
  'startReplay',
  'growReplays',
  'startRuns',
  'claimRun',
  'plan',
  'send',
  'park',
]
const small = fc.nat({ max: 7 })
const aCommand = fc.record({
  act: fc.oneof(fc.constantFrom(...Object.keys(ACTS)), fc.constantFrom(...OFTEN)),
  who: fc.constantFrom(0, 0, 0, 0, 1, 2),
  pick: fc.nat({ max: 11 }),
  kind: small,
  yes: fc.boolean(),
  later: fc.nat({ max: LATER.length - 1 }),
})
/** Most of what can happen needs these first. */
const FIRST = ['ensureAccount', 'saveEndpoint', 'createAutomation', 'accept', 'startRuns', 'ensurePlan']
const aList = fc
  .tuple(fc.array(aCommand, { minLength: 6, maxLength: 6 }), fc.array(aCommand, { minLength: 20, maxLength: 60 }))
  .map(([first, more]) => [
    ...[0, 1, 2].map((who) => ({ act: 'ensureAccount', who, pick: 0, kind: 0, yes: true, later: 0 })),
    ...first.map((one, at) => ({ ...one, act: FIRST[at] ?? one.act })),
    ...more,
  ])

const TEMPLATE = postgresSchema()
const keyOf = (table: Made) => (table === 'event' ? 'seq' : 'id')

/** One engine with the ids it has given, in order. */
function sideOf(db: Database, store: Side['store']) {
  const given = new Map<Made, number[]>(MADE.map((table) => [table, []]))
  const newer = db.prepare<Record<string, number>, { made: Made; id: number }>(
    `${MADE.map((table) => `SELECT '${table}' AS made, ${keyOf(table)} AS id FROM ${table} WHERE ${keyOf(table)} > CAST(@${table} AS bigint)`).join(' UNION ALL ')} ORDER BY 1, 2`,
  )
  const ids = (of: Made) => given.get(of) ?? []
  return {
    store,
    ids,
    async note() {
      const last = Object.fromEntries(MADE.map((table) => [table, ids(table).at(-1) ?? 0]))
      for (const { made, id } of await db.read(() => newer.all(last))()) given.get(made)?.push(id)
    },
    /** The number as both engines name it; a number that names nothing stays. */
    nameOf(of: Made, value: number) {
      const place = ids(of).indexOf(value)
      return place < 0 ? value : `${of} ${place + 1}`
    },
    async rows(table: string) {
      return db.read(() => db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all())()
    },
  }
}
type Half = ReturnType<typeof sideOf>

const NAMED: Readonly<Record<string, Made>> = {
  endpointId: 'endpoint',
  endpoint_id: 'endpoint',
  endpointIds: 'endpoint',
  deliveryId: 'delivery',
  delivery_id: 'delivery',
  seq: 'event',
  eventSeq: 'event',
  event_seq: 'event',
  last_seq: 'event',
  runId: 'run',
  run_id: 'run',
  replayOf: 'run',
  replay_of: 'run',
  automationId: 'automation',
  automation_id: 'automation',
  subscriptionId: 'subscription',
  subscription_id: 'subscription',
  replayId: 'replay',
  replay_id: 'replay',
}
/** What the `id` of an object is when it stands under this name. */
const INSIDE: Readonly<Record<string, Made>> = {
  deliveries: 'delivery',
  replays: 'replay',
  subscription: 'subscription',
  made: 'delivery',
  ended: 'subscription',
}
/** Where a walk goes on: behind an event that is named by its number. */
const BEHIND = new Set(['nextSeq', 'nextId', 'next'])
const TIME_ORDERED = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

function alike(half: Half, value: unknown, key: string, of: Made | undefined): unknown {
  if (value instanceof Map) return alike(half, [...value].sort(), key, of)
  if (Array.isArray(value)) return value.map((one) => alike(half, one, key, INSIDE[key] ?? of))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => [name, alike(half, one, name, INSIDE[key] ?? of)]),
    )
  if (typeof value === 'string') return value.replaceAll(TIME_ORDERED, 'time-ordered')
  if (typeof value !== 'number') return value
  if (BEHIND.has(key)) return 'somewhere'
  const made = NAMED[key] ?? (key === 'id' || key === '' ? of : undefined)
  return made ? half.nameOf(made, value) : value
}

/** What an act answered, or that it was refused: the words of that are the engine's own. */
async function answerOf(half: Half, { act, ...given }: Command, now: number): Promise<unknown> {
  const { of, run } = ACTS[act] ?? {}
  if (!run) throw new Error(`no act ${act}`)
  let answer: unknown
  let refused: unknown = null
  try {
    answer = await run(half, meaningOf({ act, ...given }, now))
  } catch (error) {
    refused = error
  }
  await half.note()
  if (refused !== null) return { refused: true, said: refused instanceof Error ? refused.message : refused }
  return alike(half, answer, '', of)
}

const isRefusal = (answer: unknown): answer is { refused: true; said: unknown } =>
  typeof answer === 'object' && answer !== null && 'refused' in answer

test.skipIf(here.outcome === 'none')(
  `${LISTS} lists of commands: both engines answer the same, and store the same`,
  async () => {
    const done: Record<string, number> = {}
    await fc.assert(
      fc.asyncProperty(aList, async (list) => {
        const folder = mkdtempSync(join(tmpdir(), 'side-by-side-'))
        const file = openClient(join(folder, 'test.db'), 'db/migrations')
        withoutPowerCuts(file)
        const database = await freshDatabase(TEMPLATE)
        const server = connectPostgres(database.url)
        try {
          const clock = fixedClock()
          const one = sideOf(file.db, sqlStore(file, clock))
          const other = sideOf(server.db, sqlStore(server, clock))
          for (const [at, command] of list.entries()) {
            clock.advance(LATER[command.later] ?? 0)
            const now = clock.now()
            const [expected, given] = [await answerOf(one, command, now), await answerOf(other, command, now)]
            if (isRefusal(expected) && isRefusal(given)) continue
            expect(given, `answer ${at + 1}: ${JSON.stringify(command)}`).toEqual(expected)
            done[command.act] = (done[command.act] ?? 0) + 1
          }
          const tables = new Set(columnsOf(file, false).map(({ table }) => table))
          for (const table of tables) {
            const [expected = [], given = []] = await Promise.all(
              [one, other].map(async (half) =>
                (await half.rows(table))
                  .map((row) =>
                    JSON.stringify(
                      alike(
                        half,
                        row,
                        '',
                        MADE.find((made) => made === table),
                      ),
                    ),
                  )
                  .sort(),
              ),
            )
            expect(given, `what is in ${table}`).toEqual(expected)
          }
        } finally {
          await server.close()
          file.close()
          await database.close()
          rmSync(folder, { recursive: true })
        }
      }),
      { numRuns: LISTS, seed: SEED, endOnFailure: true },
    )
    if (process.env.SIDE_BY_SIDE) console.log(done)
  },
  POSTGRES_WITHIN_MS + LISTS * 10_000,
)

import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LAST_RUNS, type RunQuery } from '#app/domain/automations/run-record.ts'
import { runLine } from '#app/features/automations/history/run-list-view.ts'
import { executionOf } from '#app/features/automations/runs/run-history.ts'
import { hours } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  aWish,
  BRISBANE,
  LEEDS,
  TRIGGERED,
} from '#tests/support/automation-world.server.ts'
import { sampleMatch } from '#tests/support/sample-runs.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import { WAITING } from './run-history.server.ts'

let world: AutomationWorld
let rule: number
beforeEach(async () => {
  world = await automationWorld()
  rule = await world.rule(
    aRule([aStep('s1', 'create_task', { title: 'Ring {entry.0.contact_first_name}', description: '' })]),
  )
})
afterEach(() => world.close())

async function done(jobs: string[], automationId = rule, account = LEEDS): Promise<number[]> {
  const ids: number[] = []
  for (const job of jobs) ids.push(await world.start(automationId, [job], {}, account))
  const engine = world.engine()
  engine.start()
  await world.clock.run(5_000)
  const drained = engine.drain()
  await world.clock.run(1_000)
  await drained
  return ids
}

const ids = async (query: Partial<RunQuery> = {}, account = LEEDS) =>
  (await world.store.runs.listRuns(account, { ...LAST_RUNS, ...query })).map(({ id }) => id)

test('the last twenty come newest first, and more by the id they end with', async () => {
  const jobs = Array.from({ length: 23 }, () => world.job(LEEDS))
  const runs = (await done(jobs)).reverse()
  expect(await ids()).toEqual(runs.slice(0, 20))
  expect(await ids({ before: runs[19] ?? 0 })).toEqual(runs.slice(20))
  expect(await ids({}, BRISBANE)).toEqual([])
})

test('filters by rule, status, time, record and text narrow it, alone and together', async () => {
  const [first, second] = await done([world.job(LEEDS), world.job(LEEDS)])
  await world.clock.run(hours(1))
  const other = await world.rule(
    aRule([aStep('s1', 'assign_to_queue', { queueUuid: '99999999-0000-4000-8000-0000000000ff' })]),
    LEEDS,
    'Into_the queue 100%',
  )
  const [failed] = await done([world.job(LEEDS)], other)
  const held = await world.start(rule, ['job-x', 'job-y'], {
    held: 'Ask me.',
    triggerData: { ...TRIGGERED, description: 'Say "hello" to Ümit' },
  })
  expect(await ids({ automationId: other })).toEqual([failed])
  expect(await ids({ status: 'success' })).toEqual([second, first])
  expect(await ids({ status: 'failure' })).toEqual([failed])
  expect(await ids({ status: 'held' })).toEqual([held])
  expect(await ids({ status: 'needs_you' })).toEqual([held])
  expect(await ids({ until: world.clock.now() - hours(1) + 1_000 * 12 })).toEqual([second, first])
  expect(await ids({ since: world.clock.now() - 60_000 })).toEqual([held, failed])
  expect(await ids({ recordUuid: 'job-y' })).toEqual([held])
  expect(await ids({ text: 'into_the' })).toEqual([failed])
  expect(await ids({ text: '100%' })).toEqual([failed])
  expect(await ids({ text: 'nto%queue' })).toEqual([])
  expect(await ids({ text: '"hello" to Ümit' })).toEqual([held])
  expect(await ids({ text: 'ring margaret' })).toEqual([second, first])
  expect(await ids({ text: 'ring margaret', automationId: other })).toEqual([])
})

test('what a run says is found at any depth, and never the names under which it is stored', async () => {
  const said = { values: { '{date}': 'one "two"\\three' }, changes: [{ field: 'status', from: null, to: '{"Booked' }] }
  const held = await world.start(rule, ['job-x'], { held: 'Ask me.', triggerData: { ...TRIGGERED, ...said } })
  const runs = [held, ...(await done([world.job(LEEDS)]))].reverse()
  for (const text of ['condition', 'from', 'kind', 'parents', '"to":', '{date}', 'tries'])
    expect(await ids({ text }), text).toEqual([])
  for (const text of ['one "TWO"\\three', '{"booked', 'status']) expect(await ids({ text }), text).toContain(held)
  expect(await ids({ text: 'ring margaret' })).toEqual(runs.slice(0, 1))
})

test('an apostrophe is found straight or curly, and spaces count once', async () => {
  const saying = (description: string) =>
    world.start(rule, ['job-x'], { held: 'Ask me.', triggerData: { ...TRIGGERED, description } })
  const runs = [await saying("Ring O'Brien now"), await saying('Ring O’Brien now')].reverse()
  for (const text of ["o'brien", 'O’Brien', 'ring  O‘brien']) expect(await ids({ text })).toEqual(runs)
  const spaced = await saying('Ring John  Smith')
  const lines = await saying('Dear John\r\n\tSmith, see C:\\new folder')
  await saying('Ring Johnson & Goldsmith Ltd')
  for (const text of ['john smith', 'John  Smith']) expect(await ids({ text })).toEqual([lines, spaced])
  for (const text of ['see C:\\new folder', 'C:\\new', 'new']) expect(await ids({ text })).toEqual([lines])
})

test('runs are found by the records that have the name, and that belong to the record', async () => {
  const [run = 0] = await Promise.all(['job-9', 'job-8'].map((job) => world.start(rule, [job], { held: 'Ask me.' })))
  expect(await ids({ text: 'nobody', called: ['job-1', 'job-9'] })).toEqual([run])
  expect(await ids({ recordUuid: 'company-1', belonging: ['job-9', 'job-1'] })).toEqual([run])
})

test('a day has the runs that were set off or started in it, however long they had waited', async () => {
  const run = await world.start(rule, [world.job(LEEDS)], { held: 'Ask me.' })
  const others = Array.from({ length: 500 }, () => aWish(rule, ['job-1'], world.clock.now(), { held: 'x' }))
  await world.store.runs.startRuns(LEEDS, others, world.clock.now())
  await world.clock.run(hours(13))
  const at = world.clock.now()
  world.client.sql.prepare('UPDATE run SET started_at = ? WHERE id = ?').run(at, run)
  expect(await ids({ since: at })).toEqual([run])
  expect((await ids({ until: at, limit: 1_000 })).at(-1)).toBe(run)
  expect(await ids({ since: at, until: at + 1 })).toEqual([run])
  expect((await ids({ since: at - hours(13), until: at, limit: 1_000 })).at(-1)).toBe(run)
  expect(await ids({ since: at - hours(6), until: at })).toEqual([])
  expect((await world.store.runs.recentRuns(LEEDS, 501)).at(-1)).toEqual({
    ...{ automationId: rule, createdAt: at - hours(13), outcome: null },
  })
})

test('a status finds what the history calls by its name', async () => {
  const [held = 0, unclear = 0] = await done([world.job(LEEDS), world.job(LEEDS)])
  const set = (id: number, columns: string) =>
    world.client.sql.prepare(`UPDATE run SET ${columns} WHERE id = ?`).run(id)
  const row = world.client.sql.prepare('UPDATE run_step SET state = ? WHERE run_id = ?')
  row.run('held', held)
  row.run('unknown', unclear)
  for (const id of [held, unclear]) set(id, `state = 'waiting', outcome = NULL`)
  const settling = await world.start(rule, ['job-1'])
  set(settling, `wake_at = ${world.clock.now() + hours(1)}`)
  set(await world.start(rule, ['job-2']), `state = 'running'`)
  set(await world.start(rule, ['job-3']), `state = 'waiting'`)
  const queued = await world.start(rule, ['job-4'])
  await world.start(rule, ['job-5'], { held: 'Ask me.' })
  const called = async () => {
    const lines = (await world.store.runs.listRuns(LEEDS, LAST_RUNS)).map((run) => runLine(executionOf(run)))
    for (const [status, standing] of [
      ['queued', 'working'],
      ['waiting', 'waiting'],
      ['held', 'held'],
    ] as const)
      expect(await ids({ status })).toEqual(lines.flatMap((line) => (line.standing === standing ? [line.id] : [])))
  }
  await called()
  expect([await ids({ status: 'held' }), await ids({ status: 'waiting' })]).toMatchObject([
    { 1: held },
    { 1: settling },
  ])
  world.client.sql
    .prepare(
      `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt, held_since,
         hold_reason, created_at, updated_at) VALUES (?, 'trial', 1, 1, 0, 0, 1, 'trial_ended', 1, 1)`,
    )
    .run(LEEDS)
  await called()
  expect((await ids({ status: 'waiting' }))[0]).toBe(queued)
})

test('a search looks through thousands of runs without finding anything', async () => {
  const requests = Array.from({ length: 1_200 }, () => aWish(rule, ['job-1'], world.clock.now(), { held: 'x' }))
  await world.store.runs.startRuns(LEEDS, requests, world.clock.now())
  expect(await ids({ text: 'nowhere' })).toEqual([])
  expect(await ids({ status: 'held', limit: 3 })).toHaveLength(3)
  expect(await world.store.runs.countRunsThatNeedPerson(LEEDS, 100)).toBe(100)
})

test('what needs a person is counted once a run, of its own account only', async () => {
  const theirs = await world.rule(aRule([aStep('s1', 'create_task', { title: 'Ring', description: '' })]), BRISBANE)
  const [unclear = 0, asks = 0, both = 0] = await done([world.job(LEEDS), world.job(LEEDS), world.job(LEEDS)])
  const [other = 0] = await done([world.job(BRISBANE)], theirs, BRISBANE)
  const mark = (state: string, ...runs: number[]) =>
    world.client.sql.exec(`UPDATE run_step SET state = '${state}' WHERE run_id IN (${runs})`)
  mark('unknown', unclear, other)
  mark('held', asks, both)
  world.client.sql.exec(`UPDATE run SET state = 'held' WHERE id = ${both}`)
  expect(await world.store.runs.countRunsThatNeedPerson(LEEDS, 100)).toBe(3)
  expect(await ids({ status: 'needs_you' })).toEqual([both, asks, unclear])
  expect(await world.store.runs.countRunsThatNeedPerson(LEEDS, 2)).toBe(2)
  expect(await world.store.runs.countRunsThatNeedPerson(BRISBANE, 100)).toBe(1)
})

test.skipIf(aboutTheFile('plans of SQLite'))('no other run is read for that count', () => {
  const plan = world.client.sql
    .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${WAITING} LIMIT @most`)
    .all({ accountUuid: LEEDS, most: 10 })
    .map(({ detail }) => detail)
  expect(plan.filter((step) => /\b(run|r|run_step)\b/.test(step))).toEqual([
    expect.stringContaining('SEARCH run USING'),
    expect.stringContaining('SCAN run_step USING INDEX steps_for_a_person'),
    expect.stringContaining('SEARCH r USING INTEGER PRIMARY KEY'),
  ])
  expect(plan.join()).toContain('runs_held')
})

test('a search for a name under which much is stored keeps nobody waiting', async () => {
  // As many records as a run lists.
  const matchedRecords = Array.from({ length: 50 }, () => ({ ...sampleMatch(), jobDescription: 'x'.repeat(250) }))
  const triggerData = { ...TRIGGERED, conditionMatching: { totalRecords: 50, matchedRecords } }
  const wishes = Array.from({ length: 500 }, () =>
    aWish(rule, ['job-1'], world.clock.now(), { held: 'x', triggerData }),
  )
  await world.store.runs.startRuns(LEEDS, wishes, world.clock.now())
  const began = performance.now()
  const turns = [began]
  const watch = setInterval(() => turns.push(performance.now()))
  expect(await ids({ text: 'jobId' })).toEqual([])
  await setTimeout(5)
  clearInterval(watch)
  const longest = Math.max(...turns.slice(1).map((at, index) => at - (turns[index] ?? at)))
  expect(longest).toBeLessThan((performance.now() - began) / 3)
})

test('a run is found with what its rule said then, though the rule has changed and is gone', async () => {
  const [run = 0] = await done([world.job(LEEDS)])
  await world.store.automations.changeAutomation(LEEDS, rule, {
    name: 'Another name',
    definition: aRule([]),
    at: world.clock.now(),
  })
  await world.store.automations.deleteAutomation(LEEDS, rule, { reason: 'x', at: world.clock.now() })
  const found = await world.store.runs.findRun(LEEDS, run)
  expect(found).toMatchObject({
    ruleName: 'Quote check-in',
    version: 1,
    definition: { steps: [{ type: 'create_task' }] },
  })
  expect(await world.store.runs.findRun(BRISBANE, run)).toBeNull()
  expect(await world.store.runs.findRun(LEEDS, 999)).toBeNull()
})

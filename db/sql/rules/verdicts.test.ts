import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  aWish,
  BRISBANE,
  LEEDS,
} from '#tests/support/automation-world.server.ts'

const TASK = aStep('s1', 'create_task', { title: 'Ring', description: '' })

let world: AutomationWorld
let rule: number
let foreign: number
beforeEach(async () => {
  world = await automationWorld()
  rule = await world.rule(aRule([TASK]))
  foreign = await world.rule(aRule([TASK]), BRISBANE)
})
afterEach(() => world.close())

function note(automationId: number, account: string, recordUuid: string, at: number) {
  world.client.sql
    .prepare(
      `INSERT INTO rule_verdict (automation_id, record_uuid, account_uuid, at, verdict, detail, run_id)
       VALUES (?, ?, ?, ?, 'not_matched', '{}', NULL)`,
    )
    .run(automationId, recordUuid, account, at)
}

const remove = (id: number) =>
  world.store.automations.deleteAutomation(LEEDS, id, { reason: 'Gone.', at: world.clock.now() })

test('verdicts are those of the account on that record, of rules that are still there', async () => {
  const other = await world.rule(aRule([TASK]))
  note(rule, LEEDS, 'job-1', 5)
  note(other, LEEDS, 'job-1', 6)
  note(rule, LEEDS, 'job-2', 7)
  note(foreign, BRISBANE, 'job-1', 8)
  const found = async () =>
    (await world.store.automations.verdictsOn(LEEDS, 'job-1')).map(({ automationId, at }) => [automationId, at])
  expect(await found()).toEqual([
    [rule, 5],
    [other, 6],
  ])
  await remove(other)
  expect(await found()).toEqual([[rule, 5]])
})

test('of the ledger it is the latest entry of each rule', async () => {
  const ledger = (occurrence: string) => ({ ledger: [{ recordUuid: 'job-1', occurrence, expiresAt: null }] })
  await world.start(rule, ['job-1'], ledger('a'))
  await world.clock.run(1_000)
  const latest = await world.start(rule, ['job-1'], ledger('b'))
  await world.start(foreign, ['job-1'], ledger('a'), BRISBANE)
  expect(await world.store.automations.ledgerOn(LEEDS, 'job-1')).toEqual([
    { automationId: rule, runId: latest, at: world.clock.now() },
  ])
  expect(await world.store.automations.ledgerOn(LEEDS, 'job-2')).toEqual([])
  await remove(rule)
  expect(await world.store.automations.ledgerOn(LEEDS, 'job-1')).toEqual([])
})

test('what comes next goes on by itself later, the next one first', async () => {
  const now = world.clock.now()
  const late = await world.start(rule, ['a'], { wakeAt: now + hours(2) })
  const soon = await world.start(rule, ['b'], { wakeAt: now + hours(1) })
  await world.start(rule, ['c'])
  await world.start(rule, ['d'], { wakeAt: now + hours(1), held: 'Asks.' })
  await world.start(foreign, ['e'], { wakeAt: now + hours(1) }, BRISBANE)
  expect(await world.store.automations.upcomingRuns(LEEDS, now, 50)).toEqual([soon, late])
  expect(await world.store.automations.upcomingRuns(LEEDS, now, 1)).toEqual([soon])
  expect(await world.store.automations.upcomingRuns(LEEDS, now, 50, soon)).toEqual([late])
})

test('a look that ends after another settled the record stores nothing and keeps the newer change', async () => {
  const { triggers } = world.store
  const valuesWith = (status: string) => ({ recordUuid: 'job-1', editDate: '2026-01-05 09:00:00', fields: { status } })
  const touch = async () => {
    const records = [{ values: valuesWith('?'), touch: { changedFields: ['status'], created: false } }]
    const sweep = { accountUuid: LEEDS, object: 'job', timezone: 'UTC', watermark: '', partial: false, nextAt: 0 }
    await triggers.settleSweep(sweep, { records, cursor: null }, world.clock.now())
    await world.clock.run(3_000)
    const [touched] = await triggers.dueTouched(world.clock.now(), { limit: 1, perAccount: 1 })
    if (!touched) throw new Error('nothing is due')
    return touched
  }
  const look = (touched: Awaited<ReturnType<typeof touch>>, status: string) => {
    const now = world.clock.now()
    const requests = [aWish(rule, ['job-1'], now)]
    return triggers.settleTouched(LEEDS, { touched, snapshot: valuesWith(status), verdicts: [], requests }, now)
  }
  const old = await touch()
  expect(await look(old, 'Quote')).toHaveLength(1)
  await touch()
  expect(await look(old, 'Old')).toEqual([])
  expect(world.rows('SELECT turn FROM touched_record')).toEqual([{ turn: 1 }])
  expect(world.rows('SELECT id FROM run')).toHaveLength(1)
  expect(JSON.stringify(world.rows('SELECT * FROM record_snapshot'))).toContain('Quote')
})

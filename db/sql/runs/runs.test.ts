// Long: one test for each step in the life of a run.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import {
  type AutomationWorld,
  aRule,
  automationWorld,
  aWish,
  BRISBANE,
  LEEDS,
} from '#tests/support/automation-world.server.ts'
import { anEffect } from '#tests/support/journal-rows.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'
import type { NewJournalRow, RowWrite, RunFence } from '../../store/runs.ts'

let world: AutomationWorld
let rule: number
let now: number
beforeEach(async () => {
  world = await automationWorld()
  rule = await world.rule(aRule([]))
  now = world.clock.now()
})
afterEach(() => world.close())

const OWNER = 'process-1'

async function started(more: Parameters<typeof aWish>[3] = {}, automationId = rule, account = LEEDS) {
  const [answer] = await world.store.runs.startRuns(account, [aWish(automationId, ['job-1'], now, more)], now)
  if (answer?.outcome !== 'started') throw new Error(JSON.stringify(answer))
  return answer.runId
}

async function claimed(more: Parameters<typeof aWish>[3] = {}): Promise<RunFence> {
  const runId = await started(more)
  await world.store.runs.claimRun(LEEDS, runId, OWNER, now)
  return { accountUuid: LEEDS, runId, owner: OWNER }
}

function newRow(more: Partial<NewJournalRow> = {}): NewJournalRow {
  return {
    stepId: 's1',
    itemKey: '0',
    state: 'planned',
    attempt: 0,
    clientUuid: 'uuid-1',
    effect: anEffect('customer'),
    notes: null,
    errorClass: null,
    sentence: null,
    nextAttemptAt: null,
    plannedAt: now,
    endedAt: null,
    ...more,
  }
}

const PLANNED = { stepId: 's1', itemKey: '0', state: 'planned', attempt: 0 } as const

function writeOf(more: Partial<RowWrite> = {}): RowWrite {
  return {
    state: 'sent',
    attempt: 1,
    errorClass: null,
    sentence: null,
    nextAttemptAt: null,
    result: { sms_id: '7' },
    tries: [],
    released: false,
    at: now,
    ...more,
  }
}

const NOTHING_MORE = { message: null, writes: [] }
const WAITS = { state: 'waiting', wakeAt: 1, reason: 'x', told: [], at: 1 } as const

test('a wish becomes a run together with its ledger rows, or neither', async () => {
  const ledger = (recordUuid: string) => ({ recordUuid, occurrence: '-', expiresAt: null })
  const answers = await world.store.runs.startRuns(
    LEEDS,
    [
      aWish(rule, ['a', 'b'], now, { ledger: [ledger('a'), ledger('b')] }),
      aWish(rule, ['c', 'b'], now, { ledger: [ledger('c'), ledger('b')] }),
      aWish(rule, ['c'], now, { ledger: [ledger('c')] }),
    ],
    now,
  )
  expect(answers).toMatchObject([
    { outcome: 'started' },
    { outcome: 'done_before', recordUuid: 'b', occurrence: '-' },
    { outcome: 'started' },
  ])
  expect(world.rows('SELECT record_uuid AS record, run_id AS run FROM seen_ledger ORDER BY record_uuid')).toEqual([
    { record: 'a', run: 1 },
    { record: 'b', run: 1 },
    { record: 'c', run: 2 },
  ])
  expect(await world.store.automations.findAutomation(LEEDS, rule)).toMatchObject({
    executionCount: 2,
    lastExecutedAt: now,
  })
})

test('a ledger row that has expired is free again', async () => {
  const ledger = [{ recordUuid: 'a', occurrence: '2026-W02', expiresAt: now + hours(1) }]
  await started({ ledger })
  now += minutes(59)
  expect(await world.store.runs.startRuns(LEEDS, [aWish(rule, ['a'], now, { ledger })], now)).toMatchObject([
    { outcome: 'done_before' },
  ])
  now += minutes(1)
  expect(await world.store.runs.startRuns(LEEDS, [aWish(rule, ['a'], now, { ledger })], now)).toMatchObject([
    { outcome: 'started' },
  ])
})

test('a run of a rule of somebody else is refused, and the others of the batch with it', async () => {
  const theirs = await world.rule(aRule([]), BRISBANE)
  await expect(
    world.store.runs.startRuns(LEEDS, [aWish(rule, ['a'], now), aWish(theirs, ['b'], now)], now),
  ).rejects.toThrow('has no automation')
  expect(world.rows('SELECT id FROM run')).toEqual([])
})

test('who comes with the same key gets the same run, until the key expires', async () => {
  const keys = [{ key: 'k1', expiresAt: now + minutes(10) }]
  const first = await world.store.runs.startRunOnce(LEEDS, aWish(rule, ['a'], now), keys, now)
  expect(await world.store.runs.startRunOnce(LEEDS, aWish(rule, ['a'], now), keys, now)).toEqual({
    outcome: 'repeated',
    runId: first.outcome === 'started' && first.runId,
  })
  expect(await world.store.runs.findStartedRun(LEEDS, rule, 'k1', now)).toBe(first.outcome === 'started' && first.runId)
  expect(await world.store.runs.findStartedRun(BRISBANE, rule, 'k1', now)).toBeNull()
  now += minutes(10)
  expect(await world.store.runs.findStartedRun(LEEDS, rule, 'k1', now)).toBeNull()
  expect(await world.store.runs.startRunOnce(LEEDS, aWish(rule, ['a'], now), keys, now)).toMatchObject({
    outcome: 'started',
  })
})

test('what is due is given by account, the longest due first, and never more of one than asked', async () => {
  const theirs = await world.rule(aRule([]), BRISBANE)
  for (let count = 0; count < 5; count++) await started({ wakeAt: now - seconds(count) })
  const later = await started({ wakeAt: now + 1 })
  await started({ held: 'Ask me.' })
  const other = await started({}, theirs, BRISBANE)
  const due = async (at: number, limit: number, perAccount: number) =>
    (await world.store.runs.dueRuns(at, { limit, perAccount })).map(({ id }) => id)
  expect(await due(now, 50, 2)).toEqual([5, other, 4])
  // As many of each account as of the others, however little may be loaded in all.
  expect(await due(now, 2, 50)).toEqual([5, other])
  expect(await world.store.runs.nextRunDueAt(now)).toBe(now + 1)
  expect(await due(now + 1, 50, 50)).toContain(later)
  expect(await world.store.runs.nextRunDueAt(now + 1)).toBeNull()
})

test('while a run rests, no other of its account begins: it may be writing to the same customer', async () => {
  const { runId } = await claimed()
  const second = await started()
  const theirs = await started({}, await world.rule(aRule([]), BRISBANE), BRISBANE)
  const { runs } = world.store
  const due = async (at: number) => (await runs.dueRuns(at, { limit: 50, perAccount: 50 })).map(({ id }) => id)
  await runs.restRuns([runId], OWNER, now + seconds(20))
  expect(await due(now)).toEqual([theirs])
  // Its process may have ended meanwhile.
  expect(await due(now + seconds(20))).toEqual([second, theirs, runId])
  await runs.restRuns([runId], OWNER, now)
  expect(await due(now)).toEqual([runId, theirs, second])
})

test.skipIf(aboutTheFile('plans of SQLite'))('the look for what is due goes along its index', () => {
  const todo = "state in ('queued', 'running', 'waiting')"
  const resting = `SELECT o.account_uuid FROM run o WHERE o.${todo} AND o.wake_at > 5 AND o.wake_at <= 9 AND o.state = 'running'`
  const plan = world.rows(
    `EXPLAIN QUERY PLAN SELECT id FROM run WHERE ${todo} AND wake_at <= 5 AND account_uuid NOT IN (${resting})`,
  )
  expect(JSON.stringify(plan).split('USING INDEX runs_to_do (wake_at')).toHaveLength(3)
})

test('whoever claims a run has it: the writes of the one before are refused', async () => {
  const old = await claimed()
  const fence = { ...old, owner: 'process-2' }
  expect(await world.store.runs.claimRun(LEEDS, old.runId, fence.owner, now)).toMatchObject({
    automationId: rule,
  })
  expect(await world.store.runs.readJournal(old)).toBeNull()
  expect(await world.store.runs.planEffects(old, 's1', [newRow()])).toBe(false)
  expect(await world.store.runs.planEffects(fence, 's1', [newRow()])).toBe(true)
  expect(await world.store.runs.beginSending(old, PLANNED, { writes: [], at: now })).toBe(false)
  expect(await world.store.runs.setRow(old, PLANNED, writeOf({ state: 'skipped' }))).toBe(false)
  expect(await world.store.runs.parkRun(old, '', { ...WAITS, state: 'held' })).toBe('lost')
  expect(await world.store.runs.claimRun(BRISBANE, old.runId, 'x', now)).toBeNull()
})

test('a step is planned once; only a plan that was put off gives way', async () => {
  const fence = await claimed()
  const none = { kind: 'none', class: 'none', summary: '' } as const
  const putOff = newRow({ effect: none, state: 'failed', nextAttemptAt: now + 1, attempt: 1 })
  expect(await world.store.runs.planEffects(fence, 's1', [putOff])).toBe(true)
  expect(await world.store.runs.planEffects(fence, 's1', [newRow(), newRow({ itemKey: '1' })])).toBe(true)
  expect(await world.store.runs.planEffects(fence, 's1', [newRow()])).toBe(false)
  expect(await world.store.runs.planEffects(fence, 's2', [newRow({ stepId: 's2' })])).toBe(true)
  const seen = await world.store.runs.readJournal(fence)
  expect(seen?.rows.map(({ stepId, itemKey, seq }) => [stepId, itemKey, seq])).toEqual([
    ['s1', '0', 1],
    ['s1', '1', 2],
    ['s2', '0', 3],
  ])
})

test('what was postponed is planned again as a whole, and never beside what was attempted', async () => {
  const fence = await claimed()
  const both = [newRow(), newRow({ itemKey: '1' })]
  const moved = writeOf({ state: 'planned', attempt: 0, errorClass: 'moved', result: null, nextAttemptAt: now + 1 })
  const postpone = (itemKey: string) => world.store.runs.setRow(fence, { ...PLANNED, itemKey }, moved)
  await world.store.runs.planEffects(fence, 's1', both)
  expect(await postpone('0')).toBe(true)
  expect(await world.store.runs.planEffects(fence, 's1', [newRow()])).toBe(false)
  expect(await postpone('1')).toBe(true)
  expect(await world.store.runs.planEffects(fence, 's1', both)).toBe(true)
  expect((await world.store.runs.readJournal(fence))?.rows).toMatchObject([{ errorClass: null }, { errorClass: null }])
  await postpone('0')
  await world.store.runs.beginSending(fence, { ...PLANNED, itemKey: '1' }, { writes: [], at: now })
  expect(await world.store.runs.planEffects(fence, 's1', both)).toBe(false)
  expect((await world.store.runs.readJournal(fence))?.rows).toMatchObject([
    { errorClass: 'moved' },
    { state: 'sending' },
  ])
})

test('a row is marked before it is sent, once, and own writes are noted with it', async () => {
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow()])
  const writes = [{ object: 'job', recordUuid: 'job-1', field: 'status', value: 'Quote', automationId: rule, hop: 1 }]
  expect(await world.store.runs.beginSending(fence, PLANNED, { writes, at: now })).toBe(true)
  expect(await world.store.runs.beginSending(fence, PLANNED, { writes, at: now })).toBe(false)
  expect((await world.store.runs.readJournal(fence))?.rows).toMatchObject([
    { state: 'sending', attempt: 1, sendingAt: now },
  ])
  expect(await world.store.triggers.ownWrites(LEEDS, 'job', 'job-1', now)).toEqual([
    { field: 'status', value: 'Quote', runId: fence.runId, automationId: rule, hop: 1, at: now },
  ])
})

test('the records of a run that did nothing for them are free again, all of a group', async () => {
  const ledger = (...records: string[]) =>
    records.map((recordUuid) => ({ recordUuid, occurrence: '-', expiresAt: null }))
  const group = async (...records: string[]) => {
    const [answer] = await world.store.runs.startRuns(
      LEEDS,
      [aWish(rule, records, now, { ledger: ledger(...records) })],
      now,
    )
    const runId = answer?.outcome === 'started' ? answer.runId : 0
    await world.store.runs.claimRun(LEEDS, runId, OWNER, now)
    return { accountUuid: LEEDS, runId, owner: OWNER }
  }
  const left = () => world.rows('SELECT record_uuid AS record FROM seen_ledger ORDER BY record_uuid')
  const passed = await group('a', 'b')
  const ending = { outcome: 'nothing', reason: null, cancelledReason: '', told: [], forgets: true, at: now } as const
  expect(await world.store.runs.finishRun(passed, '', ending)).toBe('parked')
  expect(left()).toEqual([])

  const part = await group('c', 'd', 'e')
  const notes = (...dropped: string[]) => ({ warnings: [], replacements: [], dropped })
  await world.store.runs.planEffects(part, 's1', [newRow({ notes: notes('c') })])
  expect(left()).toEqual([{ record: 'd' }, { record: 'e' }])
  await world.store.runs.beginSending(part, PLANNED, { writes: [], at: now })
  // The first step acted on it.
  await world.store.runs.planEffects(part, 's2', [newRow({ stepId: 's2', notes: notes('c', 'd') })])
  expect(left()).toEqual([{ record: 'd' }, { record: 'e' }])
})

test('what became of a try and the message it counts as are one act', async () => {
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow()])
  await world.store.runs.beginSending(fence, PLANNED, { writes: [], at: now })
  const message = { automationId: rule, channel: 'sms' as const, receiverHash: 'hash-1' }
  const row = { stepId: 's1', itemKey: '0', attempt: 1 }
  const tries = [{ at: now, endedAt: now + 5, outcome: 'sent' as const, sentence: null }]
  expect(await world.store.runs.endSending(BRISBANE, fence.runId, row, writeOf(), { message, writes: [] })).toBe(false)
  expect(await world.store.runs.endSending(LEEDS, fence.runId, row, writeOf({ tries }), { message, writes: [] })).toBe(
    true,
  )
  expect((await world.store.runs.readJournal(fence))?.rows).toMatchObject([
    { state: 'sent', result: { sms_id: '7' }, tries },
  ])
  expect(world.rows('SELECT receiver_hash AS hash FROM customer_message')).toEqual([{ hash: 'hash-1' }])
  // Said twice, it is counted once.
  expect(await world.store.runs.endSending(LEEDS, fence.runId, row, writeOf(), { message, writes: [] })).toBe(false)
  expect(world.rows('SELECT count(*) AS messages FROM customer_message')).toEqual([{ messages: 1 }])
})

test('the truth that something was sent is taken late and from anybody, anything else is not', async () => {
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow()])
  await world.store.runs.beginSending(fence, PLANNED, { writes: [], at: now })
  const row = { stepId: 's1', itemKey: '0', attempt: 1 }
  const message = { automationId: rule, channel: 'sms' as const, receiverHash: 'hash-1' }
  // Another process has taken over, and nobody could know.
  await world.store.runs.claimRun(LEEDS, fence.runId, 'process-2', now)
  await world.store.runs.endSending(LEEDS, fence.runId, row, writeOf({ state: 'unknown', result: null }), {
    message,
    writes: [],
  })
  expect(await world.store.runs.endSending(LEEDS, fence.runId, row, writeOf(), { message, writes: [] })).toBe(true)
  expect(world.rows('SELECT state FROM run_step')).toEqual([{ state: 'sent' }])
  expect(world.rows('SELECT count(*) AS messages FROM customer_message')).toEqual([{ messages: 1 }])
  expect(await world.store.runs.endSending(LEEDS, fence.runId, row, writeOf({ state: 'failed' }), NOTHING_MORE)).toBe(
    false,
  )
})

test('a run is put away only as it was seen: what a person decided meanwhile is not overlooked', async () => {
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow()])
  const held = writeOf({ state: 'held', attempt: 0, result: null })
  await world.store.runs.setRow(fence, PLANNED, held)
  const before = await world.store.runs.readJournal(fence)
  expect(await world.store.runs.releaseRuns(LEEDS, [fence.runId], { reason: 'Go on.', at: now })).toBe(1)
  const hold = { ...WAITS, state: 'held' as const }
  expect(await world.store.runs.parkRun(fence, before?.stamp ?? '', hold)).toBe('changed')
  const after = await world.store.runs.readJournal(fence)
  expect(after?.rows).toMatchObject([{ state: 'planned', released: true }])
  expect(await world.store.runs.parkRun(fence, after?.stamp ?? '', hold)).toBe('parked')
  expect(await world.store.runs.readJournal(fence)).toBeNull()
})

test('a run at work that is cancelled neither plans nor sends anything more, and is not put away', async () => {
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow()])
  const words = { reason: 'By hand.', rowReason: 'Not sent.', at: now }
  expect(await world.store.runs.cancelRun(LEEDS, fence.runId, words)).toEqual({ outcome: 'cancelling' })
  const seen = await world.store.runs.readJournal(fence)
  expect(seen?.cancelled).toEqual({ reason: 'By hand.' })
  expect(await world.store.runs.beginSending(fence, PLANNED, { writes: [], at: now })).toBe(false)
  expect(await world.store.runs.planEffects(fence, 's2', [newRow({ stepId: 's2' })])).toBe(false)
  expect(await world.store.runs.parkRun(fence, seen?.stamp ?? '', WAITS)).toBe('changed')
  const end = { outcome: 'cancelled' as const, reason: 'By hand.', cancelledReason: 'Not sent.', told: [], at: now }
  expect(await world.store.runs.finishRun(fence, seen?.stamp ?? '', end)).toBe('parked')
  expect(await world.run(fence.runId)).toMatchObject({
    state: 'done',
    outcome: 'cancelled',
    journal: [{ state: 'skipped', sentence: 'Not sent.' }],
  })
})

test('a waiting run with an effect that may be done is looked at before it is cancelled', async () => {
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow({ effect: anEffect('create') })])
  await world.store.runs.beginSending(fence, PLANNED, { writes: [], at: now })
  const seen = await world.store.runs.readJournal(fence)
  await world.store.runs.parkRun(fence, seen?.stamp ?? '', { ...WAITS, wakeAt: now + hours(1) })
  const words = { reason: 'By hand.', rowReason: 'Not sent.', at: now }
  expect(await world.store.runs.cancelRun(LEEDS, fence.runId, words)).toEqual({ outcome: 'cancelling' })
  await world.store.runs.claimRun(LEEDS, fence.runId, OWNER, now)
  expect((await world.store.runs.readJournal(fence))?.cancelled).toEqual({ reason: 'By hand.' })
})

test('deleting a rule ends its runs that have not begun, and only those', async () => {
  const begun = await claimed()
  await world.store.runs.planEffects(begun, 's1', [newRow()])
  const waiting = await started()
  const held = await started({ held: 'Ask me.' })
  expect(await world.store.automations.deleteAutomation(LEEDS, rule, { reason: 'Deleted.', at: now })).toBe(true)
  expect(world.rows('SELECT id, state, reason FROM run ORDER BY id')).toEqual([
    { id: begun.runId, state: 'running', reason: null },
    { id: waiting, state: 'done', reason: 'Deleted.' },
    { id: held, state: 'done', reason: 'Deleted.' },
  ])
  const again = await world.store.runs.claimRun(LEEDS, begun.runId, OWNER, now)
  expect(again?.rule).toMatchObject({ deleted: true, definition: { steps: [] } })
})

test('bringing a rule back brings back what its deletion ended, in its former state, and nothing else', async () => {
  const [waiting, held] = [await started(), await started({ held: 'Ask me.' })]
  const cancelled = await started()
  await world.store.runs.cancelRun(LEEDS, cancelled, { reason: 'By hand.', rowReason: 'Not sent.', at: now })
  const before = world.rows('SELECT id, state, outcome, wake_at, ended_at FROM run ORDER BY id')
  const deletedReason = { code: 'rule_deleted' }
  await world.store.automations.deleteAutomation(LEEDS, rule, { reason: deletedReason, at: now })
  expect(world.rows('SELECT DISTINCT state FROM run')).toEqual([{ state: 'done' }])
  const restored = { triggerKeyHash: null, deletedReason, reason: { code: 'rule_restored' }, at: now }
  const restore = (account: string, since: number) =>
    world.store.automations.restoreAutomation(account, rule, { ...restored, since })
  expect(await restore(BRISBANE, 0)).toBeNull()
  expect(await restore(LEEDS, now + 1)).toBeNull()
  expect(await restore(LEEDS, now)).toMatchObject({ id: rule, active: true })
  expect(await restore(LEEDS, now)).toBeNull()
  expect(world.rows('SELECT id, state, outcome, wake_at, ended_at FROM run ORDER BY id')).toEqual(before)
  expect(world.rows(`SELECT reason_code FROM run WHERE id IN (${waiting}, ${held})`)).toEqual([
    { reason_code: 'rule_restored' },
    { reason_code: 'rule_restored' },
  ])
})

test('counts for the guards see the rule, the account and the customer, each for itself', async () => {
  const second = await world.rule(aRule([]), LEEDS, 'Second')
  const theirs = await world.rule(aRule([]), BRISBANE)
  const insert = world.client.sql.prepare(
    "INSERT INTO customer_message (account_uuid, automation_id, run_id, channel, receiver_hash, at) VALUES (?, ?, 1, 'sms', ?, ?)",
  )
  insert.run(LEEDS, rule, 'old-key-hash', now - hours(30))
  insert.run(LEEDS, rule, 'other', now - minutes(30))
  insert.run(LEEDS, second, 'hash', now - hours(2))
  insert.run(BRISBANE, theirs, 'hash', now - 1)
  const question = {
    automationId: rule,
    runId: null,
    receiverHashes: ['hash', 'old-key-hash'],
    companyUuids: ['company-1'],
    jobUuids: ['job-1'],
    now,
    dayStart: now - hours(9),
    hourStart: now - hours(1),
  }
  expect(await world.store.runs.messageFacts(LEEDS, question)).toEqual({
    muted: null,
    byRuleToday: 1,
    byRuleLastHour: 1,
    byAccountToday: 2,
    lastByRule: now - hours(30),
    lastByAnyRule: now - hours(2),
    got: [],
  })
  // What a run sent itself is no earlier message.
  const ownRun = { lastByRule: null, lastByAnyRule: null, byAccountToday: 2 }
  expect(await world.store.runs.messageFacts(LEEDS, { ...question, runId: 1 })).toMatchObject(ownRun)
  await world.store.runs.saveMute(LEEDS, { kind: 'job', recordUuid: 'job-1', until: now + 5 }, now)
  await world.store.runs.saveMute(BRISBANE, { kind: 'company', recordUuid: 'company-1', until: null }, now)
  expect(await world.store.runs.messageFacts(LEEDS, question)).toMatchObject({ muted: { kind: 'job', until: now + 5 } })
  expect(await world.store.runs.messageFacts(LEEDS, { ...question, now: now + 5 })).toMatchObject({ muted: null })
  await world.store.runs.saveMute(LEEDS, { kind: 'job', recordUuid: 'job-1', until: null }, now)
  const mutes = await world.store.runs.listMutes(LEEDS, now + hours(1))
  expect(mutes).toMatchObject([{ kind: 'job', until: null }])
  expect(await world.store.runs.removeMute(BRISBANE, mutes[0]?.id ?? 0)).toBeNull()
  expect(await world.store.runs.removeMute(LEEDS, mutes[0]?.id ?? 0)).toMatchObject({
    recordUuid: mutes[0]?.recordUuid,
  })
})

test('runs on a record are known by their rule', async () => {
  await started()
  await started({ recordUuids: ['job-2'] })
  expect(await world.store.triggers.recentRuns(LEEDS, rule, 'job-1', now)).toEqual([now])
  expect(await world.store.triggers.recentRuns(BRISBANE, rule, 'job-1', 0)).toEqual([])
})

test('old runs go with their journals, oldest first, and what is not done stays', async () => {
  const long = hours(24 * 91)
  const fence = await claimed()
  await world.store.runs.planEffects(fence, 's1', [newRow({ state: 'skipped' })])
  const seen = await world.store.runs.readJournal(fence)
  await world.store.runs.finishRun(fence, seen?.stamp ?? '', {
    outcome: 'nothing',
    reason: null,
    cancelledReason: '',
    told: [],
    at: now,
  })
  const open = await started({ held: 'Ask me.' })
  now += long
  const young = await started()
  expect(await world.store.runs.forgetRunsStep(now - hours(24 * 90), 0, 1)).toEqual({
    removed: 1,
    nextId: fence.runId + 1,
  })
  expect(await world.store.runs.forgetRunsStep(now - hours(24 * 90), fence.runId + 1, 10)).toEqual({
    removed: 0,
    nextId: null,
  })
  expect(world.rows('SELECT id FROM run')).toEqual([{ id: open }, { id: young }])
  expect(world.rows('SELECT 1 FROM run_step')).toEqual([])
})

test('leftovers of each kind go when their time is over', async () => {
  const { sql } = world.client
  sql.prepare("INSERT INTO rule_verdict VALUES (?, 'a', ?, ?, 'fired', NULL, NULL)").run(rule, LEEDS, now - 10)
  sql.prepare("INSERT INTO rule_verdict VALUES (?, 'b', ?, ?, 'fired', NULL, NULL)").run(rule, LEEDS, now)
  sql.prepare("INSERT INTO seen_ledger VALUES (?, 'a', '-', NULL, 0, ?)").run(rule, now - 1)
  sql.prepare("INSERT INTO seen_ledger VALUES (?, 'b', '-', NULL, 0, NULL)").run(rule)
  sql.prepare("INSERT INTO own_write VALUES (?, 'job', 'a', 'status', 'x', 1, ?, 0, ?)").run(LEEDS, rule, now - 10)
  sql.prepare("INSERT INTO trigger_call VALUES (?, 'k', 1, ?)").run(rule, now - 1)
  sql
    .prepare(
      "INSERT INTO customer_message (account_uuid, automation_id, run_id, channel, receiver_hash, at) VALUES (?, ?, 1, 'sms', 'h', ?)",
    )
    .run(LEEDS, rule, now - 10)
  await world.store.runs.saveMute(LEEDS, { kind: 'job', recordUuid: 'a', until: now - 10 }, 0)
  for (const kind of ['verdict', 'ledger', 'own_write', 'trigger_call', 'message', 'mute'] as const) {
    expect([kind, await world.store.runs.forgetLeftoversStep(kind, now, 10)]).toEqual([kind, 1])
    expect([kind, await world.store.runs.forgetLeftoversStep(kind, now, 10)]).toEqual([kind, 0])
  }
  expect(world.rows('SELECT record_uuid AS record FROM seen_ledger')).toEqual([{ record: 'b' }])
})

test('a run counts once as a trouble of its rule: when it is told, or at its end', async () => {
  const told = [{ stepId: 's1', fingerprint: 'failing:1:unavailable', reason: 'No answer.' }]
  const count = () => world.rows('SELECT fingerprint, count FROM notice ORDER BY id')
  /** A run whose step failed that often, and its journal's state. */
  async function failed(attempt: number, nextAttemptAt: number | null) {
    const fence = await claimed()
    await world.store.runs.planEffects(fence, 's1', [newRow({ state: 'failed', attempt, nextAttemptAt })])
    const stamp = async () => (await world.store.runs.readJournal(fence))?.stamp ?? ''
    const end = { outcome: 'failure', reason: null, cancelledReason: '', told, at: now } as const
    return {
      fence,
      park: async () => world.store.runs.parkRun(fence, await stamp(), { ...WAITS, told, at: now }),
      end: async () => world.store.runs.finishRun(fence, await stamp(), end),
    }
  }
  // Its last try was never told before.
  const late = await failed(8, null)
  expect(await late.end()).toBe('parked')
  expect(count()).toEqual([{ fingerprint: told[0]?.fingerprint, count: 1 }])
  const lasting = await failed(4, 1)
  expect(await lasting.park()).toBe('parked')
  await world.store.runs.claimRun(LEEDS, lasting.fence.runId, OWNER, now)
  expect(await lasting.end()).toBe('parked')
  expect(count()).toEqual([{ fingerprint: told[0]?.fingerprint, count: 2 }])
  // Done once more, it fails once more.
  await world.store.runs.rerunFailed(LEEDS, lasting.fence.runId, { reason: 'Again.', at: now })
  await world.store.runs.claimRun(LEEDS, lasting.fence.runId, OWNER, now)
  expect(await lasting.end()).toBe('parked')
  expect(count()).toEqual([{ fingerprint: told[0]?.fingerprint, count: 3 }])
})

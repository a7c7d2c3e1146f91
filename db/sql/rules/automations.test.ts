import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import {
  type AutomationWorld,
  aRule,
  aStep,
  automationWorld,
  BRISBANE,
  LEEDS,
} from '#tests/support/automation-world.server.ts'

let world: AutomationWorld
let now: number
beforeEach(async () => {
  world = await automationWorld()
  now = world.clock.now()
})
afterEach(() => world.close())

const EVENTS = aRule([aStep('s1', 'create_task', { title: 'x', description: '' })])
const POLLED: RuleDefinition = {
  ...EVENTS,
  trigger: {
    source: 'api_polling',
    endpoint: '/api_1.0/job.json',
    method: 'GET',
    interval: 'daily',
    runTime: '08:00',
    weekday: 1,
    dayOfMonth: 1,
    workingDays: false,
    scheduleType: 'immediate',
    scheduleDate: null,
    scheduleRecurrence: null,
  },
}

function versionOf(id: number, version: number) {
  const found = 'SELECT name, definition FROM automation_version WHERE automation_id = ? AND version = ?'
  const row = world.client.sql.prepare(found).get(id, version) as { name: string; definition: string }
  return { name: row.name, definition: JSON.parse(row.definition) }
}

test('a rule is kept as it was given, and its first version with it', async () => {
  const id = await world.rule(EVENTS)
  expect(await world.store.automations.findAutomation(LEEDS, id)).toMatchObject({
    name: 'Quote check-in',
    active: true,
    triggerSource: 'webhook',
    watchedObject: 'job',
    version: 1,
    definition: EVENTS,
    activeSince: now,
    executionCount: 0,
    lastExecutedAt: null,
  })
  expect(versionOf(id, 1)).toEqual({
    name: 'Quote check-in',
    definition: EVENTS,
  })
  expect(await world.store.automations.findAutomation(BRISBANE, id)).toBeNull()
})

test('what a rule says makes a new version, switching it does not', async () => {
  const id = await world.rule(EVENTS)
  const change = (more: object) => world.store.automations.changeAutomation(LEEDS, id, { at: now + 1, ...more })
  expect(await change({ active: false })).toMatchObject({ version: 1, active: false, activeSince: null })
  expect(await change({ active: true })).toMatchObject({ version: 1, activeSince: now + 1 })
  expect(await world.store.automations.changeAutomation(LEEDS, id, { active: true, at: now + 9 })).toMatchObject({
    activeSince: now + 1,
  })
  expect(await change({ definition: EVENTS, name: 'Quote check-in' })).toMatchObject({ version: 1 })
  expect(await change({ definition: POLLED })).toMatchObject({
    version: 2,
    triggerSource: 'api_polling',
    watchedObject: null,
  })
  expect(await change({ name: 'Renamed' })).toMatchObject({ version: 3, name: 'Renamed', definition: POLLED })
  expect(versionOf(id, 1)).toMatchObject({ definition: EVENTS })
  expect(versionOf(id, 3)).toEqual({
    name: 'Renamed',
    definition: POLLED,
  })
  expect(await world.store.automations.changeAutomation(BRISBANE, id, { name: 'Theirs', at: now })).toBeNull()
})

test('lists are newest first and without what is deleted', async () => {
  const first = await world.rule(EVENTS)
  const second = await world.rule(POLLED)
  await world.rule(EVENTS, BRISBANE)
  expect((await world.store.automations.listAutomations(LEEDS)).map(({ id }) => id)).toEqual([second, first])
  expect(await world.store.automations.deleteAutomation(BRISBANE, first, { reason: 'x', at: now })).toBe(false)
  expect(await world.store.automations.deleteAutomation(LEEDS, first, { reason: 'x', at: now })).toBe(true)
  expect(await world.store.automations.deleteAutomation(LEEDS, first, { reason: 'x', at: now })).toBe(false)
  expect((await world.store.automations.listAutomations(LEEDS)).map(({ id }) => id)).toEqual([second])
})

test('events find the rules that watch their object, are on, and are not paused', async () => {
  const on = await world.rule(EVENTS)
  const off = await world.rule(EVENTS)
  const paused = await world.rule(EVENTS)
  await world.store.automations.changeAutomation(LEEDS, off, { active: false, at: now })
  await world.store.automations.changeAutomation(LEEDS, paused, { pausedReason: 'Reconnect', at: now })
  await world.rule(EVENTS, BRISBANE)
  expect((await world.store.automations.automationsWatching(LEEDS, 'job')).map(({ id }) => id)).toEqual([on])
  expect(await world.store.automations.automationsWatching(LEEDS, 'company')).toEqual([])
  expect(await world.store.automations.findAutomation(LEEDS, paused)).toMatchObject({
    pausedReason: 'Reconnect',
    pausedAt: now,
  })
})

test('the clock finds the rules that are due, the longest due first', async () => {
  const due: number[] = []
  for (const nextRunAt of [now, now - 10, now + 5]) {
    const id = await world.rule(POLLED)
    await world.store.automations.changeAutomation(LEEDS, id, { nextRunAt, at: now })
    due.push(id)
  }
  expect((await world.store.automations.dueAutomations(now, 10)).map(({ id }) => id)).toEqual([due[1], due[0]])
  expect((await world.store.automations.dueAutomations(now, 1)).map(({ id }) => id)).toEqual([due[1]])
  expect(await world.store.automations.nextAutomationDueAt()).toBe(now - 10)
})

test('a manual rule is found by the hash of its key, until the key changes or the rule is deleted', async () => {
  const id = await world.rule({ ...EVENTS, trigger: { source: 'manual_endpoint' } })
  await world.store.automations.changeAutomation(LEEDS, id, { triggerKey: { hash: 'h1', sealed: 's1' }, at: now })
  expect(await world.store.automations.findAutomationByTriggerKey('h1')).toMatchObject({ id, triggerKeySealed: 's1' })
  await world.store.automations.changeAutomation(LEEDS, id, { triggerKey: { hash: 'h2', sealed: 's2' }, at: now })
  expect(await world.store.automations.findAutomationByTriggerKey('h1')).toBeNull()
  await world.store.automations.deleteAutomation(LEEDS, id, { reason: 'x', at: now })
  expect(await world.store.automations.findAutomationByTriggerKey('h2')).toBeNull()
})

test('rules pause by themselves one by one or all together, and only their own pause is taken back', async () => {
  const first = await world.rule(EVENTS)
  const second = await world.rule(EVENTS)
  const theirs = await world.rule(EVENTS, BRISBANE)
  expect(await world.store.runs.pauseAutomations(LEEDS, { automationId: first, reason: 'scope', at: now })).toBe(1)
  expect(await world.store.runs.pauseAutomations(LEEDS, { automationId: null, reason: 'reconnect', at: now })).toBe(1)
  expect(await world.store.runs.pauseAutomations(LEEDS, { automationId: null, reason: 'reconnect', at: now })).toBe(0)
  expect(await world.store.runs.pausedAutomations()).toEqual([
    { accountUuid: LEEDS, automationId: first, reason: 'scope', pausedAt: now },
    { accountUuid: LEEDS, automationId: second, reason: 'reconnect', pausedAt: now },
  ])
  expect(await world.store.runs.resumeAutomations(LEEDS, ['reconnect'], now)).toBe(1)
  expect(await world.store.automations.findAutomation(LEEDS, first)).toMatchObject({ pausedReason: 'scope' })
  expect(await world.store.automations.findAutomation(LEEDS, second)).toMatchObject({
    pausedReason: null,
    pausedAt: null,
  })
  expect(await world.store.automations.findAutomation(BRISBANE, theirs)).toMatchObject({ pausedReason: null })
})

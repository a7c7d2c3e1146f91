// What is written and not saved is kept for a while, for its account alone, sealed, and never without bounds.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import { type SteppingClock, steppingClock } from '#tests/support/stepping-clock.ts'
import { testApp } from '#tests/support/test-app.server.ts'
import { setValue } from '../form/form-change.ts'
import { emptyForm } from '../form/form-state.ts'
import { findDraft, keepDraft } from './form-drafts.server.ts'

let clock: SteppingClock
let world: ReturnType<typeof testApp>
beforeEach(() => {
  clock = steppingClock()
  world = testApp(clock)
  for (const uuid of [LEEDS, BRISBANE]) account(uuid)
})
afterEach(() => world.close())

function account(uuid: string): void {
  world.run("INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, '', 'UTC', 1, 1)", uuid)
}

const called = (name: string) => setValue(emptyForm(), 'name', name)
const keep = (account: string, name: string, before?: string | null) =>
  keepDraft(world.app, account, called(name), before)
const nameOf = async (token: string | null, account = LEEDS) =>
  (await findDraft(world.app, account, token))?.values.name

test('it is found by its token for two hours, and by nobody else', async () => {
  const token = await keep(LEEDS, 'Half')
  const found = [nameOf(token), nameOf(token, BRISBANE), nameOf('x'), nameOf(null)]
  expect(await Promise.all(found)).toEqual(['Half', undefined, undefined, undefined])
  expect(await keepDraft(world.app, LEEDS, emptyForm())).toBeNull()
  await clock.run(hours(2) - minutes(1))
  expect(await nameOf(token)).toBe('Half')
  await clock.run(minutes(1))
  expect(await nameOf(token)).toBeUndefined()
})

test('it comes back whole, and nothing of it can be read in the database', async () => {
  const state = { ...called('Ring Ann Baker'), ruleId: 7, next: 3 }
  const row = { key: 'c1', field: 'status', operator: 'equals', value: 'Quote', logicalOperator: 'AND' }
  const written = { ...state, conditions: [row, { ...row, key: 'c2', value: 'Bäcker 🧰' }] }
  const token = await keepDraft(world.app, LEEDS, written)
  expect(await findDraft(world.app, LEEDS, token)).toEqual(written)
  const stored = JSON.stringify(world.rows('SELECT * FROM form_draft'))
  for (const secret of ['Baker', 'Bäcker', token ?? '-']) expect(stored).not.toContain(secret)
})

test('one that cannot be opened any more is as if it were not there', async () => {
  const token = await keep(LEEDS, 'Half')
  world.run("UPDATE form_draft SET form_sealed = 'v1.k1.x.y.z'")
  expect(await nameOf(token)).toBeUndefined()
})

test('the same form goes on under its token; that of another account begins a new one', async () => {
  const token = await keep(LEEDS, 'Half')
  expect(await keep(LEEDS, 'More', token)).toBe(token)
  expect(await nameOf(token)).toBe('More')
  const theirs = await keep(BRISBANE, 'Theirs', token)
  expect([theirs === token, await nameOf(token), await nameOf(theirs, BRISBANE)]).toEqual([false, 'More', 'Theirs'])
})

test('who presses a lot pushes out only their own oldest', async () => {
  const theirs = await keep(BRISBANE, 'Theirs')
  const mine: (string | null)[] = []
  for (let index = 0; index < 12; index++) mine.push(await keep(LEEDS, `Mine ${index}`))
  expect(await Promise.all(mine.map((token) => nameOf(token)))).toEqual([
    undefined,
    undefined,
    ...Array.from({ length: 10 }, (_, index) => `Mine ${index + 2}`),
  ])
  expect(await nameOf(theirs, BRISBANE)).toBe('Theirs')
})

test('of long ones all accounts together keep only so much', async () => {
  const long = 'x'.repeat(1_000_000)
  const tokens: (string | null)[] = []
  for (let index = 0; index < 20; index++) {
    account(`account-${index}`)
    tokens.push(await keep(`account-${index}`, long))
  }
  const names = await Promise.all(tokens.map((token, index) => nameOf(token, `account-${index}`)))
  expect(names.map((name) => name !== undefined)).toEqual([
    ...Array.from({ length: 5 }, () => false),
    ...Array.from({ length: 15 }, () => true),
  ])
})

test('what has expired goes by itself, and the hourly job looks for it', async () => {
  await keep(LEEDS, 'Half')
  await clock.run(hours(2))
  expect(world.rows('SELECT id FROM form_draft')).toHaveLength(1)
  expect(await world.app.store.accounts.forgetExpired(0)).toBe(1)
  expect(world.rows('SELECT id FROM form_draft')).toEqual([])
})

// What is written and not saved is kept for a while, for its account alone, and never without bounds.
import { beforeEach, expect, test } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { BRISBANE, LEEDS } from '#tests/support/automation-world.server.ts'
import { type SteppingClock, steppingClock } from '#tests/support/stepping-clock.ts'
import { setValue } from '../form/form-change.ts'
import { emptyForm } from '../form/form-state.ts'
import { findDraft, keepDraft } from './form-drafts.server.ts'

let clock: SteppingClock
let app: Pick<App, 'store' | 'clock'>
beforeEach(() => {
  clock = steppingClock()
  // Only what the drafts belong to: nothing of it is read or written.
  app = { store: {} as App['store'], clock }
})

const called = (name: string) => setValue(emptyForm(), 'name', name)
const nameOf = (token: string | null, account = LEEDS) => findDraft(app, account, token)?.values.name

test('it is found by its token for two hours, and by nobody else', async () => {
  const token = keepDraft(app, LEEDS, called('Half'))
  expect([nameOf(token), nameOf(token, BRISBANE), nameOf('x'), nameOf(null)]).toEqual([
    'Half',
    undefined,
    undefined,
    undefined,
  ])
  expect(keepDraft(app, LEEDS, emptyForm())).toBeNull()
  await clock.run(hours(2) - minutes(1))
  expect(nameOf(token)).toBe('Half')
  await clock.run(minutes(1))
  expect(nameOf(token)).toBeUndefined()
})

test('the same form goes on under its token; that of another account begins a new one', () => {
  const token = keepDraft(app, LEEDS, called('Half'))
  expect(keepDraft(app, LEEDS, called('More'), token)).toBe(token)
  expect(nameOf(token)).toBe('More')
  expect(keepDraft(app, BRISBANE, called('Theirs'), token)).not.toBe(token)
  expect(nameOf(token)).toBe('More')
})

test('who presses a lot pushes out only their own oldest', () => {
  const theirs = keepDraft(app, BRISBANE, called('Theirs'))
  const mine = Array.from({ length: 12 }, (_, index) => keepDraft(app, LEEDS, called(`Mine ${index}`)))
  expect(mine.map((token) => nameOf(token))).toEqual([
    undefined,
    undefined,
    ...Array.from({ length: 10 }, (_, index) => `Mine ${index + 2}`),
  ])
  expect(nameOf(theirs, BRISBANE)).toBe('Theirs')
})

test('of long ones all accounts together keep only so much', () => {
  const long = 'x'.repeat(1_000_000)
  const tokens = Array.from({ length: 20 }, (_, index) => keepDraft(app, `account-${index}`, called(long)))
  const kept = tokens.filter((token, index) => nameOf(token, `account-${index}`) !== undefined)
  expect(kept.length).toBe(15)
  expect(nameOf(tokens[19] ?? null, 'account-19')).toBe(long)
})

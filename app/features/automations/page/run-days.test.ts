import { expect, test } from 'vitest'
import { days, hours } from '#app/lib/duration.ts'
import { MOST_RUNS_READ, monthText, RUN_DAYS, runDaysOf } from './run-days.ts'

const NOW = Date.UTC(2026, 10, 24, 12)
const run = (ago: number, outcome: string | null = 'success', automationId = 1) => ({
  automationId,
  createdAt: NOW - ago,
  outcome,
})

test('runs are counted by rule and day of the account, failures apart, and only those that acted', () => {
  const found = runDaysOf(
    [run(0), run(hours(1), 'partial'), run(0, 'success', 2), run(days(1), 'failure'), run(0, null), run(0, 'nothing')],
    NOW,
    'Europe/London',
  )
  expect(found.get(1)?.ran.slice(-2)).toEqual([0, 1])
  expect(found.get(1)?.failed.slice(-2)).toEqual([1, 1])
  expect(found.get(1)?.says).toBe('Last 30 days: 3 runs, 2 failed')
  expect(found.get(2)?.says).toBe('Last 30 days: 1 run, 0 failed')
  expect(found.get(1)?.ran).toHaveLength(RUN_DAYS)
})

test('the day is the account’s, and what is older than 30 days is left out', () => {
  const inAuckland = runDaysOf([run(hours(2)), run(days(30))], NOW, 'Pacific/Auckland')
  expect(inAuckland.get(1)?.ran.slice(-2)).toEqual([1, 0])
  expect(inAuckland.get(1)?.says).toBe('Last 30 days: 1 run, 0 failed')
})

test('of a busy account only whole days are shown, and the sentence says since when', () => {
  const many = Array.from({ length: MOST_RUNS_READ }, (_, index) => run(Math.floor((index / MOST_RUNS_READ) * days(3))))
  const own = runDaysOf(many, NOW, 'UTC').get(1)
  expect(own?.says).toMatch(/^Since 22 November: 4,167 runs, 0 failed$/)
  expect(own?.ran.slice(0, -3)).toEqual(Array.from({ length: RUN_DAYS - 3 }, () => 0))
})

test('the month says what went out, or nothing', () => {
  expect(monthText({ sms: 42, email: 3 })).toBe('This month: 42 texts, 3 e-mails to customers.')
  expect(monthText({ sms: 0, email: 1 })).toBe('This month: 1 e-mail to customers.')
  expect(monthText({ sms: 0, email: 0 })).toBe('')
})

import { expect, test } from 'vitest'
import { readHistory } from './history-page.server.ts'

const read = (query: string, zone = 'Europe/London') => readHistory(new URLSearchParams(query), zone)

test('an empty form asks for everything, one more than is shown', () => {
  expect(read('')).toMatchObject({
    outcome: 'query',
    query: { limit: 26, before: null, automationId: null, status: null, since: null, until: null, text: null },
  })
})

test('days are of the account, and the last one is included', () => {
  expect(read('from=2026-06-01&until=2026-06-01', 'Australia/Brisbane')).toMatchObject({
    query: { since: Date.UTC(2026, 4, 31, 14), until: Date.UTC(2026, 5, 1, 14) },
  })
})

test('a day on which the clock changes is as long as it is', () => {
  expect(read('from=2026-03-29&until=2026-03-29')).toMatchObject({
    query: { since: Date.UTC(2026, 2, 29), until: Date.UTC(2026, 2, 29, 23) },
  })
})

test('everything that can be asked is read', () => {
  const record = '11111111-0000-4000-8000-00000000000A'
  expect(read(`text= Smith &rule=4&status=needs_you&record=${record}&before=90`)).toMatchObject({
    form: { text: 'Smith' },
    query: { text: 'Smith', automationId: 4, status: 'needs_you', recordUuid: record.toLowerCase(), before: 90 },
  })
})

test.each([
  ['rule=x', 'rule'],
  ['status=odd', 'status'],
  ['from=2026-02-30', 'from'],
  ['until=tomorrow', 'until'],
  ['from=2026-03-02&until=2026-03-01', 'until'],
  ['record=%', 'record'],
  ['before=-1', 'before'],
])('%s is refused at its field, and stays as typed', (query, field) => {
  const answer = read(query)
  expect(answer.outcome).toBe('invalid')
  expect(answer.outcome === 'invalid' && Object.keys(answer.errors)).toEqual([field])
})

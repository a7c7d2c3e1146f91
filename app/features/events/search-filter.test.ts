import { describe, expect, test } from 'vitest'
import { NO_FILTER } from '#tests/support/sample-deliveries.ts'
import {
  cursorText,
  readSearchForm,
  readSearchQuery,
  type SearchedWebhook,
  type SearchRead,
  searchChoices,
} from './search-filter.ts'

const LONDON = 'Europe/London'
const WEBHOOKS: SearchedWebhook[] = [
  { key: 12, endpointId: 5, object: 'job', name: null, url: 'https://hooks.zapier.com/hooks/catch/1' },
  { key: 13, endpointId: 6, object: 'note', name: null, url: '' },
  { key: 'rule-3', endpointId: 7, object: 'job', name: 'Accounts', url: 'https://example.com/in' },
]
const read = (query: string) => readSearchQuery(new URLSearchParams(query), WEBHOOKS)
const typed = (query: string, zone = LONDON) => readSearchForm(new URLSearchParams(query), zone, WEBHOOKS)

function filterOf(asked: SearchRead) {
  if (asked.outcome !== 'question') throw new Error(asked.message)
  return asked.question.filter
}

function errorsOf(asked: SearchRead) {
  return asked.outcome === 'invalid' ? asked.errors : {}
}

describe('a search', () => {
  test('that asks for nothing finds everything, 50 at a time', () => {
    for (const asked of [
      read(''),
      typed('accountUUID=a&admin=yes&id=&status=&code=&object=&record=&field=&from=&until='),
    ]) {
      expect(asked).toMatchObject({
        outcome: 'question',
        question: { pasted: null, filter: NO_FILTER, before: null, limit: 50 },
      })
    }
  })

  test.each([
    ['status=waiting', { status: 'waiting' }],
    ['status=not_forwarded', { status: 'not_forwarded' }],
    ['code=404', { code: { kind: 'exact', code: 404 } }],
    ['code=4XX', { code: { kind: 'group', first: 4 } }],
    ['code=5xx', { code: { kind: 'group', first: 5 } }],
    ['code=none', { code: { kind: 'none' } }],
    ['object=Job Activity', { object: 'jobactivity' }],
    ['record=5F1C3A52-7A33-4F0E-9C41-2F4E7A0B1C9D', { record: '5f1c3a52-7a33-4f0e-9c41-2f4e7a0b1c9d' }],
    ['field= status ', { field: 'status' }],
    ['webhook=12', { webhook: { endpointId: 5, object: 'job' } }],
    ['webhook=rule-3', { webhook: { endpointId: 7, object: 'job' } }],
  ])('reads %s', (query, filter) => {
    expect(filterOf(read(query))).toMatchObject({ ...NO_FILTER, ...filter })
    expect(filterOf(typed(query))).toMatchObject({ ...NO_FILTER, ...filter })
  })

  test.each([
    'status=broken',
    'webhook=99',
    'webhook=rule-12',
    'webhook=012',
    'webhook=job',
    'code=abc',
    'code=99',
    'code=6xx',
    'code=600',
    'object=<b>',
    'record=two words',
    'field=a,b',
    `id=${'x'.repeat(101)}`,
    'from=yesterday',
    'until=2026-02-31T10:00',
    'before=12',
    'before=-1.5',
  ])('refuses %s and names the field', (query) => {
    for (const asked of [read(query), typed(query)]) {
      expect(asked.outcome).toBe('invalid')
      expect(Object.keys(errorsOf(asked))).toEqual([query.split('=')[0]])
    }
  })

  test('refuses texts that are far too long, whichever field they are in', () => {
    const long = 'x'.repeat(8_000)
    for (const name of ['id', 'status', 'webhook', 'code', 'object', 'record', 'field', 'from', 'until', 'before']) {
      expect(errorsOf(typed(`${name}=${long}`))).toHaveProperty(name)
    }
  })

  test('goes on behind the row a cursor names', () => {
    const asked = read(`before=${cursorText({ seq: 12, deliveryId: 34 })}`)
    expect(asked).toMatchObject({ question: { before: { seq: 12, deliveryId: 34 } } })
  })
})

describe('times', () => {
  test('of the form are those of the account, to the end of the minute', () => {
    const { from, until } = filterOf(typed('from=2026-07-01T09:00&until=2026-07-01T09:00'))
    expect(from).toBe(Date.UTC(2026, 6, 1, 8, 0))
    expect(until).toBe(Date.UTC(2026, 6, 1, 8, 0, 59, 999))
    expect(filterOf(typed('until=2026-07-01T09:00:30')).until).toBe(Date.UTC(2026, 6, 1, 8, 0, 30))
    expect(filterOf(typed('from=2026-07-01T09:00', 'Australia/Brisbane')).from).toBe(Date.UTC(2026, 5, 30, 23, 0))
  })

  test('of a call carry their zone', () => {
    expect(filterOf(read('from=2026-07-01T09:00:00%2B10:00')).from).toBe(Date.UTC(2026, 5, 30, 23, 0))
    expect(errorsOf(read('from=2026-07-01T09:00'))).toEqual({
      from: ['Must be a date and time with its zone, like 2026-11-21T09:00:00Z'],
    })
  })

  test('that end before they begin are refused', () => {
    expect(errorsOf(typed('from=2026-07-01T09:01&until=2026-07-01T09:00'))).toEqual({
      until: ['This is before the start.'],
    })
  })
})

test('the address of the page may carry what it likes', () => {
  expect(typed('utm_source=mail').outcome).toBe('question')
})

describe('a call', () => {
  test('may ask for fewer lines, not for more', () => {
    expect(read('limit=5')).toMatchObject({ question: { limit: 5 } })
    for (const limit of ['0', '51', '-1', '1e1', 'many'])
      expect(errorsOf(read(`limit=${limit}`))).toHaveProperty('limit')
  })
})

test('what was typed is kept, right or wrong', () => {
  expect(typed('id=42&code=oops').form).toEqual({
    id: '42',
    status: '',
    webhook: '',
    code: 'oops',
    object: '',
    record: '',
    field: '',
    from: '',
    until: '',
  })
})

test('the choice of webhooks names each as the list of webhooks does', () => {
  expect(searchChoices(typed('').form, WEBHOOKS).webhooks).toEqual([
    ['12', 'Job → hooks.zapier.com'],
    ['13', 'Note'],
    ['rule-3', 'Accounts'],
  ])
})

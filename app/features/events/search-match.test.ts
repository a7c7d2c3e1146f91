import { describe, expect, test } from 'vitest'
import type { SearchedRow } from '#app/domain/deliveries/stored-delivery.ts'
import { hours } from '#app/lib/duration.ts'
import { NO_FILTER } from '#tests/support/sample-deliveries.ts'
import { matchesSearch, type SearchFilter } from './search-match.ts'

const NOW = Date.UTC(2026, 0, 5, 9, 0)
const NO_TARGET = { seq: null, deliveryId: null, endpointId: null, records: null }

function row(over: Partial<NonNullable<SearchedRow['delivery']>> | null = {}): SearchedRow {
  return {
    seq: 7,
    object: 'job',
    objectUuid: 'Record-1',
    changedFields: ['status', 'Completion_Date'],
    receivedAt: NOW - hours(2),
    delivery:
      over === null
        ? null
        : {
            id: 3,
            endpointId: 5,
            cause: 'live',
            state: 'pending',
            attempts: 2,
            dueAt: NOW + hours(1),
            deadlineAt: NOW + hours(70),
            createdAt: NOW - hours(2),
            codes: [500, null],
            address: {
              url: 'https://example.com',
              state: 'active',
              holdUntil: null,
              holdReason: null,
              breaker: 'closed',
              nextProbeAt: null,
            },
            ...over,
          },
  }
}

const matches = (filter: Partial<SearchFilter>, given = row(), target = {}) =>
  matchesSearch(given, { ...NO_FILTER, ...filter }, { ...NO_TARGET, ...target }, NOW)

describe('a delivery is found', () => {
  test('by its status', () => {
    expect([matches({ status: 'waiting' }), matches({ status: 'held' })]).toEqual([true, false])
    expect(matches({ status: 'failed' }, row({ state: 'expired' }))).toBe(true)
    expect(matches({ status: 'not_forwarded' })).toBe(false)
    expect(matches({ status: 'not_forwarded' }, row(null))).toBe(true)
  })

  test('by how one of its attempts was answered', () => {
    expect(matches({ code: { kind: 'exact', code: 500 } })).toBe(true)
    expect(matches({ code: { kind: 'exact', code: 200 } })).toBe(false)
    expect(matches({ code: { kind: 'group', first: 5 } })).toBe(true)
    expect(matches({ code: { kind: 'group', first: 4 } })).toBe(false)
    expect(matches({ code: { kind: 'none' } })).toBe(true)
    expect(matches({ code: { kind: 'none' } }, row({ codes: [200] }))).toBe(false)
    expect(matches({ code: { kind: 'none' } }, row({ codes: [] }))).toBe(false)
    expect(matches({ code: { kind: 'none' } }, row(null))).toBe(false)
  })

  test('by its object, its record and a changed field, whatever their case', () => {
    expect([matches({ object: 'job' }), matches({ object: 'note' })]).toEqual([true, false])
    expect([matches({ record: 'record-1' }), matches({ record: 'record' })]).toEqual([true, false])
    expect(matches({ field: 'completion_date' })).toBe(true)
    expect(matches({ field: 'completion' })).toBe(false)
  })

  test('by when its event came in, the first and the last moment included', () => {
    const at = NOW - hours(2)
    expect(matches({ from: at, until: at })).toBe(true)
    expect(matches({ from: at + 1 })).toBe(false)
    expect(matches({ until: at - 1 })).toBe(false)
  })

  test('by what a pasted id leads to', () => {
    expect(matches({}, row(), { deliveryId: 3 })).toBe(true)
    expect(matches({}, row(), { deliveryId: 4 })).toBe(false)
    expect(matches({}, row(), { endpointId: 5 })).toBe(true)
    expect(matches({}, row(), { endpointId: 6 })).toBe(false)
    expect(matches({}, row(null), { endpointId: 5 })).toBe(false)
    expect(matches({}, row(), { records: new Set(['record-2']) })).toBe(false)
    expect(matches({}, row(), { records: new Set(['record-1']) })).toBe(true)
    expect(matches({}, row(), { deliveryId: 4, records: new Set(['record-1']) })).toBe(true)
    expect(matches({}, row(), { deliveryId: 3, records: new Set(['record-2']) })).toBe(true)
  })
})

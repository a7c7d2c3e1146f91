import { describe, expect, it } from 'vitest'
import { readRecord, readRecords, readSubscriptions, readVendor } from './servicem8.server.ts'

describe('the account', () => {
  it('is the one record of vendor.json', () => {
    const record = { uuid: 'ABC-1', name: ' Brisbane Plumbing ', timezone_name: 'Australia/Brisbane' }
    expect(readVendor([{ ...record, email: ' office@brisbane.example ' }])).toEqual({
      uuid: 'abc-1',
      name: 'Brisbane Plumbing',
      timezone: 'Australia/Brisbane',
      email: 'office@brisbane.example',
    })
    expect(readVendor([record])?.email).toBe('')
  })

  it.each([[[]], [[{}, {}]], [{ name: 'no uuid' }], [null], ['text'], [[{ uuid: '' }]]])('is not %j', (body) => {
    expect(readVendor(body)).toBeNull()
  })

  it.each(['', 'Mars/Olympus', undefined])('has UTC as its zone when the platform says %j', (zone) => {
    expect(readVendor([{ uuid: 'a', timezone_name: zone }])?.timezone).toBe('UTC')
  })
})

describe('the list of subscriptions', () => {
  it('is read in every spelling of its flags and fields', () => {
    const common = { callback_url: 'https://a.example/x' }
    expect(
      readSubscriptions([
        { ...common, uuid: '1', type: 'object', object: 'Job', fields: ['status', 'date'], active: true },
        {
          ...common,
          uuid: '2',
          object: 'note',
          fields: 'note, create_date',
          active: '1',
          last_failure_at: '0000-00-00 00:00:00',
        },
        {
          ...common,
          uuid: '3',
          type: 'event',
          event: 'job.created',
          active: 0,
          last_failure_reason: 'Failed for 12 hours',
          last_failure_at: '2026-01-05 07:00:00',
        },
      ]),
    ).toEqual([
      {
        uuid: '1',
        kind: 'object',
        subject: 'job',
        callbackUrl: 'https://a.example/x',
        fields: ['status', 'date'],
        active: true,
        lastFailureReason: null,
        lastFailureAt: null,
      },
      {
        uuid: '2',
        kind: 'object',
        subject: 'note',
        callbackUrl: 'https://a.example/x',
        fields: ['note', 'create_date'],
        active: true,
        lastFailureReason: null,
        lastFailureAt: null,
      },
      {
        uuid: '3',
        kind: 'event',
        subject: 'job.created',
        callbackUrl: 'https://a.example/x',
        fields: [],
        active: false,
        lastFailureReason: 'Failed for 12 hours',
        lastFailureAt: '2026-01-05 07:00:00',
      },
    ])
  })

  it('loses entries without uuid or address, and is nothing when it is no list', () => {
    expect(readSubscriptions([{ uuid: '1' }, { callback_url: 'https://a' }, 7, null])).toEqual([])
    expect(readSubscriptions({ message: 'OK' })).toBeNull()
  })
})

describe('records', () => {
  it('are the objects of a list', () => {
    expect(readRecords([{ uuid: '1' }, 'x', null, [1]])).toEqual([{ uuid: '1' }])
    expect(readRecords({})).toBeNull()
  })

  it('come alone or as a list of one', () => {
    expect(readRecord({ uuid: '1' })).toEqual({ uuid: '1' })
    expect(readRecord([{ uuid: '1' }])).toEqual({ uuid: '1' })
    expect(readRecord([])).toBeNull()
    expect(readRecord('OK')).toBeNull()
  })
})

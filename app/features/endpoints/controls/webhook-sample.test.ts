import { expect, test } from 'vitest'
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { sampleEvent } from './test-webhook.server.ts'

const NOW = Date.UTC(2026, 0, 5, 22, 30, 5)

test('a sample has the shape of the platform, with the local time of the account', () => {
  const sample = sampleEvent('Job', [], NOW, 'Australia/Brisbane')
  expect(sample).toMatchObject({ object: 'job', objectUuid: SAMPLE_UUID, changedFields: ['status', 'work_order_date'] })
  expect(JSON.parse(sample.body)).toEqual({
    object: 'job',
    entry: [{ uuid: SAMPLE_UUID, changed_fields: ['status', 'work_order_date'], time: '2026-01-06 08:30:05' }],
    resource_url: `https://api.servicem8.com/api_1.0/job/${SAMPLE_UUID}.json`,
  })
})

test('a sample names fields the webhook watches, so that it looks like what will come', () => {
  expect(sampleEvent('job', ['date', 'status'], NOW, 'UTC').changedFields).toEqual(['status'])
  expect(sampleEvent('job', ['badges'], NOW, 'UTC').changedFields).toEqual(['badges'])
  expect(sampleEvent('staff', [], NOW, 'UTC').changedFields).toEqual(['active'])
})

test('every object of the catalogue has a sample of its own fields', () => {
  for (const kind of OBJECT_KINDS) {
    const { changedFields } = sampleEvent(kind.type, [], NOW, 'Mars/Olympus')
    expect(changedFields.length, kind.type).toBeGreaterThan(0)
    for (const field of changedFields) expect(kind.watchFields, kind.type).toContain(field)
  }
})

import { expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { asText, causedBy, changesBetween, isLateNews, markedNew, snapshotFields } from './changes.ts'

test('a changed field is told with what it was and what it is', () => {
  const before = snapshotFields({ status: 'Quote', queue_uuid: '' })
  expect(changesBetween(before, snapshotFields({ status: 'Work Order', queue_uuid: '' }))).toEqual([
    { field: 'status', from: 'Quote', to: 'Work Order' },
  ])
})

test('at first sight no change is known', () => {
  expect(changesBetween(null, snapshotFields({ status: 'Completed' }))).toEqual([])
})

test('a field the platform begins to list is no change', () => {
  expect(changesBetween({ status: 'Quote' }, { status: 'Quote', colour: 'red' })).toEqual([])
})

test('the edit date alone is no news', () => {
  expect(changesBetween({ edit_date: '2026-01-01 10:00:00' }, { edit_date: '2026-01-01 10:00:05' })).toEqual([])
})

test('flags, numbers and empty dates compare as the same text however they are written', () => {
  expect([asText('1'), asText(1), asText(true)]).toEqual(['1', '1', '1'])
  expect([asText(null), asText('0000-00-00 00:00:00'), asText(undefined)]).toEqual(['', '', ''])
})

test('a long text is kept short and a change in its middle is still seen', () => {
  const long = 'x'.repeat(5_000)
  const other = `${'x'.repeat(2_500)}y${'x'.repeat(2_499)}`
  const before = snapshotFields({ job_description: long })
  expect(before.job_description?.length).toBeLessThan(40)
  expect(changesBetween(before, snapshotFields({ job_description: other }))).toHaveLength(1)
  expect(changesBetween(before, snapshotFields({ job_description: long }))).toEqual([])
})

const WRITE = { field: 'status', value: 'Completed', runId: 7, automationId: 3, hop: 1, at: 0 }

test('a change with the value our run wrote is ours, stamps of the platform beside it included', () => {
  const changes = [
    { field: 'status', from: 'Work Order', to: 'Completed' },
    { field: 'completion_date', from: '', to: '2026-03-01 10:00:00' },
  ]
  expect(causedBy(changes, [WRITE])).toBe(WRITE)
})

test('one field that a person changed in the same save makes it theirs', () => {
  const changes = [
    { field: 'status', from: 'Work Order', to: 'Completed' },
    { field: 'job_address', from: 'A', to: 'B' },
  ]
  expect(causedBy(changes, [WRITE])).toBeNull()
})

test('a value that ServiceM8 gives back in its own form is ours; a hashed text is compared exactly', () => {
  const [date, long] = ['2026-12-06', 'x'.repeat(5_000)]
  const ours = (field: string, value: string, now: string) => {
    const write = { ...WRITE, field, value }
    return causedBy([{ field, from: '', to: snapshotFields({ [field]: now })[field] ?? '' }], [write]) === write
  }
  expect(ours('date', date, `${date} 00:00:00`)).toBe(true)
  expect(ours('work_done_description', 'Two\nlines', 'Two\r\nlines')).toBe(true)
  expect(ours('date', date, '2026-12-06 08:00:00')).toBe(false)
  expect([ours('total', '5', '5.00'), ours('purchase_order_number', '7', '007')]).toEqual([true, false])
  expect([ours('job_description', long, long), ours('job_description', long, `${long}x`)]).toEqual([true, false])
})

test('the same field with another value is not ours', () => {
  expect(causedBy([{ field: 'status', from: 'Completed', to: 'Quote' }], [WRITE])).toBeNull()
})

test('late news is a named field of a record that was first seen, as new, two minutes ago at most', () => {
  const seen = markedNew({ status: 'Completed' }, 1_000)
  const at = 1_000 + minutes(2)
  expect(isLateNews(seen, ['lat', 'status'], at)).toBe(true)
  expect(isLateNews(seen, ['status'], at + 1)).toBe(false)
  // The platform moves these by itself.
  expect(isLateNews(seen, ['edit_date', 'lat', 'completion_date'], at)).toBe(false)
  expect(isLateNews(seen, [], at)).toBe(false)
  expect(isLateNews({ status: 'Completed' }, ['status'], at)).toBe(false)
  expect(isLateNews(null, ['status'], at)).toBe(false)
  expect(changesBetween(seen, { status: 'Completed' })).toEqual([])
})

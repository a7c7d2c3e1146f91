import { expect, test } from 'vitest'
import { planHoldText } from '#app/domain/plan-hold.ts'
import { sampleHit } from '#tests/support/sample-deliveries.ts'
import { fieldsShown } from './fields-shown.ts'
import { receiverName, sentAgainFlash, shortAddress, troublesOf } from './search-view.ts'

test.each([
  ['https://hooks.example.com/catch/1?a=b', 'hooks.example.com/catch/1'],
  ['https://example.com/', 'example.com'],
  ['https://hooks.example.com/hooks/catch/123456/abcdef', 'hooks.example.com/…/abcdef'],
  ['https://hooks.example.com/0123456789abcdef0123456789', 'hooks.example.com/…ef0123456789'],
  ['https://a-very-long-host-name.of.a.customer.example.com', 'a-very-long-host-name.of.a.customer.example.com'],
])('%s is short for a row', (url, short) => {
  expect(shortAddress(url)).toBe(short)
})

test('the status comes first, and fields that hold ids do not come', () => {
  expect(fieldsShown(['completion_actioned_by_uuid', 'completion_date', 'status'])).toBe('status, completion_date')
})

test('of each event only the newest delivery counts, and only what failed is sent again', () => {
  const of = (eventId: string, over: Parameters<typeof sampleHit>[0]) => ({ ...sampleHit(over), eventId })
  const failed = { status: 'failed', sentence: 'Not delivered after 72 hours.' } as const
  const hits = [
    of('a', { ...failed, id: 9 }),
    of('a', { ...failed, id: 5 }),
    of('b', { id: 8 }),
    of('b', { ...failed, id: 4 }),
    of('c', { ...failed, id: 7, canSendAgain: false }),
    of('d', { ...failed, id: 3 }),
    of('e', { ...failed, id: 2, status: 'held' }),
    of('f', { ...failed, id: 1, status: 'waiting', attempts: 0 }),
    // A filter hides the delivery that its address got later.
    of('g', { ...failed, id: 6, deliveredSince: true }),
    sampleHit(null),
  ]
  expect(troublesOf(hits)).toMatchObject([{ count: 5, again: [9, 3] }])
})

test('two rules with one address are two groups, each with its name', () => {
  const failed = { status: 'failed', sentence: 'It hung.' } as const
  const of = (id: number, rule: string) => ({ ...sampleHit({ ...failed, id, endpointId: id, rule }), eventId: 'a' })
  const troubles = troublesOf([of(1, 'Big jobs'), of(2, 'Small jobs')])
  expect(troubles.map((one) => [receiverName(one), one.again])).toEqual([
    ['Big jobs (hooks.example.com/catch/1)', [1]],
    ['Small jobs (hooks.example.com/catch/1)', [2]],
  ])
  expect(receiverName({ url: 'https://example.com/', rule: null })).toBe('example.com')
})

const HELD = `${planHoldText('unpaid')}. Until then everything waits, for 72 hours at most.`

test.each([
  [1, 1, null, null, 'Sent again', 'Its page shows the result.'],
  [3, 3, null, null, 'Sent again', '3 new deliveries are on their way.'],
  [2, 3, 'It is too old.', null, '2 of 3 sent again', 'It is too old.'],
  [0, 3, null, null, 'Failed to send again', 'This delivery is no longer kept.'],
  [3, 3, null, 'unpaid', 'On hold', HELD],
  [3, 4, 'It is too old.', 'unpaid', '3 of 4 wait', `It is too old. ${HELD}`],
  [1, 4, null, 'unpaid', '1 of 4 waits', `This delivery is no longer kept. ${HELD}`],
  [0, 3, null, 'unpaid', 'Failed to send again', 'This delivery is no longer kept.'],
])('%i of %i sent again (%s, on hold %s): %s', (sent, asked, why, hold, title, description) => {
  expect(sentAgainFlash(sent, asked, why, hold)).toMatchObject({ title, description })
})

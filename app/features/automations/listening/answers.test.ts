import { expect, test } from 'vitest'
import { days, minutes } from '#app/lib/duration.ts'
import { newAnswers } from './answers.ts'

// 02:00 BST becomes 01:00 GMT at 01:00 UTC. The conversation begins at 01:45 BST.
const openedAt = Date.UTC(2026, 9, 25, 0, 45)
const at = { now: openedAt + minutes(30), zone: 'Europe/London' }

function rowAt(hour: number, minute: number) {
  const wall = Date.UTC(2026, 9, 25, hour, minute)
  return {
    uuid: 'h1',
    inbound: true,
    about: 'job',
    to: '',
    from: '+447700900001',
    text: 'STOP',
    wall,
    bounced: false,
    opened: null,
  }
}

test('an answer in the hour that comes twice is heard, at its second time', () => {
  expect(newAnswers([rowAt(1, 10)], { openedAt }, [], at)).toMatchObject([{ writtenAt: Date.UTC(2026, 9, 25, 1, 10) }])
})

test('what was written before the conversation began is no answer to it', () => {
  expect(newAnswers([rowAt(0, 30)], { openedAt }, [], at)).toEqual([])
})

test('an answer that is forgotten after 90 days is not new again, though the conversation goes on', () => {
  const later = { ...at, now: openedAt + days(91) }
  expect(newAnswers([rowAt(2, 30)], { openedAt }, [], later)).toEqual([])
  expect(newAnswers([rowAt(2, 30)], { openedAt }, [], { ...at, now: openedAt + days(80) })).toHaveLength(1)
})

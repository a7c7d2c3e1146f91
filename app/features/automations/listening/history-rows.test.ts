import { expect, test } from 'vitest'
import { replyMatches, saysStop } from '../rules/reply.ts'
import { readHistory } from './history-rows.ts'

const wordsOf = (message: string, channel: 'sms' | 'email' = 'email') =>
  readHistory([{ uuid: 'h1', direction: 'inbound', message }], channel)[0]?.text ?? ''

const OURS = 'Shall we keep a place for you? Reply LATER to wait, STOP to hear no more.'

test.each([
  ['Gmail', `STOP\r\n\r\nOn Sat, 28 Nov 2026 at 10:00, Alder & Finch <\r\noffice@example.com> wrote:\r\n\r\n> ${OURS}`],
  ['Apple Mail', `Stop\n\nSent from my iPhone\n\n> On 28 Nov 2026, at 10:00, Alder wrote:\n> ${OURS}`],
  ['Outlook', `STOP\n\n________________________________\nFrom: Alder & Finch\nSent: 28 November 2026\n\n${OURS}`],
  ['Outlook without a line', `STOP\n\nFrom: Alder & Finch <office@example.com>\nSent: Saturday\n\n${OURS}`],
  ['an older one', `STOP\n\n-----Original Message-----\n${OURS}`],
  ['a German one', `STOP\n\nAm 28.11.2026 um 10:00 schrieb Alder & Finch:\n> ${OURS}`],
  ['a signature', 'STOP\n-- \nJoan Hartley\n07700 900001'],
])('an answer by e-mail is what the customer wrote, without what %s adds', (_who, message) => {
  expect(saysStop(wordsOf(message))).toBe(true)
})

test('words of our own e-mail start no rule, and a yes above them is a plain yes', () => {
  const words = wordsOf(`Yes please\n\nOn 28/11/2026 10:00, Alder & Finch wrote:\n> ${OURS}`)
  expect(replyMatches({ match: 'words', words: 'later' }, words)).toBe(false)
  expect(replyMatches({ match: 'yes', words: '' }, words)).toBe(true)
})

test('nothing of the customer is lost', () => {
  for (const said of [
    'From: 9 to 12 suits me',
    'Hello\nOn Monday we wrote: no reply',
    'On my way -- soon\nle matin',
    '> a\n\nYes',
  ]) {
    expect(wordsOf(said)).toBe(said)
  }
  expect(wordsOf('On Monday\n> yes', 'sms')).toBe('On Monday\n> yes')
})

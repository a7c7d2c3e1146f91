import { expect, test } from 'vitest'
import { answerSettledFlash } from './history-text.ts'

test.each([
  ['went_on', 0, 'Nothing was waiting.'],
  ['went_on', 1, '1 message to them can go now. Quiet hours and limits still apply.'],
  ['went_on', 2, '2 messages to them can go now. Quiet hours and limits still apply.'],
  ['stopped', 1, '1 message to them is left out.'],
  ['stopped', 2, '2 messages to them are left out.'],
] as const)('an answer is settled: %s, %i waiting', (state, messages, words) => {
  expect(answerSettledFlash(state, { outcome: 'settled', messages }).description).toBe(words)
})

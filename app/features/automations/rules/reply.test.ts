import { describe, expect, test } from 'vitest'
import { replyMatches, replyPhrases, replyProblem, sampleReply, saysStop, settlesAnswer } from './reply.ts'

describe('which answers start a rule', () => {
  test.each(['YES', 'yes please!', 'Yep, thanks.', 'JA', 'Sí', 'Ok great', 'Confirmed 👍'])(
    '%s is a plain yes',
    (text) => {
      expect(replyMatches({ match: 'yes', words: '' }, text)).toBe(true)
      expect(replyMatches({ match: 'no', words: '' }, text)).toBe(false)
    },
  )

  test.each(['Yes but later', 'yesterday', 'Is it ok?', 'please', '', '👍', 'No'])('%s is none', (text) => {
    expect(replyMatches({ match: 'yes', words: '' }, text)).toBe(false)
  })

  test.each(['NO', 'No thanks', 'nein danke'])('%s is a plain no', (text) => {
    expect(replyMatches({ match: 'no', words: '' }, text)).toBe(true)
  })

  test.each(['No problem', 'not sure', 'Nobody is in'])('%s is none', (text) => {
    expect(replyMatches({ match: 'no', words: '' }, text)).toBe(false)
  })

  test('words count as whole words, in any case, and phrases in their order', () => {
    const reply = { match: 'words', words: 'later,  Another Day ;résumé' } as const
    expect(replyMatches(reply, 'Could you come LATER?')).toBe(true)
    expect(replyMatches(reply, 'another day suits me')).toBe(true)
    expect(replyMatches(reply, 'My résumé.')).toBe(true)
    expect(replyMatches(reply, 'the day after, another')).toBe(false)
    expect(replyMatches(reply, 'collateral')).toBe(false)
  })

  test('any answer, and a rule that does not say', () => {
    expect(replyMatches({ match: 'any', words: '' }, '?')).toBe(true)
    expect(replyMatches(undefined, '?')).toBe(true)
  })

  test('a sample starts its own rule, and only a yes needs nobody', () => {
    for (const match of ['any', 'yes', 'no', 'words'] as const) {
      const reply = { match, words: 'later' }
      expect(replyMatches(reply, sampleReply(reply))).toBe(true)
      expect(settlesAnswer(reply)).toBe(match === 'yes')
    }
  })
})

test('words that no answer can have are refused', () => {
  expect(replyProblem({ match: 'words', words: ' , ' })).toContain('at least one word')
  expect(replyProblem({ match: 'words', words: 'later, ?!' })).toContain('"?!"')
  expect(replyProblem({ match: 'words', words: 'Stop' })).toContain('"Stop"')
  expect(replyProblem({ match: 'words', words: 'later' })).toBeNull()
  expect(replyProblem({ match: 'any', words: '' })).toBeNull()
  expect(replyPhrases('a, b,a')).toEqual(['a', 'b'])
  expect(saysStop(' Stop! ')).toBe(true)
})

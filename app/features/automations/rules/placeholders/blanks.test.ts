import { describe, expect, it } from 'vitest'
import { blankAt, blankLabel, blanksIn, replaceBlanks } from './blanks.ts'
import { openBlanks } from './placeholder-syntax.ts'

describe('a blank', () => {
  it('is what stands in double brackets, without the space around it', () => {
    expect(blanksIn('Dear [[ Name ]], [[Firm]] [x] [[]] [[a]b]]')).toEqual(['Name', 'Firm'])
    expect(blankAt('x [[ Name ]]', 2)).toEqual({ written: '[[ Name ]]', label: 'Name' })
    expect(blankAt('x [[ Name ]]', 1)).toBeNull()
    expect([blankLabel('[[ Name ]]'), blankLabel('[[Name]] x'), blankLabel('[[ ]]')]).toEqual(['Name', null, null])
  })

  it('is open although nothing is written in it, and too long to be one from a hundred characters on', () => {
    expect(blanksIn('[[ ]]')).toEqual([' '])
    expect(blanksIn(`[[${'a'.repeat(101)}]]`)).toEqual([])
  })

  it('is filled in where there is an answer', () => {
    expect(replaceBlanks('[[a]] [[ b ]] [[c]]', (label) => (label === 'b' ? 'B$&' : null))).toBe('[[a]] B$& [[c]]')
  })

  it('is found, or not, in a moment: whatever is repeated, and however many spaces stand in it', () => {
    const began = performance.now()
    for (const text of [
      `[[${' '.repeat(100_000)}`,
      '[[a'.repeat(30_000),
      `[[${' x'.repeat(50_000)}`,
      '[[ '.repeat(30_000),
    ]) {
      openBlanks(text)
      blanksIn(text)
      blankLabel(text)
      replaceBlanks(text, () => null)
    }
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

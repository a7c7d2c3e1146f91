import { expect, test } from 'vitest'
import { remembered } from './remembered.ts'

test('an answer is worked out once, and so many are kept at most', () => {
  const asked: string[] = []
  const lengthOf = remembered(2, (text) => {
    asked.push(text)
    return { length: text.length }
  })
  expect(lengthOf('one')).toBe(lengthOf('one'))
  expect([lengthOf('three').length, lengthOf('four').length, lengthOf('three').length]).toEqual([5, 4, 5])
  expect(asked).toEqual(['one', 'three', 'four'])
  lengthOf('one')
  expect(asked).toEqual(['one', 'three', 'four', 'one'])
})

test('what throws is asked again', () => {
  let times = 0
  const second = remembered(2, (text) => {
    if (++times === 1) throw new Error('not yet')
    return text
  })
  expect(() => second('a')).toThrow('not yet')
  expect(second('a')).toBe('a')
})

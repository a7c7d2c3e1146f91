import { expect, test } from 'vitest'
import { eachMethod, methodsOf, withMethods } from './families.ts'

const numbers = {
  small: { one: async () => 1, two: async () => 2 },
  large: { hundred: async () => 100 },
}

test('a method is replaced in the family that has it, and nowhere else', async () => {
  const changed = withMethods(numbers, { hundred: async () => 101 })
  expect([await changed.large.hundred(), await changed.small.one(), Object.keys(changed.small)]).toEqual([
    101,
    1,
    ['one', 'two'],
  ])
  expect(await numbers.large.hundred()).toBe(100)
})

test('each method is put through, under its name', async () => {
  const called: string[] = []
  const counted = eachMethod(numbers, (name, method) => async (...given) => {
    called.push(name)
    return method(...given)
  })
  expect(await counted.small.two()).toBe(2)
  expect(await methodsOf(counted).hundred()).toBe(100)
  expect(called).toEqual(['two', 'hundred'])
})

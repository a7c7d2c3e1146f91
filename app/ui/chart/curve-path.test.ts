import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CURVE, curvePath, curveX, curveY } from './curve.tsx'

test('a line begins and ends at the base, and equal neighbours are one step', () => {
  expect(curvePath([0, 5, 5, 5, 10], 5, 10)).toBe('M0 100V100L250 50H750L1000 0V100')
  expect(curvePath([4], 5, 8)).toBe('M0 100V50V100')
  expect(curvePath([], 5, 8)).toBe('')
})

test('what is unknown interrupts the line', () => {
  expect(curvePath([null, 1, null, 1], 4, 1)).toBe('M333 100V0V100M1000 100V0V100')
  expect(curvePath([null, null], 2, 1)).toBe('')
})

test('nothing leaves the box, and no number is odd', () => {
  const value = fc.option(fc.double({ min: -1e9, max: 1e12, noNaN: true }))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 100 }), fc.double({ min: -1, max: 1e9, noNaN: true }), (values, most) => {
      const path = curvePath(values, 100, most)
      expect(path).toMatch(/^([MLHV]\d+( \d+)?)*$/)
      for (const [number] of path.matchAll(/\d+/g)) expect(Number(number)).toBeLessThanOrEqual(CURVE.wide)
    }),
  )
})

test('one day of quarters takes less than a kilobyte', () => {
  const busy = Array.from({ length: 96 }, (_, n) => (n * 37) % 100)
  expect(curvePath(busy, 96, 100).length).toBeLessThan(900)
})

test('a single place is at the left, and without a top all is at the base', () => {
  expect(curveX(0, 1)).toBe(0)
  expect(curveY(5, 0)).toBe(CURVE.high)
})

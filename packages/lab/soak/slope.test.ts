import { expect, test } from 'vitest'
import { afterWarmUp, slopeOf } from './slope.ts'

test('the slope of points on a line is that of the line', () => {
  expect(slopeOf([0, 1, 2, 3].map((x) => [x, 40 + 2.5 * x]))).toBeCloseTo(2.5, 12)
  expect(slopeOf([0, 1, 2, 3].map((x) => [x, 7]))).toBe(0)
})

test('noise that goes up and down leaves hardly any slope', () => {
  const points = Array.from({ length: 60 }, (_, x) => [x, 50 + (x % 2 === 0 ? 5 : -5)] as const)
  expect(Math.abs(slopeOf(points))).toBeLessThan(0.01)
})

test('without two different moments there is no slope', () => {
  expect(slopeOf([])).toBeNaN()
  expect(slopeOf([[3, 1]])).toBeNaN()
  expect(
    slopeOf([
      [3, 1],
      [3, 9],
    ]),
  ).toBeNaN()
})

test('the beginning is left out by time, not by number of points', () => {
  const points = [0, 1, 2, 3, 10, 30].map((x) => [x, 1] as const)
  expect(afterWarmUp(points, 1 / 6).map(([x]) => x)).toEqual([10, 30])
  expect(afterWarmUp([], 1 / 6)).toEqual([])
})

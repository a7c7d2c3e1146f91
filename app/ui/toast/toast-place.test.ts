import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freePlace } from './toaster.tsx'

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 375, height: 812 }
const SIZE = { width: 448, height: 90 }
const WIDE = { width: 375, height: 80 }
const at = (left: number, top: number, width = 100, height = 44) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
})

describe('the place of a message', () => {
  test.each([
    ['the lower right corner', DESK, SIZE, [], { left: 832, top: 710 }],
    ['the lower left one', DESK, SIZE, [at(1100, 740)], { left: 0, top: 710 }],
    ['the upper right one', DESK, SIZE, [at(1100, 740), at(10, 740)], { left: 832, top: 0 }],
    ['the upper left one', DESK, SIZE, [at(1100, 740), at(10, 740), at(1100, 10)], { left: 0, top: 0 }],
    ['below the controls', DESK, SIZE, [at(0, 700, 1280, 100), at(0, 0, 1280, 100)], { left: 832, top: 104 }],
    ['the top of a phone', PHONE, WIDE, [], { left: 0, top: 0 }],
    ['its bottom', PHONE, WIDE, [at(10, 10)], { left: 0, top: 732 }],
    ['between two controls', PHONE, WIDE, [at(0, 0, 375, 100), at(0, 700, 375, 112)], { left: 0, top: 104 }],
    ['where the least is covered', PHONE, WIDE, [at(0, 0, 375, 752), at(0, 752, 10, 60)], { left: 0, top: 732 }],
  ])('is %s', (_name, screen, size, controls, place) => {
    expect(freePlace(screen, size, controls)).toEqual(place)
  })

  test('covers no control where one of the corners is free, and stays on the screen', () => {
    const corner = fc.tuple(fc.integer({ min: 0, max: 1180 }), fc.integer({ min: 0, max: 756 }))
    fc.assert(
      fc.property(fc.array(corner, { maxLength: 12 }), (places) => {
        const controls = places.map(([left, top]) => at(left, top))
        const covers = ({ left, top }: { left: number; top: number }) =>
          controls.some((one) => one.left < left + 448 && one.right > left && one.top < top + 90 && one.bottom > top)
        const chosen = freePlace(DESK, SIZE, controls)
        const corners = [832, 0].flatMap((left) => [710, 0].map((top) => ({ left, top })))
        if (corners.some((one) => !covers(one))) expect(covers(chosen)).toBe(false)
        expect(chosen.left + 448).toBeLessThanOrEqual(1280)
        expect(chosen.top + 90).toBeLessThanOrEqual(800)
      }),
    )
  })
})

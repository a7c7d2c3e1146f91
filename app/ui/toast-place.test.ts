import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freePlace } from './toast-place.ts'

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 375, height: 812 }
const SIZE = { width: 448, height: 90 }
const at = (left: number, top: number, width = 100, height = 44) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
})

describe('the place of a message', () => {
  test.each([
    [DESK, [], 'bottom right'],
    [DESK, [at(1100, 740)], 'bottom left'],
    [DESK, [at(1100, 740), at(10, 740)], 'top right'],
    [DESK, [at(1100, 740), at(10, 740), at(1100, 10)], 'top left'],
    [PHONE, [], 'top'],
    [PHONE, [at(10, 10)], 'bottom'],
  ])('%j with %j is %s', (screen, controls, place) => {
    expect(freePlace(screen, SIZE, controls)).toBe(place)
  })

  test('covers no control when one of the corners is free', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1180 }), fc.integer({ min: 0, max: 756 })), { maxLength: 12 }),
        (places) => {
          const controls = places.map(([left, top]) => at(left, top))
          const corners = {
            'bottom right': at(832, 710, 448, 90),
            'bottom left': at(0, 710, 448, 90),
            'top right': at(832, 0, 448, 90),
            'top left': at(0, 0, 448, 90),
          }
          const covers = (box: ReturnType<typeof at>) =>
            controls.some(
              (one) => one.left < box.right && one.right > box.left && one.top < box.bottom && one.bottom > box.top,
            )
          const chosen = freePlace(DESK, SIZE, controls)
          const free = Object.values(corners).some((box) => !covers(box))
          expect(covers(corners[chosen as keyof typeof corners])).toBe(!free)
        },
      ),
    )
  })
})

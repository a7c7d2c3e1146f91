import { expect, it } from 'vitest'
import { personMs } from './hands.ts'

it('a press costs a thought, a way and a press; a field its keys and the move to them', () => {
  expect(personMs({ presses: 1, fields: 0, keys: 0 })).toBe(2_650)
  expect(personMs({ presses: 0, fields: 1, keys: 10 })).toBe(2_650 + 400 + 2_800)
  expect(personMs({ presses: 2, fields: 1, keys: 0 })).toBe(3 * 2_650 + 400)
})

// No text makes a function work much longer than its length says. `npm run prove:growth` tries every unit of every grammar.
import { expect, test } from 'vitest'
import { measureGrowth } from '#tests/support/growth/growth.ts'

test('work and memory grow with the length of a text, wherever one comes in', { timeout: 300_000 }, async () => {
  const found = await measureGrowth(process.cwd(), { whole: false })
  expect(found.faults).toEqual([])
  expect(found.places).toBeGreaterThan(200)
  expect(found.trials).toBeGreaterThan(4_000)
})

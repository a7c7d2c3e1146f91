// No text makes a function work much longer than its length says. `npm run prove:growth` tries every unit of every grammar.
import { expect, test } from 'vitest'
import { SLOW_BEFORE } from '#lab/growth/before.ts'
import { growthOf } from '#lab/growth/measure.ts'
import { measureGrowth } from '#lab/growth/run.ts'
import { trialsOfEntrance } from '#lab/growth/trials.ts'

test('work and memory grow with the length of a text, wherever one comes in', { timeout: 300_000 }, async () => {
  const found = await measureGrowth(process.cwd(), { whole: false })
  expect(found.faults).toEqual([])
  expect(found.places).toBeGreaterThan(200)
  expect(found.trials).toBeGreaterThan(4_000)
})

test.each(SLOW_BEFORE)('what was slow once is found: $name', (entrance) => {
  const found = trialsOfEntrance(entrance, false).some((trial) => growthOf(trial).fault !== null)
  expect(found).toBe(true)
})

// The short version of `npm run prove:time`.
import { expect, test } from 'vitest'
import { runSeed } from '#lab/time/run.server.ts'
import { SABOTAGES } from '#lab/time/sabotage.ts'

/** Between them they meet every ending: all works again, nothing ever does, some events are refused to their last try. */
const SEEDS = [6, 9, 11]

test.each(SEEDS)('72 hours of everything that can happen agree with the model: seed %i', async (seed) => {
  const { violations, trail, deliveries, seen } = await runSeed({ seed, hours: 72, auditEvery: 40 })
  if (violations.length > 0) console.log(`${trail.join('\n')}\nAgain: npm run prove:time -- --seed ${seed}`)
  expect(violations).toEqual([])
  expect(deliveries).toBeGreaterThan(300)
  expect(seen['take-over']).toBeGreaterThan(5)
})

test.each([
  'holds are not heeded',
  'records are mixed up',
  'ids change with every attempt',
  'what is brought forward gets a time of its own',
])('the model notices when %s', async (name) => {
  const { violations } = await runSeed({ seed: 11, hours: 72, auditEvery: 40, ...sabotage(name) })
  expect(violations).not.toEqual([])
})

function sabotage(name: string) {
  const fault = SABOTAGES[name]
  if (!fault) throw new Error(`there is no fault called "${name}"`)
  return { sabotage: fault }
}

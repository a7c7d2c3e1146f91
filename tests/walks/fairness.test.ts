// The short version of `npm run prove:fair`: by order and number, not by the clock. How long anybody waits is shown there, and in
// pretend time in app/engine/lanes-fairness.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { measure, type Scenario } from '#lab/fair/measure.server.ts'
import { type Receivers, startReceivers } from '#lab/fair/receivers.ts'

const LOAD = { rate: 300, seconds: 2.5, seed: 1 }
/** Longer than all of it takes: nobody gets a slot back from an address that hangs. */
const timeoutMs = 120_000

let receivers: Receivers
beforeAll(async () => {
  receivers = await startReceivers(50)
})
afterAll(() => receivers.close())

test.each<Scenario>([
  { name: '60 of 200 addresses hang', hanging: 60, timeoutMs },
  { name: '60 of 200 addresses fall silent under load', hanging: 60, from: 0.3, timeoutMs },
])('everybody else gets everything once before a single attempt at the others has ended: $name', async (scenario) => {
  const measured = await measure(scenario, LOAD, receivers)
  expect(measured.expected).toBeGreaterThan(400)
  expect(measured.others).toBeGreaterThan(60)
  expect(measured).toMatchObject({ delivered: measured.expected, duplicates: 0, timedOut: 0 })
})

test('while one account floods, everybody else gets everything once before the flood has passed', async () => {
  const flood = { times: 10, answersAfterMs: 3_000 }
  const measured = await measure({ name: 'one account floods', hanging: 0, flood, timeoutMs }, LOAD, receivers)
  expect(measured.expected).toBeGreaterThan(400)
  expect(measured).toMatchObject({ delivered: measured.expected, duplicates: 0 })
  expect(measured.othersArrived).toBeLessThan(measured.others)
})

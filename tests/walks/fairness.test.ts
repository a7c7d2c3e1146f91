// The short version of `npm run prove:fair`.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Measured, measure, type Scenario } from '#tests/support/proof-fair.server.ts'
import { type Receivers, startReceivers } from '#tests/support/proof-fair-receivers.ts'

const LOAD = { rate: 300, seconds: 2.5, seed: 1 }

let receivers: Receivers
beforeAll(async () => {
  receivers = await startReceivers(50)
})
afterAll(() => receivers.close())

/** 100 ms on a quiet machine. One that is late by itself, whatever runs, makes everybody wait a few times as long. */
function bar({ engineLagP99, receiverLagP99 }: Measured): number {
  return 100 + 10 * (engineLagP99 + receiverLagP99)
}

test.each<Scenario>([
  { name: 'while 60 of 200 addresses hang', hanging: 60 },
  { name: 'while 60 of 200 addresses fall silent under load', hanging: 60, from: 0.3 },
  { name: 'while one account floods', hanging: 0, flood: { times: 10, answersAfterMs: 300 } },
])('everybody else gets everything, once and without waiting, $name', async (scenario) => {
  const measured = await measure(scenario, LOAD, receivers)
  expect(measured.expected).toBeGreaterThan(400)
  expect(measured).toMatchObject({ delivered: measured.expected, duplicates: 0 })
  expect(measured.p99).toBeLessThanOrEqual(bar(measured))
})

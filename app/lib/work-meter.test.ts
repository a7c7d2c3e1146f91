import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asCaller, noteActing, noteProved, workGoesOn } from './caller.server.ts'
import { endWork, type Meter, workFor } from './work-meter.server.ts'

const newMeter = (): Meter => ({ ms: 0, account: null })

/** Keeps the processor busy. */
function work(ms: number): void {
  const until = process.cpuUsage().user / 1_000 + ms
  while (process.cpuUsage().user / 1_000 < until) Math.sqrt(Math.random())
}

test('of requests that take turns each pays for its own, and nobody for waiting', async () => {
  const heavy = newMeter()
  const light = newMeter()
  const request = (meter: Meter, parts: number[]) =>
    asCaller(
      '192.0.2.1',
      async () => {
        workFor(meter)
        for (const ms of parts) {
          await setImmediate()
          workGoesOn()
          work(ms)
        }
        await setTimeout(30)
        endWork(meter)
      },
      meter,
    )
  await Promise.all([request(heavy, [40, 40, 40]), request(light, [0, 0, 0, 0, 0, 0])])
  expect(heavy.ms).toBeGreaterThan(90)
  expect(light.ms).toBeLessThan(heavy.ms / 4)
})

test('work that nobody asked for is nobody’s, and after its end a request pays nothing', () => {
  const meter = newMeter()
  workFor(meter)
  workGoesOn()
  work(30)
  expect(meter.ms).toBeLessThan(15)
  workFor(meter)
  endWork(meter)
  const { ms } = meter
  work(20)
  workFor(null)
  expect(meter.ms).toBe(ms)
})

test('the account that pays is the one acted for, else the first of the session', () => {
  const meter = newMeter()
  asCaller(
    '192.0.2.1',
    () => {
      noteProved([{ accountUuid: 'a', staffUuid: null }])
      expect(meter.account).toBe('a')
      noteActing('b')
      noteProved([{ accountUuid: 'a', staffUuid: null }])
    },
    meter,
  )
  expect(meter.account).toBe('b')
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SteppingClock, steppingClock } from '#tests/support/stepping-clock.ts'
import type { Log } from '../lib/log.ts'
import { createDeliveryPump, type DeliveryPump, type PumpEndpoint } from './delivery-pump.server.ts'
import type { LaneGate } from './lane-endpoint.ts'

const OPEN: LaneGate = { closed: false, opensAt: 0, probing: false }
const CLOSED: LaneGate = { ...OPEN, closed: true }

/** Of one or more endpoints at once. */
interface Reading {
  ids: number[]
  end(gate?: LaneGate): Promise<void>
}

let clock: SteppingClock
let readings: Reading[]
let started: number[][]
let sent: number[]
let waiting: number[]
let pump: DeliveryPump

const endpoint = (endpointId: number, gate: LaneGate): PumpEndpoint => ({ endpointId, account: 'a', gate })

beforeEach(() => {
  clock = steppingClock()
  readings = []
  started = []
  sent = []
  waiting = [1, 2]
  pump = createDeliveryPump<{ id: number; endpointId: number; dueAt: number }, number>({
    clock,
    log: silent,
    ownership: ({ onHeld }) => ({
      start: () => void onHeld(() => true),
      holds: () => true,
      owns: () => true,
      release: async () => {},
      lastRunAt: () => null,
      turns: () => 1,
    }),
    ports: {
      takeOver: async () => {},
      endpointsWithWork: async () => waiting.map((id) => endpoint(id, OPEN)),
      changedElsewhere: async () => false,
      adopt(ids) {
        started.push(ids)
        return new Promise((resolve) => {
          const reading = {
            ids,
            async end(gate = OPEN) {
              readings = readings.filter((one) => one !== reading)
              resolve(ids.map((id) => endpoint(id, gate)))
              await clock.settle()
            },
          }
          readings.push(reading)
        })
      },
      due: async (wants) =>
        wants.map(({ endpointId, kind }) =>
          kind === 'live' && !sent.includes(endpointId) ? [{ id: endpointId, record: '', dueAt: 0 }] : [],
        ),
      load: async (ids) => ids.map((id) => ({ id, endpointId: id, dueAt: 0 })),
      async deliver({ endpointId }) {
        sent.push(endpointId)
        return endpointId
      },
      settle: async (ids) => ids.map((id) => ({ id, dueAt: null, result: 'success', gate: OPEN })),
      trialWrite: async () => {},
      rest: async () => {},
      endRest: async () => {},
    },
  })
})

afterEach(async () => {
  const drained = pump.drain()
  await clock.run(16_000)
  await drained
})

test('an endpoint is read by one at a time: what changed meanwhile is read afterwards, and counts', async () => {
  pump.start()
  await clock.settle()
  expect(started).toEqual([[1, 2]])
  pump.wake(1)
  await clock.settle()
  expect(started).toEqual([[1, 2]])
  await readings[0]?.end(CLOSED)
  expect(started).toEqual([[1, 2], [1]])
  await readings[0]?.end()
  await clock.run(1_000)
  expect(readings).toEqual([])
  expect(sent).toEqual([1])
})

test('what has been read is sent while the rest is read', async () => {
  waiting = Array.from({ length: 100 }, (_, index) => index + 1)
  pump.start()
  await clock.settle()
  expect(started.map((ids) => ids.length)).toEqual([48])
  await readings[0]?.end()
  await clock.settle()
  expect(started.map((ids) => ids.length)).toEqual([48, 48])
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.every((id) => id <= 48)).toBe(true)
  await readings[0]?.end()
  await readings[0]?.end()
  await clock.run(1_000)
  expect(sent.toSorted((a, b) => a - b)).toEqual(waiting)
})

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
}

import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SteppingClock, steppingClock } from '#tests/support/stepping-clock.ts'
import type { Log } from '../lib/log.ts'
import { createDeliveryPump, type DeliveryPump, type PumpEndpoint } from './delivery-pump.server.ts'
import type { LaneGate } from './lane-endpoint.ts'

const OPEN: LaneGate = { closed: false, opensAt: 0, probing: false }
const CLOSED: LaneGate = { ...OPEN, closed: true }

interface Reading {
  endpointId: number
  end(gate: LaneGate): Promise<void>
}

let clock: SteppingClock
let readings: Reading[]
let started: number[]
let sent: number[]
let pump: DeliveryPump

const endpoint = (endpointId: number, gate: LaneGate): PumpEndpoint => ({ endpointId, account: 'a', gate })

beforeEach(() => {
  clock = steppingClock()
  readings = []
  started = []
  sent = []
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
      endpointsWithWork: async () => [endpoint(1, OPEN), endpoint(2, OPEN)],
      changedElsewhere: async () => false,
      adopt(endpointId) {
        started.push(endpointId)
        return new Promise((resolve) => {
          const reading = {
            endpointId,
            async end(gate: LaneGate) {
              readings = readings.filter((one) => one !== reading)
              resolve(endpoint(endpointId, gate))
              await clock.settle()
            },
          }
          readings.push(reading)
        })
      },
      due: async (endpointId, kind) =>
        kind === 'live' && !sent.includes(endpointId) ? [{ id: endpointId, record: '', dueAt: 0 }] : [],
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

async function answer(endpointId: number, gate: LaneGate): Promise<void> {
  await readings.find((one) => one.endpointId === endpointId)?.end(gate)
}

test('an endpoint is read by one at a time: what changed meanwhile is read afterwards, and counts', async () => {
  pump.start()
  await clock.settle()
  expect(started).toEqual([1, 2])
  pump.wake(1)
  await answer(2, OPEN)
  expect(started).toEqual([1, 2])
  await answer(1, OPEN)
  expect(started).toEqual([1, 2, 1])
  await answer(1, CLOSED)
  await clock.run(1_000)
  expect(readings).toEqual([])
  expect(sent).toEqual([2])
})

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
}

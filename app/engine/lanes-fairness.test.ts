// Fairness in figures, on a clock of its own: what a slow or dead address, or a flood, costs everybody else.
import { describe, expect, it } from 'vitest'
import { LANE_LIMITS } from './lane-limits.ts'
import { Lanes } from './lanes.ts'
import { createTimeHeap } from './time-heap.ts'

const OPEN = { closed: false, opensAt: 0, probing: false }

interface Receiver {
  hangs: boolean
  /** ms after the start; until then it answers. */
  hangsFrom?: number
  account: string
  /** Share of all events. */
  weight: number
}

/** Events at a steady rate, receivers that answer in 3 ms or hang for 5 s. Delays in ms from due to sent, healthy ones only. */
function simulate(
  receivers: Receiver[],
  perSecond: number,
  durationMs: number,
): { delays: number[]; healthyEvents: number } {
  const lanes = new Lanes(LANE_LIMITS)
  receivers.forEach(({ account }, endpointId) => {
    lanes.put({ endpointId, account, gate: OPEN }, 0)
  })
  const happenings = createTimeHeap<() => void>()
  const weights = receivers.flatMap(({ weight }, id) => Array.from({ length: weight }, () => id))
  const delays: number[] = []
  let healthyEvents = 0
  let now = 0
  let id = 0
  const send = () => {
    for (let claim = lanes.take(now); claim; claim = lanes.take(now)) {
      const { id: delivery, endpointId, dueAt } = claim
      const receiver = receivers[endpointId]
      const hangs = receiver?.hangs === true && now >= (receiver.hangsFrom ?? 0)
      if (!receiver?.hangs) delays.push(now - dueAt)
      happenings.push(now + (hangs ? 5_000 : 3), () => {
        lanes.settle(
          delivery,
          { dueAt: hangs ? now + 60_000 : null, result: hangs ? 'failure' : 'success', gate: OPEN },
          now,
        )
      })
    }
    for (const want of lanes.takeWants()) lanes.fill(want.endpointId, want.kind, [], want.limit, now)
  }
  for (let at = 0; at < durationMs; at += 1_000 / perSecond) {
    const endpointId = weights[Math.floor(at * 7.31) % weights.length] ?? 0
    if (!receivers[endpointId]?.hangs) healthyEvents++
    happenings.push(at, () => lanes.offer(endpointId, 'live', { id: ++id, record: `record-${id}`, dueAt: now }, now))
  }
  for (let next = happenings.pop(); next; next = happenings.pop()) {
    now = next.at
    next.value()
    send()
    if (now > durationMs + 10_000) break
  }
  return { delays: delays.sort((a, b) => a - b), healthyEvents }
}

describe('of 200 endpoints, at 300 events a second', () => {
  const receivers = (hanging: number): Receiver[] =>
    Array.from({ length: 200 }, (_, n) => ({ hangs: n < hanging, account: `account-${n}`, weight: 1 }))

  for (const hanging of [1, 20, 60, 100]) {
    it(`${hanging} that hang delay the others by less than 100 ms`, () => {
      const { delays, healthyEvents } = simulate(receivers(hanging), 300, 20_000)
      expect(delays).toHaveLength(healthyEvents)
      expect(delays[Math.floor(delays.length * 0.99)]).toBeLessThan(100)
    })
  }

  it('60 that begin to hang later, all at once, do not either', () => {
    const outage = receivers(60).map((receiver) => ({ ...receiver, hangsFrom: 5_000 }))
    const { delays, healthyEvents } = simulate(outage, 300, 20_000)
    expect(delays).toHaveLength(healthyEvents)
    expect(delays[Math.floor(delays.length * 0.99)]).toBeLessThan(20)
  })

  it('one that hangs and is meant to get a fifth of all events does not either', () => {
    const flooded = receivers(1).map((receiver, n) => (n === 0 ? { ...receiver, weight: 50 } : receiver))
    const { delays, healthyEvents } = simulate(flooded, 300, 20_000)
    expect(delays).toHaveLength(healthyEvents)
    expect(delays[Math.floor(delays.length * 0.99)]).toBeLessThan(20)
  })

  it('one flooding account, whose addresses all hang, does not either', () => {
    const flooded = receivers(40).map((receiver, n) =>
      n < 40 ? { ...receiver, account: 'flood', weight: 10 } : receiver,
    )
    const { delays, healthyEvents } = simulate(flooded, 300, 20_000)
    expect(delays).toHaveLength(healthyEvents)
    expect(delays[Math.floor(delays.length * 0.99)]).toBeLessThan(20)
  })
})

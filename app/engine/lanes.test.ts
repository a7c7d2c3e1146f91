// Long: one test for each thing a lane promises.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LaneGate, LaneResult } from './lane-endpoint.ts'
import { LANE_LIMITS, type LaneLimits } from './lane-limits.ts'
import { Lanes } from './lanes.ts'
import { createTimeHeap } from './time-heap.ts'

const OPEN: LaneGate = { closed: false, opensAt: 0, probing: false }
const CLOSED: LaneGate = { closed: true, opensAt: 0, probing: false }

/** Endpoints whose lists have been loaded and hold nothing. */
function lanesWith(
  endpoints: { id: number; account?: string; gate?: LaneGate }[],
  limits: Partial<LaneLimits> = {},
): Lanes {
  const lanes = new Lanes({ ...LANE_LIMITS, ...limits })
  for (const { id, account = 'a', gate = OPEN } of endpoints) lanes.put({ endpointId: id, account, gate }, 0)
  for (const want of lanes.takeWants()) lanes.fill(want.endpointId, want.kind, [], want.limit, 0)
  return lanes
}

const item = (id: number, given: { record?: string; dueAt?: number } = {}) => ({
  ...{ id, record: `record-${id}`, dueAt: 0 },
  ...given,
})

function takeAll(lanes: Lanes, now = 0): number[] {
  const ids: number[] = []
  for (let claim = lanes.take(now); claim; claim = lanes.take(now)) ids.push(claim.id)
  return ids
}

const end = (
  lanes: Lanes,
  id: number,
  result: LaneResult = 'success',
  dueAt: number | null = null,
  now = 0,
  gate: LaneGate | null = null,
) => lanes.settle(id, { dueAt, result, gate }, now)

describe('an endpoint that was removed', () => {
  it('gets nothing more, neither by hand nor from a list that was on its way, nor when its last attempt opens it', () => {
    const lanes = lanesWith([{ id: 1 }])
    lanes.offer(1, 'live', item(1), 0)
    expect(takeAll(lanes)).toEqual([1])
    lanes.put({ endpointId: 1, account: 'a', gate: OPEN }, 0)
    const wants = lanes.takeWants()
    lanes.leave(() => false)
    for (const { kind, limit } of wants) lanes.fill(1, kind, [item(2), item(3)], limit, 0)
    for (const kind of ['live', 'replay', 'by_hand'] as const) expect(lanes.offer(1, kind, item(4), 0)).toBe(false)
    expect(lanes.strayFlights(() => false)).toEqual([{ id: 1, endpointId: 1 }])
    expect(end(lanes, 1, 'failure', 0, 0, OPEN)).toBe(false)
    expect(takeAll(lanes)).toEqual([])
    expect(lanes.hasWants()).toBe(false)
    lanes.put({ endpointId: 1, account: 'a', gate: OPEN }, 0)
    expect(lanes.offer(1, 'by_hand', item(2), 0)).toBe(true)
    expect(takeAll(lanes)).toEqual([2])
  })
})

describe('an endpoint', () => {
  it('gets one at a time at first, one more after three successes, at most four, and one again after a failure', () => {
    const lanes = lanesWith([{ id: 1 }])
    for (let id = 1; id <= 60; id++) lanes.offer(1, 'live', item(id), 0)
    const most: number[] = []
    const open = takeAll(lanes)
    for (let round = 0; round < 14; round++) {
      most.push(open.length)
      end(lanes, open.shift() ?? 0)
      open.push(...takeAll(lanes))
    }
    expect(most).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4])
    end(lanes, open.shift() ?? 0, 'failure')
    expect(takeAll(lanes)).toEqual([])
    for (const id of open) end(lanes, id, 'none')
    expect(takeAll(lanes)).toHaveLength(1)
  })

  it('never gets two of one record, and the ones behind pass', () => {
    const lanes = lanesWith([{ id: 1 }])
    for (let id = 1; id <= 9; id++) lanes.offer(1, 'live', item(id), 0)
    for (let id = 1; id <= 9; id++) {
      expect(lanes.take(0)?.id).toBe(id)
      end(lanes, id)
    }
    for (const id of [20, 21, 22]) lanes.offer(1, 'live', item(id, { record: 'same' }), 0)
    lanes.offer(1, 'live', item(23), 0)
    expect(takeAll(lanes)).toEqual([20, 23])
    end(lanes, 20)
    expect(takeAll(lanes)).toEqual([21])
  })

  it('is left alone until something is due, and says when that is', () => {
    const lanes = lanesWith([{ id: 1 }])
    lanes.offer(1, 'live', item(2, { dueAt: 500 }), 0)
    lanes.offer(1, 'live', item(1, { dueAt: 300 }), 0)
    expect(takeAll(lanes)).toEqual([])
    expect(lanes.nextAt()).toBe(300)
    expect(takeAll(lanes, 299)).toEqual([])
    expect(takeAll(lanes, 300)).toEqual([1])
    end(lanes, 1, 'success', null, 310)
    expect(lanes.nextAt()).toBe(500)
  })

  it('that is held opens at its time; a closed one does not', () => {
    const lanes = lanesWith([
      { id: 1, gate: { ...OPEN, opensAt: 1_000 } },
      { id: 2, gate: CLOSED },
    ])
    lanes.offer(1, 'live', item(1), 0)
    lanes.offer(2, 'live', item(2), 0)
    expect(lanes.nextAt()).toBe(1_000)
    expect(takeAll(lanes, 999)).toEqual([])
    expect(takeAll(lanes, 1_000)).toEqual([1])
  })

  it('with an open breaker is probed with one at a time, a different one each time', () => {
    const lanes = lanesWith([{ id: 1, gate: { ...OPEN, probing: true } }])
    for (let id = 1; id <= 3; id++) lanes.offer(1, 'live', item(id), 0)
    const probes: number[] = []
    for (let now = 0; now < 600; now += 100) {
      const claim = lanes.take(now)
      expect(claim?.probe).toBe(true)
      expect(lanes.take(now)).toBeNull()
      probes.push(claim?.id ?? 0)
      end(lanes, claim?.id ?? 0, 'failure', now + 1, now, { ...OPEN, opensAt: now + 100, probing: true })
    }
    expect(probes).toEqual([1, 2, 3, 1, 2, 3])
  })

  it('that asked for fewer requests gets them further apart for a while', () => {
    const lanes = lanesWith([{ id: 1 }])
    for (let id = 1; id <= 50; id++) lanes.offer(1, 'live', item(id), 0)
    let now = 0
    for (let n = 0; n < 20; n++) {
      now += 10
      end(lanes, lanes.take(now)?.id ?? 0, 'success', null, now)
    }
    end(lanes, lanes.take(now)?.id ?? 0, 'slow_down', null, now)
    expect(lanes.take(now)).toBeNull()
    expect(lanes.nextAt()).toBeGreaterThanOrEqual(now + 20)
    const starts: number[] = []
    for (let n = 0; n < 25; n++) {
      now = Math.max(now, lanes.nextAt() ?? now)
      const claim = lanes.take(now)
      if (!claim) continue
      starts.push(now)
      end(lanes, claim.id, 'success', null, now)
    }
    const gaps = starts.slice(1).map((at, n) => at - (starts[n] ?? 0))
    expect(gaps[0]).toBeGreaterThan(gaps.at(-1) ?? 0)
  })

  it('is not kept waiting by what turned out to be too late to send', () => {
    const lanes = lanesWith([{ id: 1 }])
    for (let id = 1; id <= 9; id++) lanes.offer(1, 'live', item(id), 0)
    end(lanes, lanes.take(1_000)?.id ?? 0, 'slow_down', null, 1_000)
    const opensAt = lanes.nextAt() ?? 0
    expect(opensAt).toBeGreaterThan(1_000)
    for (let n = 0; n < 5; n++) end(lanes, lanes.take(opensAt)?.id ?? 0, 'unsent', null, opensAt)
    const sent = lanes.take(opensAt)?.id ?? 0
    expect(sent).toBeGreaterThan(0)
    end(lanes, sent, 'none', null, opensAt)
    expect(lanes.take(opensAt)).toBeNull()
  })

  it('gets what a person asked for although it is closed, held or busy', () => {
    const lanes = lanesWith([{ id: 1, gate: CLOSED }, { id: 2, gate: { ...OPEN, opensAt: 9_999 } }, { id: 3 }])
    lanes.offer(3, 'live', item(30), 0)
    expect(takeAll(lanes)).toEqual([30])
    for (const id of [1, 2, 3]) lanes.offer(id, 'by_hand', item(id), 0)
    expect(takeAll(lanes).sort()).toEqual([1, 2, 3])
  })

  it('gets one that a person asked for although several attempts hang, and the next after it', () => {
    const lanes = lanesWith([{ id: 1 }])
    for (let id = 1; id <= 20; id++) lanes.offer(1, 'live', item(id), 0)
    for (let id = 1; id <= 9; id++) end(lanes, lanes.take(0)?.id ?? 0)
    expect(takeAll(lanes)).toHaveLength(4)
    const hanging = LANE_LIMITS.dragsAfterMs
    expect(takeAll(lanes, hanging)).toEqual([])
    for (const id of [31, 32]) lanes.offer(1, 'by_hand', item(id), hanging)
    expect(takeAll(lanes, hanging)).toEqual([31])
    end(lanes, 31, 'none', null, hanging)
    expect(takeAll(lanes, hanging)).toEqual([32])
  })
})

describe('what is in memory', () => {
  it('is loaded anew only for accounts that another process worked for; the others go on', () => {
    const lanes = lanesWith([{ id: 1 }, { id: 2, account: 'b' }])
    for (const id of [1, 2]) lanes.offer(id, 'live', item(id), 0)
    lanes.reset((account) => account === 'b', 0)
    expect(takeAll(lanes)).toEqual([1])
  })

  it('is the earliest due; the rest is asked for when there is room', () => {
    const lanes = new Lanes({ ...LANE_LIMITS, window: 8 })
    lanes.put({ endpointId: 1, account: 'a', gate: OPEN }, 0)
    const database = Array.from({ length: 30 }, (_, n) => item(n + 1, { dueAt: n }))
    const waiting = new Set(database.map(({ id }) => id))
    const sent: number[] = []
    const load = () => {
      for (const { endpointId, kind, limit } of lanes.takeWants()) {
        const rows = kind === 'live' ? database.filter(({ id }) => waiting.has(id)).slice(0, limit) : []
        lanes.fill(endpointId, kind, rows, limit, 100)
      }
    }
    load()
    for (let claim = lanes.take(100); claim; claim = lanes.take(100)) {
      sent.push(claim.id)
      if (sent.length === 5) {
        const late = item(31, { dueAt: 50 })
        database.push(late)
        waiting.add(31)
        lanes.offer(1, 'live', late, 100)
      }
      waiting.delete(claim.id)
      end(lanes, claim.id, 'none', null, 100)
      load()
    }
    expect(sent).toEqual(Array.from({ length: 31 }, (_, n) => n + 1))
  })

  it('is never sent twice, whatever is offered, loaded and settled in whatever order', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('offer' as const), dueAt: fc.nat(50), record: fc.nat(5) }),
      fc.record({ do: fc.constant('load' as const), stale: fc.boolean() }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('settle' as const), again: fc.boolean(), failed: fc.boolean() }),
      fc.record({ do: fc.constant('put' as const), closed: fc.boolean() }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.nat(20) }),
      fc.record({ do: fc.constant('reset' as const) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const lanes = new Lanes({ ...LANE_LIMITS, window: 4 })
        const waiting = new Map<number, { id: number; record: string; dueAt: number }>()
        const inFlight = new Map<number, string>()
        let now = 0
        let lastId = 0
        const rows = (limit: number) =>
          [...waiting.values()].sort((a, b) => a.dueAt - b.dueAt || a.id - b.id).slice(0, limit)
        const load = () => {
          for (const want of lanes.takeWants()) {
            lanes.fill(want.endpointId, want.kind, want.kind === 'live' ? rows(want.limit) : [], want.limit, now)
          }
        }
        const take = () => {
          for (let claim = lanes.take(now); claim; claim = lanes.take(now)) {
            const { id } = claim
            const row = waiting.get(id)
            if (!row) {
              // Loaded from an old list: the pump finds out when it loads the delivery, and drops it.
              lanes.settle(id, { dueAt: null, result: 'none', gate: null }, now)
              continue
            }
            expect(inFlight.has(id)).toBe(false)
            expect([...inFlight.values()]).not.toContain(row.record)
            inFlight.set(id, row.record)
          }
        }
        lanes.put({ endpointId: 1, account: 'a', gate: OPEN }, now)
        let stale: ReturnType<typeof rows> = []
        for (const one of steps) {
          switch (one.do) {
            case 'offer': {
              const row = { id: ++lastId, record: `r${one.record}`, dueAt: now + one.dueAt }
              waiting.set(row.id, row)
              lanes.offer(1, 'live', row, now)
              break
            }
            case 'load':
              if (one.stale)
                for (const want of lanes.takeWants())
                  lanes.fill(1, want.kind, want.kind === 'live' ? stale : [], want.limit, now)
              else load()
              stale = rows(4)
              break
            case 'take':
              take()
              break
            case 'settle': {
              const id = inFlight.keys().next().value
              if (id === undefined) break
              const row = waiting.get(id)
              inFlight.delete(id)
              if (one.again && row) row.dueAt = now + 5
              else waiting.delete(id)
              lanes.settle(
                id,
                { dueAt: one.again ? now + 5 : null, result: one.failed ? 'failure' : 'success', gate: OPEN },
                now,
              )
              break
            }
            case 'put':
              lanes.put({ endpointId: 1, account: 'a', gate: one.closed ? CLOSED : OPEN }, now)
              break
            case 'pass':
              now += one.ms
              break
            case 'reset':
              lanes.reset(() => true, now)
              break
          }
        }
        // Nothing is forgotten either: looked at anew, everything gets its turn.
        lanes.put({ endpointId: 1, account: 'a', gate: OPEN }, now)
        for (let round = 0; waiting.size > 0 && round < 2_000; round++) {
          load()
          take()
          for (const id of [...inFlight.keys()]) {
            inFlight.delete(id)
            waiting.delete(id)
            lanes.settle(id, { dueAt: null, result: 'success', gate: OPEN }, now)
          }
          now += 1
        }
        expect(waiting.size).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it('is loaded anew after it could not be', () => {
    const lanes = new Lanes(LANE_LIMITS)
    lanes.put({ endpointId: 1, account: 'a', gate: OPEN }, 0)
    const wants = lanes.takeWants()
    expect(wants.map(({ kind }) => kind).sort()).toEqual(['by_hand', 'live', 'replay'])
    expect(lanes.hasWants()).toBe(false)
    for (const want of wants) lanes.unfilled(want)
    expect(lanes.takeWants()).toHaveLength(3)
  })
})

describe('what a person asked for', () => {
  it('is sent to its end although the endpoint is held and more of it waits than is loaded at once', () => {
    const lanes = new Lanes({ ...LANE_LIMITS, window: 4 })
    lanes.put({ endpointId: 1, account: 'a', gate: { ...OPEN, opensAt: 1_000_000 } }, 0)
    const waiting = new Set(Array.from({ length: 23 }, (_, n) => n + 1))
    for (let round = 0; waiting.size > 0 && round < 100; round++) {
      for (const { kind, limit } of lanes.takeWants()) {
        const items = kind === 'by_hand' ? [...waiting].slice(0, limit).map((id) => item(id)) : []
        lanes.fill(1, kind, items, limit, 0)
      }
      for (const id of takeAll(lanes)) {
        waiting.delete(id)
        end(lanes, id, 'failure', 1_000_000)
      }
    }
    expect([...waiting]).toEqual([])
    // What it brought back is not asked for over and over.
    for (const { kind, limit } of lanes.takeWants()) lanes.fill(1, kind, [], limit, 0)
    expect(lanes.hasWants()).toBe(false)
  })
})

describe('slots', () => {
  it('are shared between accounts in turn, and one account gets its share', () => {
    const flooding = Array.from({ length: 40 }, (_, n) => ({ id: n + 1, account: 'flood' }))
    const lanes = lanesWith([...flooding, { id: 100, account: 'b' }, { id: 101, account: 'c' }])
    let id = 0
    for (const { id: endpoint } of flooding) for (let n = 0; n < 20; n++) lanes.offer(endpoint, 'live', item(++id), 0)
    lanes.offer(100, 'live', item(1_000), 0)
    lanes.offer(101, 'live', item(1_001), 0)
    const taken = takeAll(lanes)
    expect(taken.indexOf(1_000)).toBeLessThan(3)
    expect(taken.indexOf(1_001)).toBeLessThan(3)
    expect(taken).toHaveLength(LANE_LIMITS.perAccount + 2)
    end(lanes, taken[0] ?? 0)
    expect(takeAll(lanes)).toHaveLength(1)
  })

  it('are kept free of endpoints that fail, and of those that have not proved themselves', () => {
    const ids = Array.from({ length: LANE_LIMITS.unproven + 52 }, (_, n) => n + 1)
    const lanes = lanesWith(ids.map((id) => ({ id, account: `a${id}` })))
    for (const id of ids) lanes.offer(id, 'live', item(id), 0)
    const first = takeAll(lanes)
    expect(first).toHaveLength(LANE_LIMITS.unproven)
    for (const id of first) end(lanes, id, 'failure', 0)
    for (const id of takeAll(lanes)) if (!first.includes(id)) end(lanes, id, 'success')
    takeAll(lanes)
    expect(lanes.status(0).inFlight).toBeLessThanOrEqual(LANE_LIMITS.failing + 52)
    for (const id of first) lanes.offer(id, 'live', item(1_000 + id), 0)
    takeAll(lanes)
    expect(lanes.status(0).inFlight).toBeLessThanOrEqual(LANE_LIMITS.slots)
  })

  it('go to replays only when nothing live is due, and at most a share of them', () => {
    const ids = Array.from({ length: 40 }, (_, n) => n + 1)
    const lanes = lanesWith(ids.map((id) => ({ id, account: `a${id}` })))
    for (const id of ids) lanes.offer(id, 'replay', item(id), 0)
    lanes.offer(1, 'live', item(1_000), 0)
    const taken = takeAll(lanes)
    expect(taken[0]).toBe(1_000)
    expect(taken).toHaveLength(1 + LANE_LIMITS.replay)
  })
})

it('the heap gives moments back in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (moments) => {
      const heap = createTimeHeap<null>()
      for (const at of moments) heap.push(at, null)
      const sorted: number[] = []
      for (let next = heap.pop(); next; next = heap.pop()) sorted.push(next.at)
      expect(sorted).toEqual([...moments].sort((a, b) => a - b))
    }),
  )
})

// Who is next. A lane is what waits for one endpoint; slots are shared so that a slow or dead endpoint, a flooding account or
// a replay takes its share and nobody else's. Knows no clock and does no I/O: moments are handed in.
import type { Millis } from '../lib/clock.ts'
import {
  emptyLanes,
  type LaneAccount,
  type LaneEndpoint,
  type LaneGate,
  type LaneResult,
  learn,
  NEVER,
  newLaneEndpoint,
  roomOf,
  type Standing,
} from './lane-endpoint.ts'
import type { LaneLimits } from './lane-limits.ts'
import { cutAfter, insertItem, type LaneItem, type LaneWindow, nextDue, nextItem } from './lane-window.ts'
import { createRing, type Ring } from './ring.ts'
import { createTimeHeap } from './time-heap.ts'

export type LaneKind = 'live' | 'replay' | 'by_hand'

export interface Claim {
  id: number
  endpointId: number
  dueAt: Millis
  /** Sent through an open breaker. */
  probe: boolean
}

interface LaneWant {
  endpointId: number
  kind: LaneKind
  limit: number
}

export interface Lanes {
  /** What waits is loaded anew for every endpoint. Attempts in flight stay so. */
  reset(now: Millis): void
  has(endpointId: number): boolean
  /** Every endpoint that was ever put. */
  ids(): number[]
  /** Adds an endpoint or takes over its changed state; what waits for it is loaded anew. */
  put(endpoint: { endpointId: number; account: string; gate: LaneGate }, now: Millis): void
  /** Forgets an endpoint; attempts in flight end on their own. */
  remove(endpointId: number): void
  /** Something new waits. False = the endpoint is not known here. */
  offer(endpointId: number, kind: LaneKind, item: LaneItem, now: Millis): boolean
  /** The answer to a want: the earliest due, at most `limit`. */
  fill(endpointId: number, kind: LaneKind, items: readonly LaneItem[], limit: number, now: Millis): void
  /** What should be loaded. Each is named once; `fill` it, or `unfilled` when that failed. */
  takeWants(): LaneWant[]
  unfilled(want: LaneWant): void
  hasWants(): boolean
  /** The next delivery to send, or null: no slot free or nothing due. */
  take(now: Millis): Claim | null
  /** Frees the slot. `dueAt` = it waits again. True = the endpoint was opened or closed by it: load it anew. */
  settle(id: number, end: { dueAt: Millis | null; result: LaneResult; gate: LaneGate | null }, now: Millis): boolean
  isInFlight(id: number): boolean
  /** What is being sent at this moment. */
  flights(): { id: number; kind: LaneKind }[]
  /** When to look again: something will be due, or a slot free. Null = at the next settlement or offer. */
  nextAt(): Millis | null
  status(now: Millis): { inFlight: number; endpoints: number; oldestDueAgeMs: number }
}

interface Flight {
  endpoint: LaneEndpoint
  item: LaneItem
  kind: LaneKind
  standing: Standing
  startedAt: Millis
  drags: boolean
}

export function createLanes(limits: LaneLimits): Lanes {
  const endpoints = new Map<number, LaneEndpoint>()
  const accounts = new Map<string, LaneAccount>()
  const flights = new Map<number, Flight>()
  /** Those that do not drag (yet), in the order they started. */
  const quick = new Set<Flight>()
  const inFlight = { proven: 0, unproven: 0, failing: 0, replay: 0 }
  const wants = new Map<string, LaneWant>()
  const sleepers = createTimeHeap<LaneEndpoint>()
  const askedByHand = new Set<LaneEndpoint>()
  const rings: Record<Standing, Ring<LaneAccount, LaneEndpoint>> = {
    proven: createRing(),
    unproven: createRing(),
    failing: createRing(),
  }
  const replays = createRing<LaneAccount, LaneEndpoint>()
  const turns: Standing[] = ['proven', 'unproven', 'failing']

  /** Puts the endpoint where it belongs now: into the rings, among the sleepers, or nowhere (a settlement brings it back). */
  function place(endpoint: LaneEndpoint, now: Millis): void {
    unring(endpoint)
    const { gate, account } = endpoint
    if (endpoint.byHand.length > 0) askedByHand.add(endpoint)
    else if (!endpoint.byHandComplete) want(endpoint, 'by_hand')
    if (gate.closed || account.inFlight >= limits.perAccount) return
    wantMore(endpoint, 'live')
    wantMore(endpoint, 'replay')
    const opensAt = Math.max(gate.opensAt, endpoint.gapMs > 0 ? endpoint.lastStartAt + endpoint.gapMs : 0)
    if (opensAt <= now) {
      if (endpoint.inFlight >= roomOf(endpoint)) return
      if (next(endpoint, endpoint.live, now)) rings[endpoint.standing].add(account, endpoint)
      if (next(endpoint, endpoint.replay, now)) replays.add(account, endpoint)
    }
    const due = Math.min(
      nextDue(endpoint.live, endpoint.records) ?? NEVER,
      nextDue(endpoint.replay, endpoint.records) ?? NEVER,
    )
    const at = Math.max(due, opensAt)
    if (at > now && at < endpoint.wakeAt) {
      endpoint.wakeAt = at
      sleepers.push(at, endpoint)
    }
  }

  function unring(endpoint: LaneEndpoint): void {
    for (const standing of turns) rings[standing].remove(endpoint.account, endpoint)
    replays.remove(endpoint.account, endpoint)
    askedByHand.delete(endpoint)
  }

  function next(endpoint: LaneEndpoint, window: LaneWindow, now: Millis): LaneItem | null {
    return nextItem(window, now, endpoint.records, endpoint.gate.probing ? endpoint.lastProbe : null)
  }

  function wantMore(endpoint: LaneEndpoint, kind: 'live' | 'replay'): void {
    const window = endpoint[kind]
    if (window.complete || window.loading || window.items.length > limits.window / 4) return
    want(endpoint, kind)
  }

  function want(endpoint: LaneEndpoint, kind: LaneKind): void {
    // Until the answer is there, nothing more is asked for.
    if (kind === 'by_hand') endpoint.byHandComplete = true
    else endpoint[kind].loading = true
    // What is in flight still waits as far as the database knows.
    const limit = limits.window + endpoint.inFlight + endpoint.byHand.length
    wants.set(`${kind}|${endpoint.id}`, { endpointId: endpoint.id, kind, limit })
  }

  function add(endpoint: LaneEndpoint, kind: LaneKind, item: LaneItem): void {
    if (flights.has(item.id)) return
    if (kind === 'by_hand') {
      if (endpoint.byHand.some(({ id }) => id === item.id)) return
      // It may have been loaded as one of those that wait their turn.
      for (const { items } of [endpoint.live, endpoint.replay]) {
        const index = items.findIndex(({ id }) => id === item.id)
        if (index >= 0) items.splice(index, 1)
      }
      endpoint.byHand.push(item)
      endpoint.known.add(item.id)
      return
    }
    const window = endpoint[kind]
    if (endpoint.gate.closed || endpoint.known.has(item.id)) return
    if (window.loading) {
      window.arrivals.push(item)
      return
    }
    endpoint.known.add(item.id)
    const left = insertItem(window, item, limits.window)
    if (left) endpoint.known.delete(left.id)
  }

  function claim(endpoint: LaneEndpoint, kind: LaneKind, item: LaneItem, now: Millis): Claim {
    const list = kind === 'by_hand' ? endpoint.byHand : endpoint[kind].items
    list.splice(list.indexOf(item), 1)
    const flight: Flight = { endpoint, item, kind, standing: endpoint.standing, startedAt: now, drags: false }
    flights.set(item.id, flight)
    quick.add(flight)
    inFlight[endpoint.standing]++
    if (kind === 'replay') inFlight.replay++
    endpoint.inFlight++
    endpoint.records.add(item.record)
    endpoint.meanGapMs = endpoint.meanGapMs * 0.8 + Math.min(now - endpoint.lastStartAt, 60_000) * 0.2
    endpoint.lastStartAt = now
    const probe = endpoint.gate.probing && kind !== 'by_hand'
    if (probe) endpoint.lastProbe = item.id
    const { account } = endpoint
    account.inFlight++
    if (account.inFlight === limits.perAccount) for (const each of account.endpoints) place(each, now)
    else place(endpoint, now)
    return { id: item.id, endpointId: endpoint.id, dueAt: item.dueAt, probe }
  }

  function noticeDragging(now: Millis): void {
    for (const flight of quick) {
      if (flight.startedAt + limits.dragsAfterMs > now || flights.size - quick.size >= limits.dragging) return
      quick.delete(flight)
      flight.drags = true
      flight.endpoint.dragging++
      if (flight.standing === 'unproven') inFlight.unproven--
      place(flight.endpoint, now)
    }
  }

  function takeByHand(now: Millis): Claim | null {
    for (const endpoint of askedByHand) {
      // One more than usual: what a person asked for does not wait behind an attempt that hangs.
      if (endpoint.inFlight > roomOf(endpoint)) continue
      const item = endpoint.byHand.find(({ record }) => !endpoint.records.has(record))
      if (item) return claim(endpoint, 'by_hand', item, now)
    }
    return null
  }

  function takeLive(now: Millis): Claim | null {
    for (const standing of [...turns]) {
      const ring = rings[standing]
      if (ring.isEmpty()) continue
      if (standing !== 'proven' && inFlight[standing] >= limits[standing]) continue
      const endpoint = ring.next(() => true)
      const item = endpoint && next(endpoint, endpoint.live, now)
      if (!endpoint) continue
      if (!item) {
        place(endpoint, now)
        continue
      }
      turns.push(...turns.splice(turns.indexOf(standing), 1))
      return claim(endpoint, 'live', item, now)
    }
    return null
  }

  function takeReplay(now: Millis): Claim | null {
    if (inFlight.replay >= limits.replay) return null
    const endpoint = replays.next(({ standing }) => standing === 'proven' || inFlight[standing] < limits[standing])
    const item = endpoint && next(endpoint, endpoint.replay, now)
    return endpoint && item ? claim(endpoint, 'replay', item, now) : null
  }

  return {
    reset(now) {
      wants.clear()
      for (const endpoint of endpoints.values()) {
        endpoint.byHand = []
        endpoint.byHandComplete = true
        emptyLanes(endpoint)
        for (const window of [endpoint.live, endpoint.replay]) window.loading = false
        place(endpoint, now)
      }
    },

    has: (endpointId) => endpoints.has(endpointId),
    ids: () => [...endpoints.keys()],

    put({ endpointId, account: accountUuid, gate }, now) {
      let endpoint = endpoints.get(endpointId)
      if (!endpoint) {
        let account = accounts.get(accountUuid)
        if (!account) {
          account = { inFlight: 0, endpoints: new Set() }
          accounts.set(accountUuid, account)
        }
        endpoint = newLaneEndpoint(endpointId, account, gate)
        endpoints.set(endpointId, endpoint)
        account.endpoints.add(endpoint)
      }
      endpoint.gate = gate
      emptyLanes(endpoint)
      if (!gate.closed) {
        want(endpoint, 'live')
        want(endpoint, 'replay')
      }
      want(endpoint, 'by_hand')
      place(endpoint, now)
    },

    remove(endpointId) {
      const endpoint = endpoints.get(endpointId)
      if (!endpoint) return
      // Kept, closed: an attempt may be in flight, and it may come back.
      endpoint.gate = { closed: true, opensAt: 0, probing: false }
      endpoint.byHand = []
      endpoint.byHandComplete = true
      emptyLanes(endpoint)
      unring(endpoint)
    },

    offer(endpointId, kind, item, now) {
      const endpoint = endpoints.get(endpointId)
      if (!endpoint) return false
      add(endpoint, kind, item)
      place(endpoint, now)
      return true
    },

    fill(endpointId, kind, items, limit, now) {
      const endpoint = endpoints.get(endpointId)
      if (!endpoint) return
      if (kind === 'by_hand') {
        for (const item of items) add(endpoint, kind, item)
        endpoint.byHandComplete = items.length < limit
      } else {
        const window = endpoint[kind]
        const arrivals = window.arrivals
        window.loading = false
        window.arrivals = []
        if (!endpoint.gate.closed) {
          window.complete = true
          for (const item of items) add(endpoint, kind, item)
          const last = items.at(-1)
          if (last && items.length >= limit) {
            window.complete = false
            for (const item of cutAfter(window, last)) endpoint.known.delete(item.id)
          }
          for (const item of arrivals) add(endpoint, kind, item)
        }
      }
      place(endpoint, now)
    },

    takeWants() {
      const list = [...wants.values()]
      wants.clear()
      return list
    },

    hasWants: () => wants.size > 0,

    unfilled({ endpointId, kind }) {
      const endpoint = endpoints.get(endpointId)
      if (endpoint) want(endpoint, kind)
    },

    take(now) {
      for (let first = sleepers.peek(); first && first.at <= now; first = sleepers.peek()) {
        sleepers.pop()
        const { at, value: endpoint } = first
        if (at !== endpoint.wakeAt) continue
        endpoint.wakeAt = NEVER
        place(endpoint, now)
      }
      noticeDragging(now)
      if (quick.size >= limits.slots) return null
      return takeByHand(now) ?? takeLive(now) ?? takeReplay(now)
    },

    settle(id, { dueAt, result, gate }, now) {
      const flight = flights.get(id)
      if (!flight) return false
      const { endpoint, item, kind, standing, drags } = flight
      const { account } = endpoint
      flights.delete(id)
      quick.delete(flight)
      if (drags) endpoint.dragging--
      if (!drags || standing !== 'unproven') inFlight[standing]--
      if (kind === 'replay') inFlight.replay--
      endpoint.inFlight--
      endpoint.records.delete(item.record)
      endpoint.known.delete(id)
      account.inFlight--
      learn(endpoint, result, limits.perEndpoint)
      const before = endpoint.gate
      const turned = gate !== null && (gate.closed !== before.closed || (before.probing && !gate.probing))
      if (gate) {
        endpoint.gate = gate
        if (gate.closed) emptyLanes(endpoint)
      }
      if (dueAt !== null) add(endpoint, kind === 'replay' ? 'replay' : 'live', { ...item, dueAt })
      if (account.inFlight === limits.perAccount - 1) for (const each of account.endpoints) place(each, now)
      else place(endpoint, now)
      return turned
    },

    isInFlight: (id) => flights.has(id),
    flights: () => [...flights.values()].map(({ item, kind }) => ({ id: item.id, kind })),
    nextAt() {
      const due = sleepers.peek()?.at ?? null
      const full = quick.size >= limits.slots || inFlight.unproven >= limits.unproven
      const [oldest] = quick
      if (!full || !oldest || flights.size - quick.size >= limits.dragging) return due
      return Math.min(due ?? NEVER, oldest.startedAt + limits.dragsAfterMs)
    },

    status(now) {
      let oldest = now
      for (const { gate, live, replay } of endpoints.values()) {
        if (gate.closed || gate.opensAt > now) continue
        oldest = Math.min(oldest, live.items[0]?.dueAt ?? now, replay.items[0]?.dueAt ?? now)
      }
      return { inFlight: flights.size, endpoints: endpoints.size, oldestDueAgeMs: now - oldest }
    },
  }
}

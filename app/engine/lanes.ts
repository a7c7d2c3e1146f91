// Decides which delivery is sent next. A lane is an endpoint's pending deliveries; shared slots keep a slow or dead
// endpoint, a flooding account or a replay within its share. Has no clock and does no I/O: callers pass times in.
import type { DueList } from '#db/store/deliveries.ts'
import type { Millis } from '../lib/clock.ts'
import {
  addByHand,
  emptyLanes,
  type Flight,
  firstDueOf,
  forgetWaiting,
  type LaneAccount,
  type LaneEnd,
  type LaneEndpoint,
  type LaneGate,
  type LaneKind,
  learn,
  NEVER,
  newLaneEndpoint,
  nextOf,
  opensAtOf,
  roomOf,
  type Standing,
  turns,
} from './lane-endpoint.ts'
import type { LaneLimits } from './lane-limits.ts'
import { cutAfter, insertItem, type LaneItem } from './lane-window.ts'
import type { Accounts } from './ownership.ts'
import { createRing, type Ring } from './ring.ts'
import { createTimeHeap } from './time-heap.ts'

export interface Claim {
  id: number
  endpointId: number
  dueAt: Millis
  /** Sent as a probe through an open breaker. */
  probe: boolean
}

export class Lanes {
  readonly #limits: LaneLimits
  readonly #endpoints = new Map<number, LaneEndpoint>()
  readonly #accounts = new Map<string, LaneAccount>()
  readonly #flights = new Map<number, Flight>()
  /** Attempts that do not drag (yet), in start order. */
  readonly #quick = new Set<Flight>()
  readonly #inFlight = { proven: 0, unproven: 0, failing: 0, replay: 0 }
  readonly #wants = new Map<string, DueList>()
  readonly #sleepers = createTimeHeap<LaneEndpoint>()
  readonly #askedByHand = new Set<LaneEndpoint>()
  readonly #rings: Record<Standing, Ring<LaneAccount, LaneEndpoint>> = {
    proven: createRing(),
    unproven: createRing(),
    failing: createRing(),
  }
  readonly #replays = createRing<LaneAccount, LaneEndpoint>()
  readonly #turns: Standing[] = ['proven', 'unproven', 'failing']
  /** Created once because every turn calls it. */
  readonly #mayReplay = ({ standing }: LaneEndpoint): boolean =>
    standing === 'proven' || this.#inFlight[standing] < this.#limits[standing]

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /** Reloads the pending deliveries of the endpoints of these accounts. Attempts in flight stay. */
  reset(accounts: Accounts, now: Millis): void {
    for (const endpoint of this.#endpoints.values()) {
      if (!accounts(endpoint.account.uuid)) continue
      for (const kind of ['live', 'replay', 'by_hand']) this.#wants.delete(`${kind}|${endpoint.id}`)
      forgetWaiting(endpoint)
      for (const window of [endpoint.live, endpoint.replay]) window.loading = false
      this.#place(endpoint, now)
    }
  }

  /** Every endpoint that was ever added. */
  ids(): number[] {
    return [...this.#endpoints.keys()]
  }

  /** Adds an endpoint or updates its state; reloads its pending deliveries. */
  put({ endpointId, account, gate }: { endpointId: number; account: string; gate: LaneGate }, now: Millis): void {
    const endpoint = this.#endpoints.get(endpointId) ?? this.#newEndpoint(endpointId, account, gate)
    endpoint.gate = gate
    endpoint.gone = false
    emptyLanes(endpoint)
    if (!gate.closed) {
      this.#want(endpoint, 'live')
      this.#want(endpoint, 'replay')
    }
    this.#want(endpoint, 'by_hand')
    this.#place(endpoint, now)
  }

  /** Forgets an endpoint; attempts in flight end on their own. */
  remove(endpointId: number): void {
    const endpoint = this.#endpoints.get(endpointId)
    if (!endpoint) return
    // Kept as closed: an attempt may be in flight, a list may be on its way, and the endpoint may return.
    endpoint.gone = true
    endpoint.gate = { closed: true, opensAt: 0, probing: false }
    forgetWaiting(endpoint)
    this.#unring(endpoint)
  }

  /** Forgets every endpoint of accounts that are no longer ours. */
  leave(isOurs: Accounts): void {
    for (const { uuid, endpoints } of this.#accounts.values()) {
      if (!isOurs(uuid)) for (const { id } of endpoints) this.remove(id)
    }
  }

  /** What is still being sent for accounts that are not ours. */
  strayFlights(isOurs: Accounts): { id: number; endpointId: number }[] {
    const stray = [...this.#flights.values()].filter(({ endpoint }) => !isOurs(endpoint.account.uuid))
    return stray.map(({ item, endpoint }) => ({ id: item.id, endpointId: endpoint.id }))
  }

  isSendingTo = (endpointId: number): boolean => (this.#endpoints.get(endpointId)?.inFlight ?? 0) > 0

  /** Adds a new delivery. False = unknown endpoint. */
  offer(endpointId: number, kind: LaneKind, item: LaneItem, now: Millis): boolean {
    const endpoint = this.#present(endpointId)
    if (!endpoint) return false
    this.#add(endpoint, kind, item)
    this.#place(endpoint, now)
    return true
  }

  /** The response to a want: the earliest due deliveries, at most `limit`. */
  fill(endpointId: number, kind: LaneKind, items: readonly LaneItem[], limit: number, now: Millis): void {
    const endpoint = this.#present(endpointId)
    if (!endpoint) return
    if (kind === 'by_hand') {
      for (const item of items) this.#add(endpoint, kind, item)
      endpoint.byHandComplete = items.length < limit
    } else this.#fillWindow(endpoint, kind, items, limit)
    this.#place(endpoint, now)
  }

  /** Some of the lists to load, each returned once. Call `fill` for it, or `unfilled` when loading failed. */
  takeWants(most = Number.POSITIVE_INFINITY): DueList[] {
    const some = this.#wants.entries().take(most).toArray()
    for (const [key] of some) this.#wants.delete(key)
    return some.map(([, want]) => want)
  }

  hasWants = (): boolean => this.#wants.size > 0

  unfilled({ endpointId, kind }: DueList): void {
    const endpoint = this.#present(endpointId)
    if (endpoint) this.#want(endpoint, kind)
  }

  /** The next delivery to send; null = no slot is free or nothing is due. */
  take(now: Millis): Claim | null {
    this.#wakeSleepers(now)
    this.#noticeDragging(now)
    if (this.#quick.size >= this.#limits.slots) return null
    return this.#takeByHand(now) ?? this.#takeLive(now) ?? this.#takeReplay(now)
  }

  /** Frees the slot. `dueAt` = it is pending again. True = the result opened or closed the endpoint: reload it. */
  settle(id: number, end: LaneEnd, now: Millis): boolean {
    const flight = this.#flights.get(id)
    if (!flight) return false
    const { endpoint, item, kind } = flight
    if (end.result === 'unsent' && endpoint.lastStartAt === flight.startedAt) Object.assign(endpoint, flight.paceBefore)
    this.#land(flight)
    learn(endpoint, end.result, this.#limits.perEndpoint)
    const gate = endpoint.gone ? null : end.gate
    const turned = gate !== null && turns(endpoint.gate, gate)
    if (gate) {
      endpoint.gate = gate
      if (gate.closed) emptyLanes(endpoint)
    }
    if (end.dueAt !== null) this.#add(endpoint, kind === 'replay' ? 'replay' : 'live', { ...item, dueAt: end.dueAt })
    const { account } = endpoint
    if (account.inFlight === this.#limits.perAccount - 1) this.#placeAll(account, now)
    else this.#place(endpoint, now)
    return turned
  }

  /** The deliveries being sent right now. */
  flights(): { id: number; kind: LaneKind }[] {
    return [...this.#flights.values()].map(({ item, kind }) => ({ id: item.id, kind }))
  }

  /** When a delivery becomes due or a slot frees up. Null = only at the next settlement or offer. */
  nextAt(): Millis | null {
    const due = this.#sleepers.peek()?.at ?? null
    const full = this.#quick.size >= this.#limits.slots || this.#inFlight.unproven >= this.#limits.unproven
    const [oldest] = this.#quick
    if (!full || !oldest || this.#dragging() >= this.#limits.dragging) return due
    return Math.min(due ?? NEVER, oldest.startedAt + this.#limits.dragsAfterMs)
  }

  /** `lagMs`: age of the oldest delivery that only we hold up; its endpoint neither fails nor drags. */
  status(now: Millis): { inFlight: number; endpoints: number; oldestDueAgeMs: number; lagMs: number } {
    let [oldest, healthy] = [now, now]
    for (const { gate, live, replay, standing, dragging } of this.#endpoints.values()) {
      if (gate.closed || gate.opensAt > now) continue
      oldest = Math.min(oldest, live.items[0]?.dueAt ?? now, replay.items[0]?.dueAt ?? now)
      if (standing !== 'failing' && dragging === 0) healthy = Math.min(healthy, live.items[0]?.dueAt ?? now)
    }
    const [inFlight, endpoints] = [this.#flights.size, this.#endpoints.size]
    return { inFlight, endpoints, oldestDueAgeMs: now - oldest, lagMs: now - healthy }
  }

  #present(endpointId: number): LaneEndpoint | undefined {
    const endpoint = this.#endpoints.get(endpointId)
    return endpoint?.gone ? undefined : endpoint
  }

  #newEndpoint(id: number, accountUuid: string, gate: LaneGate): LaneEndpoint {
    const account = this.#accounts.get(accountUuid) ?? { uuid: accountUuid, inFlight: 0, endpoints: new Set() }
    this.#accounts.set(accountUuid, account)
    const endpoint = newLaneEndpoint(id, account, gate)
    this.#endpoints.set(id, endpoint)
    account.endpoints.add(endpoint)
    return endpoint
  }

  /** Puts the endpoint in its current place: the rings, the sleepers, or nowhere (until a settlement adds it again). */
  #place(endpoint: LaneEndpoint, now: Millis): void {
    this.#unring(endpoint)
    const { gate, account } = endpoint
    if (endpoint.byHand.length > 0) this.#askedByHand.add(endpoint)
    else if (!endpoint.byHandComplete) this.#want(endpoint, 'by_hand')
    if (gate.closed || account.inFlight >= this.#limits.perAccount) return
    this.#wantMore(endpoint, 'live')
    this.#wantMore(endpoint, 'replay')
    const opensAt = opensAtOf(endpoint)
    if (opensAt <= now) {
      if (endpoint.inFlight >= roomOf(endpoint)) return
      if (nextOf(endpoint, endpoint.live, now)) this.#rings[endpoint.standing].add(account, endpoint)
      if (nextOf(endpoint, endpoint.replay, now)) this.#replays.add(account, endpoint)
    }
    const at = Math.max(firstDueOf(endpoint), opensAt)
    if (at > now && at < endpoint.wakeAt) {
      endpoint.wakeAt = at
      this.#sleepers.push(at, endpoint)
    }
  }

  #placeAll(account: LaneAccount, now: Millis): void {
    for (const endpoint of account.endpoints) this.#place(endpoint, now)
  }

  #unring(endpoint: LaneEndpoint): void {
    for (const standing of this.#turns) this.#rings[standing].remove(endpoint.account, endpoint)
    this.#replays.remove(endpoint.account, endpoint)
    this.#askedByHand.delete(endpoint)
  }

  #wantMore(endpoint: LaneEndpoint, kind: 'live' | 'replay'): void {
    const window = endpoint[kind]
    if (window.complete || window.loading || window.items.length > this.#limits.window / 4) return
    this.#want(endpoint, kind)
  }

  #want(endpoint: LaneEndpoint, kind: LaneKind): void {
    // Request nothing more until the response arrives.
    if (kind === 'by_hand') endpoint.byHandComplete = true
    else endpoint[kind].loading = true
    // In the database, deliveries in flight are still pending.
    const limit = this.#limits.window + endpoint.inFlight + endpoint.byHand.length
    this.#wants.set(`${kind}|${endpoint.id}`, { endpointId: endpoint.id, kind, limit })
  }

  #add(endpoint: LaneEndpoint, kind: LaneKind, item: LaneItem): void {
    if (this.#flights.has(item.id)) return
    if (kind === 'by_hand') {
      addByHand(endpoint, item)
      return
    }
    const window = endpoint[kind]
    if (endpoint.gate.closed || endpoint.known.has(item.id)) return
    if (window.loading) {
      window.arrivals.push(item)
      return
    }
    endpoint.known.add(item.id)
    const left = insertItem(window, item, this.#limits.window)
    if (left) endpoint.known.delete(left.id)
  }

  #fillWindow(endpoint: LaneEndpoint, kind: 'live' | 'replay', items: readonly LaneItem[], limit: number): void {
    const window = endpoint[kind]
    const { arrivals } = window
    window.loading = false
    window.arrivals = []
    if (endpoint.gate.closed) return
    window.complete = true
    for (const item of items) this.#add(endpoint, kind, item)
    const last = items.at(-1)
    if (last && items.length >= limit) {
      window.complete = false
      for (const item of cutAfter(window, last)) endpoint.known.delete(item.id)
    }
    for (const item of arrivals) this.#add(endpoint, kind, item)
  }

  #wakeSleepers(now: Millis): void {
    for (let first = this.#sleepers.peek(); first && first.at <= now; first = this.#sleepers.peek()) {
      this.#sleepers.pop()
      const { at, value: endpoint } = first
      if (at !== endpoint.wakeAt) continue
      endpoint.wakeAt = NEVER
      this.#place(endpoint, now)
    }
  }

  #noticeDragging(now: Millis): void {
    for (const flight of this.#quick) {
      if (flight.startedAt + this.#limits.dragsAfterMs > now || this.#dragging() >= this.#limits.dragging) return
      this.#quick.delete(flight)
      flight.drags = true
      flight.endpoint.dragging++
      if (flight.standing === 'unproven') this.#inFlight.unproven--
      this.#place(flight.endpoint, now)
    }
  }

  #dragging(): number {
    return this.#flights.size - this.#quick.size
  }

  #takeByHand(now: Millis): Claim | null {
    for (const endpoint of this.#askedByHand) {
      // One may always go, so a manual request does not wait behind hanging attempts.
      if (endpoint.inFlight > roomOf(endpoint) && this.#flights.values().some(isByHandTo(endpoint))) continue
      const item = endpoint.byHand.find(({ record }) => !endpoint.records.has(record))
      if (item) return this.#claim(endpoint, 'by_hand', item, now)
    }
    return null
  }

  #takeLive(now: Millis): Claim | null {
    for (const standing of [...this.#turns]) {
      if (standing !== 'proven' && this.#inFlight[standing] >= this.#limits[standing]) continue
      const endpoint = this.#rings[standing].next(anyone)
      if (!endpoint) continue
      const item = nextOf(endpoint, endpoint.live, now)
      if (!item) {
        this.#place(endpoint, now)
        continue
      }
      this.#turns.push(...this.#turns.splice(this.#turns.indexOf(standing), 1))
      return this.#claim(endpoint, 'live', item, now)
    }
    return null
  }

  #takeReplay(now: Millis): Claim | null {
    if (this.#inFlight.replay >= this.#limits.replay) return null
    const endpoint = this.#replays.next(this.#mayReplay)
    const item = endpoint && nextOf(endpoint, endpoint.replay, now)
    return endpoint && item ? this.#claim(endpoint, 'replay', item, now) : null
  }

  #claim(endpoint: LaneEndpoint, kind: LaneKind, item: LaneItem, now: Millis): Claim {
    const list = kind === 'by_hand' ? endpoint.byHand : endpoint[kind].items
    list.splice(list.indexOf(item), 1)
    const { standing, lastStartAt, meanGapMs } = endpoint
    const paceBefore = { lastStartAt, meanGapMs }
    const flight: Flight = { endpoint, item, kind, standing, startedAt: now, paceBefore, drags: false }
    this.#flights.set(item.id, flight)
    this.#quick.add(flight)
    this.#inFlight[endpoint.standing]++
    if (kind === 'replay') this.#inFlight.replay++
    endpoint.inFlight++
    endpoint.records.add(item.record)
    endpoint.meanGapMs = endpoint.meanGapMs * 0.8 + Math.min(now - endpoint.lastStartAt, 60_000) * 0.2
    endpoint.lastStartAt = now
    const probe = endpoint.gate.probing && kind !== 'by_hand'
    if (probe) endpoint.lastProbe = item.id
    const { account } = endpoint
    if (++account.inFlight === this.#limits.perAccount) this.#placeAll(account, now)
    else this.#place(endpoint, now)
    return { id: item.id, endpointId: endpoint.id, dueAt: item.dueAt, probe }
  }

  /** Frees the flight's slots. */
  #land(flight: Flight): void {
    const { endpoint, item, kind, standing, drags } = flight
    this.#flights.delete(item.id)
    this.#quick.delete(flight)
    if (drags) endpoint.dragging--
    if (!drags || standing !== 'unproven') this.#inFlight[standing]--
    if (kind === 'replay') this.#inFlight.replay--
    endpoint.inFlight--
    endpoint.records.delete(item.record)
    endpoint.known.delete(item.id)
    endpoint.account.inFlight--
  }
}

const anyone = () => true
const isByHandTo = (to: LaneEndpoint) => (flight: Flight) => flight.endpoint === to && flight.kind === 'by_hand'

// The scheduler's state for one endpoint: its recent results, and its pending deliveries in memory.
import type { Millis } from '../lib/clock.ts'
import { type LaneItem, type LaneWindow, newWindow, nextDue, nextItem, resetWindow } from './lane-window.ts'

/** Whether and when the endpoint may receive deliveries, and whether only one probe at a time. */
export interface LaneGate {
  closed: boolean
  opensAt: Millis
  probing: boolean
}

/** An attempt's result for pace and fairness. `none` = it says nothing about the endpoint · `unsent` = there was none. */
export type LaneResult = 'success' | 'failure' | 'slow_down' | 'none' | 'unsent'

/** `dueAt`: when the delivery is due again, null = settled. */
export interface LaneEnd {
  dueAt: Millis | null
  result: LaneResult
  gate: LaneGate | null
}

/** proven: succeeded since the start, and not failed since · failing: its last attempt failed. */
export type Standing = 'proven' | 'unproven' | 'failing'

export type LaneKind = 'live' | 'replay' | 'by_hand'

export interface LaneAccount {
  uuid: string
  inFlight: number
  endpoints: Set<LaneEndpoint>
}

export interface LaneEndpoint {
  id: number
  account: LaneAccount
  gate: LaneGate
  /** Removed, and kept only for what is in flight. */
  gone: boolean
  /** Concurrency in thirds: 3 at the start, one more per success, back to 3 on failure. */
  thirds: number
  inFlight: number
  /** Attempts in flight that have been open for long; until they end, no other starts. */
  dragging: number
  /** Records in flight. */
  records: Set<string>
  standing: Standing
  /** ms between starts after "too many requests"; shrinks with every success. */
  gapMs: number
  meanGapMs: number
  lastStartAt: Millis
  lastProbe: number
  live: LaneWindow
  replay: LaneWindow
  byHand: LaneItem[]
  /** False = the database may have more manual deliveries. */
  byHandComplete: boolean
  /** Ids in the windows, requested manually, or in flight. */
  known: Set<number>
  /** When to evaluate the endpoint again. */
  wakeAt: Millis
}

/** An attempt that has been let go. */
export interface Flight {
  endpoint: LaneEndpoint
  item: LaneItem
  kind: LaneKind
  standing: Standing
  startedAt: Millis
  /** Of its endpoint, before it. */
  paceBefore: Pick<LaneEndpoint, 'lastStartAt' | 'meanGapMs'>
  drags: boolean
}

export const NEVER = Number.POSITIVE_INFINITY
const THIRDS = 3

export function newLaneEndpoint(id: number, account: LaneAccount, gate: LaneGate): LaneEndpoint {
  return {
    id,
    account,
    gate,
    gone: false,
    thirds: THIRDS,
    inFlight: 0,
    dragging: 0,
    records: new Set(),
    standing: 'unproven',
    gapMs: 0,
    meanGapMs: 1_000,
    lastStartAt: 0,
    lastProbe: 0,
    live: newWindow(),
    replay: newWindow(),
    byHand: [],
    byHandComplete: true,
    known: new Set(),
    wakeAt: NEVER,
  }
}

/** How many attempts the endpoint may have in flight. */
export function roomOf({ gate, thirds, dragging }: LaneEndpoint): number {
  return gate.probing || dragging > 0 ? 1 : Math.floor(thirds / THIRDS)
}

/** When the endpoint may receive next: its gate is open, and its pace allows it. */
export function opensAtOf({ gate, gapMs, lastStartAt }: LaneEndpoint): Millis {
  return Math.max(gate.opensAt, gapMs > 0 ? lastStartAt + gapMs : 0)
}

/** When the first sendable delivery is due; `NEVER` = none. */
export function firstDueOf({ live, replay, records }: LaneEndpoint): Millis {
  return Math.min(nextDue(live, records) ?? NEVER, nextDue(replay, records) ?? NEVER)
}

/** Forgets pending deliveries except manual ones. */
export function emptyLanes(endpoint: LaneEndpoint): void {
  for (const window of [endpoint.live, endpoint.replay]) {
    for (const item of window.items) endpoint.known.delete(item.id)
    resetWindow(window)
  }
}

/** Adapts after an attempt: more at once while attempts succeed, one at a time when they fail. */
export function learn(endpoint: LaneEndpoint, result: LaneResult, mostAtOnce: number): void {
  switch (result) {
    case 'success':
      endpoint.thirds = Math.min(endpoint.thirds + 1, mostAtOnce * THIRDS)
      endpoint.standing = 'proven'
      endpoint.gapMs = endpoint.gapMs < 20 ? 0 : endpoint.gapMs * 0.9
      break
    case 'failure':
      endpoint.thirds = THIRDS
      endpoint.standing = 'failing'
      break
    case 'slow_down':
      endpoint.thirds = THIRDS
      endpoint.gapMs = Math.min(Math.max(endpoint.meanGapMs * 2, 100), 10_000)
      break
    case 'none':
    case 'unsent':
      break
  }
}

/** Was the endpoint opened or closed, or is a probe no longer needed? */
export function turns(before: LaneGate, after: LaneGate): boolean {
  return after.closed !== before.closed || (before.probing && !after.probing)
}

/** The delivery of the window that may start now; null = none. */
export function nextOf(endpoint: LaneEndpoint, window: LaneWindow, now: Millis): LaneItem | null {
  return nextItem(window, now, endpoint.records, endpoint.gate.probing ? endpoint.lastProbe : null)
}

/** Adds a manual delivery, which from now on skips the queue. */
export function addByHand(endpoint: LaneEndpoint, item: LaneItem): void {
  if (endpoint.byHand.some(({ id }) => id === item.id)) return
  // It may already be loaded as a regular delivery.
  for (const { items } of [endpoint.live, endpoint.replay]) {
    const index = items.findIndex(({ id }) => id === item.id)
    if (index >= 0) items.splice(index, 1)
  }
  endpoint.byHand.push(item)
  endpoint.known.add(item.id)
}

/** Forgets all pending deliveries, including manual ones. */
export function forgetWaiting(endpoint: LaneEndpoint): void {
  endpoint.byHand = []
  endpoint.byHandComplete = true
  emptyLanes(endpoint)
}

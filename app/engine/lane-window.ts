// The next few deliveries of one endpoint, in memory; the rest stays in the database until there is room.
import type { DueDelivery } from '#db/store/deliveries.ts'
import type { Millis } from '../lib/clock.ts'

export type LaneItem = Omit<DueDelivery, 'cause'>

export interface LaneWindow {
  /** Earliest due first; same moment: lower id first. */
  items: LaneItem[]
  /** True = the database has no more pending deliveries. */
  complete: boolean
  loading: boolean
  /** Offered during a load whose result may or may not include them. */
  arrivals: LaneItem[]
}

export function newWindow(): LaneWindow {
  return { items: [], complete: false, loading: false, arrivals: [] }
}

/** Empties the window; the database's contents count as unknown. */
export function resetWindow(window: LaneWindow): void {
  window.items = []
  window.complete = false
  window.arrivals = []
}

/**
 * Inserts an item in order. Returns the item that has no room: the last one when the window is full, or the given one
 * when unloaded items may come before it. That item is loaded from the database later.
 */
export function insertItem(window: LaneWindow, item: LaneItem, capacity: number): LaneItem | null {
  const { items } = window
  const last = items.at(-1)
  if (!window.complete && (!last || isBefore(last, item))) return item
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = items[middle]
    if (other && isBefore(other, item)) low = middle + 1
    else high = middle
  }
  items.splice(low, 0, item)
  if (items.length <= capacity) return null
  window.complete = false
  return items.pop() ?? null
}

/** Removes items after `last`, because unloaded items may lie between. */
export function cutAfter(window: LaneWindow, last: LaneItem): LaneItem[] {
  const index = window.items.findIndex((item) => isBefore(last, item))
  return index < 0 ? [] : window.items.splice(index)
}

/** The next item that may start now, or null. `after`: picks the one with the next higher id (a probe). */
export function nextItem(
  window: LaneWindow,
  now: Millis,
  busy: ReadonlySet<string>,
  after: number | null,
): LaneItem | null {
  let lowest: LaneItem | null = null
  let next: LaneItem | null = null
  for (const item of window.items) {
    if (item.dueAt > now) break
    if (busy.has(item.record)) continue
    if (after === null) return item
    if (!lowest || item.id < lowest.id) lowest = item
    if (item.id > after && (!next || item.id < next.id)) next = item
  }
  return next ?? lowest
}

/** When the first item that is not busy is due; null = none. */
export function nextDue(window: LaneWindow, busy: ReadonlySet<string>): Millis | null {
  return window.items.find((item) => !busy.has(item.record))?.dueAt ?? null
}

function isBefore(a: LaneItem, b: LaneItem): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.id < b.id)
}

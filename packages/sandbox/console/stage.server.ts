// Shared state of the console's pages and actions, and small stores that live as long as the process.
import type { MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import type { Receiver } from '../receiver/receiver.server.ts'
import type { World } from '../world.ts'
import type { ClockView, Said } from './layout.tsx'
import type { Opened } from './pages/opening-page.tsx'
import { createTrails, type Trails } from './trails.server.ts'

export interface ConsoleDeps {
  clock: MovableClock
  /** Public address without a trailing slash. */
  origin: string
  log: Log
  receiver: Receiver
  /**
   * The same server under a name that browsers treat as another site (`http://127.0.0.1:3000` beside `localhost`). Only
   * set it when the add-on's pages may be framed by it. Default: none.
   */
  otherSite?: string
  /** The clock cannot be moved: its buttons are left out. Default: it can. */
  still?: boolean
}

export interface ConsoleStage {
  world: World
  clock: MovableClock
  origin: string
  log: Log
  receiver: Receiver
  otherSite: string
  still: boolean
  trails: Trails
  says: Shelf<Said>
  openings: Shelf<Omit<Opened, 'id'>>
}

/** Keeps the last few items by number. */
interface Shelf<T> {
  put(item: T): number
  find(id: number): T | null
  /** Returns an item once, then forgets it. */
  take(id: number): T | null
}

const KEEP = 30

export function createStage(world: World, deps: ConsoleDeps): ConsoleStage {
  const { otherSite = '', still = false, ...rest } = deps
  const trails = createTrails(world, deps.receiver.log)
  return { world, ...rest, otherSite, still, trails, says: createShelf(), openings: createShelf() }
}

export function clockView({ world, clock, still }: Pick<ConsoleStage, 'world' | 'clock' | 'still'>): ClockView {
  const zones = new Set(world.accounts().map((account) => account.timezone))
  return { now: clock.now(), moved: clock.offset(), zones: [...zones], still }
}

function createShelf<T>(): Shelf<T> {
  const items = new Map<number, T>()
  let nextId = 1
  return {
    put(item) {
      const id = nextId++
      items.set(id, item)
      items.delete(id - KEEP)
      return id
    },
    find: (id) => items.get(id) ?? null,
    take(id) {
      const item = items.get(id) ?? null
      items.delete(id)
      return item
    },
  }
}

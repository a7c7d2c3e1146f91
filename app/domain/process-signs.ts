// The health of this process for the operator's page: read from memory only, so it costs nothing.
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import type { SpaceLevel } from './space.ts'

export interface SpaceSigns {
  level: SpaceLevel
  /** Bytes in use, and the maximum. */
  usedBytes: number
  budgetBytes: number
  /** Accounts over their share; null = not weighed, because there is enough space. */
  overShare: number | null
  sentence: string
}

interface LoopSigns {
  /** This process does the work; if false, another one holds the lease. */
  owner: boolean
  draining: boolean
  inFlight: number
  /** When it last gave a sign of life; null = not yet. */
  lastBeatAt: Millis | null
}

/** A quarter of an hour of this process. */
export interface QuarterFigures {
  /** Its beginning. */
  at: Millis
  /** Events that were stored. */
  events: number
  /** The most that a due delivery waited, ms. */
  oldestDueAgeMs: number
  /** Size of the database. */
  usedBytes: number
}

export interface ProcessSigns {
  startedAt: Millis
  /** `v20.20.0`. */
  node: string
  memoryBytes: number
  /** Event loop delay in the last whole minute, ms, 99th percentile. Null = not measured yet. */
  loopDelayMs: number | null
  deliveries: LoopSigns
  /** Ids of the deliveries that it is sending. */
  flights: readonly number[]
  /** Instances at work, and shares of the accounts that none of them has. Null = one process does all the work. */
  instances: { members: number | null; unowned: number | null } | null
  automations: LoopSigns
  space: SpaceSigns
  /** The last 24 hours, or the time since the start: oldest first; quarters without a sample are missing. */
  day: readonly QuarterFigures[]
}

/** A loop without a sign of life for this long counts as stopped. It gives one every 3 s. */
const SILENCE = seconds(10)

export type LoopState = 'turning' | 'held' | 'ending' | 'elsewhere' | 'silent'

/** `held` = a restored copy, where no loop starts. */
export function loopState(loop: LoopSigns, now: Millis, held = false): LoopState {
  if (held) return 'held'
  if (loop.draining) return 'ending'
  if (loop.lastBeatAt === null || now - loop.lastBeatAt > SILENCE) return 'silent'
  return loop.owner ? 'turning' : 'elsewhere'
}

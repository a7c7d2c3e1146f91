// How the process itself does, as the operator's page is told: from memory alone, asking costs nothing.
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import type { SpaceLevel } from './space.ts'

interface LoopSigns {
  /** This process is the one that works; another one holds the lease otherwise. */
  owner: boolean
  draining: boolean
  inFlight: number
  /** When it last proved to be alive; null = not yet. */
  lastBeatAt: Millis | null
}

export interface ProcessSigns {
  startedAt: Millis
  /** `v20.20.0`. */
  node: string
  memoryBytes: number
  /** How late work began in the last whole minute, ms: 99 of 100 times it was not later. Null = not measured yet. */
  loopDelayMs: number | null
  deliveries: LoopSigns & {
    /** The one number: age of the oldest delivery that is due and not held, ms. */
    oldestDueAgeMs: number
  }
  automations: LoopSigns
  space: {
    level: SpaceLevel
    usedBytes: number
    budgetBytes: number
    /** Accounts over their share; null = nobody has been weighed, because there is room. */
    overShare: number | null
    sentence: string
  }
}

/** Without a sign of life for this long a loop does not turn. It gives one every 3 s. */
const SILENCE = seconds(10)

export type LoopState = 'turning' | 'held' | 'ending' | 'elsewhere' | 'silent'

/** `held` = a restored copy, in which no loop begins. */
export function loopState(loop: LoopSigns, now: Millis, held = false): LoopState {
  if (held) return 'held'
  if (loop.draining) return 'ending'
  if (loop.lastBeatAt === null || now - loop.lastBeatAt > SILENCE) return 'silent'
  return loop.owner ? 'turning' : 'elsewhere'
}

// The parts of the simulated world.
import type { DeliveryEngine } from '#app/boot/delivery-engine.server.ts'
import type { App } from '#app/context/app-context.ts'
import type { LaneLimits } from '#app/engine/lane-limits.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { IncomingEvent, PendingLimit } from '#db/store/events.ts'
import type { SteppingClock } from '#tests/support/stepping-clock.ts'
import type { Mood } from './answers.ts'
import type { Model } from './model.ts'
import type { Sabotage } from './sabotage.ts'

export interface Process {
  name: string
  client: Client
  /** The store as its parts see it: every call is observed. */
  store: App['store']
  clock: Clock
  engine: DeliveryEngine
  state: 'alive' | 'frozen' | 'draining' | 'dead'
  /** The process ends at the next call of that act of the store: before it is performed, or right after its commit. */
  crash: { method: string; when: 'before' | 'after' } | null
}

export interface WorldOptions {
  seed: number
  beatMs: number
  gatherMs: number
  limits: Pick<LaneLimits, 'window'>
  pendingLimit: PendingLimit
  /** Makes the engine do something wrong, to check that it is noticed. */
  sabotage: Sabotage | null
}

export interface World {
  options: WorldOptions
  clock: SteppingClock
  model: Model
  processes: Process[]
  moods: Map<number, Mood>
  secrets: App['secrets']
  settings: App['settings']
  log: Log
  /** A read-only connection to the file. */
  onlooker: Client
  violations: string[]
  /** Adds a line to the current step's log. */
  note(line: string): void
  open(): Process
  kill(process: Process): void
  thaw(process: Process): void
  /** Events of the platform that got no answer, because the process died meanwhile. */
  unanswered: IncomingEvent[]
  /** The lease's current holder; null when nobody may send. */
  leaseHolder(): string | null
  accept(process: Process, event: IncomingEvent): void
  close(): void
}

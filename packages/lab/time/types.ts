// The parts of the world in pretend time.
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
  /** What its parts see of the store: every call is watched. */
  store: App['store']
  clock: Clock
  engine: DeliveryEngine
  state: 'alive' | 'frozen' | 'draining' | 'dead'
  /** It ends when that act of the store is next called: before it is done, or right after it is committed. */
  crash: { method: string; when: 'before' | 'after' } | null
}

export interface WorldOptions {
  seed: number
  beatMs: number
  gatherMs: number
  limits: Pick<LaneLimits, 'window'>
  pendingLimit: PendingLimit
  /** Makes the engine do something wrong, to see that it is noticed. */
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
  /** The file, as an onlooker sees it: reads only. */
  onlooker: Client
  violations: string[]
  /** Adds a line to what is told about the present step. */
  note(line: string): void
  open(): Process
  kill(process: Process): void
  thaw(process: Process): void
  /** What the platform sends and was not answered, because the process died meanwhile. */
  unanswered: IncomingEvent[]
  /** Who may send at present; null = nobody. */
  leaseHolder(): string | null
  accept(process: Process, event: IncomingEvent): void
  close(): void
}

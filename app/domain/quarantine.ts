import { plural } from './moments.ts'
// A restored copy is held: it must not send again what was sent before, until a person has looked at it.

/** What the rest of the product asks. */
export interface Quarantine {
  /** Nothing may leave. */
  held(): boolean
  /** Ends it: what waits goes out from now on. */
  release(): Promise<ReleaseOutcome>
}

export type ReleaseOutcome =
  | { outcome: 'released' }
  | { outcome: 'not_held' }
  /** The environment says so, and has to say otherwise first. */
  | { outcome: 'by_environment'; sentence: string }

export const QUARANTINED_BY_ENVIRONMENT = 'HOLD=yes is set: take it out and start again to let the copy go.'

/** A file beside a database: what is in that is a copy that nobody has looked at yet. */
export function quarantineMarker(databaseFile: string): string {
  return `${databaseFile}.held`
}

/** For everybody, above a page, and in place of what is not done meanwhile. */
export const QUARANTINED =
  'This is a restored copy. Events are stored, but nothing is sent, no automation runs and no subscription changes until the operator lets it go.'

/** Timed work that goes on: it changes rows of our own and reaches nobody. */
export const JOBS_IN_QUARANTINE: ReadonlySet<string> = new Set(['sign_ins.forget', 'refusals.count', 'space.relieve'])

/** For the operator, before letting go. */
export function waitingSentence({ deliveries, runs }: { deliveries: number; runs: number }): string {
  const waits = `${plural(deliveries, 'delivery', 'deliveries')} and ${plural(runs, 'run', 'runs')}`
  return `Waiting in it: ${waits}. They go out once the copy is let go; deliveries older than three days do not.`
}

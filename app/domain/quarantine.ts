import { plural } from './time/moments.ts'
// A restored copy is held: it must not repeat what was already sent, until a person has checked it.

export interface Quarantine {
  /** True = nothing may be sent. */
  held(): boolean
  /** True = held as a restored or moved copy. */
  isCopy(): boolean
}

/** A marker file next to a database: the database is a restored copy that no person has checked yet. */
export function quarantineMarker(databaseFile: string): string {
  return `${databaseFile}.held`
}

/** Shown to everyone above each page, and in place of disabled actions: of a restored or moved copy, and by HOLD=yes. */
export const QUARANTINED = 'Fieldhook is on hold. It stores events and sends nothing until its operator releases it.'
/** Its code, where a hold for the plan has its own. */
export const ALL_HELD = 'all_held'

/** Why nothing is sent: all is held, or the account for its `plan`; null = it is sent. */
export function holdReason({ held }: { held?: boolean | undefined }, plan: string | null | undefined): string | null {
  return held ? ALL_HELD : (plan ?? null)
}

/** Background jobs that continue: they change only our own rows and send nothing. */
export const JOBS_IN_QUARANTINE: ReadonlySet<string> = new Set(['sign_ins.forget', 'refusals.count', 'space.relieve'])
/** These continue with `HOLD=yes`, too: only a copy would get among the real backups. */
export const JOBS_UNLESS_A_COPY: ReadonlySet<string> = new Set(['backups.take', 'backups.drill'])

/** For the operator, before releasing. */
export function waitingSentence({ deliveries, runs }: { deliveries: number; runs: number }): string {
  const waits = `${plural(deliveries, 'delivery', 'deliveries')} and ${plural(runs, 'run', 'runs')}`
  return `Waiting in it: ${waits}. They go out after the release, except deliveries older than three days.`
}

// Ends the quarantine of a restored copy, after a person has checked it.
import type { App } from '#app/context/app-context.ts'
import type { ReleaseOutcome } from '#app/domain/quarantine.ts'

/** The caller was already checked: only the operator gets here. */
export async function releaseHold({ hold, log }: Pick<App, 'hold' | 'log'>): Promise<ReleaseOutcome> {
  const released = await hold.release()
  if (released.outcome === 'released') log.warn({}, 'hold.released')
  return released
}

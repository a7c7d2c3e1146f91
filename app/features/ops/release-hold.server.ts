// Ends the hold of a restored copy, after a person has looked at it.
import type { App } from '#app/context/app-context.ts'
import type { ReleaseOutcome } from '#app/domain/quarantine.ts'

/** Who asks has been judged before: this is the operator's. */
export async function releaseHold({ hold, log }: Pick<App, 'hold' | 'log'>): Promise<ReleaseOutcome> {
  const released = await hold.release()
  if (released.outcome === 'released') log.warn({}, 'hold.released')
  return released
}

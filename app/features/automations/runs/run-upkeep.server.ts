// Deletes old automation data, in small steps, oldest first. Unfinished runs go only with an account that has been on
// hold for as long as runs are kept.
import type { App } from '#app/context/app-context.ts'
import { ENDED_MUTES_KEPT, MESSAGES_KEPT, OWN_WRITES_KEPT, RUNS_KEPT } from '#app/domain/kept-until.ts'
import { pause } from '#app/lib/turns.server.ts'
import type { Leftover } from '#db/store/run-history.ts'

type UpkeepApp = Pick<App, 'store' | 'clock' | 'log'>

/** Retention of each kind, ms. */
const LEFTOVERS: Record<Leftover, number> = {
  verdict: RUNS_KEPT,
  ledger: 0,
  own_write: OWN_WRITES_KEPT,
  message: MESSAGES_KEPT,
  reply: RUNS_KEPT,
  trigger_call: 0,
  mute: ENDED_MUTES_KEPT,
}

const ROWS_PER_STEP = 200
const PAUSE_MS = 20

/** `signal` stops it early. */
export async function forgetOldRuns(app: UpkeepApp, signal?: AbortSignal): Promise<void> {
  const { store, clock, log } = app
  const now = clock.now()
  let runs = 0
  for (let from: number | null = 0; from !== null && !signal?.aborted; ) {
    const step: { removed: number; nextId: number | null } = await store.runs.forgetRunsStep(
      now - RUNS_KEPT,
      from,
      ROWS_PER_STEP,
    )
    runs += step.removed
    from = step.nextId
    if (from !== null) await pause(app.clock, PAUSE_MS)
  }
  const removed: Partial<Record<Leftover, number>> = {}
  for (const [kind, keptMs] of Object.entries(LEFTOVERS) as [Leftover, number][]) {
    removed[kind] = await forgetLeftovers(app, kind, now - keptMs, signal)
  }
  if (runs > 0 || Object.values(removed).some((count) => count > 0))
    log.info({ runs, ...removed }, 'automations.forgotten')
}

async function forgetLeftovers(
  app: UpkeepApp,
  kind: Leftover,
  before: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0
  while (!signal?.aborted) {
    const step = await app.store.runs.forgetLeftoversStep(kind, before, ROWS_PER_STEP)
    removed += step
    if (step < ROWS_PER_STEP) break
    await pause(app.clock, PAUSE_MS)
  }
  return removed
}

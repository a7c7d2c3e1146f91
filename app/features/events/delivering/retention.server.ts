// Keeps the database file bounded: removes old events and bodies in small steps that do not delay new events.
import type { App } from '#app/context/app-context.ts'
import { DELIVERED_BODIES, HOURLY_COUNTERS, LEAST_EVENTS } from '#app/domain/kept-until.ts'
import { hours } from '#app/lib/duration.ts'
import { pause } from '#app/lib/turns.server.ts'

type RetentionApp = Pick<App, 'store' | 'clock' | 'log'>

interface Retention {
  /** How long to keep events with everything that belongs to them, including bodies of undelivered ones. ms */
  keepMs: number
  /** How long to keep the body of an event that was delivered everywhere, or sent nowhere. ms, default 7 days; its row in the log stays. */
  deliveredBodyMs?: number
}

/** Measured: a larger step noticeably delays incoming events. */
const ROWS_PER_STEP = 100
const PAUSE_MS = 20
const PAGES_PER_STEP = 128

/** Removes what has passed its retention, oldest first. Never removes waiting deliveries. `signal` ends it early. */
export async function forgetOldEvents(
  app: RetentionApp,
  { keepMs, deliveredBodyMs = DELIVERED_BODIES }: Retention,
  signal?: AbortSignal,
): Promise<void> {
  const { store, clock, log } = app
  const now = clock.now()
  const oldest = now - Math.max(keepMs, LEAST_EVENTS)
  const events = await inSteps(app, signal, (from) => store.ops.deleteOldEventsStep(oldest, from, ROWS_PER_STEP))
  const bodies = await inSteps(app, signal, (from) =>
    store.ops.deleteOldBodiesStep(now - deliveredBodyMs, oldest, from, ROWS_PER_STEP),
  )
  await store.ops.deleteOldHours(Math.floor((now - HOURLY_COUNTERS) / hours(1)))
  if (events + bodies === 0) return
  log.info({ events, bodies }, 'retention.removed')
  for (let { freeBytes } = await store.ops.spaceUsed(); freeBytes > 0 && !signal?.aborted; ) {
    await store.ops.vacuumStep(PAGES_PER_STEP)
    await pause(app.clock, PAUSE_MS)
    const left = (await store.ops.spaceUsed()).freeBytes
    if (left >= freeBytes) return
    freeBytes = left
  }
}

async function inSteps(
  app: RetentionApp,
  signal: AbortSignal | undefined,
  step: (fromSeq: number) => Promise<{ removed: number; nextSeq: number | null }>,
): Promise<number> {
  let removed = 0
  let from: number | null = 0
  while (from !== null && !signal?.aborted) {
    const result: { removed: number; nextSeq: number | null } = await step(from)
    removed += result.removed
    from = result.nextSeq
    if (from !== null) await pause(app.clock, PAUSE_MS)
  }
  return removed
}

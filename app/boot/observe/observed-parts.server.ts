// Wraps the parts for observation in one place: always counted, traced when a collector is configured. Tracing is
// outermost, so that counted work is inside its span.
import type { Mailer } from '#app/adapters/mailer.ts'
import { createMeasures } from '#app/adapters/measures.server.ts'
import type { Measures } from '#app/adapters/measures.ts'
import type { PlatformOAuth } from '#app/adapters/platform.ts'
import { createProcessLoad, type ProcessLoad } from '#app/adapters/process-load.server.ts'
import type { PlatformCall } from '#app/adapters/servicem8/servicem8-call.ts'
import type { Log } from '#app/lib/log.ts'
import type { TracingSettings } from '#app/lib/tracing-settings.ts'
import { CALL_PATHS } from '#app/routes/api/calls.server.ts'
import { allPatterns } from '#app/routes/route-patterns.ts'
import {
  measureIngress,
  measureLog,
  measureMailer,
  measureOAuth,
  measureOutbound,
  measurePlatformCall,
  measureStore,
} from './measured-parts.server.ts'

type TracedParts = import('./traced-parts.server.ts').TracedParts

export interface ObservedParts extends TracedParts {
  measures: Measures
  load: ProcessLoad
  log: Log
  oauth(oauth: PlatformOAuth): PlatformOAuth
  mailer(mailer: Mailer): Mailer
  platformCalled(call: PlatformCall): void
  jobEnded(job: string, outcome: 'done' | 'failed', durationMs: number): void
  start(): void
  stop(): Promise<void>
}

export async function observeParts(input: {
  log: Log
  version: string
  /** Null = no tracing, and no tracing code is loaded. */
  tracing: TracingSettings | null
}): Promise<ObservedParts> {
  const measures = createMeasures({ version: input.version, routes: allPatterns(CALL_PATHS) })
  const load = createProcessLoad()
  const log = measureLog(input.log, measures)
  const traced = await tracedParts(input.tracing, input.version, log)
  const { parts } = traced
  return {
    measures,
    load,
    log,
    store: (store) => parts.store(measureStore(store, measures)),
    outbound: (outbound) => parts.outbound(measureOutbound(outbound, measures)),
    oauth: (oauth) => measureOAuth(oauth, measures),
    mailer: (mailer) => measureMailer(mailer, measures),
    platformCalled: (call) => measurePlatformCall(call, measures),
    jobEnded: (job, outcome, durationMs) => measures.jobEnded(job, outcome, durationMs / 1000),
    ingress: (handle) => parts.ingress(measureIngress(handle, measures)),
    acceptEvent: parts.acceptEvent,
    deliver: parts.deliver,
    run: parts.run,
    committer: parts.committer,
    start: load.start,
    async stop() {
      load.stop()
      await traced.stop()
    },
  }
}

async function tracedParts(settings: TracingSettings | null, version: string, log: Log) {
  if (settings === null) return { parts: UNTRACED, stop: async () => {} }
  const { createTracing } = await import('#app/adapters/tracing.server.ts')
  const { traceParts } = await import('./traced-parts.server.ts')
  const tracing = createTracing(settings, version, log)
  return { parts: traceParts(tracing), stop: tracing.stop }
}

const same = <T>(part: T): T => part

const UNTRACED = {
  store: same,
  outbound: same,
  ingress: same,
  acceptEvent: same,
  deliver: same,
  run: <T>(_run: { id: number; account: string }, work: () => Promise<T>) => work(),
  committer: same,
} satisfies Partial<ObservedParts>

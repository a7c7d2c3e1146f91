// What a run at work draws from.
import type { App } from '#app/context/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { ClaimedRun, RunFence } from '#db/store/runs.ts'
import type { Committer } from '../actions/action.server.ts'
import type { ContextLoader } from './run-context.server.ts'
import type { RunFacts } from './run-facts.server.ts'
import type { StepParts } from './run-step.server.ts'

export type RunApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'settings'>

export interface RunParts extends StepParts {
  committer: Committer
  facts: RunFacts
}

/** A run that this process has claimed. */
export interface RunAtWork {
  run: ClaimedRun
  /** Writes are refused when the run is somebody else's by now. */
  fence: RunFence
  context: ContextLoader
  startedAt: Millis
  /** False = nothing more may begin: the process drains. */
  goOn(): boolean
}

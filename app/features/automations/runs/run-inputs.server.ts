// Inputs of a run in progress.
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

/** A run claimed by this process. */
export interface RunAtWork {
  run: ClaimedRun
  /** Rejects writes when another process owns the run. */
  fence: RunFence
  context: ContextLoader
  startedAt: Millis
  /** False = start nothing new: the process is draining. */
  goOn(): boolean
}

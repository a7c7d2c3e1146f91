// Inputs of a run in progress.
import type { App } from '#app/context/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { MessageReceiver } from '#db/store/run-guards.ts'
import type { ClaimedRun, RunFence } from '#db/store/runs.ts'
import type { Committer } from '../actions/action.server.ts'
import type { PutOff } from '../rules/journal.ts'
import type { ContextLoader } from './run-context.server.ts'
import type { RunFacts } from './run-facts.server.ts'
import type { StepParts } from './run-step.server.ts'

export type RunApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'settings'>

/** Reads what a receiver may have answered since the latest look; `put_off` = ServiceM8 cannot be asked now. */
export type LastLook = (
  accountUuid: string,
  receiver: MessageReceiver,
) => Promise<{ outcome: 'looked' } | { outcome: 'put_off'; why: PutOff }>

export interface RunParts extends StepParts {
  committer: Committer
  facts: RunFacts
  /** Missing = only answers that were read before count. */
  lastLook?: LastLook
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

// What a run at work draws from.
import type { App } from '#app/context/app-context.ts'
import type { Committer } from '../actions/action.server.ts'
import type { RunFacts } from './run-facts.server.ts'
import type { StepParts } from './run-step.server.ts'

export type RunApp = Pick<App, 'store' | 'clock' | 'log' | 'secrets' | 'settings'>

export interface RunParts extends StepParts {
  committer: Committer
  facts: RunFacts
}

// Parts of `App` that only automations use. Declared here, so that the shared type depends on no feature.
import type { FactLoader, PlanReader } from './records/load-facts.server.ts'
import type { StepParts } from './runs/run-step.server.ts'

declare module '#app/context/app-context.ts' {
  interface App {
    /** Inputs for planning a run: nothing in it can write. */
    planning: StepParts & { facts: FactLoader & PlanReader }
  }
}

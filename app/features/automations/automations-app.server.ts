// What `App` has for automations alone. Declared here, so that the type every use case draws from knows no feature.
import type { FactLoader, PlanReader } from './records/load-facts.server.ts'
import type { StepParts } from './runs/run-step.server.ts'

declare module '#app/context/app-context.ts' {
  interface App {
    /** What a run is planned with: nothing in it can write. */
    planning: StepParts & { facts: FactLoader & PlanReader }
  }
}

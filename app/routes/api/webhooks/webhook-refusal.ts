import type { Refused } from '#app/features/endpoints/endpoint-changes.server.ts'
import { statusOf } from '#app/features/endpoints/manager-page.server.ts'
import { badInput, problem } from '#app/http/respond.ts'

/** A refused create or update of a webhook or forwarding rule as a call answers it. */
export function webhookRefusal(refusal: Refused): Response {
  return refusal.outcome === 'invalid'
    ? badInput(refusal.message, refusal.errors)
    : problem(statusOf(refusal), refusal.message)
}

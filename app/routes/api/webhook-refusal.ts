import { statusOf } from '#app/features/webhooks/webhook-page.server.ts'
import type { Refused } from '#app/features/webhooks/webhooks.server.ts'
import { badInput, problem } from '#app/http/respond.ts'

/** A refused create or update as a call answers it. */
export function webhookRefusal(refusal: Refused): Response {
  return refusal.outcome === 'invalid'
    ? badInput(refusal.message, refusal.errors)
    : problem(statusOf(refusal), refusal.message)
}

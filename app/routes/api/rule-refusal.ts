import type { RuleRefusal } from '#app/features/automations/rules/rules.server.ts'
import { badInput, notFound, problem, tooMany } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/** Bytes of a whole automation: its longest texts in any script, each letter as six bytes (`\u05d0`). */
export const RULE_BODY = 640 * 1024
export const RULE_TOO_LARGE = 'The body is larger than 640 KB.'

/** The answer for a rule that was not created or changed. */
export function ruleRefusal(refusal: RuleRefusal): Response {
  switch (refusal.outcome) {
    case 'invalid':
      return badInput(refusal.message, refusal.errors)
    case 'too_many':
    case 'stale':
      return problem(400, refusal.message)
    case 'not_found':
      return notFound()
    case 'too_long':
      return problem(422, refusal.message)
    case 'busy':
      return tooMany(refusal.retryAfterMs)
    default:
      return assertNever(refusal)
  }
}

// Limits for the size of a rule and of all rules of an account. Each text has its own limit, but a rule has many.
import type { z } from 'zod'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { grouped } from '#app/domain/time/moments.ts'

/** Characters of one stored rule. Far more than the longest of the library. */
export const LONGEST_RULE = 100_000
/** Characters of all rules of one account. */
export const MOST_OF_RULES = 2_000_000

/** Characters of the stored rule. */
export function lengthOfRule(definition: RuleDefinition): number {
  return JSON.stringify(definition).length
}

/** Why a rule is too long to save; null = it is not. */
export function ruleTooLong(definition: RuleDefinition): string | null {
  const length = lengthOfRule(definition)
  if (length <= LONGEST_RULE) return null
  return `An automation has at most ${grouped(LONGEST_RULE)} characters. This one has ${grouped(length)}.`
}

/** `length`: of all rules of the account, including the one to save. */
export function rulesTooLong(length: number): string | null {
  if (length <= MOST_OF_RULES) return null
  return `All automations together have at most ${grouped(MOST_OF_RULES)} characters. With this one they have ${grouped(length)}.`
}

/** Marks the issue in `ruleForm`. */
export const TOO_LONG_MARK = { tooLong: true }

/** The sentence about a form that is too long as a whole, from its issues; null = none of them says so. */
export function tooLongAmong(issues: readonly z.core.$ZodIssue[]): string | null {
  return issues.find((one) => one.code === 'custom' && one.params === TOO_LONG_MARK)?.message ?? null
}

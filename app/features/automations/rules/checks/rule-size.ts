// How long a rule may be as a whole, and all rules of an account together. Each text has a limit of its own, but a rule has many of them.
import type { z } from 'zod'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { grouped } from '#app/domain/count-text.ts'

/** Characters of one rule as it is stored. Far more than the longest of the library. */
export const LONGEST_RULE = 100_000
/** Characters of all rules of one account. */
export const MOST_OF_RULES = 2_000_000

/** Characters of the rule as it is stored. */
export function lengthOfRule(definition: RuleDefinition): number {
  return JSON.stringify(definition).length
}

/** Why a rule cannot be saved for its length; null = it can. */
export function ruleTooLong(definition: RuleDefinition): string | null {
  const length = lengthOfRule(definition)
  if (length <= LONGEST_RULE) return null
  return `An automation has at most ${grouped(LONGEST_RULE)} characters. This one has ${grouped(length)}.`
}

/** `length`: of all rules of the account, with the one that is to be saved. */
export function rulesTooLong(length: number): string | null {
  if (length <= MOST_OF_RULES) return null
  return `All automations together have at most ${grouped(MOST_OF_RULES)} characters. With this one they have ${grouped(length)}.`
}

/** What `ruleForm` marks the issue with. */
export const TOO_LONG_MARK = { tooLong: true }

/** The sentence of a form that is too long as a whole, among what is wrong with it; null = it is not, as far as it was read. */
export function tooLongAmong(issues: readonly z.core.$ZodIssue[]): string | null {
  return issues.find((one) => one.code === 'custom' && one.params === TOO_LONG_MARK)?.message ?? null
}

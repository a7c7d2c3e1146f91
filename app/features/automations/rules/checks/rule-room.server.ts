// Checks whether the account has room for a rule, when it is saved and when it is previewed.
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { lengthOfRule, rulesTooLong } from './rule-size.ts'

/** Rules of one account. Every event evaluates each rule that watches its object. */
export const MOST_RULES = 200

/** Why there is no room; null = there is, always if the rule does not grow. `before` = as stored; null = a new rule. */
export async function noRoomFor(
  app: Pick<App, 'store'>,
  accountUuid: string,
  definition: RuleDefinition,
  before: RuleDefinition | null,
): Promise<string | null> {
  const { count, characters } = await app.store.automations.sizeOfAutomations(accountUuid)
  if (before === null && count >= MOST_RULES) return `An account has at most ${MOST_RULES} automations.`
  const grows = lengthOfRule(definition) - (before === null ? 0 : lengthOfRule(before))
  return grows > 0 ? rulesTooLong(characters + grows) : null
}

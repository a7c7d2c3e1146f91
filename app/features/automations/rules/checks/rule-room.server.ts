// Is there room in the account for a rule as it is to be stored? Asked when it is saved and when it is looked at before.
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { lengthOfRule, rulesTooLong } from './rule-size.ts'

/** Rules of one account. Each that watches events is asked at every event. */
export const MOST_RULES = 200

/** Why not, in words; null = there is. `before` = what the rule says as stored; null = a new one. One that grows no longer has room. */
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

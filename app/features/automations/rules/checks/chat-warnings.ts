// Warns on saving about notifications to an address that refuses them, in the words of the webhook manager.
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { chatWarning } from '#app/features/endpoints/chat-address.ts'

/** One sentence per chat program that the rule would call. */
export function chatWarningsOf({ steps }: Pick<RuleDefinition, 'steps'>): string[] {
  const said = steps.flatMap(({ type, parameters }) => {
    if (type !== 'send_notification' || typeof parameters.url !== 'string') return []
    const warning = chatWarning(parameters.url.trim())
    return warning === null ? [] : [warning]
  })
  return [...new Set(said)]
}

// Which existing records a rule notes before it starts.
import { checksAgain, type RuleDefinition, startsOnMessages } from '#app/domain/automations/rule.ts'
import { objectOfRule } from './conditions/conditions.ts'

/**
 * Must existing records be noted before the rule starts? Rules on events need a snapshot of every record; recurring
 * polled rules that act once per record skip existing matches, unless the person chooses otherwise.
 */
export function needsBaseline(definition: RuleDefinition, includeExisting: boolean): boolean {
  const { trigger } = definition
  if (trigger.source === 'webhook') return !startsOnMessages(trigger)
  if (trigger.source === 'manual_endpoint' || includeExisting) return false
  return checksAgain(trigger) && definition.once !== 'period'
}

/** The existing records that are noted: all of an object, or what matches. Another text or time of day changes none. */
export function noted(definition: RuleDefinition): string {
  const { trigger, conditions, once } = definition
  const matches = trigger.source === 'api_polling' ? [trigger.endpoint, conditions, once] : objectOfRule(definition)
  return JSON.stringify([needsBaseline(definition, false), matches])
}

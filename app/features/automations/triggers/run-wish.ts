// A run that a rule is to make: what all of them have in common, however the rule was set off.
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { RunWish, TriggerData } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'

type Given = Pick<RunWish, 'source' | 'object' | 'recordUuids' | 'ledger' | 'wakeAt'> &
  Partial<Omit<RunWish, 'triggerData'>> & { triggerData: Pick<TriggerData, 'description'> & Partial<TriggerData> }

/** Where nothing else is given: about single records, not set off by a rule, and waiting for a person if the rule asks first. */
export function runWish(rule: { id: number; version: number; definition: RuleDefinition }, given: Given): RunWish {
  return {
    automationId: rule.id,
    version: rule.version,
    groupKey: null,
    hop: 0,
    held: rule.definition.guards.askFirst ? runReason('ask_first') : null,
    replayOf: null,
    ...given,
    triggerData: {
      object: given.object,
      manualTrigger: given.source === 'person' || given.source === 'manual',
      conditionMatching: null,
      values: {},
      bypassedConditions: false,
      changes: [],
      ...given.triggerData,
    },
  }
}

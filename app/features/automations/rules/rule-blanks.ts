// The blanks (`[[Business name]]`) of a rule. Templates contain them; a rule with one cannot be switched on.
import type { ParameterValue, RuleDefinition } from '#app/domain/automations/rule.ts'
import { fillBlanks, openBlanks } from './placeholders/placeholder-syntax.ts'

type Blankable = Pick<RuleDefinition, 'trigger' | 'conditions' | 'steps'>

/** Labels of the open blanks, each once, in the order of the rule. */
export function openBlanksOf(definition: Blankable): string[] {
  return [...new Set(textsOfRule(definition).flatMap(openBlanks))]
}

/** Why a rule with these blanks cannot be switched on. */
export function stillOpenText(labels: readonly string[]): string {
  return `To switch it on, add: ${labels.join(', ')}`
}

/** Every text of a rule that can hold a person's words, placeholders or blanks. */
function textsOfRule({ trigger, conditions, steps }: Blankable): string[] {
  const ofTrigger =
    trigger.source === 'webhook'
      ? [trigger.jobUuid, trigger.queueUuid, trigger.fieldName, trigger.fromValue, trigger.reply?.words]
      : []
  return [
    ...ofTrigger.flatMap((text) => text ?? []),
    ...conditions.map(({ value }) => value),
    ...steps.flatMap(({ parameters }) => Object.values(parameters).flatMap(textsOfValue)),
  ]
}

function textsOfValue(value: ParameterValue): string[] {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return []
  return value.flatMap((row) =>
    typeof row === 'string' ? [row] : Object.values(row).filter((one) => typeof one === 'string'),
  )
}

/** Fills in the rule's blanks that have an answer. A blank inside an answer stays a blank. */
export function withBlanksFilled<Definition extends Blankable>(
  definition: Definition,
  answers: Readonly<Record<string, string>>,
): Definition {
  const fill = (text: string) => fillBlanks(text, answers)
  const { trigger } = definition
  return {
    ...definition,
    trigger:
      trigger.source === 'webhook'
        ? {
            ...trigger,
            queueUuid: trigger.queueUuid === null ? null : fill(trigger.queueUuid),
            jobUuid: trigger.jobUuid === null ? null : fill(trigger.jobUuid),
            fromValue: trigger.fromValue === null ? null : fill(trigger.fromValue),
            ...(trigger.reply && { reply: { ...trigger.reply, words: fill(trigger.reply.words) } }),
          }
        : trigger,
    conditions: definition.conditions.map((condition) => ({ ...condition, value: fill(condition.value) })),
    steps: definition.steps.map((step) => ({
      ...step,
      parameters: Object.fromEntries(
        Object.entries(step.parameters).map(([name, value]) => [name, filledValue(value, fill)]),
      ),
    })),
  }
}

function filledValue(value: ParameterValue, fill: (text: string) => string): ParameterValue {
  if (typeof value === 'string') return fill(value)
  if (!Array.isArray(value)) return value
  if (value.every((one) => typeof one === 'string')) return value.map(fill)
  return value.flatMap((row) =>
    typeof row === 'string'
      ? []
      : [
          Object.fromEntries(
            Object.entries(row).map(([name, one]) => [name, typeof one === 'string' ? fill(one) : one]),
          ),
        ],
  )
}

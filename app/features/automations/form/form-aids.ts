// Help shown while the rule is edited: its sentence, its warnings, and the choices for its object. The server computes
// it for the first page; the browser loads this module and continues.
import type { Condition, RuleDefinition, Step } from '#app/domain/automations/rule.ts'

import { isNews } from '../records/changes.ts'
import { AGE_FIELD_NAMES, CONDITION_FIELDS, objectNoun, offeredFields } from '../records/fields.ts'
import { createSuggestions } from '../rules/checks/name-suggestion.ts'
import { placeOfStep, placeOfText } from '../rules/checks/rule-check.ts'
import { loopWarnings, type NamedRule } from '../rules/loops.ts'
import {
  checkPlaceholders,
  type PlaceholderChoice,
  type PlaceholderProblem,
} from '../rules/placeholders/placeholder-check.ts'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import { type SentenceParts, sentenceParts, stepText } from '../rules/sentence.ts'
import { laterEditsOf, onceChoices, onceText } from '../rules/timing/once-text.ts'
import { draftOf, typedSteps } from './form-body.ts'
import { type FormState, objectOfForm, partsShown } from './form-state.ts'
import { offeredAt, offeredOnlyAt } from './placeholder-offer.ts'

export interface FieldChoice {
  name: string
  label: string
  type: string
  group: 'first' | 'age' | 'more'
  never: string | null
  isNews: boolean
}

export interface TokenChoice {
  name: string
  label: string
  group: string
  /** Empty in some records. */
  mayBeEmpty?: true
}

export interface FormAids {
  /** Null while the rule says too little for a sentence. */
  sentence: SentenceParts | null
  /** Warnings about rules that trigger themselves in a loop. */
  warnings: string[]
  /** Blanks of a template that are not filled in yet. */
  blanks: string[]
  /** The choices of "how often", in the words of this trigger. */
  often: { value: string; label: string }[]
  /** Later edits of a job in this status start the rule too; null = they do not. */
  later: { status: string; title: string } | null
  /** What each action does, in words, by step key: `text the customer`. */
  steps: Record<string, string>
  noun: string
  fields: FieldChoice[]
  /** Available to every action. */
  placeholders: TokenChoice[]
  /** By step key: placeholders only this action can use, such as results of earlier actions. */
  own: Record<string, TokenChoice[]>
  /** Notes on the texts of the actions, by step key and parameter name; blanks are listed once for all. */
  hints: Record<string, string[]>
}

export function aidsOf(
  state: FormState,
  rules: readonly NamedRule[],
  names: Readonly<Record<string, string>> = {},
): FormAids {
  const draft = draftOf(state)
  const object = objectOfForm(state)
  const shown = partsShown(state)
  const used = [state.values.triggerFieldName, ...state.conditions.map(({ field }) => field)]
  const rule: NamedRule = { id: state.ruleId ?? 0, name: state.values.name, active: true, definition: draft }
  const hints: Record<string, string[]> = {}
  const suggest = createSuggestions()
  const typed = typedSteps(state)
  for (const [index, step] of typed.entries()) {
    for (const [name, text] of Object.entries(step.parameters)) {
      if (!text.includes('{')) continue
      const place = placeOfText(draft, object, index, step, name)
      const found = checkPlaceholders(text, place, suggest).filter((one: PlaceholderProblem) => one.code !== 'blank')
      if (found.length > 0) hints[`${step.key}.${name}`] = found.map(({ sentence }) => sentence)
    }
  }
  return {
    sentence: shown.rest ? sentenceParts(draft, names) : null,
    warnings: loopWarnings(rule, rules),
    blanks: openBlanksOf(draft),
    often: onceChoices(draft, object),
    later: laterOf(draft),
    steps: Object.fromEntries(draft.steps.map((step, index) => [typed[index]?.key, stepText(step, names)])),
    noun: objectNoun(object),
    fields: offeredFields(object, used).map(({ name, label, type, never, own }) => ({
      name,
      label,
      type,
      group: groupOf(name),
      never,
      isNews: isNews({ own }),
    })),
    placeholders: offeredAt({ ...placeOfStep(draft, object, 0), destination: 'plain', toCustomer: false }).map(tokenOf),
    own: Object.fromEntries(
      typed.flatMap(({ key, type }, index) => {
        const place = placeOfStep(draft, object, index)
        const own = offeredOnlyAt({ ...place, destination: 'plain', toCustomer: type === 'send_email' })
        return own.length > 0 ? [[key, own.map(tokenOf)]] : []
      }),
    ),
    hints,
  }
}

function laterOf(draft: RuleDefinition): FormAids['later'] {
  const status = laterEditsOf(draft)
  if (status === null) return null
  const title =
    draft.once === 'change'
      ? `This also fires on every later edit of a ${status} job.`
      : `Any later edit of a ${status} job can start this, ${onceText(draft, 'job')}.`
  return { status, title }
}

function tokenOf({ name, label, group, mayBeEmpty }: PlaceholderChoice): TokenChoice {
  return { name, label, group, ...(mayBeEmpty && { mayBeEmpty }) }
}

function groupOf(name: string): FieldChoice['group'] {
  if (CONDITION_FIELDS.some((one) => one === name)) return 'first'
  return AGE_FIELD_NAMES.some((one) => one === name) ? 'age' : 'more'
}

/** Returns the rules needed to warn about loops, reduced: those that are on and start on a change of a job. */
export function rulesForWarnings(rules: readonly NamedRule[]): NamedRule[] {
  return rules
    .filter(({ active, definition: { trigger } }) => active && trigger.source === 'webhook' && trigger.object === 'job')
    .map(({ id, name, active, definition }) => ({
      id,
      name,
      active,
      definition: {
        ...definition,
        description: '',
        conditions: [] as Condition[],
        steps: definition.steps.map((step): Step => {
          const { fieldName } = step.parameters
          return { ...step, parameters: typeof fieldName === 'string' ? { fieldName } : {} }
        }),
      },
    }))
}

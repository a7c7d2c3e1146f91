// What the form says about the rule while it is being written: its sentence, its warnings, and what there is to choose from for the
// object it is about. The server reckons it for the first page; the browser fetches this and goes on.
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import { type Condition, isOfMany, type Step } from '#app/domain/automations/rule.ts'

import { AGE_FIELD_NAMES, CONDITION_FIELDS, conditionFields, objectNoun } from '../records/fields.ts'
import { createSuggestions } from '../rules/checks/name-suggestion.ts'
import { destinationOf, isReadByCustomers } from '../rules/checks/rule-check.ts'
import { loopWarnings, type NamedRule } from '../rules/loops.ts'
import {
  checkPlaceholders,
  type PlaceholderChoice,
  type PlaceholderProblem,
} from '../rules/placeholders/placeholder-check.ts'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import { type SentenceParts, sentenceParts } from '../rules/sentence.ts'
import { draftOf } from './form-body.ts'
import { type FormState, objectOfForm, partsShown } from './form-state.ts'
import { offeredAt, offeredOnlyAt } from './placeholder-offer.ts'

export interface FieldChoice {
  name: string
  label: string
  type: string
  group: 'first' | 'age' | 'more'
  never: string | null
}

export interface TokenChoice {
  name: string
  label: string
  group: string
  /** Some records have nothing there. */
  mayBeEmpty?: true
}

export interface FormAids {
  /** Null until there is something to say. */
  sentence: SentenceParts | null
  /** Rules that may go round in a circle. */
  warnings: string[]
  /** Blanks of a template that nobody has filled in. */
  blanks: string[]
  noun: string
  fields: FieldChoice[]
  /** That every action can use. */
  placeholders: TokenChoice[]
  /** By the step's key: those that only this action can use, such as results of the actions before it. */
  own: Record<string, TokenChoice[]>
  /** About the texts of the actions, by the step's key and the parameter's name; blanks are told once for all. */
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
  const rule: NamedRule = { id: state.ruleId ?? 0, name: state.values.name, active: true, definition: draft }
  const place = (index: number) => ({
    object,
    source: draft.trigger.source,
    manyRecords: isOfMany(draft),
    steps: draft.steps,
    index,
    conditions: draft.conditions,
  })
  const hints: Record<string, string[]> = {}
  const suggest = createSuggestions()
  for (const [index, step] of state.steps.entries()) {
    for (const [name, text] of Object.entries(step.parameters)) {
      if (!text.includes('{') || !isActionType(step.type)) continue
      const destination = destinationOf({ type: step.type, parameters: step.parameters }, name)
      const stands = { ...place(index), destination, toCustomer: isReadByCustomers(step.type, name) }
      const found = checkPlaceholders(text, stands, suggest).filter((one: PlaceholderProblem) => one.code !== 'blank')
      if (found.length > 0) hints[`${step.key}.${name}`] = found.map(({ sentence }) => sentence)
    }
  }
  return {
    sentence: shown.rest ? sentenceParts(draft, names) : null,
    warnings: loopWarnings(rule, rules),
    blanks: openBlanksOf(draft),
    noun: objectNoun(object),
    fields: conditionFields(object).map(({ name, label, type, never }) => ({
      name,
      label,
      type,
      group: groupOf(name),
      never,
    })),
    placeholders: offeredAt({ ...place(0), destination: 'plain', toCustomer: false }).map(tokenOf),
    own: Object.fromEntries(
      state.steps.flatMap(({ key, id, type }) => {
        // In the draft, lines without a type are left out.
        const index = draft.steps.findIndex((step) => step.id === (id || key))
        if (index < 0) return []
        const own = offeredOnlyAt({ ...place(index), destination: 'plain', toCustomer: type === 'send_email' })
        return own.length > 0 ? [[key, own.map(tokenOf)]] : []
      }),
    ),
    hints,
  }
}

function tokenOf({ name, label, group, mayBeEmpty }: PlaceholderChoice): TokenChoice {
  return { name, label, group, ...(mayBeEmpty && { mayBeEmpty }) }
}

function groupOf(name: string): FieldChoice['group'] {
  if (CONDITION_FIELDS.some((one) => one === name)) return 'first'
  return AGE_FIELD_NAMES.some((one) => one === name) ? 'age' : 'more'
}

/** Of other rules, as much as a warning about circles needs: those that are on and start on a change of a job. */
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

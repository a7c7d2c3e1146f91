// The blanks of a template (`[[Business name]]`) as the form asks for them: all at its top, each once.
import { blankLabel, blanksIn } from '../rules/placeholders/blanks.ts'
import type { FormState } from './form-state.ts'

export interface BlankAsked {
  label: string
  /** Where it stands: `when`, `if`, or the key of a step. */
  place: string
  /** False = something to choose from a list, at its place. */
  typed: boolean
}

/** The parameters whose value is chosen from a list of the account. */
const CHOSEN = /uuid$|TemplateId$|^templateType$/i

type Texts = Pick<FormState, 'values' | 'conditions' | 'steps'>

/** A form that is sent asks once for each of its fields: its texts are read once. */
const read = new WeakMap<FormState['steps'], Texts & { blanks: BlankAsked[] }>()

/** Every blank of the form, answered or not, in the order of the rule. */
export function blanksAsked({ values, conditions, steps }: FormState): BlankAsked[] {
  const known = read.get(steps)
  if (known && known.values === values && known.conditions === conditions) return known.blanks
  const blanks = blanksOf({ values, conditions, steps })
  read.set(steps, { values, conditions, steps, blanks })
  return blanks
}

function blanksOf({ values, conditions, steps }: Texts): BlankAsked[] {
  const found = [
    ...asked(values.triggerQueueUuid, 'when', true),
    ...asked(values.triggerFromValue, 'when', false),
    ...asked(values.replyWords, 'when', false),
    ...conditions.flatMap(({ field, value }) => asked(value, 'if', CHOSEN.test(field))),
    ...steps.flatMap(({ key, parameters }) =>
      Object.entries(parameters).flatMap(([name, text]) => asked(text, key, CHOSEN.test(name))),
    ),
  ]
  const first = new Map<string, BlankAsked>()
  for (const one of found) if (!first.has(one.label)) first.set(one.label, one)
  return [...first.values()]
}

function asked(text: string, place: string, isChosen: boolean): BlankAsked[] {
  if (!text.includes('[[')) return []
  const typed = !(isChosen && blankLabel(text) !== null)
  return [...new Set(blanksIn(text))].map((label) => ({ label, place, typed }))
}

/** Blanks that the account's own name fills. */
const OWN_NAME = /^(your )?(business|company|firm) name$/i

/** Fills in what is known of the account; what a person wrote stays. */
export function withKnownAnswers(state: FormState, accountName: string): FormState {
  if (accountName === '') return state
  const known = blanksAsked(state).filter(
    ({ label, typed }) => typed && OWN_NAME.test(label) && !Object.hasOwn(state.answers, label),
  )
  if (known.length === 0) return state
  return {
    ...state,
    answers: { ...state.answers, ...Object.fromEntries(known.map(({ label }) => [label, accountName])) },
  }
}

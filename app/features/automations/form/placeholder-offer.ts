// Decides which placeholders the form offers for a text: exactly those that saving accepts there.
import { isReadByPeople, placeOfText } from '../rules/checks/rule-check.ts'
import {
  checkPlaceholders,
  formatsFor,
  type PlaceholderChoice,
  type PlaceholderPlace,
  placeholderChoices,
} from '../rules/placeholders/placeholder-check.ts'
import { draftOf, typedSteps } from './form-body.ts'
import { type FormState, objectOfForm } from './form-state.ts'

/** `format`: ` as money` where people read it; '' = as it is. */
export type OfferedChoice = PlaceholderChoice & { format: string }

/** `name` = the control's, `s.<key>.p.<parameter>`; results are in list order. */
export function offeredIn(state: FormState, name: string): OfferedChoice[] {
  const [, key = '', , parameter = ''] = name.split('.')
  const typed = typedSteps(state)
  const index = typed.findIndex((one) => one.key === key)
  const step = typed[index]
  if (!step) return []
  const draft = draftOf(state)
  const offered = offeredAt(placeOfText(draft, objectOfForm(state), index, step, parameter))
  const isDressed = isReadByPeople(step.type, parameter)
  return offered.flatMap((choice) =>
    (isDressed ? formatsFor(choice) : ['']).map((format) => {
      const label = format === ' as time' ? `${choice.label}, time` : choice.label
      return { ...choice, label, format }
    }),
  )
}

export function offeredAt(place: PlaceholderPlace): PlaceholderChoice[] {
  const choices = placeholderChoices(place)
  return [...choices, ...furtherChoices(choices, place)].filter((choice) => isTaken(choice, place))
}

/** Of these, returns the ones that depend on the step: results of earlier steps, and the signature of an e-mail. */
export function offeredOnlyAt(place: PlaceholderPlace): PlaceholderChoice[] {
  return placeholderChoices(place).filter(
    (choice) => (choice.group === 'earlier_steps' || choice.name === 'staff_signature') && isTaken(choice, place),
  )
}

function isTaken({ name }: PlaceholderChoice, place: PlaceholderPlace): boolean {
  return checkPlaceholders(`{${name}}`, place).every(({ severity }) => severity !== 'error')
}

const FURTHER = ['second', 'third'] as const

/** Returns the same fields for the second and third record; none when runs of the rule have only one record. */
function furtherChoices(choices: readonly PlaceholderChoice[], { manyRecords }: PlaceholderPlace): PlaceholderChoice[] {
  if (!manyRecords) return []
  const own = choices.filter(({ name }) => name.startsWith('entry.0.'))
  return FURTHER.flatMap((word, index) =>
    own.map(
      (choice): PlaceholderChoice => ({
        ...choice,
        name: choice.name.replace('entry.0.', `entry.${index + 1}.`),
        label: `${choice.label}, ${word} record`,
        group: 'further_records',
        mayBeEmpty: true,
      }),
    ),
  )
}

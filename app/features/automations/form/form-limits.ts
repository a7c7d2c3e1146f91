// The limits of the rule form's texts, told while a text grows, in the words that saving would use.
import { lengthProblemOf } from '../rules/checks/check-parameters.ts'
import { type FormState, plainParameters } from './form-state.ts'

/** `name` = the control's; null = it is not a parameter, or fits. */
export function limitProblem(state: FormState, name: string, value: string): string | null {
  const [letter, key, part, parameter] = name.split('.')
  if (letter !== 's' || part !== 'p') return null
  const step = state.steps.find((one) => one.key === key)
  const spec = step && plainParameters(step.type).find((one) => one.name === parameter)
  return spec?.kind === 'text' ? lengthProblemOf(spec, value) : null
}

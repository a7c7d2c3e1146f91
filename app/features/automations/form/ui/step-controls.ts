import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import type { StepRow } from '../form-state.ts'

export interface StepProps {
  step: StepRow
  index: number
}

/** Names of a parameter: of its control, of its errors, of what is said about its placeholders. */
export function parameterNames({ step, index }: StepProps, parameter: string) {
  return {
    name: `s.${step.key}.p.${parameter}`,
    path: `actions.${index}.parameters.${parameter}`,
    about: `${step.key}.${parameter}`,
  }
}

export const NEEDS_SIGN_IN = 'The list needs you to be signed in to ServiceM8. An id can be typed below.'
/** Of lists that many accounts have nothing in. */
export const NONE_TO_CHOOSE =
  'There is nothing to choose from: ServiceM8 has none, or you are not signed in to it. An id can be typed below.'
export const STATUS_OPTIONS = JOB_STATUSES.map((value) => ({ value, label: value }))

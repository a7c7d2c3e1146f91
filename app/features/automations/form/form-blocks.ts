// Which parts of the rule form are open: those that are unfinished or wrong, and the one a person works in. The rest is
// one line each.
import { ACTION_SPECS } from '#app/domain/automations/action-parameters.ts'
import type { FieldErrors } from '../rules/rule-form.ts'
import { withAnswers } from './form-body.ts'
import type { FormIntent } from './form-intent.ts'
import { isShown } from './form-shown.ts'
import { type ConditionRow, type FormState, partsShown, type StepRow } from './form-state.ts'

/** Names of parts: `when`, `if`, `advanced`, or the key of a step; each may have an inner part, like `s3.options`. */
export const WHEN = 'when'
export const ONLY_IF = 'if'
export const ADVANCED = 'advanced'
/** The part that holds the menu of actions. */
export const MENU = 'menu'

const EMPTY_TESTS: readonly string[] = ['is_empty', 'is_not_empty']

/** True when the operator compares with nothing. */
export function isEmptyTest(operator: string): boolean {
  return EMPTY_TESTS.includes(operator)
}

export function isWhenComplete(state: FormState): boolean {
  const { triggerSource, triggerType, scheduleDate, scheduleRecurrence } = state.values
  if (!partsShown(state).rest) return false
  if (triggerSource === 'webhook' && triggerType === '') return false
  if (isShown(state, 'replyWords') && state.values.replyWords.trim() === '') return false
  if (isShown(state, 'scheduleDate') && scheduleDate === '') return false
  return triggerSource === 'api_polling' || !isShown(state, 'scheduleRecurrence') || scheduleRecurrence !== ''
}

function isConditionComplete({ field, operator, value }: ConditionRow): boolean {
  return field !== '' && (isEmptyTest(operator) || value !== '')
}

/** The text of each kind of e-mail; a template has its own. */
const EMAIL_TEXT: Readonly<Record<string, string>> = {
  manual: 'customBody',
  html: 'customHtmlBody',
  template: 'emailTemplateId',
}

function isStepComplete({ type, parameters }: StepRow): boolean {
  if (type === '') return false
  const has = (name: string) => (parameters[name] ?? '').trim() !== ''
  const spec = ACTION_SPECS.find((one) => one.type === type)
  if (!spec?.parameters.every(({ name, required }) => !required || has(name))) return false
  if (type === 'send_sms') return has('message') || has('smsTemplateId')
  if (type === 'send_email') return has(EMAIL_TEXT[parameters.contentType ?? ''] ?? 'customBody')
  return true
}

/** The part that an error belongs to; null = none that can be closed. */
function placeOfError(path: string, state: FormState): string | null {
  const [first = '', index = ''] = path.split('.')
  if (first === 'conditions') return ONLY_IF
  if (first === 'actions') return state.steps[Number(index)]?.key ?? MENU
  if (/^(guards|grouping|digest|once|description)/.test(first)) return ADVANCED
  return /^(name|active)$/.test(first) ? null : WHEN
}

/** The parts to open. `at` = where the last press was made; '' = nowhere. */
export function openParts(state: FormState, errors: FieldErrors = {}, at = ''): Set<string> {
  const filled = withAnswers(state)
  const open = new Set<string>()
  if (!isWhenComplete(filled)) open.add(WHEN)
  if (!filled.conditions.every(isConditionComplete)) open.add(ONLY_IF)
  for (const step of filled.steps) if (!isStepComplete(step)) open.add(step.key)
  for (const path of Object.keys(errors)) {
    const place = placeOfError(path, state)
    if (place !== null) open.add(place)
  }
  if (at !== '') open.add(at.split('.')[0] ?? at)
  return open
}

/** Where a person works after this press; `state` is the one before it. */
export function placeAfter(state: FormState, intent: FormIntent): string {
  switch (intent.kind) {
    case 'next':
      return intent.place
    case 'add_step':
      return `s${state.next}`
    case 'up':
    case 'down':
    case 'add_line':
    case 'remove_line':
      return `${intent.key}.options`
    case 'add_condition':
    case 'remove_condition':
      return ONLY_IF
    case 'on_status':
      return WHEN
    default:
      return ''
  }
}

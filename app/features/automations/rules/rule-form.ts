// A rule as it is sent: the form's flat fields, checked and turned into a definition. One schema for the call, the
// page's form, the import and the templates. Texts are the specification's.
import { z } from 'zod'
import { yesOrNo } from '#app/domain/wanted.ts'
import { ruleTooLong, TOO_LONG_MARK } from './checks/rule-size.ts'
import { definitionOf } from './rule-definition.ts'
import { type RuleForm, ruleFields } from './rule-fields.ts'
import { DATE_WANTED, recurrenceProblem } from './timing/schedule.ts'

const GROUPING_ACTS = 'Grouping works only with a Scheduled API Check. Send enableGrouping as false.'
const DIGEST_ACTS = 'One run over everything works only with a Scheduled API Check. Send digest as false.'

type Misfit = [field: string, message: string]

/** Missing fields of the trigger. */
function* missing(form: RuleForm): Generator<Misfit> {
  if (form.triggerSource === 'webhook') {
    if (form.webhookSubscriptionId === undefined && form.object === '') {
      yield ['webhookSubscriptionId', 'Choose which events start it']
    }
    if (form.triggerType === undefined) yield ['triggerType', 'Choose what has to happen']
  } else if (form.triggerSource === 'api_polling') {
    if (form.apiEndpoint === undefined) yield ['apiEndpoint', 'Choose what to check']
    if (form.pollInterval === undefined) yield ['pollInterval', 'Choose how often']
    if (form.enableGrouping && form.groupingField === undefined) yield ['groupingField', 'Choose what to group by']
  }
}

/** Missing or forbidden fields of a rule that polls no list. */
function* collecting({ scheduleType, scheduleDate, scheduleRecurrence, ...form }: RuleForm): Generator<Misfit> {
  if (scheduleType === 'scheduled' && scheduleDate === '') yield ['scheduleDate', DATE_WANTED]
  if (scheduleType === 'recurring') {
    const unread = scheduleRecurrence === '' ? 'Choose how often' : recurrenceProblem(scheduleRecurrence)
    if (unread !== null) yield ['scheduleRecurrence', unread]
  }
  if (form.enableGrouping) yield ['enableGrouping', GROUPING_ACTS]
  if (form.digest) yield ['digest', DIGEST_ACTS]
}

/** One of two different lists would be dropped, and the rule would do more than was asked. */
function* twice({ conditions, triggerConditions }: RuleForm): Generator<Misfit> {
  if (!conditions || !triggerConditions || JSON.stringify(conditions) === JSON.stringify(triggerConditions)) return
  yield ['triggerConditions', 'Send the conditions once, as conditions']
}

export const ruleForm = ruleFields.superRefine((form, context) => {
  const polls = form.triggerSource === 'api_polling'
  const misfits = [...missing(form), ...(polls ? [] : collecting(form)), ...twice(form)]
  for (const [field, message] of misfits) context.addIssue({ code: 'custom', path: [field], message })
  const tooLong = ruleTooLong(definitionOf(form, null))
  if (tooLong !== null) context.addIssue({ code: 'custom', path: ['actions'], message: tooLong, params: TOO_LONG_MARK })
})

/** The id of a rule in an address or a form; null if it cannot be an id. */
export function parseRuleId(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}

/** Errors by field, as every response has them: `actions.0.parameters.to`. */
export type FieldErrors = Record<string, string[]>

export interface FormIssue {
  path: readonly PropertyKey[]
  message: string
  /** Names that are not allowed, for a form with a fixed set of fields. */
  keys?: readonly string[]
}

export function issuesByField(issues: readonly FormIssue[]): FieldErrors {
  const errors: FieldErrors = {}
  const add = (field: string, message: string) => {
    const before = Object.hasOwn(errors, field) ? (errors[field] ?? []) : []
    Object.defineProperty(errors, field, {
      value: [...before, message],
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  for (const { path, message, keys } of issues) {
    if (keys) for (const key of keys) add([...path, key].map(String).join('.'), 'Not allowed')
    else add(path.map(String).join('.') || 'form', message)
  }
  return errors
}

/** The first issue as one sentence. */
export function firstIssue(issues: readonly FormIssue[]): string {
  const first = issues[0]
  return first?.keys ? `Not allowed: ${first.keys.join(', ')}` : (first?.message ?? 'Invalid input')
}

/** The body of the list's switch: `active` and nothing else. */
export const activeOnly = z.strictObject({ active: yesOrNo })

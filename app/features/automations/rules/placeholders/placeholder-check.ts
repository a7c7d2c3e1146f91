// Checks a text's placeholders while it is typed and before it is saved, and lists the placeholders to choose from.
import type { Condition, Operator, Step, TriggerSource } from '#app/domain/automations/rule.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { ownValue } from '#app/lib/json.ts'
import { capital } from '#app/lib/plain-text.ts'
import { AGE_FIELDS } from '../../records/field-ages.ts'
import type { FieldType } from '../../records/field-tables.ts'
import { conditionFields, type Field, fieldsOf } from '../../records/fields.ts'
import { createSuggestions, type Suggest } from '../checks/name-suggestion.ts'
import { conditionGroups } from '../conditions/conditions.ts'
import { CALENDAR_NAMES, DIGEST_NAMES } from '../digest.ts'
import { givenBy, notKept, throwsAway } from '../document-keeping.ts'
import type { Destination } from './placeholder-format.ts'
import { type Meaning, meaningOf, namesOf } from './placeholder-names.ts'
import { openBlanks, type Placeholder, placeholdersIn } from './placeholder-syntax.ts'

/** Where the text is used. */
export interface PlaceholderPlace {
  /** The object of the rule's records. */
  object: string
  source: TriggerSource
  /** True = an answer of the customer starts the rule. */
  onAnswers?: boolean
  /** True = a run may have several records. */
  manyRecords: boolean
  /** All steps in order; `index` is the step the text belongs to. */
  steps: readonly (Pick<Step, 'id' | 'type'> & Partial<Pick<Step, 'parameters'>>)[]
  index: number
  destination: Destination
  /** True for a message to a customer, which is not sent while a placeholder is empty. */
  toCustomer: boolean
  /** The rule's conditions: a field they require is never empty. */
  conditions?: readonly Condition[]
}

export interface PlaceholderProblem {
  /** Only errors prevent saving; an open blank prevents switching the rule on. */
  severity: 'error' | 'warning'
  code:
    | 'unknown'
    | 'later_step'
    | 'no_result'
    | 'wrong_type'
    | 'bad_format'
    | 'may_be_empty'
    | 'no_such_record'
    | 'blank'
    | 'double_braces'
    | 'too_many'
  /** As written, without braces. */
  name: string
  sentence: string
  /** The nearest known name; null = none is near. */
  suggestion: string | null
}

/** Of one text. No message needs more, and each send looks up every one. */
export const MOST_PLACEHOLDERS = 200

/** In the order of the text; each name once per code. `suggest` is shared by all texts of a rule. */
export function checkPlaceholders(
  text: string,
  place: PlaceholderPlace,
  suggest: Suggest = createSuggestions(),
): PlaceholderProblem[] {
  const placeholders = placeholdersIn(text)
  if (placeholders.length > MOST_PLACEHOLDERS) return [tooMany(placeholders)]
  const found = differentOnes(placeholders).flatMap((placeholder) => problemsOf(placeholder, place, suggest))
  const blanks = openBlanks(text).map(
    (label): PlaceholderProblem => ({
      severity: 'warning',
      code: 'blank',
      name: label,
      sentence: `Fill in [[${label}]] before you switch the automation on.`,
      suggestion: null,
    }),
  )
  const seen = new Set<string>()
  return [...found, ...doubled(text, place), ...blanks].filter(({ code, name }) => {
    const key = `${code} ${name}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** The same placeholder written twice has the same problems. */
function differentOnes(placeholders: readonly Placeholder[]): Placeholder[] {
  return [...new Map(placeholders.map((one) => [one.written, one])).values()]
}

function tooMany(placeholders: readonly Placeholder[]): PlaceholderProblem {
  const count = placeholders.length.toLocaleString('en')
  return {
    severity: 'error',
    code: 'too_many',
    name: placeholders[0]?.name ?? '',
    sentence: `A text has at most ${MOST_PLACEHOLDERS} placeholders. This one has ${count}.`,
    suggestion: null,
  }
}

function problemsOf(placeholder: Placeholder, place: PlaceholderPlace, suggest: Suggest): PlaceholderProblem[] {
  const { name } = placeholder
  const meaning = meaningOf(name, { object: place.object })
  const problem = (
    code: PlaceholderProblem['code'],
    sentence: string,
    severity: PlaceholderProblem['severity'] = 'error',
    suggestion: string | null = null,
  ): PlaceholderProblem => ({ severity, code, name, sentence, suggestion })
  if (meaning === null) {
    const nearest = nearestName(name, place, suggest)
    const hint = nearest === null ? '' : ` Did you mean {${nearest}}?`
    return [problem('unknown', `There is no {${name}} here.${hint}`, 'error', nearest)]
  }
  const problems: PlaceholderProblem[] = []
  if (placeholder.unknownFormat !== null) {
    const known = 'date, time, weekday, money, number, phone, first name or upper'
    problems.push(problem('bad_format', `"as ${placeholder.unknownFormat}" is not known. Use ${known}.`))
  }
  const misplaced = misplacedText(meaning, place)
  if (misplaced !== null) return [...problems, problem('unknown', misplaced)]
  const ofStep = stepProblem(meaning, place)
  if (ofStep !== null) return [...problems, problem(ofStep.code, ofStep.sentence)]
  const type = typeOf(meaning, place.object)
  const wrong = wrongType(placeholder, type, place.destination)
  if (wrong !== null) problems.push(problem('wrong_type', wrong))
  if (meaning.kind === 'field' && meaning.entry > 0 && !place.manyRecords) {
    const sentence = `This automation runs for one record, so {${name}} stays empty.`
    problems.push(problem('no_such_record', sentence, 'warning'))
  } else if (place.toCustomer && placeholder.fallback === null && mayBeEmpty(meaning, type, place)) {
    const cure =
      place.destination === 'phone' ? 'Add a condition that it is not empty.' : `Add a fallback: {${name} or "…"}.`
    problems.push(
      problem('may_be_empty', `{${name}} may be empty, and then the message is not sent. ${cure}`, 'warning'),
    )
  }
  return problems
}

function misplacedText(meaning: Meaning, place: PlaceholderPlace): string | null {
  if (meaning.kind === 'signature' && !takesSignature(place)) {
    return 'A signature works only in the text of an e-mail.'
  }
  const isReply = meaning.kind === 'trigger' && meaning.name === 'reply'
  return isReply && !place.onAnswers ? '{reply} works only where the customer answers.' : null
}

/** An index behind the last step belongs to no specific text. */
function takesSignature({ steps, index, toCustomer, destination }: PlaceholderPlace): boolean {
  if (index >= steps.length) return true
  return steps[index]?.type === 'send_email' && toCustomer && destination !== 'subject'
}

function stepProblem(
  meaning: Meaning,
  { steps, index }: PlaceholderPlace,
): { code: 'later_step' | 'no_result' | 'unknown'; sentence: string } | null {
  if (meaning.kind !== 'result') return null
  const { step } = meaning
  const at = 'id' in step ? steps.findIndex(({ id }) => id === step.id) : step.position - 1
  const called = 'id' in step ? `Step "${step.id}"` : `Action ${step.position}`
  const of = steps[at]
  if (of === undefined) return { code: 'unknown', sentence: `${called} does not exist.` }
  if (at >= index) return { code: 'later_step', sentence: `${called} runs later than this one. Move it up.` }
  const gives = givenBy(of)
  if (meaning.field === '' || meaning.field === 'result' || gives.includes(meaning.field)) return null
  if (meaning.field === 'number' && gives.includes('generated_job_id')) return null
  const sentence =
    gives.length > 0
      ? `${called} gives ${gives.join(' and ')}, but not ${meaning.field}.`
      : throwsAway(of)
        ? notKept(at)
        : `${called} gives no result.`
  return { code: 'no_result', sentence }
}

function typeOf(meaning: Meaning, object: string): FieldType | null {
  switch (meaning.kind) {
    case 'field':
      return namesOf(object).get(meaning.field)?.type ?? null
    case 'digest':
      return meaning.name.startsWith('sum_total') ? 'money' : meaning.name.startsWith('count') ? 'number' : 'text'
    case 'today':
      return 'date'
    case 'calendar':
    case 'trigger':
      return ownValue(TYPE_OF_NAME, meaning.name) ?? 'text'
    case 'account':
    case 'signature':
    case 'marker':
      return 'text'
    case 'result':
      return null
    default:
      return assertNever(meaning)
  }
}

/** Calendar and trigger names whose type is not text. */
const TYPE_OF_NAME: Readonly<Record<string, FieldType>> = {
  today: 'date',
  tomorrow: 'date',
  yesterday: 'date',
  week: 'number',
  date: 'date',
  company_uuid: 'uuid',
  job_uuid: 'uuid',
}

const NUMBERS: ReadonlySet<FieldType> = new Set(['number', 'money', 'age'])

function wrongType({ name, format }: Placeholder, type: FieldType | null, destination: Destination): string | null {
  if (type === null) return null
  if (destination === 'date' && type !== 'date') return `{${name}} is not a date.`
  if (destination === 'phone' && type !== 'phone') return `{${name}} is not a phone number.`
  const isDate = format === 'date' || format === 'time' || format === 'weekday'
  if (isDate && type !== 'date') return `{${name}} is not a date, so "as ${format}" does nothing.`
  if ((format === 'money' || format === 'number') && !NUMBERS.has(type) && type !== 'text') {
    return `{${name}} is not a number, so "as ${format}" does nothing.`
  }
  return format === 'phone' && type !== 'phone' ? `{${name}} is not a phone number, so "as phone" does nothing.` : null
}

/** Fields that always have a value. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['status', 'generated_job_id', 'uuid', 'edit_date', 'active', 'date'])

function mayBeEmpty(meaning: Meaning, type: FieldType | null, { object, conditions = [] }: PlaceholderPlace): boolean {
  if (meaning.kind === 'trigger') return meaning.name === 'description'
  if (meaning.kind !== 'field') return false
  const known = namesOf(object).get(meaning.field)
  if (NEVER_EMPTY.has(meaning.field) || known?.part === 'job' || type === 'flag' || type === 'money') return false
  return !isAskedFor(meaning.field, object, conditions)
}

/** Operators that never match an empty value. */
const ASKS_FOR: ReadonlySet<Operator> = new Set([
  'is_not_empty',
  'contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'less_than',
])

/** Does every way to match require a value there? An age requires the date it counts from. */
function isAskedFor(field: string, object: string, conditions: readonly Condition[]): boolean {
  const names = namesOf(object)
  const real = (name: string) => names.get(name)?.own ?? name
  const asks = ({ field: asked, operator, value }: Condition) => {
    if (!ASKS_FOR.has(operator) && !(operator === 'equals' && value.trim() !== '')) return false
    return real(asked) === real(field) || AGE_FIELDS.some((age) => age.name === asked && age.base === real(field))
  }
  return conditions.length > 0 && conditionGroups(conditions).every((group) => group.some(asks))
}

/** Other tools write `{{first name}}`; here the text is sent with its braces. */
function doubled(text: string, { object }: PlaceholderPlace): PlaceholderProblem[] {
  return [...text.matchAll(/\{\{\s*([A-Za-z_][\w. ]{0,80}?)\s*\}\}/g)].flatMap(
    ([, name = '']): PlaceholderProblem[] => {
      if (meaningOf(name, { object }) === null) return []
      const sentence = `We send {{${name}}} as text. For the value, write {${name}}.`
      return [{ severity: 'warning', code: 'double_braces', name, sentence, suggestion: name }]
    },
  )
}

export interface PlaceholderChoice {
  /** What goes between the braces. */
  name: string
  label: string
  group: 'record' | 'all_records' | 'dates' | 'business' | 'earlier_steps' | 'ids' | 'further_records'
  type: FieldType | null
  /** Set when some records have no value there. */
  mayBeEmpty?: true
}

/** Fields whose time of day people ask for. */
const HAS_TIME = /\.(?:start_date|end_date|\w*stamp)$/

/** ` as money`: how people read that value, in one way or two; '' = as it is. */
export function formatsFor({ name, type }: PlaceholderChoice): string[] {
  if (type === 'date' && HAS_TIME.test(name)) return [' as date', ' as time']
  return [type === 'money' || type === 'date' ? ` as ${type}` : '']
}

/** Everything a text in this place can refer to, the most likely first. */
export function placeholderChoices(place: PlaceholderPlace): PlaceholderChoice[] {
  const { object, steps, index } = place
  const worded = conditionFields(object).filter((field) => !isForMachines(field))
  const others = [...fieldsOf(object).values()].filter((field) => !worded.includes(field))
  const fields = worded.map(({ name, label, type }) => choice(`entry.0.${name}`, label, 'record', type))
  const ids = others.map(({ name, label, type }): PlaceholderChoice => {
    const called = type === 'uuid' ? `${label} (id)` : label
    return { ...choice(`entry.0.${name}`, called, 'ids', type), mayBeEmpty: true }
  })
  const isCalled = place.source === 'manual_endpoint'
  const results = steps.slice(0, index).flatMap((step, at) => {
    const called = (field: string) => `${capital(field.replaceAll('_', ' '))} of action ${at + 1}`
    return givenBy(step).map((field) => choice(`action_${at + 1}_result.${field}`, called(field), 'earlier_steps'))
  })
  const first = [...(place.onAnswers ? OF_THE_ANSWER : []), ...(isCalled ? OF_THE_CALL : []), ...fields]
  const last = [...ofTheRecord(isCalled ? TRIGGERED : [...TRIGGERED, ...OF_THE_CALL], object), ...ids]
  return [
    ...first.map((one) => withGap(one, place)),
    ...results,
    ...DIGEST_NAMES.map((name) => choice(name, DIGEST_LABELS[name] ?? digestLabel(name), 'all_records')),
    ...CALENDAR_NAMES.map((name) => choice(name, capital(name.replaceAll('_', ' ')), 'dates')),
    ...BUSINESS,
    ...last.map((one) => withGap(one, place)),
  ]
}

function choice(
  name: string,
  label: string,
  group: PlaceholderChoice['group'],
  type: FieldType | null = null,
): PlaceholderChoice {
  return { name, label, group, type }
}

const OF_THE_CALL = [
  choice('date', 'Date of the call', 'dates', 'date'),
  choice('job_uuid', 'Job of the call', 'record', 'uuid'),
]
const OF_THE_ANSWER = [choice('reply', 'What the customer answered', 'record', 'text')]
const TRIGGERED = [
  choice('description', 'Job description', 'ids', 'text'),
  choice('object', 'Kind of record', 'ids', 'text'),
  choice('company_uuid', 'Customer (id)', 'ids', 'uuid'),
]
const BUSINESS = [
  choice('business name', 'Your business name', 'business', 'text'),
  choice('business.email', 'Your business e-mail', 'business', 'text'),
  choice('staff_signature', 'Signature of the staff member', 'business', 'text'),
]

/** Without a call, these names belong to the record; not every record has a job or a date. */
function ofTheRecord(called: readonly PlaceholderChoice[], object: string): PlaceholderChoice[] {
  const names = namesOf(object)
  return called
    .filter(
      ({ name }) =>
        (name !== 'date' && name !== 'description') || names.has(name === 'date' ? name : 'job_description'),
    )
    .map((choice) => ({ ...choice, label: OWN_LABELS[choice.name] ?? choice.label, group: 'ids' }))
}

const OWN_LABELS: Readonly<Record<string, string>> = { date: 'Date of the record', job_uuid: 'Job (id)' }

/** Ids, and fields only ServiceM8 itself uses: at the end of the list. */
function isForMachines({ name, never }: Field): boolean {
  return never !== null || /(?:^|_)uuid$|^assigned_staff$|^queue$/.test(name)
}

function withGap(choice: PlaceholderChoice, place: PlaceholderPlace): PlaceholderChoice {
  const meaning = meaningOf(choice.name, { object: place.object })
  return meaning !== null && mayBeEmpty(meaning, choice.type, place) ? { ...choice, mayBeEmpty: true } : choice
}

const DIGEST_LABELS: Readonly<Record<string, string>> = {
  count: 'How many',
  sum_total: 'Total of all',
  job_list: 'List, one line each',
  all_job_ids: 'All job numbers',
  all_job_descriptions: 'All job descriptions',
  all_job_addresses: 'All job addresses',
}

function digestLabel(name: string): string {
  if (name.startsWith('job_list by ')) return `List by ${name.slice('job_list by '.length)}`
  const [what = '', status = ''] = name.split('.')
  return what === 'count' ? `How many ${status}` : `Total of ${status}`
}

/** For `entry.0.stauts`: keeps the prefix and suggests one of the record's names. */
function nearestName(name: string, place: PlaceholderPlace, suggest: Suggest): string | null {
  const prefix = /^entry[._[]\d{1,4}\]?[._]/i.exec(name)?.[0] ?? ''
  const names = () =>
    prefix === ''
      ? placeholderChoices(place).map((one) => one.name.replace(/^entry\.0\./, ''))
      : [...namesOf(place.object).keys()]
  const nearest = suggest(name.slice(prefix.length), names)
  return nearest === null ? null : `${prefix}${nearest}`
}

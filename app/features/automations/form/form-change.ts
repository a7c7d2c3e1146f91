// Applies changes to the rule form: a choice clears the fields it rules out, rows are added, removed and moved, and
// references to the steps of a rule follow their steps.
import { isActionType, SMS_MOST } from '#app/domain/automations/action-parameters.ts'
import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { LINE_SOURCES } from '../actions/job-lines.ts'
import type { FormLists } from '../rules/form-lists.ts'
import { blanksAsked } from './form-blanks.ts'
import { chosenOnce } from './form-body.ts'
import type { FormIntent } from './form-intent.ts'
import { asksBecomes, becomesRow, EMAIL_CONTENT, lineSource } from './form-shown.ts'
import {
  CONDITION_PARTS,
  type ConditionRow,
  type FormState,
  LINE_LISTS,
  LINE_PARTS,
  type LineList,
  plainParameters,
  type StepRow,
  TOP_FIELDS,
  type TopField,
} from './form-state.ts'

/** Applies a button press. Saving, leaving and looking change nothing. */
export function applyIntent(state: FormState, intent: FormIntent): FormState {
  const { next } = state
  switch (intent.kind) {
    case 'next':
    case 'save':
    case 'cancel':
    case 'discard':
    case 'text_me':
    case 'preview':
      return state
    case 'add_condition':
      if (state.conditions.length >= 50) return state
      return { ...state, next: next + 1, conditions: [...state.conditions, newCondition(`c${next}`)] }
    case 'remove_condition':
      return { ...state, conditions: fromFirst(state.conditions.filter(({ key }) => key !== intent.key)) }
    case 'on_status':
      return setValue(setValue(state, 'triggerType', 'job_status'), 'triggerFieldName', '')
    case 'add_step':
      if (state.steps.length >= 20) return state
      return { ...state, next: next + 1, steps: [...state.steps, newStep(`s${next}`, intent.type)] }
    case 'remove_step':
      return inNewOrder(
        state,
        state.steps.filter(({ key }) => key !== intent.key),
      )
    case 'up':
      return moved(state, intent.key, -1)
    case 'down':
      return moved(state, intent.key, 1)
    case 'add_line': {
      const line = { key: `l${next}`, uuid: '', quantity: '1', unit_cost: '' }
      const add = (step: StepRow) =>
        step[intent.list].length >= 100 ? step : { ...step, [intent.list]: [...step[intent.list], line] }
      return { ...withStep(state, intent.key, add), next: next + 1 }
    }
    case 'remove_line':
      return withStep(state, intent.key, (step) => ({
        ...step,
        materials: step.materials.filter(({ key }) => key !== intent.line),
        material_bundles: step.material_bundles.filter(({ key }) => key !== intent.line),
      }))
    default:
      return assertNever(intent)
  }
}

function newCondition(key: string, more: Partial<ConditionRow> = {}): ConditionRow {
  return { key, field: '', operator: 'equals', value: '', logicalOperator: 'AND', ...more }
}

/** The first one joins nothing: its hidden OR would count once another stands above it. */
function fromFirst([first, ...others]: ConditionRow[]): ConditionRow[] {
  return first ? [{ ...first, logicalOperator: 'AND' }, ...others] : []
}

function newStep(key: string, type: string): StepRow {
  return { key, id: '', type, wait: '', parameters: { ...defaultsOf(type) }, materials: [], material_bundles: [] }
}

/** Initial parameters of a new action. None of them sends anything or has to be removed by the user. */
function defaultsOf(type: string): Record<string, string> {
  switch (type) {
    case 'send_email':
      return { contentType: 'manual' }
    case 'generate_document':
      return { objectType: 'Job', outputFormat: 'pdf', createAttachment: 'true' }
    case 'send_notification':
      return { notificationType: 'webhook' }
    default:
      return {}
  }
}

/** Sets the condition for "Becomes Completed": updates the existing one, adds one at the top, or '' = removes it. */
function becomes(state: FormState, status: string): FormState {
  const ours = state.conditions.find(({ field, operator }) => field === 'status' && operator === 'equals')
  if (status === '') return { ...state, conditions: state.conditions.filter((row) => row !== ours) }
  if (ours) {
    return { ...state, conditions: state.conditions.map((row) => (row === ours ? { ...row, value: status } : row)) }
  }
  const row = newCondition(`c${state.next}`, { field: 'status', value: status })
  return { ...state, next: state.next + 1, conditions: [row, ...fromFirst(state.conditions)] }
}

function withStep(state: FormState, key: string, change: (step: StepRow) => StepRow): FormState {
  return { ...state, steps: state.steps.map((step) => (step.key === key ? change(step) : step)) }
}

function moved(state: FormState, key: string, by: -1 | 1): FormState {
  const from = state.steps.findIndex((step) => step.key === key)
  const to = from + by
  const step = state.steps[from]
  const other = state.steps[to]
  if (!step || !other) return state
  const steps = [...state.steps]
  steps[to] = step
  steps[from] = other
  return inNewOrder(state, steps)
}

/** Keeps `action_2_result` pointing to the same action. A removed action becomes 0, which the check reports. */
function inNewOrder(state: FormState, steps: StepRow[]): FormState {
  const position = (old: number) => {
    const step = state.steps[old - 1]
    return step ? steps.findIndex(({ key }) => key === step.key) + 1 : old
  }
  const follow = (text: string) =>
    text.replace(
      /(\{\s*action(?:_|\s+))(\d{1,3})(?=(?:_|\s+)result\b)/gi,
      (_all, before: string, old: string) => `${before}${position(Number(old))}`,
    )
  return {
    ...state,
    steps: steps.map((step, index) => {
      const parameters: Record<string, string> = {}
      for (const [name, value] of Object.entries(step.parameters)) parameters[name] = follow(value)
      const document = Number(parameters.documentActionIndex ?? '')
      if (document > 0) parameters.documentActionIndex = String(position(document))
      // The first step has no earlier step to wait for.
      return { ...step, parameters, wait: index === 0 ? '' : step.wait }
    }),
  }
}

function withLineSource(step: StepRow, list: LineList, source: string, all: boolean): StepRow {
  const names = LINE_SOURCES[list]
  const copy = source === 'copy'
  const transfer = source === 'transfer'
  const parameters = withParameters(step.parameters, {
    [names.copy]: copy ? 'true' : '',
    [names.transfer]: transfer ? 'true' : '',
    [names.copyAll]: copy && all ? 'true' : '',
    [names.transferAll]: transfer && all ? 'true' : '',
    ...((all || (!copy && !transfer)) && { [names.job]: '' }),
  })
  return { ...step, parameters, ...((copy || transfer) && { [list]: [] }) }
}

function withParameters(parameters: Record<string, string>, change: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...parameters, ...change }).filter(([, value]) => value !== ''))
}

/** Templates that can fill in a text. */
type Templates = Pick<FormLists, 'smsTemplates'> | null

/** One control: its value, and a function that returns the form (or step) with a new value. */
interface Control<Whole> {
  value: string
  change(value: string): Whole
}

/** Name of the control that says which status a job has to come to: a condition of the rule, chosen with its trigger. */
export const BECOMES = 'becomes'
/** Name prefix of the box for a blank of a template; its label follows. */
export const BLANK = 'b.'
/** Name prefix of the text box for a value outside the control's list. */
export const OTHER = 'o.'

/**
 * Finds a control by name: a field of the rule (`runTime`), `c.<key>.<part>` of a condition, and of an action
 * `s.<key>.type`, `.wait`, `.p.<parameter>`, `.l.<line>.<part>`, `.from.<list>` and `.all.<list>` for the source of
 * lines; each may start with `OTHER`. `BECOMES` and `BLANK` with a label are further ones. Null = none.
 */
function controlOf(state: FormState, name: string, lists: Templates): Control<FormState> | null {
  const main = name.startsWith(OTHER) ? name.slice(OTHER.length) : name
  const top = TOP_FIELDS.find((field) => field === main)
  if (top) {
    // Shows the default, which follows the rule until the user makes a choice.
    const value = top === 'once' ? chosenOnce(state) : state.values[top]
    return { value, change: (changed) => withTop(state, top, changed) }
  }
  if (name === BECOMES) {
    return asksBecomes(state)
      ? { value: becomesRow(state)?.value ?? '', change: (status) => becomes(state, knownStatus(status)) }
      : null
  }
  if (name.startsWith(BLANK)) return blankControl(state, name.slice(BLANK.length))
  const [letter, key = '', ...part] = main.split('.')
  if (letter === 'c') return conditionControl(state, key, part[0] ?? '')
  const step = letter === 's' ? state.steps.find((one) => one.key === key) : undefined
  const control = step && stepControl(step, part, lists)
  return control
    ? { value: control.value, change: (changed) => withStep(state, key, () => control.change(changed)) }
    : null
}

function knownStatus(text: string): string {
  return JOB_STATUSES.find((status) => status === text) ?? ''
}

function blankControl(state: FormState, label: string): Control<FormState> | null {
  if (!blanksAsked(state).some((blank) => blank.typed && blank.label === label)) return null
  const value = Object.hasOwn(state.answers, label) ? (state.answers[label] ?? '') : ''
  return { value, change: (answer) => ({ ...state, answers: { ...state.answers, [label]: answer } }) }
}

/** Returns the current value of the named control; null = no such control. */
export function valueAt(state: FormState, name: string): string | null {
  return controlOf(state, name, null)?.value ?? null
}

/** Sets one control and applies the changes that follow from it. */
export function setValue(state: FormState, name: string, value: string, lists: Templates = null): FormState {
  return controlOf(state, name, lists)?.change(value) ?? state
}

function withTop(state: FormState, name: TopField, value: string): FormState {
  const values = { ...state.values, [name]: value }
  const objectOf = (events: string) => events.split(':').at(-1)
  if (name === 'events' && objectOf(value) !== objectOf(state.values.events)) {
    // Only jobs have a status, a queue, and messages.
    if (objectOf(value) !== 'job' && /^(job_(status|queue)$|customer_|message_)/.test(values.triggerType))
      values.triggerType = ''
    // The first choice, in an imported rule, rules nothing out.
    if (state.values.events !== '') Object.assign(values, { triggerFieldName: '', triggerFromValue: '' })
  }
  return { ...state, values }
}

function conditionControl(state: FormState, key: string, name: string): Control<FormState> | null {
  const row = state.conditions.find((one) => one.key === key)
  const part = CONDITION_PARTS.find((one) => one === name)
  if (!row || !part) return null
  const changed = (value: string): ConditionRow => ({
    ...row,
    [part]: value,
    // The new field has different values.
    ...(part === 'field' && row.field !== value && { value: '' }),
  })
  return {
    value: row[part],
    change: (value) => ({
      ...state,
      conditions: state.conditions.map((one) => (one === row ? changed(value) : one)),
    }),
  }
}

function stepControl(step: StepRow, [kind, name = '', part]: string[], lists: Templates): Control<StepRow> | null {
  switch (kind) {
    case 'wait':
      return { value: step.wait, change: (wait) => ({ ...step, wait }) }
    case 'type':
      return { value: step.type, change: (type) => (type === step.type ? step : asType(step, type)) }
    case 'p':
      return plainParameters(step.type).some((spec) => spec.name === name)
        ? { value: step.parameters[name] ?? '', change: (value) => withParameter(step, name, value, lists) }
        : null
    case 'from':
    case 'all': {
      const list = LINE_LISTS.find((one) => one === name)
      if (!list) return null
      const { source, all } = lineSource(step, list)
      return kind === 'from'
        ? { value: source, change: (value) => withLineSource(step, list, value, all) }
        : { value: all ? 'true' : '', change: (value) => withLineSource(step, list, source, value === 'true') }
    }
    case 'l':
      return lineControl(step, name, part)
    default:
      return null
  }
}

function lineControl(step: StepRow, key: string, name: string | undefined): Control<StepRow> | null {
  const list = LINE_LISTS.find((one) => step[one].some((line) => line.key === key))
  const part = LINE_PARTS.find((one) => one === name)
  const line = list && step[list].find((one) => one.key === key)
  if (!line || !part) return null
  return {
    value: line[part],
    change: (value) => ({
      ...step,
      [list]: step[list].map((one) => (one === line ? { ...line, [part]: value } : one)),
    }),
  }
}

function asType(step: StepRow, type: string): StepRow {
  return { ...newStep(step.key, isActionType(type) ? type : ''), id: step.id, wait: step.wait }
}

function withParameter(step: StepRow, name: string, value: string, lists: Templates): StepRow {
  const change = { [name]: value, ...followUps(step, name, value, lists) }
  return { ...step, parameters: withParameters(step.parameters, change) }
}

/** Returns other parameters that change along with this one. */
function followUps(step: StepRow, name: string, value: string, lists: Templates): Record<string, string> {
  switch (name) {
    case 'contentType': {
      const others = Object.entries(EMAIL_CONTENT).flatMap(([content, names]) => (content === value ? [] : names))
      return Object.fromEntries(others.map((other) => [other, '']))
    }
    case 'fieldName':
      // The new field has different values; for badges, most rules add one.
      return step.type === 'update_job_field' && value !== step.parameters.fieldName
        ? { fieldValue: '', badgeChange: value === 'badges' ? 'add' : '' }
        : {}
    case 'useSmsTemplate':
      return value === 'true' ? {} : { smsTemplateId: '' }
    case 'smsTemplateId': {
      const text = lists?.smsTemplates.find(({ uuid }) => uuid === value)?.text
      return text ? { message: text.slice(0, SMS_MOST) } : {}
    }
    case 'includeAttachments':
    case 'includeJobAttachments':
    case 'includeGeneratedDocument':
      return boxesOfFiles(step, name, value)
    default:
      return {}
  }
}

/** The outer box is ticked while one below it is: stored alone, it would mean every file of the job. */
function boxesOfFiles({ parameters }: StepRow, name: string, value: string): Record<string, string> {
  const isOn = (box: string) => (box === name ? value : parameters[box]) === 'true'
  const some = isOn('includeJobAttachments') || isOn('includeGeneratedDocument')
  if (name !== 'includeAttachments') return { includeAttachments: some ? 'true' : '' }
  return value === 'true' && !some ? { includeJobAttachments: 'true' } : {}
}

/** Apply these first: they decide which other controls exist. */
const FIRST =
  /^triggerSource$|^events$|^triggerType$|^replyMatch$|\.type$|\.field$|\.from\.|\.all\.|\.p\.(contentType|fieldName|useSmsTemplate|smsTemplateId|includeJobAttachments|includeGeneratedDocument)$/

/** Characters of one value; the rest is cut. */
const MOST_TEXT = 25_000
/** More values than the fullest form has; the rest is ignored. */
const MOST_VALUES = 10_000

/** Normalizes a value for storage: unifies line ends and limits the length. */
export function asTyped(text: string): string {
  return text.replace(/\r\n?/g, '\n').slice(0, MOST_TEXT)
}

/** Applies submitted values, and what follows from them, to the drawn state. Fields without a control stay. */
export function applyControls(
  drawn: FormState,
  sent: Iterable<readonly [string, unknown]>,
  lists: Templates = null,
): FormState {
  // A hidden empty value before each checkbox makes unticking visible; the last value counts.
  const controls = new Map<string, string>()
  let left = MOST_VALUES
  for (const [name, value] of sent) {
    if (left === 0) break
    left -= 1
    if (typeof value === 'string') controls.set(name, asTyped(value))
  }
  const changes = [...controls].filter(([name, value]) => {
    const before = valueAt(drawn, name)
    // Ignore an empty "another value" box.
    return before !== null && before !== value && !(value === '' && name.startsWith(OTHER))
  })
  const inOrder = [...changes.filter(([name]) => FIRST.test(name)), ...changes.filter(([name]) => !FIRST.test(name))]
  return inOrder.reduce((state, [name, value]) => setValue(state, name, value, lists), drawn)
}

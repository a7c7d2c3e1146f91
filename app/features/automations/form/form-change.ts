// What follows from a change in the rule form: choices clear what they exclude, rows come and go and move, and references to the
// steps of a rule follow their steps.
import { assertNever } from '#app/lib/assert-never.ts'
import { isActionType } from '../rules/action-parameters.ts'
import type { FormLists } from '../rules/form-lists.ts'
import { JOB_STATUSES } from '../rules/rule.ts'
import { chosenOnce } from './form-body.ts'
import { isLook, type LookKind, readRecordId } from './form-look.ts'
import { EMAIL_CONTENT, LINE_SOURCES, lineSource } from './form-shown.ts'
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

export type FormIntent =
  | { kind: 'next' | 'save' | 'cancel' | 'add_condition' }
  /** "Anything changes" becomes "its status changes". */
  | { kind: 'on_status' }
  | { kind: 'add_step'; type: string }
  | { kind: 'becomes'; status: string }
  | { kind: 'remove_condition' | 'remove_step' | 'up' | 'down'; key: string }
  | { kind: 'add_line'; key: string; list: LineList }
  | { kind: 'remove_line'; key: string; line: string }
  /** Shows something about the rule as it stands; `record` = with which record, '' = the newest that fits. */
  | { kind: 'look'; look: LookKind; record: string }

/** What the buttons of the form send as `intent`; all of them begin like this. */
export const FORM_INTENT = 'form.'

export function parseFormIntent(text: string): FormIntent | null {
  if (!text.startsWith(FORM_INTENT)) return null
  const [kind = '', key = '', more = ''] = text.slice(FORM_INTENT.length).split(':')
  switch (kind) {
    case 'next':
    case 'save':
    case 'cancel':
    case 'add_condition':
    case 'on_status':
      return { kind }
    case 'add_step':
      return { kind, type: isActionType(key) ? key : 'update_job_status' }
    case 'becomes':
      return JOB_STATUSES.some((status) => status === key) ? { kind, status: key } : null
    case 'remove_condition':
    case 'remove_step':
    case 'up':
    case 'down':
      return { kind, key }
    case 'add_line':
      return more === 'materials' || more === 'material_bundles' ? { kind, key, list: more } : null
    case 'remove_line':
      return { kind, key, line: more }
    case 'look':
      return isLook(key) ? { kind, look: key, record: readRecordId(more) } : null
    default:
      return null
  }
}

/** The state after a press. `next`, `save`, `cancel` and `look` leave it as it is. */
export function applyIntent(state: FormState, intent: FormIntent): FormState {
  const { next } = state
  switch (intent.kind) {
    case 'next':
    case 'save':
    case 'cancel':
    case 'look':
      return state
    case 'add_condition':
      if (state.conditions.length >= 50) return state
      return { ...state, next: next + 1, conditions: [...state.conditions, newCondition(`c${next}`)] }
    case 'remove_condition':
      return { ...state, conditions: state.conditions.filter(({ key }) => key !== intent.key) }
    case 'becomes':
      return becomes(state, intent.status)
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

function newStep(key: string, type: string): StepRow {
  return { key, id: '', type, wait: '', parameters: { ...defaultsOf(type) }, materials: [], material_bundles: [] }
}

/** What a new action starts with. Nothing that sends, and nothing that a person has to take away again. */
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

/** "Becomes Completed" is a condition on the status: the one there is, or a new one before the others. */
function becomes(state: FormState, status: string): FormState {
  const isOurs = ({ field, operator }: ConditionRow) => field === 'status' && operator === 'equals'
  if (state.conditions.some(isOurs)) {
    return { ...state, conditions: state.conditions.map((row) => (isOurs(row) ? { ...row, value: status } : row)) }
  }
  const row = newCondition(`c${state.next}`, { field: 'status', value: status })
  return { ...state, next: state.next + 1, conditions: [row, ...state.conditions] }
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

/** `action_2_result` means the second action: it goes on meaning the same one. One that is gone becomes 0, which is told. */
function inNewOrder(state: FormState, steps: StepRow[]): FormState {
  const position = (old: number) => {
    const step = state.steps[old - 1]
    return step ? steps.findIndex(({ key }) => key === step.key) + 1 : old
  }
  const follow = (text: string) =>
    text.replace(
      /(\{\s*action_)(\d{1,3})(?=_result\b)/gi,
      (_all, before: string, old: string) => `${before}${position(Number(old))}`,
    )
  return {
    ...state,
    steps: steps.map((step, index) => {
      const parameters: Record<string, string> = {}
      for (const [name, value] of Object.entries(step.parameters)) parameters[name] = follow(value)
      const document = Number(parameters.documentActionIndex ?? '')
      if (document > 0) parameters.documentActionIndex = String(position(document) || '')
      if (parameters.documentActionIndex === '') delete parameters.documentActionIndex
      // The first has nothing to wait for.
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

/** `scheduleRecurrence`, and `o.scheduleRecurrence` for one that is not on the list. */
function topField(name: string): TopField | null {
  const wanted = name.startsWith('o.') ? name.slice(2) : name
  return TOP_FIELDS.find((field) => field === wanted) ?? null
}

const ROW_NAME = /^([cs])\.([cs]\d{1,7})\.(.+)$/

/** What the control of that name shows now; null = there is no such control. */
export function valueAt(state: FormState, name: string): string | null {
  // Shown as what holds while nobody chose, and goes on following what the rule is until somebody does.
  if (name === 'once') return chosenOnce(state)
  const top = topField(name)
  if (top !== null) return state.values[top]
  const [, letter, key, part = ''] = ROW_NAME.exec(name) ?? []
  if (letter === 'c') {
    const row = state.conditions.find((one) => one.key === key)
    const known = CONDITION_PARTS.find((one) => one === part)
    return row && known ? row[known] : null
  }
  const step = state.steps.find((one) => one.key === key)
  if (!step) return null
  if (part === 'type' || part === 'wait') return step[part]
  const [kind = '', first = '', second = ''] = part.split('.')
  if (kind === 'p' || kind === 'o') {
    return plainParameters(step.type).some((spec) => spec.name === first) ? (step.parameters[first] ?? '') : null
  }
  if (kind === 'from' || kind === 'all') {
    const list = LINE_LISTS.find((one) => one === first)
    if (!list) return null
    const { source, all } = lineSource(step, list)
    return kind === 'from' ? source : all ? 'true' : ''
  }
  const line = [...step.materials, ...step.material_bundles].find((one) => one.key === first)
  const known = LINE_PARTS.find((one) => one === second)
  return (kind === 'l' || kind === 'm') && line && known ? line[known] : null
}

/**
 * One control changed. Names are those of `toForm`; beside them `s.<key>.from.<list>` and `s.<key>.all.<list>` for the source of lines,
 * and `o.<field>`, `s.<key>.o.<parameter>`, `s.<key>.m.<line>.uuid` for a value that is not on the list it is chosen from. `lists` fill in what a template says.
 */
export function setValue(
  state: FormState,
  name: string,
  value: string,
  lists: Pick<FormLists, 'smsTemplates'> | null = null,
): FormState {
  const top = topField(name)
  if (top !== null) return withTop(state, top, value)
  const [, letter, key = '', part = ''] = ROW_NAME.exec(name) ?? []
  if (letter === 'c') {
    const known = CONDITION_PARTS.find((one) => one === part)
    if (!known) return state
    const change = (row: ConditionRow): ConditionRow => ({
      ...row,
      [known]: value,
      // Another field has other values.
      ...(known === 'field' && row.field !== value && { value: '' }),
    })
    return { ...state, conditions: state.conditions.map((row) => (row.key === key ? change(row) : row)) }
  }
  return letter === 's' ? withStep(state, key, (step) => stepWith(step, part, value, lists)) : state
}

function withTop(state: FormState, name: TopField, value: string): FormState {
  const values = { ...state.values, [name]: value }
  const objectOf = (events: string) => events.split(':').at(-1)
  if (name === 'events' && objectOf(value) !== objectOf(state.values.events)) {
    // A status and a queue are of jobs only.
    if (objectOf(value) !== 'job' && /^job_(status|queue)$/.test(values.triggerType)) values.triggerType = ''
    values.triggerFieldName = ''
    values.triggerFromValue = ''
  }
  return { ...state, values }
}

function stepWith(step: StepRow, part: string, value: string, lists: Pick<FormLists, 'smsTemplates'> | null): StepRow {
  if (part === 'wait') return { ...step, wait: value }
  if (part === 'type') {
    if (value === step.type) return step
    return { ...newStep(step.key, isActionType(value) ? value : ''), id: step.id, wait: step.wait }
  }
  const [kind = '', first = '', second = ''] = part.split('.')
  if (kind === 'l' || kind === 'm') {
    const known = LINE_PARTS.find((one) => one === second)
    if (!known) return step
    const change = (lines: StepRow['materials']) =>
      lines.map((line) => (line.key === first ? { ...line, [known]: value } : line))
    return { ...step, materials: change(step.materials), material_bundles: change(step.material_bundles) }
  }
  if (kind === 'from' || kind === 'all') {
    const list = LINE_LISTS.find((one) => one === first)
    if (!list) return step
    const now = lineSource(step, list)
    return kind === 'from'
      ? withLineSource(step, list, value, now.all)
      : withLineSource(step, list, now.source, value === 'true')
  }
  const isKnown = (kind === 'p' || kind === 'o') && plainParameters(step.type).some((spec) => spec.name === first)
  if (!isKnown) return step
  const change: Record<string, string> = { [first]: value }
  if (first === 'contentType') {
    for (const [content, names] of Object.entries(EMAIL_CONTENT)) {
      if (content !== value) for (const name of names) change[name] = ''
    }
  }
  // Another field has other values; of badges, most rules add one.
  if (first === 'fieldName' && step.type === 'update_job_field' && value !== step.parameters.fieldName) {
    change.fieldValue = ''
    change.badgeChange = value === 'badges' ? 'add' : ''
  }
  if (first === 'useSmsTemplate' && value !== 'true') change.smsTemplateId = ''
  if (first === 'smsTemplateId') {
    const text = lists?.smsTemplates.find(({ uuid }) => uuid === value)?.text
    if (text) change.message = text.slice(0, 1600)
  }
  return { ...step, parameters: withParameters(step.parameters, change) }
}

/** Choices come before what they decide about. */
const FIRST =
  /^triggerSource$|^events$|\.type$|\.field$|\.from\.|\.all\.|\.p\.(contentType|fieldName|useSmsTemplate|smsTemplateId)$/

/** The controls as they were sent, taken as changes of the state the page was drawn from. */
export function applyChanges(
  drawn: FormState,
  controls: ReadonlyMap<string, string>,
  lists: Pick<FormLists, 'smsTemplates'> | null = null,
): FormState {
  const changes = [...controls].filter(([name, value]) => {
    const before = valueAt(drawn, name)
    // An empty box for "another value" says nothing.
    return before !== null && before !== value && !(value === '' && /^(s\.[^.]+\.[om]|o)\./.test(name))
  })
  const inOrder = [...changes.filter(([name]) => FIRST.test(name)), ...changes.filter(([name]) => !FIRST.test(name))]
  return inOrder.reduce((state, [name, value]) => setValue(state, name, value, lists), drawn)
}

// Builds the body that the rule form sends, with only the fields of the chosen trigger; and a draft of the incomplete
// rule for its sentence.
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import {
  type ActionParameters,
  checksAgain,
  GROUPING_FIELDS,
  type OncePolicy,
  OPERATORS,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  REPLY_MATCHES,
  type RuleDefinition,
  SCHEDULE_TYPES,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
} from '#app/domain/automations/rule.ts'
import { ownValue } from '#app/lib/json.ts'
import { replaceBlanks } from '../rules/placeholders/blanks.ts'
import { definitionOf, type RuleContent } from '../rules/rule-definition.ts'
import { isParameterShown, shownValues } from './form-shown.ts'
import {
  type FormState,
  type LineList,
  type LineRow,
  objectOfForm,
  plainParameters,
  type StepRow,
  TOP_FIELDS,
} from './form-state.ts'

const on = (value: string) => value === 'true'

/** Fields that belong to a single trigger. */
const ONLY_OF: Record<string, readonly string[]> = {
  webhook: [
    'webhookSubscriptionId',
    'object',
    'settleMinutes',
    'atOnce',
    'replyMatch',
    'replyWords',
    ...TOP_FIELDS.filter((name) => /^trigger[^S]/.test(name)),
  ],
  api_polling: ['apiEndpoint', 'apiMethod', 'pollInterval'],
}

/** Returns the body for creating or changing a rule. Does not validate: numbers and ids go as typed. */
export function toBody(state: FormState): Record<string, unknown> {
  const includeExisting = asksAboutExisting(state) && on(state.values.includeExisting)
  const body = { ...bodyOf(state), once: chosenOnce(state), includeExisting }
  const others = Object.entries(ONLY_OF).flatMap(([source, names]) => (source === body.triggerSource ? [] : names))
  return Object.fromEntries(Object.entries(body).filter(([name]) => !others.includes(name)))
}

/** The state with its blanks filled in, as far as a person answered them. */
export function withAnswers(state: FormState): FormState {
  const given = Object.entries(state.answers).flatMap(([label, text]) =>
    text.trim() === '' ? [] : [[label, text.trim()]],
  )
  if (given.length === 0) return state
  const answers: Record<string, string> = Object.fromEntries(given)
  const fill = (text: string) =>
    text.includes('[[') ? replaceBlanks(text, (label) => ownValue(answers, label) ?? null) : text
  const filled = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]))
  return {
    ...state,
    values: {
      ...state.values,
      triggerFromValue: fill(state.values.triggerFromValue),
      replyWords: fill(state.values.replyWords),
    },
    conditions: state.conditions.map((row) => ({ ...row, value: fill(row.value) })),
    steps: state.steps.map((step) => ({ ...step, parameters: filled(step.parameters) })),
  }
}

function bodyOf(open: FormState) {
  const state = withAnswers(open)
  const { events, cooldownDays, dailyCap, respectQuietHours, askFirst, recheckBeforeSending, ...values } =
    shownValues(state)
  const [kind, first = '', second = ''] = events.split(':')
  const ofWebhook = kind === 'webhook'
  return {
    ...values,
    // An unchanged box says nothing: the rule may have been switched meanwhile.
    active: state.opened?.active === values.active ? undefined : on(values.active),
    webhookSubscriptionId: ofWebhook ? first : '',
    object: ofWebhook ? second : first,
    atOnce: on(values.atOnce),
    workingDays: on(values.workingDays),
    conditions: state.conditions.map(({ field, operator, value, logicalOperator }) => ({
      field,
      operator,
      value: operator === 'is_empty' || operator === 'is_not_empty' ? '' : value,
      logicalOperator: logicalOperator === 'OR' ? ('OR' as const) : ('AND' as const),
    })),
    enableGrouping: on(values.enableGrouping),
    digest: on(values.digest),
    guards: {
      cooldownDays,
      dailyCap,
      respectQuietHours: on(respectQuietHours),
      askFirst: on(askFirst),
      recheckBeforeSending: on(recheckBeforeSending),
    },
    actions: state.steps.map((step, index) => ({
      id: step.id,
      type: step.type,
      parameters: parametersOf(step),
      sequenceOrder: index + 1,
      waitForPrevious: index > 0 && on(step.wait),
    })),
  }
}

function parametersOf(step: StepRow): ActionParameters {
  const parameters: ActionParameters = {}
  for (const { name, kind } of plainParameters(step.type)) {
    const value = step.parameters[name] ?? ''
    if (value === '' || !isParameterShown(step, name)) continue
    parameters[name] = kind === 'flag' ? on(value) : kind === 'number' && /^\d+$/.test(value) ? Number(value) : value
  }
  const materials = linesSent(step, 'materials').map(({ uuid, quantity, unit_cost }) => ({
    material_uuid: uuid,
    quantity,
    ...(unit_cost !== '' && { unit_cost }),
  }))
  const bundles = linesSent(step, 'material_bundles').map(({ uuid, quantity }) => ({ bundle_uuid: uuid, quantity }))
  if (step.type === 'create_job' && materials.length > 0) parameters.materials = materials
  if (step.type === 'create_job' && bundles.length > 0) parameters.material_bundles = bundles
  return parameters
}

/** Leaves out blank lines. Errors refer to positions in this list. */
export function linesSent(step: StepRow, list: LineList): LineRow[] {
  return step[list].filter(
    ({ uuid, unit_cost, quantity }) => uuid !== '' || unit_cost !== '' || !['', '1'].includes(quantity),
  )
}

/** Returns the rule as it stands, complete or not, for its sentence and warnings. Fills missing parts with defaults. */
export function draftOf(state: FormState): RuleDefinition {
  const body = bodyOf(state)
  const { triggerSource, scheduleType, scheduleDate, scheduleRecurrence, guards } = body
  const known = <Choice extends string>(choices: readonly Choice[], value: string) =>
    choices.find((one) => one === value)
  const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)
  // Ignore a schedule without its day or times.
  const unfinished = (scheduleType === 'scheduled' ? scheduleDate : scheduleRecurrence) === ''
  const form: RuleContent = {
    ...body,
    triggerSource: known(TRIGGER_SOURCES, triggerSource) ?? 'webhook',
    webhookSubscriptionId: undefined,
    triggerType: known(TRIGGER_TYPES, body.triggerType),
    replyMatch: known(REPLY_MATCHES, body.replyMatch),
    object: objectOfForm(state),
    settleMinutes: number(body.settleMinutes),
    apiEndpoint: known(POLL_ENDPOINTS, body.apiEndpoint),
    pollInterval: known(POLL_INTERVALS, body.pollInterval),
    runTime: /^\d\d:\d\d$/.test(body.runTime) ? body.runTime : '',
    weekday: number(body.weekday),
    dayOfMonth: number(body.dayOfMonth),
    scheduleType: triggerSource !== 'api_polling' && unfinished ? 'immediate' : known(SCHEDULE_TYPES, scheduleType),
    conditions: body.conditions.flatMap((one) =>
      one.field === '' ? [] : [{ ...one, operator: known(OPERATORS, one.operator) ?? 'equals' }],
    ),
    groupingField: known(GROUPING_FIELDS, body.groupingField),
    guards: { ...guards, cooldownDays: number(guards.cooldownDays), dailyCap: number(guards.dailyCap) },
    actions: body.actions.flatMap(({ type, ...action }) => (isActionType(type) ? [{ ...action, type }] : [])),
  }
  return definitionOf(form, null)
}

/** The steps that the draft has, in its order: it leaves out actions without a type. */
export function typedSteps({ steps }: FormState) {
  return steps.flatMap(({ type, ...step }) => (isActionType(type) ? [{ ...step, type }] : []))
}

/** Returns how often the rule runs for the same record: the user's choice, else the default of a new rule. */
export function chosenOnce(state: FormState): OncePolicy {
  return draftOf(state).once
}

/** True when the form asks whether to include records that match already. Only for rules that poll repeatedly. */
export function asksAboutExisting(state: FormState): boolean {
  const { trigger, once } = draftOf(state)
  return state.values.active === 'true' && trigger.source === 'api_polling' && checksAgain(trigger) && once !== 'period'
}

// What the rule form sends: the fields of the chosen trigger and nothing else; and the rule as far as it can be told before it is
// complete, for its sentence.
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import {
  type ActionParameters,
  GROUPING_FIELDS,
  type OncePolicy,
  OPERATORS,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  type RuleDefinition,
  SCHEDULE_TYPES,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
} from '#app/domain/automations/rule.ts'
import { definitionOf, type RuleContent } from '../rules/rule-definition.ts'
import { isParameterShown, shownValues } from './form-shown.ts'
import {
  type FormState,
  type LineList,
  type LineRow,
  objectOfForm,
  plainParameters,
  type StepRow,
} from './form-state.ts'

const on = (value: string) => value === 'true'

/** The body for creating or changing a rule. It is not checked here: numbers and ids go as they were typed. */
export function toBody(state: FormState): Record<string, unknown> {
  const values = shownValues(state)
  return {
    name: values.name,
    description: values.description,
    active: on(values.active),
    triggerSource: values.triggerSource,
    ...triggerFields(values),
    conditions: state.conditions.map(({ field, operator, value, logicalOperator }) => ({
      field,
      operator,
      value: operator === 'is_empty' || operator === 'is_not_empty' ? '' : value,
      logicalOperator: logicalOperator === 'OR' ? 'OR' : 'AND',
    })),
    enableGrouping: on(values.enableGrouping),
    groupingField: values.groupingField,
    digest: on(values.digest),
    once: chosenOnce(state),
    guards: {
      cooldownDays: values.cooldownDays,
      dailyCap: values.dailyCap,
      respectQuietHours: on(values.respectQuietHours),
      askFirst: on(values.askFirst),
      recheckBeforeSending: on(values.recheckBeforeSending),
    },
    includeExisting: asksAboutExisting(state) && on(values.includeExisting),
    actions: state.steps.map((step, index) => ({
      id: step.id,
      type: step.type,
      parameters: parametersOf(step),
      sequenceOrder: index + 1,
      waitForPrevious: index > 0 && on(step.wait),
    })),
  }
}

function triggerFields(values: FormState['values']): Record<string, unknown> {
  switch (values.triggerSource) {
    case 'webhook': {
      const [kind, first = '', second = ''] = values.events.split(':')
      const webhook = kind === 'webhook'
      return {
        webhookSubscriptionId: webhook ? first : '',
        object: webhook ? second : first,
        triggerType: values.triggerType,
        triggerJobUuid: values.triggerJobUuid,
        triggerQueueUuid: values.triggerQueueUuid,
        triggerFieldName: values.triggerFieldName,
        triggerFromValue: values.triggerFromValue,
        settleMinutes: values.settleMinutes,
        ...scheduleFields(values),
      }
    }
    case 'api_polling':
      return {
        apiEndpoint: values.apiEndpoint,
        apiMethod: values.apiMethod,
        pollInterval: values.pollInterval,
        workingDays: on(values.workingDays),
        ...scheduleFields(values),
      }
    case 'manual_endpoint':
      return scheduleFields(values)
    default:
      return {}
  }
}

function scheduleFields(values: FormState['values']): Record<string, unknown> {
  const { scheduleType, scheduleDate, scheduleRecurrence, runTime, weekday, dayOfMonth } = values
  return { scheduleType, scheduleDate, scheduleRecurrence, runTime, weekday, dayOfMonth }
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

/** A line nobody filled in is no line. Errors come by the place among these. */
export function linesSent(step: StepRow, list: LineList): LineRow[] {
  return step[list].filter(
    ({ uuid, unit_cost, quantity }) => uuid !== '' || unit_cost !== '' || !['', '1'].includes(quantity),
  )
}

/** The rule as it stands, complete or not, for its sentence and for warnings. What is missing has its default. */
export function draftOf(state: FormState): RuleDefinition {
  const { scheduleType, ...values } = shownValues(state)
  const known = <Choice extends string>(choices: readonly Choice[], value: string) =>
    choices.find((one) => one === value)
  const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)
  // Without its day or its times a schedule says nothing yet.
  const unfinished = scheduleType === 'scheduled' ? values.scheduleDate === '' : values.scheduleRecurrence === ''
  const collects = values.triggerSource !== 'api_polling'
  const form: RuleContent = {
    description: values.description,
    triggerSource: known(TRIGGER_SOURCES, values.triggerSource) ?? 'webhook',
    webhookSubscriptionId: undefined,
    triggerType: known(TRIGGER_TYPES, values.triggerType),
    triggerJobUuid: values.triggerJobUuid,
    triggerQueueUuid: values.triggerQueueUuid,
    object: objectOfForm(state),
    triggerFieldName: values.triggerFieldName,
    triggerFromValue: values.triggerFromValue,
    settleMinutes: number(values.settleMinutes),
    apiEndpoint: known(POLL_ENDPOINTS, values.apiEndpoint),
    pollInterval: known(POLL_INTERVALS, values.pollInterval),
    runTime: /^\d\d:\d\d$/.test(values.runTime) ? values.runTime : '',
    weekday: number(values.weekday),
    dayOfMonth: number(values.dayOfMonth),
    workingDays: on(values.workingDays),
    scheduleType: collects && unfinished ? 'immediate' : known(SCHEDULE_TYPES, scheduleType),
    scheduleDate: values.scheduleDate,
    scheduleRecurrence: values.scheduleRecurrence,
    conditions: state.conditions
      .filter(({ field }) => field !== '')
      .map(({ field, operator, value, logicalOperator }) => ({
        field,
        operator: known(OPERATORS, operator) ?? 'equals',
        value,
        logicalOperator: logicalOperator === 'OR' ? 'OR' : 'AND',
      })),
    enableGrouping: on(values.enableGrouping),
    groupingField: known(GROUPING_FIELDS, values.groupingField),
    digest: on(values.digest),
    once: values.once,
    guards: {
      cooldownDays: number(values.cooldownDays),
      dailyCap: number(values.dailyCap),
      respectQuietHours: on(values.respectQuietHours),
      askFirst: on(values.askFirst),
      recheckBeforeSending: on(values.recheckBeforeSending),
    },
    actions: state.steps.flatMap(({ type, ...step }) => {
      if (!isActionType(type)) return []
      const parameters = parametersOf({ type, ...step })
      return [{ id: step.id || step.key, type, parameters, sequenceOrder: undefined, waitForPrevious: on(step.wait) }]
    }),
  }
  return definitionOf(form, null)
}

/** How often for the same record, as the form stands: what a person chose, else what the rule is created with. */
export function chosenOnce(state: FormState): OncePolicy {
  return draftOf(state).once
}

const ONE_OFF: readonly string[] = ['once', 'on_demand']

/** Is there a choice between what matches from now on and what matches already? Only for rules that look again and again. */
export function asksAboutExisting(state: FormState): boolean {
  const { triggerSource, pollInterval, active } = state.values
  const looksAgain = triggerSource === 'api_polling' && !ONE_OFF.includes(pollInterval)
  return active === 'true' && looksAgain && chosenOnce(state) !== 'period'
}

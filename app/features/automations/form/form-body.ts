// What the rule form sends: the fields of the chosen trigger and nothing else; and the rule as far as it can be told before it is
// complete, for its sentence.
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import {
  type ActionParameters,
  type Condition,
  DEFAULT_GUARDS,
  GROUPING_FIELDS,
  type OncePolicy,
  OPERATORS,
  onceOf,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  type RuleDefinition,
  SCHEDULE_TYPES,
  type Schedule,
  TRIGGER_TYPES,
  type Trigger,
} from '#app/domain/automations/rule.ts'
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
  const values = shownValues(state)
  const trigger = draftTrigger(state)
  const field = GROUPING_FIELDS.find((one) => one === values.groupingField) ?? null
  const grouping = { enabled: on(values.enableGrouping), field }
  const digest = on(values.digest)
  const steps = draftSteps(state)
  return {
    description: values.description,
    trigger,
    conditions: state.conditions
      .filter((row) => row.field !== '')
      .map(
        (row): Condition => ({
          field: row.field,
          operator: OPERATORS.find((one) => one === row.operator) ?? 'equals',
          value: row.operator === 'is_empty' || row.operator === 'is_not_empty' ? '' : row.value,
          logicalOperator: row.logicalOperator === 'OR' ? 'OR' : 'AND',
        }),
      ),
    grouping,
    digest,
    steps,
    once: onceOf(values.once as OncePolicy | '', { trigger, grouping, digest, steps }),
    guards: {
      ...DEFAULT_GUARDS,
      respectQuietHours: on(values.respectQuietHours),
      askFirst: on(values.askFirst),
      recheckBeforeSending: on(values.recheckBeforeSending),
    },
  }
}

function draftSteps(state: FormState): RuleDefinition['steps'] {
  return state.steps.flatMap((step) =>
    isActionType(step.type)
      ? [{ id: step.id || step.key, type: step.type, parameters: parametersOf(step), waitForPrevious: on(step.wait) }]
      : [],
  )
}

/** How often for the same record, as the form stands: what a person chose, else what the rule is created with. */
export function chosenOnce(state: FormState): OncePolicy {
  const values = shownValues(state)
  const trigger = draftTrigger(state)
  const grouping = { enabled: on(values.enableGrouping), field: null }
  const steps = draftSteps(state)
  return onceOf(values.once as OncePolicy | '', { trigger, grouping, digest: on(values.digest), steps })
}

function draftTrigger(state: FormState): Trigger {
  const values = shownValues(state)
  switch (values.triggerSource) {
    case 'api_polling':
      return {
        source: 'api_polling',
        endpoint: POLL_ENDPOINTS.find((one) => one === values.apiEndpoint) ?? '/api_1.0/job.json',
        method: 'GET',
        interval: POLL_INTERVALS.find((one) => one === values.pollInterval) ?? 'daily',
        ...draftSchedule(values),
      }
    case 'manual_endpoint':
      return { source: 'manual_endpoint', ...draftCollected(values) }
    default:
      return {
        source: 'webhook',
        object: objectOfForm(state),
        type: TRIGGER_TYPES.find((one) => one === values.triggerType) ?? 'job_updated',
        webhookSubscriptionId: null,
        jobUuid: orNull(values.triggerJobUuid),
        queueUuid: orNull(values.triggerQueueUuid),
        fieldName: orNull(values.triggerFieldName),
        fromValue: orNull(values.triggerFromValue),
        settleMinutes: number(values.settleMinutes, 0),
        ...draftCollected(values),
      }
  }
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}

function number(text: string, otherwise: number): number {
  return /^\d+$/.test(text) ? Number(text) : otherwise
}

function draftSchedule(values: FormState['values']): Schedule {
  return {
    runTime: /^\d\d:\d\d$/.test(values.runTime) ? values.runTime : '09:00',
    weekday: number(values.weekday, 1),
    dayOfMonth: number(values.dayOfMonth, 1),
    workingDays: on(values.workingDays),
    scheduleType: SCHEDULE_TYPES.find((one) => one === values.scheduleType) ?? 'immediate',
    scheduleDate: orNull(values.scheduleDate),
    scheduleRecurrence: orNull(values.scheduleRecurrence),
  }
}

function draftCollected(values: FormState['values']): { schedule?: Schedule } {
  const schedule = draftSchedule(values)
  const { scheduleType, scheduleDate, scheduleRecurrence } = schedule
  // Without its day or its times it says nothing yet.
  if (scheduleType === 'scheduled') return scheduleDate ? { schedule: { ...schedule, scheduleRecurrence: null } } : {}
  if (scheduleType === 'recurring') return scheduleRecurrence ? { schedule: { ...schedule, scheduleDate: null } } : {}
  return {}
}

const ONE_OFF: readonly string[] = ['once', 'on_demand']

/** Is there a choice between what matches from now on and what matches already? Only for rules that look again and again. */
export function asksAboutExisting(state: FormState): boolean {
  const { triggerSource, pollInterval, active } = state.values
  const looksAgain = triggerSource === 'api_polling' && !ONE_OFF.includes(pollInterval)
  return active === 'true' && looksAgain && chosenOnce(state) !== 'period'
}

// Examples in the API reference for automations.
import type { z } from 'zod'
import { DEMO_ACCOUNT, DEMO_JOB } from '#app/contract/operation.ts'
import { DEFAULT_GUARDS } from '#app/domain/automations/rule.ts'
import { DEFAULT_SETTINGS } from '../settings/automation-settings.ts'
import type { executionAnswer, muteAnswer, ruleAnswer } from './api-answers.ts'

const AT = '2026-11-22T01:10:00.000Z'

export const ruleBodyExample = {
  accountUUID: DEMO_ACCOUNT,
  name: 'Thank the customer',
  triggerSource: 'webhook',
  object: 'job',
  triggerType: 'job_status',
  conditions: [{ field: 'status', operator: 'equals', value: 'Completed', logicalOperator: 'AND' }],
  actions: [{ type: 'send_sms', parameters: { to: '{contact_mobile}', message: 'Thank you, {contact_first_name}.' } }],
}

export const ruleFieldsExample = {
  triggerSource: 'webhook' as const,
  webhookSubscriptionId: null,
  triggerType: 'job_status' as const,
  triggerJobUuid: null,
  triggerQueueUuid: null,
  object: 'job',
  triggerFieldName: null,
  triggerFromValue: null,
  settleMinutes: 0,
  atOnce: false,
  replyMatch: null,
  replyWords: null,
  apiEndpoint: null,
  apiMethod: null,
  pollInterval: null,
  runTime: null,
  weekday: null,
  dayOfMonth: null,
  workingDays: null,
  scheduleType: 'immediate' as const,
  scheduleDate: null,
  scheduleRecurrence: null,
  digest: false,
  once: 'change' as const,
  guards: DEFAULT_GUARDS,
  actions: [
    {
      id: 's1',
      type: 'send_sms' as const,
      parameters: { to: '{contact_mobile}', message: 'Thank you, {contact_first_name}.' },
      sequenceOrder: 1,
      waitForPrevious: false,
    },
  ],
}

export const conditionsExample: z.output<typeof ruleAnswer>['conditions'] = [
  { field: 'status', operator: 'equals', value: 'Completed', logicalOperator: 'AND' },
]

export const ruleExample: z.output<typeof ruleAnswer> = {
  id: 12,
  accountUUID: DEMO_ACCOUNT,
  name: 'Thank the customer',
  active: true,
  ...ruleFieldsExample,
  description: '',
  conditions: conditionsExample,
  enableGrouping: false,
  groupingField: null,
  executionCount: 41,
  lastExecuted: AT,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
  triggerUrl: null,
  sentence: 'When the status of a job changes, only if its status is Completed, then text the customer.',
  nextRunAt: null,
  preparing: false,
  pausedReason: null,
  pausedReasonCode: null,
  openBlanks: [],
}

export const executionExample: z.output<typeof executionAnswer> = {
  id: 233,
  automationRuleId: 12,
  accountUUID: DEMO_ACCOUNT,
  triggerData: {
    description: 'Run by hand',
    object: 'job',
    manualTrigger: true,
    conditionMatching: null,
    bypassedConditions: false,
    changes: [],
    values: {},
  },
  actionsExecuted: [],
  executionStatus: null,
  errorMessage: null,
  createdAt: AT,
  executedAt: AT,
  automationName: 'Thank the customer',
  automationVersion: 1,
  source: 'person',
  state: 'queued',
  outcome: null,
  reason: null,
  reasonCode: null,
  needsYou: false,
  object: 'job',
  recordUuids: [DEMO_JOB],
  groupKey: null,
  replayOf: null,
  startedAt: null,
  endedAt: null,
  nextAttemptAt: AT,
  steps: [],
}

export const settingsExample = { ...DEFAULT_SETTINGS, defaults: DEFAULT_SETTINGS }
export const muteExample: z.output<typeof muteAnswer> = {
  id: 2,
  kind: 'company',
  recordUuid: 'e0a4c1d8-3f57-4b62-9c8e-6d1b7a2f4503',
  name: 'Mrs Jones',
  until: null,
  createdAt: AT,
  createdBy: null,
}

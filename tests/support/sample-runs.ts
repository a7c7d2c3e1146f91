// Runs as the store returns them, with overrides for tests.
import { DEFAULT_GUARDS, type RuleDefinition } from '#app/domain/automations/rule.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { aRow, NOW } from './journal-rows.ts'

export const SAMPLE_RULE: RuleDefinition = {
  description: '',
  trigger: { source: 'manual_endpoint' },
  conditions: [],
  grouping: { enabled: false, field: null },
  digest: false,
  steps: [
    { id: 's1', type: 'send_sms', parameters: { to: '+447700900123', message: 'Hello' }, waitForPrevious: false },
    { id: 's2', type: 'create_task', parameters: { title: 'Ring' }, waitForPrevious: true },
  ],
  once: 'change',
  guards: DEFAULT_GUARDS,
}

export const SENT_TEXT = aRow({
  state: 'sent',
  attempt: 1,
  result: { sms_id: '9', status: 'sent' },
  tries: [{ at: NOW, endedAt: NOW + 5, outcome: 'sent', sentence: null }],
})

/** A successful run about job 4411 of Margaret Smith. */
export function sampleRun(more: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 4,
    accountUuid: 'account-1',
    automationId: 2,
    ruleName: 'Quote check-in',
    version: 3,
    definition: SAMPLE_RULE,
    source: 'webhook',
    object: 'job',
    recordUuids: ['11111111-0000-4000-8000-000000000001'],
    groupKey: null,
    triggerData: {
      description: 'Status changed from "Quote" to "Completed"',
      object: 'job',
      manualTrigger: false,
      conditionMatching: { totalRecords: 1, matchedRecords: [sampleMatch()] },
      values: {},
      bypassedConditions: false,
      changes: [{ field: 'status', from: 'Quote', to: 'Completed' }],
    },
    state: 'done',
    outcome: 'success',
    reason: null,
    wakeAt: NOW,
    replayOf: null,
    hop: 0,
    createdAt: NOW,
    startedAt: NOW + 1_000,
    endedAt: NOW + 2_000,
    journal: [SENT_TEXT],
    ...more,
  }
}

export function sampleMatch(more: Partial<Record<'jobId' | 'companyName' | 'jobAddress', string>> = {}) {
  return {
    jobId: '4411',
    status: 'Completed',
    jobDescription: 'Boiler',
    companyName: 'Margaret Smith',
    jobAddress: '12 High St',
    totalInvoiceAmount: '5',
    ...more,
  }
}

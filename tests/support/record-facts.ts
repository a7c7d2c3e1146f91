// Records as rules see them, for tests of decisions.
import type { Condition, Operator, PollTrigger, RuleDefinition, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { DEFAULT_GUARDS } from '#app/domain/automations/rule.ts'
import type { JudgedAt, RecordFacts } from '#app/features/automations/records/facts.ts'

/** Saturday 21 November 2026, 09:14 in London. */
export const AT: JudgedAt = { now: Date.UTC(2026, 10, 21, 9, 14, 5), zone: 'Europe/London' }

export const JOB_UUID = '11111111-2222-4333-8444-555555555555'
export const COMPANY_UUID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'

/** A job with these values and no other data. */
export function jobFacts(values: Record<string, string> = {}, more: Partial<RecordFacts> = {}): RecordFacts {
  return {
    object: 'job',
    recordUuid: JOB_UUID,
    jobUuid: JOB_UUID,
    companyUuid: COMPANY_UUID,
    editDate: '2026-11-20 17:30:00',
    active: true,
    jobActive: true,
    values,
    parts: [],
    ...more,
  }
}

/** A completed job of a customer, with its contacts. */
export function wholeJob(values: Record<string, string> = {}, more: Partial<RecordFacts> = {}): RecordFacts {
  return jobFacts(
    {
      uuid: JOB_UUID,
      status: 'Completed',
      generated_job_id: '1042',
      job_description: 'Replace boiler',
      job_address: '12 High Street, Dundee',
      billing_address: 'PO Box 9',
      purchase_order_number: 'PO-7',
      company_uuid: COMPANY_UUID,
      date: '2026-11-02 00:00:00',
      completion_date: '2026-11-18 16:05:00',
      edit_date: '2026-11-20 17:30:00',
      total_invoice_amount: '1234.50',
      contact_first_name: 'Margaret',
      contact_last_name: 'Smith',
      contact_mobile: '07700 900123',
      contact_phone: '0113 496 0000',
      contact_email: 'margaret@example.test',
      company_name: 'Smith & Sons',
      company_phone: '0113 496 0001',
      company_email: 'office@example.test',
      company_address: '1 Low Road',
      staff_name: 'Tom Finch',
      staff_email: 'tom@example.test',
      staff_mobile: '+447700900102',
      ...values,
    },
    more,
  )
}

export function condition(
  field: string,
  operator: Operator,
  value = '',
  logicalOperator: 'AND' | 'OR' = 'AND',
): Condition {
  return { field, operator, value, logicalOperator }
}

export function webhookTrigger(given: Partial<WebhookTrigger> = {}): WebhookTrigger {
  return {
    source: 'webhook',
    object: 'job',
    type: 'job_status',
    webhookSubscriptionId: null,
    jobUuid: null,
    queueUuid: null,
    fieldName: null,
    fromValue: null,
    settleMinutes: 0,
    ...given,
  }
}

export function pollTrigger(given: Partial<PollTrigger> = {}): PollTrigger {
  return {
    source: 'api_polling',
    endpoint: '/api_1.0/job.json',
    method: 'GET',
    interval: 'daily',
    runTime: '10:00',
    weekday: 1,
    dayOfMonth: 1,
    workingDays: false,
    scheduleType: 'immediate',
    scheduleDate: null,
    scheduleRecurrence: null,
    ...given,
  }
}

export function ruleDefinition(given: Partial<RuleDefinition> = {}): RuleDefinition {
  return {
    description: '',
    trigger: webhookTrigger(),
    conditions: [],
    grouping: { enabled: false, field: null },
    digest: false,
    steps: [
      {
        id: 's1',
        type: 'send_sms',
        parameters: { to: '{entry.0.contact_mobile}', message: 'Hello' },
        waitForPrevious: false,
      },
    ],
    once: 'change',
    guards: DEFAULT_GUARDS,
    ...given,
  }
}

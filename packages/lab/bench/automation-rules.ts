// Twenty rules of one account, and the changes that trigger some of them. Each text and value contains its event's
// number, so that what reached the platform can be compared with what was expected.
import type { Condition, Operator, RuleDefinition, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { aRule, aStep } from '#tests/support/automation-world.server.ts'

/** A change to a job: triggers a rule with a text, two with a field each, one with a field and a text, none. */
export type ChangeKind = 'text' | 'field' | 'both' | 'plain'

/** Weight of each kind, out of 100. */
export const MIX: readonly (readonly [weight: number, kind: ChangeKind])[] = [
  [35, 'text'],
  [20, 'field'],
  [20, 'both'],
  [25, 'plain'],
]

/** The job's values after the change; the mark is read back from the rules' effects. */
export function changeOf(kind: ChangeKind, mark: string): Record<string, string> {
  switch (kind) {
    case 'text':
      return { status: 'Work Order', purchase_order_number: mark }
    case 'field':
      return { status: 'Unsuccessful', purchase_order_number: mark }
    case 'both':
      return { status: 'Completed', purchase_order_number: mark }
    case 'plain':
      return { job_description: `Replace boiler (${mark})` }
  }
}

/** Every effect of the rules for one change, each exactly once, in the format of `Stage.reached`. */
export function expectedOf(kind: ChangeKind, mark: string): string[] {
  switch (kind) {
    case 'text':
      return [`sms ordered ${mark}`]
    case 'field':
      return [`set lost ${mark}`, `set billed ${mark}`]
    case 'both':
      return [`set done ${mark}`, `sms finished ${mark}`]
    case 'plain':
      return []
  }
}

const MARK = '{entry.0.purchase_order_number}'

const on = (type: WebhookTrigger['type'], fieldName: string | null = null): WebhookTrigger => ({
  source: 'webhook',
  object: 'job',
  type,
  webhookSubscriptionId: null,
  jobUuid: null,
  queueUuid: null,
  fieldName,
  fromValue: null,
  settleMinutes: 0,
})

type Line = readonly [field: string, operator: Operator, value?: string]
const all = (...lines: Line[]): Condition[] =>
  lines.map(([field, operator, value = '']) => ({ field, operator, value, logicalOperator: 'AND' }))

const text = (id: string, message: string) => aStep(id, 'send_sms', { to: '{entry.0.contact_mobile}', message })
const set = (id: string, fieldName: string, fieldValue: string) =>
  aStep(id, 'update_job_field', { fieldName, fieldValue })

/** These four rules act. */
const ACTING: readonly RuleDefinition[] = [
  aRule([text('s1', `ordered ${MARK}`)], {
    trigger: on('job_status'),
    conditions: all(['status', 'equals', 'Work Order'], ['contact_mobile', 'is_not_empty']),
  }),
  aRule([set('s1', 'work_done_description', `lost ${MARK}`)], {
    trigger: on('job_status'),
    conditions: all(['status', 'equals', 'Unsuccessful']),
  }),
  aRule([set('s1', 'work_done_description', `done ${MARK}`), text('s2', `finished ${MARK}`)], {
    trigger: on('job_status'),
    conditions: all(['status', 'equals', 'Completed']),
  }),
  aRule([set('s1', 'billing_address', `billed ${MARK}`)], {
    trigger: on('job_status'),
    conditions: all(['status', 'equals', 'Unsuccessful'], ['company_name', 'is_not_empty']),
  }),
]

/** These rules are evaluated each time and do not match: some by the change itself, most only by their conditions. */
const WATCHING: readonly RuleDefinition[] = [
  { trigger: on('job_created'), conditions: all(['status', 'equals', 'Quote']) },
  { trigger: on('job_queue'), conditions: all(['status', 'equals', 'Work Order']) },
  { trigger: on('job_field', 'badges'), conditions: all(['badges', 'contains', 'Urgent']) },
  { trigger: on('job_field', 'payment_received'), conditions: all(['payment_received', 'equals', '1']) },
  ...[5_000, 10_000, 20_000, 50_000].map((amount) => ({
    trigger: on('job_status'),
    conditions: all(['status', 'equals', 'Work Order'], ['total_cost', 'greater_than', String(amount)]),
  })),
  ...['Glasgow', 'Aberdeen', 'Perth', 'Stirling'].map((town) => ({
    trigger: on('job_status'),
    conditions: all(['status', 'equals', 'Completed'], ['job_address', 'contains', town]),
  })),
  ...['Council', 'Housing Association', 'School', 'Hospital'].map((name) => ({
    trigger: on('job_updated'),
    conditions: all(['company_name', 'contains', name], ['contact_email', 'is_not_empty']),
  })),
].map(({ trigger, conditions }) => aRule([text('s1', `wrong ${MARK}`)], { trigger, conditions }))

export const RULES: readonly RuleDefinition[] = [...ACTING, ...WATCHING]

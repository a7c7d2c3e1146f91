// The message of a template as its customer would read it, with made-up details of a job.

import type { MessageView } from '#app/domain/automations/message-view.ts'
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import type { JudgedAt, RecordFacts } from '#app/features/automations/records/facts.ts'
import { objectOfRule } from '#app/features/automations/rules/conditions/conditions.ts'
import { fillBlanks, openBlanks } from '#app/features/automations/rules/placeholders/placeholder-syntax.ts'
import { resolveText } from '#app/features/automations/rules/placeholders/placeholders.ts'
import { plainText } from '#app/lib/plain-text.ts'

/** Longest text in a picture, characters: a picture is looked at, not read to its end. */
const MOST = 110

const SAMPLE: Readonly<Record<string, string>> = {
  generated_job_id: '3128',
  company_name: 'Joan Hartley',
  contact_first_name: 'Joan',
  contact_last_name: 'Hartley',
  contact_mobile: '0400 000 000',
  contact_email: 'joan@example.com',
  job_address: '12 High Street',
  job_description: 'Boiler service',
  staff_name: 'Sam',
  total_invoice_amount: '240.00',
  days_overdue: '7',
  start_date: '2026-11-25 09:00:00',
  days_since_quote: '10',
}

/** The first message to a customer, shortened. Null = the rule writes to none. `firm` = the account's name. */
export function pictureOf(definition: RuleDefinition, firm: string, at: JudgedAt): MessageView | null {
  const step = definition.steps.find(({ type }) => type === 'send_sms' || type === 'send_email')
  if (!step) return null
  const { subject, text } = writtenIn(step)
  const read = (written: string) => shortened(resolved(named(written, firm), definition, at))
  return { channel: step.type === 'send_sms' ? 'sms' : 'email', subject: read(subject), text: read(text) }
}

function writtenIn({ type, parameters }: Step): { subject: string; text: string } {
  const text = (name: string) => (typeof parameters[name] === 'string' ? parameters[name] : '')
  if (type === 'send_sms') return { subject: '', text: text('message') }
  return {
    subject: text('customSubject') || text('customHtmlSubject') || text('subject'),
    text: text('customBody') || plainText(text('customHtmlBody') || text('htmlBody')),
  }
}

/** Blanks by their name, so that a reader sees what goes there. */
function named(text: string, firm: string): string {
  const labels = Object.fromEntries(openBlanks(text).map((label) => [label, blankText(label)]))
  return fillBlanks(text, firm === '' ? labels : { ...labels, 'Business name': firm })
}

/** An open blank within a shown text. */
export function blankText(label: string): string {
  return `‹${label}›`
}

function resolved(text: string, definition: RuleDefinition, { now, zone }: JudgedAt): string {
  const facts: RecordFacts = {
    object: objectOfRule(definition),
    recordUuid: '',
    jobUuid: null,
    companyUuid: null,
    editDate: '',
    active: true,
    jobActive: true,
    values: SAMPLE,
    parts: [],
  }
  const account = { name: '', email: '', zone, currency: '', country: '' }
  return resolveText(text, 'plain', { records: [facts], trigger: {}, results: {}, order: [], account, now }).text.trim()
}

function shortened(text: string): string {
  if (text.length <= MOST) return text
  return `${text.slice(0, MOST).replace(/\s+\S*$/, '')}…`
}

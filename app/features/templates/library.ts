// The 29 built-in templates.
import { FIRST_NAME, onEvent, step, TO_CUSTOMERS, task, template, text } from './building-blocks.ts'
import { MONEY } from './library-money.ts'
import { VISITS } from './library-visits.ts'
import type { LibraryTemplate } from './template.ts'

// What customers answer, and what becomes of messages: templates 26 to 29.
const MESSAGES: readonly LibraryTemplate[] = [
  template(26, 'communication', {
    name: 'They answered: stop and tell me',
    description: 'Other messages wait; a task and a colleague get the words.',
    says: 'Nobody is chased who has answered.',
    trigger: onEvent('job', 'customer_replied', { reply: 'any' }),
    once: 'change',
    steps: [
      task('Answer {entry.0.company_name or "the customer"}, job {entry.0.generated_job_id}', 'They wrote: {reply}'),
      step('send_staff_message', {
        toStaffUuid: '[[Colleague who answers]]',
        message: '{entry.0.company_name or "A customer"}, job {entry.0.generated_job_id}: {reply}',
        linkToJob: true,
      }),
    ],
  }),
  template(27, 'communication', {
    name: 'Quote seen, not accepted',
    description: 'A day after they opened an automation’s e-mail, asks about questions.',
    says: 'Asks while the quote is still on their mind.',
    trigger: onEvent('job', 'message_opened', { settleMinutes: 1_440 }),
    when: 'status = Quote and quote_sent = 1 and contact_mobile set',
    guards: TO_CUSTOMERS,
    texts: `Hi ${FIRST_NAME}, any questions about our quote for {entry.0.job_address or "your job"}? Call [[Business phone]]. [[Business name]]`,
  }),
  template(28, 'communication', {
    name: 'Confirm by YES',
    description: 'Marks the job and thanks them. Write “Reply YES to confirm” in your reminder.',
    says: 'A yes confirms the visit; nobody has to read it.',
    trigger: onEvent('job', 'customer_replied', { reply: 'yes' }),
    when: 'status = Work Order and contact_mobile set',
    once: 'day',
    // No quiet hours: it answers a person who has just written.
    guards: { recheckBeforeSending: true },
    steps: [
      step('update_job_field', { fieldName: 'badges', fieldValue: '[[Confirmed badge]]', badgeChange: 'add' }),
      text('Thank you, confirmed. To change it, call [[Business phone]]. [[Business name]]', true),
    ],
  }),
  template(29, 'workflow', {
    name: 'Bad number or address: fix the customer',
    description: 'Makes a task when a message does not arrive.',
    says: 'The next message arrives.',
    trigger: onEvent('job', 'message_failed'),
    once: 'week',
    steps: [
      task(
        'Check number and e-mail of {entry.0.company_name or "the customer"}',
        'A message about job {entry.0.generated_job_id} did not arrive. Mobile: {entry.0.contact_mobile or "none"}. E-mail: {entry.0.contact_email or "none"}.',
      ),
    ],
  }),
]

export const LIBRARY: readonly LibraryTemplate[] = [...MONEY, ...VISITS, ...MESSAGES]

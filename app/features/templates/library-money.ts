// Quotes, invoices and payments: templates 1 to 13.
import {
  every,
  FIRST_NAME,
  noteOnJob,
  onEvent,
  pdf,
  QUIET,
  step,
  TO_CUSTOMERS,
  task,
  tell,
  template,
  text,
  WITH_DOCUMENT,
} from './building-blocks.ts'
import type { LibraryTemplate } from './template.ts'

const OWN_QUOTE_FOLLOW_UP = "ServiceM8's own quote follow-up does something similar: keep one of the two."
const OWN_INVOICE_REMINDER = "ServiceM8's own payment reminder does something similar: keep one of the two."

const NUMBERS = 'Phone: {entry.0.contact_phone or "none"}. Mobile: {entry.0.contact_mobile or "none"}.'

const OPEN = 'status = Completed and invoice_sent = 1 and payment_received = 0 and total_invoice_amount > 0'
const late = (more: number) => `${OPEN} and badges lacks [[Do-not-chase badge]] and days_overdue > ${more}`
const unpaid = (more: number, less: number) => `${late(more)} and days_overdue < ${less}`

export const MONEY: readonly LibraryTemplate[] = [
  template(1, 'communication', {
    name: 'Quote check-in after 3 days',
    description: 'Asks whether the quote arrived, three days later.',
    overlap: OWN_QUOTE_FOLLOW_UP,
    says: 'Asks whether the quote arrived.',
    trigger: every('daily', '10:00'),
    when: 'status = Quote and quote_sent = 1 and days_since_quote > 2 and days_since_quote < 8 and contact_mobile set',
    guards: TO_CUSTOMERS,
    texts: `Hi ${FIRST_NAME}, did our quote for {entry.0.job_address or "your job"} reach you? Questions? Call [[Business phone]]. [[Business name]]`,
  }),
  template(2, 'communication', {
    name: 'Quote last call after 10 days',
    description: 'E-mails a reminder on day ten and gives you a call task.',
    overlap: OWN_QUOTE_FOLLOW_UP,
    says: 'The last written reminder of a quote, then a task to ring.',
    trigger: every('daily', '10:00'),
    when: 'status = Quote and quote_sent = 1 and days_since_quote > 9 and days_since_quote < 21 and contact_email set',
    guards: TO_CUSTOMERS,
    steps: [
      step('send_email', {
        contentType: 'manual',
        to: '{entry.0.contact_email}',
        customSubject: 'Quote {entry.0.generated_job_id}: shall we keep a place for you?',
        customBody: `Hello ${FIRST_NAME},\n\nour quote {entry.0.generated_job_id} for {entry.0.job_address or "your job"} has been with you for {entry.0.days_since_quote} days. Our prices hold for [[30 days]]. To go ahead, accept it online or call [[Business phone]]. If now is the wrong time, tell us there and we will not ask again.\n\n[[Business name]]`,
        linkToJob: true,
        includeSignature: true,
      }),
      task(
        'Ring {entry.0.company_name} about quote {entry.0.generated_job_id}',
        `The last written reminder went out on {today as date}. Ring if no answer comes. ${NUMBERS}`,
        true,
      ),
    ],
  }),
  template(3, 'job_management', {
    name: 'Close quotes gone cold',
    description: 'Marks quotes older than 45 days as unsuccessful. You approve each one.',
    says: 'Tidies up quotes that nobody answered.',
    trigger: every('weekly', '08:00', { weekday: 1 }),
    when: 'status = Quote and quote_sent = 1 and days_since_quote > 45 and days_since_change > 14',
    guards: { askFirst: true },
    steps: [
      noteOnJob(
        'No answer for {entry.0.days_since_quote} days, closed by the rule Close quotes gone cold. Set the job back to Quote to reopen it.',
      ),
      step('update_job_status', { status: 'Unsuccessful' }, true),
    ],
  }),
  template(4, 'workflow', {
    name: 'Quote accepted: book it in',
    description: 'Moves accepted quotes to your booking queue and thanks the customer.',
    says: 'From accepted quote to booking, without anybody remembering.',
    trigger: onEvent('job', 'job_status', { fromValue: 'Quote' }),
    when: 'status = Work Order and quote_sent = 1',
    guards: QUIET,
    steps: [
      step('assign_to_queue', { queueUuid: '[[Queue for jobs to be booked]]' }),
      text(
        'Thank you {entry.0.contact_first_name or "for accepting"}! We will call within [[1 working day]] to agree a date. [[Business name]]',
      ),
      tell(
        '[[Scheduler]]',
        'Accepted: job {entry.0.generated_job_id}, {entry.0.company_name}, {entry.0.job_address or "address missing"}. Please book.',
      ),
    ],
  }),
  template(5, 'integration', {
    name: 'Hand finished jobs to another system',
    description: 'Posts every completed job to your other software.',
    says: 'Posts each completed job to an address of yours.',
    trigger: onEvent('job', 'job_status'),
    when: 'status = Completed',
    once: 'value:completion_date',
    steps: [
      step('send_notification', {
        notificationType: 'webhook',
        url: '[[Address]]',
        message:
          'event=job_completed; job={entry.0.generated_job_id}; customer={entry.0.company_name}; address={entry.0.job_address}; total={entry.0.total_invoice_amount}',
      }),
    ],
  }),
  template(6, 'reporting', {
    name: 'Finished but not invoiced',
    description: 'E-mails you finished jobs without an invoice, every morning.',
    says: 'Money that nobody has asked for yet.',
    trigger: every('daily', '07:30'),
    when: 'status = Completed and days_since_completion > 2 and days_since_completion < 90 and invoice_sent = 0 and payment_received = 0 and total_invoice_amount > 0 and purchase_order_number lacks Billed on',
    digest: true,
    once: 'period',
    steps: [
      step('send_email', {
        contentType: 'manual',
        to: '[[Office e-mail]]',
        customSubject: 'Finished, waiting for an invoice: {count}, {sum_total as money}',
        customBody:
          'These jobs were finished more than two days ago and no invoice has gone out:\n\n{job_list}\n\nOldest first.',
      }),
    ],
  }),
  template(7, 'communication', {
    name: 'Invoice 7 days late: friendly text',
    description: 'Texts a reminder one week after the due date.',
    overlap: OWN_INVOICE_REMINDER,
    says: 'The first reminder, in a friendly tone.',
    trigger: every('daily', '10:00', { workingDays: true }),
    when: `${unpaid(6, 14)} and contact_mobile set`,
    guards: TO_CUSTOMERS,
    texts: `Hi ${FIRST_NAME}, invoice {entry.0.generated_job_id} seems still open. Paid already? Then ignore this, with thanks. [[Business name]]`,
  }),
  template(8, 'communication', {
    name: 'Invoice 14 days late: copy attached',
    description: 'E-mails the invoice again after two weeks.',
    overlap: OWN_INVOICE_REMINDER,
    says: 'The second reminder, with the invoice.',
    trigger: every('daily', '10:00', { workingDays: true }),
    when: `${unpaid(13, 30)} and contact_email set`,
    guards: TO_CUSTOMERS,
    steps: [
      pdf('[[Invoice template]]'),
      step(
        'send_email',
        {
          contentType: 'manual',
          to: '{entry.0.contact_email}',
          customSubject: 'Invoice {entry.0.generated_job_id}, now due',
          customBody: `Hello ${FIRST_NAME},\n\nour invoice of {entry.0.total_invoice_amount as money} was due {entry.0.days_overdue} days ago. A copy is attached. You can pay by [[How to pay]]. If something about the work is not right, please tell us today.\n\n[[Business name]]`,
          linkToJob: true,
          ...WITH_DOCUMENT,
        },
        true,
      ),
    ],
  }),
  template(9, 'workflow', {
    name: 'Invoice 30 days late: time to ring',
    description: 'Creates a call task and tells you after 30 days.',
    says: 'Hands an old invoice to a person.',
    trigger: every('daily', '10:00', { workingDays: true }),
    when: late(29),
    steps: [
      task(
        'Ring {entry.0.company_name}: {entry.0.total_invoice_amount as money} is {entry.0.days_overdue} days late',
        `Job {entry.0.generated_job_id}. ${NUMBERS}`,
      ),
      tell('[[Owner]]', 'Job {entry.0.generated_job_id} is {entry.0.days_overdue} days overdue. Please ring.'),
      noteOnJob('{entry.0.days_overdue} days overdue; handed to a person.'),
    ],
  }),
  template(10, 'communication', {
    name: 'Thanks for paying',
    description: 'Texts a thank-you when a job is paid.',
    says: 'A payment deserves a word.',
    trigger: onEvent('job', 'job_field', { fieldName: 'payment_received' }),
    when: 'payment_received = 1 and contact_mobile set',
    guards: TO_CUSTOMERS,
    texts: 'Payment received, thank you {entry.0.contact_first_name or ""}! Good to work for you. [[Business name]]',
  }),
  template(11, 'workflow', {
    name: 'Deposit in: ready to book',
    description: 'Moves the job to your booking queue and tells everyone.',
    says: 'From deposit to booking.',
    trigger: onEvent('jobpayment', 'job_created'),
    when: 'is_deposit = 1 and active = 1 and amount > 0',
    guards: QUIET,
    steps: [
      step('assign_to_queue', { queueUuid: '[[Ready to book]]' }),
      tell(
        '[[Scheduler]]',
        'Deposit of {entry.0.amount as money} received for job {entry.0.generated_job_id}, {entry.0.company_name}. Order parts and book.',
      ),
      step('send_email', {
        contentType: 'manual',
        to: '{entry.0.contact_email}',
        customSubject: 'Deposit received for job {entry.0.generated_job_id}',
        customBody:
          'Thank you, your deposit has arrived. We are ordering what we need and will call to agree a date.\n\n[[Business name]]',
        linkToJob: true,
      }),
    ],
  }),
  template(12, 'reporting', {
    name: 'Monthly statement per customer',
    description: 'E-mails each customer one statement, on the first of the month.',
    says: 'One letter a customer, not one per invoice.',
    trigger: every('first_of_month', '08:00'),
    when: OPEN,
    groupBy: 'company_uuid',
    once: 'period',
    guards: QUIET,
    steps: [
      // Without a file: ServiceM8 makes documents of jobs alone.
      step('send_email', {
        contentType: 'manual',
        to: '{entry.0.company_email}',
        customSubject: 'Open invoices: {count}, together {sum_total as money}',
        customBody:
          'Hello,\n\nthis is your statement as of {today as date}:\n\n{job_list}\n\nPlease compare it with your books and tell us about any difference.\n\n[[Business name]]',
      }),
    ],
  }),
  template(13, 'job_management', {
    name: 'One bill a month for account customers',
    description: 'Combines a month of finished work into one job.',
    says: 'Combines a month of work into one bill.',
    trigger: every('last_of_month', '17:00'),
    when: 'company_uuid = [[Account customer]] and status = Completed and days_since_completion < 32 and invoice_sent = 0 and payment_received = 0 and purchase_order_number lacks Billed on',
    groupBy: 'company_uuid',
    once: 'period',
    steps: [
      step('create_job', {
        company_uuid: '{company_uuid}',
        status: 'Work Order',
        job_description: 'Work in {this_month}: {all_job_descriptions} (jobs {all_job_ids})',
        purchase_order_number: '[[Their PO number]]',
        copyFromAllJobs: true,
        copyBundlesFromAllJobs: true,
      }),
      step(
        'update_job_field',
        { fieldName: 'purchase_order_number', fieldValue: 'Billed on {action_1_result.generated_job_id}' },
        true,
      ),
      step('send_staff_message', {
        toStaffUuid: '[[Office]]',
        message: 'Combined job {action_1_result.generated_job_id} made. Jobs in it: {count}. Check and invoice.',
      }),
    ],
  }),
]

// Customers around the visit, and the team: templates 14 to 25.
import {
  every,
  FIRST_NAME,
  noteOnJob,
  onEvent,
  pdf,
  step,
  TO_CUSTOMERS,
  task,
  tell,
  template,
  text,
  WITH_DOCUMENT,
} from './building-blocks.ts'
import type { LibraryTemplate } from './template.ts'

const OWN_REMINDER = "ServiceM8's own booking messages do something similar: keep one of the two."
// A lost or finished job keeps its bookings in ServiceM8.
const BOOKED = 'active = 1 and activity_was_scheduled = 1 and status != Unsuccessful and status != Completed'

export const VISITS: readonly LibraryTemplate[] = [
  template(14, 'communication', {
    name: 'Booking confirmed',
    description: 'Texts date and time when a visit is booked or moved.',
    overlap: OWN_REMINDER,
    says: 'Says when we come.',
    trigger: onEvent('jobactivity', 'job_field', { fieldName: 'start_date', settleMinutes: 2 }),
    when: `${BOOKED} and start_date > NOW and contact_mobile set`,
    once: 'value:edit_date',
    guards: TO_CUSTOMERS,
    texts:
      'You are booked: {entry.0.start_date as date}, {entry.0.start_date as time}, {entry.0.job_address or "your address"}. To change it, call [[Business phone]]. [[Business name]]',
  }),
  template(15, 'communication', {
    name: 'Reminder the day before',
    description: 'Texts tomorrow’s customers in the afternoon, outside quiet hours.',
    overlap: OWN_REMINDER,
    says: 'Nobody forgets that we come.',
    trigger: every('daily', '16:00', { object: 'jobactivity' }),
    when: `${BOOKED} and days_until_booking = 1 and contact_mobile set`,
    once: 'value:start_date',
    guards: TO_CUSTOMERS,
    // Without a name: two people who come together are one reminder.
    texts:
      'See you tomorrow, {entry.0.start_date as time}. Please leave access clear. Problem? Call [[Business phone]]. [[Business name]]',
  }),
  template(16, 'communication', {
    name: 'Ask for a review the day after',
    description: 'Texts your review link, twice a year at most.',
    says: 'Happy customers are asked while they remember.',
    trigger: every('daily', '10:30'),
    when: 'status = Completed and days_since_completion > 0 and days_since_completion < 4 and job_description lacks warranty and job_description lacks complaint and contact_mobile set',
    guards: { ...TO_CUSTOMERS, cooldownDays: 180 },
    texts:
      'Thanks for choosing us, {entry.0.contact_first_name or "neighbour"}! Two lines here help a small firm a lot: [[Review link]] [[Business name]]',
  }),
  template(17, 'communication', {
    name: 'Job pack on completion',
    description: 'E-mails certificate and photos, outside quiet hours.',
    says: 'The papers arrive without anybody sending them.',
    trigger: onEvent('job', 'job_status', { settleMinutes: 30 }),
    when: 'status = Completed and category_uuid = [[Jobs that get a certificate]] and contact_email set',
    guards: TO_CUSTOMERS,
    steps: [
      pdf('[[Certificate or report]]'),
      step(
        'send_email',
        {
          contentType: 'html',
          to: '{entry.0.contact_email}',
          customHtmlSubject: '{entry.0.job_address or "Your job"}: finished, papers attached',
          customHtmlBody: `<p>Hello ${FIRST_NAME},</p><p>the work is done. Your [[document name]] is attached, with any photos; please keep it for your records. Anything not as it should be? Call [[Business phone]] within [[7 days]] and we come back.</p><p>[[Business name]]</p>`,
          linkToJob: true,
          ...WITH_DOCUMENT,
          includeJobAttachments: true,
          attachmentFilter: '.jpg',
        },
        true,
      ),
    ],
  }),
  template(18, 'workflow', {
    name: 'Yearly service is due',
    description: 'Makes the quote and texts the customer one month early.',
    says: 'Brings last year’s customers back.',
    trigger: every('daily', '09:00'),
    when: 'status = Completed and category_uuid = [[Service category]] and days_since_completion > 329 and days_since_completion < 350',
    guards: { ...TO_CUSTOMERS, cooldownDays: 300 },
    steps: [
      step('create_job', {
        company_uuid: '{entry.0.company_uuid}',
        status: 'Quote',
        queue_uuid: '[[Service due]]',
        category_uuid: '[[Service category]]',
        job_address: '{entry.0.job_address}',
        job_description: 'Yearly service, last done {entry.0.completion_date as date} (job {entry.0.generated_job_id})',
        sourceJobUuid: '{entry.0.uuid}',
        copyMaterialsFromJob: true,
      }),
      text(
        `Hi ${FIRST_NAME}, your yearly service falls due next month. Call [[Business phone]] to book. [[Business name]]`,
        true,
      ),
    ],
  }),
  template(19, 'integration', {
    name: 'Start-of-job pack from a link',
    description: 'Your software calls a link: work order, task and message follow.',
    says: 'One call prepares a job.',
    trigger: { source: 'manual_endpoint' },
    once: 'change',
    steps: [
      step('generate_document', {
        objectType: 'Job',
        templateType: '[[Work order]]',
        outputFormat: 'pdf',
        storeToDiary: true,
      }),
      tell(
        '[[Technician]]',
        'Pack for job {entry.0.generated_job_id}, {entry.0.job_address or "address missing"}, is in the diary.',
        true,
      ),
      task(
        'Load the van for job {entry.0.generated_job_id}',
        'Needed on {date as date or "a day not set yet"}. {entry.0.job_description}',
      ),
    ],
  }),
  template(20, 'job_management', {
    name: 'New job: tell the office',
    description: 'Tells the office about every new job.',
    says: 'Nothing new goes unseen.',
    trigger: onEvent('job', 'job_created', { settleMinutes: 2 }),
    when: 'status != Completed',
    steps: [
      tell(
        '[[Office]]',
        'New {entry.0.status}: {entry.0.generated_job_id}, {entry.0.company_name or "no customer yet"}, {entry.0.job_address or "no address yet"}. {entry.0.job_description}',
      ),
    ],
  }),
  template(21, 'workflow', {
    name: 'Emergency words: act now',
    description: 'Moves leaks and emergencies to the urgent queue and texts on-call.',
    says: 'Day and night.',
    trigger: onEvent('job', 'job_created'),
    when: 'job_description has emergency or job_description has leak or job_description has no heating or job_description has burst or priority = Urgent',
    steps: [
      step('assign_to_queue', { queueUuid: '[[Urgent queue]]' }),
      tell(
        '[[On call]]',
        'URGENT {entry.0.generated_job_id}, {entry.0.job_address or "address missing"}: {entry.0.job_description}',
      ),
      step('send_sms', {
        to: '[[On-call mobile]]',
        message:
          'URGENT {entry.0.generated_job_id} {entry.0.job_address or "address missing"}. Customer {entry.0.contact_mobile or "no number"}.',
      }),
    ],
  }),
  template(22, 'reporting', {
    name: 'Morning run sheet',
    description: 'Sends each technician the day’s visits at half past six.',
    says: 'The day on one page.',
    trigger: every('daily', '06:30', { object: 'jobactivity' }),
    when: `${BOOKED} and days_until_booking = 0`,
    groupBy: 'staff_uuid',
    once: 'period',
    steps: [
      step('send_staff_message', {
        toStaffUuid: '{entry.0.staff_uuid}',
        message: 'Jobs today, {today as date}: {count}.\n{job_list}',
      }),
    ],
  }),
  template(23, 'job_management', {
    name: 'Job without contact details',
    description: 'Creates a task when phone and e-mail are missing.',
    says: 'Without a number no reminder can reach anybody.',
    trigger: onEvent('job', 'job_created', { settleMinutes: 30 }),
    when: 'contact_phone unset and contact_mobile unset and contact_email unset',
    guards: { recheckBeforeSending: true },
    steps: [
      task(
        'Get a phone number for job {entry.0.generated_job_id}',
        'No phone, mobile or e-mail on file, so no reminder can reach {entry.0.company_name or "this customer"}.',
      ),
    ],
  }),
  template(24, 'workflow', {
    name: 'Stuck waiting for parts',
    description: 'Creates a weekly task after five days in a time-limited queue.',
    says: 'Parts are chased before the customer asks.',
    trigger: every('daily', '08:00'),
    when: 'queue_uuid = [[Waiting for parts]] and days_in_queue > 5',
    once: 'week',
    steps: [
      task(
        'Chase parts for job {entry.0.generated_job_id}',
        '{entry.0.company_name}, in the queue for {entry.0.days_in_queue} days. {entry.0.job_description}',
      ),
      noteOnJob('Parts chased by rule after {entry.0.days_in_queue} days in the queue.'),
    ],
  }),
  template(25, 'reporting', {
    name: 'Weekly report to the owner',
    description: 'E-mails last week’s figures every Monday morning.',
    says: 'The week in one e-mail.',
    trigger: every('weekly', '06:45', { weekday: 1 }),
    when: 'status = Completed and days_since_completion > 0 and days_since_completion < 8 or status = Unsuccessful and unsuccessful_date > TODAY-8 and unsuccessful_date < TODAY or status = Work Order or status = Quote',
    digest: true,
    once: 'period',
    steps: [
      step('send_email', {
        contentType: 'html',
        to: '[[Owner e-mail]]',
        customHtmlSubject: 'Finished last week: {count.Completed}, {sum_total.Completed as money}',
        customHtmlBody:
          '<p>Last week<br>Finished: {count.Completed}, {sum_total.Completed as money}<br>Lost: {count.Unsuccessful}</p><p>Today<br>Open work orders: {count.Work Order}<br>Quotes out: {count.Quote}</p><p>{job_list by status}</p><p>Sent by your rule Weekly report. Change it any Monday.</p>',
      }),
    ],
  }),
]

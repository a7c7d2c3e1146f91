// Long: one table of rules and the sentences that describe them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACTION_TYPES, type ActionType } from '#app/domain/automations/action-parameters.ts'
import {
  DEFAULT_GUARDS,
  GROUPING_FIELDS,
  OPERATORS,
  type Operator,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  type RuleDefinition,
  type Step,
  TRIGGER_TYPES,
} from '#app/domain/automations/rule.ts'
import { condition, pollTrigger, ruleDefinition, webhookTrigger } from '#tests/support/record-facts.ts'
import { conditionFields, KNOWN_OBJECTS } from '../records/fields.ts'
import { sentenceOf, sentenceParts, stepText } from './sentence.ts'

const QUEUE = '99999999-8888-4777-8666-555555555555'
const PERSON = '88888888-8888-4777-8666-555555555555'
const NAMES = { [QUEUE]: 'Waiting for parts', [PERSON]: 'Tom Finch' }
const step = (type: ActionType, parameters: Step['parameters'] = {}, waitForPrevious = false): Step => ({
  id: `s-${type}`,
  type,
  parameters,
  waitForPrevious,
})
const say = (given: Partial<RuleDefinition>) => sentenceOf(ruleDefinition(given), NAMES)
const when = (given: Partial<RuleDefinition>) => sentenceParts(ruleDefinition(given), NAMES).when
const onlyIf = (...conditions: RuleDefinition['conditions']) =>
  sentenceParts(ruleDefinition({ trigger: pollTrigger(), conditions }), NAMES).onlyIf

describe('a rule in one sentence', () => {
  it('says which answers start it', () => {
    const words = (match: 'any' | 'words' | 'yes' | 'no', said = '') =>
      when({ trigger: webhookTrigger({ type: 'customer_replied', reply: { match, words: said } }) })
    expect(words('any')).toBe('When the customer answers')
    expect(words('yes')).toBe('When the customer answers yes')
    expect(words('words', 'later, another day')).toBe('When the customer answers with "later" or "another day"')
    expect(when({ trigger: webhookTrigger({ type: 'message_opened' }) })).toBe('When the customer opens our e-mail')
    expect(words('words')).toBe('When the customer answers with certain words')
    expect(
      say({ trigger: webhookTrigger({ type: 'customer_replied', reply: { match: 'no', words: '' } }), once: 'change' }),
    ).toBe('When the customer answers no, text the customer, every time they answer.')
  })

  it('reads as its owner would say it', () => {
    expect(
      say({ conditions: [condition('status', 'equals', 'Completed'), condition('contact_mobile', 'is_not_empty')] }),
    ).toBe('When a job becomes Completed, only if it has a mobile number, then text the customer, every time.')
    expect(
      say({
        trigger: pollTrigger({ runTime: '10:00' }),
        conditions: [
          condition('status', 'equals', 'Quote'),
          condition('quote_sent', 'equals', '1'),
          condition('days_since_quote', 'greater_than', '2'),
          condition('days_since_quote', 'less_than', '8'),
        ],
      }),
    ).toBe(
      'Every day at 10:00, for each job, only if its status is Quote and the quote was sent and the quote is 3 to 7 days old, then text the customer, once for each change of the job.',
    )
    expect(
      say({
        trigger: pollTrigger({ interval: 'first_of_month', runTime: '08:00' }),
        conditions: [condition('payment_received', 'equals', '0')],
        grouping: { enabled: true, field: 'company_uuid' },
        steps: [
          step('generate_document', { templateType: 'Statement', outputFormat: 'pdf' }),
          step('send_email', { to: '{entry.0.company_email}', includeGeneratedDocument: true }, true),
        ],
      }),
    ).toBe(
      'On the first day of every month at 08:00, for all jobs of each customer together, only if it is not paid, then make the document "Statement" as PDF, and if that worked, e-mail the customer with the document, once for each change of the job.',
    )
    expect(
      say({
        trigger: { source: 'manual_endpoint' },
        steps: [
          step('create_task', { title: 'Load the van for job {job number}' }),
          step('send_staff_message', { toStaffUuid: PERSON }),
        ],
      }),
    ).toBe(
      'When another program calls this automation for a job, create the task "Load the van for job …" and send a message to Tom Finch.',
    )
  })

  it('says what sets it off', () => {
    expect(when({ trigger: webhookTrigger() })).toBe('When the status of a job changes')
    expect(when({ trigger: webhookTrigger({ fromValue: 'Quote' }) })).toBe(
      'When the status of a job changes from Quote',
    )
    expect(
      when({
        trigger: webhookTrigger({ fromValue: 'Quote' }),
        conditions: [condition('status', 'equals', 'Work Order')],
      }),
    ).toBe('When a job goes from Quote to Work Order')
    expect(when({ trigger: webhookTrigger({ jobUuid: 'x' }) })).toBe('When the status of one certain job changes')
    expect(when({ trigger: webhookTrigger({ type: 'job_queue' }) })).toBe('When the queue of a job changes')
    expect(when({ trigger: webhookTrigger({ type: 'job_queue', queueUuid: QUEUE }) })).toBe(
      'When a job comes into the queue "Waiting for parts"',
    )
    expect(
      when({ trigger: webhookTrigger({ type: 'job_queue', queueUuid: '77777777-8888-4777-8666-555555555555' }) }),
    ).toBe('When a job comes into a certain queue')
    expect(when({ trigger: webhookTrigger({ type: 'job_queue', queueUuid: '[[Urgent queue]]' }) })).toBe(
      'When a job comes into [Urgent queue]',
    )
    expect(when({ trigger: webhookTrigger({ type: 'job_field', fieldName: 'total_cost', fromValue: '0.00' }) })).toBe(
      'When "Total cost" of a job changes from "0.00"',
    )
    expect(when({ trigger: webhookTrigger({ type: 'job_field' }) })).toBe('When any field of a job changes')
    expect(when({ trigger: webhookTrigger({ type: 'job_created', object: 'jobpayment' }) })).toBe(
      'When a payment is created',
    )
    expect(when({ trigger: webhookTrigger({ type: 'job_created', object: 'jobmaterial' }) })).toBe(
      'When a job material is created',
    )
    expect(when({ trigger: webhookTrigger({ type: 'job_created', object: 'attachment', jobUuid: 'x' }) })).toBe(
      'When a file of one certain job is created',
    )
    expect(when({ trigger: webhookTrigger({ type: 'job_updated', object: 'company' }) })).toBe(
      'When a customer changes',
    )
  })

  it('does not merge a status that is one of several ways', () => {
    const given = {
      conditions: [condition('status', 'equals', 'Completed'), condition('status', 'equals', 'Quote', 'OR')],
    }
    expect(say(given)).toBe(
      'When the status of a job changes, only if either its status is Completed, or its status is Quote, then text the customer, every time.',
    )
  })

  it('merges what happened with what it is asked to be', () => {
    const paid = { trigger: webhookTrigger({ type: 'job_field', fieldName: 'payment_received' }) }
    expect(say({ ...paid, conditions: [condition('payment_received', 'equals', '1')] })).toBe(
      'When a job is paid, text the customer, every time.',
    )
    expect(say({ ...paid, conditions: [condition('payment_received', 'equals', '0')] })).toBe(
      'When "Paid" of a job changes, only if it is not paid, then text the customer, every time.',
    )
    const sent = { trigger: webhookTrigger({ type: 'job_field', fieldName: 'quote_sent' }) }
    expect(when({ ...sent, conditions: [condition('quote_sent', 'equals', 'yes')] })).toBe(
      'When the quote of a job was sent',
    )
    expect(when({ conditions: [condition('status', 'equals', '[[Status]]')] })).toBe('When a job becomes [Status]')
  })

  it('puts the two ends of an age together', () => {
    const age = (...ends: [Operator, string][]) =>
      onlyIf(...ends.map(([operator, value]) => condition('days_since_quote', operator, value)))
    expect(age(['less_than', '8'], ['greater_than', '2'])).toBe('the quote is 3 to 7 days old')
    expect(age(['greater_than', '2'], ['less_than', '4'])).toBe('the quote is 3 days old')
    expect(age(['greater_than', '4'], ['less_than', '2'])).toBe(
      'the quote is more than 4 days old and the quote is less than 2 days old',
    )
  })

  it('says how often it looks', () => {
    const every = (given: Parameters<typeof pollTrigger>[0]) => when({ trigger: pollTrigger(given) })
    expect(every({ interval: 'hourly', runTime: '09:15' })).toBe('Every hour, 15 minutes past, for each job')
    expect(every({ interval: 'hourly', runTime: '09:00', workingDays: true })).toBe(
      'Every hour, Monday to Friday, for each job',
    )
    expect(every({ workingDays: true })).toBe('Monday to Friday at 10:00, for each job')
    expect(every({ interval: 'weekly', weekday: 7 })).toBe('Every Sunday at 10:00, for each job')
    expect(every({ interval: 'monthly', dayOfMonth: 22 })).toBe('Every month on the 22nd at 10:00, for each job')
    expect(every({ interval: 'monthly', dayOfMonth: 13, workingDays: true })).toBe(
      'Every month on the first working day from the 13th at 10:00, for each job',
    )
    expect([29, 31].map((dayOfMonth) => every({ interval: 'monthly', dayOfMonth }))).toEqual([
      "Every month on the 29th, or the month's last day, at 10:00, for each job",
      "Every month on the 31st, or the month's last day, at 10:00, for each job",
    ])
    expect([30, 31].map((dayOfMonth) => every({ interval: 'monthly', dayOfMonth, workingDays: true }))).toEqual([
      "Every month on the first working day from the 30th, or the month's last, at 10:00, for each job",
      'On the last working day of every month at 10:00, for each job',
    ])
    expect(every({ interval: 'last_of_month', workingDays: true })).toBe(
      'On the last working day of every month at 10:00, for each job',
    )
    expect(every({ interval: 'once' })).toBe('Once, when it is switched on, for each job')
    expect(every({ interval: 'once', scheduleDate: '2026-12-03' })).toBe(
      'Once, on 3 December 2026 at 10:00, for each job',
    )
    expect(every({ interval: 'on_demand' })).toBe('When you press Run Now, for each job')
    expect(every({ scheduleType: 'scheduled', scheduleDate: '2026-12-03' })).toBe(
      'Every day at 10:00, from 3 December 2026, for each job',
    )
    expect(every({ scheduleType: 'recurring', scheduleRecurrence: '0 9 * * 1' })).toBe(
      'On the schedule "0 9 * * 1", for each job',
    )
    expect(when({ trigger: pollTrigger({ endpoint: '/api_1.0/jobactivity.json' }), digest: true })).toBe(
      'Every day at 10:00, for all bookings together',
    )
  })

  it('says how often a customer hears of the same record, and for other rules what nobody expects', () => {
    const does = (given: Partial<RuleDefinition>) => sentenceParts(ruleDefinition(given), NAMES).does
    const anything = webhookTrigger({ type: 'job_updated' })
    expect(does({ trigger: anything, once: 'record' })).toBe('text the customer, once per job')
    expect(does({ trigger: anything, once: 'change' })).toBe('text the customer, every time it changes')
    expect(does({ trigger: webhookTrigger({ object: 'jobactivity' }), once: 'value:start_date' })).toBe(
      'text the customer, once per booking and start time',
    )
    expect(does({ trigger: pollTrigger(), once: 'value:completion_date' })).toBe(
      'text the customer, once per job and completion date',
    )
    expect(does({ trigger: pollTrigger(), once: 'month' })).toBe('text the customer, at most once a month per job')
    expect(does({ trigger: pollTrigger(), once: 'period' })).toBe('text the customer, every time it checks')
    expect(does({ trigger: pollTrigger({ interval: 'on_demand' }), once: 'period' })).toBe(
      'text the customer, every time it is run',
    )
    expect(does({ trigger: { source: 'manual_endpoint' }, once: 'change' })).toBe(
      'text the customer, every time it is called',
    )
    const guards = { ...ruleDefinition({}).guards, cooldownDays: 180 }
    expect(does({ trigger: anything, once: 'record', guards })).toBe(
      'text the customer, once per job, with 180 days between messages to one number or e-mail',
    )
    const task = { steps: [step('create_task', { title: 'Ring' })] }
    expect(does({ ...task, once: 'change', guards })).toBe('create the task "Ring"')
    expect(does({ ...task, once: 'change' })).toBe('create the task "Ring"')
    expect(does({ ...task, once: 'record' })).toBe('create the task "Ring", once per job')
  })

  it('says until when it collects', () => {
    const schedule = {
      runTime: '18:00',
      weekday: 1,
      dayOfMonth: 1,
      workingDays: false,
      scheduleType: 'recurring',
      scheduleDate: null,
      scheduleRecurrence: 'daily',
    } as const
    const given = { trigger: { ...webhookTrigger(), schedule }, once: 'record' } as const
    expect(say({ ...given, conditions: [condition('status', 'equals', 'Completed')] })).toBe(
      'When a job becomes Completed, wait for the next run (every day at 18:00), then text the customer, once per job.',
    )
    const scheduled = { ...schedule, scheduleType: 'scheduled', scheduleDate: '2026-12-03' } as const
    expect(say({ trigger: { source: 'manual_endpoint', schedule: scheduled }, once: 'change' })).toBe(
      'When another program calls this automation for a job, wait until 3 December 2026 at 18:00, then text the customer, every time it is called.',
    )
    // Of a date that is over, it is said so.
    const over = { trigger: { ...webhookTrigger(), schedule: scheduled }, once: 'record' } as const
    const told = (now: number) => sentenceOf(ruleDefinition(over), {}, { now, zone: 'Europe/London' })
    expect(told(Date.UTC(2026, 11, 1))).toContain('wait until 3 December 2026 at ')
    expect(told(Date.UTC(2026, 11, 5))).toMatch(/ at once, because 3 December 2026 at \d\d:\d\d has passed/)
    expect(told(Date.UTC(2026, 11, 5))).not.toContain('wait')
  })

  it('says what it waits for', () => {
    const given = {
      trigger: webhookTrigger({ type: 'job_created', settleMinutes: 30 }),
      guards: { ...DEFAULT_GUARDS, askFirst: true },
    }
    expect(say(given)).toBe(
      'When a job is created, after 30 minutes and once you agree, text the customer, every time.',
    )
    const after = (settleMinutes: number) => say({ trigger: webhookTrigger({ settleMinutes }) }).split(', ')[1]
    expect([1, 60, 90, 120, 1440, 2880].map(after)).toEqual(
      ['1 minute', '1 hour', '90 minutes', '2 hours', '1 day', '2 days'].map((words) => `after ${words}`),
    )
  })

  it('says which steps wait for the one before', () => {
    const [made, told, task] = [
      step('generate_document'),
      step('send_staff_message', {}, true),
      step('create_task'),
    ] as const
    const does = (...steps: Step[]) => sentenceParts(ruleDefinition({ steps, once: 'change' }), NAMES).does
    const waits = 'make a document, and if that worked, send a message to a staff member'
    expect(does(made, told, task)).toBe(`${waits}; either way, create a task`)
    expect(does(made, told, { ...task, waitForPrevious: true })).toBe(`${waits}, and if that worked, create a task`)
    expect(does(made, told, task, step('create_job'))).toBe(`${waits}; either way, create a task and create a job`)
    // It reads a result, so it waits as well.
    const reads = { ...task, parameters: { title: 'Read {action_1_result.filename}' } }
    expect(does(made, told, reads)).toBe(`${waits}; if step 1 worked, create the task "Read …"`)
    const last = { ...task, parameters: { title: 'Read {action_2_result.message_uuid}' } }
    expect(does(made, told, last)).toBe(`${waits}, and create the task "Read …"`)
  })
})

describe('conditions', () => {
  it('are said in words, not in operators', () => {
    expect(onlyIf(condition('contact_phone', 'is_empty'), condition('assigned_staff', 'is_empty'))).toBe(
      'it has no phone number and nobody is assigned',
    )
    expect(onlyIf(condition('queue_uuid', 'equals', QUEUE))).toBe('it is in the queue "Waiting for parts"')
    expect(onlyIf(condition('badges', 'not_contains', '[[Do-not-chase badge]]'))).toBe(
      'it does not have the badge [Do-not-chase badge]',
    )
    expect(
      onlyIf(condition('job_description', 'contains', 'leak'), condition('job_description', 'contains', 'burst', 'OR')),
    ).toBe('either its job description contains "leak", or its job description contains "burst"')
    expect(onlyIf(condition('total_cost', 'greater_than', '500'))).toBe('its total cost is more than 500')
    expect(onlyIf(condition('completion_date', 'greater_than', 'TODAY-7'))).toBe('"Completed on" is after 7 days ago')
    expect(onlyIf(condition('created_date', 'equals', '2026-11-21'))).toBe('"Created on" is 21 November 2026')
    expect(onlyIf(condition('payment_received', 'not_equals', '1'))).toBe('it is not paid')
    expect(onlyIf(condition('contact_first_name', 'starts_with', 'M'))).toBe(
      'the contact\'s first name starts with "M"',
    )
    expect(onlyIf(condition('days_overdue', 'equals', '1'))).toBe('it is 1 day overdue')
    expect(onlyIf(condition('days_overdue', 'greater_than', '0'))).toBe('it is overdue')
    expect(onlyIf(condition('status', 'equals', ''))).toBe('its status is empty')
    expect(onlyIf()).toBe(null)
  })
})

describe('actions', () => {
  it('are said in words', () => {
    const said: [ActionType, Step['parameters'], string][] = [
      ['create_job', {}, 'create a job'],
      ['create_job', { copyFromAllJobs: true }, 'create a job with copied materials'],
      ['update_job_status', { status: 'Unsuccessful' }, 'set the job to Unsuccessful'],
      ['update_job_status', {}, 'set the job to another status'],
      ['assign_to_queue', { queueUuid: QUEUE }, 'put the job in the queue "Waiting for parts"'],
      ['assign_to_queue', { queueUuid: '[[Urgent queue]]' }, 'put the job in [Urgent queue]'],
      ['assign_to_queue', { queueUuid: '77777777-8888-4777-8666-555555555555' }, 'put the job in a queue'],
      ['send_email', { to: '' }, 'e-mail the customer'],
      ['send_email', { to: 'office@example.test' }, 'e-mail office@example.test'],
      ['send_email', { to: '[[Office e-mail]]' }, 'e-mail [Office e-mail]'],
      ['send_sms', { to: '{entry.0.contact_mobile}' }, 'text the customer'],
      ['send_sms', { to: '{entry.0.staff_mobile}' }, 'text the staff member'],
      ['send_sms', { to: '+447700900123' }, 'text +447700900123'],
      ['generate_document', {}, 'make a document'],
      ['generate_document', { templateType: 'Invoice', outputFormat: 'pdf' }, 'make the document "Invoice" as PDF'],
      ['send_staff_message', { toStaffUuid: PERSON }, 'send a message to Tom Finch'],
      ['send_staff_message', { toStaffUuid: '{staff_uuid}' }, 'send a message to the assigned staff member'],
      ['send_staff_message', {}, 'send a message to a staff member'],
      ['post_activity_feed', { message: 'x' }, 'post to the activity feed'],
      ['send_notification', {}, 'notify another system'],
      ['create_task', { title: 'Ring {company_name} about it' }, 'create the task "Ring … about it"'],
      ['create_task', {}, 'create a task'],
      [
        'update_job_field',
        { fieldName: 'purchase_order_number', fieldValue: 'Billed on {x}' },
        'set "Purchase order number" of the job to "Billed on …"',
      ],
      [
        'update_job_field',
        { fieldName: 'date', fieldValue: '2026-12-31' },
        'set "Job date" of the job to 31 December 2026',
      ],
      ['update_job_field', { fieldName: 'date', fieldValue: '{x}' }, 'set "Job date" of the job to "…"'],
      [
        'update_job_field',
        { fieldName: 'queue_uuid', fieldValue: QUEUE },
        'set "Queue" of the job to "Waiting for parts"',
      ],
      [
        'update_job_field',
        { fieldName: 'completion_date', fieldValue: 'TODAY+1' },
        'set "Completed on" of the job to tomorrow',
      ],
      [
        'update_job_field',
        { fieldName: 'completion_date', fieldValue: '2026-12-31 14:30' },
        'set "Completed on" of the job to 31 December 2026 at 14:30',
      ],
      ['update_job_field', { fieldName: 'quote_sent', fieldValue: '1' }, 'set "Quote sent" of the job to yes'],
      [
        'update_job_field',
        { fieldName: 'badges', fieldValue: QUEUE, badgeChange: 'add' },
        'add the badge "Waiting for parts" to the job',
      ],
      ['update_job_field', { fieldName: 'badges', badgeChange: 'add' }, 'add a badge to the job'],
      ['update_job_field', { fieldName: 'badges', badgeChange: 'remove' }, 'remove a badge from the job'],
      ['update_job_field', { fieldName: 'badges', badgeChange: 'replace' }, 'empty "Badges" of the job'],
      ['update_job_field', { fieldName: 'purchase_order_number' }, 'empty "Purchase order number" of the job'],
      ['update_job_field', {}, 'change a field of the job'],
    ]
    for (const [type, parameters, words] of said) expect(stepText({ type, parameters }, NAMES)).toBe(words)
    for (const type of ACTION_TYPES) expect(stepText({ type, parameters: {} })).not.toBe('')
  })
})

describe('any rule', () => {
  it('has a sentence: every trigger, condition and action', () => {
    const trigger = fc.oneof(
      fc
        .record({
          type: fc.constantFrom(...TRIGGER_TYPES),
          object: fc.constantFrom(...KNOWN_OBJECTS),
          fromValue: fc.constantFrom(null, 'Quote'),
          settleMinutes: fc.constantFrom(0, 2),
        })
        .map(webhookTrigger),
      fc
        .record({
          interval: fc.constantFrom(...POLL_INTERVALS),
          endpoint: fc.constantFrom(...POLL_ENDPOINTS),
          workingDays: fc.boolean(),
        })
        .map(pollTrigger),
      fc.constant({ source: 'manual_endpoint' as const }),
    )
    const line = fc.record({
      field: fc.constantFrom(
        ...KNOWN_OBJECTS.flatMap((object) => conditionFields(object).map(({ name }) => name)),
        'custom_grade',
      ),
      operator: fc.constantFrom(...OPERATORS),
      value: fc.constantFrom('', '1', 'Quote', 'TODAY', QUEUE, 'a "quoted" thing', '[[Blank]]', '{x}'),
      logicalOperator: fc.constantFrom('AND' as const, 'OR' as const),
    })
    const action = fc.record({
      type: fc.constantFrom(...ACTION_TYPES),
      parameters: fc.dictionary(
        fc.constantFrom('to', 'status', 'queueUuid', 'title', 'fieldName', 'fieldValue', 'templateType'),
        fc.constantFrom('', 'x', QUEUE, '{a}', '[[B]]'),
      ),
      waitForPrevious: fc.boolean(),
    })
    fc.assert(
      fc.property(
        trigger,
        fc.array(line, { maxLength: 4 }),
        fc.array(action, { maxLength: 3 }),
        fc.boolean(),
        fc.constantFrom(null, ...GROUPING_FIELDS),
        (given, conditions, actions, digest, field) => {
          const sentence = say({
            trigger: given,
            conditions,
            steps: actions.map((one, index) => ({ ...one, id: `s${index}` })),
            digest,
            grouping: { enabled: field !== null, field },
          })
          expect(sentence).toMatch(/^[A-Z].*[^.]\.$/s)
          expect(sentence).not.toMatch(/undefined|null|\[object|NaN| {2}|,,|\{\{/)
        },
      ),
      { numRuns: 500 },
    )
  })
})

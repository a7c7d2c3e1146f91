import { expect, test } from 'vitest'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import { JOB_STATUSES, TRIGGER_SOURCES } from '#app/domain/automations/rule.ts'
import { CATEGORIES } from '#app/domain/template-categories.ts'
import { checkRule } from '#app/features/automations/rules/checks/rule-check.ts'
import { judge } from '#app/features/automations/rules/conditions/conditions.ts'
import { digestValues } from '#app/features/automations/rules/digest.ts'
import { resolveText } from '#app/features/automations/rules/placeholders/placeholders.ts'
import { openBlanksOf, withBlanksFilled } from '#app/features/automations/rules/rule-blanks.ts'
import { definitionOf } from '#app/features/automations/rules/rule-definition.ts'
import { ruleForm } from '#app/features/automations/rules/rule-form.ts'
import { formFields } from '#app/features/automations/rules/rule-json.ts'
import { sentenceParts } from '#app/features/automations/rules/sentence.ts'
import { occurrenceOf } from '#app/features/automations/rules/timing/once.ts'
import { oftenOf } from '#app/features/automations/rules/timing/once-text.ts'
import { neededSteps } from '#app/features/automations/runs/run-order.ts'
import { actionWorld, effectsOf, JOB } from '#tests/support/action-platform.server.ts'
import { jobFacts, wholeJob } from '#tests/support/record-facts.ts'
import { onEvent } from './building-blocks.ts'
import { LIBRARY } from './library.ts'
import { readTemplate, templateCopy } from './template.ts'

test('there are 29, with ids that stay as they are', () => {
  expect(LIBRARY.map(({ id }) => id)).toEqual(Array.from({ length: 29 }, (_, index) => index + 1))
})

/** Of the specification; an action that is added later need not have a template. */
const ELEVEN: readonly ActionType[] = [
  'create_job',
  'update_job_status',
  'assign_to_queue',
  'send_email',
  'send_sms',
  'generate_document',
  'send_staff_message',
  'post_activity_feed',
  'send_notification',
  'create_task',
  'update_job_field',
]

test('together they use all three triggers, all eleven actions and all five categories', () => {
  expect(new Set(LIBRARY.map(({ definition }) => definition.trigger.source))).toEqual(new Set(TRIGGER_SOURCES))
  const used = new Set(LIBRARY.flatMap(({ definition }) => definition.steps.map(({ type }) => type)))
  expect(ELEVEN.filter((type) => !used.has(type))).toEqual([])
  expect(new Set(LIBRARY.map(({ category }) => category))).toEqual(new Set(CATEGORIES))
})

test.each(LIBRARY.map((template) => [template.name, template] as const))(
  '%s is a complete rule: its form reads back the same, and nothing in it is unknown',
  (name, { definition }) => {
    const parsed = ruleForm.safeParse({ name, ...formFields(definition) })
    expect(parsed.error?.issues ?? []).toEqual([])
    if (parsed.success) expect(definitionOf(parsed.data, null)).toEqual(definition)
    expect(checkRule(definition)).toEqual([])
  },
)

test('documents are of jobs: of nothing else does ServiceM8 make one', () => {
  const steps = LIBRARY.flatMap(({ definition }) => definition.steps)
  const documents = steps.filter(({ type }) => type === 'generate_document')
  expect(new Set(documents.map(({ parameters }) => parameters.objectType))).toEqual(new Set(['Job']))
})

test('no message asks for an answer that nobody reads', () => {
  const sent = LIBRARY.flatMap(({ id, definition }) =>
    definition.steps
      .filter(({ type }) => type === 'send_sms' || type === 'send_email')
      .map(({ parameters }) => ({ id, text: JSON.stringify(parameters) })),
  )
  expect(sent.length).toBeGreaterThan(10)
  const asks = /\breply\b(?!To)|\breplies\b|answer this|\btext us\b|write back|\bYES\b/i
  expect(sent.filter(({ text }) => asks.test(text))).toEqual([])
})

test('every message to a customer keeps quiet hours, but the answer to one who has just written', () => {
  const loud = LIBRARY.filter(({ definition: { steps, guards } }) => {
    const writes = steps.some(({ parameters }) => /^\{entry\.0\.\w+_(mobile|email)\}$/.test(String(parameters.to)))
    return writes && !guards.respectQuietHours
  })
  expect(loud.map(({ name }) => name)).toEqual(['Confirm by YES'])
})

test('a description that promises an hour says that quiet hours come first', () => {
  const timed = LIBRARY.filter(({ description, definition: { guards } }) => {
    return guards.respectQuietHours && /hours? later|afternoon/.test(description)
  })
  expect(timed.map(({ id }) => id)).toEqual([15])
  expect(timed.filter(({ description }) => !description.endsWith(', outside quiet hours.'))).toEqual([])
})

test('every message signed by the business leaves its name to the owner', () => {
  const chase = LIBRARY.find(({ id }) => id === 7)
  expect(chase && openBlanksOf(chase.definition)).toEqual(['Do-not-chase badge', 'Business name'])
})

test('the quote of the yearly service is found again the year after', () => {
  const { conditions = [], steps = [] } = LIBRARY.find(({ id }) => id === 18)?.definition ?? {}
  const category = conditions.find(({ field }) => field === 'category_uuid')?.value
  expect(steps[0]).toMatchObject({ type: 'create_job', parameters: { category_uuid: category } })
})

test('a customer who confirms is thanked only when the job is marked', () => {
  const confirm = LIBRARY.find(({ id }) => id === 28)
  expect(confirm?.definition.steps.map(({ waitForPrevious }) => waitForPrevious)).toEqual([false, true])
})

test('a technician hears of the pack only when it is made, and of the van either way', () => {
  const steps = LIBRARY.find(({ id }) => id === 19)?.definition.steps.map((one) => [one.type, one.waitForPrevious])
  expect(steps).toEqual([
    ['generate_document', false],
    ['send_staff_message', true],
    ['create_task', false],
  ])
})

test('no step that reads a result is said to run either way', () => {
  const reading = LIBRARY.flatMap(({ id, definition }) =>
    definition.steps.flatMap((one, at) => {
      const steps = definition.steps.slice(0, at + 1)
      return neededSteps(one, steps).length > 0 ? [[id, sentenceParts({ ...definition, steps }).does] as const] : []
    }),
  )
  expect(reading.filter(([, does]) => does.includes('either way'))).toEqual([])
  expect(reading.findLast(([id]) => id === 13)?.[1]).toMatch(/; if step 1 worked, send a message/)
})

test('a booking is confirmed for each change of its time, also back to an earlier one', () => {
  const once = LIBRARY.find(({ id }) => id === 14)?.definition.once ?? 'record'
  const at = { now: Date.UTC(2026, 10, 23), zone: 'Europe/London' }
  const keys = ['2026-11-20 09:00:00', '2026-11-20 09:40:00'].map((editDate) => {
    const facts = jobFacts({ start_date: '2026-11-25 09:00:00' }, { object: 'jobactivity', editDate })
    return occurrenceOf(once, { facts, changes: [], at, groupKey: null, tick: null })
  })
  expect(new Set(keys).size).toBe(2)
  expect(oftenOf({ trigger: onEvent('jobactivity', 'job_field'), once }, 'jobactivity')).toBe(
    'Once per booking and change',
  )
  // The same words from two bookings are still one text: see `mayRepeat`.
  expect(once).not.toBe('change')
})

test('a template that asks for a review is nothing like a booking message', () => {
  const review = LIBRARY.find(({ name }) => name === 'Ask for a review the day after')
  expect(review?.id).toBe(16)
  expect(review?.overlap).toBeUndefined()
})

test('the job pack takes the photos along, which are files with names of their own', async () => {
  const world = actionWorld()
  for (const attachment_name of ['new-boiler.jpg', 'tap-after.JPG', 'Quote 1041.pdf']) {
    world.put('attachment', { uuid: attachment_name, attachment_name, related_object_uuid: JOB, timestamp: '' })
  }
  const mail = LIBRARY.find(({ id }) => id === 17)?.definition.steps[1]?.parameters
  const filledIn = JSON.parse(JSON.stringify(mail).replaceAll(/\[\[(.+?)\]\]/g, '$1'))
  const results = { made: { document_uuid: 'd-1', document_url: 'https://x' } }
  const plan = await world.plan('send_email', filledIn, { results, order: ['made', 's1'] })
  const [effect] = effectsOf(plan, 'send_email')
  expect([...(effect?.attachments ?? [])].sort()).toEqual(['new-boiler.jpg', 'tap-after.JPG'])
  expect(effect?.htmlBody).toContain('with any photos')
})

const NOON = { now: Date.UTC(2026, 10, 30, 12), zone: 'Europe/London' }

/** The ids of these templates whose conditions this completed job meets. */
function fitting(ids: readonly number[], values: Record<string, string>) {
  const job = jobFacts({ status: 'Completed', completion_date: '2026-11-10 10:00:00', company_uuid: 'c-1', ...values })
  return ids.filter((id) => {
    const { conditions = [] } = LIBRARY.find((one) => one.id === id)?.definition ?? {}
    const filledIn = conditions.map((one) => ({ ...one, value: one.value.replace('[[Account customer]]', 'c-1') }))
    // What only excludes is left out without an answer.
    return judge(
      filledIn.filter(({ field }) => field !== 'badges'),
      job,
      NOON,
    ).matched
  })
}

test('one bill a month takes what was finished in it and is not paid, and what it billed waits for no invoice', () => {
  const open = { invoice_sent: '0', payment_received: '0', total_invoice_amount: '120.00', purchase_order_number: '' }
  expect(fitting([6, 13], open)).toEqual([6, 13])
  expect(fitting([13], { ...open, completion_date: '2026-10-29 10:00:00' })).toEqual([])
  expect(fitting([6, 13], { ...open, payment_received: '1' })).toEqual([])
  expect(fitting([6, 13], { ...open, purchase_order_number: 'Billed on 1042' })).toEqual([])
})

test.each([14, 15, 22])('template %i says nothing of the booking of a job that is lost or finished', (id) => {
  const { conditions = [] } = LIBRARY.find((one) => one.id === id)?.definition ?? {}
  const start_date = id === 22 ? '2026-11-30 15:00:00' : '2026-12-01 15:00:00'
  const booking = { start_date, activity_was_scheduled: '1', contact_mobile: '0770' }
  const matching = JOB_STATUSES.filter(
    (status) => judge(conditions, jobFacts({ ...booking, status }, { object: 'jobactivity' }), NOON).matched,
  )
  expect(matching).toEqual(['Quote', 'Work Order'])
})

test('nobody is chased for a job of nothing', () => {
  // Due fourteen days after it was sent.
  const sent = ['11-08', '10-27', '10-17']
  const chased = (day: string, total_invoice_amount: string) => {
    const job = { invoice_sent: '1', payment_received: '0', contact_mobile: '0770', contact_email: 'a@b.example' }
    const more = { company_payment_terms: '', invoice_sent_stamp: `2026-${day} 10:00:00` }
    return fitting([7, 8, 9, 12], { ...job, ...more, total_invoice_amount })
  }
  expect(sent.map((day) => chased(day, '12.00'))).toEqual([
    [7, 12],
    [8, 12],
    [9, 12],
  ])
  expect(sent.flatMap((day) => chased(day, '0.0000'))).toEqual([])
})

test('the weekly report counts as finished what was finished last week, and says so', () => {
  const report = LIBRARY.find(({ id }) => id === 25)?.definition
  // Monday.
  const at = { now: Date.UTC(2026, 10, 23, 6, 45), zone: 'Europe/London' }
  const day = (text: string) => `2026-${text} 10:00:00`
  const jobs = [
    jobFacts({ status: 'Completed', completion_date: day('08-25'), edit_date: day('11-22') }),
    jobFacts({ status: 'Completed', completion_date: day('11-16'), edit_date: day('11-16') }),
    jobFacts({ status: 'Completed', completion_date: day('11-22'), edit_date: day('11-22') }),
    jobFacts({ status: 'Completed', completion_date: day('11-23'), edit_date: day('11-23') }),
    jobFacts({ status: 'Unsuccessful', unsuccessful_date: day('11-15'), edit_date: day('11-22') }),
    jobFacts({ status: 'Unsuccessful', unsuccessful_date: day('11-16'), edit_date: day('11-16') }),
    jobFacts({ status: 'Quote', edit_date: day('06-01') }),
    jobFacts({ status: 'Work Order', edit_date: day('06-01') }),
  ].filter((job) => judge(report?.conditions ?? [], job, at).matched)
  const counted = digestValues(jobs, { ...at, currency: 'GBP', country: 'GB' })
  const counts = JOB_STATUSES.map((status) => `${status} ${counted[`count.${status}`]}`)
  expect(counts.sort()).toEqual(['Completed 2', 'Quote 1', 'Unsuccessful 1', 'Work Order 1'])
  expect(report?.steps[0]?.parameters.customHtmlSubject).toMatch(/^Finished last week: /)
  // On a Monday morning, the week's number is that of the week that begins.
  expect(JSON.stringify(LIBRARY)).not.toContain('{week}')
})

const EMPTY = { job_address: '', date: '' }

test.each(
  LIBRARY.flatMap(({ name, definition }) => [
    [name, 'a description that ends its sentence', {}, definition] as const,
    [name, 'neither address nor date', EMPTY, definition] as const,
  ]),
)('%s reads well with %s', (_, __, empty, definition) => {
  const { now, zone } = NOON
  const account = { name: '', email: '', zone, currency: 'GBP', country: 'GB' }
  const ages = { days_since_quote: '72', days_overdue: '31', days_in_queue: '6' }
  const values = { job_description: 'Dog is friendly.', date: '2026-11-30', start_date: '2026-12-01 09:00:00' }
  const job = jobFacts({ ...wholeJob(values).values, ...ages, ...empty })
  const records = [job, jobFacts(job.values, { recordUuid: '44444444-0000-4000-8000-000000000009' })]
  const trigger = digestValues(records, { ...account, now })
  const { steps } = withBlanksFilled(definition, Object.fromEntries(openBlanksOf(definition).map((one) => [one, one])))
  const said = steps.flatMap(({ parameters }) =>
    Object.values(parameters)
      .filter((one) => typeof one === 'string')
      .map((text) => resolveText(text, 'plain', { records, trigger, results: {}, order: [], account, now }).text),
  )
  expect(said.filter((text) => /\.\.|\.[;,]|\. \d+ days ago|,:|,[.,]|\bon\./.test(text))).toEqual([])
})

test('a count of one reads as well as any other', () => {
  expect(JSON.stringify(LIBRARY)).not.toMatch(/\{count[^}]*\} \w*\s?jobs/)
})

test('a copy is named after its template and counts as a new entry', () => {
  const [first] = LIBRARY
  if (!first) throw new Error('the library is empty')
  const copy = templateCopy({
    overlap: null,
    ...first,
    isPublic: true,
    usageCount: 3,
    createdAt: null,
    updatedAt: null,
  })
  expect(copy).toMatchObject({ name: `${first.name} (From Template)`, webhookSubscriptionId: null })
  expect(Object.keys(copy)).not.toContain('id')
})

const POLLED = { triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval: 'daily' }

test('a template an admin sends needs a name and a category', () => {
  const rule = { triggerSource: 'manual_endpoint', actions: [{ type: 'create_task', parameters: { title: 'x' } }] }
  expect(readTemplate({ ...rule, category: 'workflow' })).toMatchObject({
    outcome: 'invalid',
    issues: [{ message: 'Template name is required' }],
  })
  expect(readTemplate({ ...rule, name: 'Ours', category: 'other' })).toMatchObject({ outcome: 'invalid' })
  expect(
    readTemplate({
      ...rule,
      ...POLLED,
      name: 'Ours',
      category: 'workflow',
      groupingEnabled: true,
      groupingCriteria: 'status',
    }),
  ).toMatchObject({ outcome: 'read', definition: { grouping: { enabled: true, field: 'status' } } })
})

// What the preview calls a failure, the save refuses: over any trigger and its records, any action and any values, with everything they
// name there at the platform and nothing missing in the records. Names of queues, badges, people and templates are ServiceM8's to know, so here they are names that exist.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ACTION_SPECS,
  ACTION_TYPES,
  type ActionType,
  type ParameterSpec,
} from '#app/domain/automations/action-parameters.ts'
import { POLL_ENDPOINTS, POLL_INTERVALS, TRIGGER_TYPES } from '#app/domain/automations/rule.ts'
import {
  ACCOUNT,
  actionWorld,
  CUSTOMER,
  HEATING,
  JOB,
  OTHER_JOB,
  PRIYA,
  PROFILE,
  QUEUE,
} from '#tests/support/action-platform.server.ts'
import { WRITABLE_JOB_FIELDS } from '../actions/job-fields.ts'
import { ACTIONS } from '../actions/registry.server.ts'
import type { RecordFacts } from '../records/facts.ts'
import { KNOWN_OBJECTS } from '../records/fields.ts'
import { checkRule } from '../rules/checks/rule-check.ts'
import { objectOfRule } from '../rules/conditions/conditions.ts'
import { withSafeEmails } from '../rules/email-html.ts'
import { definitionOf } from '../rules/rule-definition.ts'
import { ruleForm } from '../rules/rule-form.ts'
import { planStep } from '../runs/run-step.server.ts'

const MATERIAL = '60000000-0000-4000-8000-000000000001'
const BUNDLE = '61000000-0000-4000-8000-000000000001'
const EMAIL_TEMPLATE = '70000000-0000-4000-8000-000000000001'
const SMS_TEMPLATE = '71000000-0000-4000-8000-000000000001'
const PRIVATE = 'https://10.0.0.1/in'

const BAD = [
  'hello',
  'abc',
  'tomorrow',
  'not a url',
  '  ',
  '0',
  '-1',
  '\u0000',
  ', ;',
  'x'.repeat(101),
  '07700',
  'a@b',
  '{',
]

/** Of what a parameter asks for: values that work. */
const GOOD: Record<string, readonly string[]> = {
  company_uuid: [CUSTOMER, '{company_uuid}'],
  status: ['Quote', 'Completed', 'completed'],
  date: ['2026-03-31', 'TODAY', 'TODAY+7'],
  sourceJobUuid: [JOB, OTHER_JOB, '{job_uuid}'],
  sourceBundleJobUuid: [JOB],
  fieldName: WRITABLE_JOB_FIELDS.map(({ name }) => name),
  fieldValue: ['2026-03-31', 'yes', CUSTOMER, 'Quote', 'Words'],
  to: ['07700 900123', '+447700900123', 'ann@smith.example', 'ann@smith.example, hello'],
  cc: ['ann@smith.example'],
  replyTo: ['ann@smith.example'],
  url: ['https://hooks.example.com/in'],
  emailTemplateId: [EMAIL_TEMPLATE],
  smsTemplateId: [SMS_TEMPLATE],
  customHtmlBody: ['<p>Done</p>', '<p> </p>', '<script>x</script>'],
  htmlBody: ['<p>Done</p>'],
  title: ['Words to read', '{job_uuid}', '{company_uuid or "nobody"}'],
  message: ['Words to read', 'Of {object}'],
}

/** Only ServiceM8 can tell whether these are there. */
const NAMED: Record<string, readonly string[]> = {
  queueUuid: [QUEUE, 'Waiting for parts', ' '],
  queue_uuid: [QUEUE, ' '],
  category_uuid: [HEATING, 'Heating', ' '],
  toStaffUuid: [PRIYA, 'Priya Alder', '{entry.0.staff_uuid}', ' ', ','],
  templateType: ['Quote', 'Invoice', ''],
}

function anyValue(spec: ParameterSpec): fc.Arbitrary<unknown> {
  switch (spec.kind) {
    case 'flag':
      // Rarely: most boxes exclude another.
      return fc.constantFrom(false, false, false, false, false, false, true)
    case 'number':
      return fc.constantFrom(1, 2, 'none')
    case 'choice':
      return fc.constantFrom(...(spec.choices ?? []), 'none of them')
    case 'materials':
      return fc.array(line('material_uuid', MATERIAL), { maxLength: 2 })
    case 'bundles':
      return fc.array(line('bundle_uuid', BUNDLE), { maxLength: 2 })
    case 'text': {
      const named = NAMED[spec.name]
      if (named) return fc.constantFrom(...named)
      const good = GOOD[spec.name] ?? ['Words to read']
      return fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...good) },
        { weight: 2, arbitrary: fc.constantFrom(...BAD, PRIVATE) },
        { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
      )
    }
  }
}

const line = (name: string, uuid: string) =>
  fc.record({
    [name]: fc.constantFrom(uuid, uuid, uuid, uuid, uuid, 'abc'),
    quantity: fc.constantFrom('1', 2.5, '', 3, 4, 5, 0, '-1'),
    unit_cost: fc.constantFrom('', '2.50'),
  })

function parametersOf(type: ActionType) {
  const specs = ACTION_SPECS.find((one) => one.type === type)?.parameters ?? []
  const required = specs.filter((spec) => spec.required).map(({ name }) => name)
  const values = Object.fromEntries(specs.map((spec) => [spec.name, anyValue(spec)]))
  return fc.record(values, { requiredKeys: required })
}

const RECORDS: Record<string, { uuid: string } & Record<string, unknown>> = {
  job: { uuid: JOB },
  company: { uuid: CUSTOMER },
  jobactivity: {
    uuid: child(1),
    job_uuid: JOB,
    staff_uuid: PRIYA,
    activity_was_scheduled: 1,
    start_date: '2026-01-06 09:00:00',
  },
  jobpayment: { uuid: child(2), job_uuid: JOB, amount: '10.00' },
  jobcontact: { uuid: '11000000-0000-4000-8000-000000000001' },
  note: { uuid: child(3), related_object: 'job', related_object_uuid: JOB, note: 'Words' },
  task: { uuid: child(4), related_object: 'job', related_object_uuid: JOB, name: 'Words' },
  attachment: { uuid: child(5), related_object: 'job', related_object_uuid: JOB, attachment_name: 'Words.pdf' },
  formresponse: { uuid: child(6), regarding_object: 'job', regarding_object_uuid: JOB, staff_uuid: PRIYA },
  queue: { uuid: QUEUE },
  material: { uuid: MATERIAL },
}

function child(number: number): string {
  return `62000000-0000-4000-8000-00000000000${number}`
}

/** As a call sends it. */
const anyTrigger: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.record({
    triggerSource: fc.constant('webhook'),
    object: fc.constantFrom(...KNOWN_OBJECTS),
    triggerType: fc.constantFrom(...TRIGGER_TYPES),
  }),
  fc.record({
    triggerSource: fc.constant('api_polling'),
    apiEndpoint: fc.constantFrom(...POLL_ENDPOINTS),
    pollInterval: fc.constantFrom(...POLL_INTERVALS),
    digest: fc.boolean(),
  }),
  fc.constant({ triggerSource: 'manual_endpoint' }),
)

function platform() {
  const world = actionWorld()
  world.put('job', { uuid: OTHER_JOB, company_uuid: CUSTOMER, status: 'Quote', generated_job_id: '1042' })
  world.put('material', { uuid: MATERIAL, name: 'Valve', price: '4.00' })
  world.put('materialbundle', {
    uuid: BUNDLE,
    name: 'Kit',
    material_list: [{ material_uuid: MATERIAL, quantity: '1' }],
  })
  world.put('emailtemplate', {
    uuid: EMAIL_TEMPLATE,
    name: 'Thanks',
    subject: 'Thanks',
    message: '<p>We are done.</p>',
  })
  world.put('smstemplate', { uuid: SMS_TEMPLATE, name: 'Done', message: 'We are done.' })
  for (const uuid of [QUEUE, CUSTOMER]) world.put('badge', { uuid, name: 'Words' })
  world.put('category', { uuid: CUSTOMER, name: 'Words' })
  world.set('job', JOB, { queue_assigned_staff_uuid: PRIYA })
  world.set('companycontact', '21000000-0000-4000-8000-000000000001', { mobile: '07700 900124' })
  for (const [object, record] of Object.entries(RECORDS)) {
    if (Object.keys(record).length > 1) world.put(object, record)
  }
  return world
}

const REFUSED = { [PRIVATE]: 'That address points into a private network.' }

describe('what the preview calls a failure, the save refuses', () => {
  it.each(ACTION_TYPES)('%s', async (type) => {
    const world = platform()
    const known: Record<string, RecordFacts> = {}
    for (const [object, { uuid }] of Object.entries(RECORDS)) known[object] = await world.record(object, uuid)
    const seen = { saved: 0, refused: 0 }
    const around = fc.record({
      feed: fc.boolean(),
      notifyUrl: fc.constantFrom('https://hooks.example.com/in', null),
    })
    await fc.assert(
      fc.asyncProperty(parametersOf(type), anyTrigger, around, async (parameters, trigger, defaults) => {
        // A badge, a category and a queue are named, so only words that name one can be judged here.
        const named = /^(badges|category_uuid|queue_uuid|status)$/.test(String(parameters.fieldName))
        fc.pre(!named || parameters.fieldValue === 'Words')
        fc.pre(parameters.fieldName !== 'queue_uuid')
        const { body } = withSafeEmails({ name: 'Any', ...trigger, actions: [{ type, parameters }] })
        const parsed = ruleForm.safeParse(body)
        const definition = parsed.success ? definitionOf(parsed.data, null) : null
        const place = { country: 'GB', refusedAddresses: REFUSED, ...defaults }
        const issues = definition && checkRule(definition, place)
        const [step] = definition?.steps ?? []
        const record = definition && known[objectOfRule(definition)]
        if (!definition || !record || !issues || issues.length > 0 || !step) {
          seen.refused += 1
          return
        }
        seen.saved += 1
        const plan = await planStep(
          { actions: ACTIONS, clock: world.clock, log: world.app.log },
          {
            automation: { id: 1, name: 'Any' },
            definition,
            triggerData: {
              description: '',
              object: record.object,
              manualTrigger: definition.trigger.source === 'manual_endpoint',
              conditionMatching: null,
              values: {},
              bypassedConditions: false,
              changes: [],
            },
            account: PROFILE,
            records: [record],
            trigger: { object: record.object },
            defaults: { ...defaults, refusedAddresses: REFUSED },
            read: world.facts.reader(ACCOUNT),
            origin: 'https://fieldhook.test',
          },
          step,
          {},
        )
        const failure = plan.outcome === 'planned' || plan.outcome === 'skipped' ? plan.outcome : plan.sentence
        expect(['planned', 'skipped']).toContain(failure)
        if (plan.outcome === 'skipped') expect(plan.sentence).toMatch(/^Nothing to change/)
      }),
      { numRuns: 250 },
    )
    expect(seen.saved).toBeGreaterThan(3)
  })
})

// What the preview calls a failure, the save refuses: over any literal values of any action, with everything they name there at the
// platform. Names of queues, badges, people and templates are ServiceM8's to know, so here they are names that exist.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
import { ACTION_SPECS, ACTION_TYPES, type ActionType, type ParameterSpec } from './action-parameters.ts'
import { WRITABLE_JOB_FIELDS } from './actions/job-fields.ts'
import { ACTIONS } from './actions/registry.server.ts'
import { withSafeEmails } from './email-html.ts'
import { checkRule } from './rule-check.ts'
import { definitionOf, ruleForm } from './rule-form.ts'
import { planStep } from './run-step.server.ts'

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
  company_uuid: [CUSTOMER],
  status: ['Quote', 'Completed', 'completed'],
  date: ['2026-03-31', 'TODAY', 'TODAY+7'],
  sourceJobUuid: [JOB, OTHER_JOB],
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
}

/** Only ServiceM8 can tell whether these are there. */
const NAMED: Record<string, readonly string[]> = {
  queueUuid: [QUEUE, 'Waiting for parts', ' '],
  queue_uuid: [QUEUE, ' '],
  category_uuid: [HEATING, 'Heating', ' '],
  toStaffUuid: [PRIYA, 'Priya Alder', ' ', ','],
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
  return world
}

const REFUSED = { [PRIVATE]: 'That address points into a private network.' }

describe('what the preview calls a failure, the save refuses', () => {
  it.each(ACTION_TYPES)('%s', async (type) => {
    const world = platform()
    const record = await world.record()
    const seen = { saved: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(parametersOf(type), async (parameters) => {
        // A badge and a queue are named, so only words that name one can be judged here.
        fc.pre(!/^(badges|queue_uuid|status)$/.test(String(parameters.fieldName)) || parameters.fieldValue === 'Words')
        fc.pre(parameters.fieldName !== 'queue_uuid')
        const { body } = withSafeEmails({
          name: 'Any',
          triggerSource: 'manual_endpoint',
          actions: [{ type, parameters }],
        })
        const parsed = ruleForm.safeParse(body)
        const definition = parsed.success ? definitionOf(parsed.data, null) : null
        const issues = definition && checkRule(definition, { country: 'GB', refusedAddresses: REFUSED })
        const [step] = definition?.steps ?? []
        if (!definition || !issues || issues.length > 0 || !step) {
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
              object: 'job',
              manualTrigger: true,
              conditionMatching: null,
              values: {},
              bypassedConditions: false,
              changes: [],
            },
            account: PROFILE,
            records: [record],
            trigger: { object: 'job' },
            surroundings: { notifyUrl: 'https://hooks.example.com/in', refusedAddresses: REFUSED },
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
      { numRuns: 120 },
    )
    expect(seen.saved).toBeGreaterThan(3)
  })
})

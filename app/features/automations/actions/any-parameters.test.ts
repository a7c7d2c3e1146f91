import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { ACTION_SPECS, ACTION_TYPES, type ActionType } from '#app/domain/automations/action-parameters.ts'
import type { ActionParameters, ParameterValue } from '#app/domain/automations/rule.ts'
import { type ActionWorld, actionWorld, CUSTOMER, JOB, QUEUE, TOM } from '#tests/support/action-platform.server.ts'
import type { RecordFacts } from '../records/facts.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const odd = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '',
    JOB,
    CUSTOMER,
    QUEUE,
    TOM,
    'TODAY',
    '__proto__',
    'constructor',
    '{entry.0.job_description}',
    '{entry.9.status}',
    '{action_7_result.job_uuid}',
    '{{',
    '}}{',
    '[[a blank]]',
    '<script>alert(1)</script>',
    'a@b.example\r\nBcc: c@d.example',
    '+447700900123',
    '\u0000\ud800',
    '{"a":{"b":1}}',
  ),
)

const value: fc.Arbitrary<ParameterValue> = fc.oneof(
  { weight: 4, arbitrary: odd },
  { weight: 2, arbitrary: fc.boolean() },
  fc.integer({ min: -2, max: 9 }),
  fc.constant(null),
  fc.array(odd, { maxLength: 2 }),
  fc.array(
    fc.dictionary(fc.constantFrom('material_uuid', 'bundle_uuid', 'quantity', 'unit_cost', 'name', 'value'), odd),
    {
      maxLength: 2,
    },
  ),
)

function parametersOf(type: ActionType): fc.Arbitrary<ActionParameters> {
  const names = ACTION_SPECS.find((spec) => spec.type === type)?.parameters.map(({ name }) => name) ?? []
  return fc.dictionary(fc.constantFrom(...names, '__proto__', 'unheard_of'), value)
}

describe('whatever parameters and values a rule has', () => {
  it.each(ACTION_TYPES)('%s is planned, skipped or refused with a sentence, and nothing is written', async (type) => {
    const record = await world.record()
    const values = fc.dictionary(fc.constantFrom(...Object.keys(record.values)), odd)
    const records = values.map((own): RecordFacts[] => [{ ...record, values: { ...record.values, ...own } }])
    await fc.assert(
      fc.asyncProperty(parametersOf(type), fc.oneof(records, fc.constant([])), async (parameters, of) => {
        const plan = await world.plan(type, parameters, { records: of, notifyUrl: 'https://hooks.example.test/in' })
        expect(world.platform.made).toEqual([])
        expect(world.platform.changed).toEqual([])
        expect(world.platform.messages).toEqual([])
        if (plan.outcome !== 'planned') {
          expect(plan.sentence).toMatch(/^\S.*[.!?"]$/s)
          return
        }
        expect(plan.effects.length).toBeGreaterThan(0)
        for (const effect of plan.effects) {
          expect(effect.summary).not.toBe('')
          // The journal keeps it as JSON and does later exactly what it says.
          expect(JSON.parse(JSON.stringify(effect))).toEqual(effect)
          if (effect.kind === 'send_email')
            expect(`${effect.to}${effect.cc}${effect.replyTo}${effect.subject}`).not.toMatch(/[\r\n]/)
          if (effect.kind === 'send_sms') expect(effect.to).toMatch(/^\+[1-9]\d{6,14}$/)
          if (effect.kind === 'create_record' || effect.kind === 'update_record') {
            for (const written of Object.values(effect.fields)) expect(typeof written).toBe('string')
          }
        }
      }),
      { numRuns: 80 },
    )
  })
})

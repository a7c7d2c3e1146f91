import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formAfter } from '#tests/support/rule-form-stage.tsx'
import { openParts, placeAfter } from './form-blocks.ts'
import { applyIntent } from './form-change.ts'
import { parseFormIntent } from './form-intent.ts'
import { becomesRow } from './form-shown.ts'
import { emptyForm } from './form-state.ts'

const WHOLE = ['name=Call', 'events=object:job', 'triggerType=job_created', 'add_step:create_task', 's.s1.p.title=Ring']
const opened = (steps: readonly string[], at = '') => [...openParts(formAfter(steps), {}, at)].sort()

test('what is finished is closed; what is not, wrong or worked in is open', () => {
  expect(opened(WHOLE)).toEqual([])
  expect(opened(['name=Call'])).toEqual(['when'])
  expect(opened(['name=Call', 'events=object:job'])).toEqual(['when'])
  expect(opened([...WHOLE, 'scheduleType=scheduled'])).toEqual(['when'])
  expect(opened([...WHOLE, 'add_condition'])).toEqual(['if'])
  expect(opened([...WHOLE, 'add_condition', 'c.c2.field=status'])).toEqual(['if'])
  expect(opened([...WHOLE, 'add_condition', 'c.c2.field=status', 'c.c2.operator=is_empty'])).toEqual([])
  expect(opened([...WHOLE, 'add_step:send_sms'])).toEqual(['s2'])
  expect(opened([...WHOLE, 'add_step:send_sms', 's.s2.p.message=Hi'])).toEqual([])
  expect(opened([...WHOLE, 'add_step:send_email', 's.s2.p.customBody=Hi'])).toEqual([])
  expect(opened(WHOLE, 's1.options')).toEqual(['s1'])
})

test('an error opens the part it belongs to', () => {
  const state = formAfter(WHOLE)
  const at = (path: string) => [...openParts(state, { [path]: ['Wrong'] })]
  expect(at('actions.0.parameters.title')).toEqual(['s1'])
  expect(at('conditions.0.field')).toEqual(['if'])
  expect(at('guards.dailyCap')).toEqual(['advanced'])
  expect(at('scheduleDate')).toEqual(['when'])
  expect(at('name')).toEqual([])
})

test('where a person works after a press is a part that is there', () => {
  const presses = ['add_step:send_sms', 'add_condition', 'next:when', 'up:s1', 'down:s1', 'on_status', 'remove_step:s1']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...presses), { maxLength: 12 }), (pressed) => {
      let state = formAfter(WHOLE)
      for (const each of pressed) {
        const intent = parseFormIntent(`form.${each}`)
        if (!intent) throw new Error(each)
        const place = placeAfter(state, intent)
        state = applyIntent(state, intent)
        const known = ['', 'when', 'if', 'advanced', ...state.steps.map(({ key }) => key)]
        if (intent.kind !== 'up' && intent.kind !== 'down') expect(known).toContain(place.split('.')[0])
        expect(openParts(state, {}, place).size).toBeLessThanOrEqual(known.length)
      }
    }),
  )
})

test('the status of the trigger is a condition, shown in one place only', () => {
  const status = ['name=Call', 'events=object:job', 'triggerType=job_status']
  const one = formAfter([...status, 'becomes=Completed'])
  expect(one.conditions).toMatchObject([{ field: 'status', operator: 'equals', value: 'Completed' }])
  expect(becomesRow(one)).toBe(one.conditions[0])
  expect(formAfter(['becomes='], one).conditions).toEqual([])
  expect(formAfter(['becomes=Quote'], one).conditions).toMatchObject([{ value: 'Quote' }])
  // Two ways to match: both stand among the conditions.
  const either = formAfter(['add_condition', 'c.c2.field=job_address', 'c.c2.logicalOperator=OR'], one)
  expect(becomesRow(either)).toBeNull()
  expect(becomesRow(formAfter(['triggerType=job_updated'], one))).toBeNull()
  expect(formAfter(['becomes=Nonsense'], one).conditions).toEqual([])
  expect(formAfter(['becomes=Quote'], emptyForm()).conditions).toEqual([])
})

test('a condition that has become the first joins the status of the trigger with AND', () => {
  const status = ['name=Call', 'events=object:job', 'triggerType=job_status']
  const condition = (key: string, field: string) => ['add_condition', `c.${key}.field=${field}`, `c.${key}.value=x`]
  const either = formAfter([...status, ...condition('c1', 'job_address'), ...condition('c2', 'badges')])
  const removed = formAfter(['c.c2.logicalOperator=OR', 'remove_condition:c1'], either)
  expect(removed.conditions).toMatchObject([{ field: 'badges', logicalOperator: 'AND' }])
  // A program may have written it to the first.
  for (const before of [removed, formAfter(['c.c2.logicalOperator=OR'], removed)]) {
    const { conditions } = formAfter(['becomes=Completed'], before)
    expect(conditions).toMatchObject([{ value: 'Completed' }, { field: 'badges', logicalOperator: 'AND' }])
  }
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formAfter } from '#tests/support/rule-form-stage.tsx'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import { blanksAsked, withKnownAnswers } from './form-blanks.ts'
import { draftOf, toBody } from './form-body.ts'
import { readKeptForm, toForm } from './form-state.ts'
import { readForm } from './form-wire.ts'

const TEXT = 'Hi, thanks from [[Business name]]. Call [[Business phone]]. [[Business name]]'
const written = formAfter([
  'name=Thanks',
  'events=object:job',
  'triggerType=job_created',
  'add_step:send_sms',
  `s.s1.p.message=${TEXT}`,
  'add_step:assign_to_queue',
  's.s2.p.queueUuid=[[Ready to book]]',
])

test('every blank is asked for once, and what is chosen from a list is no box to type in', () => {
  expect(blanksAsked(written)).toEqual([
    { label: 'Business name', place: 's1', typed: true },
    { label: 'Business phone', place: 's1', typed: true },
    { label: 'Ready to book', place: 's2', typed: false },
  ])
})

test("the account's own name is filled in, unless a person wrote another or none", () => {
  expect(withKnownAnswers(written, 'Alder').answers).toEqual({ 'Business name': 'Alder' })
  const emptied = { ...written, answers: { 'Business name': '' } }
  expect(withKnownAnswers(emptied, 'Alder').answers).toEqual({ 'Business name': '' })
  expect(withKnownAnswers(written, '').answers).toEqual({})
})

test('what is filled in is in the rule that is sent, and the text in the form keeps its blanks', () => {
  const filled = readForm([
    ...toForm(written),
    ['b.Business name', 'Alder'],
    ['b.Business phone', '0113'],
    ['b.Other', 'x'],
  ])
  expect(filled.answers).toEqual({ 'Business name': 'Alder', 'Business phone': '0113' })
  expect(filled.steps[0]?.parameters.message).toBe(TEXT)
  const [sms] = (toBody(filled) as { actions: { parameters: { message: string } }[] }).actions
  expect(sms?.parameters.message).toBe('Hi, thanks from Alder. Call 0113. Alder')
  expect(openBlanksOf(draftOf(filled))).toEqual(['Ready to book'])
})

test('any answer comes back as it was typed: posted, and kept by a browser', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (answer) => {
      const state = { ...written, answers: { 'Business name': answer } }
      const kept = readKeptForm(JSON.parse(JSON.stringify(state)))
      expect(kept).toEqual(state)
      const posted = readForm(toForm(state)).answers['Business name']
      expect(posted).toBe(answer.replace(/\r\n?/g, '\n'))
    }),
  )
})

test('what another version or another program left in the browser is no form', () => {
  for (const junk of [null, 'x', 3, {}, { values: {} }, { values: {}, ruleId: 'x', next: 1 }, []]) {
    expect(readKeptForm(junk)).toBeNull()
  }
  const half = readKeptForm({
    values: { name: 'A', x: 3 },
    ruleId: null,
    next: 2,
    steps: [{ type: 'nonsense', key: 's1' }],
  })
  expect(half).toMatchObject({ values: { name: 'A' }, steps: [], conditions: [] })
})

test('a form with very many blanks and very many answers is read in a moment', () => {
  const many = Array.from({ length: 1_500 }, (_, index) => `[[Blank ${index}]]`).join(' ')
  const state = formAfter([`s.s1.p.message=${many}`], written)
  const began = performance.now()
  const filled = readForm([
    ...toForm(state),
    ...Array.from({ length: 9_000 }, (_, index): [string, string] => [`b.Blank ${index}`, 'x']),
  ])
  expect(Object.keys(filled.answers).length).toBe(1_500)
  expect(performance.now() - began).toBeLessThan(5_000)
})

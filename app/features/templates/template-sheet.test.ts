import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkRule } from '#app/features/automations/rules/checks/rule-check.ts'
import { openBlanksOf } from '#app/features/automations/rules/rule-blanks.ts'
import { definitionOf } from '#app/features/automations/rules/rule-definition.ts'
import { ruleForm } from '#app/features/automations/rules/rule-form.ts'
import { LIBRARY } from './library.ts'
import { missingErrors, needsLists } from './sheet-view.ts'
import { previewable, ruleOfSheet, sheetOf } from './template-sheet.ts'

const FIRM = 'Alder & Finch'
const named = (id: number) => {
  const found = LIBRARY.find((one) => one.id === id)
  if (!found) throw new Error(`no template ${id}`)
  return found.definition
}
const UUID = '11111111-1111-4111-8111-111111111111'
const ANSWERS = { text: 'Our words', email: 'office@example.com', tel: '+447700900123', url: 'https://example.com/r' }
const answerOf = (kind: string) => ANSWERS[kind as keyof typeof ANSWERS] ?? UUID

test.each(LIBRARY.map((template) => [template.name, template] as const))(
  '%s becomes a rule that can be switched on once its blanks are filled in',
  (name, { definition, description }) => {
    const opened = sheetOf(definition, null, '')
    expect(opened.blanks.map(({ label }) => label)).toEqual(openBlanksOf(definition))
    const sent = new URLSearchParams(opened.blanks.map((blank) => [blank.name, answerOf(blank.kind)]))
    const filled = sheetOf(definition, sent, FIRM)
    expect(filled.missing).toEqual([])
    const parsed = ruleForm.safeParse(ruleOfSheet(filled, name, description))
    expect(parsed.error?.issues ?? []).toEqual([])
    if (parsed.success) expect(checkRule(definitionOf(parsed.data, null))).toEqual([])
  },
)

describe('the blanks', () => {
  test('the name of the firm is there already, and a label that is an answer', () => {
    const { blanks } = sheetOf(named(4), null, FIRM)
    const value = (label: string) => blanks.find((one) => one.label === label)?.value
    expect([value('Business name'), value('1 working day'), value('Scheduler')]).toEqual([FIRM, '1 working day', ''])
  })

  test('a label that is an answer has the words around it', () => {
    const around = (id: number) => sheetOf(named(id), null, FIRM).blanks.flatMap((one) => one.around || [])
    expect([2, 4, 17].flatMap(around)).toEqual([
      'Our prices hold for …',
      'We will call within … to agree a date',
      'Call ‹Business phone› within … and we come back',
    ])
    const answers = LIBRARY.flatMap(({ definition }) => sheetOf(definition, null, FIRM).blanks)
    expect(answers.filter(({ label, around }) => /^\d/.test(label) === (around === ''))).toEqual([])
  })

  test('take a record of a list where the rule wants one', () => {
    const kinds = Object.fromEntries(
      LIBRARY.flatMap(({ definition }) => sheetOf(definition, null, '').blanks.map(({ label, kind }) => [label, kind])),
    )
    expect(kinds).toMatchObject({
      'Queue for jobs to be booked': 'queues',
      Scheduler: 'staff',
      'Invoice template': 'documentTemplates',
      'Service category': 'categories',
      'Account customer': 'companies',
      'Do-not-chase badge': 'badges',
      'Confirmed badge': 'badges',
      'Their PO number': 'text',
      'Office e-mail': 'email',
      'On-call mobile': 'tel',
      'Review link': 'url',
      'Business phone': 'text',
    })
    expect([needsLists(sheetOf(named(10), null, '')), needsLists(sheetOf(named(4), null, ''))]).toEqual([false, true])
  })

  test('one that only excludes may stay empty: its condition is left out', () => {
    const sheet = sheetOf(named(7), null, FIRM)
    expect(sheet.blanks.map(({ label, isOptional }) => [label, isOptional])).toEqual([
      ['Do-not-chase badge', true],
      ['Business name', false],
    ])
    expect(sheet.missing).toEqual([])
    expect(sheet.definition.conditions.map(({ field }) => field)).not.toContain('badges')
    const chosen = sheetOf(named(7), new URLSearchParams({ 'blank.Do-not-chase badge': 'VIP' }), FIRM)
    expect(chosen.definition.conditions.find(({ field }) => field === 'badges')?.value).toBe('VIP')
  })

  test('any other has to be filled in, and its field says so', () => {
    const sheet = sheetOf(named(16), new URLSearchParams({ 'blank.Review link': '  ' }), FIRM)
    expect(sheet.missing).toEqual(['Review link'])
    expect(missingErrors(sheet)).toEqual({ 'blank.Review link': ['Fill this in.'] })
    expect(JSON.stringify(previewable(sheet))).toContain('‹Review link›')
  })
})

describe('the messages', () => {
  test('are sent as they were changed, with line breaks as the form has them', () => {
    const sent = new URLSearchParams({ 'text.s1.message': 'Hi\r\nfrom [[Business name]] [[New blank]]' })
    const sheet = sheetOf(named(10), sent, FIRM)
    expect(sheet.blanks.map(({ label }) => label)).toEqual(['Business name', 'New blank'])
    expect(sheet.definition.steps[0]?.parameters.message).toBe(`Hi\nfrom ${FIRM} [[New blank]]`)
    expect(sheet.missing).toEqual(['New blank'])
  })

  test('HTML is for the full form', () => {
    expect(sheetOf(named(17), null, FIRM).texts).toEqual([])
  })
})

test('whatever is sent, nothing but blanks and messages changes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LIBRARY),
      fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 8 }),
      ({ definition }, sent) => {
        const { texts, blanks } = sheetOf(definition, null, FIRM)
        const names = [...texts, ...blanks].map(({ name }) => name)
        const params = new URLSearchParams(sent.map(([name, value], index) => [names[index] ?? name, value]))
        const made = sheetOf(definition, params, FIRM).definition
        expect(made.trigger.source).toBe(definition.trigger.source)
        expect([made.once, made.guards, made.grouping]).toEqual([
          definition.once,
          definition.guards,
          definition.grouping,
        ])
        expect(made.steps.map(({ id, type }) => [id, type])).toEqual(definition.steps.map(({ id, type }) => [id, type]))
      },
    ),
  )
})

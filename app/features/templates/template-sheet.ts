// The sheet of a template: its blanks and messages as fields, and the rule they make.
import { actionSpec } from '#app/domain/automations/action-parameters.ts'
import type { ActionParameters, Condition, RuleDefinition } from '#app/domain/automations/rule.ts'
import type { FormLists } from '#app/features/automations/rules/form-lists.ts'
import { fillBlanks, openBlanks } from '#app/features/automations/rules/placeholders/placeholder-syntax.ts'
import { openBlanksOf, withBlanksFilled } from '#app/features/automations/rules/rule-blanks.ts'
import { formFields } from '#app/features/automations/rules/rule-json.ts'
import { ownValue } from '#app/lib/json.ts'
import { blankText } from './template-picture.ts'

/** What a blank takes: words, or one record of a list. */
type BlankKind = 'text' | 'email' | 'tel' | 'url' | keyof FormLists

export interface BlankField {
  /** `Business name`. */
  label: string
  kind: BlankKind
  /** Its name in the form. */
  name: string
  value: string
  /** May stay empty: its condition is then left out. */
  isOptional: boolean
  /** What it is about, where its label is an answer: `Our prices hold for …`. Else ''. */
  around: string
}

export interface TextField {
  name: string
  label: string
  value: string
  isLong: boolean
  /** Path of its error in a refusal of the rule: `actions.0.parameters.message`. */
  path: string
}

export interface Sheet {
  blanks: BlankField[]
  texts: TextField[]
  /** The rule with everything filled in so far. */
  definition: RuleDefinition
  /** Labels of the blanks that still need an answer. */
  missing: string[]
}

const LONGEST_ANSWER = 500
const LONGEST_TEXT = 20_000

/** `sent` = the submitted form; null = the sheet is opened. `firm` = the account's name, '' = unknown. */
export function sheetOf(template: RuleDefinition, sent: URLSearchParams | null, firm: string): Sheet {
  const texts = textsOf(template, sent)
  const edited = withTexts(template, texts)
  const blanks = openBlanksOf(edited).map((label): BlankField => {
    const name = `blank.${label}`
    const typed = sent?.get(name)?.trim().slice(0, LONGEST_ANSWER)
    const [kind, isOptional] = [kindOf(edited, label), isLeftOut(edited, label)]
    return { label, kind, name, value: typed ?? prefilled(label, firm), isOptional, around: aroundOf(edited, label) }
  })
  const answers = Object.fromEntries(blanks.flatMap(({ label, value }) => (value === '' ? [] : [[label, value]])))
  const dropped = new Set(blanks.flatMap((one) => (one.isOptional && one.value === '' ? [`[[${one.label}]]`] : [])))
  const kept = { ...edited, conditions: edited.conditions.filter(({ value }) => !dropped.has(value)) }
  const definition = withBlanksFilled(kept, answers)
  return { blanks, texts, definition, missing: openBlanksOf(definition) }
}

/**
 * For a preview: blanks for words show their name, receivers of e-mails have a stand-in, all others stay open. Then no
 * step waits for another one, which cannot be shown.
 */
export function previewable({ definition, blanks }: Sheet): RuleDefinition {
  const isWhole = (label: string) =>
    definition.steps.some(({ parameters }) => Object.values(parameters).includes(`[[${label}]]`))
  const shown = blanks.flatMap(({ label, kind, value }, place) => {
    if (value !== '') return []
    if (kind === 'email') return [[label, `blank-${place}@blank.invalid`]]
    return kind === 'text' || (kind === 'url' && !isWhole(label)) ? [[label, blankText(label)]] : []
  })
  const filled = withBlanksFilled(definition, Object.fromEntries(shown))
  if (openBlanksOf({ ...filled, conditions: [] }).length === 0) return filled
  return { ...filled, steps: filled.steps.map((step) => ({ ...step, waitForPrevious: false })) }
}

/** A sentence of the preview for its reader: stand-ins by the names of their blanks, and no `entry.0.`. */
export function previewedText(text: string, { blanks }: Sheet): string {
  return text
    .replace(/blank-(\d+)@blank\.invalid/g, (_, place) => blankText(blanks[Number(place)]?.label ?? ''))
    .replaceAll('{entry.0.', '{')
}

/** The fields of the rule, as the form and the calls take them. */
export function ruleOfSheet({ definition }: Pick<Sheet, 'definition'>, name: string, description: string) {
  return { ...formFields(definition), name, description }
}

/** The blank that the account's own name answers. */
const FIRM_BLANK = 'Business name'

/** The firm's own name, or a label that is an answer itself. */
function prefilled(label: string, firm: string): string {
  return ownValue({ [FIRM_BLANK]: firm }, label) ?? asAnswer(label)
}

/** `7 days` is its own answer. */
function asAnswer(label: string): string {
  return /^\d/.test(label) ? label : ''
}

const SENTENCE_END = /[.!?](?:\s|<|$)|[<>\n]/

function aroundOf({ steps }: RuleDefinition, label: string): string {
  if (asAnswer(label) === '') return ''
  const texts = steps.flatMap(({ parameters }) => Object.values(parameters).map(String))
  const [before, after] = texts.map((text) => text.split(`[[${label}]]`)).find((parts) => parts.length > 1) ?? []
  const said = `${before?.split(SENTENCE_END).at(-1) ?? ''}…${after?.split(SENTENCE_END)[0] ?? ''}`
  if (said === '…') return ''
  return fillBlanks(said, Object.fromEntries(openBlanks(said).map((one) => [one, blankText(one)]))).trim()
}

const LIST_OF_FIELD: Readonly<Record<string, keyof FormLists>> = {
  queue_uuid: 'queues',
  queueUuid: 'queues',
  category_uuid: 'categories',
  company_uuid: 'companies',
  assigned_staff: 'staff',
  toStaffUuid: 'staff',
  badges: 'badges',
  templateType: 'documentTemplates',
}

function kindOf({ trigger, conditions, steps }: RuleDefinition, label: string): BlankKind {
  const whole = `[[${label}]]`
  if (trigger.source === 'webhook' && trigger.queueUuid === whole) return 'queues'
  const condition = conditions.find(({ value }) => value === whole)
  if (condition) return LIST_OF_FIELD[condition.field] ?? 'text'
  const [inStep] = steps.flatMap(({ type, parameters }) =>
    Object.keys(parameters).flatMap((name) =>
      parameters[name] === whole ? kindOfParameter(type, name, parameters) : [],
    ),
  )
  return inStep ?? (/\blink$/i.test(label) ? 'url' : 'text')
}

function kindOfParameter(type: string, name: string, { fieldName }: ActionParameters): BlankKind {
  if (name === 'to') return type === 'send_sms' ? 'tel' : 'email'
  return name === 'url' ? 'url' : (LIST_OF_FIELD[name === 'fieldValue' ? String(fieldName) : name] ?? 'text')
}

/** Is the blank only what a condition excludes? Then nothing is excluded without it. */
function isLeftOut({ trigger, conditions, steps }: RuleDefinition, label: string): boolean {
  const without = conditions.filter((condition) => !excludes(condition, label))
  return without.length < conditions.length && !openBlanksOf({ trigger, conditions: without, steps }).includes(label)
}

function excludes({ operator, value }: Condition, label: string): boolean {
  return (operator === 'not_contains' || operator === 'not_equals') && value === `[[${label}]]`
}

/** Texts that a person may change here; HTML is for the full form. */
const EDITABLE: Readonly<Record<string, readonly string[]>> = {
  send_sms: ['message'],
  send_email: ['customSubject', 'customBody'],
  send_staff_message: ['message'],
}

function textsOf({ steps }: RuleDefinition, sent: URLSearchParams | null): TextField[] {
  return steps.flatMap(({ id, type, parameters }, index) =>
    (EDITABLE[type] ?? []).flatMap((parameter) => {
      const own = parameters[parameter]
      if (typeof own !== 'string') return []
      const name = `text.${id}.${parameter}`
      const typed = sent?.get(name)?.replace(/\r\n?/g, '\n').slice(0, LONGEST_TEXT)
      const spec = actionSpec(type)
      const called = spec.parameters.find((one) => one.name === parameter)?.label ?? parameter
      return {
        name,
        label: `${spec.label}: ${called}`,
        value: typed ?? own,
        isLong: parameter !== 'customSubject',
        path: `actions.${index}.parameters.${parameter}`,
      }
    }),
  )
}

function withTexts(definition: RuleDefinition, texts: readonly TextField[]): RuleDefinition {
  const typed = new Map(texts.map(({ name, value }) => [name, value]))
  return {
    ...definition,
    steps: definition.steps.map((step) => ({
      ...step,
      parameters: Object.fromEntries(
        Object.entries(step.parameters).map(([name, value]) => [name, typed.get(`text.${step.id}.${name}`) ?? value]),
      ),
    })),
  }
}

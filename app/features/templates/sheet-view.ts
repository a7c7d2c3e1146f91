// The sheet of a template as its page shows it: fields with their errors, a preview, a look-back.
import type { MessageView } from '#app/domain/automations/message-view.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import type { DraftPreview, FormPreview } from '#app/features/automations/form/form-preview.ts'
import type { PreviewEffectView } from '#app/features/automations/preview/preview-view.ts'
import { objectNoun } from '#app/features/automations/records/fields.ts'
import { objectOfRule } from '#app/features/automations/rules/conditions/conditions.ts'
import type { FormLists } from '#app/features/automations/rules/form-lists.ts'
import { openBlanksOf } from '#app/features/automations/rules/rule-blanks.ts'
import { type SentenceParts, sentenceParts } from '#app/features/automations/rules/sentence.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { TemplateOfJson } from './template.ts'
import { blankText } from './template-picture.ts'
import { type BlankField, previewable, previewedText, type Sheet, type TextField } from './template-sheet.ts'
import { fillInText, type LookBack, SHEET_TEXTS } from './template-text.ts'
import type { TemplateRowView } from './template-view.ts'

interface ShownBlank extends BlankField {
  /** The records to choose from; empty = the person types. */
  options: { uuid: string; label: string }[]
  /** Of the trigger or a condition: it decides what the last 30 days count. */
  isCounted: boolean
}

interface SheetPreview {
  /** `Job 3128 · Joan Hartley`. */
  about: string
  /** Why nothing of it would happen; null = its conditions are met. */
  skipped: string | null
  /** `place` = step of a text to a customer, from 0; null = something else, which cannot be tried on a phone. */
  messages: { says: string; message: MessageView; place: number | null }[]
  /** What else it would do, one line each. */
  others: string[]
}

/** Of a press, or of a look in the background; `old` = why the sheet stays as it was. */
export type SheetAnswer = { sheet: SheetView; old?: undefined } | { sheet: null; old: string }

export interface SheetView extends Pick<TemplateRowView, 'id' | 'name' | 'overlap'> {
  sentence: SentenceParts
  /** What it is about: `job`, `booking`. */
  noun: string
  blanks: ShownBlank[]
  texts: TextField[]
  /** By name of the field; '' = of the whole sheet. */
  errors: Record<string, string[]>
  preview: SheetPreview | null
  /** Why there is no preview; null = none was asked for, or it is there. */
  trouble: string | null
  lookBack: LookBack | null
  /** The mobile that the person who looks at it typed; null = we know it and do not ask. */
  phone: string | null
  /** What became of a text to the own phone; null = none was asked for. */
  told: Flash | null
}

export function sheetView(
  { id, name, definition, overlap }: TemplateOfJson,
  { blanks, texts }: Sheet,
  lists: FormLists | null,
): SheetView {
  const counted = openBlanksOf({ ...definition, steps: [] })
  return {
    id,
    name,
    sentence: sentenceParts(definition),
    noun: objectNoun(objectOfRule(definition)),
    overlap,
    blanks: blanks.map((blank) => ({
      ...blank,
      options: optionsOf(blank, lists),
      isCounted: counted.includes(blank.label),
    })),
    texts,
    errors: {},
    preview: null,
    trouble: null,
    lookBack: null,
    phone: null,
    told: null,
  }
}

function optionsOf({ kind }: BlankField, lists: FormLists | null): ShownBlank['options'] {
  if (lists === null || !isListKind(kind, lists)) return []
  return lists[kind].map(({ uuid, label }) => ({ uuid, label }))
}

function isListKind(kind: string, lists: FormLists): kind is keyof FormLists {
  return Object.hasOwn(lists, kind)
}

/** Does a blank take a record of a list? Then the page needs the lists. */
export function needsLists({ blanks }: Sheet): boolean {
  return blanks.some(({ kind }) => !['text', 'email', 'tel', 'url'].includes(kind))
}

/** The blanks that nobody filled in, as errors of their fields. */
export function missingErrors({ blanks, missing }: Sheet): SheetView['errors'] {
  return Object.fromEntries(
    blanks.filter(({ label }) => missing.includes(label)).map(({ name }) => [name, [SHEET_TEXTS.missing]]),
  )
}

/** A refusal of the rule, each part at its field; what has no field here stands above. */
export function refusedErrors(
  { texts, blanks }: Sheet,
  { message, errors }: { message: string; errors: Readonly<Record<string, string[]>> },
): SheetView['errors'] {
  const found: SheetView['errors'] = {}
  for (const { name, path } of texts) if (errors[path]) found[name] = errors[path]
  const byLabel = blanks.find(({ value }) => value !== '' && message.includes(`“${value}”`))
  if (Object.keys(found).length > 0) return found
  return { [byLabel?.name ?? '']: [message] }
}

/** Open blanks of its trigger and conditions, as a reader sees them. */
const neededFirst = (definition: RuleDefinition) => openBlanksOf({ ...definition, steps: [] }).map(blankText)

/** A look back before the blanks of its conditions are filled in: it would find nothing. Null = they are. */
export function tooEarly({ definition }: Sheet): LookBack | null {
  const needs = neededFirst(definition)
  return needs.length === 0 ? null : { texts: 0, emails: 0, runs: 0, days: null, needs }
}

/** Adds what was looked at to the sheet. */
export function withLook(view: SheetView, answer: FormPreview, sheet: Sheet): SheetView {
  switch (answer.kind) {
    case 'preview':
      return { ...view, preview: sheetPreview(answer, sheet) }
    case 'backtest':
      return { ...view, lookBack: { ...answer.sent, runs: answer.count, days: answer.days } }
    case 'trouble':
      return { ...view, trouble: answer.message }
    case 'samples':
      return view
  }
}

function sheetPreview({ record, preview }: DraftPreview, sheet: Sheet): SheetPreview {
  const needed = neededFirst(sheet.definition)
  const { steps: planned } = previewable(sheet)
  const steps = preview.steps.map((step, place) => {
    const needs = openBlanksOf({ trigger: NO_BLANKS, conditions: [], steps: planned.slice(place, place + 1) })
    return needs.length === 0 ? step : { ...step, effects: [], sentence: fillInText(needs.map(blankText)) }
  })
  const effects = steps.flatMap((step) => step.effects)
  const open = steps.flatMap(({ effects: done, sentence, label }) =>
    done.length === 0 && sentence !== null ? [`${label}: ${sentence}`] : [],
  )
  const others = [...effects.flatMap(({ channel, summary }) => (channel === null && summary ? [summary] : [])), ...open]
  return {
    about: record.label,
    skipped: record.matches ? null : needed.length > 0 ? fillInText(needed) : SHEET_TEXTS.notMet,
    messages: steps.flatMap((step, place) =>
      step.effects.flatMap((effect) => messageIn(effect, place, (text) => previewedText(text, sheet)) ?? []),
    ),
    others: others.map((text) => previewedText(text, sheet)),
  }
}

const NO_BLANKS = { source: 'manual_endpoint' } as const

function messageIn(
  { channel, to, texts, credits }: PreviewEffectView,
  place: number,
  read: (text: string) => string,
): SheetPreview['messages'][number] | null {
  if (channel === null) return null
  const said = (label: string) => read(texts.find((one) => one.label === label)?.text ?? '')
  const isEmail = said('Subject') !== ''
  const message: MessageView = { channel: isEmail ? 'email' : 'sms', subject: said('Subject'), text: said('Text') }
  const says = to === null || to === '' ? channel : `${channel} to ${read(to)}`
  return { says, message, place: credits > 0 ? place : null }
}

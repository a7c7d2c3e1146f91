// Parses the submitted rule form: the state it was drawn from, and its controls by name. A control with a different
// value is a change. The schema is heavy, so only the server imports this.
import { z } from 'zod'
import { isActionType } from '#app/domain/automations/action-parameters.ts'
import { parseJson } from '#app/lib/json.ts'
import { TYPED_BESIDE } from '../page/act-on-rule.ts'
import type { FormLists } from '../rules/form-lists.ts'
import { parseRuleId } from '../rules/rule-form.ts'
import { applyControls, asTyped } from './form-change.ts'
import { emptyForm, type FormState, plainParameters, STATE_FIELD, TOP_FIELDS, type TopField } from './form-state.ts'

const text = z.string().catch('').transform(asTyped)

const key = (letter: 'c' | 's' | 'l') => z.string().regex(new RegExp(`^${letter}\\d{1,7}$`))

/** When rows share a key, the last one counts. */
function rows<Row extends { key: string }>(most: number, row: z.ZodType<Row>) {
  const each = (all: Row[]) => [...new Map(all.map((one) => [one.key, one])).values()].slice(0, most)
  return z.array(row).catch([]).transform(each)
}

const values = Object.fromEntries(TOP_FIELDS.map((name) => [name, text])) as Record<TopField, typeof text>
const condition = z.object({ key: key('c'), field: text, operator: text, value: text, logicalOperator: text })
const lines = rows(100, z.object({ key: key('l'), uuid: text, quantity: text, unit_cost: text }))
const step = z.object({
  key: key('s'),
  id: text,
  type: text.transform((type) => (isActionType(type) ? type : '')),
  wait: text,
  parameters: z.record(z.string(), text),
  materials: lines,
  material_bundles: lines,
})
const drawnForm = z.object({
  ruleId: z.unknown().transform((id) => parseRuleId(String(id))),
  next: z.number().int().min(1).max(9_999_999).catch(1),
  values: z.object(values),
  conditions: rows(50, condition),
  steps: rows(20, step),
  answers: z
    .record(z.string().max(100), text)
    .catch({})
    .transform((all) => Object.fromEntries(Object.entries(all).slice(0, MOST_ANSWERS))),
  beside: z.record(z.string(), z.string()).optional().catch(undefined),
  opened: z.object({ version: z.number(), active: text }).optional().catch(undefined),
})

/** No rule has more blanks than this. */
const MOST_ANSWERS = 50

/** Parses a submitted form; `lists` provide template texts. Starts empty when the drawn state is missing. */
export function readForm(
  sent: Iterable<readonly [string, unknown]>,
  lists: Pick<FormLists, 'smsTemplates'> | null = null,
): FormState {
  const entries = [...sent]
  const drawn = entries.find(([name]) => name === STATE_FIELD)?.[1]
  const typed = entries.filter(([name, value]) => TYPED_BESIDE.test(name) && value !== '')
  const state = applyControls(readFormState(drawn), entries, lists)
  return typed.length === 0 ? state : { ...state, beside: Object.fromEntries(typed) as Record<string, string> }
}

/** Parses a form's state alone, as `JSON.stringify` wrote it. Starts empty when it is none. */
export function readFormState(sent: unknown): FormState {
  const read = drawnForm.safeParse(parseJson(String(sent)))
  if (!read.success) return emptyForm()
  const state = read.data
  const steps = state.steps.map((one) => {
    const known = plainParameters(one.type).map(({ name }) => name)
    const parameters = Object.entries(one.parameters).filter(([name, value]) => value !== '' && known.includes(name))
    return { ...one, parameters: Object.fromEntries(parameters) }
  })
  const used = [...state.conditions, ...steps.flatMap((one) => [one, ...one.materials, ...one.material_bundles])]
  const next = Math.max(state.next, ...used.map(({ key }) => Number(key.slice(1)) + 1))
  return { ...state, steps, next }
}

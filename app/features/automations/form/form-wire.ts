// The rule form on the wire: every value under the name of its control, and back. Hidden beside the controls travels the state the
// page was drawn from, so that nothing is lost which is not on the screen.
import { isActionType } from '../rules/action-parameters.ts'
import type { FormLists } from '../rules/form-lists.ts'
import { applyChanges } from './form-change.ts'
import {
  CONDITION_PARTS,
  type ConditionPart,
  type ConditionRow,
  type FormState,
  LINE_LISTS,
  LINE_PARTS,
  type LineList,
  type LineRow,
  plainParameters,
  type StepRow,
  TOP_FIELDS,
} from './form-state.ts'

/** Characters of one value; more is cut. */
const MOST_TEXT = 25_000
/** More than the fullest form has, with what it was drawn from beside it. What follows is not read. */
const MOST_VALUES = 10_000
const MOST_ROWS = { c: 50, s: 20, l: 100 } as const

/** Every value by the name its control has; what is empty is left out. `readForm` gives the state back. */
export function toForm(state: FormState): [name: string, value: string][] {
  const entries: [string, string][] = [
    ['ruleId', state.ruleId === null ? '' : String(state.ruleId)],
    ['next', String(state.next)],
  ]
  const add = (name: string, value: string) => {
    if (value !== '') entries.push([name, value])
  }
  for (const name of TOP_FIELDS) add(name, state.values[name])
  for (const row of state.conditions) {
    entries.push(['c', row.key])
    for (const part of CONDITION_PARTS) add(`c.${row.key}.${part}`, row[part])
  }
  for (const step of state.steps) {
    entries.push(['s', step.key])
    for (const part of ['id', 'type', 'wait'] as const) add(`s.${step.key}.${part}`, step[part])
    for (const [name, value] of Object.entries(step.parameters)) add(`s.${step.key}.p.${name}`, value)
    for (const list of LINE_LISTS) {
      for (const line of step[list]) {
        entries.push([`s.${step.key}.${list}`, line.key])
        for (const part of LINE_PARTS) add(`s.${step.key}.l.${line.key}.${part}`, line[part])
      }
    }
  }
  return entries
}

/** Before what the page was drawn from, so that a change can be told from a value that only came along. */
export const DRAWN = 'was.'

/**
 * The state out of what a form sent. With the state it was drawn from beside it (`was.` names), the controls are changes of that:
 * what is not on the screen stays, and a choice has its consequences. Without, the controls are the state.
 */
export function readForm(
  sent: Iterable<readonly [string, unknown]>,
  lists: Pick<FormLists, 'smsTemplates'> | null = null,
): FormState {
  const drawn: [string, string][] = []
  const controls = new Map<string, string>()
  const plain: [string, string][] = []
  let left = MOST_VALUES
  for (const [name, value] of sent) {
    if (typeof value !== 'string') continue
    left -= 1
    if (left < 0) break
    const text = value.replace(/\r\n?/g, '\n').slice(0, MOST_TEXT)
    if (name.startsWith(DRAWN)) drawn.push([name.slice(DRAWN.length), text])
    else {
      plain.push([name, text])
      // A box has an empty value before it, so that unticking is sent: the last one counts.
      controls.set(name, text)
    }
  }
  return drawn.length > 0 ? applyChanges(build(drawn), controls, lists) : build(plain)
}

function build(entries: readonly (readonly [string, string])[]): FormState {
  const single = new Map(entries)
  const rows = (name: string, letter: 'c' | 's' | 'l') => {
    const keys = entries.flatMap(([each, value]) =>
      each === name && new RegExp(`^${letter}\\d{1,7}$`).test(value) ? [value] : [],
    )
    return [...new Set(keys)].slice(0, MOST_ROWS[letter])
  }
  const at = (name: string) => single.get(name) ?? ''
  const ruleId = /^[1-9]\d{0,14}$/.test(at('ruleId')) ? Number(at('ruleId')) : null
  const values = Object.fromEntries(TOP_FIELDS.map((name) => [name, at(name)])) as FormState['values']
  const conditions = rows('c', 'c').map((key): ConditionRow => {
    const part = (name: ConditionPart) => at(`c.${key}.${name}`)
    return {
      key,
      field: part('field'),
      operator: part('operator'),
      value: part('value'),
      logicalOperator: part('logicalOperator'),
    }
  })
  const steps = rows('s', 's').map((key): StepRow => {
    const part = (name: string) => at(`s.${key}.${name}`)
    const type = part('type')
    const parameters: Record<string, string> = {}
    for (const { name } of plainParameters(type)) {
      const value = part(`p.${name}`)
      if (value !== '') parameters[name] = value
    }
    const lines = (list: LineList) =>
      rows(`s.${key}.${list}`, 'l').map(
        (line): LineRow => ({
          key: line,
          uuid: part(`l.${line}.uuid`),
          quantity: part(`l.${line}.quantity`),
          unit_cost: part(`l.${line}.unit_cost`),
        }),
      )
    return {
      key,
      id: part('id'),
      type: isActionType(type) ? type : '',
      wait: part('wait'),
      parameters,
      materials: lines('materials'),
      material_bundles: lines('material_bundles'),
    }
  })
  const used = [...conditions, ...steps.flatMap((step) => [step, ...step.materials, ...step.material_bundles])].map(
    ({ key }) => Number(key.slice(1)),
  )
  const next = /^\d{1,7}$/.test(at('next')) ? Number(at('next')) : 1
  return { ruleId, next: Math.max(next, 1, ...used.map((number) => number + 1)), values, conditions, steps }
}

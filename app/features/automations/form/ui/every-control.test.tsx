// Every control of the rule form, with scripts: what is typed into it or chosen is on the screen, in what is sent, in the rule, and in
// its copy. The controls are read off the form, so that a new one is walked without being named here. The page without scripts is
// walked in tests/walks/rule-controls.test.ts, down to the database and back.
import { fireEvent } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ACTION_TYPES } from '#app/domain/automations/action-parameters.ts'
import {
  type DrawnControl,
  isOtherWay,
  placedNames,
  readForm as readControls,
  textsIn,
  typables,
} from '#tests/support/drawn-controls.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { formAfter, stagedForm } from '#tests/support/rule-form-stage.tsx'
import { exportRule } from '../../rules/import-rule.ts'
import { definitionOf } from '../../rules/rule-definition.ts'
import { ruleForm } from '../../rules/rule-form.ts'
import { toBody } from '../form-body.ts'
import { problemsOf } from '../form-check.ts'
import { toForm } from '../form-state.ts'
import { readForm } from '../form-wire.ts'

beforeAll(() =>
  Promise.all([import('#app/ui/toast/toaster.tsx'), import('./live-preview.tsx'), import('../form-aids.ts')]),
)
// The preview asks for itself; nothing here is about its answer.
beforeEach(() => {
  vi.stubGlobal('fetch', async () => Response.json({ kind: 'trouble', message: 'Not now.' }))
})
afterEach(() => vi.unstubAllGlobals())

const MINUTE = 60_000
/** Of a longer list, the first and the last. */
const MOST_OPTIONS = 8
/** A choice about the moment of saving; the rule does not keep it. */
const NOT_KEPT = ['includeExisting']

const form = () => {
  const element = document.getElementById('automation-form')
  if (!(element instanceof HTMLFormElement)) throw new Error('there is no form')
  return element
}
const elementsOf = (name: string) =>
  [...form().querySelectorAll<HTMLInputElement>('input, select, textarea')].filter(
    (element) => element.name === name && element.type !== 'hidden',
  )

function put({ name, kind }: DrawnControl, value: string): void {
  const [first] = elementsOf(name)
  if (!first) throw new Error(`${name} is not drawn`)
  if (kind === 'box') fireEvent.click(first)
  else if (first.type === 'radio') fireEvent.click(elementsOf(name).find((one) => one.value === value) ?? first)
  else fireEvent.change(first, { target: { value } })
}

const sent = () => new FormData(form())
const stateNow = () => readForm([...sent()])

interface Placed extends DrawnControl {
  place: string
}

function controls(mine: (place: string) => boolean): Placed[] {
  const all = readControls(form())
  const placed = placedNames(all.map(({ name }) => name))
  return all.map((control) => ({ ...control, place: placed(control.name) })).filter(({ place }) => mine(place))
}

const isTyped = ({ kind }: DrawnControl) => kind !== 'box' && kind !== 'choice'
const few = (options: readonly string[]) =>
  options.length <= MOST_OPTIONS ? [...options] : [...options.slice(0, 2), ...options.slice(-1)]

/** Types into everything, then makes every choice, and types into what that brings. */
function walk(mine: (place: string) => boolean): void {
  const typed = new Map<string, string>()
  const kept = new Set<string>()
  const made = new Set<string>()
  let bodies = JSON.stringify(toBody(stateNow()))

  /** Once it can be saved, everything that stands there is in the rule and in its copy. */
  const preview = () => {
    const state = stateNow()
    if (Object.keys(problemsOf(state)).length > 0) return
    const definition = definitionOf(ruleForm.parse(toBody(state)), null)
    const stored = textsIn([state.values.name, definition])
    const copied = textsIn(JSON.parse(exportRule({ name: state.values.name, definition }, '2026-01-01')))
    for (const { place, value } of controls(mine)) {
      if (value === '' || typed.get(place) !== value) continue
      expect(stored.has(value), `${place} "${value}" is not stored`).toBe(true)
      expect(copied.has(value), `${place} "${value}" is not copied`).toBe(true)
      kept.add(place)
    }
  }
  const type = (control: Placed) => {
    const options = typables(control.kind, typed.size + 1)
    const before = Object.keys(problemsOf(stateNow())).length
    let best = { value: options[0] ?? '', left: Number.POSITIVE_INFINITY }
    for (const value of options) {
      put(control, value)
      const left = Object.keys(problemsOf(stateNow())).length
      if (left < best.left) best = { value, left }
      if (left === 0 || (left < before && control.kind !== 'text')) break
    }
    put(control, best.value)
    const now = controls(mine).find(({ name }) => name === control.name)
    expect(now?.value, `${control.place} does not show what is typed`).toBe(best.value)
    expect(sent().get(control.name), `${control.place} does not send what is typed`).toBe(best.value)
    expect(textsIn(toBody(stateNow())).has(best.value), `${control.place} "${best.value}" is lost on the way`).toBe(
      true,
    )
    typed.set(control.place, best.value)
  }
  const choose = (control: Placed, value: string) => {
    put(control, value)
    const now = controls(mine).find(({ name }) => name === control.name)
    const unticked = control.kind === 'box' && value === ''
    // Another way to fill in a control is gone once it did: what counts is there.
    if (now && !isOtherWay(control.place)) expect(now.value, `${control.place} does not show ${value}`).toBe(value)
    if (!unticked && now) expect(sent().getAll(control.name).at(-1), `${control.place} does not send`).toBe(value)
    const body = JSON.stringify(toBody(stateNow()))
    expect(body, `${control.place}=${value} changes nothing`).not.toBe(bodies)
  }

  const problems = () => Object.keys(problemsOf(stateNow()))
  const typedAgain = new Set<string>()
  /** Each once more for what it had in it. */
  const again = ({ place, value }: Placed) => {
    const key = `${place} ${value}`
    if (typed.get(place) !== value || typedAgain.has(key)) return false
    typedAgain.add(key)
    return true
  }

  for (let turn = 0; turn < 400; turn += 1) {
    const now = controls(mine)
    const empty = now.find(({ kind, value, options }) => kind === 'choice' && value === '' && options.length > 0)
    // Not there yet, or emptied by a choice.
    const open = now.find(
      (control) =>
        isTyped(control) && !isOtherWay(control.place) && (!typed.has(control.place) || control.value === ''),
    )
    const told = problems()
    // `material_uuid` is told at `uuid`.
    const isWrong = ({ place }: Placed) => {
      const part = place.split('.').at(-1)
      // A line's `uuid` is told as `material_uuid`.
      return told.some((path) => path.endsWith(`.${part}`) || path.endsWith(`_${part}`))
    }
    // What is wrong with a value is said once everything is there that has to be.
    const wrong =
      empty || open ? undefined : now.find((control) => isTyped(control) && isWrong(control) && again(control))
    if (empty) choose(empty, empty.options[0] ?? '')
    else if (open) type(open)
    else if (wrong) type(wrong)
    else {
      const next = now.flatMap((control) => {
        if (control.kind === 'box') {
          const other = control.value === '' ? (control.options[0] ?? '') : ''
          return made.has(`${control.place}=${other}`) ? [] : [{ control, value: other }]
        }
        if (control.kind !== 'choice') return []
        return few(control.options)
          .filter((value) => value !== control.value && !made.has(`${control.place}=${value}`))
          .map((value) => ({ control, value }))
      })[0]
      const otherWay = now.find((control) => isTyped(control) && isOtherWay(control.place) && !typed.has(control.place))
      if (otherWay) type(otherWay)
      else if (next) {
        made.add(`${next.control.place}=${next.value}`)
        choose(next.control, next.value)
      } else break
    }
    preview()
    bodies = JSON.stringify(toBody(stateNow()))
  }
  expect([...typed.keys()].filter((place) => !kept.has(place) && !NOT_KEPT.includes(place))).toEqual([])
}

const START = ['name=Walk', 'events=object:job', 'triggerType=job_updated']

describe.each(ACTION_TYPES)('%s', (type) => {
  test(
    'takes what is typed into each of its controls',
    () => {
      const lines = type === 'create_job' ? ['add_line:s2:materials', 'add_line:s2:material_bundles'] : []
      const state = formAfter([...START, 'add_step:generate_document', `add_step:${type}`, ...lines])
      renderPage({ page: () => stagedForm(state) })
      walk((place) => place.startsWith('s#2.') && place !== 's#2.type')
    },
    MINUTE,
  )
})

test(
  'trigger, schedule, grouping and everything under More take what is typed',
  () => {
    renderPage({ page: () => stagedForm(formAfter(['name=Walk', 'add_step:create_task', 's.s1.p.title=Ring'])) })
    walk((place) => !/^[sc]#/.test(place) && !place.startsWith('preview'))
  },
  2 * MINUTE,
)

test(
  'a condition takes each operator and what it is compared with',
  () => {
    const state = formAfter([...START, 'add_step:create_task', 's.s1.p.title=Ring', 'add_condition', 'add_condition'])
    renderPage({ page: () => stagedForm(state) })
    walk((place) => place.startsWith('c#'))
  },
  MINUTE,
)

/** What makes other controls go: with which choices before, which control, and what is chosen there. */
const HIDING: [before: string[], control: string, to: string][] = [
  [['triggerType=job_updated'], 'events', 'object:company'],
  [['triggerType=job_queue'], 'triggerType', 'job_updated'],
  [['triggerType=job_field'], 'triggerType', 'job_updated'],
  [['triggerType=job_status'], 'triggerType', 'job_updated'],
  [['triggerType=job_updated'], 'triggerSource', 'manual_endpoint'],
  [['triggerType=job_updated', 'scheduleType=scheduled'], 'scheduleType', 'immediate'],
  [['scheduleType=recurring', 'scheduleRecurrence=weekly'], 'scheduleType', 'immediate'],
  [['triggerSource=api_polling', 'enableGrouping=true'], 'triggerSource', 'webhook'],
  [['triggerSource=api_polling', 'enableGrouping=true'], 'enableGrouping', ''],
  [['triggerSource=api_polling', 'pollInterval=weekly'], 'pollInterval', 'on_demand'],
  [['triggerSource=api_polling', 'pollInterval=monthly'], 'pollInterval', 'daily'],
  [['triggerSource=api_polling', 'pollInterval=once'], 'pollInterval', 'daily'],
  [['add_step:send_sms', 's.s2.p.useSmsTemplate=true'], 's.s2.p.useSmsTemplate', ''],
  [['add_step:send_email', 's.s2.p.contentType=template'], 's.s2.p.contentType', 'html'],
  [
    ['add_step:send_email', 's.s2.p.includeAttachments=true', 's.s2.p.includeJobAttachments=true'],
    's.s2.p.includeAttachments',
    '',
  ],
  [['add_step:create_job', 's.s2.from.materials=copy'], 's.s2.from.materials', 'manual'],
  [['add_step:update_job_field', 's.s2.p.fieldName=badges'], 's.s2.p.fieldName', 'job_description'],
]

test.each(HIDING)('with %j, nothing is sent or saved of what %s = "%s" hides', (before, control, to) => {
  const task = ['name=Walk', 'events=object:job', 'add_step:create_task', 's.s1.p.title=Ring']
  renderPage({ page: () => stagedForm(formAfter([...task, ...before])) })
  const drawn = () => controls((place) => !place.startsWith('preview') && !isOtherWay(place))
  const filled = new Set([control])
  for (let turn = 0; turn < 100; turn += 1) {
    const empty = drawn().find(({ name, value }) => value === '' && !filled.has(name))
    if (!empty) break
    filled.add(empty.name)
    const [first] = isTyped(empty) ? typables(empty.kind, turn + 1) : empty.options
    if (first !== undefined) put(empty, first)
  }
  const there = drawn()
  const chosen = there.find(({ name }) => name === control)
  if (!chosen) throw new Error(`${control} is not drawn`)
  const was = toForm(stateNow())
  put(chosen, to)
  const left = new Set(drawn().map(({ name }) => name))
  const gone = there.filter(({ name, value }) => value !== '' && !left.has(name))
  expect(gone.length).toBeGreaterThan(0)
  const withoutScripts = readForm([...was, [control, to]])
  for (const state of [stateNow(), withoutScripts]) {
    const body = toBody(state)
    for (const { name } of gone) expect(sentAt(body, name), `${name} is sent, and hidden`).toBeUndefined()
  }
})

/** What a body says under the name of a control; undefined = nothing. */
function sentAt(body: Record<string, unknown>, name: string): unknown {
  const [, key = '', parameter] = /^s\.s(\d+)\.p\.(\w+)$/.exec(name) ?? []
  const { actions, guards } = body as { actions: { parameters: object }[]; guards: object }
  const said: object = parameter ? (actions[Number(key) - 1]?.parameters ?? {}) : { ...guards, ...body }
  const value: unknown = Object.entries(said).find(([field]) => field === (parameter ?? name))?.[1]
  return value === '' || value === false ? undefined : value
}

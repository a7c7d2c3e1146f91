// Every control of the rule form, without scripts: what is typed into it is sent, stored, copied, and there again when the rule is
// edited or pasted. The controls are read off the page, so that a new one is walked without being named here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACTION_SPECS, ACTION_TYPES } from '#app/domain/automations/action-parameters.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { OPERATORS } from '#app/domain/automations/rule.ts'
import { type FormState, LINE_LISTS } from '#app/features/automations/form/form-state.ts'
import { formFields } from '#app/features/automations/rules/rule-json.ts'
import { LEEDS } from '#tests/support/automation-world.server.ts'
import {
  type DrawnControl,
  isOtherWay,
  mainWay,
  placedNames,
  readMarkup,
  textsIn,
  typables,
} from '#tests/support/drawn-controls.ts'
import { expectNoise } from '#tests/support/quiet.ts'
import { formAfter } from '#tests/support/rule-form-stage.tsx'
import { type ScriptlessForm, type StoredRule, scriptlessForm } from '#tests/support/scriptless-form.server.ts'

/** Of a longer list, only some are chosen. */
const MOST_OPTIONS = 6
const MINUTE = 60_000

/** Chosen for a control: to be typed into, until something fits. */
const TYPE = 'type:'

/** A choice about the moment of saving; the rule does not keep it. */
const NOT_KEPT = ['includeExisting']

let form: ScriptlessForm
beforeAll(async () => {
  form = await scriptlessForm()
}, MINUTE)
afterAll(() => form.close())

/** Row keys are others when a form is drawn anew: names by their place. */
interface Drawn {
  html: string
  controls: (DrawnControl & { place: string })[]
}

function drawn(html: string, mine: (place: string) => boolean): Drawn {
  const { controls } = readMarkup(html)
  const placed = placedNames(controls.map(({ name }) => name))
  return {
    html,
    controls: controls
      .map((control) => ({ ...control, place: placed(control.name) }))
      .filter(({ place }) => mine(place)),
  }
}

interface Walked {
  rule: StoredRule
  /** As they stood when the rule was saved. */
  shown: Drawn['controls']
}

/** Fills in whatever is drawn, and what that brings, until it can be saved. `chosen` = by place; all else is up to the form. */
async function fillAndSave(
  start: FormState,
  mine: (place: string) => boolean,
  chosen: ReadonlyMap<string, string>,
): Promise<Walked> {
  const tries = new Map<string, number>()
  const numbers = new Map<string, number>()
  const ticked = new Set<string>()
  /** By one of these another control was filled in. */
  const boxes = [...chosen].filter(([place, value]) => isOtherWay(place) && value !== TYPE).map(([place]) => place)
  const wanted = (control: Drawn['controls'][number]): string | null => {
    const { place, kind, value, options } = control
    const given = chosen.get(place)
    if (given !== undefined && given !== TYPE) {
      // What it brings takes its place; where that goes again, it is not ticked twice.
      if (boxes.includes(place) && ticked.has(place)) return null
      // A box is pressed once: what another box then makes of it stays.
      if (kind === 'box' && value !== given && ticked.has(place)) return null
      if (kind === 'box') ticked.add(place)
      return given
    }
    if (kind === 'box') return null
    if (given === undefined && boxes.some((other) => mainWay(other) === place && ticked.has(other))) return null
    if (kind === 'choice') {
      const tried = tries.get(place) ?? 0
      return value === '' || tried > 0 ? (options[Math.max(0, tried - 1)] ?? null) : null
    }
    if (isOtherWay(place) && given === undefined) return null
    if (!numbers.has(place)) numbers.set(place, numbers.size + 1)
    return typables(kind, numbers.get(place) ?? 0)[tries.get(place) ?? 0] ?? null
  }
  let now = drawn(await form.draw(start), mine)
  for (let turn = 0; turn < 60; turn += 1) {
    const todo = now.controls.flatMap((control): [string, string][] => {
      const value = wanted(control)
      return value === null || value === control.value ? [] : [[control.name, value]]
    })
    if (todo.length > 0) {
      const pressed = await form.press(now.html, 'form.next', new Map(todo))
      if (pressed.outcome !== 'drawn') throw new Error('it was saved by a button that only draws')
      now = drawn(pressed.html, mine)
      continue
    }
    const saved = await form.press(now.html, 'form.save')
    if (saved.outcome === 'saved') return { rule: saved.rule, shown: now.controls }
    // Whatever keeps a rule from being saved is said at a control that is there.
    const after = readMarkup(saved.html).controls.filter(({ wrong }) => wrong)
    expect(after, `"${saved.said}" is said at no control: ${JSON.stringify(saved.errors)}`).not.toEqual([])
    now = drawn(saved.html, mine)
    const wrong = now.controls.filter((control) => control.wrong)
    for (const { place, kind, options, value } of wrong) {
      const typed = [...chosen].find(([other, how]) => how === TYPE && isOtherWay(other) && mainWay(other) === place)
      const at = typed?.[0] ?? place
      const next = (tries.get(at) ?? 0) + 1
      const possible = kind === 'choice' && !typed ? options.length + 1 : typables('text', 1).length
      if (next >= possible || (chosen.get(at) ?? TYPE) !== TYPE) {
        throw new Error(`nothing fits into ${at}: last "${value}" (${JSON.stringify(saved.errors)})`)
      }
      tries.set(at, next)
    }
    if (wrong.length === 0) throw new Error(`refused elsewhere: ${saved.said} ${after[0]?.name}`)
  }
  throw new Error(`it cannot be filled in: ${now.controls.map(({ place, value }) => `${place}=${value}`).join(' ')}`)
}

const isText = ({ kind }: DrawnControl) => kind === 'text' || kind === 'number' || kind === 'date' || kind === 'time'
const values = (controls: Drawn['controls']) =>
  Object.fromEntries(
    controls.filter(({ place }) => !NOT_KEPT.includes(place)).map(({ place, value }) => [place, value]),
  )

/** What was on the screen is in the rule, in its copy, and on the screen again. */
async function expectKept({ rule, shown }: Walked, mine: (place: string) => boolean, about: string): Promise<void> {
  const typed = shown.filter((control) => isText(control) && control.value !== '')
  const stored = textsIn([
    rule.definition,
    (await form.calls.app.store.automations.findAutomation(LEEDS, rule.id))?.name,
  ])
  const copied = textsIn(JSON.parse(rule.copy))
  for (const { place, value } of typed) {
    expect(stored.has(value), `${about}: ${place} "${value}" is not stored`).toBe(true)
    expect(copied.has(value), `${about}: ${place} "${value}" is not copied`).toBe(true)
  }
  const again = drawn(await form.edit(rule.id), mine)
  expect(values(again.controls), `${about}: shown again`).toEqual(values(shown))
  const pasted = drawn(await form.paste(rule.copy), (place) => mine(place) && !NOT_COPIED.includes(place))
  expect(values(pasted.controls), `${about}: pasted`).toEqual(
    values(shown.filter(({ place }) => !NOT_COPIED.includes(place))),
  )
}

/** A copy has a name of its own and starts switched off; the webhook is this account's. */
const NOT_COPIED = ['name', 'active', 'events', ...NOT_KEPT]

/** Once as it comes, then once with each other choice; choices that a choice brings are walked with it. */
async function walk(start: FormState, mine: (place: string) => boolean): Promise<RuleDefinition[]> {
  expectNoise(/useLayoutEffect does nothing on the server/)
  const rules: RuleDefinition[] = []
  // Each action has a walk of its own.
  const known = new Set<string>(['s#2.type'])
  const open: { chosen: ReadonlyMap<string, string>; by: string }[] = [{ chosen: new Map(), by: 'as it comes' }]
  const seen = new Map<string, string>()
  for (const { chosen, by } of open) {
    const walked = await fillAndSave(start, mine, chosen)
    await expectKept(walked, mine, by)
    const whole = JSON.stringify([walked.rule.definition, walked.rule.active])
    const before = seen.get(whole)
    // The last box below another, unticked, takes that one along: the rule is then the one before both.
    const takesBoxAlong = by.endsWith('=') && chosen.size > 1
    if (before !== undefined && !takesBoxAlong && !NOT_KEPT.some((place) => by.startsWith(place))) {
      throw new Error(`${by} makes the same rule as ${before}: the choice is lost`)
    }
    seen.set(whole, by)
    rules.push(walked.rule.definition)
    await form.calls.app.store.automations.deleteAutomation(LEEDS, walked.rule.id, { reason: '', at: 0 })
    for (const { place, kind, value, options } of walked.shown) {
      // What only a choice brings is walked with each choice that brings it.
      const [first] = chosen
      const key = known.has(place) || first === undefined ? place : `${first.join('=')}|${place}`
      if (known.has(key) || chosen.has(place)) continue
      known.add(key)
      const add = (...more: [string, string][]) =>
        open.push({ chosen: new Map([...chosen, ...more]), by: more.map((one) => one.join('=')).join(' ') })
      if (isOtherWay(place) && kind === 'box') {
        // Ticked, and ticked and then written over.
        const tick: [string, string] = [place, options[0] ?? '']
        add(tick)
        add(tick, [mainWay(place), TYPE])
      } else if (isOtherWay(place)) add([place, TYPE])
      else if (kind === 'box') add([place, value === '' ? (options[0] ?? '') : ''])
      else for (const other of few(options.filter((one) => one !== value))) add([place, other])
    }
  }
  return rules
}

function few(options: readonly string[]): string[] {
  if (options.length <= MOST_OPTIONS) return [...options]
  // What brings controls of its own: one field of a job, one trigger.
  const special = options.filter((option) => option === 'badges' || option === 'customer_replied')
  return [...options.slice(0, 2), ...special, ...options.slice(-1)]
}

const START = ['name=Walk', 'events=object:job', 'triggerType=job_updated']

describe.each(ACTION_TYPES)('%s', (type) => {
  test(
    'keeps what is typed, and every parameter of its table can be filled in',
    async () => {
      const lines = type === 'create_job' ? LINE_LISTS.map((list) => `add_line:s2:${list}`) : []
      const start = formAfter([...START, 'add_step:generate_document', `add_step:${type}`, ...lines])
      const rules = await walk(start, (place) => place.startsWith('s#2.'))
      const reached = new Set(rules.flatMap(({ steps }) => Object.keys(steps[1]?.parameters ?? {})))
      const table = ACTION_SPECS.find((spec) => spec.type === type)?.parameters.map(({ name }) => name) ?? []
      expect(table.filter((name) => !reached.has(name))).toEqual([])
      if (type === 'create_job') {
        const dates = rules.map(({ steps }) => String(steps[1]?.parameters.date ?? ''))
        expect(dates).toEqual(expect.arrayContaining(['TODAY', expect.stringMatching(/^TODAY\+\d+$/)]))
      }
    },
    3 * MINUTE,
  )
})

test('what is wrong with a line of a list is marked at its own control, which gets the focus', async () => {
  expectNoise(/useLayoutEffect does nothing on the server/)
  const lines = LINE_LISTS.map((list) => `add_line:s1:${list}`)
  const html = await form.draw(formAfter([...START, 'add_step:create_job', 's.s1.p.status=Quote', ...lines]))
  const { controls } = readMarkup(html)
  const nameOf = (end: string) => controls.find(({ name }) => name.endsWith(end))?.name ?? end
  const chosen = (name: string) => controls.find((control) => control.name === name)?.options[0] ?? ''
  const [customer, material, cost] = [nameOf('.p.company_uuid'), nameOf('.uuid'), nameOf('.unit_cost')]
  const typed: [string, string][] = [
    [customer, chosen(customer)],
    [material, chosen(material)],
    [cost, '-1'],
    [nameOf('l3.quantity'), '2'],
  ]
  const pressed = await form.press(html, 'form.save', new Map(typed))
  if (pressed.outcome !== 'drawn') throw new Error('it was saved')
  const wrong = readMarkup(pressed.html).controls.filter((control) => control.wrong)
  expect(wrong.map(({ name, value }) => [name, value])).toEqual([
    [cost, '-1'],
    [nameOf('l3.uuid'), ''],
  ])
  const [input = ''] = pressed.html.match(new RegExp(`<input[^>]*name="${cost}"[^>]*>`)) ?? []
  expect(input).toMatch(/ autofocus=""/i)
  const about = / aria-describedby="([^"]+)"/.exec(input)?.[1] ?? ''
  expect(pressed.html).toMatch(
    new RegExp(`id="${about}"[^>]*>.*?<span>Unit cost is a number from 0 with at most two decimals</span>`),
  )
})

test(
  'trigger, schedule, grouping and everything under More keep what is typed, and each field of a rule can be changed',
  async () => {
    const start = formAfter(['name=Walk', 'add_step:create_task', 's.s1.p.title=Ring'])
    const rules = await walk(start, (place) => !/^[sc]#/.test(place) && !place.startsWith('preview'))
    const fields = rules.map((definition) => formFields(definition))
    const changed = (name: string) =>
      new Set(fields.map((one) => JSON.stringify(one[name as keyof typeof one]))).size > 1
    const fixed = Object.keys(fields[0] ?? {}).filter((name) => !changed(name))
    // There is no webhook here; actions have walks of their own.
    expect(fixed).toEqual(['webhookSubscriptionId', 'actions'])
  },
  5 * MINUTE,
)

test(
  'conditions: each operator and each field',
  async () => {
    expectNoise(/useLayoutEffect does nothing on the server/)
    const actions = ['add_step:create_task', 's.s1.p.title=Ring']
    const one = formAfter([...START, ...actions, 'add_condition'])
    const offered = readMarkup(await form.draw(one)).controls.find(({ name }) => name.endsWith('.field'))?.options ?? []
    expect(offered.length).toBeGreaterThan(20)
    const mine = (place: string) => place.startsWith('c#')
    const AT_ONCE = 20
    for (let from = 0; from < offered.length; from += AT_ONCE) {
      const part = offered.slice(from, from + AT_ONCE)
      const start = formAfter([...START, ...actions, ...part.map(() => 'add_condition')])
      const chosen = new Map(
        part.flatMap((field, index): [string, string][] => [
          [`c#${index + 1}.field`, field],
          [`c#${index + 1}.operator`, OPERATORS[(from + index) % OPERATORS.length] ?? ''],
          ...(index % 2 === 1 ? [[`c#${index + 1}.logicalOperator`, 'OR'] as [string, string]] : []),
        ]),
      )
      const walked = await fillAndSave(start, mine, chosen)
      await expectKept(walked, mine, `conditions from ${from}`)
      expect(walked.rule.definition.conditions.map(({ field }) => field)).toEqual(part)
      for (const [place, value] of chosen) {
        expect(walked.shown.find((control) => control.place === place)?.value, place).toBe(value)
      }
    }
  },
  3 * MINUTE,
)

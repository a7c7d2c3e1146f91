// The life of an action: rendered in the form, checked, described, previewed, performed, and shown in the history.
// tests/house/new-action.test.ts bundles this with three changed files that add an action the product does not have.
import { createRemixStub } from '@remix-run/testing'
import { renderToStaticMarkup } from 'react-dom/server'
import { ACTION_SPECS, type ActionType, isActionType } from '#app/domain/automations/action-parameters.ts'
import type { ActionParameters } from '#app/domain/automations/rule.ts'
import { aidsOf } from '#app/features/automations/form/form-aids.ts'
import { applyIntent, setValue } from '#app/features/automations/form/form-change.ts'
import { parseFormIntent } from '#app/features/automations/form/form-intent.ts'
import { emptyForm, type FormState } from '#app/features/automations/form/form-state.ts'
import { ActionSection } from '#app/features/automations/form/ui/action-section.tsx'
import { RuleFormProvider } from '#app/features/automations/form/ui/form-context.tsx'
import { runView } from '#app/features/automations/history/run-detail-view.ts'
import { previewRun } from '#app/features/automations/preview/preview.server.ts'
import { readParameters } from '#app/features/automations/rules/checks/check-parameters.ts'
import { checkRule } from '#app/features/automations/rules/checks/rule-check.ts'
import { EMPTY_LISTS } from '#app/features/automations/rules/form-lists.ts'
import { sentenceOf } from '#app/features/automations/rules/sentence.ts'
import { executionOf } from '#app/features/automations/runs/run-history.ts'
import { seconds } from '#app/lib/duration.ts'
import { aRule, aStep, automationWorld, LEEDS, TRIGGERED } from './automation-world.server.ts'

export interface NewActionSeen {
  known: boolean
  /** HTML of the action's card in the form, before anything is filled in. */
  form: string
  /** Messages about empty parameters. */
  complaints: string[]
  /** Messages about a rule with the action, and a later step that reads its result. */
  issues: string[]
  sentence: string
  preview: { action: string; outcome: string; summaries: string[] }[]
  /** Records the platform received: none after the preview, these after the run. */
  madeByLook: number
  made: { object: string; fields: Record<string, string> }[]
  history: { label: string; mark: string; summaries: string[] }[]
}

/** `parameters` of the step; `later` = the title of a later task, which may read the step's result. */
export async function seeNewAction(name: string, parameters: ActionParameters, later: string): Promise<NewActionSeen> {
  const type = name as ActionType
  const world = await automationWorld()
  try {
    const definition = aRule([aStep('s1', type, parameters), aStep('s2', 'create_task', { title: later })])
    const job = world.job(LEEDS)
    const look = await previewRun(world.app, world.parts, {
      accountUuid: LEEDS,
      automation: { id: 0, name: 'Waiting', version: 1 },
      definition,
      object: 'job',
      recordUuids: [job],
      groupKey: null,
      triggerData: TRIGGERED,
    })
    if (look.outcome !== 'previewed') throw new Error(JSON.stringify(look))
    const madeByLook = world.platform.made.length
    const run = await world.start(await world.rule(definition), [job])
    world.engine().start()
    await world.clock.run(seconds(5))
    const view = runView(executionOf(await world.run(run)), null, null)
    const read = readParameters(type, {})
    return {
      known: isActionType(name) && ACTION_SPECS.some((spec) => spec.type === type),
      form: drawForm(type),
      complaints: read.outcome === 'invalid' ? read.issues.map(({ message }) => message) : [],
      issues: checkRule(definition).map(({ message }) => message),
      sentence: sentenceOf(definition),
      preview: look.steps.map((step) => ({
        action: step.action,
        outcome: step.outcome,
        summaries: step.effects.map(({ summary }) => summary),
      })),
      madeByLook,
      made: world.platform.made.map(({ object, fields }) => ({ object, fields })),
      history: view.steps.map(({ label, mark, items }) => ({
        label,
        mark,
        summaries: items.map((item) => item.summary),
      })),
    }
  } finally {
    await world.close()
  }
}

function drawForm(type: ActionType): string {
  const intent = parseFormIntent(`form.add_step:${type}`)
  if (!intent) throw new Error(`no such button: ${type}`)
  const started = Object.entries({
    name: 'Waiting',
    events: 'object:job',
    triggerType: 'job_updated',
  }).reduce<FormState>((state, [name, value]) => setValue(state, name, value), emptyForm())
  const state = applyIntent(started, intent)
  const tools = {
    person: '',
    phone: '',
    accountUUID: '',
    example: '',
    samples: null,
    state,
    errors: {},
    lists: EMPTY_LISTS,
    aids: aidsOf(state, []),
    webhooks: [],
    alive: false,
    set: () => {},
    open: new Set<string>(),
    setOpen: () => {},
    at: '',
    sends: {},
  }
  const Stub = createRemixStub([
    {
      path: '/',
      Component: () => (
        <RuleFormProvider value={tools}>
          <ActionSection />
        </RuleFormProvider>
      ),
    },
  ])
  return renderToStaticMarkup(<Stub />)
}

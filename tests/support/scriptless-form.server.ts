// The rule form for a person without scripts: rendered by the server, filled in, sent to the page's own action, stored,
// copied and opened again.
import type { ActionFunctionArgs } from '@remix-run/node'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { loadForm } from '#app/features/automations/form/form-intents.server.ts'
import type { FormState } from '#app/features/automations/form/form-state.ts'
import type { FormView } from '#app/features/automations/form/form-view.ts'
import type { FormLists } from '#app/features/automations/rules/form-lists.ts'
import { exportRule } from '#app/features/automations/rules/import-rule.ts'
import type { FieldErrors } from '#app/features/automations/rules/rule-form.ts'
import { loadFormLists } from '#app/features/lookups/form-lists.server.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { action, loader } from '#app/routes/pages/automation.tsx'
import { type AutomationCalls, automationCalls } from './automation-calls.server.ts'
import { LEEDS } from './automation-world.server.ts'
import { readMarkup } from './drawn-controls.ts'
import { drawForm } from './drawn-form.tsx'

export interface StoredRule {
  id: number
  active: boolean
  definition: RuleDefinition
  /** The text that "Copy as JSON" copies. */
  copy: string
}

type Pressed =
  | { outcome: 'saved'; rule: StoredRule }
  | { outcome: 'drawn'; html: string; said: string; errors: FieldErrors }

export interface ScriptlessForm {
  calls: AutomationCalls
  /** Renders the form with the given state. */
  draw(state: FormState): Promise<string>
  /** Submits every field of the markup, with these values instead, using the button of that name. */
  press(html: string, intent: string, values?: ReadonlyMap<string, string>): Promise<Pressed>
  /** The edit form of a stored rule. */
  edit(id: number): Promise<string>
  /** The form after pasting the text. */
  paste(copy: string): Promise<string>
  close(): Promise<void>
}

const STOCK: Record<string, Record<string, string>> = {
  queue: { name: 'Queue' },
  staff: { first: 'Ann', last: 'Alder', email: 'ann@example.com' },
  company: { name: 'Smith' },
  job: { generated_job_id: '41', status: 'Quote', job_description: 'Boiler' },
  category: { name: 'Repairs' },
  material: { name: 'Pipe', item_number: 'P' },
  materialbundle: { name: 'Bathroom' },
  documenttemplate: { name: 'Our invoice' },
  emailtemplate: { template_name: 'Thanks', subject: 'Thank you', plain_text_body: 'We are done.' },
  smstemplate: { template_name: 'Done', message_text: 'We are done.', message: 'We are done.' },
}

export async function scriptlessForm(): Promise<ScriptlessForm> {
  const calls = await automationCalls()
  const { app, world } = calls
  const tokens = { accessTokenSealed: '-', refreshTokenSealed: '-', expiresAt: world.clock.now() + hours(8), scope: '' }
  await app.store.accounts.saveCredential(LEEDS, tokens)
  for (const [kind, [object, values]] of Object.entries(STOCK).entries()) {
    for (const number of [1, 2]) {
      const uuid = `0000000${number}-0000-4000-8000-0000000000${kind + 10}`
      world.platform.put(LEEDS, object, { uuid, ...values })
    }
  }
  const { lists } = await loadFormLists(app, LEEDS)

  function argsOf(query: string, form?: readonly (readonly [string, string])[]): ActionFunctionArgs {
    const address = `${app.settings.origin}/automation?accountUUID=${LEEDS}${query}`
    const headers = { cookie: `${sessionCookieName('tab', true)}=${LEEDS}` }
    const body = form && new URLSearchParams(form.map(([name, value]) => [name, value]))
    const request = new Request(address, { method: form ? 'POST' : 'GET', headers, ...(body && { body }) })
    return {
      request,
      params: {},
      context: { app, clientIp: '203.0.113.9', nonce: '' },
    } as unknown as ActionFunctionArgs
  }

  async function send(entries: readonly (readonly [string, string])[]): Promise<Pressed> {
    try {
      const { form, toast } = (await action(argsOf('', entries))).data
      if (!form) throw new Error(`no form came back: ${JSON.stringify(toast)}`)
      const { view, lists: drawnWith } = form as unknown as { view: FormView; lists: FormLists }
      return {
        outcome: 'drawn',
        html: drawForm(LEEDS, view, drawnWith),
        said: toast?.description ?? '',
        errors: view.errors,
      }
    } catch (thrown) {
      if (!(thrown instanceof Response)) throw thrown
      const id = Number(/#\D*(\d+)$/.exec(thrown.headers.get('location') ?? '')?.[1] ?? 0)
      const rule = await app.store.automations.findAutomation(LEEDS, id)
      if (!rule) throw new Error(`nothing was stored: ${thrown.headers.get('location')}`)
      return {
        outcome: 'saved',
        rule: { id, active: rule.active, definition: rule.definition, copy: exportRule(rule, '2026-01-01') },
      }
    }
  }

  return {
    calls,
    draw: async (state) => drawForm(LEEDS, await loadForm(app, LEEDS, state, {}, lists), lists),
    async press(html, intent, values = new Map()) {
      const { sent, controls } = readMarkup(html)
      const entries = sent.flatMap(({ name, value }): [string, string][] => {
        const instead = values.get(name)
        // Of a box and of radio buttons, only ticked ones are sent.
        return [[name, instead ?? value]]
      })
      for (const [name, value] of values) {
        const control = controls.find((one) => one.name === name)
        if (!control) throw new Error(`no such control: ${name}`)
        if (control.kind === 'box' ? value !== '' : !entries.some(([each]) => each === name))
          entries.push([name, value])
      }
      return send([...entries, ['intent', intent]])
    },
    async edit(id) {
      const { data } = await loader(argsOf(`&edit=${id}`))
      if (data.view === 'gate' || !data.form) throw new Error('the form is not shown')
      const { view, lists: drawnWith } = data.form as unknown as { view: FormView; lists: FormLists }
      return drawForm(LEEDS, view, drawnWith)
    },
    async paste(copy) {
      const pasted = await send([
        ['act', 'import'],
        ['json', copy],
      ])
      if (pasted.outcome !== 'drawn') throw new Error('a single rule is looked over before it is stored')
      return pasted.html
    },
    close: () => calls.close(),
  }
}

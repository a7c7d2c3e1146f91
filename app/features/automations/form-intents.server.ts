// The rule form's buttons: every press is sent here when there are no scripts, and saving always.
import type { App } from '#app/app-context.ts'
import type { Flash } from '#app/lib/flash.ts'
import { objectLabel } from '../webhooks/object-catalog.ts'
import { aidsOf, rulesForWarnings } from './form-aids.ts'
import { toBody } from './form-body.ts'
import { applyIntent, FORM_INTENT, parseFormIntent } from './form-change.ts'
import { EMPTY_LISTS, type FormLists, namesOfLists } from './form-lists.ts'
import { problemsOf } from './form-problems.ts'
import type { FormState } from './form-state.ts'
import type { FormView } from './form-view.ts'
import { readForm } from './form-wire.ts'
import { FORM_WORDS, formErrorFlash, savedFlash } from './form-words.ts'
import type { FieldErrors } from './rule-form.ts'
import { changeRule, createRule, type RuleRefusal, type RulesApp } from './rules.server.ts'

export type FormOutcome =
  /** Draw the form again; `flash` says why, if something was wrong. */
  | { outcome: 'form'; form: FormView; flash: Flash | null }
  | { outcome: 'saved'; ruleId: number; message: string; flash: Flash }
  | { outcome: 'cancelled' }

export function isFormIntent(intent: string): boolean {
  return intent.startsWith(FORM_INTENT)
}

/** The form as a page shows it. */
export async function loadForm(
  app: Pick<App, 'store'>,
  accountUuid: string,
  state: FormState,
  errors: FieldErrors = {},
  lists: FormLists = EMPTY_LISTS,
): Promise<FormView> {
  const rules = rulesForWarnings(await app.store.listAutomations(accountUuid))
  const webhooks = (await app.store.listWebhooks(accountUuid)).map(({ webhook, endpoint }) => ({
    id: webhook.id,
    objectType: webhook.objectType,
    label: objectLabel(webhook.objectType),
    active: endpoint.state !== 'paused',
  }))
  return { state, errors, trouble: null, aids: aidsOf(state, rules, namesOfLists(lists)), rules, webhooks }
}

/** `lists` = what can be chosen from, for a template that fills in a text. The caller has checked the account. */
export async function handleForm(
  app: RulesApp,
  accountUuid: string,
  formData: FormData,
  lists: FormLists = EMPTY_LISTS,
): Promise<FormOutcome> {
  const intent = parseFormIntent(String(formData.get('intent') ?? '')) ?? { kind: 'next' }
  if (intent.kind === 'cancel') return { outcome: 'cancelled' }
  const read = readForm(formData, lists)
  const draw = async (state: FormState, errors: FieldErrors, flash: Flash | null): Promise<FormOutcome> => ({
    outcome: 'form',
    form: { ...(await loadForm(app, accountUuid, state, errors, lists)), trouble: flash },
    flash,
  })
  if (intent.kind !== 'save') return draw(applyIntent(read, intent), {}, null)
  const problems = problemsOf(read)
  if (Object.keys(problems).length > 0) return draw(read, problems, formErrorFlash(problems))
  const { ruleId } = read
  const body = toBody(read)
  const saved =
    ruleId === null ? await createRule(app, accountUuid, body) : await changeRule(app, accountUuid, ruleId, body)
  if (saved.outcome === 'saved') {
    const flash = savedFlash(ruleId === null, saved.rule.active, saved.warning)
    return { outcome: 'saved', ruleId: saved.rule.id, message: flash.title, flash }
  }
  return draw(read, saved.outcome === 'invalid' ? saved.errors : {}, refusedFlash(ruleId === null, saved))
}

function refusedFlash(isNew: boolean, refusal: RuleRefusal): Flash {
  const description = refusal.outcome === 'not_found' ? FORM_WORDS.gone : refusal.message
  return { kind: 'error', title: isNew ? FORM_WORDS.createFailed : FORM_WORDS.updateFailed, description }
}
